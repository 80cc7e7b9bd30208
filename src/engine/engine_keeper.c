/* The keeper, thread "cuzk-keeper": time limits of listeners, expiry of results, and the watchdog.
 */
#include <inttypes.h>
#include <pthread.h>

#include "base/clock.h"
#include "engine/engine_internal.h"
#include "engine/log.h"

/* ---- expiry ---- */

void cuzk_engine_expire_results(engine *e, uint64_t now_ns)
{
    uint64_t ttl = e->opt.result_ttl_ns;
    cuzk_job_trim_results(&e->table, now_ns > ttl ? now_ns - ttl : 0, e->opt.max_results);
}

/* ---- watchdog ---- */

/* Has the job got on since the last look, or a good reason not to? */
static bool got_on(job *j)
{
    uint64_t ticks = atomic_load(&j->tenant.ticks);
    unsigned phases = atomic_load(&j->n_phases);
    bool moved = ticks != j->seen_ticks || phases != j->seen_phases;
    j->seen_ticks = ticks;
    j->seen_phases = phases;
    return moved || j->waits || j->outranked_ns || atomic_load(&j->tenant.paused);
}

static void warn(const job *j, uint64_t now)
{
    const char *phase = atomic_load(&j->phase);
    uint64_t phase_ns = atomic_load(&j->phase_ns);
    cuzk_log(CUZK_LOG_WARN, j->id,
             "stands still: phase %s, partition %d, %u of %u partitions done; no progress for "
             "%" PRIu64 " s, in this phase for %" PRIu64 " s",
             phase ? phase : "(none)", atomic_load(&j->partition), j->n_done, j->n_partitions,
             cuzk_engine_ms_between(j->seen_ns, now) / 1000u,
             cuzk_engine_ms_between(phase_ns, now) / 1000u);
}

void cuzk_engine_watch(engine *e, uint64_t now_ns)
{
    const list_link *list = &e->table.running;
    for (list_link *at = list->next; e->opt.stall_ns && at != list; at = at->next) {
        job *j = engine_job_at(at);
        if (got_on(j)) {
            j->seen_ns = j->warned_ns = now_ns;
        } else if (now_ns > j->warned_ns && now_ns - j->warned_ns >= e->opt.stall_ns) {
            j->warned_ns = now_ns; /* and again after as long */
            e->stats.n_stalls++;
            warn(j, now_ns); /* one short write; rare */
        }
    }
}

/* ---- the thread ---- */

void cuzk_engine_tick(engine *e)
{
    aftermath a;
    cuzk_aftermath_init(&a);
    a.use_outcome = true;
    a.outcome = ENGINE_TIMEOUT;
    pthread_mutex_lock(&e->lock);
    uint64_t now = cuzk_engine_now(e);
    cuzk_listener_take(&e->table, &a.listeners, NULL, now);
    cuzk_engine_expire_results(e, now);
    cuzk_engine_watch(e, now);
    pthread_mutex_unlock(&e->lock);
    cuzk_aftermath_settle(e, &a);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* When to look again: the next time limit, the oldest result's end of life, a quarter of the
 * watchdog's patience. */
static uint64_t next_look(const engine *e)
{
    uint64_t now = cuzk_now_ns(), next = cuzk_listener_next_deadline(&e->table);
    if (!cuzk_link_empty(&e->table.results))
        next = earlier(next, engine_job_at(e->table.results.next)->ended_ns + e->opt.result_ttl_ns +
                                 1000000u);
    if (!cuzk_link_empty(&e->table.running) && e->opt.stall_ns)
        next = earlier(next, now + e->opt.stall_ns / 4 + 1);
    return earlier(next, now + (uint64_t)60 * 1000000000u); /* results may come meanwhile */
}

void *cuzk_engine_keeper(void *arg)
{
    engine *e = arg;
    pthread_setname_np(pthread_self(), "cuzk-keeper");
    pthread_mutex_lock(&e->lock);
    while (!e->quit) {
        uint64_t at = next_look(e);
        struct timespec ts = {(time_t)(at / 1000000000u), (long)(at % 1000000000u)};
        pthread_cond_timedwait(&e->expiry, &e->lock, &ts);
        pthread_mutex_unlock(&e->lock);
        cuzk_engine_tick(e);
        pthread_mutex_lock(&e->lock);
    }
    pthread_mutex_unlock(&e->lock);
    return NULL;
}

/* The keeper, thread "cuzk-keeper": time limits of listeners, expiry of results, and the watchdog.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

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

typedef struct {
    char job_id[REQUEST_ID_MAX + 1];
    const char *phase;
    int partition;
    unsigned n_done, n_partitions;
    uint64_t idle_s, phase_s;
} stall;

static void stall_of(stall *s, const job *j, uint64_t now)
{
    snprintf(s->job_id, sizeof s->job_id, "%s", j->id);
    s->phase = atomic_load(&j->phase);
    s->partition = atomic_load(&j->partition);
    s->n_done = j->n_done;
    s->n_partitions = j->n_partitions;
    s->idle_s = cuzk_engine_ms_between(j->seen_ns, now) / 1000u;
    s->phase_s = cuzk_engine_ms_between(atomic_load(&j->phase_ns), now) / 1000u;
}

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

/* Up to max jobs that are to be named. With the lock held. */
static size_t find_stalled(engine *e, stall out[], size_t max, uint64_t now)
{
    size_t n = 0;
    const list_link *list = &e->table.running;
    for (list_link *at = list->next; e->opt.stall_ns && at != list; at = at->next) {
        job *j = engine_job_at(at);
        if (got_on(j)) {
            j->seen_ns = j->warned_ns = now;
        } else if (n < max && now > j->warned_ns && now - j->warned_ns >= e->opt.stall_ns) {
            j->warned_ns = now; /* and again after as long */
            e->stats.n_stalls++;
            stall_of(&out[n++], j, now);
        }
    }
    return n;
}

static void warn(const stall *s)
{
    cuzk_log(CUZK_LOG_WARN, s->job_id,
             "stands still: phase %s, partition %d, %u of %u partitions done; no progress for "
             "%" PRIu64 " s, in this phase for %" PRIu64 " s",
             s->phase ? s->phase : "(none)", s->partition, s->n_done, s->n_partitions, s->idle_s,
             s->phase_s);
}

/* ---- the thread ---- */

void cuzk_engine_tick(engine *e)
{
    aftermath a;
    cuzk_aftermath_init(&a);
    a.use_outcome = true;
    a.outcome = ENGINE_TIMEOUT;
    stall stalled[N_RUNNERS];
    pthread_mutex_lock(&e->lock);
    uint64_t now = cuzk_engine_now(e);
    cuzk_listener_take(&e->table, &a.listeners, NULL, now);
    cuzk_engine_expire_results(e, now);
    size_t n = find_stalled(e, stalled, N_RUNNERS, now);
    pthread_mutex_unlock(&e->lock);
    for (size_t i = 0; i < n; i++)
        warn(&stalled[i]);
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

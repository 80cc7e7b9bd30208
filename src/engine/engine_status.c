/* What the engine tells about itself. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "engine/engine_internal.h"

void cuzk_engine_stats(engine *e, engine_stats *out)
{
    pthread_mutex_lock(&e->lock);
    *out = e->stats;
    out->uptime_ns = cuzk_engine_now(e) - e->born_ns;
    out->n_results = e->table.n_results;
    out->n_listeners = e->table.n_listeners;
    out->bytes = e->table.n_admitted_bytes;
    out->draining = e->draining;
    pthread_mutex_unlock(&e->lock);
}

const char *cuzk_engine_job_state_name(engine_job_state s)
{
    static const char *const name[] = {"queued", "running", "paused", "waiting", "between"};
    return (unsigned)s < CUZK_ARRAY_LEN(name) ? name[s] : "unknown";
}

static engine_job_state state_of(const job *j)
{
    if (j->state == JOB_WAITING)
        return j->started ? ENGINE_JOB_BETWEEN : ENGINE_JOB_QUEUED;
    if (j->waits)
        return ENGINE_JOB_WAITING;
    return atomic_load(&j->tenant.paused) ? ENGINE_JOB_PAUSED : ENGINE_JOB_RUNNING;
}

static const char *reason_of(const job *j, engine_job_state s)
{
    const char *phase = atomic_load(&j->phase);
    switch (s) {
    case ENGINE_JOB_QUEUED:
        return "waits for its turn";
    case ENGINE_JOB_BETWEEN:
        return "another job has its turn";
    case ENGINE_JOB_PAUSED:
        return "a more urgent job has the processors";
    case ENGINE_JOB_WAITING:
        return phase && strcmp(phase, "wait_memory") == 0 ? "waits for memory"
                                                          : "waits for parameters";
    case ENGINE_JOB_RUNNING:
        break;
    }
    return "";
}

static uint64_t since(uint64_t then_ns, uint64_t now_ns)
{
    return then_ns && now_ns > then_ns ? now_ns - then_ns : 0;
}

/* Negative when it is past. */
static int64_t until(uint64_t then_ns, uint64_t now_ns)
{
    if (then_ns <= now_ns)
        return -(int64_t)((now_ns - then_ns) & INT64_MAX);
    uint64_t left = then_ns - now_ns;
    return left > INT64_MAX ? INT64_MAX : (int64_t)left;
}

static void describe(engine_job_info *out, const engine *e, const job *j, uint64_t now)
{
    const char *phase = atomic_load(&j->phase);
    memset(out, 0, sizeof *out);
    snprintf(out->job_id, sizeof out->job_id, "%s", j->id);
    out->kind = j->kind;
    out->priority = (int)j->priority;
    out->level = (int)j->level;
    out->state = state_of(j);
    out->reason = reason_of(j, out->state);
    snprintf(out->phase, sizeof out->phase, "%s", phase ? phase : "");
    out->n_partitions = j->n_partitions;
    out->n_done = j->n_done;
    out->partition = j->state == JOB_RUNNING ? atomic_load(&j->partition) : -1;
    out->age_ns = since(j->submitted_ns, now);
    out->running_ns = since(j->started_ns, now);
    out->phase_ns = since(atomic_load(&j->phase_ns), now);
    if (j->deadline_ns)
        out->deadline_ns = until(j->deadline_ns, now);
    out->n_listeners = cuzk_listener_count(&e->table, j);
}

/* Copies those of a list in order of urgency: selection, since lists are short. */
static size_t describe_list(engine_job_info out[], size_t max, const engine *e,
                            const list_link *list, uint64_t now)
{
    size_t n = 0;
    const job *last = NULL;
    for (list_link *from = list->next; from != list; from = from->next, n++) {
        const job *best = NULL;
        if (n >= max)
            continue; /* only counted */
        for (list_link *at = list->next; at != list; at = at->next) {
            const job *j = engine_job_at(at);
            bool later = !last || cuzk_job_before(last, j, now, e->opt.ageing_ns);
            if (later && (!best || cuzk_job_before(j, best, now, e->opt.ageing_ns)))
                best = j;
        }
        if (!best)
            break;
        describe(&out[n], e, best, now);
        last = best;
    }
    return n;
}

size_t cuzk_engine_jobs(engine *e, engine_job_info out[], size_t max)
{
    pthread_mutex_lock(&e->lock);
    uint64_t now = cuzk_engine_now(e);
    size_t n = describe_list(out, max, e, &e->table.running, now);
    for (size_t p = PRIORITY_COUNT; p-- > 0;) {
        size_t used = n < max ? n : max;
        n += describe_list(out + used, max - used, e, &e->table.queue[p], now);
    }
    pthread_mutex_unlock(&e->lock);
    return n;
}

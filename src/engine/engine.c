/* Life of the engine, the end of jobs, and the small calls. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine_internal.h"
#include "engine/log.h"

const char *cuzk_engine_kind_name(cuzk_kind kind)
{
    static const char *const name[CUZK_KIND_COUNT] = {
        [CUZK_KIND_POREP] = "porep-c2",
        [CUZK_KIND_WINNING] = "winning-post",
        [CUZK_KIND_WINDOW] = "window-post",
        [CUZK_KIND_UPDATE] = "snap-update",
    };
    return (unsigned)kind < CUZK_KIND_COUNT ? name[kind] : "unknown";
}

uint64_t cuzk_engine_now(const engine *e)
{
    return e->opt.now_ns ? e->opt.now_ns() : cuzk_now_ns();
}

uint64_t cuzk_engine_ms_between(uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? (to_ns - from_ns) / 1000000u : 0;
}

/* ---- aftermath ---- */

void cuzk_aftermath_init(aftermath *a)
{
    memset(a, 0, sizeof *a);
    cuzk_link_init(&a->listeners);
}

static engine_result result_of(const job *j)
{
    engine_result r = {.job_id = j->id,
                       .outcome = j->outcome,
                       .proof = j->outcome == ENGINE_COMPLETED ? j->proof : NULL,
                       .n_proof_bytes = j->outcome == ENGINE_COMPLETED ? j->n_proof_bytes : 0,
                       .error = j->err.status,
                       .error_message = j->err.msg,
                       .timings = j->timings};
    return r;
}

/* A result does not change once the job has ended, so it may be read here without the lock. */
static void call_listeners(const aftermath *a)
{
    for (list_link *at = a->listeners.next; at != &a->listeners; at = at->next) {
        job_listener *l = (job_listener *)(void *)at;
        engine_result r = {.job_id = l->job->id, .outcome = a->outcome, .error_message = ""};
        if (!a->use_outcome)
            r = result_of(l->job);
        l->call.fn(l->call.ctx, &r);
    }
}

void cuzk_aftermath_settle(engine *e, aftermath *a)
{
    call_listeners(a);
    if (a->job)
        cuzk_engine_give_up(e, a->job); /* it looks at the request */
    if (a->req)
        e->backend.request_free(e->backend.ctx, a->req);
    if (a->idle && e->opt.on_idle)
        e->opt.on_idle(e->opt.on_idle_ctx);
    pthread_mutex_lock(&e->lock);
    while (!cuzk_link_empty(&a->listeners)) {
        job_listener *l = (job_listener *)(void *)a->listeners.next;
        cuzk_link_remove(&l->at);
        cuzk_job_unref(l->job);
        cuzk_free(l);
    }
    cuzk_job_unref(a->job);
    pthread_mutex_unlock(&e->lock);
}

/* ---- the end of a job ---- */

static void count_completed(engine_kind_stats *k, const job *j)
{
    k->completed++;
    k->duration_ms += j->timings.total_ms;
    if (j->deadline_ns == 0)
        return;
    if (j->ended_ns > j->deadline_ns)
        k->deadline_missed++;
    else
        k->deadline_met++;
    k->deadline_margin_ms += cuzk_engine_ms_between(j->ended_ns, j->deadline_ns);
}

static void count_end(engine *e, const job *j)
{
    engine_kind_stats *k = &e->stats.kind[j->kind];
    switch (j->outcome) {
    case ENGINE_COMPLETED:
        count_completed(k, j);
        break;
    case ENGINE_FAILED:
        k->failed++;
        if ((unsigned)j->err.status < CUZK_STATUS_COUNT)
            e->stats.failed_by[j->err.status]++;
        break;
    case ENGINE_CANCELLED:
    case ENGINE_SHUTDOWN:
    case ENGINE_TIMEOUT:
        k->cancelled++;
        break;
    }
    if (j->started)
        k->running--;
    else
        k->pending--;
}

void cuzk_engine_end_job(engine *e, job *j, engine_outcome outcome, aftermath *a)
{
    j->outcome = outcome;
    j->state = JOB_ENDED;
    j->ended_ns = cuzk_engine_now(e);
    count_end(e, j);
    if (j->started)
        e->table.n_started--;
    cuzk_admission_release(e, j->n_bytes);
    a->req = j->req;
    j->req = NULL;
    cuzk_listener_take(&e->table, &a->listeners, j, UINT64_MAX);
    if (outcome == ENGINE_SHUTDOWN)
        cuzk_job_forget(&e->table, j);
    else
        cuzk_job_keep_result(&e->table, j);
    cuzk_job_trim_results(&e->table, 0, e->opt.max_results);
}

void cuzk_engine_end_waiting(engine *e, job *j, engine_outcome outcome, aftermath *a)
{
    cuzk_job_unqueue(&e->table, j);
    if (j->started) {
        a->job = j;
        j->refs++;
    }
    a->use_outcome = true; /* the job may be gone from the table */
    a->outcome = outcome;
    cuzk_engine_end_job(e, j, outcome, a);
}

bool cuzk_engine_became_idle(engine *e)
{
    if (!e->draining || e->table.n_started > 0 || e->told_idle)
        return false;
    e->told_idle = true;
    return true;
}

/* ---- life ---- */

static void init_locks(engine *e)
{
    pthread_condattr_t mono;
    pthread_condattr_init(&mono);
    pthread_condattr_setclock(&mono, CLOCK_MONOTONIC);
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->work, NULL);
    pthread_cond_init(&e->expiry, &mono);
    pthread_condattr_destroy(&mono);
}

static int start_threads(engine *e)
{
    int rc = 0;
    while (rc == 0 && e->n_runners < N_RUNNERS) {
        char name[16];
        rc = pthread_create(&e->runner[e->n_runners], NULL, cuzk_engine_runner, e);
        if (rc != 0)
            break;
        snprintf(name, sizeof name, "cuzk-run-%u", e->n_runners % 10);
        pthread_setname_np(e->runner[e->n_runners++], name);
    }
    if (rc == 0 && !e->opt.now_ns) {
        rc = pthread_create(&e->keeper, NULL, cuzk_engine_keeper, e);
        e->keeper_started = rc == 0;
    }
    return rc;
}

cuzk_status cuzk_engine_new(engine **out, const engine_options *opt, const engine_backend *backend,
                            cuzk_err *err)
{
    CUZK_DASSERT(opt->size == sizeof *opt);
    engine *e = cuzk_calloc(1, sizeof *e);
    if (!e)
        return cuzk_fail(err, CUZK_NOMEM, 0, "engine: %zu bytes", sizeof *e);
    e->opt = *opt;
    e->backend = *backend;
    e->born_ns = cuzk_engine_now(e);
    cuzk_job_table_init(&e->table);
    init_locks(e);
    int rc = start_threads(e);
    if (rc != 0) {
        cuzk_engine_free(e);
        return cuzk_fail(err, CUZK_NOMEM, rc, "engine: thread");
    }
    *out = e;
    return CUZK_OK;
}

void cuzk_engine_free(engine *e)
{
    if (!e)
        return;
    cuzk_engine_drain(e, true);
    pthread_mutex_lock(&e->lock);
    e->quit = true;
    pthread_cond_broadcast(&e->work);
    pthread_cond_broadcast(&e->expiry);
    pthread_mutex_unlock(&e->lock);
    for (unsigned i = 0; i < e->n_runners; i++)
        pthread_join(e->runner[i], NULL);
    if (e->keeper_started)
        pthread_join(e->keeper, NULL);
    cuzk_job_table_fini(&e->table);
    pthread_cond_destroy(&e->work);
    pthread_cond_destroy(&e->expiry);
    pthread_mutex_destroy(&e->lock);
    cuzk_free(e);
}

/* ---- cancelling and draining ---- */

bool cuzk_engine_cancel(engine *e, const char *job_id)
{
    aftermath a;
    cuzk_aftermath_init(&a);
    bool known = false, was_running = false;
    pthread_mutex_lock(&e->lock);
    job *j = cuzk_job_find(&e->table, job_id);
    if (j && j->state != JOB_ENDED) {
        known = true;
        was_running = j->started;
        j->cancelled_by_client = true;
        atomic_store(&j->cancel, true);
        if (j->state == JOB_WAITING)
            cuzk_engine_end_waiting(e, j, ENGINE_CANCELLED, &a);
        a.idle = cuzk_engine_became_idle(e);
    }
    pthread_mutex_unlock(&e->lock);
    if (known)
        cuzk_log(CUZK_LOG_INFO, job_id, "cancelled while %s", was_running ? "running" : "waiting");
    cuzk_aftermath_settle(e, &a);
    return was_running;
}

/* Takes one waiting job out and ends it; false when none is left. */
static bool drain_one(engine *e, bool started)
{
    aftermath a;
    cuzk_aftermath_init(&a);
    pthread_mutex_lock(&e->lock);
    job *j = cuzk_job_any_waiting(&e->table, started);
    if (j)
        cuzk_engine_end_waiting(e, j, ENGINE_SHUTDOWN, &a);
    pthread_mutex_unlock(&e->lock);
    cuzk_aftermath_settle(e, &a);
    return j != NULL;
}

void cuzk_engine_drain(engine *e, bool stop_running)
{
    aftermath a;
    cuzk_aftermath_init(&a);
    pthread_mutex_lock(&e->lock);
    e->draining = true;
    list_link *running = &e->table.running;
    for (list_link *at = running->next; stop_running && at != running; at = at->next)
        atomic_store(&engine_job_at(at)->cancel, true);
    pthread_mutex_unlock(&e->lock);
    while (drain_one(e, stop_running))
        continue;
    pthread_mutex_lock(&e->lock);
    a.idle = cuzk_engine_became_idle(e);
    pthread_mutex_unlock(&e->lock);
    cuzk_aftermath_settle(e, &a);
}

void cuzk_engine_abandon(engine *e)
{
    aftermath a;
    cuzk_aftermath_init(&a);
    a.use_outcome = true;
    a.outcome = ENGINE_SHUTDOWN;
    pthread_mutex_lock(&e->lock);
    cuzk_listener_take(&e->table, &a.listeners, NULL, UINT64_MAX);
    pthread_mutex_unlock(&e->lock);
    cuzk_aftermath_settle(e, &a);
}

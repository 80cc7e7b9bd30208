/* Threads: "cuzk-prove" runs jobs one by one, "cuzk-keeper" expires listeners and results.
 * Everything in struct engine below the lock is guarded by it; it is never held across the backend
 * or a callback. */
#include "engine/engine.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/trace.h"
#include "engine/engine_metrics.h"
#include "engine/job_table.h"
#include "engine/log.h"
#include "measure/instruments.h"

struct engine {
    engine_options opt;
    engine_backend backend;
    uint64_t born_ns;
    pthread_t worker, keeper;
    bool worker_started, keeper_started;

    pthread_mutex_t lock;
    pthread_cond_t work;   /* the queue grew, or quit */
    pthread_cond_t expiry; /* a deadline may be earlier than before, or quit */
    job_table table;
    engine_kind_stats kind[CUZK_KIND_COUNT]; /* pending and running included */
    job *running;
    bool draining, told_idle, quit;
};

/* What was taken out under the lock and has to be dealt with outside of it. */
typedef struct {
    list_link listeners; /* to be called; each holds a reference to its job */
    engine_outcome outcome;
    bool use_outcome; /* else the job's own */
    proof_request *req;
    bool idle;
} aftermath;

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

static uint64_t now_of(const engine *e)
{
    return e->opt.now_ns ? e->opt.now_ns() : cuzk_now_ns();
}

static void aftermath_init(aftermath *a)
{
    memset(a, 0, sizeof *a);
    cuzk_link_init(&a->listeners);
}

static engine_result result_of(const job *j)
{
    engine_result r = {.job_id = j->id,
                       .outcome = j->outcome,
                       .proof = j->proof,
                       .n_proof_bytes = j->n_proof_bytes,
                       .error = j->err.status,
                       .error_message = j->err.msg,
                       .timings = j->timings};
    return r;
}

/* Calls what was taken, with the lock free, then drops the references. A result does not change
 * once the job has ended, so it may be read here without the lock. */
static void settle(engine *e, aftermath *a)
{
    for (list_link *at = a->listeners.next; at != &a->listeners; at = at->next) {
        job_listener *l = (job_listener *)(void *)at;
        engine_result r = {.job_id = l->job->id, .outcome = a->outcome, .error_message = ""};
        if (!a->use_outcome)
            r = result_of(l->job);
        l->call.fn(l->call.ctx, &r);
    }
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
    pthread_mutex_unlock(&e->lock);
}

static void release_admission(engine *e, size_t n_bytes)
{
    e->table.n_admitted--;
    e->table.n_admitted_bytes -= n_bytes;
}

static void count_end(engine *e, const job *j)
{
    engine_kind_stats *k = &e->kind[j->kind];
    switch (j->outcome) {
    case ENGINE_COMPLETED:
        k->completed++;
        k->duration_ms += j->timings.total_ms;
        break;
    case ENGINE_FAILED:
        k->failed++;
        break;
    case ENGINE_CANCELLED:
    case ENGINE_SHUTDOWN:
    case ENGINE_TIMEOUT:
        k->cancelled++;
        break;
    }
}

/* The job has left its queue or the worker; its result fields are set. Under the lock. */
static void end_job(engine *e, job *j, engine_outcome outcome, aftermath *a)
{
    j->outcome = outcome;
    j->state = JOB_ENDED;
    j->ended_ns = now_of(e);
    count_end(e, j);
    release_admission(e, j->n_bytes);
    cuzk_listener_take(&e->table, &a->listeners, j, UINT64_MAX);
    if (outcome == ENGINE_SHUTDOWN)
        cuzk_job_forget(&e->table, j);
    else
        cuzk_job_keep_result(&e->table, j);
    cuzk_job_trim_results(&e->table, 0, e->opt.max_results);
}

static bool became_idle(engine *e)
{
    if (!e->draining || e->running || e->told_idle)
        return false;
    e->told_idle = true;
    return true;
}

/* ---- the worker ---- */

static uint64_t ms_between(uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? (to_ns - from_ns) / 1000000u : 0;
}

static void set_timings(job *j, const cuzk_trace *trace, uint64_t end_ns)
{
    engine_timings *t = &j->timings;
    t->queue_ms = ms_between(j->submitted_ns, j->started_ns);
    t->total_ms = ms_between(j->submitted_ns, end_ns);
    t->srs_load_ms = cuzk_trace_total_ns(trace, "srs_load") / 1000000u;
    t->witness_ms = cuzk_trace_total_ns(trace, "witness") / 1000000u;
    /* witness is a sum over partitions, so the rest can come out negative */
    uint64_t known = t->queue_ms + t->srs_load_ms + t->witness_ms;
    t->compute_ms = t->total_ms > known ? t->total_ms - known : 0;
}

static engine_outcome outcome_of(const engine *e, const job *j, cuzk_status st)
{
    if (st == CUZK_OK)
        return ENGINE_COMPLETED; /* even if a cancellation came too late */
    if (st != CUZK_CANCELLED || !atomic_load(&j->cancel))
        return ENGINE_FAILED;
    return e->draining && !j->cancelled_by_client ? ENGINE_SHUTDOWN : ENGINE_CANCELLED;
}

static void log_end(const job *j, engine_outcome outcome)
{
    const engine_timings *t = &j->timings;
    cuzk_engine_measure_end(j->id, j->kind, outcome, t);
    if (outcome == ENGINE_COMPLETED)
        cuzk_log(CUZK_LOG_INFO, j->id,
                 "completed: total %" PRIu64 " ms, queue %" PRIu64 ", parameters %" PRIu64
                 ", witness %" PRIu64 ", proof %" PRIu64,
                 t->total_ms, t->queue_ms, t->srs_load_ms, t->witness_ms, t->compute_ms);
    else if (outcome == ENGINE_FAILED)
        cuzk_log(CUZK_LOG_WARN, j->id, "failed after %" PRIu64 " ms: %s: %s", t->total_ms,
                 cuzk_status_name(j->err.status), j->err.msg);
    else
        cuzk_log(CUZK_LOG_INFO, j->id, "stopped after %" PRIu64 " ms", t->total_ms);
}

/* Runs without the lock; writes only result fields, which nobody reads before the job has ended. */
static cuzk_status prove(engine *e, job *j)
{
    cuzk_trace *trace = cuzk_trace_new(j->id);
    cuzk_trace_add(trace, "queue", CUZK_NO_PARTITION, j->submitted_ns, j->started_ns);
    cuzk_prove_options pj = CUZK_PROVE_OPTIONS_DEFAULTS;
    pj.trace = trace;
    pj.cancel = &j->cancel;
    cuzk_log(CUZK_LOG_INFO, j->id, "started: %s", cuzk_engine_kind_name(j->kind));
    cuzk_status st =
        e->backend.prove(e->backend.ctx, j->req, &pj, &j->proof, &j->n_proof_bytes, &j->err);
    if (st != CUZK_OK) {
        j->err.status = st;
        if (!j->err.msg[0])
            cuzk_fail(&j->err, st, 0, "%s", cuzk_status_text(st));
    }
    set_timings(j, trace, now_of(e));
    cuzk_trace_free(trace);
    return st;
}

/* Called and returns with the lock held. */
static void run_job(engine *e, job *j)
{
    aftermath a;
    aftermath_init(&a);
    j->state = JOB_RUNNING;
    j->started_ns = now_of(e);
    j->refs++;
    e->running = j;
    e->kind[j->kind].pending--;
    e->kind[j->kind].running++;
    pthread_mutex_unlock(&e->lock);

    cuzk_status st = prove(e, j);

    pthread_mutex_lock(&e->lock);
    e->running = NULL;
    e->kind[j->kind].running--;
    a.req = j->req;
    j->req = NULL;
    engine_outcome outcome = outcome_of(e, j, st);
    end_job(e, j, outcome, &a);
    a.idle = became_idle(e);
    pthread_mutex_unlock(&e->lock);

    log_end(j, outcome); /* our reference keeps it */
    settle(e, &a);
    pthread_mutex_lock(&e->lock);
    cuzk_job_unref(j);
}

static void *worker_main(void *arg)
{
    engine *e = arg;
    pthread_setname_np(pthread_self(), "cuzk-prove");
    pthread_mutex_lock(&e->lock);
    while (!e->quit) {
        job *j = cuzk_job_dequeue(&e->table);
        if (j)
            run_job(e, j);
        else
            pthread_cond_wait(&e->work, &e->lock);
    }
    pthread_mutex_unlock(&e->lock);
    return NULL;
}

/* ---- the keeper ---- */

static void expire_results(engine *e, uint64_t now)
{
    uint64_t ttl = e->opt.result_ttl_ns;
    cuzk_job_trim_results(&e->table, now > ttl ? now - ttl : 0, e->opt.max_results);
}

void cuzk_engine_tick(engine *e)
{
    aftermath a;
    aftermath_init(&a);
    a.use_outcome = true;
    a.outcome = ENGINE_TIMEOUT;
    pthread_mutex_lock(&e->lock);
    uint64_t now = now_of(e);
    cuzk_listener_take(&e->table, &a.listeners, NULL, now);
    expire_results(e, now);
    pthread_mutex_unlock(&e->lock);
    settle(e, &a);
}

/* When to look again: the next deadline, or the oldest result's end of life. */
static uint64_t next_expiry(const engine *e)
{
    uint64_t next = cuzk_listener_next_deadline(&e->table);
    if (!cuzk_link_empty(&e->table.results)) {
        const job *oldest = (const job *)(const void *)e->table.results.next;
        uint64_t end = oldest->ended_ns + e->opt.result_ttl_ns + 1000000u;
        next = end < next ? end : next;
    }
    uint64_t latest = cuzk_now_ns() + (uint64_t)60 * 1000000000u; /* results may come meanwhile */
    return next < latest ? next : latest;
}

static void *keeper_main(void *arg)
{
    engine *e = arg;
    pthread_setname_np(pthread_self(), "cuzk-keeper");
    pthread_mutex_lock(&e->lock);
    while (!e->quit) {
        uint64_t at = next_expiry(e);
        struct timespec ts = {(time_t)(at / 1000000000u), (long)(at % 1000000000u)};
        pthread_cond_timedwait(&e->expiry, &e->lock, &ts);
        pthread_mutex_unlock(&e->lock);
        cuzk_engine_tick(e);
        pthread_mutex_lock(&e->lock);
    }
    pthread_mutex_unlock(&e->lock);
    return NULL;
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

cuzk_status cuzk_engine_new(engine **out, const engine_options *opt, const engine_backend *backend,
                            cuzk_err *err)
{
    CUZK_DASSERT(opt->size == sizeof *opt);
    engine *e = cuzk_calloc(1, sizeof *e);
    if (!e)
        return cuzk_fail(err, CUZK_NOMEM, 0, "engine: %zu bytes", sizeof *e);
    e->opt = *opt;
    e->backend = *backend;
    e->born_ns = now_of(e);
    cuzk_job_table_init(&e->table);
    init_locks(e);
    int rc = pthread_create(&e->worker, NULL, worker_main, e);
    e->worker_started = rc == 0;
    if (rc == 0 && !opt->now_ns) {
        rc = pthread_create(&e->keeper, NULL, keeper_main, e);
        e->keeper_started = rc == 0;
    }
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
    if (e->worker_started)
        pthread_join(e->worker, NULL);
    if (e->keeper_started)
        pthread_join(e->keeper, NULL);
    cuzk_job_table_fini(&e->table);
    pthread_cond_destroy(&e->work);
    pthread_cond_destroy(&e->expiry);
    pthread_mutex_destroy(&e->lock);
    cuzk_free(e);
}

/* ---- submit ---- */

static void hash_u64(cuzk_hash *h, uint64_t v)
{
    uint8_t b[8];
    for (unsigned i = 0; i < 8; i++)
        b[i] = (uint8_t)(v >> (8 * i));
    cuzk_hash_update(h, b, sizeof b);
}

static void hash_view(cuzk_hash *h, byte_view v)
{
    hash_u64(h, v.n);
    if (v.n)
        cuzk_hash_update(h, v.data, v.n);
}

/* Every field but the id, each with its length, so that no two requests have the same text. */
static cuzk_status digest_of(uint8_t out[DIGEST_BYTES], const request_message *m, int priority,
                             cuzk_err *err)
{
    cuzk_hash *h = cuzk_hash_new(CUZK_HASH_SHA256);
    if (!h)
        return cuzk_fail(err, CUZK_NOMEM, 0, "digest of the request");
    const uint64_t number[] = {(uint64_t)m->kind,   (uint64_t)priority,      m->sector_size,
                               m->registered_proof, m->has_registered_proof, m->sector_number,
                               m->miner_id,         m->partition_index,      m->n_vanilla_proofs};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(number); i++)
        hash_u64(h, number[i]);
    hash_view(h, m->vanilla_proof);
    for (size_t i = 0; i < m->n_vanilla_proofs; i++)
        hash_view(h, m->vanilla_proofs[i]);
    const byte_view view[] = {m->randomness, m->comm_r_old, m->comm_r_new, m->comm_d_new};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(view); i++)
        hash_view(h, view[i]);
    cuzk_hash_finish(h, out);
    cuzk_hash_free(h);
    return CUZK_OK;
}

static int default_priority(cuzk_kind kind)
{
    switch (kind) {
    case CUZK_KIND_WINNING:
        return PRIORITY_CRITICAL;
    case CUZK_KIND_WINDOW:
        return PRIORITY_HIGH;
    case CUZK_KIND_POREP:
    case CUZK_KIND_UPDATE:
    case CUZK_KIND_COUNT:
        break;
    }
    return PRIORITY_NORMAL;
}

/* A submission on its way through the door. */
typedef struct {
    const engine_request *r;
    const engine_listener *listener;
    engine_ticket *ticket;
    char id[REQUEST_ID_MAX + 1];
    int priority;
    uint8_t digest[DIGEST_BYTES];
    aftermath after;
} submission;

static cuzk_status submission_init(submission *s, cuzk_err *err)
{
    const engine_request *r = s->r;
    const char *id = r->request_id ? r->request_id : "";
    aftermath_init(&s->after);
    if ((unsigned)r->msg->kind >= CUZK_KIND_COUNT)
        return cuzk_fail(err, CUZK_INVAL, 0, "proof_kind: %d is not a kind", (int)r->msg->kind);
    if (r->priority < 0 || r->priority >= PRIORITY_COUNT)
        return cuzk_fail(err, CUZK_INVAL, 0, "priority: %d, expected 0 (default) to %d (critical)",
                         r->priority, PRIORITY_COUNT - 1);
    cuzk_status st = cuzk_request_id_check(id, err);
    if (st != CUZK_OK)
        return st;
    snprintf(s->id, sizeof s->id, "%s", id);
    if (!s->id[0] && (st = cuzk_uuid4(s->id, err)) != CUZK_OK)
        return st;
    s->priority = r->priority == PRIORITY_DEFAULT ? default_priority(r->msg->kind) : r->priority;
    return digest_of(s->digest, r->msg, s->priority, err);
}

static bool is_live(const job *j)
{
    return j->state == JOB_WAITING || (j->state == JOB_RUNNING && !atomic_load(&j->cancel));
}

static cuzk_status add_listener(engine *e, job *j, const engine_listener *call, uint64_t *token,
                                cuzk_err *err)
{
    if (e->table.n_listeners >= e->opt.max_listeners)
        return cuzk_fail(err, CUZK_BUDGET, 0,
                         "%zu callers wait for proofs already; try again later",
                         e->opt.max_listeners);
    job_listener *l = cuzk_listener_add(&e->table, j, call, now_of(e));
    if (!l)
        return cuzk_fail(err, CUZK_NOMEM, 0, "listener: %zu bytes", sizeof *l);
    *token = l->token;
    if (l->deadline_ns)
        pthread_cond_signal(&e->expiry);
    return CUZK_OK;
}

/* For a job of either state: ended ones answer in the aftermath, at once. */
static cuzk_status listen_or_answer(engine *e, job *j, const engine_listener *call, uint64_t *token,
                                    aftermath *a, cuzk_err *err)
{
    cuzk_status st = add_listener(e, j, call, token, err);
    if (st == CUZK_OK && j->state == JOB_ENDED) {
        cuzk_listener_take(&e->table, &a->listeners, j, UINT64_MAX);
        *token = 0;
    }
    return st;
}

/* Joins a job that makes a new one needless. *done tells whether there was one (or an error). */
static cuzk_status try_attach(engine *e, submission *s, bool *done, cuzk_err *err)
{
    *done = true;
    if (e->draining)
        return cuzk_fail(err, CUZK_UNAVAILABLE, 0, "the daemon is shutting down; try again later");
    expire_results(e, now_of(e));
    job *j = cuzk_job_find(&e->table, s->id);
    bool same = j && memcmp(j->digest, s->digest, DIGEST_BYTES) == 0;
    bool live = j && is_live(j);
    if (live && !same)
        return cuzk_fail(err, CUZK_EXISTS, 0,
                         "request_id is in use by a %s job with other content; wait for its end, "
                         "cancel it, or choose another id",
                         j->state == JOB_RUNNING ? "running" : "waiting");
    bool usable = live || (same && j->state == JOB_ENDED && j->outcome == ENGINE_COMPLETED);
    if (!usable) {
        *done = false;
        return CUZK_OK;
    }
    s->ticket->attached = true;
    if (!s->listener)
        return CUZK_OK;
    return listen_or_answer(e, j, s->listener, &s->ticket->token, &s->after, err);
}

static cuzk_status admit(engine *e, size_t n_bytes, cuzk_err *err)
{
    job_table *t = &e->table;
    if (t->n_admitted >= e->opt.max_jobs)
        return cuzk_fail(err, CUZK_BUDGET, 0, "queue is full: %zu jobs; try again later",
                         t->n_admitted);
    if (n_bytes > e->opt.max_bytes || t->n_admitted_bytes > e->opt.max_bytes - n_bytes)
        return cuzk_fail(err, CUZK_BUDGET, 0,
                         "queue is full: requests hold %" PRIu64 " bytes, this one has %zu, the "
                         "limit is %" PRIu64 "; try again later",
                         t->n_admitted_bytes, n_bytes, e->opt.max_bytes);
    t->n_admitted++;
    t->n_admitted_bytes += n_bytes;
    return CUZK_OK;
}

static cuzk_status make_job(engine *e, const submission *s, job **out, cuzk_err *err)
{
    job *j = cuzk_job_new(s->id, err);
    if (!j)
        return CUZK_NOMEM;
    memcpy(j->digest, s->digest, DIGEST_BYTES);
    j->kind = s->r->msg->kind;
    j->priority = (engine_priority)s->priority;
    j->n_bytes = s->r->n_bytes;
    j->submitted_ns = now_of(e);
    cuzk_status st = e->backend.parse(e->backend.ctx, &j->req, s->r->msg, err);
    if (st == CUZK_OK && e->backend.admit) {
        st = e->backend.admit(e->backend.ctx, j->req, err);
        if (st != CUZK_OK)
            e->backend.request_free(e->backend.ctx, j->req);
    }
    if (st != CUZK_OK) {
        cuzk_job_unref(j);
        return st;
    }
    *out = j;
    return CUZK_OK;
}

/* Under the lock. Takes over the reference on success. */
static cuzk_status enqueue(engine *e, submission *s, job *j, cuzk_err *err)
{
    if (s->listener) {
        cuzk_status st = add_listener(e, j, s->listener, &s->ticket->token, err);
        if (st != CUZK_OK)
            return st;
    }
    s->ticket->position = (uint32_t)e->table.n_waiting;
    cuzk_job_insert(&e->table, j);
    cuzk_job_enqueue(&e->table, j);
    e->kind[j->kind].pending++;
    pthread_cond_signal(&e->work);
    return CUZK_OK;
}

/* First look, under the lock: attach, or reserve a place. */
static cuzk_status knock(engine *e, submission *s, bool *done, cuzk_err *err)
{
    pthread_mutex_lock(&e->lock);
    cuzk_status st = try_attach(e, s, done, err);
    if (st == CUZK_OK && !*done)
        st = admit(e, s->r->n_bytes, err);
    pthread_mutex_unlock(&e->lock);
    return st;
}

/* Second look, with the parsed job: somebody may have brought the same one meanwhile. */
static cuzk_status enter(engine *e, submission *s, job *j, cuzk_err *err)
{
    bool done;
    pthread_mutex_lock(&e->lock);
    cuzk_status st = try_attach(e, s, &done, err);
    if (st == CUZK_OK && !done)
        st = enqueue(e, s, j, err);
    bool taken = st == CUZK_OK && !done;
    if (!taken) {
        release_admission(e, j->n_bytes);
        s->after.req = j->req;
        cuzk_job_unref(j);
    }
    pthread_mutex_unlock(&e->lock);
    return st;
}

static void leave_door(engine *e, size_t n_bytes)
{
    pthread_mutex_lock(&e->lock);
    release_admission(e, n_bytes);
    pthread_mutex_unlock(&e->lock);
}

static void log_arrival(const submission *s, const char *what)
{
    cuzk_log(CUZK_LOG_INFO, s->id, "%s: %s, priority %d, %zu bytes", what,
             cuzk_engine_kind_name(s->r->msg->kind), s->priority, s->r->n_bytes);
}

cuzk_status cuzk_engine_submit(engine *e, const engine_request *r, const engine_listener *listener,
                               engine_ticket *ticket, cuzk_err *err)
{
    engine_ticket unused;
    submission s = {.r = r, .listener = listener, .ticket = ticket ? ticket : &unused};
    memset(s.ticket, 0, sizeof *s.ticket);
    job *j = NULL;
    bool done = false;
    cuzk_status st = submission_init(&s, err);
    if (st != CUZK_OK)
        return st;
    snprintf(s.ticket->job_id, sizeof s.ticket->job_id, "%s", s.id);
    st = knock(e, &s, &done, err);
    if (st == CUZK_OK && !done) {
        st = make_job(e, &s, &j, err);
        if (st == CUZK_OK) {
            log_arrival(&s, "received"); /* before it may start */
            st = enter(e, &s, j, err);
        } else {
            leave_door(e, r->n_bytes);
        }
    }
    if (st == CUZK_OK && s.ticket->attached)
        log_arrival(&s, "joined");
    if (st != CUZK_OK)
        cuzk_measure_refusal(cuzk_status_name(st));
    settle(e, &s.after);
    return st;
}

/* ---- the other calls ---- */

cuzk_status cuzk_engine_await(engine *e, const char *job_id, const engine_listener *call,
                              uint64_t *token, cuzk_err *err)
{
    aftermath a;
    aftermath_init(&a);
    *token = 0;
    cuzk_status st = cuzk_request_id_check(job_id, err);
    if (st != CUZK_OK)
        return st;
    pthread_mutex_lock(&e->lock);
    expire_results(e, now_of(e));
    job *j = cuzk_job_find(&e->table, job_id);
    if (j)
        st = listen_or_answer(e, j, call, token, &a, err);
    else
        st = cuzk_fail(err, CUZK_NOT_FOUND, 0, "job not found: %s", job_id);
    pthread_mutex_unlock(&e->lock);
    settle(e, &a);
    return st;
}

bool cuzk_engine_unlisten(engine *e, uint64_t token)
{
    pthread_mutex_lock(&e->lock);
    job_listener *l = token ? cuzk_listener_find(&e->table, token) : NULL;
    if (l)
        cuzk_listener_remove(&e->table, l);
    pthread_mutex_unlock(&e->lock);
    cuzk_free(l);
    return l != NULL;
}

bool cuzk_engine_cancel(engine *e, const char *job_id)
{
    aftermath a;
    aftermath_init(&a);
    bool was_running = false, known = false;
    pthread_mutex_lock(&e->lock);
    job *j = cuzk_job_find(&e->table, job_id);
    if (j && j->state == JOB_WAITING) {
        known = true;
        cuzk_job_unqueue(&e->table, j);
        e->kind[j->kind].pending--;
        a.req = j->req;
        j->req = NULL;
        end_job(e, j, ENGINE_CANCELLED, &a);
    } else if (j && j->state == JOB_RUNNING) {
        known = was_running = true;
        j->cancelled_by_client = true;
        atomic_store(&j->cancel, true);
    }
    pthread_mutex_unlock(&e->lock);
    if (known)
        cuzk_log(CUZK_LOG_INFO, job_id, "cancelled while %s", was_running ? "running" : "waiting");
    settle(e, &a);
    return was_running;
}

const engine_backend *cuzk_engine_backend(const engine *e)
{
    return &e->backend;
}

/* Takes one waiting job out and ends it; false when none is left. */
static bool drain_one(engine *e)
{
    aftermath a;
    aftermath_init(&a);
    a.use_outcome = true; /* the job may be gone from the table */
    a.outcome = ENGINE_SHUTDOWN;
    pthread_mutex_lock(&e->lock);
    job *j = cuzk_job_dequeue(&e->table);
    if (j) {
        e->kind[j->kind].pending--;
        a.req = j->req;
        j->req = NULL;
        end_job(e, j, ENGINE_SHUTDOWN, &a);
    }
    pthread_mutex_unlock(&e->lock);
    settle(e, &a);
    return j != NULL;
}

void cuzk_engine_drain(engine *e, bool stop_running)
{
    aftermath a;
    aftermath_init(&a);
    pthread_mutex_lock(&e->lock);
    e->draining = true;
    if (stop_running && e->running)
        atomic_store(&e->running->cancel, true);
    pthread_mutex_unlock(&e->lock);
    while (drain_one(e))
        continue;
    pthread_mutex_lock(&e->lock);
    a.idle = became_idle(e);
    pthread_mutex_unlock(&e->lock);
    settle(e, &a);
}

void cuzk_engine_abandon(engine *e)
{
    aftermath a;
    aftermath_init(&a);
    a.use_outcome = true;
    a.outcome = ENGINE_SHUTDOWN;
    pthread_mutex_lock(&e->lock);
    cuzk_listener_take(&e->table, &a.listeners, NULL, UINT64_MAX);
    pthread_mutex_unlock(&e->lock);
    settle(e, &a);
}

void cuzk_engine_stats(engine *e, engine_stats *out)
{
    memset(out, 0, sizeof *out);
    pthread_mutex_lock(&e->lock);
    memcpy(out->kind, e->kind, sizeof out->kind);
    out->uptime_ns = now_of(e) - e->born_ns;
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

size_t cuzk_engine_jobs(engine *e, engine_job_info out[], size_t max)
{
    pthread_mutex_lock(&e->lock);
    const job *j = e->running;
    if (j && max > 0) {
        memset(out, 0, sizeof *out);
        snprintf(out->job_id, sizeof out->job_id, "%s", j->id);
        out->kind = j->kind;
        out->priority = out->level = (int)j->priority;
        out->state = ENGINE_JOB_RUNNING;
        out->reason = "";
        out->partition = -1;
    }
    pthread_mutex_unlock(&e->lock);
    return j ? 1 : 0;
}

/* The door: idempotency, admission, listeners. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/trace.h"
#include "engine/engine_internal.h"
#include "engine/log.h"

/* ---- what a request is ---- */

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

void cuzk_admission_release(engine *e, size_t n_bytes)
{
    e->table.n_admitted--;
    e->table.n_admitted_bytes -= n_bytes;
    if (e->backend.budget)
        cuzk_budget_release_one(e->backend.budget, BUDGET_PAYLOAD, n_bytes);
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
    cuzk_aftermath_init(&s->after);
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
    cuzk_span span = cuzk_span_begin(NULL, "digest", CUZK_NO_PARTITION);
    st = digest_of(s->digest, r->msg, s->priority, err);
    cuzk_span_end(&span);
    return st;
}

/* Checked before anything else is done: the caller has given up already. */
static cuzk_status check_deadline(const engine *e, uint64_t deadline_ns, cuzk_err *err)
{
    uint64_t now = cuzk_engine_now(e);
    if (deadline_ns == 0 || deadline_ns > now)
        return CUZK_OK;
    return cuzk_fail(err, CUZK_TIMEOUT, 0,
                     "the deadline passed %" PRIu64 " ms ago, before the request was queued",
                     cuzk_engine_ms_between(deadline_ns, now));
}

/* A caller joins: the job is due when the first of those is who may still wait. */
static void join_deadline(job *j, uint64_t deadline_ns, uint64_t now_ns)
{
    if (deadline_ns && (j->deadline_ns <= now_ns || deadline_ns < j->deadline_ns))
        j->deadline_ns = deadline_ns;
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
    job_listener *l = cuzk_listener_add(&e->table, j, call, cuzk_engine_now(e));
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
    cuzk_engine_expire_results(e, cuzk_engine_now(e));
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
    if (live)
        join_deadline(j, s->r->deadline_ns, cuzk_engine_now(e));
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
    cuzk_status st = CUZK_OK;
    if (e->backend.budget)
        st = cuzk_budget_take_payload(e->backend.budget, n_bytes, err);
    if (st != CUZK_OK)
        return st;
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
    j->deadline_ns = s->r->deadline_ns;
    j->submitted_ns = cuzk_engine_now(e);
    cuzk_span span = cuzk_span_begin(NULL, "parse", CUZK_NO_PARTITION);
    cuzk_status st = e->backend.parse(e->backend.ctx, &j->req, s->r->msg, err);
    cuzk_span_end(&span);
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
    cuzk_job_enqueue(&e->table, j, cuzk_engine_now(e));
    e->stats.kind[j->kind].pending++;
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
        cuzk_admission_release(e, j->n_bytes);
        s->after.req = j->req;
        cuzk_job_unref(j);
    }
    pthread_mutex_unlock(&e->lock);
    return st;
}

static void leave_door(engine *e, size_t n_bytes)
{
    pthread_mutex_lock(&e->lock);
    cuzk_admission_release(e, n_bytes);
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
    if (st == CUZK_OK)
        st = check_deadline(e, r->deadline_ns, err);
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
    cuzk_aftermath_settle(e, &s.after);
    return st;
}

/* ---- listeners ---- */

cuzk_status cuzk_engine_await(engine *e, const char *job_id, const engine_listener *call,
                              uint64_t *token, cuzk_err *err)
{
    aftermath a;
    cuzk_aftermath_init(&a);
    *token = 0;
    cuzk_status st = cuzk_request_id_check(job_id, err);
    if (st != CUZK_OK)
        return st;
    pthread_mutex_lock(&e->lock);
    cuzk_engine_expire_results(e, cuzk_engine_now(e));
    job *j = cuzk_job_find(&e->table, job_id);
    if (j)
        st = listen_or_answer(e, j, call, token, &a, err);
    else
        st = cuzk_fail(err, CUZK_NOT_FOUND, 0, "job not found: %s", job_id);
    pthread_mutex_unlock(&e->lock);
    cuzk_aftermath_settle(e, &a);
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

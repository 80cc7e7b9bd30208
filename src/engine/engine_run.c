/* Runners: threads "cuzk-run-k" that give jobs their turns. A turn is one partition, with what
 * comes before the first one and after the last.
 *
 * One job proves at a time, unless a more urgent one comes: that one starts at once on another
 * runner, and the pool makes the less urgent one stand still. So the jobs in work are a stack of
 * strictly rising urgency. A job in a phase that waits (for memory, for parameters) has no claim to
 * the machine: meanwhile others may start.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/trace.h"
#include "engine/engine_internal.h"
#include "engine/engine_metrics.h"
#include "engine/log.h"
#include "measure/instruments.h"

/* ---- who may start; with the lock held ---- */

/* The most urgent level in work. */
static engine_priority level_in_work(const engine *e)
{
    engine_priority level = PRIORITY_DEFAULT;
    const list_link *list = &e->table.running;
    for (list_link *at = list->next; at != list; at = at->next) {
        const job *j = engine_job_at(at);
        if (!j->waits && j->level > level)
            level = j->level;
    }
    return level;
}

/* After any change of what is in work. */
static void note_outranked(engine *e, uint64_t now_ns)
{
    engine_priority top = level_in_work(e);
    const list_link *list = &e->table.running;
    for (list_link *at = list->next; at != list; at = at->next) {
        job *j = engine_job_at(at);
        if (j->waits || j->level >= top)
            j->outranked_ns = 0;
        else if (j->outranked_ns == 0)
            j->outranked_ns = now_ns;
    }
}

/* What has stood still for too long counts as more urgent, so that no further job passes it. */
static void raise_outranked(engine *e, uint64_t now_ns)
{
    const list_link *list = &e->table.running;
    for (list_link *at = list->next; at != list; at = at->next) {
        job *j = engine_job_at(at);
        if (j->outranked_ns == 0 || now_ns < j->outranked_ns)
            continue;
        engine_priority level =
            cuzk_job_aged(j->priority, now_ns - j->outranked_ns, e->opt.ageing_ns);
        if (level <= j->level)
            continue;
        j->level = level;
        e->stats.n_aged++;
        atomic_store(&j->tenant.urgency, (int)level);
    }
}

static job *next_job(engine *e)
{
    uint64_t now = cuzk_engine_now(e);
    raise_outranked(e, now);
    job *j = cuzk_job_next(&e->table, now, e->opt.ageing_ns, level_in_work(e),
                           e->n_busy + 1 < N_RUNNERS, &e->stats.n_aged);
    if (!j)
        note_outranked(e, now);
    return j;
}

static void start_job(engine *e, job *j, uint64_t now)
{
    engine_kind_stats *k = &e->stats.kind[j->kind];
    j->started = true;
    j->started_ns = now;
    e->table.n_started++;
    k->pending--;
    k->running++;
    k->n_started++;
    k->queue_ms += cuzk_engine_ms_between(j->submitted_ns, now);
}

static void begin_turn(engine *e, job *j)
{
    uint64_t now = cuzk_engine_now(e);
    if (level_in_work(e) != PRIORITY_DEFAULT)
        e->stats.n_preemptions++;
    cuzk_job_unqueue(&e->table, j);
    if (!j->started)
        start_job(e, j, now);
    e->table.turn_ns[j->priority] = now;
    j->state = JOB_RUNNING;
    j->refs++;
    j->seen_ns = j->warned_ns = now;
    atomic_store(&j->tenant.urgency, (int)j->level);
    cuzk_link_push(&e->table.running, &j->at);
    e->n_busy++;
    note_outranked(e, now);
    pthread_cond_signal(&e->expiry); /* there is something to watch */
}

/* ---- a turn; without the lock ---- */

/* From the prover, as a phase begins. */
static void on_phase(void *ctx, const char *phase, int partition)
{
    job *j = ctx;
    engine *e = j->engine;
    bool waits = strncmp(phase, "wait_", 5) == 0;
    atomic_store(&j->phase, phase);
    atomic_store(&j->partition, partition);
    atomic_store(&j->phase_ns, cuzk_engine_now(e));
    atomic_fetch_add(&j->n_phases, 1);
    cuzk_log(CUZK_LOG_DEBUG, j->id, "phase %s, partition %d", phase, partition);
    if (waits == j->waits && strcmp(phase, "reprove") != 0)
        return; /* only this thread changes waits */
    pthread_mutex_lock(&e->lock);
    if (strcmp(phase, "reprove") == 0)
        e->stats.n_reproved++;
    j->waits = waits;
    note_outranked(e, cuzk_engine_now(e));
    pthread_cond_signal(&e->work);
    pthread_mutex_unlock(&e->lock);
}

static cuzk_status open_job(engine *e, job *j)
{
    unsigned n = 0;
    cuzk_prove_options opt = CUZK_PROVE_OPTIONS_DEFAULTS;
    opt.trace = j->trace = cuzk_trace_new(j->id);
    opt.cancel = &j->cancel;
    opt.progress = on_phase;
    opt.progress_ctx = j;
    j->opt = opt;
    j->engine = e;
    j->tenant.cancel = &j->cancel;
    cuzk_trace_add(j->trace, "queue", CUZK_NO_PARTITION, j->submitted_ns, j->started_ns);
    cuzk_log(CUZK_LOG_INFO, j->id, "started: %s", cuzk_engine_kind_name(j->kind));
    cuzk_status st =
        e->backend.open(e->backend.ctx, &j->proving, j->req, &j->opt, &j->tenant, &n, &j->err);
    if (st != CUZK_OK)
        return st;
    j->proof = cuzk_malloc_array(n ? n : 1, CUZK_PROOF_BYTES);
    if (!j->proof)
        return cuzk_fail(&j->err, CUZK_NOMEM, 0, "no memory for a proof of %u partitions", n);
    pthread_mutex_lock(&e->lock);
    j->n_partitions = n;
    pthread_mutex_unlock(&e->lock);
    return CUZK_OK;
}

static cuzk_status prove_next(engine *e, job *j)
{
    cuzk_status st = e->backend.prove(e->backend.ctx, j->proving, j->n_done,
                                      j->proof + (size_t)j->n_done * CUZK_PROOF_BYTES, &j->err);
    if (st != CUZK_OK)
        return st;
    pthread_mutex_lock(&e->lock);
    j->n_done++;
    e->stats.n_partitions++;
    pthread_mutex_unlock(&e->lock);
    cuzk_log(CUZK_LOG_DEBUG, j->id, "partition %u of %u is proved", j->n_done, j->n_partitions);
    return CUZK_OK;
}

static void set_timings(job *j, uint64_t end_ns)
{
    engine_timings *t = &j->timings;
    t->queue_ms = cuzk_engine_ms_between(j->submitted_ns, j->started_ns);
    t->total_ms = cuzk_engine_ms_between(j->submitted_ns, end_ns);
    t->srs_load_ms = cuzk_trace_total_ns(j->trace, "srs_load") / 1000000u;
    t->witness_ms = cuzk_trace_total_ns(j->trace, "witness") / 1000000u;
    uint64_t known = t->queue_ms + t->srs_load_ms + t->witness_ms;
    t->compute_ms = t->total_ms > known ? t->total_ms - known : 0;
}

void cuzk_engine_give_up(engine *e, job *j)
{
    if (j->proving)
        e->backend.close(e->backend.ctx, j->proving);
    j->proving = NULL;
    cuzk_trace_free(j->trace);
    j->trace = NULL;
}

/* The result fields, which nobody reads before the job has ended. */
static void finish_proof(engine *e, job *j, cuzk_status st)
{
    set_timings(j, cuzk_engine_now(e));
    cuzk_engine_give_up(e, j);
    if (st == CUZK_OK) {
        j->n_proof_bytes = (size_t)j->n_partitions * CUZK_PROOF_BYTES;
        return;
    }
    j->err.status = st;
    if (!j->err.msg[0])
        cuzk_fail(&j->err, st, 0, "%s", cuzk_status_text(st));
    cuzk_free(j->proof);
    j->proof = NULL;
}

/* False: more partitions are left. */
static bool take_turn(engine *e, job *j, cuzk_status *status)
{
    cuzk_status st = CUZK_OK;
    if (atomic_load(&j->cancel))
        st = cuzk_fail(&j->err, CUZK_CANCELLED, 0, "cancelled");
    if (st == CUZK_OK && !j->proving)
        st = open_job(e, j);
    if (st == CUZK_OK && j->n_done < j->n_partitions)
        st = prove_next(e, j);
    if (st == CUZK_OK && j->n_done < j->n_partitions)
        return false;
    finish_proof(e, j, st);
    *status = st;
    return true;
}

/* ---- the end of a turn ---- */

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

static void end_turn(engine *e, job *j)
{
    cuzk_link_remove(&j->at);
    j->waits = false;
    j->outranked_ns = 0;
    e->n_busy--;
}

/* Called and returns with the lock held. */
static void end_of_job(engine *e, job *j, cuzk_status st)
{
    aftermath a;
    cuzk_aftermath_init(&a);
    engine_outcome outcome = outcome_of(e, j, st);
    cuzk_engine_end_job(e, j, outcome, &a);
    a.idle = cuzk_engine_became_idle(e);
    pthread_cond_signal(&e->work); /* another runner may go on while this one tells */
    pthread_mutex_unlock(&e->lock);

    log_end(j, outcome); /* our reference keeps it */
    cuzk_aftermath_settle(e, &a);
    pthread_mutex_lock(&e->lock);
}

/* Called and returns with the lock held. */
static void run_turn(engine *e, job *j)
{
    cuzk_status st = CUZK_OK;
    bool over;
    begin_turn(e, j);
    do {
        pthread_mutex_unlock(&e->lock);
        if (j->turn_ended_ns) /* what lies between two turns is a phase as well */
            cuzk_trace_add(j->trace, "turn", CUZK_NO_PARTITION, j->turn_ended_ns,
                           cuzk_engine_now(e));
        else
            cuzk_measure_job_began(j->id);
        over = take_turn(e, j, &st);
        j->turn_ended_ns = cuzk_engine_now(e);
        pthread_mutex_lock(&e->lock);
    } while (!over && atomic_load(&j->cancel)); /* told to stop: not worth another wait */
    end_turn(e, j);
    if (over)
        end_of_job(e, j, st);
    else
        cuzk_job_enqueue(&e->table, j, cuzk_engine_now(e));
    cuzk_job_unref(j);
}

void *cuzk_engine_runner(void *arg)
{
    engine *e = arg;
    pthread_mutex_lock(&e->lock);
    while (!e->quit) {
        job *j = next_job(e);
        if (j)
            run_turn(e, j);
        else
            pthread_cond_wait(&e->work, &e->lock);
    }
    pthread_mutex_unlock(&e->lock);
    return NULL;
}

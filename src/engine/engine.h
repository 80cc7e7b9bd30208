/* The engine: jobs, their queue, the threads that run them, and those who wait for results.
 *
 * It knows no wire format. A job is keyed by (request id, digest of everything else in the
 * request):
 *
 *   id and digest as a waiting or running job   the caller joins that job; the work is done once
 *   id and digest as a completed job            the kept proof is returned
 *   id and digest as a failed or cancelled job  a new job
 *   id as a waiting or running job, other digest   CUZK_EXISTS
 *   id as an ended job, other digest            a new job; the id now means the new one
 *
 * A job is accepted for good: when all who waited for it are gone, or its deadline has passed, it
 * keeps its place and its result is kept, for the same request may come again and join it.
 *
 * Jobs run partition by partition: by priority, in a class by earliest deadline, then in order of
 * arrival; within a class one at a time, for a proof is parallel inside. A more urgent job starts
 * at once and has all threads until it ends. Ageing keeps all classes but CRITICAL from starving
 * others. docs/daemon.md has the rules.
 *
 * Results are kept for a bounded time and number. Thread-safe. Callbacks run on engine threads or
 * on the thread of the caller, never under the engine's lock. docs/threads.md draws the threads.
 */
#ifndef CUZK_ENGINE_ENGINE_H
#define CUZK_ENGINE_ENGINE_H

#include "base/error.h"
#include "base/pool.h"
#include "engine/prover.h"
#include "engine/request_id.h"
#include "filecoin/request.h"

typedef struct engine engine;

/* What the engine asks of the prover; a table, so that tests bring their own. */
typedef struct {
    void *ctx;
    cuzk_status (*parse)(void *ctx, proof_request **out, const request_message *msg, cuzk_err *err);
    void (*request_free)(void *ctx, proof_request *req); /* accepts NULL */
    /* A proof in steps, as in prover.h. *proving is the backend's; n_partitions >= 1. */
    cuzk_status (*open)(void *ctx, void **proving, const proof_request *req,
                        const cuzk_prove_options *opt, cuzk_pool_tenant *tenant,
                        unsigned *n_partitions, cuzk_err *err);
    cuzk_status (*prove)(void *ctx, void *proving, unsigned index, uint8_t out[CUZK_PROOF_BYTES],
                         cuzk_err *err);
    void (*close)(void *ctx, void *proving);
    cuzk_status (*preload)(void *ctx, const char *circuit, bool *already_loaded, cuzk_err *err);
    size_t (*loaded)(void *ctx, cuzk_prover_srs_info out[], size_t max); /* never waits */
    /* The rest may be NULL. admit: at submission, before the request is queued: parameters that are
     * missing (CUZK_PARAMS), memory that will never be there (CUZK_MEMORY). */
    cuzk_status (*admit)(void *ctx, const proof_request *req, cuzk_err *err);
    size_t (*on_disk)(void *ctx, cuzk_prover_srs_info out[], size_t max);
    cuzk_status (*evict)(void *ctx, const char *circuit, cuzk_evict_result *out, cuzk_err *err);
    void (*preload_report)(void *ctx, cuzk_preload_report *out);
    cuzk_budget *budget; /* NULL: unlimited */
} engine_backend;

const engine_backend *cuzk_engine_backend(const engine *e);

/* The real table (engine_backend.c); p must outlive the engine. */
engine_backend cuzk_engine_backend_of(cuzk_prover *p);

typedef struct {
    size_t size;            /* sizeof(engine_options) */
    size_t max_jobs;        /* waiting and running */
    uint64_t max_bytes;     /* request bytes of those */
    size_t max_listeners;   /* callers that wait, over all jobs */
    size_t max_results;     /* ended jobs that are kept */
    uint64_t result_ttl_ns; /* and for how long */
    /* A class of jobs that has waited so long without a turn rises by one, to HIGH at most. */
    uint64_t ageing_ns;
    uint64_t stall_ns; /* without progress for so long, a running job is named in the log */
    /* NULL: the monotonic clock; else nothing expires but in cuzk_engine_tick */
    uint64_t (*now_ns)(void);
    /* may be NULL; called once, when drained and nothing runs any more */
    void (*on_idle)(void *ctx);
    void *on_idle_ctx;
} engine_options;

/* 64 GiB-class requests are 51 MB; 4 GiB holds 80 of them and is small beside their parameters. */
#define ENGINE_OPTIONS_DEFAULTS                                                                    \
    {                                                                                              \
        .size = sizeof(engine_options), .max_jobs = 1000, .max_bytes = (uint64_t)4 << 30,          \
        .max_listeners = 10000, .max_results = 1000,                                               \
        .result_ttl_ns = (uint64_t)3600 * 1000000000u, .ageing_ns = (uint64_t)600 * 1000000000u,   \
        .stall_ns = (uint64_t)60 * 1000000000u,                                                    \
    }

cuzk_status cuzk_engine_new(engine **out, const engine_options *opt, const engine_backend *backend,
                            cuzk_err *err);
/* Drains, cancels what runs, waits for the runners. Listeners left are told ENGINE_SHUTDOWN. */
void cuzk_engine_free(engine *e);

/* As status and logs show it: "porep-c2", "winning-post", "window-post", "snap-update". */
const char *cuzk_engine_kind_name(cuzk_kind kind);

typedef enum {
    PRIORITY_DEFAULT, /* winning CRITICAL, window HIGH, others NORMAL */
    PRIORITY_LOW,
    PRIORITY_NORMAL,
    PRIORITY_HIGH,
    PRIORITY_CRITICAL,
    PRIORITY_COUNT
} engine_priority;

typedef enum {
    ENGINE_COMPLETED,
    ENGINE_FAILED,
    ENGINE_CANCELLED,
    ENGINE_TIMEOUT,  /* the listener's time is up; the job goes on */
    ENGINE_SHUTDOWN, /* the daemon ends and will not run this job; worth a retry later */
} engine_outcome;

typedef struct {
    uint64_t queue_ms, srs_load_ms, witness_ms, compute_ms, total_ms;
} engine_timings;

/* Valid during the callback only. */
typedef struct {
    const char *job_id;
    engine_outcome outcome;
    const uint8_t *proof; /* COMPLETED */
    size_t n_proof_bytes;
    cuzk_status error; /* FAILED */
    const char *error_message;
    engine_timings timings;
} engine_result;

typedef struct {
    void (*fn)(void *ctx, const engine_result *result); /* exactly once, or never after unlisten */
    void *ctx;
    uint64_t timeout_ms; /* 0: none */
} engine_listener;

typedef struct {
    const char *request_id; /* "" or NULL: the engine makes one */
    int priority;           /* engine_priority; others are refused */
    const request_message *msg;
    size_t n_bytes; /* size of the request on the wire: what admission counts */
    /* On the engine's clock (monotonic), 0: none. When the caller of Prove gives up: orders jobs
     * within a class. The deadline of a call that does not wait is not one of the job. */
    uint64_t deadline_ns;
} engine_request;

typedef struct {
    char job_id[REQUEST_ID_MAX + 1];
    uint32_t position; /* jobs that waited when this one came */
    bool attached;     /* no new job was made */
    uint64_t token;    /* of the listener; 0 when it has been called already, or was NULL */
} engine_ticket;

/* Checks, parses and queues. With a listener (may be NULL) also waits: its fn may be called before
 * this returns. msg is not used after return. On failure the listener is not called.
 * CUZK_INVAL, CUZK_ENCODING (the parser's message), CUZK_EXISTS, CUZK_BUDGET, CUZK_UNAVAILABLE,
 * CUZK_TIMEOUT (the deadline has passed). */
cuzk_status cuzk_engine_submit(engine *e, const engine_request *r, const engine_listener *listener,
                               engine_ticket *ticket, cuzk_err *err);

/* CUZK_NOT_FOUND for an unknown or expired id. *token as in engine_ticket. */
cuzk_status cuzk_engine_await(engine *e, const char *job_id, const engine_listener *listener,
                              uint64_t *token, cuzk_err *err);

/* Forgets a listener, so that its fn is never called. False: it has been called, is being called,
 * or never was. The job goes on. */
bool cuzk_engine_unlisten(engine *e, uint64_t token);

/* A waiting job leaves the queue; a running one is told to stop, also within a phase. Listeners get
 * ENGINE_CANCELLED.
 * Returns whether it was running; unknown and ended ids give false. */
bool cuzk_engine_cancel(engine *e, const char *job_id);

cuzk_status cuzk_engine_preload(engine *e, const char *circuit, bool *already_loaded,
                                cuzk_err *err);
/* See cuzk_prover_evict. CUZK_INVAL: no such circuit. */
cuzk_status cuzk_engine_evict(engine *e, const char *circuit, cuzk_evict_result *out,
                              cuzk_err *err);
void cuzk_engine_preload_report(engine *e, cuzk_preload_report *out); /* never waits */

/* No more jobs are taken (CUZK_UNAVAILABLE) and waiting ones end with ENGINE_SHUTDOWN. Running
 * ones go on; stop_running also tells them to stop. on_idle follows, at once if nothing runs. */
void cuzk_engine_drain(engine *e, bool stop_running);

/* Tells every listener ENGINE_SHUTDOWN, whatever its job does: for a process that is about to end
 * without waiting for its runners. */
void cuzk_engine_abandon(engine *e);

/* Expires listeners and results. A thread does this; only tests with their own clock call it. */
void cuzk_engine_tick(engine *e);

/* Counters never fall. */
typedef struct {
    uint32_t pending, running; /* jobs: not started yet; started, also between two partitions */
    uint64_t completed, failed, cancelled;
    uint64_t duration_ms;         /* sum of total_ms over the completed */
    uint64_t n_started, queue_ms; /* jobs started, and how long they had waited, summed */
    /* completed jobs that had a deadline; the time left, summed over those that met it */
    uint64_t deadline_met, deadline_missed, deadline_margin_ms;
} engine_kind_stats;

typedef struct {
    engine_kind_stats kind[CUZK_KIND_COUNT];
    uint64_t failed_by[CUZK_STATUS_COUNT]; /* failed jobs by status: PARAMS, UNSATISFIED, ... */
    uint64_t n_partitions;                 /* proved */
    uint64_t n_preemptions; /* jobs that started while a less urgent one was in a partition */
    uint64_t n_aged;        /* jobs that rose a class because it was their turn */
    uint64_t n_reproved;    /* partitions proved again after a failed self-check */
    uint64_t n_stalls;      /* warnings of the watchdog */
    uint64_t uptime_ns;
    size_t n_results; /* ended jobs kept */
    size_t n_listeners;
    uint64_t bytes; /* request bytes held */
    bool draining;
} engine_stats;

/* Never waits for a proof or a load. */
void cuzk_engine_stats(engine *e, engine_stats *out);

typedef enum {
    ENGINE_JOB_QUEUED,  /* not started */
    ENGINE_JOB_RUNNING, /* in a phase */
    ENGINE_JOB_PAUSED,  /* in a phase, while a more urgent job has the processors */
    ENGINE_JOB_WAITING, /* in a phase that waits, for memory or for parameters being loaded */
    ENGINE_JOB_BETWEEN, /* between two partitions, while another job has its turn */
} engine_job_state;

/* One job that has not ended, for people. */
typedef struct {
    char job_id[REQUEST_ID_MAX + 1];
    cuzk_kind kind;
    int priority; /* engine_priority as submitted */
    int level;    /* as it counts now: ageing may have raised it */
    engine_job_state state;
    const char *reason; /* why it does not go on; "" while it does; static storage */
    char phase[24];     /* "" before the first */
    /* partitions of the job (0: not known yet), how many are done, the one in work (-1: none) */
    unsigned n_partitions, n_done;
    int partition;
    uint64_t age_ns;      /* since submission */
    uint64_t running_ns;  /* since its start; 0 when queued */
    uint64_t phase_ns;    /* in this phase */
    int64_t deadline_ns;  /* from now; negative: passed; 0: none */
    uint32_t n_listeners; /* callers that wait for it */
} engine_job_info;

/* "queued", "running", "paused", "waiting", "between" */
const char *cuzk_engine_job_state_name(engine_job_state s);
/* Running jobs, then the waiting ones, each in order of urgency. Fills up to max entries and
 * returns how many there are. Never waits. */
size_t cuzk_engine_jobs(engine *e, engine_job_info out[], size_t max);
size_t cuzk_engine_loaded(engine *e, cuzk_prover_srs_info out[], size_t max);
size_t cuzk_engine_on_disk(engine *e, cuzk_prover_srs_info out[], size_t max);
void cuzk_engine_budget(engine *e, budget_stats *out); /* all zero when there is no budget */

#endif

/* Jobs, the queue, kept results and listeners of one engine: the data behind engine.c. Nothing here
 * locks or calls back; every function is called with the engine's lock held. */
#ifndef CUZK_ENGINE_JOB_TABLE_H
#define CUZK_ENGINE_JOB_TABLE_H

#include <stdatomic.h>

#include "base/trace.h"
#include "engine/engine.h"

#define DIGEST_BYTES 32u

typedef struct list_link list_link;
struct list_link {
    list_link *next, *prev; /* a ring; an empty list points at itself */
};

typedef enum { JOB_WAITING, JOB_RUNNING, JOB_ENDED } job_state;

/* refs: one for the id table, one for the runner during a step, one for each delivery under way. */
typedef struct job job;
struct job {
    list_link at;     /* in a queue (WAITING), in running, in the results (ENDED); first member */
    job *bucket_next; /* id table */
    bool in_table;
    unsigned refs;

    char id[REQUEST_ID_MAX + 1];
    uint8_t digest[DIGEST_BYTES];
    cuzk_kind kind;
    engine_priority priority;
    proof_request *req;   /* until it ends */
    size_t n_bytes;       /* admitted until it ends */
    uint64_t deadline_ns; /* 0: none */

    /* the queue */
    job_state state;
    uint64_t seq;          /* order of arrival */
    engine_priority level; /* priority, or what ageing has made of it */
    bool started;          /* has had a turn */
    uint64_t outranked_ns; /* RUNNING: a more urgent one runs since; 0: none does */
    bool waits;            /* RUNNING, in a phase that waits */
    atomic_bool cancel;    /* read by the prover without the lock */
    bool cancelled_by_client;
    uint64_t submitted_ns, started_ns, ended_ns;
    uint64_t turn_ended_ns; /* the last one; its runner's alone */

    /* the proof in work; the runner's while RUNNING */
    void *proving;  /* of the backend; NULL before it is opened */
    engine *engine; /* for the prover's calls back */
    cuzk_prove_options opt;
    cuzk_pool_tenant tenant;
    cuzk_trace *trace;
    unsigned n_partitions, n_done; /* changed under the lock */

    /* where it is: written by the runner, read by anyone */
    _Atomic(const char *) phase; /* static string; NULL before the first */
    atomic_int partition;
    atomic_uint_least64_t phase_ns; /* since */
    atomic_uint n_phases;

    /* the watchdog's */
    uint64_t seen_ticks, seen_ns, warned_ns;
    unsigned seen_phases;

    /* ENDED */
    engine_outcome outcome;
    uint8_t *proof;
    size_t n_proof_bytes;
    cuzk_err err;
    engine_timings timings;
};

typedef struct {
    list_link at; /* in job_table.listeners, or in a list that is being delivered; first member */
    job *job;
    uint64_t token, deadline_ns; /* 0: none */
    engine_listener call;
} job_listener;

#define ID_BUCKETS 4096u

typedef struct {
    job *bucket[ID_BUCKETS];
    list_link queue[PRIORITY_COUNT];  /* by priority; in no order */
    uint64_t turn_ns[PRIORITY_COUNT]; /* when that queue last had a turn, or was empty */
    list_link running;
    list_link results; /* oldest first */
    list_link listeners;
    size_t n_waiting; /* not started */
    size_t n_started; /* and not ended */
    size_t n_results, n_listeners;
    uint64_t n_jobs;   /* so far */
    size_t n_admitted; /* jobs waiting, running, or still at the door */
    uint64_t n_admitted_bytes;
    uint64_t last_token;
} job_table;

void cuzk_link_init(list_link *list);
bool cuzk_link_empty(const list_link *list);
void cuzk_link_push(list_link *list, list_link *item); /* at the end */
void cuzk_link_remove(list_link *item);

void cuzk_job_table_init(job_table *t);
/* Drops the table's own references. */
void cuzk_job_table_fini(job_table *t);

job *cuzk_job_new(const char *id, cuzk_err *err); /* refs 1 */
void cuzk_job_unref(job *j);                      /* frees at 0; accepts NULL */

job *cuzk_job_find(const job_table *t, const char *id); /* no reference is added */
/* Takes over the caller's reference; an ended or stopping job of the same id loses its place. */
void cuzk_job_insert(job_table *t, job *j);
void cuzk_job_forget(job_table *t, job *j); /* out of the id table and its list */

/* A new job, or one between two partitions. */
void cuzk_job_enqueue(job_table *t, job *j, uint64_t now_ns);
void cuzk_job_unqueue(job_table *t, job *j);
/* The job whose turn it is, still in its queue; NULL: none may start. Jobs go by level, within one
 * by earliest deadline, then by arrival. A job without a deadline, or past it, counts as if due one
 * ageing period after it came. Only jobs of a priority above floor may start (0: any), and only
 * started ones unless fresh. Counts into *n_aged those that rise. */
job *cuzk_job_next(job_table *t, uint64_t now_ns, uint64_t ageing_ns, engine_priority floor,
                   bool fresh, uint64_t *n_aged);
engine_priority cuzk_job_aged(engine_priority p, uint64_t waited_ns, uint64_t ageing_ns);
/* The first of the queues, started or not; NULL when all are empty. */
job *cuzk_job_any_waiting(job_table *t, bool started);
/* Is a's turn before b's? */
bool cuzk_job_before(const job *a, const job *b, uint64_t now_ns, uint64_t ageing_ns);
void cuzk_job_keep_result(job_table *t, job *j);
/* Forgets results that ended before the time or are too many. */
void cuzk_job_trim_results(job_table *t, uint64_t ended_before_ns, size_t max);

/* Adds a listener; NULL when out of memory. */
job_listener *cuzk_listener_add(job_table *t, job *j, const engine_listener *call, uint64_t now_ns);
void cuzk_listener_remove(job_table *t, job_listener *l);
/* Moves to list the listeners of j (NULL: of any job) whose deadline is at or before due_ns
 * (UINT64_MAX: all of them). Each takes a reference to its job along. */
void cuzk_listener_take(job_table *t, list_link *list, const job *j, uint64_t due_ns);
job_listener *cuzk_listener_find(job_table *t, uint64_t token);
uint64_t cuzk_listener_next_deadline(const job_table *t); /* UINT64_MAX: none */
uint32_t cuzk_listener_count(const job_table *t, const job *j);

#endif

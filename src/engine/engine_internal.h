/* The engine's own: state, and what its files share. docs/threads.md draws the threads. */
#ifndef CUZK_ENGINE_ENGINE_INTERNAL_H
#define CUZK_ENGINE_ENGINE_INTERNAL_H

#include <pthread.h>

#include "engine/job_table.h"

/* One for each class of urgency, and as many for jobs that wait for memory or a load. The last one
 * is kept for jobs that have begun: what they hold may be what the others wait for. */
#define N_RUNNERS 8u

/* Everything below the lock is guarded by it; it is never held across the backend or a callback. */
struct engine {
    engine_options opt;
    engine_backend backend;
    uint64_t born_ns;
    pthread_t runner[N_RUNNERS], keeper;
    unsigned n_runners;
    bool keeper_started;

    pthread_mutex_t lock;
    pthread_cond_t work;   /* a job may be able to start, or quit */
    pthread_cond_t expiry; /* the keeper has something to look at earlier than before, or quit */
    job_table table;
    engine_stats stats; /* the counters; what the table knows is filled in when asked */
    unsigned n_busy;    /* runners in a step */
    bool draining, told_idle, quit;
};

/* What was taken out under the lock and has to be dealt with outside of it. */
typedef struct {
    list_link listeners; /* to be called; each holds a reference to its job */
    engine_outcome outcome;
    bool use_outcome;   /* else the job's own */
    proof_request *req; /* to be freed */
    job *job;           /* whose proof in work is to be given up; with a reference */
    bool idle;
} aftermath;

uint64_t cuzk_engine_now(const engine *e);
uint64_t cuzk_engine_ms_between(uint64_t from_ns, uint64_t to_ns); /* 0 when to is before from */

void cuzk_aftermath_init(aftermath *a);
/* With the lock free: calls what was taken, then drops the references. */
void cuzk_aftermath_settle(engine *e, aftermath *a);

/* ---- with the lock held ---- */

/* The job has left its queue or its runner; its result fields are set. */
void cuzk_engine_end_job(engine *e, job *j, engine_outcome outcome, aftermath *a);
/* Takes a job out of its queue and ends it; what it had begun is given up in the aftermath. */
void cuzk_engine_end_waiting(engine *e, job *j, engine_outcome outcome, aftermath *a);
bool cuzk_engine_became_idle(engine *e); /* true once */
void cuzk_engine_expire_results(engine *e, uint64_t now_ns);

/* ---- threads ---- */
void *cuzk_engine_runner(void *e);
void *cuzk_engine_keeper(void *e);
/* Outside of the lock: closes what the backend holds for the job. */
void cuzk_engine_give_up(engine *e, job *j);

CUZK_INLINE job *engine_job_at(list_link *at)
{
    return (job *)(void *)at; /* the link is its first member */
}

/* Under the lock: a job that was admitted is here no more. */
void cuzk_admission_release(engine *e, size_t n_bytes);

#endif

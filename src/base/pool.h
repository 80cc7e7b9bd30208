/* A pool of threads for data-parallel loops. An object, not a global: it has a size and a name.
 *
 * The caller of cuzk_pool_run works as worker 0, so a pool of size 1 owns no thread. Results must
 * not depend on which worker runs which index: that is what makes proofs the same bytes for any
 * number of threads, and whatever else runs. A run started from inside a task executes inline on
 * that worker.
 *
 * Several threads may run loops at once. Each can say on whose behalf (a tenant): helpers serve the
 * most urgent run, and less urgent ones, their calling threads too, stand still before their next
 * index. So an index is the grain at which work gives way: it should take a quarter of a second at
 * most.
 */
#ifndef CUZK_BASE_POOL_H
#define CUZK_BASE_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuzk/error.h"

typedef struct cuzk_pool cuzk_pool;

/* n_threads == 0: as many as the process may run on (affinity mask). Threads are named name-k. */
cuzk_status cuzk_pool_new(cuzk_pool **out, unsigned n_threads, const char *name, cuzk_err *err);
void cuzk_pool_free(cuzk_pool *pool); /* accepts NULL; no run may be in progress */

unsigned cuzk_pool_size(const cuzk_pool *pool); /* >= 1; 1 for NULL */

typedef void (*cuzk_task_fn)(void *ctx, size_t index, unsigned worker);

/* Calls fn(ctx, i, worker) once for each i in [0, n_tasks); returns when all are done. worker is in
 * [0, size); within one run no two concurrent calls share it. pool == NULL runs inline. */
void cuzk_pool_run(cuzk_pool *pool, size_t n_tasks, cuzk_task_fn fn, void *ctx);

/* The same, but the tenant's cancel flag ends it: false, and then some indices were not run. What
 * they would have written is not there, and the flag stays set: give up. */
bool cuzk_pool_try(cuzk_pool *pool, size_t n_tasks, cuzk_task_fn fn, void *ctx);

/* Splits [0, n) into chunks of at least min_chunk and at most 64 chunks a worker and runs them.
 * The split depends on n and the pool size: use it only where chunks are independent. */
typedef void (*cuzk_range_fn)(void *ctx, size_t begin, size_t end, unsigned worker);
void cuzk_pool_for(cuzk_pool *pool, size_t n, size_t min_chunk, cuzk_range_fn fn, void *ctx);
bool cuzk_pool_try_for(cuzk_pool *pool, size_t n, size_t min_chunk, cuzk_range_fn fn, void *ctx);

/* ---- tenants ---- */

#define CUZK_POOL_URGENCIES 8

typedef struct cuzk_pool_tenant cuzk_pool_tenant;
/* The caller's, zeroed before first use; one thread at a time has entered with it. */
struct cuzk_pool_tenant {
    /* 0 to CUZK_POOL_URGENCIES - 1, the more the more urgent. Any thread may change it at any time;
     * it counts from the next run on, or within 50 ms when the tenant stands still. */
    atomic_int urgency;
    /* Less urgent tenants stand still from enter to leave, also while this one runs no loop. Then
     * it must not wait for anything that one of them may hold. */
    bool exclusive;
    const atomic_bool *cancel; /* may be NULL */
    /* For watchers: changes with every index that the tenant's thread takes; does it stand still
     * for a more urgent one? */
    atomic_uint_least64_t ticks;
    atomic_bool paused;
    /* the pool's own */
    cuzk_pool *pool;
    cuzk_pool_tenant *outer;
    int counted;
};

/* From here to leave, this thread's runs on the pool are t's. Nests. A thread that has not entered
 * has urgency 0 and never stands still. pool == NULL does nothing. */
void cuzk_pool_enter(cuzk_pool *pool, cuzk_pool_tenant *t);
void cuzk_pool_leave(cuzk_pool *pool, cuzk_pool_tenant *t);

/* For long serial loops: stands still while a more urgent tenant works; false when the calling
 * thread's tenant is cancelled. */
bool cuzk_pool_pass(cuzk_pool *pool);

#endif

/* A pool of threads for data-parallel loops. An object, not a global: it has a size and a name.
 *
 * The caller of cuzk_pool_run works as worker 0, so a pool of size 1 owns no thread. Results must
 * not depend on which worker runs which index: that is what makes proofs the same bytes for any
 * number of threads. A run started from inside a task executes inline on that worker.
 */
#ifndef CUZK_BASE_POOL_H
#define CUZK_BASE_POOL_H

#include <stddef.h>

#include "cuzk/error.h"

typedef struct cuzk_pool cuzk_pool;

/* n_threads == 0: as many as the process may run on (affinity mask). Threads are named name-k. */
cuzk_status cuzk_pool_new(cuzk_pool **out, unsigned n_threads, const char *name, cuzk_err *err);
void cuzk_pool_free(cuzk_pool *pool); /* accepts NULL; no run may be in progress */

unsigned cuzk_pool_size(const cuzk_pool *pool); /* >= 1; 1 for NULL */

typedef void (*cuzk_task_fn)(void *ctx, size_t index, unsigned worker);

/* Calls fn(ctx, i, worker) once for each i in [0, n_tasks); returns when all are done. worker is in
 * [0, size); within one run no two concurrent calls share it. Several threads may call at once:
 * their runs queue up. pool == NULL runs inline. */
void cuzk_pool_run(cuzk_pool *pool, size_t n_tasks, cuzk_task_fn fn, void *ctx);

/* Splits [0, n) into chunks of at least min_chunk and at most 8 chunks a worker and runs them.
 * The split depends on n and the pool size: use it only where chunks are independent. */
typedef void (*cuzk_range_fn)(void *ctx, size_t begin, size_t end, unsigned worker);
void cuzk_pool_for(cuzk_pool *pool, size_t n, size_t min_chunk, cuzk_range_fn fn, void *ctx);

#endif

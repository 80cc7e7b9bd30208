/* A lane: a bounded queue of tasks with threads of its own. Keeps slow request handlers (parsing 50
 * MB of JSON, loading parameters) off the threads that serve the network. */
#ifndef CUZK_RPC_LANE_H
#define CUZK_RPC_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct lane lane;

typedef void (*lane_fn)(void *ctx);

cuzk_status cuzk_lane_new(lane **out, const char *name, unsigned n_threads, size_t max_tasks,
                          uint64_t max_bytes, cuzk_err *err);
/* Runs what is queued, then ends the threads. Accepts NULL. */
void cuzk_lane_free(lane *l);

/* False when max_tasks wait, or waiting and running ones would hold more than max_bytes. One task
 * is always taken when nothing waits or runs. */
bool cuzk_lane_post(lane *l, lane_fn fn, void *ctx, size_t n_bytes);

#endif

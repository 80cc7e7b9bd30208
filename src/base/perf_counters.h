/* Hardware counters of the calling thread, where the kernel allows: off unless CUZK_COUNTERS=1,
 * since a reading costs a system call (about a microsecond). */
#ifndef CUZK_BASE_PERF_COUNTERS_H
#define CUZK_BASE_PERF_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span_ring.h"

enum { COUNTER_CYCLES, COUNTER_INSTRUCTIONS, COUNTER_CACHE_MISSES, COUNTER_PAGE_FAULTS };

const char *cuzk_counter_name(unsigned counter); /* "cycles", "instructions", ... */

/* Wanted by the environment. One load. */
bool cuzk_counters_on(void);
/* Test hook: as if the environment had said so. */
void cuzk_counters_set(bool on);

/* Values since the thread's first reading; false when off or when not one can be had. Counters
 * that the machine does not have stay 0: cuzk_counters_have tells which are real. */
bool cuzk_counters_read(uint64_t out[CUZK_N_COUNTERS]);
bool cuzk_counters_have(unsigned counter);

#endif

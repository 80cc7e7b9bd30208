/* The rings of all threads as Chrome trace JSON ("Trace Event Format"), which Perfetto opens: one
 * track per thread, "X" events with microseconds; waiting times, which overlap each other, as
 * nestable async pairs "b", "e"; memory as a counter "C", if the monitor runs. */
#ifndef CUZK_MEASURE_CHROME_TRACE_H
#define CUZK_MEASURE_CHROME_TRACE_H

#include "base/error.h"

/* A new NUL-terminated string of n bytes (cuzk_free). */
cuzk_status cuzk_chrome_trace(char **text, size_t *n, cuzk_err *err);

#endif

/* Timing as the library's user sees it: what one job spent its time on, and trace files. */
#ifndef CUZK_TRACE_H
#define CUZK_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "cuzk/error.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define CUZK_NO_PARTITION (-1)

typedef struct {
    const char *phase; /* static string: "queue", "parse", "witness", "msm_h", ... */
    int partition;     /* CUZK_NO_PARTITION for phases of the whole job */
    uint64_t begin_ns, end_ns;
} cuzk_span_record;

typedef struct cuzk_trace cuzk_trace;

/* label names the job in the lines that CUZK_TIMING=1 or =json print, and in trace files. NULL when
 * out of memory, which is harmless: every function that takes a trace accepts NULL. */
cuzk_trace *cuzk_trace_new(const char *label);
void cuzk_trace_free(cuzk_trace *trace);

/* Adds a phase with given times (CLOCK_MONOTONIC). phase must be a static string. */
void cuzk_trace_add(cuzk_trace *trace, const char *phase, int partition, uint64_t begin_ns,
                    uint64_t end_ns);

/* Records so far, in order of their ends; valid until the next span ends or the trace is freed. */
const cuzk_span_record *cuzk_trace_records(const cuzk_trace *trace, size_t *n);
/* Sum over all records of one phase. */
uint64_t cuzk_trace_total_ns(const cuzk_trace *trace, const char *phase);

/* Writes the last spans of all threads (4096 each) as Chrome trace JSON: Perfetto and
 * chrome://tracing open it, with a track per thread. */
cuzk_status cuzk_trace_write_file(const char *path, cuzk_err *err);

/* Says in a sentence which hardware counters are recorded with spans (CUZK_COUNTERS=1) and, when
 * the kernel or the machine does not let us have some, which and why. */
void cuzk_counters_note(char *text, size_t max);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

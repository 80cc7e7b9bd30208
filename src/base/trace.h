/* Spans: what ran when, on which thread. A trace belongs to one job and keeps its spans; every
 * span, with a trace or without, also goes to its thread's ring (span_ring.h). All that is told
 * about time is derived from the two: responses, tables, CUZK_TIMING lines, histograms, trace
 * files.
 *
 * A span costs about 80 ns, two clock reads among them (docs/measurement.md), so phases down to
 * 10 us may be marked. All functions accept trace == NULL. Thread-safe.
 */
#ifndef CUZK_BASE_TRACE_H
#define CUZK_BASE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/span_ring.h"
#include "cuzk/trace.h"

/* What a thread is at: where the spans of pool threads that help it belong. Holds no pointer to the
 * trace, which may be gone before a span that was not ended in order. */
typedef struct {
    const char *phase; /* NULL: nothing */
    int partition;
    char label[SPAN_LABEL_BYTES];
} cuzk_span_scope;

typedef struct {
    cuzk_trace *trace;
    cuzk_span_scope scope, outer;
    uint64_t begin_ns;
    uint32_t flags;
    uint64_t counter[CUZK_N_COUNTERS];
} cuzk_span;

/* phase is a static string that needs no escaping. Ends on the thread that began it. */
cuzk_span cuzk_span_begin(cuzk_trace *trace, const char *phase, int partition);
/* Ends it once; a span of zeros, or one that has ended, is left alone. */
void cuzk_span_end(cuzk_span *span);

/* The innermost open span of the calling thread. */
cuzk_span_scope cuzk_span_current(void);
/* A pool thread's share of such a span: to its ring alone, and only if it took 10 us. */
cuzk_span cuzk_span_begin_worker(const cuzk_span_scope *scope);

/* Is told every span that has a trace, by the thread that ended it; label is the job's whole name.
 * NULL: nobody. */
typedef void (*cuzk_span_sink)(const char *label, const span_event *event);
void cuzk_span_set_sink(cuzk_span_sink sink);

#endif

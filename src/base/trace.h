/* Phase timing. A trace belongs to one job and collects spans; a span marks one phase of one
 * partition. Everything that is told about time (stderr lines, tables, responses, later metrics
 * and trace files) is derived from these records.
 *
 * A span costs two clock reads and one locked append, so phases down to ~10 us may be marked.
 * All functions accept trace == NULL and then do nothing. Thread-safe.
 */
#ifndef CUZK_BASE_TRACE_H
#define CUZK_BASE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "cuzk/trace.h"

typedef struct {
    cuzk_trace *trace;
    const char *phase;
    int partition;
    uint64_t begin_ns;
} cuzk_span;

/* With CUZK_TIMING=1 in the environment each end also prints one flushed line on stderr. */
cuzk_span cuzk_span_begin(cuzk_trace *trace, const char *phase, int partition);
void cuzk_span_end(cuzk_span *span);
void cuzk_trace_add(cuzk_trace *trace, const char *phase, int partition, uint64_t begin_ns,
                    uint64_t end_ns);

#endif

/* Phase timing as the library's user sees it: records of what one job spent its time on. */
#ifndef CUZK_TRACE_H
#define CUZK_TRACE_H

#include <stddef.h>
#include <stdint.h>

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

/* label names the job in the lines that CUZK_TIMING=1 prints. NULL when out of memory, which is
 * harmless: every function that takes a trace accepts NULL. */
cuzk_trace *cuzk_trace_new(const char *label);
void cuzk_trace_free(cuzk_trace *trace);

/* Records so far, in order of their ends; valid until the next span ends or the trace is freed. */
const cuzk_span_record *cuzk_trace_records(const cuzk_trace *trace, size_t *n);
/* Sum over all records of one phase. */
uint64_t cuzk_trace_total_ns(const cuzk_trace *trace, const char *phase);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

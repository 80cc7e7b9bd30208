#include "base/trace.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MAX_RECORDS 65536u /* 10 partitions of 30 phases is 300; bounds a runaway caller */

struct cuzk_trace {
    pthread_mutex_t lock; /* guards record, n, cap */
    cuzk_span_record *record;
    size_t n, cap;
    bool print;
    char label[64];
};

static bool timing_wanted(void)
{
    const char *v = getenv("CUZK_TIMING");
    return v && strcmp(v, "1") == 0;
}

cuzk_trace *cuzk_trace_new(const char *label)
{
    cuzk_trace *t = cuzk_calloc(1, sizeof *t);
    if (!t)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    t->print = timing_wanted();
    snprintf(t->label, sizeof t->label, "%s", label);
    return t;
}

void cuzk_trace_free(cuzk_trace *trace)
{
    if (!trace)
        return;
    pthread_mutex_destroy(&trace->lock);
    cuzk_free(trace->record);
    cuzk_free(trace);
}

cuzk_span cuzk_span_begin(cuzk_trace *trace, const char *phase, int partition)
{
    return (cuzk_span){trace, phase, partition, trace ? cuzk_now_ns() : 0};
}

void cuzk_span_end(cuzk_span *span)
{
    if (span->trace)
        cuzk_trace_add(span->trace, span->phase, span->partition, span->begin_ns, cuzk_now_ns());
}

static void print_record(const cuzk_trace *t, const cuzk_span_record *r)
{
    char where[24] = "";
    if (r->partition != CUZK_NO_PARTITION)
        snprintf(where, sizeof where, " partition=%d", r->partition);
    fprintf(stderr, "timing job=%s%s phase=%s ms=%.3f\n", t->label, where, r->phase,
            (double)(r->end_ns - r->begin_ns) / 1e6);
    fflush(stderr);
}

static bool make_room(cuzk_trace *t)
{
    if (t->n < t->cap)
        return true;
    size_t cap = t->cap ? 2 * t->cap : 64;
    if (cap > MAX_RECORDS)
        return false;
    cuzk_span_record *p = cuzk_realloc(t->record, cap * sizeof *p);
    if (!p)
        return false; /* a lost record is better than a lost proof */
    t->record = p;
    t->cap = cap;
    return true;
}

void cuzk_trace_add(cuzk_trace *trace, const char *phase, int partition, uint64_t begin_ns,
                    uint64_t end_ns)
{
    if (!trace)
        return;
    cuzk_span_record r = {phase, partition, begin_ns, end_ns};
    pthread_mutex_lock(&trace->lock);
    if (make_room(trace))
        trace->record[trace->n++] = r;
    pthread_mutex_unlock(&trace->lock);
    if (trace->print)
        print_record(trace, &r);
}

const cuzk_span_record *cuzk_trace_records(const cuzk_trace *trace, size_t *n)
{
    *n = trace ? trace->n : 0;
    return trace ? trace->record : NULL;
}

uint64_t cuzk_trace_total_ns(const cuzk_trace *trace, const char *phase)
{
    size_t n;
    const cuzk_span_record *r = cuzk_trace_records(trace, &n);
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(r[i].phase, phase) == 0)
            sum += r[i].end_ns - r[i].begin_ns;
    }
    return sum;
}

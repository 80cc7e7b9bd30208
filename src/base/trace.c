#include "base/trace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "base/perf_counters.h"
#include "base/timing_line.h"

#define MAX_RECORDS   65536u /* 10 partitions of 30 phases is 300; bounds a runaway caller */
#define LABEL_BYTES   257u   /* a request id and its NUL */
#define MIN_WORKER_NS 10000u /* shorter shares would push longer ones out of the ring */

struct cuzk_trace {
    pthread_mutex_t lock; /* guards record, n, cap */
    cuzk_span_record *record;
    size_t n, cap;
    timing_mode timing;
    char label[LABEL_BYTES];
    char ring_label[SPAN_LABEL_BYTES]; /* its beginning, padded with zeros */
};

static _Atomic(cuzk_span_sink) sink;
static _Thread_local cuzk_span_scope current;

void cuzk_span_set_sink(cuzk_span_sink fn)
{
    atomic_store(&sink, fn);
}

cuzk_trace *cuzk_trace_new(const char *label)
{
    cuzk_trace *t = cuzk_calloc(1, sizeof *t);
    if (!t)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    t->timing = cuzk_timing_mode();
    snprintf(t->label, sizeof t->label, "%s", label);
    snprintf(t->ring_label, sizeof t->ring_label, "%s", label);
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

static void keep(cuzk_trace *t, const span_event *e)
{
    cuzk_span_record r = {e->phase, e->partition, e->begin_ns, e->end_ns};
    pthread_mutex_lock(&t->lock);
    if (make_room(t))
        t->record[t->n++] = r;
    pthread_mutex_unlock(&t->lock);
    cuzk_span_sink told = atomic_load_explicit(&sink, memory_order_acquire);
    if (told)
        told(t->label, e);
    if (t->timing != TIMING_OFF)
        cuzk_timing_line(t->timing, t->label, e);
}

void cuzk_trace_add(cuzk_trace *trace, const char *phase, int partition, uint64_t begin_ns,
                    uint64_t end_ns)
{
    span_event e = {.phase = phase,
                    .begin_ns = begin_ns,
                    .end_ns = end_ns,
                    .partition = partition,
                    .flags = SPAN_DETACHED};
    if (!trace)
        return;
    memcpy(e.label, trace->ring_label, sizeof e.label);
    cuzk_span_ring_put(&e);
    keep(trace, &e);
}

/* ---- spans ---- */

static void begin(cuzk_span *s, uint32_t flags)
{
    s->outer = current;
    s->flags = flags;
    current = s->scope;
    if (CUZK_UNLIKELY(cuzk_counters_on()) && cuzk_counters_read(s->counter))
        s->flags |= SPAN_COUNTED;
    s->begin_ns = cuzk_now_ns();
}

cuzk_span cuzk_span_begin(cuzk_trace *trace, const char *phase, int partition)
{
    cuzk_span s = {.trace = trace, .scope = {.phase = phase, .partition = partition}};
    if (trace)
        memcpy(s.scope.label, trace->ring_label, sizeof s.scope.label);
    begin(&s, 0);
    return s;
}

cuzk_span cuzk_span_begin_worker(const cuzk_span_scope *scope)
{
    cuzk_span s = {.scope = *scope};
    if (scope->phase)
        begin(&s, SPAN_WORKER);
    return s;
}

cuzk_span_scope cuzk_span_current(void)
{
    return current;
}

static void count(span_event *e, const cuzk_span *span)
{
    uint64_t now[CUZK_N_COUNTERS];
    if (!cuzk_counters_read(now)) {
        e->flags &= ~(uint32_t)SPAN_COUNTED;
        return;
    }
    for (unsigned i = 0; i < CUZK_N_COUNTERS; i++)
        e->counter[i] = now[i] - span->counter[i];
}

void cuzk_span_end(cuzk_span *span)
{
    if (!span->scope.phase)
        return;
    span_event e = {.phase = span->scope.phase,
                    .begin_ns = span->begin_ns,
                    .end_ns = cuzk_now_ns(),
                    .partition = span->scope.partition,
                    .flags = span->flags};
    span->scope.phase = NULL;
    current = span->outer;
    if (e.flags & SPAN_WORKER && e.end_ns - e.begin_ns < MIN_WORKER_NS)
        return;
    if (CUZK_UNLIKELY(e.flags & SPAN_COUNTED))
        count(&e, span);
    memcpy(e.label, span->scope.label, sizeof e.label);
    cuzk_span_ring_put(&e);
    if (span->trace)
        keep(span->trace, &e);
}

/* ---- what a job spent ---- */

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

/* Metrics: instruments that count, and the page that shows them in Prometheus' text format.
 *
 * An instrument is a static object with at most one label; its series appear with their first use,
 * 32 at most (the rest goes to "other"). Counting is a few atomic additions, from any thread.
 * Counters and histograms of one process never fall. Numbers that somebody else keeps (the engine)
 * are written to the page straight from a snapshot.
 */
#ifndef CUZK_MEASURE_METRICS_H
#define CUZK_MEASURE_METRICS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/buffer.h"

typedef enum {
    METRIC_COUNTER,
    METRIC_GAUGE,
    METRIC_SUMMARY,
    METRIC_HISTOGRAM,
    METRIC_UNTYPED,
} metric_type;

/* ---- instruments ---- */

#define METRIC_MAX_SERIES  32u
#define METRIC_MAX_BUCKETS 16u
#define METRIC_LABEL_BYTES 48u

typedef struct {
    char value[METRIC_LABEL_BYTES]; /* of the label; constant once n_series counts it */
    _Atomic uint64_t total;         /* counter; sum of a histogram in ns */
    _Atomic uint64_t bucket[METRIC_MAX_BUCKETS + 1];
} metric_series;

typedef struct {
    metric_type type; /* COUNTER or HISTOGRAM */
    const char *name, *help;
    const char *label;     /* NULL: none */
    const uint64_t *bound; /* HISTOGRAM: upper bounds in ns, ascending */
    unsigned n_bounds;
    pthread_mutex_t lock; /* held while a series is added */
    atomic_uint n_series;
    metric_series series[METRIC_MAX_SERIES];
} metric;

/* value: of the label; NULL where there is none. */
void cuzk_metric_add(metric *m, const char *value, uint64_t n);
void cuzk_metric_observe_ns(metric *m, const char *value, uint64_t ns);
uint64_t cuzk_metric_total(const metric *m, const char *value); /* 0 for an unknown series */

/* ---- the page ---- */

typedef struct {
    cuzk_buffer out;
    /* The established daemon calls two families counters whose names do not end in _total, which
     * promtool rejects. Strict pages say "untyped" there. */
    bool strict;
} metrics_page;

typedef struct {
    const char *name, *value; /* the value may hold anything; it is escaped */
} metric_label;

void cuzk_page_family(metrics_page *p, metric_type type, const char *name, const char *help);
/* One line "name{labels} value"; suffix ("_sum", or "") goes behind the name. */
void cuzk_page_uint(metrics_page *p, const char *name, const char *suffix,
                    const metric_label label[], size_t n_labels, uint64_t value);
void cuzk_page_seconds(metrics_page *p, const char *name, const char *suffix,
                       const metric_label label[], size_t n_labels, uint64_t ns);
/* Family and line in one, without labels. */
void cuzk_page_single(metrics_page *p, metric_type type, const char *name, const char *help,
                      uint64_t value);
void cuzk_page_metric(metrics_page *p, const metric *m);

#endif

/* What bench_field, bench_msm and bench_ntt share: samples of one case and their JSON line. */
#ifndef CUZK_BENCH_REPORT_H
#define CUZK_BENCH_REPORT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cpu.h"

#define BENCH_SAMPLES_MAX 64u

typedef struct {
    double ns[BENCH_SAMPLES_MAX];
    unsigned n;
} bench_samples;

static inline int bench_order(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static inline void bench_add(bench_samples *s, double ns)
{
    if (s->n < BENCH_SAMPLES_MAX)
        s->ns[s->n++] = ns;
}

/* Sorts the samples; there is at least one. */
static inline void bench_sort(bench_samples *s)
{
    qsort(s->ns, s->n, sizeof s->ns[0], bench_order);
}

/* One line; items: what a run handles; bound_ns: a run at the bound of two multiply-adds of eight
 * lanes a cycle (docs/field.md), 0 where none is stated; extra: more members, or "". */
static inline void bench_json(bench_samples *s, const char *bench, const char *name,
                              unsigned threads, double items, double bound_ns, const char *extra)
{
    bench_sort(s);
    double least = s->ns[0];
    printf("{\"bench\":\"%s\",\"case\":\"%s\",\"path\":\"%s\",\"threads\":%u,\"n\":%.0f,"
           "\"reps\":%u,\"min_ns\":%.1f,\"median_ns\":%.1f,\"max_ns\":%.1f,\"items_per_s\":%.4g",
           bench, name, cuzk_cpu_path_name(cuzk_cpu_active()), threads, items, s->n, least,
           s->ns[s->n / 2], s->ns[s->n - 1], items / least * 1e9);
    if (bound_ns > 0)
        printf(",\"of_bound\":%.3f", bound_ns / least);
    printf("%s}\n", extra);
    fflush(stdout);
}

/* Nanoseconds of one product (one lane) at that bound. */
#define BENCH_FP_PRODUCT_NS 4.95
#define BENCH_FR_PRODUCT_NS 1.97

#endif

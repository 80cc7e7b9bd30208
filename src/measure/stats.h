/* Small statistics of measurements: order statistics, a generator that repeats itself, the interval
 * of a ratio. All functions are pure; the same seed gives the same numbers. */
#ifndef CUZK_MEASURE_STATS_H
#define CUZK_MEASURE_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* splitmix64 [Steele, Lea, Flood 2014]: for plans and resampling, never for secrets. */
typedef struct {
    uint64_t state;
} stats_rng;
uint64_t cuzk_stats_next(stats_rng *rng);
uint32_t cuzk_stats_below(stats_rng *rng, uint32_t n); /* uniform in [0, n), n > 0 */
void cuzk_stats_shuffle(stats_rng *rng, uint16_t x[], size_t n);

/* x is sorted in place by the functions that take it without const. n > 0. */
void cuzk_stats_sort(double x[], size_t n);
double cuzk_stats_median(double x[], size_t n);
double cuzk_stats_quantile(double x[], size_t n, double q); /* between neighbours: linear */
/* Mean without the lowest and the highest quarter (rounded down; of three: the median). As good as
 * the mean for quiet machines, and unmoved by a run that was disturbed. */
double cuzk_stats_midmean(double x[], size_t n);
/* 1.4826 times the median distance from the median: the deviation, were x normal. */
double cuzk_stats_mad(double x[], size_t n);

typedef struct {
    double estimate, low, high;
} stats_interval;

/* How many times b is a: ratio of medians with a percentile bootstrap interval of so much
 * confidence (0.95). All values > 0, otherwise CUZK_INVAL. Fewer than 3 values on a side carry no
 * information about spread: the interval is then (0, infinity). */
cuzk_status cuzk_stats_ratio(stats_interval *out, const double a[], size_t n_a, const double b[],
                             size_t n_b, double confidence, uint64_t seed, cuzk_err *err);

#endif

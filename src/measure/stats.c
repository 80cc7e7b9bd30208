#include "measure/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define N_RESAMPLES 2000u

uint64_t cuzk_stats_next(stats_rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The bias of the high product is below n / 2^64. */
uint32_t cuzk_stats_below(stats_rng *rng, uint32_t n)
{
    return (uint32_t)((cuzk_u128)cuzk_stats_next(rng) * n >> 64);
}

void cuzk_stats_shuffle(stats_rng *rng, uint16_t x[], size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t k = cuzk_stats_below(rng, (uint32_t)i);
        uint16_t t = x[i - 1];
        x[i - 1] = x[k];
        x[k] = t;
    }
}

/* ---- order ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Insertion for the short lists that resampling sorts by the million. */
void cuzk_stats_sort(double x[], size_t n)
{
    if (n > 24) {
        qsort(x, n, sizeof *x, ascending);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        double v = x[i];
        size_t k = i;
        for (; k > 0 && x[k - 1] > v; k--)
            x[k] = x[k - 1];
        x[k] = v;
    }
}

double cuzk_stats_median(double x[], size_t n)
{
    cuzk_stats_sort(x, n);
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

static double sorted_quantile(const double x[], size_t n, double q)
{
    double at = q * (double)(n - 1);
    size_t i = (size_t)at;
    return i + 1 < n ? x[i] + (at - (double)i) * (x[i + 1] - x[i]) : x[n - 1];
}

double cuzk_stats_quantile(double x[], size_t n, double q)
{
    cuzk_stats_sort(x, n);
    return sorted_quantile(x, n, q);
}

double cuzk_stats_midmean(double x[], size_t n)
{
    size_t cut = n == 3 ? 1 : n / 4;
    double sum = 0;
    cuzk_stats_sort(x, n);
    for (size_t i = cut; i < n - cut; i++)
        sum += x[i];
    return sum / (double)(n - 2 * cut);
}

double cuzk_stats_mad(double x[], size_t n)
{
    double middle = cuzk_stats_median(x, n);
    for (size_t i = 0; i < n; i++)
        x[i] = fabs(x[i] - middle);
    return 1.4826 * cuzk_stats_median(x, n);
}

/* ---- ratio ---- */

static bool all_positive(const double x[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!(x[i] > 0) || !isfinite(x[i]))
            return false;
    }
    return n > 0;
}

static double resampled_median(stats_rng *rng, double scratch[], const double x[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = x[cuzk_stats_below(rng, (uint32_t)n)];
    return cuzk_stats_median(scratch, n);
}

cuzk_status cuzk_stats_ratio(stats_interval *out, const double a[], size_t n_a, const double b[],
                             size_t n_b, double confidence, uint64_t seed, cuzk_err *err)
{
    stats_rng rng = {seed};
    if (!all_positive(a, n_a) || !all_positive(b, n_b) || n_a > UINT32_MAX || n_b > UINT32_MAX)
        return cuzk_fail(err, CUZK_INVAL, 0, "a ratio is of positive numbers");
    size_t most = n_a > n_b ? n_a : n_b;
    double *scratch = CUZK_NEW_ARRAY(double, most);
    double *ratio = CUZK_NEW_ARRAY(double, N_RESAMPLES);
    cuzk_status st = CUZK_OK;
    if (!scratch || !ratio) {
        st = cuzk_fail(err, CUZK_NOMEM, 0, "ratio: no memory");
        goto out;
    }
    memcpy(scratch, a, n_a * sizeof *a);
    double base = cuzk_stats_median(scratch, n_a);
    memcpy(scratch, b, n_b * sizeof *b);
    *out = (stats_interval){cuzk_stats_median(scratch, n_b) / base, 0, (double)INFINITY};
    if (n_a < 3 || n_b < 3)
        goto out;
    for (unsigned i = 0; i < N_RESAMPLES; i++) {
        double divisor = resampled_median(&rng, scratch, a, n_a);
        ratio[i] = resampled_median(&rng, scratch, b, n_b) / divisor;
    }
    out->low = cuzk_stats_quantile(ratio, N_RESAMPLES, 0.5 * (1 - confidence));
    out->high = sorted_quantile(ratio, N_RESAMPLES, 0.5 * (1 + confidence));
out:
    cuzk_free(ratio);
    cuzk_free(scratch);
    return st;
}

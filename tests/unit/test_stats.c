/* Order statistics against definitions, the generator against published values, coverage of ratio
 * intervals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/stats.h"

static void test_generator(void **state)
{
    /* splitmix64 from seed 1234567: the values of the reference implementation */
    static const uint64_t want[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                    UINT64_C(9817491932198370423)};
    stats_rng rng = {1234567};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(cuzk_stats_next(&rng), want[i]);
    unsigned seen[7] = {0};
    for (unsigned i = 0; i < 7000; i++)
        seen[cuzk_stats_below(&rng, 7)]++;
    for (unsigned i = 0; i < 7; i++)
        assert_in_range(seen[i], 850, 1150);
}

static void test_shuffle_is_a_permutation(void **state)
{
    stats_rng rng = {9};
    uint16_t x[50];
    bool seen[50] = {false};
    (void)state;
    for (uint16_t i = 0; i < 50; i++)
        x[i] = i;
    cuzk_stats_shuffle(&rng, x, 50);
    for (unsigned i = 0; i < 50; i++) {
        assert_false(seen[x[i]]);
        seen[x[i]] = true;
    }
}

static void test_order(void **state)
{
    static const struct {
        double x[8];
        size_t n;
        double median, midmean, mad;
    } cases[] = {
        {{5}, 1, 5, 5, 0},
        {{1, 3}, 2, 2, 2, 1.4826},
        {{9, 1, 2}, 3, 2, 2, 1.4826},
        {{4, 1, 3, 100}, 4, 3.5, 3.5, 1.4826 * 1.5},
        {{1, 2, 3, 4, 5, 6, 7, 1000}, 8, 4.5, 4.5, 1.4826 * 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double x[8];
        memcpy(x, cases[i].x, sizeof x);
        assert_true(fabs(cuzk_stats_median(x, cases[i].n) - cases[i].median) < 1e-12);
        memcpy(x, cases[i].x, sizeof x);
        assert_true(fabs(cuzk_stats_midmean(x, cases[i].n) - cases[i].midmean) < 1e-12);
        memcpy(x, cases[i].x, sizeof x);
        assert_true(fabs(cuzk_stats_mad(x, cases[i].n) - cases[i].mad) < 1e-9);
    }
    double q[] = {10, 0, 5};
    assert_true(fabs(cuzk_stats_quantile(q, 3, 0.25) - 2.5) < 1e-12);
    assert_true(fabs(cuzk_stats_quantile(q, 3, 1) - 10) < 1e-12);
}

static void test_long_lists_are_sorted(void **state)
{
    stats_rng rng = {3};
    double x[1000];
    (void)state;
    for (size_t i = 0; i < 1000; i++)
        x[i] = cuzk_stats_below(&rng, 1000);
    cuzk_stats_sort(x, 1000);
    for (size_t i = 1; i < 1000; i++)
        assert_true(x[i - 1] <= x[i]);
}

/* Uneven, as timings are: a floor and a long tail. */
static double sample(stats_rng *rng)
{
    double u = ((double)cuzk_stats_below(rng, 1000000) + 1) / 1000001;
    return 100 - 3 * log(u);
}

/* Of 95 % intervals about 95 % hold the true ratio. */
static void test_ratio_covers(void **state)
{
    stats_rng rng = {77};
    unsigned n_covered = 0;
    (void)state;
    for (unsigned k = 0; k < 200; k++) {
        double a[15], b[15];
        stats_interval r;
        for (size_t i = 0; i < 15; i++) {
            a[i] = sample(&rng);
            b[i] = 1.1 * sample(&rng);
        }
        assert_int_equal(cuzk_stats_ratio(&r, a, 15, b, 15, 0.95, k, NULL), CUZK_OK);
        assert_true(r.low <= r.estimate && r.estimate <= r.high);
        n_covered += r.low <= 1.1 && 1.1 <= r.high;
    }
    assert_in_range(n_covered, 180, 200);
}

static void test_ratio_edges(void **state)
{
    const double two[] = {1, 2}, good[] = {1, 2, 3}, zero[] = {0, 1, 2}, bad[] = {1, NAN, 2};
    stats_interval r, again;
    cuzk_err err;
    (void)state;
    assert_int_equal(cuzk_stats_ratio(&r, two, 2, good, 3, 0.95, 1, NULL), CUZK_OK);
    assert_true(r.low == 0 && isinf(r.high) && fabs(r.estimate - 2 / 1.5) < 1e-12);
    assert_int_equal(cuzk_stats_ratio(&r, zero, 3, good, 3, 0.95, 1, &err), CUZK_INVAL);
    assert_int_equal(cuzk_stats_ratio(&r, good, 3, bad, 3, 0.95, 1, &err), CUZK_INVAL);
    assert_int_equal(cuzk_stats_ratio(&r, good, 0, good, 3, 0.95, 1, &err), CUZK_INVAL);
    assert_int_equal(cuzk_stats_ratio(&r, good, 3, good, 3, 0.95, 5, NULL), CUZK_OK);
    assert_int_equal(cuzk_stats_ratio(&again, good, 3, good, 3, 0.95, 5, NULL), CUZK_OK);
    assert_memory_equal(&r, &again, sizeof r); /* the same seed: the same interval */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generator),    cmocka_unit_test(test_shuffle_is_a_permutation),
        cmocka_unit_test(test_order),        cmocka_unit_test(test_long_lists_are_sorted),
        cmocka_unit_test(test_ratio_covers), cmocka_unit_test(test_ratio_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

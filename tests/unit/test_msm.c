/* Sums and multiples of points, quick tier. CASES: F01-F03, F05, F07, F11. */
#define SUM_TEST_POINTS    33000
#define LONG_BUCKET_POINTS 17000 /* more than MSM_PIECE */

#include "unit/msm_both.h"

/* Digits, put together again, give back the scalar, for every window size. */
static void digits_of_scalars(void **state)
{
    (void)state;
    size_t n;
    fr_canon *k = edge_scalars(&n);
    for (unsigned c = MSM_MIN_WINDOW; c <= MSM_MAX_WINDOW; c++) {
        unsigned n_windows = (FR_BITS + c - 1) / c;
        uint64_t bias[4];
        cuzk_msm_bias(bias, c, n_windows);
        for (size_t i = 0; i < n; i++) {
            msm_digits d;
            fr sum = {{0}}, x, want;
            cuzk_msm_recode(&d, &k[i], bias);
            for (unsigned w = n_windows; w-- > 0;) {
                int32_t digit = msm_digit(&d, c, n_windows, w);
                assert_in_range(digit + (1 << (c - 1)), 0, 1 << c);
                for (unsigned b = 0; b < c; b++)
                    fr_dbl(&sum, &sum);
                cuzk_fr_from_u64(&x, (uint64_t)abs(digit));
                if ((digit < 0) != (d.neg != 0))
                    fr_neg(&x, &x);
                fr_add(&sum, &sum, &x);
            }
            cuzk_fr_from_canon(&want, &k[i]);
            assert_true(fr_eq(&sum, &want));
        }
    }
    free(k);
}

/* F08: sizes that no test can run. Nothing may overflow, scratch stays bounded. */
static void plans_of_huge_sums(void **state)
{
    (void)state;
    for (size_t n = 1; n < (size_t)1 << 31; n += n / 3 + 1) {
        msm_plan p;
        cuzk_msm_plan_make(&p, n);
        assert_true(p.c >= MSM_MIN_WINDOW && p.c <= MSM_MAX_WINDOW);
        assert_true(p.n_windows * p.c >= FR_BITS && p.n_windows <= MSM_MAX_WINDOWS);
        assert_true(p.group >= 1 && p.group <= p.n_windows);
        assert_true(p.group == 1 || p.group * n <= (size_t)1 << 24);
        assert_true((size_t)1 << p.lg_seg <= MSM_SEG_KEYS);
        assert_true(p.range * p.n_ranges >= n && p.range * (p.n_ranges - 1) < n);
    }
}

static void too_many_points(void **state)
{
    (void)state;
    cuzk_err err;
    g1_jac out;
    fr_canon k = {{0}};
    size_t n = (size_t)1 << 31;
    assert_int_equal(cuzk_msm_g1(NULL, &out, &cuzk_g1_generator, NULL, &k, n, &err), CUZK_INVAL);
    assert_int_equal(cuzk_sum_g1(NULL, &out, &cuzk_g1_generator, NULL, n, &err), CUZK_INVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_of_scalars),
        cmocka_unit_test(plans_of_huge_sums),
        cmocka_unit_test(too_many_points),
        cmocka_unit_test(test_g1_msm_sizes),
        cmocka_unit_test(test_g2_msm_sizes),
        cmocka_unit_test(test_g1_msm_double_and_add),
        cmocka_unit_test(test_g2_msm_double_and_add),
        cmocka_unit_test(test_g1_msm_edge_scalars),
        cmocka_unit_test(test_g2_msm_edge_scalars),
        cmocka_unit_test(test_g1_msm_distributions),
        cmocka_unit_test(test_g2_msm_distributions),
        cmocka_unit_test(test_g1_msm_strange_points),
        cmocka_unit_test(test_g2_msm_strange_points),
        cmocka_unit_test(test_g1_msm_indexed),
        cmocka_unit_test(test_g2_msm_indexed),
        cmocka_unit_test(test_g1_msm_long_buckets),
        cmocka_unit_test(test_g2_msm_long_buckets),
        cmocka_unit_test(test_g1_sum_sizes),
        cmocka_unit_test(test_g2_sum_sizes),
        cmocka_unit_test(test_g1_fixed_base),
        cmocka_unit_test(test_g2_fixed_base),
        cmocka_unit_test(test_g1_out_of_memory),
        cmocka_unit_test(test_g2_out_of_memory),
    };
    test_init();
    return cmocka_run_group_tests(tests, NULL, free_pools);
}

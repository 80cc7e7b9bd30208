/* Sums of many points, long tier. CASES: F05, F08, F11. */
#define SUM_TEST_POINTS    300000
#define LONG_BUCKET_POINTS 200001

#include "unit/msm_both.h"

static void g1_large(void **state)
{
    (void)state;
    size_t n = ((size_t)1 << 20) + 1, half = (size_t)1 << 19;
    test_g1_points s = test_g1_points_new(n);
    test_g1_msm_one(&s, UNIFORM, n);
    test_g1_msm_one(&s, MOSTLY_ONE, n);
    for (int kind = 0; kind < N_DISTRIBUTIONS; kind++)
        test_g1_msm_one(&s, kind, half);
    test_g1_check("sum", &s, NULL, NULL, n);
    test_g1_points_free(&s);
}

static void g2_large(void **state)
{
    (void)state;
    size_t n = ((size_t)1 << 19) + 1;
    test_g2_points s = test_g2_points_new(n);
    test_g2_msm_one(&s, UNIFORM, n);
    test_g2_msm_one(&s, ALL_EQUAL, n - 1);
    test_g2_check("sum", &s, NULL, NULL, n);
    test_g2_points_free(&s);
}

/* Sizes around every power of two, where plans change. */
static void g1_powers_of_two(void **state)
{
    (void)state;
    size_t n = ((size_t)1 << 16) + 1;
    test_g1_points s = test_g1_points_new(n);
    for (unsigned lg = 1; lg <= 16; lg++)
        for (size_t m = ((size_t)1 << lg) - 1; m <= ((size_t)1 << lg) + 1; m++)
            test_g1_msm_one(&s, UNIFORM, m);
    test_g1_points_free(&s);
}

/* Scratch of a sum of 2^20 points, and what 2^22 would take by the same plan. */
static void scratch_is_bounded(void **state)
{
    (void)state;
    size_t n = (size_t)1 << 20;
    test_g1_points s = test_g1_points_new(n);
    fr_canon *k = random_scalars(n);
    uint64_t before = cuzk_mem_used();
    test_g1_actual(NULL, &s, NULL, k, n);
    assert_true(cuzk_mem_peak() - before < (uint64_t)400 << 20);
    free(k);
    test_g1_points_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scratch_is_bounded),
        cmocka_unit_test(g1_large),
        cmocka_unit_test(g2_large),
        cmocka_unit_test(g1_powers_of_two),
        cmocka_unit_test(test_g1_msm_sizes),
        cmocka_unit_test(test_g2_msm_sizes),
        cmocka_unit_test(test_g1_sum_sizes),
        cmocka_unit_test(test_g2_sum_sizes),
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
        cmocka_unit_test(test_g1_fixed_base),
        cmocka_unit_test(test_g2_fixed_base),
        cmocka_unit_test(test_g1_out_of_memory),
        cmocka_unit_test(test_g2_out_of_memory),
    };
    test_init();
    return cmocka_run_group_tests(tests, NULL, free_pools);
}

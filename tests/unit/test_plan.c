/* Plans: every configuration that is promised, each once a block, orders that differ and repeat. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "measure/plan.h"

static bool has(const measure_plan *p, uint32_t mask)
{
    for (unsigned i = 0; i < p->n_configs; i++) {
        if (p->mask[i] == mask)
            return true;
    }
    return false;
}

static void test_configurations(void **state)
{
    static const unsigned n_configs[] = {0, 3, 5, 9, 17, 23, 30, 17, 19, 21, 23, 25, 27};
    (void)state;
    for (unsigned n = 1; n <= PLAN_MAX_SWITCHES; n++) {
        measure_plan p;
        uint32_t all = (UINT32_C(1) << n) - 1;
        assert_int_equal(cuzk_plan_make(&p, n, 1, NULL), CUZK_OK);
        assert_int_equal(p.n_configs, n_configs[n]);
        assert_int_equal(p.mask[0], 0);
        assert_int_equal(p.mask[1], 0);
        assert_true(has(&p, all));
        for (unsigned i = 0; i < n; i++) {
            assert_true(has(&p, UINT32_C(1) << i));
            assert_true(has(&p, all & ~(UINT32_C(1) << i)));
            for (unsigned k = 0; k < i && n <= PLAN_MAX_WITH_PAIRS; k++)
                assert_true(has(&p, UINT32_C(1) << i | UINT32_C(1) << k));
        }
    }
}

static void test_too_many(void **state)
{
    measure_plan p;
    cuzk_err err;
    (void)state;
    assert_int_equal(cuzk_plan_make(&p, 0, 1, &err), CUZK_INVAL);
    assert_int_equal(cuzk_plan_make(&p, PLAN_MAX_SWITCHES + 1, 1, &err), CUZK_INVAL);
    assert_non_null(strstr(err.msg, "13"));
}

static void test_blocks(void **state)
{
    measure_plan p;
    uint16_t first[PLAN_MAX_CONFIGS], order[PLAN_MAX_CONFIGS];
    unsigned n_equal = 0, sum_of_first = 0;
    (void)state;
    assert_int_equal(cuzk_plan_make(&p, 5, 42, NULL), CUZK_OK);
    cuzk_plan_block(&p, 0, first);
    for (uint64_t b = 0; b < 1000; b++) {
        uint32_t seen = 0;
        cuzk_plan_block(&p, b, order);
        for (unsigned i = 0; i < p.n_configs; i++)
            seen |= UINT32_C(1) << order[i];
        assert_int_equal(cuzk_popcount64(seen), p.n_configs);
        n_equal += memcmp(order, first, p.n_configs * sizeof order[0]) == 0;
        sum_of_first += order[0];
    }
    assert_int_equal(n_equal, 1);
    assert_in_range(sum_of_first, 10000, 12000); /* mean of 0..22 is 11 */
    cuzk_plan_block(&p, 0, order);
    assert_memory_equal(order, first, p.n_configs * sizeof order[0]);
    p.seed = 43;
    cuzk_plan_block(&p, 0, order);
    assert_memory_not_equal(order, first, p.n_configs * sizeof order[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configurations),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

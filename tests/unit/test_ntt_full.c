/* Long tier: round trips of large sizes and the time of a transform (printed, not judged). */
#include "unit/ntt_support.h"

#include <stdio.h>

#include "base/clock.h"
#include "ntt/quotient.h"

#define SEED 0x6e7474u

static void large_round_trips(void **state)
{
    (void)state;
    cuzk_pool *pool = NULL;
    assert_int_equal(cuzk_pool_new(&pool, 0, "ntt-test", NULL), CUZK_OK);
    for (unsigned lg_n = 17; lg_n <= 22; lg_n++) {
        size_t n = (size_t)1 << lg_n;
        ntt_plan *plan = test_plan(lg_n, pool);
        fr *x = test_vector(n, SEED), *y = test_vector(n, SEED);
        uint64_t t0 = cuzk_now_ns();
        cuzk_ntt_forward_nr(plan, y, pool);
        uint64_t t1 = cuzk_now_ns();
        cuzk_ntt_inverse_rn(plan, y, pool);
        uint64_t t2 = cuzk_now_ns();
        printf("2^%u: forward nr %.1f ms, inverse rn %.1f ms\n", lg_n, (double)(t1 - t0) * 1e-6,
               (double)(t2 - t1) * 1e-6);
        assert_memory_equal(x, y, n * sizeof *x);
        cuzk_free(y);
        cuzk_free(x);
        cuzk_ntt_plan_free(plan);
    }
    cuzk_pool_free(pool);
}

/* h must satisfy A(x) B(x) - C(x) = h(x) (x^n - 1) at a random point (n = 2^20). */
static void eval(fr *r, const fr coeff[], size_t n, const fr *x)
{
    *r = (fr){{0}};
    for (size_t i = n; i-- > 0;) {
        fr_mul(r, r, x);
        fr_add(r, r, &coeff[i]);
    }
}

static void interpolate_at(fr *r, const ntt_plan *plan, const fr value[], size_t n, const fr *x,
                           cuzk_pool *pool)
{
    fr *c = CUZK_NEW_ARRAY(fr, n);
    assert_non_null(c);
    for (size_t i = 0; i < n; i++)
        c[i] = value[i];
    cuzk_ntt_inverse_nr(plan, c, pool);
    cuzk_ntt_bit_reverse(plan, c, pool);
    eval(r, c, n, x);
    cuzk_free(c);
}

static void quotient_at_a_random_point(void **state)
{
    (void)state;
    unsigned lg_n = 20;
    size_t n = (size_t)1 << lg_n;
    cuzk_pool *pool = NULL;
    assert_int_equal(cuzk_pool_new(&pool, 0, "ntt-test", NULL), CUZK_OK);
    ntt_plan *plan = test_plan(lg_n, pool);
    fr *a = test_vector(n, 1), *b = test_vector(n, 2), *h = test_vector(n, 3);
    fr *c = test_vector(n, 4), x, ax, bx, cx, hx, t;
    for (size_t i = 0; i < n; i++)
        fr_mul(&c[i], &a[i], &b[i]);
    cuzk_fr_from_u64(&x, 0x123456789abcdefu);
    interpolate_at(&ax, plan, a, n, &x, pool);
    interpolate_at(&bx, plan, b, n, &x, pool);
    interpolate_at(&cx, plan, c, n, &x, pool);
    cuzk_ntt_quotient(plan, h, a, b, pool);
    eval(&hx, h, n, &x);
    cuzk_fr_pow_u64(&t, &x, n);
    fr_sub(&t, &t, &cuzk_fr_one);
    fr_mul(&t, &t, &hx);
    fr_mul(&ax, &ax, &bx);
    fr_sub(&ax, &ax, &cx);
    assert_true(fr_eq(&ax, &t));
    cuzk_free(c);
    cuzk_free(h);
    cuzk_free(b);
    cuzk_free(a);
    cuzk_ntt_plan_free(plan);
    cuzk_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_round_trips),
        cmocka_unit_test(quotient_at_a_random_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Transforms against the definition (a naive DFT), round trips, thread counts, the quotient. */
#include "unit/ntt_support.h"

#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "ntt/ntt_internal.h"
#include "ntt/quotient.h"

#define SEED 0x6e7474u

static void omega_of(fr *w, unsigned lg_n)
{
    *w = cuzk_fr_root_of_unity;
    for (unsigned i = lg_n; i < FR_TWO_ADICITY; i++)
        fr_sqr(w, w);
}

/* out[k] = sum_j x[j] w^(j k) by Horner's rule. */
static void naive_dft(fr out[], const fr x[], size_t n, const fr *w)
{
    fr point = cuzk_fr_one;
    for (size_t k = 0; k < n; k++) {
        fr acc = {{0}};
        for (size_t j = n; j-- > 0;) {
            fr_mul(&acc, &acc, &point);
            fr_add(&acc, &acc, &x[j]);
        }
        out[k] = acc;
        fr_mul(&point, &point, w);
    }
}

typedef void (*transform_fn)(const ntt_plan *, fr[], cuzk_pool *);

typedef struct {
    const char *name;
    transform_fn fn;
    bool inverse, reversed_in;
} order_case;

static const order_case orders[] = {
    {"forward nr", cuzk_ntt_forward_nr, false, false},
    {"forward rn", cuzk_ntt_forward_rn, false, true},
    {"inverse nr", cuzk_ntt_inverse_nr, true, false},
    {"inverse rn", cuzk_ntt_inverse_rn, true, true},
};

static void expected_of(fr want[], const fr x[], unsigned lg_n, bool inverse)
{
    size_t n = (size_t)1 << lg_n;
    fr w, scale;
    omega_of(&w, lg_n);
    if (inverse)
        cuzk_fr_inv_vartime(&w, &w);
    naive_dft(want, x, n, &w);
    cuzk_fr_from_u64(&scale, n);
    cuzk_fr_inv_vartime(&scale, &scale);
    for (size_t i = 0; inverse && i < n; i++)
        fr_mul(&want[i], &want[i], &scale);
}

static void check_order(const order_case *c, unsigned lg_n, cuzk_pool *pool)
{
    size_t n = (size_t)1 << lg_n;
    ntt_plan *plan = test_plan(lg_n, pool);
    fr *x = test_vector(n, SEED + lg_n), *want = test_vector(n, 0), *got = test_vector(n, 0);
    expected_of(want, x, lg_n, c->inverse);
    for (size_t i = 0; i < n; i++)
        got[c->reversed_in ? test_reverse_bits(i, lg_n) : i] = x[i];
    c->fn(plan, got, pool);
    for (size_t i = 0; i < n; i++) {
        size_t at = c->reversed_in ? i : test_reverse_bits(i, lg_n);
        if (!fr_eq(&got[at], &want[i]))
            fail_msg("%s, n = %zu, seed %#x: value %zu differs", c->name, n, SEED + lg_n, i);
    }
    cuzk_free(got);
    cuzk_free(want);
    cuzk_free(x);
    cuzk_ntt_plan_free(plan);
}

/* F12, F13: every order and every small size; 2^11 has a strided pass as well. */
static void orders_equal_definition(void **state)
{
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(orders); i++)
        for (unsigned lg_n = 0; lg_n <= 11; lg_n++)
            if (lg_n <= 10 || i == 0)
                check_order(&orders[i], lg_n, NULL);
}

static void inverse_undoes_forward(void **state)
{
    (void)state;
    for (unsigned lg_n = 0; lg_n <= 16; lg_n++) {
        size_t n = (size_t)1 << lg_n;
        ntt_plan *plan = test_plan(lg_n, NULL);
        fr *x = test_vector(n, SEED), *y = test_vector(n, SEED);
        cuzk_ntt_forward_nr(plan, y, NULL);
        cuzk_ntt_inverse_rn(plan, y, NULL);
        assert_memory_equal(x, y, n * sizeof *x);
        cuzk_ntt_inverse_nr(plan, y, NULL);
        cuzk_ntt_forward_rn(plan, y, NULL);
        assert_memory_equal(x, y, n * sizeof *x);
        cuzk_free(y);
        cuzk_free(x);
        cuzk_ntt_plan_free(plan);
    }
}

/* nr then bit reversal must equal bit reversal then rn: ties the two code paths together. */
static void paths_agree(void **state)
{
    (void)state;
    for (unsigned lg_n = 0; lg_n <= 18; lg_n += lg_n < 12 ? 1 : 3) {
        size_t n = (size_t)1 << lg_n;
        ntt_plan *plan = test_plan(lg_n, NULL);
        fr *x = test_vector(n, SEED), *y = test_vector(n, SEED);
        cuzk_ntt_forward_nr(plan, x, NULL);
        cuzk_ntt_bit_reverse(plan, x, NULL);
        cuzk_ntt_bit_reverse(plan, y, NULL);
        cuzk_ntt_forward_rn(plan, y, NULL);
        assert_memory_equal(x, y, n * sizeof *x);
        cuzk_free(y);
        cuzk_free(x);
        cuzk_ntt_plan_free(plan);
    }
}

/* The eight-lane path against the portable one: every order, with and without strided passes.
 * Values at the ends of the range ride along, since the lanes work with unreduced ones. */
static void simd_equals_portable(void **state)
{
    (void)state;
    if (!cuzk_cpu_lanes()) {
        print_message("SKIP: this processor (or CUZK_CPU) has no eight-lane path\n");
        skip();
        return;
    }
    fr largest;
    fr_neg(&largest, &cuzk_fr_one);
    for (unsigned lg_n = 10; lg_n <= 18; lg_n++) {
        size_t n = (size_t)1 << lg_n;
        ntt_plan *simd = NULL, *portable = NULL;
        assert_int_equal(cuzk_ntt_plan_new_on(&simd, lg_n, true, NULL, NULL), CUZK_OK);
        assert_int_equal(cuzk_ntt_plan_new_on(&portable, lg_n, false, NULL, NULL), CUZK_OK);
        assert_true(simd->simd && !portable->simd);
        for (size_t k = 0; k < CUZK_ARRAY_LEN(orders); k++) {
            fr *x = test_vector(n, SEED + k), *y = test_vector(n, SEED + k);
            for (size_t i = 0; i < n / 2; i++) {
                size_t at = (i * 7 + k) % n;
                x[at] = y[at] = i % 4 ? largest : (fr){{0}};
            }
            orders[k].fn(simd, x, NULL);
            orders[k].fn(portable, y, NULL);
            if (memcmp(x, y, n * sizeof *x) != 0)
                fail_msg("%s, n = 2^%u: the paths differ", orders[k].name, lg_n);
            cuzk_free(y);
            cuzk_free(x);
        }
        cuzk_ntt_plan_free(portable);
        cuzk_ntt_plan_free(simd);
    }
}

/* h as plain integers, from values of c and without, is h. */
static void check_plain(const ntt_plan *plan, const fr h[])
{
    for (int c_given = 0; c_given < 2; c_given++) {
        fr *a = test_vector(plan->n, 1), *b = test_vector(plan->n, 2), *x = test_vector(plan->n, 3);
        for (size_t i = 0; c_given && i < plan->n; i++)
            fr_mul(&x[i], &a[i], &b[i]);
        cuzk_ntt_quotient_plain(plan, x, a, b, c_given, NULL);
        for (size_t i = 0; i < plan->n; i++) {
            fr_canon want;
            cuzk_fr_to_canon(&want, &h[i]);
            assert_memory_equal(&x[i], &want, sizeof want);
        }
        cuzk_free(x);
        cuzk_free(b);
        cuzk_free(a);
    }
}

static void simd_quotient_equals_portable(void **state)
{
    (void)state;
    if (!cuzk_cpu_lanes()) {
        print_message("SKIP: this processor (or CUZK_CPU) has no eight-lane path\n");
        skip();
        return;
    }
    for (unsigned lg_n = 10; lg_n <= 14; lg_n++) {
        size_t n = (size_t)1 << lg_n;
        fr *h[2];
        for (int simd = 0; simd < 2; simd++) {
            ntt_plan *plan = NULL;
            fr *a = test_vector(n, 1), *b = test_vector(n, 2);
            h[simd] = test_vector(n, 3);
            assert_int_equal(cuzk_ntt_plan_new_on(&plan, lg_n, simd, NULL, NULL), CUZK_OK);
            cuzk_ntt_quotient(plan, h[simd], a, b, NULL);
            check_plain(plan, h[simd]);
            cuzk_ntt_plan_free(plan);
            cuzk_free(b);
            cuzk_free(a);
        }
        assert_memory_equal(h[0], h[1], n * sizeof(fr));
        cuzk_free(h[1]);
        cuzk_free(h[0]);
    }
}

/* F11 */
static void any_thread_count_same_bytes(void **state)
{
    (void)state;
    size_t n = (size_t)1 << 15;
    fr *want = test_vector(n, SEED);
    ntt_plan *plan = test_plan(15, NULL);
    cuzk_ntt_forward_nr(plan, want, NULL);
    for (unsigned threads = 1; threads <= 5; threads++) {
        cuzk_pool *pool = NULL;
        assert_int_equal(cuzk_pool_new(&pool, threads, "ntt-test", NULL), CUZK_OK);
        ntt_plan *threaded = test_plan(15, pool);
        fr *x = test_vector(n, SEED);
        cuzk_ntt_forward_nr(threaded, x, pool);
        assert_memory_equal(x, want, n * sizeof *x);
        cuzk_free(x);
        cuzk_ntt_plan_free(threaded);
        cuzk_pool_free(pool);
    }
    cuzk_ntt_plan_free(plan);
    cuzk_free(want);
}

/* F15 */
static void too_large_degrees_are_refused(void **state)
{
    (void)state;
    for (unsigned lg_n = NTT_MAX_LG + 1; lg_n <= 33; lg_n++) {
        ntt_plan *plan = NULL;
        cuzk_err err = {0};
        char degree[16];
        uint64_t before = cuzk_mem_used();
        assert_int_equal(cuzk_ntt_plan_new(&plan, lg_n, NULL, &err), CUZK_INVAL);
        assert_null(plan);
        snprintf(degree, sizeof degree, "2^%u", lg_n);
        assert_non_null(strstr(err.msg, degree));
        assert_int_equal(cuzk_mem_used(), before);
    }
}

static void plan_survives_failed_allocation(void **state)
{
    (void)state;
    for (uint64_t nth = 1; nth <= 2; nth++) {
        ntt_plan *plan = NULL;
        uint64_t before = cuzk_mem_used();
        cuzk_mem_fail_nth(nth);
        assert_int_equal(cuzk_ntt_plan_new(&plan, 4, NULL, NULL), CUZK_NOMEM);
        cuzk_mem_fail_nth(0);
        assert_null(plan);
        assert_int_equal(cuzk_mem_used(), before);
    }
}

/* A B = C + h (X^n - 1) with A, B, C interpolated by the definition. */
static void check_quotient(unsigned lg_n)
{
    size_t n = (size_t)1 << lg_n;
    ntt_plan *plan = test_plan(lg_n, NULL);
    fr *a = test_vector(n, 1), *b = test_vector(n, 2), *c = test_vector(n, 3);
    fr *ca = test_vector(n, 0), *cb = test_vector(n, 0), *cc = test_vector(n, 0);
    fr *h = test_vector(n, 4), *product = test_vector(2 * n, 0);
    for (size_t i = 0; i < n; i++)
        fr_mul(&c[i], &a[i], &b[i]);
    expected_of(ca, a, lg_n, true);
    expected_of(cb, b, lg_n, true);
    expected_of(cc, c, lg_n, true);
    memset(product, 0, 2 * n * sizeof *product);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            fr t;
            fr_mul(&t, &ca[i], &cb[j]);
            fr_add(&product[i + j], &product[i + j], &t);
        }
    cuzk_ntt_quotient(plan, h, a, b, NULL);
    for (size_t i = 0; i < n; i++) {
        fr low;
        fr_sub(&low, &cc[i], &h[i]);
        assert_true(fr_eq(&product[i], &low));
        assert_true(fr_eq(&product[n + i], &h[i]));
    }
    assert_true(fr_is_zero(&h[n - 1]));
    fr *all[] = {a, b, c, ca, cb, cc, h, product};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(all); i++)
        cuzk_free(all[i]);
    cuzk_ntt_plan_free(plan);
}

static void quotient_is_polynomial_division(void **state)
{
    (void)state;
    for (unsigned lg_n = 0; lg_n <= 8; lg_n++)
        check_quotient(lg_n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_equal_definition),
        cmocka_unit_test(inverse_undoes_forward),
        cmocka_unit_test(paths_agree),
        cmocka_unit_test(simd_equals_portable),
        cmocka_unit_test(simd_quotient_equals_portable),
        cmocka_unit_test(any_thread_count_same_bytes),
        cmocka_unit_test(too_large_degrees_are_refused),
        cmocka_unit_test(plan_survives_failed_allocation),
        cmocka_unit_test(quotient_is_polynomial_division),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "circuit/coeff.h"
#include "circuit/cs.h"

static void powers_of_two(void **state)
{
    (void)state;
    fr two, x, sum;
    cuzk_fr_from_u64(&two, 2);
    for (unsigned i = 0; i < COEFF_POWERS; i++) {
        cuzk_fr_pow_u64(&x, &two, i);
        assert_true(fr_eq(&x, &cuzk_pow2[i]));
        fr_add(&sum, &x, &cuzk_neg_pow2[i]);
        assert_true(fr_is_zero(&sum));
    }
    assert_true(fr_is_one(&cuzk_fr_bit[1]) && fr_is_zero(&cuzk_fr_bit[0]));
}

static void add_u64(cs_lc *lc, cs_var v, uint64_t k)
{
    fr x;
    cuzk_fr_from_u64(&x, k);
    cs_lc_add(lc, v, &x);
}

static void expect_terms(const cs_lc *lc, const cs_var var[], const uint64_t coeff[], size_t n)
{
    assert_int_equal(lc->n, n);
    for (size_t i = 0; i < n; i++) {
        fr x;
        cuzk_fr_from_u64(&x, coeff[i]);
        assert_int_equal(lc->term[i].var, var[i]);
        assert_true(fr_eq(&lc->term[i].coeff, &x));
    }
}

/* Inputs before aux, repeated variables merged, zeros (also from merging) dropped. */
static void normalize_small(void **state)
{
    (void)state;
    cs_lc lc;
    cs_lc_init(&lc);
    cs_lc_normalize(&lc);
    assert_int_equal(lc.n, 0);
    add_u64(&lc, 7, 1);
    add_u64(&lc, CS_ONE, 5);
    add_u64(&lc, 3, 0);
    add_u64(&lc, 9, 4);
    cs_lc_add(&lc, 7, COEFF_MINUS_ONE);
    add_u64(&lc, 2, 6);
    add_u64(&lc, 9, 4);
    add_u64(&lc, CS_INPUT_FLAG | 2, 3);
    cs_lc_normalize(&lc);
    static const cs_var var[] = {CS_ONE, CS_INPUT_FLAG | 2, 2, 9};
    static const uint64_t coeff[] = {5, 3, 6, 8};
    expect_terms(&lc, var, coeff, 4);
    cs_lc_clear(&lc);
    assert_int_equal(lc.n, 0);
    cs_lc_fini(&lc);
}

static uint64_t next_random(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return *s >> 33;
}

/* n terms over few variables, against a plain table of sums. */
static void check_random(size_t n, uint64_t seed)
{
    enum { N_VARS = 64 };
    uint64_t sum[2][N_VARS] = {{0}};
    cs_var var[2 * N_VARS];
    uint64_t coeff[2 * N_VARS];
    size_t expected = 0;
    cs_lc lc;
    cs_lc_init(&lc);
    for (size_t i = 0; i < n; i++) {
        unsigned aux = next_random(&seed) % 2, v = (unsigned)next_random(&seed) % N_VARS;
        uint64_t k = next_random(&seed) % 3;
        sum[aux][v] += k;
        add_u64(&lc, (aux ? 70000u * v : CS_INPUT_FLAG | v), k);
    }
    for (unsigned aux = 0; aux < 2; aux++) {
        for (unsigned v = 0; v < N_VARS; v++) {
            if (!sum[aux][v])
                continue;
            var[expected] = aux ? 70000u * v : CS_INPUT_FLAG | v;
            coeff[expected++] = sum[aux][v];
        }
    }
    cs_lc_normalize(&lc);
    expect_terms(&lc, var, coeff, expected);
    cs_lc_fini(&lc);
}

static void normalize_random(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 4, 5, 24, 25, 26, 100, 257, 1700};
    uint64_t seed = 20240611;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (unsigned k = 0; k < 20; k++)
            check_random(sizes[i], next_random(&seed));
    }
}

/* Sorting needs scratch: without it the result is the same. */
static void normalize_without_memory(void **state)
{
    (void)state;
    for (uint64_t nth = 1; nth <= 2; nth++) {
        cs_lc lc;
        cs_lc_init(&lc);
        for (uint32_t i = 0; i < 200; i++)
            add_u64(&lc, 199 - i, i + 1);
        cuzk_mem_fail_nth(nth);
        cs_lc_normalize(&lc);
        cuzk_mem_fail_nth(0);
        assert_int_equal(lc.n, 200);
        for (uint32_t i = 0; i < 200; i++)
            assert_int_equal(lc.term[i].var, i);
        cs_lc_fini(&lc);
    }
}

typedef struct {
    unsigned aux, inputs, rows, fail_at_row;
} recorder;

static cuzk_status record_aux(void *self, const fr *value, cuzk_err *err)
{
    (void)value, (void)err;
    ((recorder *)self)->aux++;
    return CUZK_OK;
}

static cuzk_status record_input(void *self, const fr *value, cuzk_err *err)
{
    recorder *r = (recorder *)self;
    (void)err;
    if (r->inputs++ == 0)
        assert_true(fr_is_one(value));
    return CUZK_OK;
}

static cuzk_status record_row(void *self, cs_lc *a, cs_lc *b, cs_lc *c, cuzk_err *err)
{
    recorder *r = (recorder *)self;
    (void)a, (void)b, (void)c;
    if (r->rows == r->fail_at_row)
        return cuzk_fail(err, CUZK_BUDGET, 0, "row %u", r->rows);
    r->rows++;
    return CUZK_OK;
}

static const cs_sink_ops record_ops = {record_aux, record_input, record_row};

static void empty_row(cs *c)
{
    cs_row r;
    cs_row_begin(c, &r);
    cs_row_end(c, &r);
}

static void numbering(void **state)
{
    (void)state;
    recorder r = {.fail_at_row = 100};
    cs c;
    cs_init(&c, &record_ops, &r);
    assert_int_equal(r.inputs, 1);
    assert_int_equal(cs_alloc(&c, COEFF_ONE), 0);
    assert_int_equal(cs_alloc_input(&c, COEFF_TWO), CS_INPUT_FLAG | 1);
    assert_int_equal(cs_alloc(&c, COEFF_ONE), 1);
    empty_row(&c);
    empty_row(&c);
    assert_int_equal(c.n_inputs, 2);
    assert_int_equal(c.n_aux, 2);
    assert_int_equal(c.n_rows, 2);
    assert_int_equal(c.st, CUZK_OK);
}

static void errors_are_sticky(void **state)
{
    (void)state;
    recorder r = {.fail_at_row = 1};
    cs c;
    cs_init(&c, &record_ops, &r);
    for (unsigned i = 0; i < 4; i++)
        empty_row(&c);
    assert_int_equal(c.st, CUZK_BUDGET);
    assert_string_equal(c.err.msg, "row 1");
    cs_fail(&c, CUZK_INVAL, "later");
    cs_alloc(&c, COEFF_ONE);
    cs_alloc_input(&c, COEFF_ONE);
    assert_int_equal(c.st, CUZK_BUDGET);
    assert_string_equal(c.err.msg, "row 1");
    assert_int_equal(r.rows, 1);
    assert_int_equal(r.aux, 0);
    assert_int_equal(r.inputs, 1);
}

static void out_of_memory_in_a_list(void **state)
{
    (void)state;
    recorder r = {.fail_at_row = 100};
    cs c;
    cs_row row;
    cs_init(&c, &record_ops, &r);
    cs_row_begin(&c, &row);
    cuzk_mem_fail_nth(1);
    for (uint32_t i = 0; i < 10; i++)
        add_u64(&row.b, i, 1);
    cuzk_mem_fail_nth(0);
    assert_true(row.b.cap == SIZE_MAX);
    cs_lc_normalize(&row.b); /* harmless */
    cs_row_end(&c, &row);
    assert_int_equal(c.st, CUZK_NOMEM);
    assert_int_equal(r.rows, 0);

    for (uint32_t n_good = 4; n_good <= 16; n_good += 12) { /* cleared, it works again */
        cs_lc lc;
        cs_lc_init(&lc);
        for (uint32_t i = 0; i < n_good; i++)
            add_u64(&lc, i, 1);
        cuzk_mem_fail_nth(1);
        for (uint32_t i = 0; i < 100; i++)
            add_u64(&lc, i, 1);
        cuzk_mem_fail_nth(0);
        assert_true(lc.cap == SIZE_MAX);
        cs_lc_clear(&lc);
        for (uint32_t i = 0; i < 100; i++)
            add_u64(&lc, i, 1);
        assert_int_equal(lc.n, 100);
        cs_lc_fini(&lc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_of_two),
        cmocka_unit_test(normalize_small),
        cmocka_unit_test(normalize_random),
        cmocka_unit_test(normalize_without_memory),
        cmocka_unit_test(numbering),
        cmocka_unit_test(errors_are_sticky),
        cmocka_unit_test(out_of_memory_in_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

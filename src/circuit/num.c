#include "circuit/num.h"

#include "circuit/scope.h"

num cuzk_num_alloc(cs *c, const fr *value)
{
    return (num){*value, cs_alloc(c, value)};
}

num cuzk_num_alloc_input(cs *c, const fr *value)
{
    return (num){*value, cs_alloc_input(c, value)};
}

/* < a ; b ; x > with coefficients 1 */
static void product_row(cs *c, cs_var a, cs_var b, cs_var x)
{
    cs_row r;
    cs_row_begin(c, &r);
    cs_lc_add(&r.a, a, COEFF_ONE);
    cs_lc_add(&r.b, b, COEFF_ONE);
    cs_lc_add(&r.c, x, COEFF_ONE);
    cs_row_end(c, &r);
}

void cuzk_num_inputize(cs *c, const num *n)
{
    cs_var i = cs_alloc_input(c, &n->value);
    product_row(c, i, CS_ONE, n->var);
}

num cuzk_num_mul(cs *c, const num *a, const num *b)
{
    fr value;
    fr_mul(&value, &a->value, &b->value);
    num x = cuzk_num_alloc(c, &value);
    product_row(c, a->var, b->var, x.var);
    return x;
}

num cuzk_num_square(cs *c, const num *a)
{
    return cuzk_num_mul(c, a, a);
}

void cuzk_num_assert_nonzero(cs *c, const num *a)
{
    fr inv;
    cuzk_fr_inv_vartime(&inv, &a->value);
    cs_var x = cs_alloc(c, &inv);
    product_row(c, a->var, x, CS_ONE);
}

/* < a + b ; 1 ; s > */
static void sum_row(cs *c, cs_var a, cs_var b, cs_var s)
{
    cs_row r;
    cs_row_begin(c, &r);
    cs_lc_add(&r.a, a, COEFF_ONE);
    cs_lc_add(&r.a, b, COEFF_ONE);
    cs_lc_add(&r.b, CS_ONE, COEFF_ONE);
    cs_lc_add(&r.c, s, COEFF_ONE);
    cs_row_end(c, &r);
}

num cuzk_num_add(cs *c, const num *a, const num *b)
{
    fr value;
    fr_add(&value, &a->value, &b->value);
    num s = cuzk_num_alloc(c, &value);
    sum_row(c, a->var, b->var, s.var);
    return s;
}

num cuzk_num_sub(cs *c, const num *a, const num *b)
{
    fr value;
    fr_sub(&value, &a->value, &b->value);
    num d = cuzk_num_alloc(c, &value);
    sum_row(c, d.var, b->var, a->var);
    return d;
}

void cuzk_num_equal(cs *c, const num *a, const num *b)
{
    product_row(c, a->var, CS_ONE, b->var);
}

/* out = s ? b : a, with < a - b ; s ; a - out > */
static num reverse_half(cs *c, const num *a, const num *b, boolean s)
{
    num out = cuzk_num_alloc(c, s.value ? &b->value : &a->value);
    cs_row r;
    cs_row_begin(c, &r);
    cs_lc_add(&r.a, a->var, COEFF_ONE);
    cs_lc_add(&r.a, b->var, COEFF_MINUS_ONE);
    cuzk_bool_add_to(&r.b, s, 0);
    cs_lc_add(&r.c, a->var, COEFF_ONE);
    cs_lc_add(&r.c, out.var, COEFF_MINUS_ONE);
    cs_row_end(c, &r);
    return out;
}

void cuzk_num_conditionally_reverse(cs *c, num *x, num *y, const num *a, const num *b,
                                    boolean swap)
{
    num first = reverse_half(c, a, b, swap);
    num second = reverse_half(c, b, a, swap);
    *x = first;
    *y = second;
}

static void add_weighted(cs_lc *lc, const boolean bits[], unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        cuzk_bool_add_to(lc, bits[i], i);
}

/* < 0 ; 0 ; sum 2^i b_i - n > */
static void recompose_row(cs *c, const boolean bits[NUM_BITS], const num *n)
{
    if (!cs_wants_rows(c))
        return;
    cs_row r;
    cs_row_begin(c, &r);
    add_weighted(&r.c, bits, NUM_BITS);
    cs_lc_add(&r.c, n->var, COEFF_MINUS_ONE);
    cs_row_end(c, &r);
}

void cuzk_num_to_bits(cs *c, boolean out[NUM_BITS], const num *n)
{
    const cs_scope scope = {SCOPE_TO_BITS, 0, {{NULL, n, 1}}, {{out, NULL, NUM_BITS}}};
    if (cs_scope_begin(c, &scope))
        return;
    cuzk_bits_alloc(c, out, &n->value, NUM_BITS);
    recompose_row(c, out, n);
    cs_scope_end(c, &scope);
}

void cuzk_num_to_bits_strict(cs *c, boolean out[NUM_BITS], const num *n)
{
    fr_canon x;
    uint64_t q[4]; /* r - 1: the largest value that may be spelled */
    boolean run[NUM_BITS + 1], last = bool_const(false);
    unsigned n_run = 0;
    cuzk_fr_to_canon(&x, &n->value);
    memcpy(q, cuzk_fr_modulus, sizeof q);
    q[0]--;
    for (unsigned i = NUM_BITS; i-- > 0;) {
        bool bit = x.l[i / 64] >> (i % 64) & 1;
        if (q[i / 64] >> (i % 64) & 1) {
            run[n_run++] = out[i] = cuzk_bool_alloc(c, bit);
            continue;
        }
        if (n_run) { /* last = all bits so far equal those of q wherever q has a one */
            if (!bool_is_const(last))
                run[n_run++] = last;
            last = run[0];
            for (unsigned k = 1; k < n_run; k++)
                last = cuzk_bool_and(c, last, run[k]);
            n_run = 0;
        }
        out[i] = cuzk_bool_alloc_conditionally(c, bit, last);
    }
    recompose_row(c, out, n);
}

static void update_row(cs *c, const boolean out[], const num *n, unsigned n_bits)
{
    cs_row r;
    if (!cs_wants_rows(c))
        return;
    cs_row_begin(c, &r);
    add_weighted(&r.a, out, n_bits);
    cs_lc_add(&r.b, CS_ONE, COEFF_ONE);
    cs_lc_add(&r.c, n->var, COEFF_ONE);
    cs_row_end(c, &r);
}

void cuzk_num_to_bits_update(cs *c, boolean out[], const num *n, unsigned n_bits)
{
    const cs_scope scope = {SCOPE_TO_BITS, n_bits, {{NULL, n, 1}}, {{out, NULL, n_bits}}};
    if (cs_scope_begin(c, &scope))
        return;
    cuzk_bits_alloc(c, out, &n->value, n_bits);
    update_row(c, out, n, n_bits);
    cs_scope_end(c, &scope);
}

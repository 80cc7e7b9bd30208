/* Small hand-made circuits and a recorder that keeps their matrices dense, for test_prove.c. */
#ifndef CUZK_TEST_SMALL_CIRCUITS_H
#define CUZK_TEST_SMALL_CIRCUITS_H

#include "unit/groth16_support.h"

#include "circuit/cs.h"

typedef struct {
    uint64_t x, y; /* whatever the circuit makes of them */
    bool bad;      /* give one aux variable a wrong value */
} circuit_values;

static inline void row_of(cs *c, cs_lc lc[3])
{
    cs_enforce(c, &lc[0], &lc[1], &lc[2]);
    for (int i = 0; i < 3; i++)
        cs_lc_clear(&lc[i]);
}

static inline void begin_rows(cs_lc lc[3])
{
    for (int i = 0; i < 3; i++)
        cs_lc_init(&lc[i]);
}

static inline void end_rows(cs_lc lc[3])
{
    for (int i = 0; i < 3; i++)
        cs_lc_fini(&lc[i]);
}

static inline void term(cs_lc *lc, cs_var v, int64_t k)
{
    fr f;
    cuzk_fr_from_u64(&f, (uint64_t)(k < 0 ? -k : k));
    if (k < 0)
        fr_neg(&f, &f);
    cs_lc_add(lc, v, &f);
}

static inline fr number(uint64_t k)
{
    fr f;
    cuzk_fr_from_u64(&f, k);
    return f;
}

/* Public p = x y, both secret: the smallest useful circuit, one row. */
static inline void product_circuit(const void *ctx, cs *c)
{
    const circuit_values *v = ctx;
    cs_lc lc[3];
    fr x = number(v->x), y = number(v->y), p;
    fr_mul(&p, &x, &y);
    if (v->bad)
        fr_add(&y, &y, &cuzk_fr_one);
    cs_var vx = cs_alloc(c, &x), vy = cs_alloc(c, &y), vp = cs_alloc_input(c, &p);
    begin_rows(lc);
    term(&lc[0], vx, 1);
    term(&lc[1], vy, 1);
    term(&lc[2], vp, 1);
    row_of(c, lc);
    end_rows(lc);
}

/* Public a, b with a a = b: no aux variable, an input in B. */
static inline void inputs_only_circuit(const void *ctx, cs *c)
{
    const circuit_values *v = ctx;
    cs_lc lc[3];
    fr a = number(v->x), b;
    fr_sqr(&b, &a);
    cs_var va = cs_alloc_input(c, &a), vb = cs_alloc_input(c, &b);
    begin_rows(lc);
    term(&lc[0], va, 1);
    term(&lc[1], va, 1);
    term(&lc[2], vb, 1);
    row_of(c, lc);
    end_rows(lc);
}

/* No rows at all: ONE alone, domain 1, h empty. */
static inline void empty_circuit(const void *ctx, cs *c)
{
    (void)ctx;
    (void)c;
}

/* No rows but one public input. */
static inline void free_input_circuit(const void *ctx, cs *c)
{
    const circuit_values *v = ctx;
    fr a = number(v->x);
    cs_alloc_input(c, &a);
}

/* Bits of x, packed against a public input allocated in between; terms that repeat and cancel, zero
 * coefficients, an empty row, ONE in every place, a variable in C alone. 8 bits. */
static inline void mixed_circuit(const void *ctx, cs *c)
{
    const circuit_values *v = ctx;
    cs_lc lc[3];
    cs_var bit[8];
    fr square;
    begin_rows(lc);
    for (int i = 0; i < 8; i++) {
        fr b = number(v->x >> i & 1);
        if (v->bad && i == 5)
            fr_add(&b, &b, &cuzk_fr_one);
        bit[i] = cs_alloc(c, &b);
        term(&lc[0], CS_ONE, 1);
        term(&lc[0], bit[i], -1);
        term(&lc[1], bit[i], 1);
        row_of(c, lc);
    }
    fr packed = number(v->x & 255), y = number(v->y);
    cs_var vp = cs_alloc_input(c, &packed), vy = cs_alloc(c, &y);
    row_of(c, lc); /* < 0 ; 0 ; 0 > */
    for (int i = 7; i >= 0; i--)
        term(&lc[0], bit[i], (int64_t)1 << i);
    term(&lc[0], vy, 3);
    term(&lc[0], vy, -3);
    term(&lc[1], CS_ONE, 1);
    term(&lc[1], bit[3], 0);
    term(&lc[2], vp, 1);
    row_of(c, lc);
    fr_sqr(&square, &packed);
    cs_var vs = cs_alloc(c, &square);
    term(&lc[0], vp, 1);
    term(&lc[1], vp, 1);
    term(&lc[2], vs, 1);
    row_of(c, lc);
    fr y2 = y;
    fr_sqr(&y2, &y2);
    cs_var vy2 = cs_alloc_input(c, &y2);
    term(&lc[0], vy, 2);
    term(&lc[1], vy, 5);
    term(&lc[2], vy2, 10);
    row_of(c, lc);
    end_rows(lc);
}

static inline void square_repeatedly(const circuit_values *v, int n, cs *c)
{
    cs_lc lc[3];
    fr x = number(v->x);
    cs_var last = cs_alloc(c, &x);
    begin_rows(lc);
    for (int i = 0; i < n; i++) {
        fr_sqr(&x, &x);
        cs_var next = i == n - 1 ? cs_alloc_input(c, &x) : cs_alloc(c, &x);
        term(&lc[0], last, 1);
        term(&lc[1], last, 1);
        term(&lc[2], next, 1);
        row_of(c, lc);
        last = next;
    }
    end_rows(lc);
}

/* A chain of 40 squarings: a domain of 64. */
static inline void chain_circuit(const void *ctx, cs *c)
{
    square_repeatedly(ctx, 40, c);
}

/* Enough variables for the tables of the generator. */
static inline void long_chain_circuit(const void *ctx, cs *c)
{
    square_repeatedly(ctx, 600, c);
}

typedef struct {
    const char *name;
    void (*synthesize)(const void *, cs *);
    circuit_values values;
} small_circuit;

/* F17: zero witness, no aux variables, no rows beyond the inputs, one row. */
static const small_circuit small_circuits[] = {
    {"product", product_circuit, {6, 7, false}},
    {"product of zeros", product_circuit, {0, 0, false}},
    {"product of ones", product_circuit, {1, 1, false}},
    {"inputs only", inputs_only_circuit, {5, 0, false}},
    {"inputs only, zero", inputs_only_circuit, {0, 0, false}},
    {"empty", empty_circuit, {0, 0, false}},
    {"free input", free_input_circuit, {9, 0, false}},
    {"mixed", mixed_circuit, {0xb5, 12345, false}},
    {"mixed, zeros", mixed_circuit, {0, 0, false}},
    {"mixed, ones", mixed_circuit, {255, 1, false}},
    {"chain", chain_circuit, {3, 0, false}},
};

/* ---- dense matrices ---- */

#define REC_VARS 64
#define REC_ROWS 64

typedef struct {
    size_t n_inputs, n_aux, n_rows;
    fr input[REC_VARS], aux[REC_VARS];
    fr m[3][REC_ROWS][2][REC_VARS]; /* A, B, C; row; input or aux; index */
} recording;

static inline cuzk_status rec_input(void *self, const fr *value, cuzk_err *err)
{
    recording *r = self;
    (void)err;
    r->input[r->n_inputs++] = *value;
    return CUZK_OK;
}

static inline cuzk_status rec_aux(void *self, const fr *value, cuzk_err *err)
{
    recording *r = self;
    (void)err;
    r->aux[r->n_aux++] = *value;
    return CUZK_OK;
}

static inline cuzk_status rec_row(void *self, cs_lc *a, cs_lc *b, cs_lc *c, cuzk_err *err)
{
    recording *r = self;
    const cs_lc *lc[3] = {a, b, c};
    (void)err;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < lc[k]->n; i++) {
            const cs_term *t = &lc[k]->term[i];
            fr *at = &r->m[k][r->n_rows][cs_var_is_input(t->var) ? 0 : 1][cs_var_index(t->var)];
            fr_add(at, at, &t->coeff);
        }
    r->n_rows++;
    return CUZK_OK;
}

/* With the input rows appended. Free with cuzk_free. */
static inline recording *record(const small_circuit *s)
{
    static const cs_sink_ops ops = {rec_aux, rec_input, rec_row};
    recording *r = cuzk_calloc(1, sizeof *r);
    cs c;
    cs_init(&c, &ops, r);
    s->synthesize(&s->values, &c);
    assert_int_equal(c.st, CUZK_OK);
    for (size_t i = 0; i < r->n_inputs; i++)
        r->m[0][r->n_rows++][0][i] = cuzk_fr_one;
    return r;
}

#endif

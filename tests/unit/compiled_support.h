/* The compiled readings against the interpreted one, row by row and value by value, streamed. */
#ifndef CUZK_TESTS_COMPILED_SUPPORT_H
#define CUZK_TESTS_COMPILED_SUPPORT_H

#include "base/clock.h"
#include "circuit_support.h"
#include "compiled/compiled.h"

typedef struct {
    const compiled_circuit *k;
    const compiled_witness *w; /* NULL: structure only */
    const fr *a, *b;
    compiled_cursor cur;
    cs_lc lc[3];
    uint64_t *a_aux, *b_aux, *b_input; /* densities seen */
    uint32_t n_aux, n_inputs;
    uint64_t n_rows;
    char problem[200]; /* empty: none so far */
} comparison;

static inline cuzk_status differ(comparison *x, const char *what, uint64_t at)
{
    if (!x->problem[0])
        snprintf(x->problem, sizeof x->problem, "%s %llu differs", what, (unsigned long long)at);
    return CUZK_OK;
}

static inline cuzk_status compare_aux(void *self, const fr *value, cuzk_err *err)
{
    comparison *x = (comparison *)self;
    uint32_t i = x->n_aux++;
    fr have;
    (void)err;
    if (!x->w)
        return CUZK_OK;
    cuzk_compiled_aux(&have, x->k, x->w, i);
    return fr_eq(&have, value) ? CUZK_OK : differ(x, "aux", i);
}

static inline cuzk_status compare_input(void *self, const fr *value, cuzk_err *err)
{
    comparison *x = (comparison *)self;
    uint32_t i = x->n_inputs++;
    (void)err;
    if (!x->w)
        return CUZK_OK;
    return fr_eq(&x->w->input[i], value) ? CUZK_OK : differ(x, "input", i);
}

static inline bool same_terms(const cs_lc *p, const cs_lc *q)
{
    if (p->n != q->n)
        return false;
    for (size_t i = 0; i < p->n; i++) {
        if (p->term[i].var != q->term[i].var || !fr_eq(&p->term[i].coeff, &q->term[i].coeff))
            return false;
    }
    return true;
}

/* The interpreted row over the values already found equal. */
static inline void value_of(fr *out, const comparison *x, const cs_lc *lc)
{
    fr sum = {{0}}, v;
    for (size_t i = 0; i < lc->n; i++) {
        cs_var var = lc->term[i].var;
        if (cs_var_is_input(var))
            v = x->w->input[cs_var_index(var)];
        else
            cuzk_compiled_aux(&v, x->k, x->w, var);
        if (fr_is_zero(&v))
            continue;
        if (!fr_is_one(&v))
            fr_mul(&v, &v, &lc->term[i].coeff);
        else
            v = lc->term[i].coeff;
        fr_add(&sum, &sum, &v);
    }
    *out = sum;
}

static inline void mark_densities(comparison *x, const cs_lc *a, const cs_lc *b)
{
    for (size_t i = 0; i < a->n; i++) {
        uint32_t v = a->term[i].var;
        if (!cs_var_is_input(v))
            x->a_aux[v / 64] |= (uint64_t)1 << (v % 64);
    }
    for (size_t i = 0; i < b->n; i++) {
        uint32_t v = b->term[i].var, j = cs_var_index(v);
        (cs_var_is_input(v) ? x->b_input : x->b_aux)[j / 64] |= (uint64_t)1 << (j % 64);
    }
}

static inline void compare_structure(comparison *x, cs_lc *side[3])
{
    for (unsigned s = 0; s < 3; s++)
        cs_lc_normalize(side[s]);
    if (!cuzk_compiled_next_row(&x->cur, &x->lc[0], &x->lc[1], &x->lc[2])) {
        differ(x, "count of rows at", x->n_rows);
        return;
    }
    for (unsigned s = 0; s < 3; s++) {
        cs_lc_normalize(&x->lc[s]);
        if (!same_terms(side[s], &x->lc[s]))
            differ(x, s == 0 ? "A of row" : s == 1 ? "B of row" : "C of row", x->n_rows);
    }
    mark_densities(x, side[0], side[1]);
}

static inline cuzk_status compare_row(void *self, cs_lc *a, cs_lc *b, cs_lc *c, cuzk_err *err)
{
    comparison *x = (comparison *)self;
    cs_lc *side[3] = {a, b, c};
    (void)err;
    if (!x->w) {
        compare_structure(x, side);
    } else {
        fr have[3];
        for (unsigned s = 0; s < 3; s++)
            value_of(&have[s], x, side[s]);
        if (!fr_eq(&have[0], &x->a[x->n_rows]))
            differ(x, "a", x->n_rows);
        if (!fr_eq(&have[1], &x->b[x->n_rows]))
            differ(x, "b", x->n_rows);
        fr_mul(&have[0], &have[0], &have[1]);
        if (!fr_eq(&have[0], &have[2]))
            differ(x, "a b != c: row", x->n_rows);
    }
    x->n_rows++;
    return CUZK_OK;
}

static inline void run_comparison(comparison *x, const cs_circuit *circuit, const char *name)
{
    static const cs_sink_ops ops = {compare_aux, compare_input, compare_row};
    compiled_info info;
    cs c;
    cuzk_compiled_info(&info, x->k);
    cuzk_compiled_cursor_init(&x->cur, x->k);
    for (unsigned s = 0; s < 3; s++)
        cs_lc_init(&x->lc[s]);
    cs_init(&c, &ops, x);
    circuit->synthesize(circuit->ctx, &c);
    if (c.st != CUZK_OK)
        fail_msg("%s: %s", name, c.err.msg);
    if (c.n_aux != info.n_aux || c.n_inputs != info.n_inputs || c.n_rows != info.n_rows)
        fail_msg("%s: counts differ", name);
    if (!x->w && cuzk_compiled_next_row(&x->cur, &x->lc[0], &x->lc[1], &x->lc[2]))
        fail_msg("%s: more rows than interpreted", name);
    for (unsigned s = 0; s < 3; s++)
        cs_lc_fini(&x->lc[s]);
    if (x->problem[0])
        fail_msg("%s: %s", name, x->problem);
}

static inline void assert_same_map(const char *name, const uint64_t want[], const uint64_t have[],
                                   size_t n)
{
    for (size_t i = 0; i < (n + 63) / 64; i++) {
        uint64_t mask = n - 64 * i < 64 ? ((uint64_t)1 << (n - 64 * i)) - 1 : UINT64_MAX;
        if ((have[i] & mask) != want[i])
            fail_msg("density %s: word %zu", name, i);
    }
}

/* Every row and every density. */
static inline void check_compiled_structure(const compiled_circuit *k, const cs_circuit *blank,
                                            const char *name)
{
    compiled_info info;
    comparison *x = (comparison *)cuzk_calloc(1, sizeof *x);
    assert_non_null(x);
    cuzk_compiled_info(&info, k);
    x->k = k;
    x->a_aux = (uint64_t *)cuzk_calloc(info.n_aux / 64 + 1, 8);
    x->b_aux = (uint64_t *)cuzk_calloc(info.n_aux / 64 + 1, 8);
    x->b_input = (uint64_t *)cuzk_calloc(info.n_inputs / 64 + 1, 8);
    assert_true(x->a_aux && x->b_aux && x->b_input);
    run_comparison(x, blank, name);
    assert_same_map("a", x->a_aux, cuzk_compiled_a_aux(k), info.n_aux);
    assert_same_map("b", x->b_aux, cuzk_compiled_b_aux(k), info.n_aux);
    assert_same_map("b inputs", x->b_input, cuzk_compiled_b_input(k), info.n_inputs);
    cuzk_free(x->b_input);
    cuzk_free(x->b_aux);
    cuzk_free(x->a_aux);
    cuzk_free(x);
}

/* Every value, a and b of every row, and a b = c. */
static inline void check_compiled_values(const compiled_circuit *k, const cs_circuit *circuit,
                                         cuzk_pool *pool, const char *name)
{
    compiled_info info;
    compiled_witness w;
    cuzk_err err = {0};
    comparison *x = (comparison *)cuzk_calloc(1, sizeof *x);
    cuzk_compiled_info(&info, k);
    fr *a = CUZK_NEW_ARRAY(fr, info.n_rows + info.n_inputs);
    fr *b = CUZK_NEW_ARRAY(fr, info.n_rows + info.n_inputs);
    assert_true(x && a && b);
    if (cuzk_compiled_witness_new(&w, k, &err) != CUZK_OK ||
        cuzk_compiled_fill(&w, k, circuit, pool, &err) != CUZK_OK ||
        cuzk_compiled_evaluate(a, b, k, &w, pool, &err) != CUZK_OK)
        fail_msg("%s: %s", name, err.msg);
    *x = (comparison){.k = k, .w = &w, .a = a, .b = b};
    run_comparison(x, circuit, name);
    for (size_t i = 0; i < info.n_inputs; i++) {
        assert_true(fr_eq(&a[info.n_rows + i], &w.input[i]));
        assert_true(fr_is_zero(&b[info.n_rows + i]));
    }
    cuzk_compiled_witness_fini(&w);
    cuzk_free(b);
    cuzk_free(a);
    cuzk_free(x);
}

static inline compiled_circuit *compile_id(circuit_id id, const char *name)
{
    const circuit_instance in = {.id = id};
    const cs_circuit blank = cuzk_circuit_of(&in);
    compiled_circuit *k = NULL;
    cuzk_err err = {0};
    if (cuzk_compile(&k, &blank, &err) != CUZK_OK)
        fail_msg("%s: %s", name, err.msg);
    return k;
}

static inline void check_compiled_circuit(const char *name)
{
    circuit_id id;
    assert_int_equal(cuzk_circuit_id_parse(&id, name, NULL), CUZK_OK);
    const circuit_instance in = {.id = id};
    const cs_circuit blank = cuzk_circuit_of(&in);
    compiled_circuit *k = compile_id(id, name);
    circuit_counts counts;
    compiled_info info;
    cuzk_compiled_info(&info, k);
    assert_true(cuzk_circuit_counts(&counts, id));
    assert_int_equal(info.n_aux, counts.n_aux);
    assert_int_equal(info.n_rows, counts.n_rows);
    assert_int_equal(info.n_a_aux, counts.a_aux);
    assert_int_equal(info.n_b_aux, counts.b_aux);
    assert_int_equal(info.n_b_input, counts.b_inputs);
    assert_int_equal(info.n_bits + info.n_fields, info.n_aux);
    check_compiled_structure(k, &blank, name);
    print_message("%s: %llu templates, %llu instances, %llu generic rows, %llu fields, "
                  "%llu bytes\n",
                  name, (unsigned long long)info.n_templates,
                  (unsigned long long)info.n_instances, (unsigned long long)info.n_generic_rows,
                  (unsigned long long)info.n_fields, (unsigned long long)info.bytes);
    cuzk_compiled_free(k);
}

/* All partitions of a request. */
static inline void check_compiled_folder(const char *folder, cuzk_pool *pool)
{
    proof_request *req = NULL;
    cuzk_err err = {0};
    if (cuzk_request_load(&req, folder, &err) != CUZK_OK)
        fail_msg("%s: %s", folder, err.msg);
    const circuit_id id = {req->kind, req->shape};
    compiled_circuit *k = compile_id(id, folder);
    for (unsigned i = 0; i < req->n_partitions; i++) {
        const circuit_instance in = {id, req, i};
        const cs_circuit circuit = cuzk_circuit_of(&in);
        check_compiled_values(k, &circuit, pool, folder);
    }
    cuzk_compiled_free(k);
    cuzk_request_free(req);
}

#endif

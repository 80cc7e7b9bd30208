/* The prover's sink: see assignment.h. */
#include "groth16/assignment.h"

#include "base/mem.h"

typedef struct {
    assignment s;
    size_t cap_inputs, cap_aux, cap_rows;
    bool check;
    bool fits; /* so far; once false, only counts are kept */
} collector;

static cuzk_status collect_input(void *self, const fr *value, cuzk_err *err)
{
    collector *k = self;
    (void)err;
    if (k->s.n_inputs < k->cap_inputs)
        k->s.input[k->s.n_inputs] = *value;
    else
        k->fits = false;
    k->s.n_inputs++;
    return CUZK_OK;
}

static cuzk_status collect_aux(void *self, const fr *value, cuzk_err *err)
{
    collector *k = self;
    (void)err;
    if (k->s.n_aux < k->cap_aux)
        k->s.aux[k->s.n_aux] = *value;
    else
        k->fits = false;
    k->s.n_aux++;
    return CUZK_OK;
}

/* Most values and many coefficients are 0 or 1: no product then. */
static void add_term(fr *sum, const cs_term *t, const fr *value)
{
    fr product;
    if (fr_is_zero(value))
        return;
    if (fr_is_one(value)) {
        fr_add(sum, sum, &t->coeff);
        return;
    }
    if (fr_is_one(&t->coeff)) {
        fr_add(sum, sum, value);
        return;
    }
    fr_mul(&product, &t->coeff, value);
    fr_add(sum, sum, &product);
}

static void evaluate(fr *out, const assignment *s, const cs_lc *lc)
{
    fr sum = {{0}};
    for (size_t i = 0; i < lc->n; i++) {
        const cs_term *t = &lc->term[i];
        uint32_t j = cs_var_index(t->var);
        add_term(&sum, t, cs_var_is_input(t->var) ? &s->input[j] : &s->aux[j]);
    }
    *out = sum;
}

static void mark(uint64_t bits[], size_t *n_set, size_t i)
{
    uint64_t bit = (uint64_t)1 << (i % 64);
    *n_set += !(bits[i / 64] & bit);
    bits[i / 64] |= bit;
}

/* lc is normalized: no zero coefficients. */
static void mark_a(assignment *s, const cs_lc *lc)
{
    for (size_t i = 0; i < lc->n; i++)
        if (!cs_var_is_input(lc->term[i].var))
            mark(s->a_aux, &s->n_a_aux, cs_var_index(lc->term[i].var));
}

static void mark_b(assignment *s, const cs_lc *lc)
{
    for (size_t i = 0; i < lc->n; i++) {
        size_t j = cs_var_index(lc->term[i].var);
        if (cs_var_is_input(lc->term[i].var))
            mark(s->b_input, &s->n_b_input, j);
        else
            mark(s->b_aux, &s->n_b_aux, j);
    }
}

static cuzk_status check_row(const assignment *s, size_t row, const cs_lc *c, cuzk_err *err)
{
    fr product, want;
    fr_mul(&product, &s->a[row], &s->b[row]);
    evaluate(&want, s, c);
    if (fr_eq(&product, &want))
        return CUZK_OK;
    return cuzk_fail(err, CUZK_UNSATISFIED, 0,
                     "the witness does not satisfy the circuit: row %zu is the first with a b != c",
                     row);
}

static cuzk_status collect_row(void *self, cs_lc *a, cs_lc *b, cs_lc *c, cuzk_err *err)
{
    collector *k = self;
    size_t row = k->s.n_rows++;
    if (row >= k->cap_rows)
        k->fits = false;
    if (!k->fits)
        return CUZK_OK;
    cs_lc_normalize(a);
    cs_lc_normalize(b);
    mark_a(&k->s, a);
    mark_b(&k->s, b);
    evaluate(&k->s.a[row], &k->s, a);
    evaluate(&k->s.b[row], &k->s, b);
    return k->check ? check_row(&k->s, row, c, err) : CUZK_OK;
}

static uint64_t *new_bits(size_t n)
{
    return cuzk_calloc(n / 64 + 1, sizeof(uint64_t));
}

static cuzk_status collector_init(collector *k, const groth16_srs *srs, cuzk_err *err)
{
    k->cap_inputs = srs->vk.n_ic;
    k->cap_aux = srs->n_l;
    k->cap_rows = srs->n_h + 1;
    k->fits = true;
    k->s.input = CUZK_NEW_ARRAY(fr, k->cap_inputs + 1);
    k->s.aux = CUZK_NEW_ARRAY(fr, k->cap_aux + 1);
    k->s.a = cuzk_calloc(k->cap_rows, sizeof(fr));
    k->s.b = cuzk_calloc(k->cap_rows, sizeof(fr));
    k->s.a_aux = new_bits(k->cap_aux);
    k->s.b_aux = new_bits(k->cap_aux);
    k->s.b_input = new_bits(k->cap_inputs);
    if (!k->s.input || !k->s.aux || !k->s.a || !k->s.b || !k->s.a_aux || !k->s.b_aux ||
        !k->s.b_input)
        return cuzk_fail(err, CUZK_NOMEM, 0, "prove: no memory for %zu values and %zu rows",
                         k->cap_aux, k->cap_rows);
    return CUZK_OK;
}

static cuzk_status mismatch(const char *what, size_t circuit, const char *section, size_t params,
                            cuzk_err *err)
{
    return cuzk_fail(err, CUZK_PARAMS, 0,
                     "the parameters belong to another circuit: %s %zu here, %zu points in "
                     "section %s",
                     what, circuit, params, section);
}

cuzk_status cuzk_assignment_check_lengths(const assignment *s, const groth16_srs *srs,
                                          cuzk_err *err)
{
    size_t domain = (size_t)1 << cuzk_lg_ceil(s->n_rows + s->n_inputs);
    size_t n_a = s->n_inputs + s->n_a_aux, n_b = s->n_b_input + s->n_b_aux;
    if (s->n_inputs != srs->vk.n_ic)
        return mismatch("public inputs with ONE", s->n_inputs, "vk (ic)", srs->vk.n_ic, err);
    if (s->n_aux != srs->n_l)
        return mismatch("aux variables", s->n_aux, "l", srs->n_l, err);
    if (domain != srs->n_h + 1)
        return mismatch("domain size (one more than points wanted)", domain, "h", srs->n_h, err);
    if (n_a != srs->n_a)
        return mismatch("variables in A", n_a, "a", srs->n_a, err);
    if (n_b != srs->n_b)
        return mismatch("variables in B", n_b, "b_g1", srs->n_b, err);
    return CUZK_OK;
}

/* Rows < I_i ; 0 ; 0 >: the domain check above leaves room for them. */
static void append_input_rows(assignment *s)
{
    for (size_t i = 0; i < s->n_inputs; i++)
        s->a[s->n_rows + i] = s->input[i];
}

cuzk_status cuzk_assign(assignment *out, const cs_circuit *circuit, const groth16_srs *srs,
                        bool check, cuzk_err *err)
{
    static const cs_sink_ops ops = {collect_aux, collect_input, collect_row};
    collector k = {.check = check};
    cs c;
    cuzk_status st;
    CUZK_TRY(collector_init(&k, srs, err));
    cs_init(&c, &ops, &k);
    circuit->synthesize(circuit->ctx, &c);
    st = c.st;
    if (st != CUZK_OK) {
        if (err)
            *err = c.err;
        goto out;
    }
    CUZK_TRY(cuzk_assignment_check_lengths(&k.s, srs, err));
    append_input_rows(&k.s);
    *out = k.s;
out:
    if (st != CUZK_OK)
        cuzk_assignment_fini(&k.s);
    return st;
}

void cuzk_assignment_fini(assignment *s)
{
    cuzk_free(s->b_input);
    cuzk_free(s->b_aux);
    cuzk_free(s->a_aux);
    cuzk_free(s->b);
    cuzk_free(s->a);
    cuzk_free(s->aux);
    cuzk_free(s->input);
    *s = (assignment){0};
}

/* The prover's sink: see assignment.h. */
#include "groth16/assignment.h"

#include <string.h>

#include "base/mem.h"

typedef struct {
    assignment s;
    size_t max_inputs, max_aux, max_rows; /* what the parameters have */
    size_t cap_inputs, cap_aux, cap_rows; /* the same at once, or (switch A2 off) by doubling */
    bool check, with_c;
    bool fits; /* so far; once false, only counts are kept */
} collector;

/* ---- room ---- */

#define FIRST_ROOM 1024u /* switch A2 off */

static bool grow_values(fr **x, size_t cap)
{
    size_t bytes;
    fr *p = cuzk_size_mul(&bytes, cap, sizeof(fr)) ? cuzk_realloc(*x, bytes) : NULL;
    if (p)
        *x = p;
    return p != NULL;
}

static size_t bit_words(size_t n)
{
    return n / 64 + 1;
}

/* New words are zero. */
static bool grow_bits(uint64_t **bits, size_t old_cap, size_t cap)
{
    uint64_t *p = cuzk_realloc(*bits, bit_words(cap) * sizeof *p);
    size_t old = *bits ? bit_words(old_cap) : 0;
    if (!p)
        return false;
    memset(p + old, 0, (bit_words(cap) - old) * sizeof *p);
    *bits = p;
    return true;
}

static cuzk_status no_room(const collector *k, cuzk_err *err)
{
    return cuzk_fail(err, CUZK_NOMEM, 0, "prove: no memory for %zu values and %zu rows", k->max_aux,
                     k->max_rows);
}

static bool grow_inputs(collector *k, size_t cap)
{
    bool ok = grow_values(&k->s.input, cap) && grow_bits(&k->s.b_input, k->cap_inputs, cap);
    k->cap_inputs = ok ? cap : k->cap_inputs;
    return ok;
}

static bool grow_aux(collector *k, size_t cap)
{
    bool ok = grow_values(&k->s.aux, cap) && grow_bits(&k->s.a_aux, k->cap_aux, cap) &&
              grow_bits(&k->s.b_aux, k->cap_aux, cap);
    k->cap_aux = ok ? cap : k->cap_aux;
    return ok;
}

static bool grow_rows(collector *k, size_t cap)
{
    bool ok = grow_values(&k->s.a, cap) && grow_values(&k->s.b, cap) &&
              (!k->with_c || grow_values(&k->s.c, cap));
    k->cap_rows = ok ? cap : k->cap_rows;
    return ok;
}

/* ---- sink ---- */

static cuzk_status collect_input(void *self, const fr *value, cuzk_err *err)
{
    collector *k = self;
    if (k->s.n_inputs >= k->max_inputs)
        k->fits = false;
    else if (CUZK_UNLIKELY(k->s.n_inputs == k->cap_inputs) && !grow_inputs(k, 2 * k->cap_inputs))
        return no_room(k, err);
    else
        k->s.input[k->s.n_inputs] = *value;
    k->s.n_inputs++;
    return CUZK_OK;
}

static cuzk_status collect_aux(void *self, const fr *value, cuzk_err *err)
{
    collector *k = self;
    if (k->s.n_aux >= k->max_aux)
        k->fits = false;
    else if (CUZK_UNLIKELY(k->s.n_aux == k->cap_aux) && !grow_aux(k, 2 * k->cap_aux))
        return no_room(k, err);
    else
        k->s.aux[k->s.n_aux] = *value;
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
    if (row >= k->max_rows)
        k->fits = false;
    if (!k->fits)
        return CUZK_OK;
    if (CUZK_UNLIKELY(row == k->cap_rows) && !grow_rows(k, 2 * k->cap_rows))
        return no_room(k, err);
    cs_lc_normalize(a);
    cs_lc_normalize(b);
    mark_a(&k->s, a);
    mark_b(&k->s, b);
    evaluate(&k->s.a[row], &k->s, a);
    evaluate(&k->s.b[row], &k->s, b);
    if (k->with_c)
        evaluate(&k->s.c[row], &k->s, c);
    return k->check ? check_row(&k->s, row, c, err) : CUZK_OK;
}

static cuzk_status collector_init(collector *k, const groth16_srs *srs, cuzk_err *err)
{
    bool sized = cuzk_switch_on(CUZK_SWITCH_A2);
    k->with_c = !cuzk_switch_on(CUZK_SWITCH_C_PRODUCT);
    k->max_inputs = srs->vk.n_ic;
    k->max_aux = srs->n_l;
    k->max_rows = srs->n_h + 1;
    k->fits = true;
    if (!grow_inputs(k, sized ? k->max_inputs + 1 : FIRST_ROOM) ||
        !grow_aux(k, sized ? k->max_aux + 1 : FIRST_ROOM) ||
        !grow_rows(k, sized ? k->max_rows : FIRST_ROOM))
        return no_room(k, err);
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

/* Rows < I_i ; 0 ; 0 >: the domain check above leaves room for them. Then zeros. */
static cuzk_status finish_rows(collector *k, cuzk_err *err)
{
    assignment *s = &k->s;
    size_t left = k->max_rows - s->n_rows;
    if (k->cap_rows < k->max_rows && !grow_rows(k, k->max_rows))
        return no_room(k, err);
    memcpy(s->a + s->n_rows, s->input, s->n_inputs * sizeof(fr));
    memset(s->a + s->n_rows + s->n_inputs, 0, (left - s->n_inputs) * sizeof(fr));
    memset(s->b + s->n_rows, 0, left * sizeof(fr));
    if (k->with_c)
        memset(s->c + s->n_rows, 0, left * sizeof(fr));
    return CUZK_OK;
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
    CUZK_TRY(finish_rows(&k, err));
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
    cuzk_free(s->c);
    cuzk_free(s->b);
    cuzk_free(s->a);
    cuzk_free(s->aux);
    cuzk_free(s->input);
    *s = (assignment){0};
}

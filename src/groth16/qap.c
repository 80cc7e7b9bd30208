/* QAP at a point: see qap.h. */
#include "groth16/qap.h"

#include "base/mem.h"
#include "ntt/ntt.h"

/* ---- first run: counts ---- */

static cuzk_status count_value(void *self, const fr *value, cuzk_err *err)
{
    (void)self;
    (void)value;
    (void)err;
    return CUZK_OK;
}

static cuzk_status count_row(void *self, cs_lc *a, cs_lc *b, cs_lc *c, cuzk_err *err)
{
    (void)self;
    (void)a;
    (void)b;
    (void)c;
    (void)err;
    return CUZK_OK;
}

static cuzk_status finish_run(const cs *c, cuzk_err *err)
{
    if (c->st != CUZK_OK && err)
        *err = c->err;
    return c->st;
}

static cuzk_status count(qap *q, const cs_circuit *circuit, cuzk_err *err)
{
    static const cs_sink_ops ops = {count_value, count_value, count_row};
    cs c;
    cs_init(&c, &ops, NULL);
    circuit->synthesize(circuit->ctx, &c);
    q->n_inputs = c.n_inputs;
    q->n_aux = c.n_aux;
    q->n_rows = c.n_rows;
    q->lg_m = cuzk_lg_ceil(q->n_rows + q->n_inputs);
    cuzk_status st = finish_run(&c, err);
    if (st == CUZK_OK && q->lg_m > NTT_MAX_LG)
        st = cuzk_fail(
            err, CUZK_INVAL, 0,
            "the circuit has %zu rows; polynomial degree 2^%u is too large (maximum 2^%d)",
            q->n_rows + q->n_inputs, q->lg_m, NTT_MAX_LG);
    return st;
}

/* ---- Lagrange coefficients ---- */

/* L_i(tau) = (tau^m - 1)/m * omega^i / (tau - omega^i), inverted LAGRANGE_BATCH at a time. */
#define LAGRANGE_BATCH 256u

typedef struct {
    fr *out;
    size_t n;
    fr tau, omega, factor;
} lagrange_run;

static void lagrange_batch(void *ctx, size_t index, unsigned worker)
{
    const lagrange_run *r = ctx;
    (void)worker;
    fr denominator[LAGRANGE_BATCH], scratch[LAGRANGE_BATCH], power;
    size_t begin = index * LAGRANGE_BATCH;
    size_t n = r->n - begin < LAGRANGE_BATCH ? r->n - begin : LAGRANGE_BATCH;
    cuzk_fr_pow_u64(&power, &r->omega, begin);
    fr_mul(&power, &power, &r->factor);
    fr point;
    cuzk_fr_pow_u64(&point, &r->omega, begin);
    for (size_t i = 0; i < n; i++) {
        fr_sub(&denominator[i], &r->tau, &point);
        fr_mul(&point, &point, &r->omega);
    }
    cuzk_fr_batch_inv_vartime(denominator, n, scratch);
    for (size_t i = 0; i < n; i++) {
        fr_mul(&r->out[begin + i], &denominator[i], &power);
        fr_mul(&power, &power, &r->omega);
    }
}

static cuzk_status lagrange(fr **out, const qap *q, const fr *tau, cuzk_pool *pool, cuzk_err *err)
{
    size_t n = q->n_rows + q->n_inputs, m = (size_t)1 << q->lg_m;
    fr vanishing, size;
    lagrange_run r = {.n = n, .tau = *tau, .omega = cuzk_fr_root_of_unity};
    for (unsigned i = q->lg_m; i < FR_TWO_ADICITY; i++)
        fr_sqr(&r.omega, &r.omega);
    cuzk_fr_pow_u64(&vanishing, tau, m);
    fr_sub(&vanishing, &vanishing, &cuzk_fr_one);
    if (fr_is_zero(&vanishing))
        return cuzk_fail(err, CUZK_INVAL, 0, "setup: tau is a point of the domain; draw another");
    cuzk_fr_from_u64(&size, m);
    cuzk_fr_inv_vartime(&size, &size);
    fr_mul(&r.factor, &vanishing, &size);
    r.out = CUZK_NEW_ARRAY(fr, n);
    if (!r.out)
        return cuzk_fail(err, CUZK_NOMEM, 0, "setup: no memory for %zu rows", n);
    cuzk_pool_run(pool, (n + LAGRANGE_BATCH - 1) / LAGRANGE_BATCH, lagrange_batch, &r);
    *out = r.out;
    return CUZK_OK;
}

/* ---- second run: sums ---- */

typedef struct {
    qap *q;
    const fr *lagrange;
    size_t row, n_inputs, n_aux; /* so far */
} adder;

static cuzk_status changed(cuzk_err *err)
{
    return cuzk_fail(err, CUZK_INTERNAL, 0, "setup: the circuit differs between two runs");
}

static cuzk_status add_input(void *self, const fr *value, cuzk_err *err)
{
    adder *s = self;
    (void)value;
    return s->n_inputs++ < s->q->n_inputs ? CUZK_OK : changed(err);
}

static cuzk_status add_aux(void *self, const fr *value, cuzk_err *err)
{
    adder *s = self;
    (void)value;
    return s->n_aux++ < s->q->n_aux ? CUZK_OK : changed(err);
}

/* sum[j] += coefficient * l. Repeated variables and zero coefficients need no care here. */
static void add_lc(const qap *q, fr sum[], const cs_lc *lc, const fr *l)
{
    for (size_t i = 0; i < lc->n; i++) {
        const cs_term *t = &lc->term[i];
        size_t j = cs_var_index(t->var) + (cs_var_is_input(t->var) ? 0 : q->n_inputs);
        fr product = *l;
        if (!fr_is_one(&t->coeff))
            fr_mul(&product, l, &t->coeff);
        fr_add(&sum[j], &sum[j], &product);
    }
}

static cuzk_status add_row(void *self, cs_lc *a, cs_lc *b, cs_lc *c, cuzk_err *err)
{
    adder *s = self;
    if (s->row >= s->q->n_rows)
        return changed(err);
    const fr *l = &s->lagrange[s->row++];
    add_lc(s->q, s->q->u, a, l);
    add_lc(s->q, s->q->v, b, l);
    add_lc(s->q, s->q->w, c, l);
    return CUZK_OK;
}

static cuzk_status add_rows(qap *q, const cs_circuit *circuit, const fr *l, cuzk_err *err)
{
    static const cs_sink_ops ops = {add_aux, add_input, add_row};
    adder s = {.q = q, .lagrange = l};
    cs c;
    cs_init(&c, &ops, &s);
    circuit->synthesize(circuit->ctx, &c);
    cuzk_status st = finish_run(&c, err);
    if (st != CUZK_OK)
        return st;
    if (s.n_inputs != q->n_inputs || s.n_aux != q->n_aux || s.row != q->n_rows)
        return changed(err);
    for (size_t i = 0; i < q->n_inputs; i++) /* the appended rows < I_i ; 0 ; 0 > */
        fr_add(&q->u[i], &q->u[i], &l[q->n_rows + i]);
    return CUZK_OK;
}

cuzk_status cuzk_qap_at(qap *out, const cs_circuit *circuit, const fr *tau, cuzk_pool *pool,
                        cuzk_err *err)
{
    qap q = {0};
    fr *l = NULL;
    cuzk_status st;
    CUZK_TRY(count(&q, circuit, err));
    size_t n = q.n_inputs + q.n_aux;
    q.u = cuzk_calloc(n, sizeof(fr));
    q.v = cuzk_calloc(n, sizeof(fr));
    q.w = cuzk_calloc(n, sizeof(fr));
    if (!q.u || !q.v || !q.w) {
        st = cuzk_fail(err, CUZK_NOMEM, 0, "setup: no memory for %zu variables", n);
        goto out;
    }
    CUZK_TRY(lagrange(&l, &q, tau, pool, err));
    CUZK_TRY(add_rows(&q, circuit, l, err));
    *out = q;
out:
    cuzk_free(l);
    if (st != CUZK_OK)
        cuzk_qap_fini(&q);
    return st;
}

void cuzk_qap_fini(qap *q)
{
    cuzk_free(q->w);
    cuzk_free(q->v);
    cuzk_free(q->u);
    *q = (qap){0};
}

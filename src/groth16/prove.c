/* The prover, spec gadgets.md 1.7: one run of the circuit, h by transforms, five sums, 3 points. */
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "groth16/query.h"
#include "msm/msm.h"
#include "ntt/quotient.h"

typedef struct {
    const groth16_srs *srs;
    const groth16_prove_options *opt;
    assignment z;
    compiled_witness w; /* with opt->compiled: the values that z does not have */
    fr_canon *h;        /* n_h scalars */
    g1_jac sum_h, sum_l, sum_a, sum_b1;
    g2_jac sum_b2;
    cuzk_span span;
} prover;

static cuzk_status begin_phase(prover *p, const char *phase, cuzk_err *err)
{
    const groth16_prove_options *opt = p->opt;
    cuzk_span_end(&p->span);
    p->span = (cuzk_span){0};
    if (opt->cancel && atomic_load(opt->cancel))
        return cuzk_fail(err, CUZK_CANCELLED, 0, "partition %d: cancelled before phase %s",
                         opt->partition, phase);
    if (opt->progress)
        opt->progress(opt->progress_ctx, phase, opt->partition);
    p->span = cuzk_span_begin(opt->trace, phase, opt->partition);
    return CUZK_OK;
}

/* ---- h ---- */

/* Consumes the rows of the assignment. */
static cuzk_status make_h(prover *p, cuzk_err *err)
{
    size_t m = p->srs->n_h + 1;
    ntt_plan *plan = NULL;
    cuzk_status st;
    fr *c = p->z.c, *h = c ? c : CUZK_NEW_ARRAY(fr, m);
    p->z.c = NULL;
    if (!h)
        return cuzk_fail(err, CUZK_NOMEM, 0, "prove: no memory for h of %zu coefficients", m);
    CUZK_TRY(cuzk_ntt_plan_new(&plan, cuzk_lg_ceil(m), p->opt->pool, err));
    cuzk_ntt_quotient_plain(plan, h, p->z.a, p->z.b, c != NULL, p->opt->pool);
    p->h = (fr_canon *)(void *)h; /* same size, plain integers */
    h = NULL;
out:
    cuzk_free(p->z.a);
    cuzk_free(p->z.b);
    p->z.a = p->z.b = NULL;
    cuzk_ntt_plan_free(plan);
    cuzk_free(h);
    return st;
}

/* ---- sums ---- */

static cuzk_status add_h(void *ctx, const void *points, size_t begin, size_t n, cuzk_err *err)
{
    prover *p = ctx;
    g1_jac sum;
    cuzk_status st = cuzk_msm_g1(p->opt->pool, &sum, points, NULL, p->h + begin, n, err);
    if (st == CUZK_OK)
        cuzk_g1_add(&p->sum_h, &p->sum_h, &sum);
    return st;
}

static cuzk_status sum_h(prover *p, cuzk_err *err)
{
    cuzk_g1_set_identity(&p->sum_h);
    cuzk_status st = cuzk_points_visit(p->srs, SECTION_H, p->opt->pool, add_h, p, err);
    cuzk_free(p->h);
    p->h = NULL;
    return st;
}

static bool is_compiled(const prover *p)
{
    return p->opt->compiled && !p->opt->check_witness;
}

static query_part input_part(const prover *p, const uint64_t *density)
{
    query_part part = {.n = p->z.n_inputs, .density = density};
    part.value = is_compiled(p) ? p->w.input : p->z.input;
    return part;
}

static query_part aux_part(const prover *p, const uint64_t *density)
{
    query_part part = {.value = p->z.aux, .n = p->z.n_aux, .density = density};
    if (is_compiled(p)) {
        part.bits = p->w.bits;
        part.is_field = cuzk_compiled_is_field(p->opt->compiled);
        part.field = p->w.field;
    }
    return part;
}

static cuzk_status sum_l(prover *p, cuzk_err *err)
{
    const query_part part = aux_part(p, NULL);
    query q;
    cuzk_status st = cuzk_query_new(&q, &part, 1, p->opt->pool, err);
    if (st != CUZK_OK)
        return st;
    st = cuzk_query_g1(&p->sum_l, &q, p->srs, SECTION_L, p->opt->pool, err);
    cuzk_query_fini(&q);
    return st;
}

static cuzk_status sum_a(prover *p, cuzk_err *err)
{
    const uint64_t *a_aux = is_compiled(p) ? cuzk_compiled_a_aux(p->opt->compiled) : p->z.a_aux;
    const query_part part[] = {input_part(p, NULL), aux_part(p, a_aux)};
    query q;
    cuzk_status st = cuzk_query_new(&q, part, 2, p->opt->pool, err);
    if (st != CUZK_OK)
        return st;
    st = cuzk_query_g1(&p->sum_a, &q, p->srs, SECTION_A, p->opt->pool, err);
    cuzk_query_fini(&q);
    return st;
}

static cuzk_status sum_b(prover *p, cuzk_err *err)
{
    const compiled_circuit *k = is_compiled(p) ? p->opt->compiled : NULL;
    const query_part part[] = {input_part(p, k ? cuzk_compiled_b_input(k) : p->z.b_input),
                               aux_part(p, k ? cuzk_compiled_b_aux(k) : p->z.b_aux)};
    query q = {0};
    cuzk_status st;
    CUZK_TRY(begin_phase(p, "msm_b1", err));
    CUZK_TRY(cuzk_query_new(&q, part, 2, p->opt->pool, err));
    cuzk_compiled_witness_fini(&p->w); /* the last query has what it needs */
    cuzk_assignment_fini(&p->z);
    CUZK_TRY(cuzk_query_g1(&p->sum_b1, &q, p->srs, SECTION_B_G1, p->opt->pool, err));
    CUZK_TRY(begin_phase(p, "msm_b2", err));
    CUZK_TRY(cuzk_query_g2(&p->sum_b2, &q, p->srs, SECTION_B_G2, p->opt->pool, err));
out:
    cuzk_query_fini(&q);
    return st;
}

/* ---- r, s and the three points ---- */

/* Uniform below the modulus by rejection: 255 bits are drawn, r > 0.45 * 2^255. */
static cuzk_status random_scalar(fr_canon *k, cuzk_err *err)
{
    cuzk_status st;
    do {
        st = cuzk_random_bytes(k, sizeof *k, err);
        k->l[3] &= UINT64_MAX >> 1;
    } while (st == CUZK_OK && !limbs_lt(k->l, cuzk_fr_modulus, 4));
    return st;
}

typedef struct {
    fr_canon r, s, rs;
} blinding;

static cuzk_status draw_blinding(blinding *b, const groth16_prove_options *opt, cuzk_err *err)
{
    fr r, s, rs;
    cuzk_status st = CUZK_OK;
    if (opt->r) {
        cuzk_fr_to_canon(&b->r, opt->r);
        cuzk_fr_to_canon(&b->s, opt->s);
    } else {
        CUZK_TRY(random_scalar(&b->r, err));
        CUZK_TRY(random_scalar(&b->s, err));
    }
    cuzk_fr_from_canon(&r, &b->r);
    cuzk_fr_from_canon(&s, &b->s);
    fr_mul(&rs, &r, &s);
    cuzk_fr_to_canon(&b->rs, &rs);
out:
    cuzk_wipe(&r, sizeof r);
    cuzk_wipe(&s, sizeof s);
    cuzk_wipe(&rs, sizeof rs);
    return st;
}

/* sum += k p */
static void add_multiple(g1_jac *sum, const g1_affine *p, const fr_canon *k)
{
    g1_jac t;
    cuzk_g1_from_affine(&t, p);
    cuzk_g1_mul(&t, &t, k);
    cuzk_g1_add(sum, sum, &t);
}

static void make_a(g1_affine *out, const prover *p, const blinding *b)
{
    g1_jac a = p->sum_a;
    cuzk_g1_add_affine(&a, &a, &p->srs->vk.alpha_g1);
    add_multiple(&a, &p->srs->vk.delta_g1, &b->r);
    cuzk_g1_to_affine(out, &a);
}

static void make_b(g2_affine *out, const prover *p, const blinding *b)
{
    g2_jac sum = p->sum_b2, t;
    cuzk_g2_add_affine(&sum, &sum, &p->srs->vk.beta_g2);
    cuzk_g2_from_affine(&t, &p->srs->vk.delta_g2);
    cuzk_g2_mul(&t, &t, &b->s);
    cuzk_g2_add(&sum, &sum, &t);
    cuzk_g2_to_affine(out, &sum);
}

/* C = s (Asum + alpha) + r (B1 + beta) + r s delta + H + L */
static void make_c(g1_affine *out, const prover *p, const blinding *b)
{
    g1_jac c, t;
    cuzk_g1_add(&c, &p->sum_h, &p->sum_l);
    cuzk_g1_add_affine(&t, &p->sum_a, &p->srs->vk.alpha_g1);
    cuzk_g1_mul(&t, &t, &b->s);
    cuzk_g1_add(&c, &c, &t);
    cuzk_g1_add_affine(&t, &p->sum_b1, &p->srs->vk.beta_g1);
    cuzk_g1_mul(&t, &t, &b->r);
    cuzk_g1_add(&c, &c, &t);
    add_multiple(&c, &p->srs->vk.delta_g1, &b->rs);
    cuzk_g1_to_affine(out, &c);
}

typedef struct {
    const prover *p;
    const blinding *b;
    groth16_proof *out;
} finish_run;

/* The longest first: a point of G2. */
static void finish_point(void *ctx, size_t index, unsigned worker)
{
    const finish_run *r = ctx;
    (void)worker;
    if (index == 0)
        make_b(&r->out->b, r->p, r->b);
    else if (index == 1)
        make_c(&r->out->c, r->p, r->b);
    else
        make_a(&r->out->a, r->p, r->b);
}

static cuzk_status finish(groth16_proof *out, const prover *p, cuzk_err *err)
{
    blinding b;
    cuzk_status st = draw_blinding(&b, p->opt, err);
    finish_run r = {p, &b, out};
    if (st == CUZK_OK)
        cuzk_pool_run(p->opt->pool, 3, finish_point, &r);
    cuzk_wipe(&b, sizeof b);
    return st;
}

/* ---- entry ---- */

static cuzk_status check_arguments(const groth16_srs *srs, const groth16_prove_options *opt,
                                   cuzk_err *err)
{
    if (!opt->r != !opt->s)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "prove: r and s must both be given or both be left out");
    if (g1_affine_is_identity(&srs->vk.delta_g1) || g2_affine_is_identity(&srs->vk.delta_g2))
        return cuzk_fail(err, CUZK_PARAMS, 0, "the parameters have the identity as delta");
    return CUZK_OK;
}

static cuzk_status run_phases(groth16_proof *out, prover *p, const cs_circuit *circuit,
                              cuzk_err *err)
{
    cuzk_status st;
    CUZK_TRY(begin_phase(p, "witness", err));
    if (is_compiled(p))
        CUZK_TRY(cuzk_assign_compiled(&p->z, &p->w, p->opt->compiled, circuit, p->srs, p->opt->pool,
                                      err));
    else
        CUZK_TRY(cuzk_assign(&p->z, circuit, p->srs, p->opt->check_witness, err));
    CUZK_TRY(begin_phase(p, "ntt", err));
    CUZK_TRY(make_h(p, err));
    CUZK_TRY(begin_phase(p, "msm_h", err));
    CUZK_TRY(sum_h(p, err));
    CUZK_TRY(begin_phase(p, "msm_l", err));
    CUZK_TRY(sum_l(p, err));
    CUZK_TRY(begin_phase(p, "msm_a", err));
    CUZK_TRY(sum_a(p, err));
    CUZK_TRY(sum_b(p, err));
    CUZK_TRY(begin_phase(p, "finish", err));
    CUZK_TRY(finish(out, p, err));
out:
    cuzk_span_end(&p->span);
    return st;
}

cuzk_status cuzk_groth16_prove(groth16_proof *out, const cs_circuit *circuit,
                               const groth16_srs *srs, const groth16_prove_options *opt,
                               cuzk_err *err)
{
    cuzk_status st = check_arguments(srs, opt, err);
    if (st != CUZK_OK)
        return st;
    prover *p = cuzk_calloc(1, sizeof *p);
    if (!p)
        return cuzk_fail(err, CUZK_NOMEM, 0, "prove: no memory");
    p->srs = srs;
    p->opt = opt;
    st = run_phases(out, p, circuit, err);
    cuzk_free(p->h);
    cuzk_compiled_witness_fini(&p->w);
    cuzk_assignment_fini(&p->z);
    cuzk_free(p);
    return st;
}

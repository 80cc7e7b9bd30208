/* Verification, spec gadgets.md 1.7:
 *     e(A, B) = e(alpha, beta) e(sum_i pub_i ic_i, gamma) e(C, delta),  pub_0 = 1,
 * as one product of Miller loops with one final exponentiation.
 */
#include "base/mem.h"
#include "base/rng.h"
#include "curve/pairing.h"
#include "groth16/groth16.h"
#include "msm/msm.h"

static cuzk_status check_input_count(const groth16_vk *vk, size_t n_inputs, cuzk_err *err)
{
    if (vk->n_ic == 0 || n_inputs != vk->n_ic - 1)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "%zu public inputs given, the verifying key has %zu ic points and wants "
                         "one input less",
                         n_inputs, vk->n_ic);
    return CUZK_OK;
}

/* The decoder refuses the identity; a proof built in memory gets the same treatment. */
static bool has_identity(const groth16_proof *p)
{
    return g1_affine_is_identity(&p->a) || g2_affine_is_identity(&p->b) ||
           g1_affine_is_identity(&p->c);
}

static cuzk_status rejected(cuzk_err *err)
{
    return cuzk_fail(err, CUZK_REJECTED, 0, "the proof does not verify");
}

/* k[i] for ic[i]: ONE first. */
static cuzk_status input_sum(g1_affine *out, const groth16_vk *vk, const fr_canon k[],
                             cuzk_err *err)
{
    g1_jac sum;
    cuzk_status st = cuzk_msm_g1(NULL, &sum, vk->ic, NULL, k, vk->n_ic, err);
    if (st == CUZK_OK)
        cuzk_g1_to_affine(out, &sum);
    return st;
}

static bool product_is_one(const g1_affine p[], const g2_affine q[], size_t n)
{
    fp12 f;
    cuzk_miller_loop(&f, p, q, n);
    cuzk_final_exp(&f, &f);
    return fp12_is_one(&f);
}

/* One proof's equation in two halves, each of two pairs. */
typedef struct {
    const groth16_vk *vk;
    const groth16_proof *proof;
    const fr_canon *k;
    fp12 f[2];
    cuzk_status st; /* of the second */
    cuzk_err *err;
} halves;

static void run_half(void *ctx, size_t index, unsigned worker)
{
    halves *h = ctx;
    (void)worker;
    if (index == 0) {
        g1_affine p[2] = {h->proof->a, h->vk->alpha_g1};
        const g2_affine q[2] = {h->proof->b, h->vk->beta_g2};
        cuzk_g1_affine_neg(&p[0], &p[0]);
        cuzk_miller_loop(&h->f[0], p, q, 2);
        return;
    }
    g1_affine p[2] = {{{{0}}, {{0}}}, h->proof->c};
    const g2_affine q[2] = {h->vk->gamma_g2, h->vk->delta_g2};
    h->st = input_sum(&p[0], h->vk, h->k, h->err);
    if (h->st == CUZK_OK)
        cuzk_miller_loop(&h->f[1], p, q, 2);
}

static cuzk_status check_halves(halves *h, cuzk_pool *pool)
{
    cuzk_pool_run(pool, 2, run_half, h);
    if (h->st != CUZK_OK)
        return h->st;
    fp12_mul(&h->f[0], &h->f[0], &h->f[1]);
    cuzk_final_exp(&h->f[0], &h->f[0]);
    return fp12_is_one(&h->f[0]) ? CUZK_OK : rejected(h->err);
}

cuzk_status cuzk_groth16_verify_on(cuzk_pool *pool, const groth16_vk *vk,
                                   const groth16_proof *proof, const fr inputs[], size_t n_inputs,
                                   cuzk_err *err)
{
    cuzk_status st = check_input_count(vk, n_inputs, err);
    if (st != CUZK_OK)
        return st;
    if (has_identity(proof))
        return rejected(err);
    fr_canon *k = CUZK_NEW_ARRAY(fr_canon, vk->n_ic);
    if (!k)
        return cuzk_fail(err, CUZK_NOMEM, 0, "verify: no memory for %zu inputs", n_inputs);
    k[0] = (fr_canon){{1, 0, 0, 0}};
    for (size_t i = 0; i < n_inputs; i++)
        cuzk_fr_to_canon(&k[i + 1], &inputs[i]);
    halves h = {.vk = vk, .proof = proof, .k = k, .err = err};
    st = check_halves(&h, pool);
    cuzk_free(k);
    return st;
}

cuzk_status cuzk_groth16_verify(const groth16_vk *vk, const groth16_proof *proof, const fr inputs[],
                                size_t n_inputs, cuzk_err *err)
{
    return cuzk_groth16_verify_on(NULL, vk, proof, inputs, n_inputs, err);
}

/* ---- batch ---- */

/* Proof i is weighted with a random z_i of 128 bits: if any equation fails, the weighted product is
 * one with probability <= 2^-127 over the z. The products with alpha, ic and delta join:
 *     prod e(z_i A_i, B_i) = e(sum z_i alpha, beta) e(sum_j k_j ic_j, gamma) e(sum z_i C_i, delta)
 * with k_0 = sum z_i and k_j = sum_i z_i input_ij. */
typedef struct {
    size_t n;
    fr_canon *z;      /* n */
    fr_canon *k;      /* n_ic */
    g1_affine *p, *c; /* n + 3; n */
    g2_affine *q;     /* n + 3 */
} batch;

static cuzk_status batch_init(batch *b, const groth16_vk *vk, size_t n, cuzk_err *err)
{
    b->n = n;
    b->z = cuzk_calloc(n, sizeof *b->z);
    b->k = CUZK_NEW_ARRAY(fr_canon, vk->n_ic);
    b->p = CUZK_NEW_ARRAY(g1_affine, n + 3);
    b->c = CUZK_NEW_ARRAY(g1_affine, n);
    b->q = CUZK_NEW_ARRAY(g2_affine, n + 3);
    if (!b->z || !b->k || !b->p || !b->c || !b->q)
        return cuzk_fail(err, CUZK_NOMEM, 0, "verify: no memory for %zu proofs", n);
    for (size_t i = 0; i < n; i++) {
        cuzk_status st = cuzk_random_bytes(b->z[i].l, 16, err);
        if (st != CUZK_OK)
            return st;
        b->z[i].l[0] |= 1; /* never 0; costs one bit of the bound */
    }
    return CUZK_OK;
}

static void batch_fini(batch *b)
{
    cuzk_free(b->q);
    cuzk_free(b->c);
    cuzk_free(b->p);
    cuzk_free(b->k);
    cuzk_free(b->z);
}

static void combine_inputs(batch *b, const fr *const inputs[], size_t n_inputs)
{
    fr sum = {{0}};
    for (size_t i = 0; i < b->n; i++) {
        fr z;
        cuzk_fr_from_canon(&z, &b->z[i]);
        fr_add(&sum, &sum, &z);
    }
    cuzk_fr_to_canon(&b->k[0], &sum);
    for (size_t j = 0; j < n_inputs; j++) {
        sum = (fr){{0}};
        for (size_t i = 0; i < b->n; i++) {
            fr t;
            cuzk_fr_from_canon(&t, &b->z[i]);
            fr_mul(&t, &t, &inputs[i][j]);
            fr_add(&sum, &sum, &t);
        }
        cuzk_fr_to_canon(&b->k[j + 1], &sum);
    }
}

static cuzk_status combine_points(batch *b, const groth16_vk *vk, const groth16_proof proof[],
                                  cuzk_err *err)
{
    g1_jac t;
    for (size_t i = 0; i < b->n; i++) {
        cuzk_g1_from_affine(&t, &proof[i].a);
        cuzk_g1_mul(&t, &t, &b->z[i]);
        cuzk_g1_neg(&t, &t);
        cuzk_g1_to_affine(&b->p[i], &t);
        b->q[i] = proof[i].b;
        b->c[i] = proof[i].c;
    }
    g1_affine *joined = b->p + b->n;
    cuzk_g1_from_affine(&t, &vk->alpha_g1);
    cuzk_g1_mul(&t, &t, &b->k[0]);
    cuzk_g1_to_affine(&joined[0], &t);
    cuzk_status st = input_sum(&joined[1], vk, b->k, err);
    if (st != CUZK_OK)
        return st;
    st = cuzk_msm_g1(NULL, &t, b->c, NULL, b->z, b->n, err);
    if (st != CUZK_OK)
        return st;
    cuzk_g1_to_affine(&joined[2], &t);
    b->q[b->n] = vk->beta_g2;
    b->q[b->n + 1] = vk->gamma_g2;
    b->q[b->n + 2] = vk->delta_g2;
    return CUZK_OK;
}

cuzk_status cuzk_groth16_verify_batch(const groth16_vk *vk, const groth16_proof proof[],
                                      const fr *const inputs[], size_t n_inputs, size_t n,
                                      cuzk_err *err)
{
    batch b = {0};
    cuzk_status st = check_input_count(vk, n_inputs, err);
    if (st != CUZK_OK)
        return st;
    if (n == 0)
        return cuzk_fail(err, CUZK_INVAL, 0, "verify: no proofs given");
    for (size_t i = 0; i < n; i++)
        if (has_identity(&proof[i]))
            return rejected(err);
    CUZK_TRY(batch_init(&b, vk, n, err));
    combine_inputs(&b, inputs, n_inputs);
    CUZK_TRY(combine_points(&b, vk, proof, err));
    if (!product_is_one(b.p, b.q, n + 3))
        st = rejected(err);
out:
    batch_fini(&b);
    return st;
}

/* h by six transforms instead of seven.
 *
 * deg A B <= 2n - 2, so A B = Lo + X^n Hi with Lo, Hi of degree < n, and mod X^n - 1 it is Lo + Hi,
 * which is C, since c = a b on the domain. Hence A B - C = (X^n - 1) Hi: h = Hi. On the coset of
 * g = exp(2 pi i / 2n), X^n = -1 and A B reads Lo - Hi =: D. So 2 h = C - D, where
 *     C = intt(a b),   D = unshift(intt(ntt(shift(intt a)) ntt(shift(intt b)))),
 * and shift multiplies coefficient k by g^k. Coefficients are kept in bit-reversed order, where g^k
 * at position p is root[p] of ntt_internal.h continued one level: root[n/2 + q] = g root[q].
 * The spec shifts by 7 instead; h does not depend on the shift. All factors 1/n are gathered into
 * the last step: with unscaled inverses C comes out n times, D n^3 times too large.
 */
#include "ntt/quotient.h"

#include <string.h>

#include "field/simd.h"
#include "ntt/quotient_internal.h"

#define BLOCK 512u /* elements of one task; at most n/2 where lanes are used (n >= 1024) */

/* ---- portable steps ---- */

/* g^k of the coefficient at bit-reversed position p. */
static void shift_factor(fr *f, const quotient *q, size_t p)
{
    size_t half = q->plan->n / 2;
    if (p < half)
        *f = q->plan->root[p];
    else
        fr_mul(f, &q->plan->root[p - half], &q->g);
}

/* g^-k times 1 / (2n^3). */
static void unshift_factor(fr *f, const quotient *q, size_t p)
{
    size_t half = q->plan->n / 2, t = p < half ? p : p - half;
    if (t == 0)
        *f = q->plan->root[0];
    else
        fr_neg(f, &q->plan->root[ntt_mirror(t)]);
    fr_mul(f, f, &q->d_scale[p >= half]);
}

static void multiply(const quotient *q, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        fr_mul(&q->h[i], &q->a[i], &q->b[i]);
}

static void shift(const quotient *q, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        fr f;
        shift_factor(&f, q, i);
        fr_mul(&q->a[i], &q->a[i], &f);
        fr_mul(&q->b[i], &q->b[i], &f);
    }
}

static void multiply_coset(const quotient *q, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        fr_mul(&q->a[i], &q->a[i], &q->b[i]);
}

static void combine(const quotient *q, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        fr f, d;
        unshift_factor(&f, q, i);
        fr_mul(&d, &q->a[i], &f);
        fr_mul(&q->h[i], &q->h[i], &q->c_scale);
        fr_sub(&q->h[i], &q->h[i], &d);
    }
}

/* ---- driver ---- */

enum { STEP_MULTIPLY, STEP_SHIFT, STEP_MULTIPLY_COSET, STEP_COMBINE };

static const quotient_step portable_steps[] = {multiply, shift, multiply_coset, combine};
#if CUZK_HAVE_IFMA
static const quotient_step simd_steps[] = {cuzk_quotient_ifma_multiply, cuzk_quotient_ifma_shift,
                                           cuzk_quotient_ifma_multiply_coset,
                                           cuzk_quotient_ifma_combine};
#endif

typedef struct {
    const quotient *q;
    quotient_step step;
} step_run;

static void run_block(void *ctx, size_t index, unsigned worker)
{
    const step_run *r = ctx;
    (void)worker;
    size_t n = r->q->plan->n, begin = index * BLOCK;
    r->step(r->q, begin, n < BLOCK ? n : begin + BLOCK);
}

static void run_step(const quotient *q, unsigned step, cuzk_pool *pool)
{
    step_run r = {q, portable_steps[step]};
#if CUZK_HAVE_IFMA
    if (q->plan->simd)
        r.step = simd_steps[step];
#endif
    (void)cuzk_pool_try(pool, (q->plan->n + BLOCK - 1) / BLOCK, run_block, &r); /* see ntt.c */
}

#if CUZK_HAVE_IFMA
static void enter_simd(quotient *q)
{
    fr *scale[] = {&q->c_scale, &q->d_scale[0], &q->d_scale[1]};
    fr_mul(&q->g, &q->g, &cuzk_fr_simd_enter);
    for (size_t i = 0; i < CUZK_ARRAY_LEN(scale); i++) {
        fr_mul(scale[i], scale[i], &cuzk_fr_simd_enter);
        if (i > 0 || !q->c_given) /* for the product: quotient_internal.h */
            fr_mul(scale[i], scale[i], &cuzk_fr_simd_enter);
    }
}
#endif

/* As a product in Montgomery form takes x with c / R to x c, out of it. */
static void leave_montgomery(fr *c)
{
    fr_canon plain;
    cuzk_fr_to_canon(&plain, c);
    memcpy(c, &plain, sizeof plain);
}

static void init_factors(quotient *q)
{
    fr half;
    q->g = cuzk_fr_root_of_unity;
    for (unsigned i = q->plan->lg_n + 1; i < FR_TWO_ADICITY; i++)
        fr_sqr(&q->g, &q->g);
    cuzk_fr_from_u64(&half, 2);
    cuzk_fr_inv_vartime(&half, &half);
    fr_mul(&q->c_scale, &half, &q->plan->n_inv);
    fr_sqr(&q->d_scale[0], &q->plan->n_inv);
    fr_mul(&q->d_scale[0], &q->d_scale[0], &q->c_scale);
    cuzk_fr_inv_vartime(&q->d_scale[1], &q->g);
    fr_mul(&q->d_scale[1], &q->d_scale[1], &q->d_scale[0]);
    if (q->plain) {
        leave_montgomery(&q->c_scale);
        leave_montgomery(&q->d_scale[0]);
        leave_montgomery(&q->d_scale[1]);
    }
#if CUZK_HAVE_IFMA
    if (q->plan->simd)
        enter_simd(q);
#endif
}

static void run(quotient *q, cuzk_pool *pool)
{
    const ntt_plan *plan = q->plan;
    if (plan->n == 1) { /* A B - C has degree 0 and is divisible by X - 1 */
        q->h[0] = (fr){{0}};
        return;
    }
    init_factors(q);
    if (!q->c_given)
        run_step(q, STEP_MULTIPLY, pool);
    cuzk_ntt_inverse_nr_unscaled(plan, q->h, pool);
    cuzk_ntt_inverse_nr_unscaled(plan, q->a, pool);
    cuzk_ntt_inverse_nr_unscaled(plan, q->b, pool);
    run_step(q, STEP_SHIFT, pool);
    cuzk_ntt_forward_rn(plan, q->a, pool);
    cuzk_ntt_forward_rn(plan, q->b, pool);
    run_step(q, STEP_MULTIPLY_COSET, pool);
    cuzk_ntt_inverse_nr_unscaled(plan, q->a, pool);
    run_step(q, STEP_COMBINE, pool);
    cuzk_ntt_bit_reverse(plan, q->h, pool);
}

void cuzk_ntt_quotient(const ntt_plan *plan, fr h[], fr a[], fr b[], cuzk_pool *pool)
{
    quotient q = {.plan = plan, .a = a, .b = b, .h = h};
    run(&q, pool);
}

void cuzk_ntt_quotient_of(const ntt_plan *plan, fr h[], fr a[], fr b[], cuzk_pool *pool)
{
    quotient q = {.plan = plan, .a = a, .b = b, .h = h, .c_given = true};
    run(&q, pool);
}

void cuzk_ntt_quotient_plain(const ntt_plan *plan, fr h[], fr a[], fr b[], bool c_given,
                             cuzk_pool *pool)
{
    quotient q = {.plan = plan, .a = a, .b = b, .h = h, .c_given = c_given, .plain = true};
    run(&q, pool);
}

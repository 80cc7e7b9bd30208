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

#include "ntt/ntt_internal.h"

#define MIN_CHUNK 4096

typedef struct {
    const ntt_plan *plan;
    fr *a, *b, *h;
    fr g, g_inv;  /* exp(2 pi i / 2n) and its inverse */
    fr c_scale;   /* 1 / (2n) */
    fr d_scale;   /* 1 / (2n^3) */
} quotient;

/* g^k of the coefficient at bit-reversed position p. */
static void shift_factor(fr *f, const quotient *q, size_t p)
{
    size_t half = q->plan->n / 2;
    if (p < half)
        *f = q->plan->root[p];
    else
        fr_mul(f, &q->plan->root[p - half], &q->g);
}

/* g^-k times d_scale. */
static void unshift_factor(fr *f, const quotient *q, size_t p)
{
    size_t half = q->plan->n / 2, t = p < half ? p : p - half;
    if (t == 0)
        *f = q->plan->root[0];
    else
        fr_neg(f, &q->plan->root[ntt_mirror(t)]);
    if (p >= half)
        fr_mul(f, f, &q->g_inv);
    fr_mul(f, f, &q->d_scale);
}

static void multiply_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    quotient *q = ctx;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        fr_mul(&q->h[i], &q->a[i], &q->b[i]);
}

static void shift_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    quotient *q = ctx;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        fr f;
        shift_factor(&f, q, i);
        fr_mul(&q->a[i], &q->a[i], &f);
        fr_mul(&q->b[i], &q->b[i], &f);
    }
}

static void multiply_coset_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    quotient *q = ctx;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        fr_mul(&q->a[i], &q->a[i], &q->b[i]);
}

static void combine_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    quotient *q = ctx;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        fr f, d;
        unshift_factor(&f, q, i);
        fr_mul(&d, &q->a[i], &f);
        fr_mul(&q->h[i], &q->h[i], &q->c_scale);
        fr_sub(&q->h[i], &q->h[i], &d);
    }
}

static void init_factors(quotient *q)
{
    fr half;
    q->g = cuzk_fr_root_of_unity;
    for (unsigned i = q->plan->lg_n + 1; i < FR_TWO_ADICITY; i++)
        fr_sqr(&q->g, &q->g);
    cuzk_fr_inv_vartime(&q->g_inv, &q->g);
    cuzk_fr_from_u64(&half, 2);
    cuzk_fr_inv_vartime(&half, &half);
    fr_mul(&q->c_scale, &half, &q->plan->n_inv);
    fr_sqr(&q->d_scale, &q->plan->n_inv);
    fr_mul(&q->d_scale, &q->d_scale, &q->c_scale);
}

void cuzk_ntt_quotient(const ntt_plan *plan, fr h[], fr a[], fr b[], cuzk_pool *pool)
{
    quotient q = {.plan = plan, .a = a, .b = b, .h = h};
    if (plan->n == 1) { /* A B - C has degree 0 and is divisible by X - 1 */
        h[0] = (fr){{0}};
        return;
    }
    init_factors(&q);
    cuzk_pool_for(pool, plan->n, MIN_CHUNK, multiply_range, &q);
    cuzk_ntt_inverse_nr_unscaled(plan, h, pool);
    cuzk_ntt_inverse_nr_unscaled(plan, a, pool);
    cuzk_ntt_inverse_nr_unscaled(plan, b, pool);
    cuzk_pool_for(pool, plan->n, MIN_CHUNK, shift_range, &q);
    cuzk_ntt_forward_rn(plan, a, pool);
    cuzk_ntt_forward_rn(plan, b, pool);
    cuzk_pool_for(pool, plan->n, MIN_CHUNK, multiply_coset_range, &q);
    cuzk_ntt_inverse_nr_unscaled(plan, a, pool);
    cuzk_pool_for(pool, plan->n, MIN_CHUNK, combine_range, &q);
    cuzk_ntt_bit_reverse(plan, h, pool);
}

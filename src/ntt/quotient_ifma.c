/* Pointwise steps of quotient.c with eight lanes; ranges as in field/simd.h. Values are stored
 * below 2r, which the transforms accept, and canonical at the end. */
#include "ntt/ntt_ifma.h"

#if CUZK_HAVE_IFMA

#include "ntt/quotient_internal.h"

IFMA_INLINE void multiply(fr *out, const fr *x, const fr *y)
{
    fr8 a, b;
    fr8_load(&a, x);
    fr8_load(&b, y);
    fr8_mul(&a, &a, &b);
    fr8_store(out, &a);
}

CUZK_TARGET_IFMA void cuzk_quotient_ifma_multiply(const quotient *q, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i += NTT_LANES)
        multiply(&q->h[i], &q->a[i], &q->b[i]);
}

CUZK_TARGET_IFMA void cuzk_quotient_ifma_multiply_coset(const quotient *q, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i += NTT_LANES)
        multiply(&q->a[i], &q->a[i], &q->b[i]);
}

CUZK_TARGET_IFMA void cuzk_quotient_ifma_shift(const quotient *q, size_t begin, size_t end)
{
    size_t half = q->plan->n / 2;
    fr8 g, w, x;
    fr8_broadcast(&g, &q->g);
    for (size_t i = begin; i < end; i += NTT_LANES) {
        fr8_load(&w, &q->plan->root[i < half ? i : i - half]);
        if (i >= half)
            fr8_mul(&w, &w, &g);
        fr8_load(&x, &q->a[i]);
        fr8_mul(&x, &x, &w);
        fr8_store(&q->a[i], &x);
        fr8_load(&x, &q->b[i]);
        fr8_mul(&x, &x, &w);
        fr8_store(&q->b[i], &x);
    }
}

/* h = h c_scale - a / g^k d_scale; twiddles() gives -1/root. */
CUZK_TARGET_IFMA void cuzk_quotient_ifma_combine(const quotient *q, size_t begin, size_t end)
{
    size_t half = q->plan->n / 2;
    const ntt_dir inverse = {q->plan->root, true};
    fr8 c_scale, d_scale, w, d, h;
    fr8_broadcast(&c_scale, &q->c_scale);
    fr8_broadcast(&d_scale, &q->d_scale[begin >= half]);
    for (size_t i = begin; i < end; i += NTT_LANES) {
        twiddles(&w, &inverse, i < half ? i : i - half, 1);
        fr8_mul(&w, &w, &d_scale);
        fr8_load(&d, &q->a[i]);
        fr8_mul(&d, &d, &w);
        fr8_load(&h, &q->h[i]);
        fr8_mul(&h, &h, &c_scale);
        fr8_add(&h, &h, &d);
        fr8_canon(&h, &h);
        fr8_store(&q->h[i], &h);
    }
}

#endif

/* Fp2 = Fp[u]/(u^2 + 1): c0 + c1 u. Same conventions as fp.h; outputs may alias inputs. */
#ifndef CUZK_FIELD_FP2_H
#define CUZK_FIELD_FP2_H

#include "field/fp.h"

typedef struct {
    fp c0, c1;
} fp2;

extern const fp2 cuzk_fp2_one;

CUZK_INLINE void fp2_add(fp2 *r, const fp2 *a, const fp2 *b)
{
    fp_add(&r->c0, &a->c0, &b->c0);
    fp_add(&r->c1, &a->c1, &b->c1);
}

CUZK_INLINE void fp2_sub(fp2 *r, const fp2 *a, const fp2 *b)
{
    fp_sub(&r->c0, &a->c0, &b->c0);
    fp_sub(&r->c1, &a->c1, &b->c1);
}

CUZK_INLINE void fp2_dbl(fp2 *r, const fp2 *a)
{
    fp2_add(r, a, a);
}

CUZK_INLINE void fp2_neg(fp2 *r, const fp2 *a)
{
    fp_neg(&r->c0, &a->c0);
    fp_neg(&r->c1, &a->c1);
}

CUZK_INLINE void fp2_conj(fp2 *r, const fp2 *a)
{
    r->c0 = a->c0;
    fp_neg(&r->c1, &a->c1);
}

/* Karatsuba: three products. */
CUZK_INLINE void fp2_mul(fp2 *r, const fp2 *a, const fp2 *b)
{
    fp s, t, v0, v1;
    fp_add(&s, &a->c0, &a->c1);
    fp_add(&t, &b->c0, &b->c1);
    fp_mul(&v0, &a->c0, &b->c0);
    fp_mul(&v1, &a->c1, &b->c1);
    fp_mul(&s, &s, &t);
    fp_sub(&s, &s, &v0);
    fp_sub(&r->c1, &s, &v1);
    fp_sub(&r->c0, &v0, &v1);
}

/* (c0 + c1)(c0 - c1) + 2 c0 c1 u */
CUZK_INLINE void fp2_sqr(fp2 *r, const fp2 *a)
{
    fp s, d, m;
    fp_add(&s, &a->c0, &a->c1);
    fp_sub(&d, &a->c0, &a->c1);
    fp_mul(&m, &a->c0, &a->c1);
    fp_mul(&r->c0, &s, &d);
    fp_dbl(&r->c1, &m);
}

CUZK_INLINE void fp2_mul_fp(fp2 *r, const fp2 *a, const fp *b)
{
    fp k = *b; /* b may lie inside r */
    fp_mul(&r->c0, &a->c0, &k);
    fp_mul(&r->c1, &a->c1, &k);
}

/* Times 1 + u, the cube and square non-residue on which Fp6 and the twist are built. */
CUZK_INLINE void fp2_mul_xi(fp2 *r, const fp2 *a)
{
    fp d;
    fp_sub(&d, &a->c0, &a->c1);
    fp_add(&r->c1, &a->c0, &a->c1);
    r->c0 = d;
}

CUZK_INLINE bool fp2_is_zero(const fp2 *a)
{
    return fp_is_zero(&a->c0) && fp_is_zero(&a->c1);
}

CUZK_INLINE bool fp2_eq(const fp2 *a, const fp2 *b)
{
    return fp_eq(&a->c0, &b->c0) && fp_eq(&a->c1, &b->c1);
}

void cuzk_fp2_inv_vartime(fp2 *r, const fp2 *a);  /* 0 gives 0 */
bool cuzk_fp2_sqrt_vartime(fp2 *r, const fp2 *a); /* false when a is no square; r unspecified */
/* a[i] <- 1/a[i], zeros stay zero. scratch: n elements. */
void cuzk_fp2_batch_inv_vartime(fp2 a[], size_t n, fp2 scratch[]);
/* True when a > -a, c1 compared first: the "sign" of the G2 encodings. */
bool cuzk_fp2_is_larger_root(const fp2 *a);

#endif

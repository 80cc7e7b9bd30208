/* Fp12 = Fp6[w]/(w^2 - v): c0 + c1 w, hence w^6 = xi = 1 + u. Outputs may alias inputs.
 *
 * In the basis of powers of w the coefficients are c0.c0, c1.c0, c0.c1, c1.c1, c0.c2, c1.c2.
 */
#ifndef CUZK_FIELD_FP12_H
#define CUZK_FIELD_FP12_H

#include "field/fp6.h"

typedef struct {
    fp6 c0, c1;
} fp12;

extern const fp12 cuzk_fp12_one;

static inline bool fp12_eq(const fp12 *a, const fp12 *b)
{
    return fp6_eq(&a->c0, &b->c0) && fp6_eq(&a->c1, &b->c1);
}

static inline bool fp12_is_one(const fp12 *a)
{
    return fp12_eq(a, &cuzk_fp12_one);
}

/* a^(p^6); the inverse of elements of the cyclotomic subgroup. */
static inline void fp12_conj(fp12 *r, const fp12 *a)
{
    r->c0 = a->c0;
    fp6_neg(&r->c1, &a->c1);
}

void cuzk_fp12_mul(fp12 *r, const fp12 *a, const fp12 *b);
void cuzk_fp12_sqr(fp12 *r, const fp12 *a);
/* Times b0 + b1 v + b4 v w, the shape of a line of the Miller loop. */
void cuzk_fp12_mul_by_014(fp12 *r, const fp12 *a, const fp2 *b0, const fp2 *b1, const fp2 *b4);
void cuzk_fp12_inv_vartime(fp12 *r, const fp12 *a);
void cuzk_fp12_frobenius(fp12 *r, const fp12 *a); /* a^p */
/* Only for elements of order dividing p^4 - p^2 + 1, such as results of the easy part. */
void cuzk_fp12_cyclotomic_sqr(fp12 *r, const fp12 *a);
void cuzk_fp12_pow_vartime(fp12 *r, const fp12 *a, const uint64_t e[], int n_limbs);

static inline void fp12_mul(fp12 *r, const fp12 *a, const fp12 *b)
{
    cuzk_fp12_mul(r, a, b);
}

static inline void fp12_sqr(fp12 *r, const fp12 *a)
{
    cuzk_fp12_sqr(r, a);
}

#endif

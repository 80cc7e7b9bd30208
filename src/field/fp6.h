/* Fp6 = Fp2[v]/(v^3 - xi), xi = 1 + u: c0 + c1 v + c2 v^2. Outputs may alias inputs. */
#ifndef CUZK_FIELD_FP6_H
#define CUZK_FIELD_FP6_H

#include "field/fp2.h"

typedef struct {
    fp2 c0, c1, c2;
} fp6;

static inline void fp6_add(fp6 *r, const fp6 *a, const fp6 *b)
{
    fp2_add(&r->c0, &a->c0, &b->c0);
    fp2_add(&r->c1, &a->c1, &b->c1);
    fp2_add(&r->c2, &a->c2, &b->c2);
}

static inline void fp6_sub(fp6 *r, const fp6 *a, const fp6 *b)
{
    fp2_sub(&r->c0, &a->c0, &b->c0);
    fp2_sub(&r->c1, &a->c1, &b->c1);
    fp2_sub(&r->c2, &a->c2, &b->c2);
}

static inline void fp6_neg(fp6 *r, const fp6 *a)
{
    fp2_neg(&r->c0, &a->c0);
    fp2_neg(&r->c1, &a->c1);
    fp2_neg(&r->c2, &a->c2);
}

static inline bool fp6_eq(const fp6 *a, const fp6 *b)
{
    return fp2_eq(&a->c0, &b->c0) && fp2_eq(&a->c1, &b->c1) && fp2_eq(&a->c2, &b->c2);
}

/* v (c0 + c1 v + c2 v^2) = xi c2 + c0 v + c1 v^2 */
static inline void fp6_mul_v(fp6 *r, const fp6 *a)
{
    fp2 t;
    fp2_mul_xi(&t, &a->c2);
    r->c2 = a->c1;
    r->c1 = a->c0;
    r->c0 = t;
}

void cuzk_fp6_mul(fp6 *r, const fp6 *a, const fp6 *b);
void cuzk_fp6_mul_by_01(fp6 *r, const fp6 *a, const fp2 *b0, const fp2 *b1); /* b0 + b1 v */
void cuzk_fp6_mul_by_1(fp6 *r, const fp6 *a, const fp2 *b1);                 /* b1 v */
void cuzk_fp6_inv_vartime(fp6 *r, const fp6 *a);                             /* 0 gives 0 */

#endif

/* G2: y^2 = x^3 + 4(1 + u) over Fp2 = Fp[u]/(u^2 + 1). The identity is (0, 0) in affine and z = 0
 * in Jacobian coordinates.
 *
 * All formulas are complete: equal points, opposite points and the identity are handled.
 * Variable time throughout (docs/curve.md says what that means for r and s).
 */
#ifndef CUZK_CURVE_G2_H
#define CUZK_CURVE_G2_H

#include "field/fp2.h"
#include "field/fr.h"

typedef struct {
    fp2 x, y;
} g2_affine;

typedef struct {
    fp2 x, y, z; /* x/z^2, y/z^3 */
} g2_jac;

extern const g2_affine cuzk_g2_generator;

CUZK_INLINE bool g2_affine_is_identity(const g2_affine *p)
{
    return fp2_is_zero(&p->x) && fp2_is_zero(&p->y);
}

CUZK_INLINE bool g2_is_identity(const g2_jac *p)
{
    return fp2_is_zero(&p->z);
}

void cuzk_g2_set_identity(g2_jac *r);
void cuzk_g2_from_affine(g2_jac *r, const g2_affine *p);
void cuzk_g2_to_affine(g2_affine *r, const g2_jac *p);
void cuzk_g2_batch_to_affine(g2_affine r[], const g2_jac p[], size_t n, fp2 scratch[]); /* 2n */
void cuzk_g2_add(g2_jac *r, const g2_jac *p, const g2_jac *q);
void cuzk_g2_add_affine(g2_jac *r, const g2_jac *p, const g2_affine *q);
void cuzk_g2_dbl(g2_jac *r, const g2_jac *p);
void cuzk_g2_neg(g2_jac *r, const g2_jac *p);
void cuzk_g2_affine_neg(g2_affine *r, const g2_affine *p);
void cuzk_g2_mul(g2_jac *r, const g2_jac *p, const fr_canon *k);
bool cuzk_g2_eq(const g2_jac *p, const g2_jac *q);
bool cuzk_g2_affine_is_on_curve(const g2_affine *p); /* the identity counts as on the curve */
bool cuzk_g2_affine_in_subgroup(const g2_affine *p); /* for points on the curve */

#endif

/* G1: y^2 = x^3 + 4 over Fp. The identity is (0, 0) in affine and z = 0 in Jacobian coordinates.
 *
 * All formulas are complete: equal points, opposite points and the identity are handled.
 * Variable time throughout (docs/curve.md says what that means for r and s).
 */
#ifndef CUZK_CURVE_G1_H
#define CUZK_CURVE_G1_H

#include "field/fp.h"
#include "field/fr.h"

typedef struct {
    fp x, y;
} g1_affine;

typedef struct {
    fp x, y, z; /* x/z^2, y/z^3 */
} g1_jac;

extern const g1_affine cuzk_g1_generator;

CUZK_INLINE bool g1_affine_is_identity(const g1_affine *p)
{
    return fp_is_zero(&p->x) && fp_is_zero(&p->y);
}

CUZK_INLINE bool g1_is_identity(const g1_jac *p)
{
    return fp_is_zero(&p->z);
}

void cuzk_g1_set_identity(g1_jac *r);
void cuzk_g1_from_affine(g1_jac *r, const g1_affine *p);
void cuzk_g1_to_affine(g1_affine *r, const g1_jac *p);
void cuzk_g1_batch_to_affine(g1_affine r[], const g1_jac p[], size_t n, fp scratch[]); /* 2n */
void cuzk_g1_add(g1_jac *r, const g1_jac *p, const g1_jac *q);
void cuzk_g1_add_affine(g1_jac *r, const g1_jac *p, const g1_affine *q);
void cuzk_g1_dbl(g1_jac *r, const g1_jac *p);
void cuzk_g1_neg(g1_jac *r, const g1_jac *p);
void cuzk_g1_affine_neg(g1_affine *r, const g1_affine *p);
void cuzk_g1_mul(g1_jac *r, const g1_jac *p, const fr_canon *k);
bool cuzk_g1_eq(const g1_jac *p, const g1_jac *q);
bool cuzk_g1_affine_is_on_curve(const g1_affine *p); /* the identity counts as on the curve */
bool cuzk_g1_affine_in_subgroup(const g1_affine *p); /* for points on the curve */

#endif

/* The optimal ate pairing of BLS12-381. */
#ifndef CUZK_CURVE_PAIRING_H
#define CUZK_CURVE_PAIRING_H

#include "curve/g1.h"
#include "curve/g2.h"
#include "field/fp12.h"

/* Product of Miller loops over n pairs (identity pairs contribute 1), without final exponentiation.
 */
void cuzk_miller_loop(fp12 *out, const g1_affine p[], const g2_affine q[], size_t n);
void cuzk_final_exp(fp12 *out, const fp12 *f);
/* e(p, q), in the same normalisation for every call; compare with fp12_eq. */
void cuzk_pairing(fp12 *out, const g1_affine *p, const g2_affine *q);

#endif

/* Coefficients that rows are made of: 0, 1, -1 and the powers of two, ready in Montgomery form. */
#ifndef CUZK_CIRCUIT_COEFF_H
#define CUZK_CIRCUIT_COEFF_H

#include "field/fr.h"

#define COEFF_POWERS 255 /* 2^0 .. 2^254, all below r */

/* Written once, before main. */
extern fr cuzk_pow2[COEFF_POWERS], cuzk_neg_pow2[COEFF_POWERS];
extern const fr cuzk_fr_bit[2]; /* 0 and 1: values of bits */

#define COEFF_ONE       (&cuzk_pow2[0])
#define COEFF_TWO       (&cuzk_pow2[1])
#define COEFF_MINUS_ONE (&cuzk_neg_pow2[0])

#endif

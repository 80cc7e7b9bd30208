/* Recoding of scalars into signed odd digits, and the parameter of the curve family. */
#ifndef CUZK_CURVE_SCALAR_H
#define CUZK_CURVE_SCALAR_H

#include "field/limb.h"

#define BLS_ABS_Z 0xd201000000010000u /* the parameter z of BLS12-381 is minus this */

#define SCALAR_DIGITS 257 /* a carry out of bit 255 */
#define SCALAR_TABLE  8   /* 1, 3, ..., 15 times the point */

/* Non-adjacent form of width 5: sum digit[i] 2^i = k, digits odd and |digit| < 16 or 0.
 * Returns the number of digits up to the last one that is not 0. */
CUZK_INLINE int scalar_recode(int8_t digit[SCALAR_DIGITS], const uint64_t k[4])
{
    uint64_t t[5] = {k[0], k[1], k[2], k[3], 0};
    int n = 0;
    for (int i = 0; i < SCALAR_DIGITS; i++) {
        int d = 0;
        if (t[0] & 1) {
            d = (int)(t[0] & 31);
            d -= d > 15 ? 32 : 0;
            uint64_t carry = 0;
            uint64_t add = (uint64_t)0 - (uint64_t)(int64_t)d; /* t -= d, sign-extended */
            uint64_t ext = d > 0 ? ~(uint64_t)0 : 0;
            t[0] = limb_adc(t[0], add, &carry);
            for (int j = 1; j < 5; j++)
                t[j] = limb_adc(t[j], ext, &carry);
            n = i + 1;
        }
        digit[i] = (int8_t)d;
        for (int j = 0; j < 4; j++)
            t[j] = t[j] >> 1 | t[j + 1] << 63;
        t[4] >>= 1;
    }
    return n;
}

#endif

/* Eight field elements at once, for the inner loops of MSM and NTT.
 *
 * Only on x86-64 (CUZK_HAVE_IFMA is 1 there), and only called when cuzk_cpu_active() is
 * CUZK_CPU_IFMA. A function that uses these types carries CUZK_TARGET_IFMA in its definition; the
 * rest of its file does not need to, and no compiler flag is involved. Lane i is element i.
 *
 *     CUZK_TARGET_IFMA static void step(...) { fr8 a, b; fr8_load(&a, x); ... }
 *
 * Form. fp8 has 8 limbs and fr8 5 limbs of 52 bits. The Montgomery radix is 2^416 (fp8) and 2^260
 * (fr8), not the 2^384 and 2^256 of fp and fr. load and store move the bits as they are; *_enter
 * and
 * *_leave multiply by the quotient of the radices. Long-lived arrays are best kept in the SIMD
 * radix (still as fp and fr in memory): enter once, leave once. Sums, differences and products with
 * a constant that is itself in the SIMD radix need no conversion at all: fr8_mul(x, w) with w
 * entered and x not entered gives x w in the form x had. That is all an NTT needs.
 *
 * Bounds. Limbs are always below 2^52 (each function carries). Values may exceed the modulus:
 *
 *                         fp8                            fr8
 *     mul, sqr   in       a b < 2^34 p^2                 a b < 35 r^2, a and b < 32 r
 *                out      < 2p                           < 2r
 *     add        out      a + b                          a + b
 *     sub a - b  in       b <= 64p                       b <= 2r
 *                out      a - b + 64p                    a - b + 2r
 *     neg        as sub with a = 0; fp8_sub_from adds another multiple of p than 64p
 *     canon      in, out  < 4p, < p                      < 4r, < r
 *     reduce     in, out  < 2^33 p, < p (one product)    < 32r, < r (one product)
 *     store      in       < p (canon or reduce first)    any < 2^256 (2r fits), canonical on
 * request
 *
 * CUZK_DASSERT cannot see lanes; tests/unit/test_field.c drives the bounds to their ends.
 */
#ifndef CUZK_FIELD_SIMD_H
#define CUZK_FIELD_SIMD_H

#include "field/fp2.h"
#include "field/fr.h"

#if defined(__x86_64__) && !defined(__CUDACC__)
#define CUZK_HAVE_IFMA 1
#include "field/x86/ifma_fp.h"
#include "field/x86/ifma_fr.h"
#else
#define CUZK_HAVE_IFMA 0
#endif

#endif

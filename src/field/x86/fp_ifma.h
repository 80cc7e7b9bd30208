/* Products of eight lanes of Fp and Fp2, two products of Fp in turns (fp_ifma.S, written by
 * scripts/gen_ifma.py): for msm/lanes.h, where the C twins of their parts are.
 *
 * Only where cuzk_cpu_active() is CUZK_CPU_IFMA. Operands are aligned as their types are and have
 * limbs below 2^52; products too. Squares are not carried: limbs are below 2^53, which is good for
 * a difference (that carries) and not for a product. Any result may be any operand; the two results
 * differ.
 */
#ifndef CUZK_FIELD_X86_FP_IFMA_H
#define CUZK_FIELD_X86_FP_IFMA_H

#include "field/simd.h"

#if CUZK_HAVE_IFMA

/* r0 = a0 b0, r1 = a1 b1; a < 2^11 p, b < 2^6 p: r < 5/4 p + p / 2^17. */
void cuzk_fp8_mul2_ifma(fp8 *r0, const fp8 *a0, const fp8 *b0, fp8 *r1, const fp8 *a1,
                        const fp8 *b1);

/* r0 = a0^2 / 2^32, r1 = a1^2 / 2^32; a < 2^9 p: r < p + p / 2^30. */
void cuzk_fp8_sqr2_ifma(fp8 *r0, const fp8 *a0, fp8 *r1, const fp8 *a1);

/* Coefficients of a below 2^11 p, of b below 2^6 p: c0 < 9/4 p + p / 2^16, c1 < 5/4 p + p / 2^16.
 */
void cuzk_fp2_8_mul_ifma(fp2_8 *r, const fp2_8 *a, const fp2_8 *b);

/* a^2 / 2^32; coefficients of a at most 64p: r < p + p / 2^30. */
void cuzk_fp2_8_sqr_ifma(fp2_8 *r, const fp2_8 *a);

#endif
#endif

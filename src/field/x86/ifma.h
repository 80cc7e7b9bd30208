/* What ifma_fp.h and ifma_fr.h share: target, rows of products, carries. See field/simd.h. */
#ifndef CUZK_FIELD_X86_IFMA_H
#define CUZK_FIELD_X86_IFMA_H

#include <immintrin.h>

#include "base/compiler.h"

#define CUZK_TARGET_IFMA                                                                           \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx512ifma,bmi,bmi2,adx,lzcnt")))
#define IFMA_INLINE static inline __attribute__((always_inline)) CUZK_TARGET_IFMA

#define IFMA_BITS 52
#define IFMA_MASK ((uint64_t)0xfffffffffffffu)

IFMA_INLINE __m512i ifma_set1(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}

/* c[i] += low (high) 52 bits of x y[i] for i < n; n is a constant at each call. */
IFMA_INLINE void ifma_row_lo(__m512i *c, __m512i x, const __m512i *y, int n)
{
    c[0] = _mm512_madd52lo_epu64(c[0], x, y[0]);
    c[1] = _mm512_madd52lo_epu64(c[1], x, y[1]);
    c[2] = _mm512_madd52lo_epu64(c[2], x, y[2]);
    c[3] = _mm512_madd52lo_epu64(c[3], x, y[3]);
    c[4] = _mm512_madd52lo_epu64(c[4], x, y[4]);
    if (n < 8)
        return;
    c[5] = _mm512_madd52lo_epu64(c[5], x, y[5]);
    c[6] = _mm512_madd52lo_epu64(c[6], x, y[6]);
    c[7] = _mm512_madd52lo_epu64(c[7], x, y[7]);
}

IFMA_INLINE void ifma_row_hi(__m512i *c, __m512i x, const __m512i *y, int n)
{
    c[0] = _mm512_madd52hi_epu64(c[0], x, y[0]);
    c[1] = _mm512_madd52hi_epu64(c[1], x, y[1]);
    c[2] = _mm512_madd52hi_epu64(c[2], x, y[2]);
    c[3] = _mm512_madd52hi_epu64(c[3], x, y[3]);
    c[4] = _mm512_madd52hi_epu64(c[4], x, y[4]);
    if (n < 8)
        return;
    c[5] = _mm512_madd52hi_epu64(c[5], x, y[5]);
    c[6] = _mm512_madd52hi_epu64(c[6], x, y[6]);
    c[7] = _mm512_madd52hi_epu64(c[7], x, y[7]);
}

/* c[0..n] += x y */
IFMA_INLINE void ifma_row(__m512i *c, __m512i x, const __m512i *y, int n)
{
    ifma_row_lo(c, x, y, n);
    ifma_row_hi(c + 1, x, y, n);
}

/* One carry: r = low 52 bits of c + *carry, *carry = the rest (signed). */
IFMA_INLINE __m512i ifma_carry(__m512i c, __m512i *carry)
{
    c = _mm512_add_epi64(c, *carry);
    *carry = _mm512_srai_epi64(c, IFMA_BITS);
    return _mm512_and_si512(c, ifma_set1(IFMA_MASK));
}

/* r[0..n-1] <- c[0..n-1] carried; limbs of c are signed and below 2^62 in absolute value, the value
 * is not negative and below 2^(52 n). r may be c. */
IFMA_INLINE void ifma_normalize(__m512i *r, const __m512i *c, int n)
{
    __m512i carry = _mm512_setzero_si512();
    r[0] = ifma_carry(c[0], &carry);
    r[1] = ifma_carry(c[1], &carry);
    r[2] = ifma_carry(c[2], &carry);
    r[3] = ifma_carry(c[3], &carry);
    if (n == 8) {
        r[4] = ifma_carry(c[4], &carry);
        r[5] = ifma_carry(c[5], &carry);
        r[6] = ifma_carry(c[6], &carry);
    }
    r[n - 1] = _mm512_add_epi64(c[n - 1], carry);
}

/* One step of Montgomery reduction: adds q m so that the low 52 bits of c[0] vanish, and moves the
 * carry of c[0] on. c[0..n] are used. */
IFMA_INLINE void ifma_redc_step(__m512i *c, const __m512i *m, __m512i inv, int n)
{
    __m512i q = _mm512_madd52lo_epu64(_mm512_setzero_si512(), c[0], inv);
    ifma_row_lo(c, q, m, n);
    c[1] = _mm512_add_epi64(c[1], _mm512_srli_epi64(c[0], IFMA_BITS));
    ifma_row_hi(c + 1, q, m, n);
}

/* r = d if that is not negative, else a, where d = a - m was formed limb by limb (not carried). */
IFMA_INLINE void ifma_select_reduced(__m512i *r, const __m512i *a, const __m512i *d, int n)
{
    __m512i t[8];
    ifma_normalize(t, d, n);
    __mmask8 negative = _mm512_movepi64_mask(t[n - 1]);
    for (int i = 0; i < n; i++)
        r[i] = _mm512_mask_mov_epi64(t[i], negative, a[i]);
}

#endif

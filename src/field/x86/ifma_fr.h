/* fr8: eight elements of Fr; see field/simd.h for form and bounds. */
#ifndef CUZK_FIELD_X86_IFMA_FR_H
#define CUZK_FIELD_X86_IFMA_FR_H

#include "field/fr.h"
#include "field/x86/ifma.h"

typedef struct {
    __m512i l[5];
} fr8;

#define IFMA_FR_INV 0xffffeffffffffu /* -1/r mod 2^52 */

/* Rows: r, 2r, and the factors of enter (2^264), leave (2^256) and one (2^260) mod r. */
enum { FR8_R, FR8_2R, FR8_ENTER, FR8_LEAVE, FR8_ONE, FR8_ROWS };
extern const uint64_t cuzk_fr8_constants[FR8_ROWS][5];

/* 2^4 and 2^-4 as fr: fr_mul by them enters and leaves the SIMD radix one element at a time. */
extern const fr cuzk_fr_simd_enter, cuzk_fr_simd_leave;

IFMA_INLINE void fr8_constant(fr8 *r, int row)
{
    for (int i = 0; i < 5; i++)
        r->l[i] = ifma_set1(cuzk_fr8_constants[row][i]);
}

IFMA_INLINE void fr8_mul(fr8 *r, const fr8 *a, const fr8 *b)
{
    __m512i c[10], inv = ifma_set1(IFMA_FR_INV);
    fr8 m;
    fr8_constant(&m, FR8_R);
    for (int i = 0; i < 10; i++)
        c[i] = _mm512_setzero_si512();
    for (int i = 0; i < 5; i++)
        ifma_row(c + i, a->l[i], b->l, 5);
    for (int i = 0; i < 5; i++)
        ifma_redc_step(c + i, m.l, inv, 5);
    ifma_normalize(r->l, c + 5, 5);
}

IFMA_INLINE void fr8_sqr(fr8 *r, const fr8 *a)
{
    fr8_mul(r, a, a);
}

IFMA_INLINE void fr8_add(fr8 *r, const fr8 *a, const fr8 *b)
{
    for (int i = 0; i < 5; i++)
        r->l[i] = _mm512_add_epi64(a->l[i], b->l[i]);
    ifma_normalize(r->l, r->l, 5);
}

IFMA_INLINE void fr8_sub(fr8 *r, const fr8 *a, const fr8 *b)
{
    fr8 k;
    fr8_constant(&k, FR8_2R);
    for (int i = 0; i < 5; i++)
        r->l[i] = _mm512_add_epi64(_mm512_sub_epi64(a->l[i], b->l[i]), k.l[i]);
    ifma_normalize(r->l, r->l, 5);
}

IFMA_INLINE void fr8_neg(fr8 *r, const fr8 *a)
{
    fr8 k;
    fr8_constant(&k, FR8_2R);
    for (int i = 0; i < 5; i++)
        r->l[i] = _mm512_sub_epi64(k.l[i], a->l[i]);
    ifma_normalize(r->l, r->l, 5);
}

/* r = a - k if that is not negative, else a; k a row of constants. FR8_2R brings values below 4r
 * below 2r. */
IFMA_INLINE void fr8_subtract_if(fr8 *r, const fr8 *a, int row)
{
    fr8 d, k;
    fr8_constant(&k, row);
    for (int i = 0; i < 5; i++)
        d.l[i] = _mm512_sub_epi64(a->l[i], k.l[i]);
    ifma_select_reduced(r->l, a->l, d.l, 5);
}

IFMA_INLINE void fr8_canon(fr8 *r, const fr8 *a)
{
    fr8_subtract_if(r, a, FR8_2R);
    fr8_subtract_if(r, r, FR8_R);
}

/* Product with a row of constants, then below r. */
IFMA_INLINE void fr8_mul_constant(fr8 *r, const fr8 *a, int row)
{
    fr8 k;
    fr8_constant(&k, row);
    fr8_mul(r, a, &k);
    fr8_subtract_if(r, r, FR8_R);
}

IFMA_INLINE void fr8_reduce(fr8 *r, const fr8 *a)
{
    fr8_mul_constant(r, a, FR8_ONE);
}

IFMA_INLINE void fr8_enter(fr8 *r, const fr8 *a)
{
    fr8_mul_constant(r, a, FR8_ENTER);
}

IFMA_INLINE void fr8_leave(fr8 *r, const fr8 *a)
{
    fr8_mul_constant(r, a, FR8_LEAVE);
}

/* ---- memory ---- */

IFMA_INLINE void fr8_from_words(fr8 *r, const __m512i w[4])
{
    __m512i mask = ifma_set1(IFMA_MASK);
    r->l[0] = w[0];
    r->l[1] = _mm512_or_si512(_mm512_srli_epi64(w[0], 52), _mm512_slli_epi64(w[1], 12));
    r->l[2] = _mm512_or_si512(_mm512_srli_epi64(w[1], 40), _mm512_slli_epi64(w[2], 24));
    r->l[3] = _mm512_or_si512(_mm512_srli_epi64(w[2], 28), _mm512_slli_epi64(w[3], 36));
    r->l[4] = _mm512_srli_epi64(w[3], 16);
    for (int i = 0; i < 4; i++)
        r->l[i] = _mm512_and_si512(r->l[i], mask);
}

IFMA_INLINE void fr8_to_words(__m512i w[4], const fr8 *a)
{
    const __m512i *l = a->l;
    w[0] = _mm512_or_si512(l[0], _mm512_slli_epi64(l[1], 52));
    w[1] = _mm512_or_si512(_mm512_srli_epi64(l[1], 12), _mm512_slli_epi64(l[2], 40));
    w[2] = _mm512_or_si512(_mm512_srli_epi64(l[2], 24), _mm512_slli_epi64(l[3], 28));
    w[3] = _mm512_or_si512(_mm512_srli_epi64(l[3], 36), _mm512_slli_epi64(l[4], 16));
}

/* z[i] = elements 2 i and 2 i + 1, four words each, to words of eight elements. */
IFMA_INLINE void fr8_gather(fr8 *r, const __m512i z[4])
{
    const __m512i low = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
    const __m512i high = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
    __m512i a = _mm512_permutex2var_epi64(z[0], low, z[1]), w[4];
    __m512i b = _mm512_permutex2var_epi64(z[2], low, z[3]);
    __m512i c = _mm512_permutex2var_epi64(z[0], high, z[1]);
    __m512i d = _mm512_permutex2var_epi64(z[2], high, z[3]);
    w[0] = _mm512_shuffle_i64x2(a, b, 0x44);
    w[1] = _mm512_shuffle_i64x2(a, b, 0xee);
    w[2] = _mm512_shuffle_i64x2(c, d, 0x44);
    w[3] = _mm512_shuffle_i64x2(c, d, 0xee);
    fr8_from_words(r, w);
}

IFMA_INLINE void fr8_scatter(__m512i z[4], const fr8 *a)
{
    const __m512i low = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
    const __m512i high = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
    __m512i w[4];
    fr8_to_words(w, a);
    __m512i s = _mm512_shuffle_i64x2(w[0], w[1], 0x44); /* words 0, 1 of elements 0 ... 3 */
    __m512i t = _mm512_shuffle_i64x2(w[2], w[3], 0x44);
    __m512i u = _mm512_shuffle_i64x2(w[0], w[1], 0xee);
    __m512i v = _mm512_shuffle_i64x2(w[2], w[3], 0xee);
    z[0] = _mm512_permutex2var_epi64(s, low, t);
    z[1] = _mm512_permutex2var_epi64(s, high, t);
    z[2] = _mm512_permutex2var_epi64(u, low, v);
    z[3] = _mm512_permutex2var_epi64(u, high, v);
}

/* Eight consecutive elements. */
IFMA_INLINE void fr8_load(fr8 *r, const fr *p)
{
    __m512i z[4];
    for (int i = 0; i < 4; i++)
        z[i] = _mm512_loadu_si512(p + 2 * i);
    fr8_gather(r, z);
}

IFMA_INLINE void fr8_store(fr *p, const fr8 *a)
{
    __m512i z[4];
    fr8_scatter(z, a);
    for (int i = 0; i < 4; i++)
        _mm512_storeu_si512(p + 2 * i, z[i]);
}

/* Elements p[0], p[stride], p[2 stride], ... */
IFMA_INLINE void fr8_load_stride(fr8 *r, const fr *p, size_t stride)
{
    __m512i z[4];
    for (size_t i = 0; i < 4; i++) {
        const void *even = p + 2 * i * stride, *odd = p + (2 * i + 1) * stride;
        z[i] = _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256(even)),
                                  _mm256_loadu_si256(odd), 1);
    }
    fr8_gather(r, z);
}

IFMA_INLINE void fr8_store_stride(fr *p, size_t stride, const fr8 *a)
{
    __m512i z[4];
    fr8_scatter(z, a);
    for (size_t i = 0; i < 4; i++) {
        void *even = p + 2 * i * stride, *odd = p + (2 * i + 1) * stride;
        _mm256_storeu_si256(even, _mm512_castsi512_si256(z[i]));
        _mm256_storeu_si256(odd, _mm512_extracti64x4_epi64(z[i], 1));
    }
}

/* The same element in every lane. */
IFMA_INLINE void fr8_broadcast(fr8 *r, const fr *a)
{
    __m512i w[4];
    for (int i = 0; i < 4; i++)
        w[i] = ifma_set1(a->l[i]);
    fr8_from_words(r, w);
}

#endif

/* fp8: eight elements of Fp; see field/simd.h for form and bounds.
 *
 * A product takes 257 multiply-adds for eight lanes, a square 201; at two a cycle they are the
 * bound. Columns of partial products stay below 2^58: at most 32 terms below 2^52 and a carry.
 */
#ifndef CUZK_FIELD_X86_IFMA_FP_H
#define CUZK_FIELD_X86_IFMA_FP_H

#include "field/fp2.h"
#include "field/x86/ifma.h"

typedef struct {
    __m512i l[8];
} fp8;

typedef struct {
    fp8 c0, c1;
} fp2_8;

#define IFMA_FP_INV 0x3fffcfffcfffdu /* -1/p mod 2^52 */

/* Rows: p, 2p, 4p, 64p, h (fp8_step), and the factors of enter (2^448), leave (2^384) and one
 * (2^416) mod p. */
enum { FP8_P, FP8_2P, FP8_4P, FP8_64P, FP8_H, FP8_ENTER, FP8_LEAVE, FP8_ONE, FP8_ROWS };
extern const uint64_t cuzk_fp8_constants[FP8_ROWS][8];

/* 2^32 and 2^-32 as fp: fp_mul by them enters and leaves the SIMD radix one element at a time. */
extern const fp cuzk_fp_simd_enter, cuzk_fp_simd_leave;

/* Inverse of each lane, zeros stay zero; in < 2^33 p, out < p. Enters and leaves by itself: form in
 * and out is the SIMD radix. */
CUZK_TARGET_IFMA void cuzk_fp8_inv_vartime(fp8 *r, const fp8 *a);

IFMA_INLINE void fp8_constant(fp8 *r, int row)
{
    for (int i = 0; i < 8; i++)
        r->l[i] = ifma_set1(cuzk_fp8_constants[row][i]);
}

/* One step of Montgomery reduction with kp = k p = 2^52 h - 1, k = -1/p mod 2^52: the factor is
 * c[0] itself, adding its product with kp drops the low 52 bits of c[0] and adds c[0] h above.
 * Steps of kp alone would leave values up to kp, 50 bits too many; the last one is with p. So
 * results are below a b / 2^416 + kp / 2^52 + p, and the second is p / 4. c[0..9] are used. */
IFMA_INLINE void fp8_step(__m512i *c, const fp8 *h)
{
    ifma_row_lo(c + 1, c[0], h->l, 8);
    c[1] = _mm512_add_epi64(c[1], _mm512_srli_epi64(c[0], IFMA_BITS));
    ifma_row_hi(c + 2, c[0], h->l, 8);
}

/* A row of a product, one ahead of the step of its reduction, so that at most ten columns are alive
 * and all fits into registers. */
IFMA_INLINE void fp8_product_step(__m512i *c, __m512i a, const fp8 *b, const fp8 *h)
{
    ifma_row(c + 1, a, b->l, 8);
    fp8_step(c, h);
}

/* Written out: compilers leave a loop of this size, and with it the columns in memory, half as fast
 * again. */
IFMA_INLINE void fp8_mul(fp8 *r, const fp8 *a, const fp8 *b)
{
    __m512i c[16], inv = ifma_set1(IFMA_FP_INV);
    fp8 p, h, y = *b;
    fp8_constant(&p, FP8_P);
    fp8_constant(&h, FP8_H);
    for (int i = 0; i < 16; i++)
        c[i] = _mm512_setzero_si512();
    ifma_row(c, a->l[0], y.l, 8);
    fp8_product_step(c, a->l[1], &y, &h);
    fp8_product_step(c + 1, a->l[2], &y, &h);
    fp8_product_step(c + 2, a->l[3], &y, &h);
    fp8_product_step(c + 3, a->l[4], &y, &h);
    fp8_product_step(c + 4, a->l[5], &y, &h);
    fp8_product_step(c + 5, a->l[6], &y, &h);
    fp8_product_step(c + 6, a->l[7], &y, &h);
    ifma_redc_step(c + 7, p.l, inv, 8);
    ifma_normalize(r->l, c + 8, 8);
}

/* c[k] += what a^2 has in column k: products of different limbs once and doubled, and a square. */
IFMA_INLINE void fp8_sqr_column(__m512i *c, const fp8 *a, int k)
{
    __m512i lo = _mm512_setzero_si512(), hi = lo, half = a->l[k / 2];
    for (int i = 0; 2 * i < k && i < 8; i++)
        if (k - i < 8)
            lo = _mm512_madd52lo_epu64(lo, a->l[i], a->l[k - i]);
    for (int i = 0; 2 * i < k - 1 && i < 8; i++)
        if (k - 1 - i < 8)
            hi = _mm512_madd52hi_epu64(hi, a->l[i], a->l[k - 1 - i]);
    lo = _mm512_add_epi64(lo, hi);
    lo = _mm512_add_epi64(lo, lo);
    lo = k % 2 ? _mm512_madd52hi_epu64(lo, half, half) : _mm512_madd52lo_epu64(lo, half, half);
    c[k] = _mm512_add_epi64(c[k], lo);
}

/* Column k is complete when step k of the reduction reads it. */
IFMA_INLINE void fp8_sqr(fp8 *r, const fp8 *a)
{
    __m512i c[16], inv = ifma_set1(IFMA_FP_INV);
    fp8 p, h, x = *a;
    fp8_constant(&p, FP8_P);
    fp8_constant(&h, FP8_H);
    for (int i = 0; i < 16; i++)
        c[i] = _mm512_setzero_si512();
    fp8_sqr_column(c, &x, 0);
    fp8_step(c, &h);
    fp8_sqr_column(c, &x, 1);
    fp8_step(c + 1, &h);
    fp8_sqr_column(c, &x, 2);
    fp8_step(c + 2, &h);
    fp8_sqr_column(c, &x, 3);
    fp8_step(c + 3, &h);
    fp8_sqr_column(c, &x, 4);
    fp8_step(c + 4, &h);
    fp8_sqr_column(c, &x, 5);
    fp8_step(c + 5, &h);
    fp8_sqr_column(c, &x, 6);
    fp8_step(c + 6, &h);
    fp8_sqr_column(c, &x, 7);
    ifma_redc_step(c + 7, p.l, inv, 8);
    fp8_sqr_column(c, &x, 8);
    fp8_sqr_column(c, &x, 9);
    fp8_sqr_column(c, &x, 10);
    fp8_sqr_column(c, &x, 11);
    fp8_sqr_column(c, &x, 12);
    fp8_sqr_column(c, &x, 13);
    fp8_sqr_column(c, &x, 14);
    fp8_sqr_column(c, &x, 15);
    ifma_normalize(r->l, c + 8, 8);
}

IFMA_INLINE void fp8_add(fp8 *r, const fp8 *a, const fp8 *b)
{
    for (int i = 0; i < 8; i++)
        r->l[i] = _mm512_add_epi64(a->l[i], b->l[i]);
    ifma_normalize(r->l, r->l, 8);
}

/* a - b + k, which is not to be negative; limbs of a and b may be signed. */
IFMA_INLINE void fp8_sub_limbs(fp8 *r, const fp8 *a, const fp8 *b, const uint64_t k[8])
{
    for (int i = 0; i < 8; i++)
        r->l[i] = _mm512_add_epi64(_mm512_sub_epi64(a->l[i], b->l[i]), ifma_set1(k[i]));
    ifma_normalize(r->l, r->l, 8);
}

/* a - b - c + k with one carry; the same. */
IFMA_INLINE void fp8_sub2_limbs(fp8 *r, const fp8 *a, const fp8 *b, const fp8 *c,
                                const uint64_t k[8])
{
    for (int i = 0; i < 8; i++)
        r->l[i] = _mm512_sub_epi64(
            _mm512_add_epi64(_mm512_sub_epi64(a->l[i], b->l[i]), ifma_set1(k[i])), c->l[i]);
    ifma_normalize(r->l, r->l, 8);
}

/* a - b + k for a row k >= b of constants. */
IFMA_INLINE void fp8_sub_from(fp8 *r, const fp8 *a, const fp8 *b, int row)
{
    fp8_sub_limbs(r, a, b, cuzk_fp8_constants[row]);
}

IFMA_INLINE void fp8_sub(fp8 *r, const fp8 *a, const fp8 *b)
{
    fp8_sub_from(r, a, b, FP8_64P);
}

/* a - b - c + k for a row k >= b + c. */
IFMA_INLINE void fp8_sub2_from(fp8 *r, const fp8 *a, const fp8 *b, const fp8 *c, int row)
{
    fp8_sub2_limbs(r, a, b, c, cuzk_fp8_constants[row]);
}

/* a - b - c + 64p; b + c <= 64p. */
IFMA_INLINE void fp8_sub2(fp8 *r, const fp8 *a, const fp8 *b, const fp8 *c)
{
    fp8_sub2_from(r, a, b, c, FP8_64P);
}

IFMA_INLINE void fp8_neg(fp8 *r, const fp8 *a)
{
    fp8 k;
    fp8_constant(&k, FP8_64P);
    for (int i = 0; i < 8; i++)
        r->l[i] = _mm512_sub_epi64(k.l[i], a->l[i]);
    ifma_normalize(r->l, r->l, 8);
}

/* r = a where the mask has a 1, else b. */
IFMA_INLINE void fp8_select(fp8 *r, __mmask8 mask, const fp8 *a, const fp8 *b)
{
    for (int i = 0; i < 8; i++)
        r->l[i] = _mm512_mask_mov_epi64(b->l[i], mask, a->l[i]);
}

/* r = a - k if that is not negative, else a; k a row of constants. */
IFMA_INLINE void fp8_subtract_if(fp8 *r, const fp8 *a, int row)
{
    fp8 d, k;
    fp8_constant(&k, row);
    for (int i = 0; i < 8; i++)
        d.l[i] = _mm512_sub_epi64(a->l[i], k.l[i]);
    ifma_select_reduced(r->l, a->l, d.l, 8);
}

IFMA_INLINE void fp8_canon(fp8 *r, const fp8 *a)
{
    fp8_subtract_if(r, a, FP8_2P);
    fp8_subtract_if(r, r, FP8_P);
}

/* Product with a row of constants, then below p. */
IFMA_INLINE void fp8_mul_constant(fp8 *r, const fp8 *a, int row)
{
    fp8 k;
    fp8_constant(&k, row);
    fp8_mul(r, a, &k);
    fp8_subtract_if(r, r, FP8_P);
}

IFMA_INLINE void fp8_reduce(fp8 *r, const fp8 *a)
{
    fp8_mul_constant(r, a, FP8_ONE);
}

IFMA_INLINE void fp8_enter(fp8 *r, const fp8 *a)
{
    fp8_mul_constant(r, a, FP8_ENTER);
}

IFMA_INLINE void fp8_leave(fp8 *r, const fp8 *a)
{
    fp8_mul_constant(r, a, FP8_LEAVE);
}

/* Lanes whose value is 0, for values below p. */
IFMA_INLINE __mmask8 fp8_zero_mask(const fp8 *a)
{
    __m512i t = a->l[0];
    for (int i = 1; i < 8; i++)
        t = _mm512_or_si512(t, a->l[i]);
    return _mm512_testn_epi64_mask(t, t);
}

IFMA_INLINE __mmask8 fp8_eq_mask(const fp8 *a, const fp8 *b)
{
    __m512i t = _mm512_xor_si512(a->l[0], b->l[0]);
    for (int i = 1; i < 8; i++)
        t = _mm512_or_si512(t, _mm512_xor_si512(a->l[i], b->l[i]));
    return _mm512_testn_epi64_mask(t, t);
}

/* ---- memory ---- */

/* Transposes 8 rows of 8 words. */
IFMA_INLINE void ifma_transpose(__m512i r[8])
{
    __m512i e[4], o[4], b[8];
    for (int i = 0; i < 4; i++) {
        e[i] = _mm512_unpacklo_epi64(r[2 * i], r[2 * i + 1]); /* words 0 2 4 6 of two rows */
        o[i] = _mm512_unpackhi_epi64(r[2 * i], r[2 * i + 1]);
    }
    for (int i = 0; i < 2; i++) {                                      /* rows 4 i ... 4 i + 3 */
        b[i] = _mm512_shuffle_i64x2(e[2 * i], e[2 * i + 1], 0x88);     /* words 0 and 4 */
        b[2 + i] = _mm512_shuffle_i64x2(e[2 * i], e[2 * i + 1], 0xdd); /* words 2 and 6 */
        b[4 + i] = _mm512_shuffle_i64x2(o[2 * i], o[2 * i + 1], 0x88); /* words 1 and 5 */
        b[6 + i] = _mm512_shuffle_i64x2(o[2 * i], o[2 * i + 1], 0xdd); /* words 3 and 7 */
    }
    r[0] = _mm512_shuffle_i64x2(b[0], b[1], 0x88);
    r[4] = _mm512_shuffle_i64x2(b[0], b[1], 0xdd);
    r[2] = _mm512_shuffle_i64x2(b[2], b[3], 0x88);
    r[6] = _mm512_shuffle_i64x2(b[2], b[3], 0xdd);
    r[1] = _mm512_shuffle_i64x2(b[4], b[5], 0x88);
    r[5] = _mm512_shuffle_i64x2(b[4], b[5], 0xdd);
    r[3] = _mm512_shuffle_i64x2(b[6], b[7], 0x88);
    r[7] = _mm512_shuffle_i64x2(b[6], b[7], 0xdd);
}

/* Six 64-bit words to eight 52-bit limbs. */
IFMA_INLINE void fp8_from_words(fp8 *r, const __m512i w[6])
{
    __m512i mask = ifma_set1(IFMA_MASK);
    r->l[0] = w[0];
    r->l[1] = _mm512_or_si512(_mm512_srli_epi64(w[0], 52), _mm512_slli_epi64(w[1], 12));
    r->l[2] = _mm512_or_si512(_mm512_srli_epi64(w[1], 40), _mm512_slli_epi64(w[2], 24));
    r->l[3] = _mm512_or_si512(_mm512_srli_epi64(w[2], 28), _mm512_slli_epi64(w[3], 36));
    r->l[4] = _mm512_or_si512(_mm512_srli_epi64(w[3], 16), _mm512_slli_epi64(w[4], 48));
    r->l[5] = _mm512_srli_epi64(w[4], 4);
    r->l[6] = _mm512_or_si512(_mm512_srli_epi64(w[4], 56), _mm512_slli_epi64(w[5], 8));
    r->l[7] = _mm512_srli_epi64(w[5], 44);
    for (int i = 0; i < 7; i++)
        r->l[i] = _mm512_and_si512(r->l[i], mask);
}

IFMA_INLINE void fp8_to_words(__m512i w[6], const fp8 *a)
{
    const __m512i *l = a->l;
    w[0] = _mm512_or_si512(l[0], _mm512_slli_epi64(l[1], 52));
    w[1] = _mm512_or_si512(_mm512_srli_epi64(l[1], 12), _mm512_slli_epi64(l[2], 40));
    w[2] = _mm512_or_si512(_mm512_srli_epi64(l[2], 24), _mm512_slli_epi64(l[3], 28));
    w[3] = _mm512_or_si512(_mm512_srli_epi64(l[3], 36), _mm512_slli_epi64(l[4], 16));
    w[4] = _mm512_or_si512(_mm512_srli_epi64(l[4], 48), _mm512_slli_epi64(l[5], 4));
    w[4] = _mm512_or_si512(w[4], _mm512_slli_epi64(l[6], 56));
    w[5] = _mm512_or_si512(_mm512_srli_epi64(l[6], 8), _mm512_slli_epi64(l[7], 44));
}

/* r with the words i and i + 1 of *p in the lanes of the mask. */
IFMA_INLINE __m512i fp8_put_pair(__m512i r, __mmask8 lanes, const fp *p, int i)
{
    const __m128i *at = (const __m128i *)(const void *)&p->l[i];
    return _mm512_mask_broadcast_i64x2(r, lanes, _mm_loadu_si128(at));
}

/* Words i and i + 1 of every other element from *p[first] on. */
IFMA_INLINE __m512i fp8_pairs(const fp *const p[8], int first, int i)
{
    __m512i r = fp8_put_pair(_mm512_setzero_si512(), 0x03, p[first], i);
    r = fp8_put_pair(r, 0x0c, p[first + 2], i);
    r = fp8_put_pair(r, 0x30, p[first + 4], i);
    return fp8_put_pair(r, 0xc0, p[first + 6], i);
}

/* Lane i from *p[i]. Loads that put words where they belong take the place of a transposition,
 * whose shuffles want a unit of the multiply-adds. */
IFMA_INLINE void fp8_load_from(fp8 *r, const fp *const p[8])
{
    __m512i w[6];
    for (int i = 0; i < 6; i += 2) {
        __m512i even = fp8_pairs(p, 0, i), odd = fp8_pairs(p, 1, i);
        w[i] = _mm512_unpacklo_epi64(even, odd);
        w[i + 1] = _mm512_unpackhi_epi64(even, odd);
    }
    fp8_from_words(r, w);
}

/* Lane i to *p[i]. Aliasing pointers: the highest lane wins. */
IFMA_INLINE void fp8_store_to(fp *const p[8], const fp8 *a)
{
    __m512i w[8];
    fp8_to_words(w, a);
    w[6] = w[7] = _mm512_setzero_si512();
    ifma_transpose(w);
    for (int i = 0; i < 8; i++)
        _mm512_mask_storeu_epi64(p[i]->l, 0x3f, w[i]);
}

/* Eight elements at p, p + stride, p + 2 stride, ... bytes (48 for an array of fp). */
IFMA_INLINE void fp8_load(fp8 *r, const fp *p, size_t stride)
{
    const char *at = (const char *)p;
    __m512i w[8];
    for (size_t i = 0; i < 8; i++)
        w[i] = _mm512_maskz_loadu_epi64(0x3f, at + i * stride);
    ifma_transpose(w);
    fp8_from_words(r, w);
}

IFMA_INLINE void fp8_store(fp *p, size_t stride, const fp8 *a)
{
    char *at = (char *)p;
    __m512i w[8];
    fp8_to_words(w, a);
    w[6] = w[7] = _mm512_setzero_si512();
    ifma_transpose(w);
    for (size_t i = 0; i < 8; i++)
        _mm512_mask_storeu_epi64(at + i * stride, 0x3f, w[i]);
}

/* The same element in every lane. */
IFMA_INLINE void fp8_broadcast(fp8 *r, const fp *a)
{
    __m512i w[6];
    for (int i = 0; i < 6; i++)
        w[i] = ifma_set1(a->l[i]);
    fp8_from_words(r, w);
}

/* ---- Fp2: add and sub as for fp8; mul: operands < 2^12 p, out < 6p; sqr: in <= 64p, out < 4p ----
 */

IFMA_INLINE void fp2_8_add(fp2_8 *r, const fp2_8 *a, const fp2_8 *b)
{
    fp8_add(&r->c0, &a->c0, &b->c0);
    fp8_add(&r->c1, &a->c1, &b->c1);
}

IFMA_INLINE void fp2_8_sub(fp2_8 *r, const fp2_8 *a, const fp2_8 *b)
{
    fp8_sub(&r->c0, &a->c0, &b->c0);
    fp8_sub(&r->c1, &a->c1, &b->c1);
}

IFMA_INLINE void fp2_8_mul(fp2_8 *r, const fp2_8 *a, const fp2_8 *b)
{
    fp8 s, t, v0, v1;
    fp8_add(&s, &a->c0, &a->c1);
    fp8_add(&t, &b->c0, &b->c1);
    fp8_mul(&v0, &a->c0, &b->c0);
    fp8_mul(&v1, &a->c1, &b->c1);
    fp8_mul(&s, &s, &t);
    fp8_sub2_from(&r->c1, &s, &v0, &v1, FP8_4P); /* each product is < 2p */
    fp8_sub_from(&r->c0, &v0, &v1, FP8_2P);
}

IFMA_INLINE void fp2_8_sqr(fp2_8 *r, const fp2_8 *a)
{
    fp8 s, d, m;
    fp8_add(&s, &a->c0, &a->c1);
    fp8_sub(&d, &a->c0, &a->c1);
    fp8_mul(&m, &a->c0, &a->c1);
    fp8_mul(&r->c0, &s, &d);
    fp8_add(&r->c1, &m, &m);
}

#endif

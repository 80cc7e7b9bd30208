/* fp8: eight elements of Fp; see field/simd.h for form and bounds.
 *
 * A product is 16 columns of 52-bit partial products (each below 2^57: at most 16 terms and
 * carries) and a separate reduction, so that Fp2 can add columns before it reduces. 264
 * multiply-adds for eight products; that is the bound, at two a cycle.
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

typedef struct {
    __m512i c[16];
} fp8_columns;

#define IFMA_FP_INV 0x3fffcfffcfffdu /* -1/p mod 2^52 */

/* Rows: p, 2p, 4p, 64p, and the factors of enter (2^448), leave (2^384) and one (2^416) mod p. */
enum { FP8_P, FP8_2P, FP8_64P, FP8_ENTER, FP8_LEAVE, FP8_ONE, FP8_ROWS };
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

IFMA_INLINE void fp8_mul_columns(fp8_columns *c, const fp8 *a, const fp8 *b)
{
    for (int i = 0; i < 16; i++)
        c->c[i] = _mm512_setzero_si512();
    for (int i = 0; i < 8; i++) {
        ifma_row_lo(c->c + i, a->l[i], b->l, 8);
        ifma_row_hi(c->c + i + 1, a->l[i], b->l, 8);
    }
}

/* Each product of different limbs once, doubled, then the squares of the limbs. */
IFMA_INLINE void fp8_sqr_columns(fp8_columns *c, const fp8 *a)
{
    for (int i = 0; i < 16; i++)
        c->c[i] = _mm512_setzero_si512();
    for (int i = 0; i < 8; i++)
        for (int j = i + 1; j < 8; j++)
            ifma_mac(c->c + i + j, a->l[i], a->l[j]);
    for (int i = 0; i < 16; i++)
        c->c[i] = _mm512_add_epi64(c->c[i], c->c[i]);
    for (int i = 0; i < 8; i++)
        ifma_mac(c->c + 2 * i, a->l[i], a->l[i]);
}

IFMA_INLINE void fp8_redc(fp8 *r, fp8_columns *c)
{
    fp8 p;
    __m512i inv = ifma_set1(IFMA_FP_INV);
    fp8_constant(&p, FP8_P);
    for (int i = 0; i < 8; i++)
        ifma_redc_step(c->c + i, p.l, inv, 8);
    ifma_normalize(r->l, c->c + 8, 8);
}

IFMA_INLINE void fp8_mul(fp8 *r, const fp8 *a, const fp8 *b)
{
    fp8_columns c;
    fp8_mul_columns(&c, a, b);
    fp8_redc(r, &c);
}

IFMA_INLINE void fp8_sqr(fp8 *r, const fp8 *a)
{
    fp8_columns c;
    fp8_sqr_columns(&c, a);
    fp8_redc(r, &c);
}

IFMA_INLINE void fp8_add(fp8 *r, const fp8 *a, const fp8 *b)
{
    for (int i = 0; i < 8; i++)
        r->l[i] = _mm512_add_epi64(a->l[i], b->l[i]);
    ifma_normalize(r->l, r->l, 8);
}

IFMA_INLINE void fp8_sub(fp8 *r, const fp8 *a, const fp8 *b)
{
    fp8 k;
    fp8_constant(&k, FP8_64P);
    for (int i = 0; i < 8; i++)
        r->l[i] = _mm512_add_epi64(_mm512_sub_epi64(a->l[i], b->l[i]), k.l[i]);
    ifma_normalize(r->l, r->l, 8);
}

/* a - b - c + 64p with one carry; b + c <= 64p. */
IFMA_INLINE void fp8_sub2(fp8 *r, const fp8 *a, const fp8 *b, const fp8 *c)
{
    fp8 k;
    fp8_constant(&k, FP8_64P);
    for (int i = 0; i < 8; i++)
        r->l[i] =
            _mm512_sub_epi64(_mm512_sub_epi64(_mm512_add_epi64(a->l[i], k.l[i]), b->l[i]), c->l[i]);
    ifma_normalize(r->l, r->l, 8);
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

/* Lane i from *p[i]. */
IFMA_INLINE void fp8_load_from(fp8 *r, const fp *const p[8])
{
    __m512i w[8];
    for (int i = 0; i < 8; i++)
        w[i] = _mm512_maskz_loadu_epi64(0x3f, p[i]->l);
    ifma_transpose(w);
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

/* ---- Fp2, same bounds for each coefficient; mul and sqr: operands < 2^12 p ---- */

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
    fp8_sub2(&r->c1, &s, &v0, &v1);
    fp8_sub(&r->c0, &v0, &v1);
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

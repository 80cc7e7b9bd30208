/* Coordinates of eight points, for the eight-lane batched additions (batch_add_ifma.inc): lane1 for
 * G1 (one fp8), lane2 for G2 (two). Functions of equal names do the same in both.
 *
 * Points stay in memory as they are, in the radix 2^384, and are read as if the radix were the
 * lanes' 2^416: every coordinate appears with a factor s = 2^-32. The slope of a chord is a
 * quotient and loses the factor, so of the addition formulas only x3 = slope^2 - x1 - x2 needs
 * care: lane_sqr returns s slope^2, by a Montgomery step of 32 bits after the others, an eighth of
 * a product. No coordinate is ever converted.
 */
#ifndef CUZK_MSM_LANES_H
#define CUZK_MSM_LANES_H

#include "field/x86/fp_ifma.h"

#if CUZK_HAVE_IFMA

/* r = a / 2^32 mod p; a < 2p gives r < p + p / 2^31. The top limb of p has 17 bits, so the high
 * half of its product with 32 bits is 0 and the sum a + q p, below 2^414, fits eight limbs. */
IFMA_INLINE void fp8_div_2_32(fp8 *r, const fp8 *a)
{
    __m512i t[9], mask = ifma_set1(IFMA_MASK);
    __m512i q = _mm512_madd52lo_epu64(_mm512_setzero_si512(), a->l[0], ifma_set1(IFMA_FP_INV));
    fp8 p;
    fp8_constant(&p, FP8_P);
    q = _mm512_and_si512(q, ifma_set1(0xffffffffu));
    for (int i = 0; i < 8; i++)
        t[i] = a->l[i];
    t[8] = _mm512_setzero_si512();
    ifma_row_lo(t, q, p.l, 8);
    ifma_row_hi(t + 1, q, p.l, 8);
    ifma_normalize(t, t, 8);
    for (int i = 0; i < 7; i++)
        r->l[i] = _mm512_or_si512(_mm512_srli_epi64(t[i], 32),
                                  _mm512_and_si512(_mm512_slli_epi64(t[i + 1], 20), mask));
    r->l[7] = _mm512_srli_epi64(t[7], 32);
}

/* a in the lanes of the mask becomes -a limb by limb: limbs are signed afterwards. */
IFMA_INLINE void fp8_negate_limbs(fp8 *a, __mmask8 mask)
{
    for (int i = 0; i < 8; i++)
        a->l[i] = _mm512_mask_sub_epi64(a->l[i], mask, _mm512_setzero_si512(), a->l[i]);
}

/* Limb by limb 0, p, 2p, 3p, for a permutation to choose from. */
static const uint64_t fp8_multiples[8][8] __attribute__((aligned(64))) = {
    {0, 0xeffffffffaaab, 2 * 0xeffffffffaaab, 3 * 0xeffffffffaaab},
    {0, 0xfeb153ffffb9f, 2 * 0xfeb153ffffb9f, 3 * 0xfeb153ffffb9f},
    {0, 0x6b0f6241eabff, 2 * 0x6b0f6241eabff, 3 * 0x6b0f6241eabff},
    {0, 0x12bf6730d2a0f, 2 * 0x12bf6730d2a0f, 3 * 0x12bf6730d2a0f},
    {0, 0x764774b84f385, 2 * 0x764774b84f385, 3 * 0x764774b84f385},
    {0, 0x1ba7b6434bacd, 2 * 0x1ba7b6434bacd, 3 * 0x1ba7b6434bacd},
    {0, 0x1ea397fe69a4b, 2 * 0x1ea397fe69a4b, 3 * 0x1ea397fe69a4b},
    {0, 0x1a011, 2 * 0x1a011, 3 * 0x1a011},
};

/* r = a - b + p (row FP8_P) or 2p (FP8_2P), which is to lie between 0 and 4p + p / 2, then below p.
 * Limbs of b may be signed.
 *
 * p is (T + 0.12) 2^364, T = 0x1a011 its top limb. With t the value's top limb and carry, the value
 * is between t and t + 1 in that unit (and 2^-48 beyond, as lower limbs are not carried). So if
 * t > k T for a k <= 3, the value is above k p and k p can be taken away; for the largest such k at
 * most T + 1 is left. What is still p or more has a top limb of at least T: one value in 2^15,
 * which is reduced by comparing all limbs. */
IFMA_INLINE void fp8_sub_canon(fp8 *r, const fp8 *a, const fp8 *b, int row)
{
    const uint64_t top = fp8_multiples[7][1];
    __m512i t, k;
    fp8 add;
    fp8_constant(&add, row);
    for (int i = 0; i < 8; i++)
        r->l[i] = _mm512_add_epi64(_mm512_sub_epi64(a->l[i], b->l[i]), add.l[i]);
    t = _mm512_add_epi64(r->l[7], _mm512_srai_epi64(r->l[6], IFMA_BITS));
    k = _mm512_setzero_si512();
    for (uint64_t i = 1; i <= 3; i++)
        k = _mm512_mask_mov_epi64(k, _mm512_cmpgt_epi64_mask(t, ifma_set1(i * top)), ifma_set1(i));
    for (int i = 0; i < 8; i++) {
        __m512i multiple = _mm512_permutexvar_epi64(k, _mm512_load_si512(fp8_multiples[i]));
        r->l[i] = _mm512_sub_epi64(r->l[i], multiple);
    }
    ifma_normalize(r->l, r->l, 8);
    if (CUZK_UNLIKELY(_mm512_cmpge_epi64_mask(r->l[7], ifma_set1(top)) != 0))
        fp8_subtract_if(r, r, FP8_P);
}

/* A multiple of p that makes a difference positive. */
typedef struct {
    uint64_t l[8];
} lane_lift;

/* k < 1024 */
static inline lane_lift lane_lift_by(unsigned k)
{
    lane_lift r;
    uint64_t carry = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t t = fp8_multiples[i][1] * k + carry; /* below 2^62 */
        r.l[i] = i < 7 ? t & IFMA_MASK : t;
        carry = t >> IFMA_BITS;
    }
    return r;
}

/* 2^416 - p */
static const uint64_t fp8_minus_p[8] = {0x1000000005555, 0x014eac0000460, 0x94f09dbe15400,
                                        0xed4098cf2d5f0, 0x89b88b47b0c7a, 0xe45849bcb4532,
                                        0xe15c6801965b4, 0xffffffffe5fee};

/* a < 512p becomes canonical. With T the top limb of p as above and t that of a, a / p exceeds
 * t / (T + 1) by less than 0.006, so that q = floor(t / (T + 1)) leaves a - q p < 2p. q is exact: t
 * is below 2^26 and 2^52 / (T + 1) is taken too small by less than 1, so that floor errs, by 1,
 * only where t / (T + 1) exceeds an integer by less than 2^-26; what is left is below 2p then too.
 */
IFMA_INLINE void fp8_settle(fp8 *r, const fp8 *a)
{
    __m512i t[9], zero = _mm512_setzero_si512();
    __m512i q = _mm512_madd52hi_epu64(zero, a->l[7], ifma_set1(0x9d8307de6));
    for (int i = 0; i < 8; i++)
        t[i] = a->l[i];
    t[8] = zero;
    for (int i = 0; i < 8; i++) {
        t[i] = _mm512_madd52lo_epu64(t[i], q, ifma_set1(fp8_minus_p[i]));
        t[i + 1] = _mm512_madd52hi_epu64(t[i + 1], q, ifma_set1(fp8_minus_p[i]));
    }
    ifma_normalize(t, t, 8);
    t[7] = _mm512_and_si512(t[7], ifma_set1(IFMA_MASK)); /* q 2^416 dropped */
    for (int i = 0; i < 8; i++)
        r->l[i] = t[i];
    fp8_subtract_if(r, r, FP8_P);
}

/* Lanes of which the lowest limb is 0: all that are 0, and one in 2^52 others. */
IFMA_INLINE __mmask8 fp8_maybe_zero_mask(const fp8 *a)
{
    return _mm512_testn_epi64_mask(a->l[0], a->l[0]);
}

IFMA_INLINE void fp8_add_limbs(fp8 *r, const fp8 *a, const fp8 *b)
{
    for (int i = 0; i < 8; i++)
        r->l[i] = _mm512_add_epi64(a->l[i], b->l[i]);
}

IFMA_INLINE void fp8_set_zero(fp8 *r)
{
    for (int i = 0; i < 8; i++)
        r->l[i] = _mm512_setzero_si512();
}

/* Lane i gets lane i + by (mod 8); by is 1, 2 or 4. */
IFMA_INLINE void fp8_rotate(fp8 *r, const fp8 *a, unsigned by)
{
    const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    __m512i from = _mm512_and_si512(_mm512_add_epi64(lane, ifma_set1(by)), ifma_set1(7));
    for (int i = 0; i < 8; i++)
        r->l[i] = _mm512_permutexvar_epi64(from, a->l[i]);
}

/* ---- G1 ---- */

typedef fp8 lane1;

/* Eight points side by side, with the factor s. Limbs are below 2^52, coordinates below a multiple
 * of p that whoever made them knows. */
typedef struct {
    lane1 x, y;
} lane1_block;

/* Chains of denominators (batch_add_ifma.inc, docs/msm.md): two products of Fp in turns; a product
 * of Fp2 is two independent ones already. */
enum { lane1_chains = 4, lane2_chains = 1 };

IFMA_INLINE void lane1_load(lane1 *r, const fp *const p[8])
{
    fp8_load_from(r, p);
}

IFMA_INLINE void lane1_store(fp *const p[8], const lane1 *a)
{
    fp8_store_to(p, a);
}

/* 1 in the lanes' radix. */
IFMA_INLINE void lane1_one(lane1 *r)
{
    fp8_constant(r, FP8_ONE);
}

IFMA_INLINE void lane1_zero(lane1 *r)
{
    fp8_set_zero(r);
}

IFMA_INLINE void lane1_rotate(lane1 *r, const lane1 *a, unsigned by)
{
    fp8_rotate(r, a, by);
}

IFMA_INLINE __mmask8 lane1_zero_mask(const lane1 *a)
{
    return fp8_zero_mask(a);
}

IFMA_INLINE __mmask8 lane1_eq_mask(const lane1 *a, const lane1 *b)
{
    return fp8_eq_mask(a, b);
}

IFMA_INLINE void lane1_negate_limbs(lane1 *a, __mmask8 mask)
{
    fp8_negate_limbs(a, mask);
}

IFMA_INLINE void lane1_select(lane1 *r, __mmask8 mask, const lane1 *a, const lane1 *b)
{
    fp8_select(r, mask, a, b);
}

/* a - b + 64p; a and b may have signed limbs; a - b > -64p. */
IFMA_INLINE void lane1_sub(lane1 *r, const lane1 *a, const lane1 *b)
{
    fp8_sub(r, a, b);
}

/* a - b + lift, a - b - c + lift: not to be negative; limbs may be signed. */
IFMA_INLINE void lane1_sub_lift(lane1 *r, const lane1 *a, const lane1 *b, const lane_lift *lift)
{
    fp8_sub_limbs(r, a, b, lift->l);
}

IFMA_INLINE void lane1_sub2_lift(lane1 *r, const lane1 *a, const lane1 *b, const lane1 *c,
                                 const lane_lift *lift)
{
    fp8_sub2_limbs(r, a, b, c, lift->l);
}

/* a < 512p becomes canonical. */
IFMA_INLINE void lane1_settle(lane1 *r, const lane1 *a)
{
    fp8_settle(r, a);
}

IFMA_INLINE __mmask8 lane1_maybe_zero_mask(const lane1 *a)
{
    return fp8_maybe_zero_mask(a);
}

IFMA_INLINE void lane1_add_limbs(lane1 *r, const lane1 *a, const lane1 *b)
{
    fp8_add_limbs(r, a, b);
}

IFMA_INLINE void lane1_sub_canon(lane1 *r, const lane1 *a, const lane1 *b, int row)
{
    fp8_sub_canon(r, a, b, row);
}

/* a < 2^11 p, b < 2^6 p: r < 2p. */
IFMA_INLINE void lane1_mul(lane1 *r, const lane1 *a, const lane1 *b)
{
    fp8_mul(r, a, b);
}

/* a^2 / 2^32; a < 2p: r < p + p / 2^31, limbs carried, but do not rely on it: see lane1_sqr2. */
IFMA_INLINE void lane1_sqr(lane1 *r, const lane1 *a)
{
    fp8 t;
    fp8_sqr(&t, a);
    fp8_div_2_32(r, &t);
}

/* Two products (squares) in turns: faster than one after the other; bounds as above. Any result may
 * be any operand. Limbs of squares are not carried (below 2^53): take a difference next. */
IFMA_INLINE void lane1_mul2(lane1 *r0, const lane1 *a0, const lane1 *b0, lane1 *r1, const lane1 *a1,
                            const lane1 *b1)
{
    cuzk_fp8_mul2_ifma(r0, a0, b0, r1, a1, b1);
}

IFMA_INLINE void lane1_sqr2(lane1 *r0, const lane1 *a0, lane1 *r1, const lane1 *a1)
{
    cuzk_fp8_sqr2_ifma(r0, a0, r1, a1);
}

/* Into the lanes' radix; a < p, r < p. */
IFMA_INLINE void lane1_enter(lane1 *r, const lane1 *a)
{
    fp8_enter(r, a);
}

IFMA_INLINE void lane1_canon(lane1 *r, const lane1 *a)
{
    fp8_canon(r, a);
}

/* ---- G2 ---- */

typedef fp2_8 lane2;

typedef struct {
    lane2 x, y;
} lane2_block;

IFMA_INLINE void lane2_load(lane2 *r, const fp2 *const p[8])
{
    const fp *c0[8], *c1[8];
    for (int i = 0; i < 8; i++) {
        c0[i] = &p[i]->c0;
        c1[i] = &p[i]->c1;
    }
    fp8_load_from(&r->c0, c0);
    fp8_load_from(&r->c1, c1);
}

IFMA_INLINE void lane2_store(fp2 *const p[8], const lane2 *a)
{
    fp *c0[8], *c1[8];
    for (int i = 0; i < 8; i++) {
        c0[i] = &p[i]->c0;
        c1[i] = &p[i]->c1;
    }
    fp8_store_to(c0, &a->c0);
    fp8_store_to(c1, &a->c1);
}

IFMA_INLINE void lane2_one(lane2 *r)
{
    fp8_constant(&r->c0, FP8_ONE);
    fp8_set_zero(&r->c1);
}

IFMA_INLINE void lane2_zero(lane2 *r)
{
    fp8_set_zero(&r->c0);
    fp8_set_zero(&r->c1);
}

IFMA_INLINE void lane2_rotate(lane2 *r, const lane2 *a, unsigned by)
{
    fp8_rotate(&r->c0, &a->c0, by);
    fp8_rotate(&r->c1, &a->c1, by);
}

IFMA_INLINE __mmask8 lane2_zero_mask(const lane2 *a)
{
    return (__mmask8)(fp8_zero_mask(&a->c0) & fp8_zero_mask(&a->c1));
}

IFMA_INLINE __mmask8 lane2_eq_mask(const lane2 *a, const lane2 *b)
{
    return (__mmask8)(fp8_eq_mask(&a->c0, &b->c0) & fp8_eq_mask(&a->c1, &b->c1));
}

IFMA_INLINE void lane2_negate_limbs(lane2 *a, __mmask8 mask)
{
    fp8_negate_limbs(&a->c0, mask);
    fp8_negate_limbs(&a->c1, mask);
}

IFMA_INLINE void lane2_select(lane2 *r, __mmask8 mask, const lane2 *a, const lane2 *b)
{
    fp8_select(&r->c0, mask, &a->c0, &b->c0);
    fp8_select(&r->c1, mask, &a->c1, &b->c1);
}

IFMA_INLINE void lane2_sub(lane2 *r, const lane2 *a, const lane2 *b)
{
    fp8_sub(&r->c0, &a->c0, &b->c0);
    fp8_sub(&r->c1, &a->c1, &b->c1);
}

/* a - b + lift, a - b - c + lift: not to be negative; limbs may be signed. */
IFMA_INLINE void lane2_sub_lift(lane2 *r, const lane2 *a, const lane2 *b, const lane_lift *lift)
{
    fp8_sub_limbs(&r->c0, &a->c0, &b->c0, lift->l);
    fp8_sub_limbs(&r->c1, &a->c1, &b->c1, lift->l);
}

IFMA_INLINE void lane2_sub2_lift(lane2 *r, const lane2 *a, const lane2 *b, const lane2 *c,
                                 const lane_lift *lift)
{
    fp8_sub2_limbs(&r->c0, &a->c0, &b->c0, &c->c0, lift->l);
    fp8_sub2_limbs(&r->c1, &a->c1, &b->c1, &c->c1, lift->l);
}

/* a < 512p becomes canonical. */
IFMA_INLINE void lane2_settle(lane2 *r, const lane2 *a)
{
    fp8_settle(&r->c0, &a->c0);
    fp8_settle(&r->c1, &a->c1);
}

IFMA_INLINE __mmask8 lane2_maybe_zero_mask(const lane2 *a)
{
    return (__mmask8)(fp8_maybe_zero_mask(&a->c0) & fp8_maybe_zero_mask(&a->c1));
}

IFMA_INLINE void lane2_add_limbs(lane2 *r, const lane2 *a, const lane2 *b)
{
    fp8_add_limbs(&r->c0, &a->c0, &b->c0);
    fp8_add_limbs(&r->c1, &a->c1, &b->c1);
}

IFMA_INLINE void lane2_sub_canon(lane2 *r, const lane2 *a, const lane2 *b, int row)
{
    fp8_sub_canon(&r->c0, &a->c0, &b->c0, row);
    fp8_sub_canon(&r->c1, &a->c1, &b->c1, row);
}

/* a < 2^11 p, b < 2^6 p: c0 < 9/4 p + p / 2^16, c1 < 5/4 p + p / 2^16. r may be a or b. */
IFMA_INLINE void lane2_mul(lane2 *r, const lane2 *a, const lane2 *b)
{
    cuzk_fp2_8_mul_ifma(r, a, b);
}

/* r0 may be an operand of its own product only. */
IFMA_INLINE void lane2_mul2(lane2 *r0, const lane2 *a0, const lane2 *b0, lane2 *r1, const lane2 *a1,
                            const lane2 *b1)
{
    lane2_mul(r0, a0, b0);
    lane2_mul(r1, a1, b1);
}

/* ((c0 + c1)(c0 - c1) + 2 c0 c1 u) / 2^32; a at most 64p: r < p + p / 2^30, limbs not carried
 * (below 2^53): take a difference next. */
IFMA_INLINE void lane2_sqr(lane2 *r, const lane2 *a)
{
    cuzk_fp2_8_sqr_ifma(r, a);
}

IFMA_INLINE void lane2_sqr2(lane2 *r0, const lane2 *a0, lane2 *r1, const lane2 *a1)
{
    lane2_sqr(r0, a0);
    lane2_sqr(r1, a1);
}

IFMA_INLINE void lane2_enter(lane2 *r, const lane2 *a)
{
    fp8_enter(&r->c0, &a->c0);
    fp8_enter(&r->c1, &a->c1);
}

IFMA_INLINE void lane2_canon(lane2 *r, const lane2 *a)
{
    fp8_canon(&r->c0, &a->c0);
    fp8_canon(&r->c1, &a->c1);
}

#endif
#endif

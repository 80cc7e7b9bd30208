/* Tiles with eight lanes at a time (AVX-512 IFMA); ntt_tile.c is the reference.
 *
 * A tile is 128 vectors of eight elements, 40 KiB. Between rows all eight lanes share a twiddle. In
 * the contiguous pass a row is eight neighbours; its last three levels are between lanes, so blocks
 * of 8 x 8 elements are transposed and each lane gets a twiddle of its own.
 *
 * Ranges, in multiples of r (field/simd.h: factors below 32, subtrahend at most the K added):
 *
 *   split   t = b w < 2, so a level adds at most 2 to a bound: 1.4 + 2 * 10 < 32 in the longest
 *           pass
 *   merge   a + b doubles: from 2 over 4 and 8 to 16 in three levels, then settle(); the
 *           difference adds K = 2, 4, 8 and stays below 16; products are < 2
 *   settle  v < 32 to v < 1.4 (see there), which fits 256 bits and is how values lie in memory
 *           between passes
 *
 * The inverse direction takes w' = -1/W out of the table (ntt_internal.h) and swaps sum and
 * difference instead of negating.
 */
#include "ntt/ntt_ifma.h"

#if CUZK_HAVE_IFMA

#define N_VECTORS  (((size_t)1 << NTT_LG_TILE) / NTT_LANES)
#define LG_VECTORS (NTT_LG_TILE - 3)

/* 2r, 4r, 8r */
static const uint64_t multiples[3][5] = {
    {0xffffe00000002u, 0x05fffcb7fdfffu, 0x343b00aa77b48u, 0xfa906673b0101u, 0x0e7db4ea6533au},
    {0xffffc00000004u, 0x0bfff96ffbfffu, 0x68760154ef690u, 0xf520cce760202u, 0x1cfb69d4ca675u},
    {0xffff800000008u, 0x17fff2dff7fffu, 0xd0ec02a9ded20u, 0xea4199cec0404u, 0x39f6d3a994cebu},
};

/* a - b + 2^(k + 1) r */
IFMA_INLINE void subtract(fr8 *r, const fr8 *a, const fr8 *b, unsigned k)
{
    for (int i = 0; i < 5; i++)
        r->l[i] = _mm512_add_epi64(_mm512_sub_epi64(a->l[i], b->l[i]), ifma_set1(multiples[k][i]));
    ifma_normalize(r->l, r->l, 5);
}

/* v - q r with q = floor(35 top / 2^52) for the top limb, top = floor(v / 2^208). As 2^52 / 35 is
 * 1.0095 (r / 2^208), q <= v / r, and v - q r < r + 0.0095 v + 2^209 < 1.4 r for v < 32 r. */
IFMA_INLINE void settle(fr8 *r, const fr8 *v)
{
    const __m512i zero = _mm512_setzero_si512();
    __m512i q = _mm512_madd52hi_epu64(zero, v->l[4], ifma_set1(35)), high = zero;
    fr8 m;
    fr8_constant(&m, FR8_R);
    for (int i = 0; i < 5; i++) {
        __m512i low = _mm512_madd52lo_epu64(high, q, m.l[i]);
        high = _mm512_madd52hi_epu64(zero, q, m.l[i]);
        r->l[i] = _mm512_sub_epi64(v->l[i], low);
    }
    ifma_normalize(r->l, r->l, 5);
}

/* ---- butterflies ---- */

/* t = b[k] w / 2^260 for two k in columns that are not carried: below 2^58 each. The reduction is a
 * chain of five steps of 14 cycles; two of them in turns keep the multipliers busy. */
IFMA_INLINE void multiply_two(__m512i t[2][5], const fr8 *b0, const fr8 *b1, const fr8 *w)
{
    __m512i c0[10], c1[10], inv = ifma_set1(IFMA_FR_INV);
    fr8 m;
    fr8_constant(&m, FR8_R);
    for (int i = 0; i < 10; i++)
        c0[i] = c1[i] = _mm512_setzero_si512();
    for (int i = 0; i < 5; i++) {
        ifma_row(c0 + i, b0->l[i], w->l, 5);
        ifma_row(c1 + i, b1->l[i], w->l, 5);
    }
    for (int i = 0; i < 5; i++) {
        ifma_redc_step(c0 + i, m.l, inv, 5);
        ifma_redc_step(c1 + i, m.l, inv, 5);
    }
    for (int i = 0; i < 5; i++) {
        t[0][i] = c0[5 + i];
        t[1][i] = c1[5 + i];
    }
}

/* a + t, a - t + 2r for a t that need not be carried. */
IFMA_INLINE void split_sums(fr8 *a, fr8 *b, const __m512i t[5], bool inverse)
{
    fr8 sum, difference;
    for (int i = 0; i < 5; i++) {
        sum.l[i] = _mm512_add_epi64(a->l[i], t[i]);
        difference.l[i] =
            _mm512_add_epi64(_mm512_sub_epi64(a->l[i], t[i]), ifma_set1(multiples[0][i]));
    }
    ifma_normalize(inverse ? b->l : a->l, sum.l, 5);
    ifma_normalize(inverse ? a->l : b->l, difference.l, 5);
}

IFMA_INLINE void split(fr8 *a, fr8 *b, const fr8 *w, bool inverse)
{
    fr8 t;
    fr8_mul(&t, b, w);
    split_sums(a, b, t.l, inverse);
}

/* Of two butterflies with the same twiddle. */
IFMA_INLINE void split_two(fr8 a[2], fr8 b[2], const fr8 *w, bool inverse)
{
    __m512i t[2][5];
    multiply_two(t, &b[0], &b[1], w);
    split_sums(&a[0], &b[0], t[0], inverse);
    split_sums(&a[1], &b[1], t[1], inverse);
}

/* Step 0, 1, 2 of the cycle of three. Two at a time gain nothing here: nothing waits for the end of
 * a product. */
IFMA_INLINE void merge(fr8 *a, fr8 *b, const fr8 *w, bool inverse, unsigned step)
{
    fr8 t;
    subtract(&t, inverse ? b : a, inverse ? a : b, step);
    fr8_add(a, a, b);
    if (step == 2)
        settle(a, a);
    fr8_mul(b, &t, w);
}

/* One block of a level: n butterflies. */
IFMA_INLINE void split_block(fr8 *a, fr8 *b, size_t n, const fr8 *w, bool inverse)
{
    for (size_t k = 0; k + 2 <= n; k += 2)
        split_two(&a[k], &b[k], w, inverse);
    if (n == 1)
        split(a, b, w, inverse);
}

/* 2^lg_rows rows of n vectors, all levels. */
CUZK_TARGET_IFMA static void split_rows(const ntt_dir *dir, fr8 *x, unsigned lg_rows, size_t n,
                                        size_t block)
{
    for (unsigned level = 0; level < lg_rows; level++) {
        size_t half = (n << lg_rows) >> (level + 1);
        for (size_t i = 0; i < (size_t)1 << level; i++) {
            fr8 w, *a = x + 2 * i * half;
            twiddle(&w, dir, (block << level) + i);
            if (dir->inverse)
                split_block(a, a + half, half, &w, true);
            else
                split_block(a, a + half, half, &w, false);
        }
    }
}

/* step: where the cycle of three begins. */
CUZK_TARGET_IFMA static void merge_rows(const ntt_dir *dir, fr8 *x, unsigned lg_rows, size_t n,
                                        size_t block, unsigned step)
{
    for (unsigned level = lg_rows; level-- > 0; step = step == 2 ? 0 : step + 1) {
        size_t half = (n << lg_rows) >> (level + 1);
        for (size_t i = 0; i < (size_t)1 << level; i++) {
            fr8 w, *a = x + 2 * i * half;
            twiddle(&w, dir, (block << level) + i);
            for (size_t k = 0; k < half; k++)
                merge(&a[k], &a[k + half], &w, dir->inverse, step);
        }
    }
}

/* The three levels inside eight neighbours: x[j] lane i is neighbour j of group first + i. */
CUZK_TARGET_IFMA static void split_lanes(const ntt_dir *dir, fr8 x[NTT_LANES], size_t first)
{
    for (unsigned level = 0; level < 3; level++) {
        size_t half = 4u >> level;
        for (size_t i = 0; i < (size_t)1 << level; i++) {
            fr8 w;
            twiddles(&w, dir, (first << level) + i, (size_t)1 << level);
            fr8 *a = x + 2 * i * half;
            split_block(a, a + half, half, &w, dir->inverse);
        }
    }
}

CUZK_TARGET_IFMA static void merge_lanes(const ntt_dir *dir, fr8 x[NTT_LANES], size_t first)
{
    for (unsigned level = 3; level-- > 0;) {
        size_t half = 4u >> level;
        for (size_t i = 0; i < (size_t)1 << level; i++) {
            fr8 w;
            twiddles(&w, dir, (first << level) + i, (size_t)1 << level);
            for (size_t k = 2 * i * half; k < (2 * i + 1) * half; k++)
                merge(&x[k], &x[k + half], &w, dir->inverse, 2 - level);
        }
    }
}

/* ---- transposition ---- */

/* 8 x 8 words: pairs, then quadruples, then halves. */
IFMA_INLINE void transpose_words(__m512i r[8])
{
    const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    __m512i t[8], q[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm512_unpacklo_epi64(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi64(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) { /* q[i + c]: column c in the lower half, c + 4 in the upper */
        q[i] = _mm512_permutex2var_epi64(t[i], even, t[i + 2]);
        q[i + 1] = _mm512_permutex2var_epi64(t[i + 1], even, t[i + 3]);
        q[i + 2] = _mm512_permutex2var_epi64(t[i], odd, t[i + 2]);
        q[i + 3] = _mm512_permutex2var_epi64(t[i + 1], odd, t[i + 3]);
    }
    for (int c = 0; c < 4; c++) {
        r[c] = _mm512_shuffle_i64x2(q[c], q[c + 4], 0x44);
        r[c + 4] = _mm512_shuffle_i64x2(q[c], q[c + 4], 0xee);
    }
}

CUZK_TARGET_IFMA static void transpose(fr8 x[NTT_LANES])
{
    for (int limb = 0; limb < 5; limb++) {
        __m512i r[8];
        for (int i = 0; i < 8; i++)
            r[i] = x[i].l[limb];
        transpose_words(r);
        for (int i = 0; i < 8; i++)
            x[i].l[limb] = r[i];
    }
}

/* ---- table ---- */

CUZK_TARGET_IFMA void cuzk_ntt_ifma_scale(fr out[], const fr in[], size_t n, const fr *step)
{
    fr8 k, x;
    fr8_broadcast(&k, step);
    for (size_t i = 0; i < n; i += NTT_LANES) {
        fr8_load(&x, in + i);
        fr8_mul(&x, &x, &k);
        fr8_subtract_if(&x, &x, FR8_R); /* products below 2r to roots below r, as split wants */
        fr8_store(out + i, &x);
    }
}

/* ---- tiles ---- */

/* Brings all values of a finished tile into the range in which they are stored. */
CUZK_TARGET_IFMA static void finish(const ntt_pass *p, fr8 tile[N_VECTORS])
{
    fr8 scale;
    if (p->scale)
        fr8_broadcast(&scale, p->scale);
    for (size_t i = 0; i < N_VECTORS; i++) {
        if (p->scale)
            fr8_mul(&tile[i], &tile[i], &scale); /* < 2r */
        else
            settle(&tile[i], &tile[i]);
        if (p->last)
            fr8_subtract_if(&tile[i], &tile[i], FR8_R);
    }
}

CUZK_TARGET_IFMA void cuzk_ntt_ifma_strided(const ntt_pass *p, size_t index)
{
    fr8 tile[N_VECTORS];
    size_t block, n = ((size_t)1 << p->lg_cols) / NTT_LANES;
    fr *x = ntt_tile_origin(p, index, &block);
    for (size_t i = 0; i < N_VECTORS; i++)
        fr8_load(&tile[i], x + ((i / n) << p->lg_stride) + i % n * NTT_LANES);
    if (p->merge)
        merge_rows(&p->dir, tile, p->lg_rows, n, block, 0);
    else
        split_rows(&p->dir, tile, p->lg_rows, n, block);
    finish(p, tile);
    for (size_t i = 0; i < N_VECTORS; i++)
        fr8_store(x + ((i / n) << p->lg_stride) + i % n * NTT_LANES, &tile[i]);
}

CUZK_TARGET_IFMA static void contiguous_split(const ntt_pass *p, fr *x, size_t block)
{
    fr8 tile[N_VECTORS];
    for (size_t i = 0; i < N_VECTORS; i++)
        fr8_load(&tile[i], x + i * NTT_LANES);
    split_rows(&p->dir, tile, LG_VECTORS, 1, block);
    for (size_t i = 0; i < N_VECTORS; i += NTT_LANES) {
        transpose(tile + i);
        split_lanes(&p->dir, tile + i, (block << LG_VECTORS) + i);
    }
    finish(p, tile);
    for (size_t i = 0; i < N_VECTORS; i++)
        fr8_store_stride(x + i / NTT_LANES * NTT_LANES * NTT_LANES + i % NTT_LANES, NTT_LANES,
                         &tile[i]);
}

CUZK_TARGET_IFMA static void contiguous_merge(const ntt_pass *p, fr *x, size_t block)
{
    fr8 tile[N_VECTORS];
    for (size_t i = 0; i < N_VECTORS; i++)
        fr8_load_stride(&tile[i], x + i / NTT_LANES * NTT_LANES * NTT_LANES + i % NTT_LANES,
                        NTT_LANES);
    for (size_t i = 0; i < N_VECTORS; i += NTT_LANES) {
        merge_lanes(&p->dir, tile + i, (block << LG_VECTORS) + i);
        transpose(tile + i);
    }
    merge_rows(&p->dir, tile, LG_VECTORS, 1, block, 0);
    finish(p, tile);
    for (size_t i = 0; i < N_VECTORS; i++)
        fr8_store(x + i * NTT_LANES, &tile[i]);
}

void cuzk_ntt_ifma_contiguous(const ntt_pass *p, size_t index)
{
    fr *x = p->x + (index << NTT_LG_TILE);
    if (p->merge)
        contiguous_merge(p, x, index);
    else
        contiguous_split(p, x, index);
}

#endif

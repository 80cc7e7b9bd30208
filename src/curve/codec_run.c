/* Eight uncompressed points at a time. Whatever is not plainly a finite point of the curve is left
 * to codec.c, which finds out what it is.
 *
 * Coordinates end up as fp, times 2^384. To the product of simd.h, which divides by 2^416, such a
 * number is one in another form; the curve equation is compared in the form that x^3 gets by
 * itself: x^2 has the factor 2^352 and x^3 2^320, y^2 gets there by one more product, 4 is a
 * constant.
 */
#include "base/cpu.h"
#include "curve/codec.h"
#include "field/simd.h"

#if CUZK_HAVE_IFMA

/* Plain integers in words, from Python: 2^800 mod p and 4 2^320 mod p. */
static const fp to_form = {{0x3dc551039a1d2c25u, 0xe8da66c857a98437u, 0xb82e8f6513331128u,
                            0xb197b6252a29ba38u, 0x5dcbe4f4e32928cbu, 0x0e91f80ef81f158cu}};
static const fp four = {{0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u,
                         0x0000000000000000u, 0x0000000000000000u, 0x0000000000000004u}};

/* Eight big-endian coordinates, stride bytes apart. False unless all are below p; flags are high
 * bits of the number and thus make it too large. */
CUZK_TARGET_IFMA static bool load_integers(fp8 *r, const uint8_t *at, size_t stride)
{
    const __m512i swap = _mm512_set_epi64(
        0x08090a0b0c0d0e0f, 0x0001020304050607, 0x08090a0b0c0d0e0f, 0x0001020304050607,
        0x08090a0b0c0d0e0f, 0x0001020304050607, 0x08090a0b0c0d0e0f, 0x0001020304050607);
    __m512i row[8], word[6];
    fp8 d, p;
    for (size_t i = 0; i < 8; i++)
        row[i] = _mm512_shuffle_epi8(_mm512_maskz_loadu_epi64(0x3f, at + i * stride), swap);
    ifma_transpose(row);
    for (int i = 0; i < 6; i++)
        word[i] = row[5 - i];
    fp8_from_words(r, word);
    fp8_constant(&p, FP8_P);
    for (int i = 0; i < 8; i++)
        d.l[i] = _mm512_sub_epi64(r->l[i], p.l[i]);
    ifma_normalize(d.l, d.l, 8);
    return _mm512_movepi64_mask(d.l[7]) == 0xff; /* r - p is negative in each lane */
}

CUZK_TARGET_IFMA static void integers_to_fp(fp8 *r)
{
    fp8 k;
    fp8_broadcast(&k, &to_form);
    fp8_mul(r, r, &k);
    fp8_subtract_if(r, r, FP8_P);
}

/* a = b mod p in all lanes; a, b < 8p */
CUZK_TARGET_IFMA static bool all_equal(const fp8 *a, const fp8 *b)
{
    fp8 s, t;
    fp8_subtract_if(&s, a, FP8_4P);
    fp8_subtract_if(&t, b, FP8_4P);
    fp8_canon(&s, &s);
    fp8_canon(&t, &t);
    return fp8_eq_mask(&s, &t) == 0xff;
}

CUZK_TARGET_IFMA static bool g1_read_8(g1_affine r[8], const uint8_t *in)
{
    fp8 x, y, l, t, k;
    if (!load_integers(&x, in, 96) || !load_integers(&y, in + 48, 96))
        return false;
    integers_to_fp(&x);
    integers_to_fp(&y);
    fp8_constant(&k, FP8_LEAVE);
    fp8_sqr(&l, &y);
    fp8_mul(&l, &l, &k);
    fp8_sqr(&t, &x);
    fp8_mul(&t, &t, &x);
    fp8_broadcast(&k, &four);
    fp8_add(&t, &t, &k);
    if (!all_equal(&l, &t))
        return false;
    fp8_store(&r[0].x, sizeof r[0], &x);
    fp8_store(&r[0].y, sizeof r[0], &y);
    return true;
}

/* y^2 = x^3 + 4 (1 + u) */
CUZK_TARGET_IFMA static bool g2_on_curve(const fp2_8 *x, const fp2_8 *y)
{
    fp2_8 l, t;
    fp8 k;
    fp8_constant(&k, FP8_LEAVE);
    fp2_8_sqr(&l, y);
    fp8_mul(&l.c0, &l.c0, &k);
    fp8_mul(&l.c1, &l.c1, &k);
    fp2_8_sqr(&t, x);
    fp2_8_mul(&t, &t, x);
    fp8_broadcast(&k, &four);
    fp8_add(&t.c0, &t.c0, &k);
    fp8_add(&t.c1, &t.c1, &k);
    return all_equal(&l.c0, &t.c0) && all_equal(&l.c1, &t.c1);
}

CUZK_TARGET_IFMA static bool g2_read_8(g2_affine r[8], const uint8_t *in)
{
    fp2_8 x, y;
    if (!load_integers(&x.c1, in, 192) || !load_integers(&x.c0, in + 48, 192) ||
        !load_integers(&y.c1, in + 96, 192) || !load_integers(&y.c0, in + 144, 192))
        return false;
    integers_to_fp(&x.c0);
    integers_to_fp(&x.c1);
    integers_to_fp(&y.c0);
    integers_to_fp(&y.c1);
    if (!g2_on_curve(&x, &y))
        return false;
    fp8_store(&r[0].x.c0, sizeof r[0], &x.c0);
    fp8_store(&r[0].x.c1, sizeof r[0], &x.c1);
    fp8_store(&r[0].y.c0, sizeof r[0], &y.c0);
    fp8_store(&r[0].y.c1, sizeof r[0], &y.c1);
    return true;
}

size_t cuzk_g1_read_run(g1_affine r[], const uint8_t *in, size_t n)
{
    size_t i = 0;
    if (cuzk_cpu_lanes())
        while (n - i >= 8 && g1_read_8(r + i, in + 96 * i))
            i += 8;
    return i;
}

size_t cuzk_g2_read_run(g2_affine r[], const uint8_t *in, size_t n)
{
    size_t i = 0;
    if (cuzk_cpu_lanes())
        while (n - i >= 8 && g2_read_8(r + i, in + 192 * i))
            i += 8;
    return i;
}

#else

size_t cuzk_g1_read_run(g1_affine r[], const uint8_t *in, size_t n)
{
    (void)r, (void)in, (void)n;
    return 0;
}

size_t cuzk_g2_read_run(g2_affine r[], const uint8_t *in, size_t n)
{
    (void)r, (void)in, (void)n;
    return 0;
}

#endif

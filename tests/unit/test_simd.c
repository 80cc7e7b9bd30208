/* The eight-lane layer (field/simd.h) against fp.h and fr.h, lane by lane, up to its bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/cpu.h"
#include "field/simd.h"

#if CUZK_HAVE_IFMA

static uint64_t rng_state = 0x3c6ef372fe94f82bu;

static uint64_t rng(void) /* splitmix64 */
{
    uint64_t x = rng_state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* 0, 1, m - 1, m - 2, all ones below the top limb, single limbs of ones, else random; below m. */
static void operand(uint64_t *r, const uint64_t *m, int n)
{
    uint64_t kind = rng() % 16;
    for (int j = 0; j < n; j++)
        r[j] = kind < 8 ? rng() : 0;
    if (kind == 8 || kind == 9)
        r[0] = kind - 8;
    if (kind == 10 || kind == 11) {
        uint64_t borrow = 0;
        for (int j = 0; j < n; j++)
            r[j] = limb_sbb(m[j], j ? 0 : kind - 9, &borrow);
    }
    for (int j = 0; kind == 12 && j < n; j++)
        r[j] = j + 1 < n ? ~(uint64_t)0 : m[j] - 1;
    if (kind == 13)
        r[rng() % (uint64_t)(n - 1)] = ~(uint64_t)0;
    if (kind == 14)
        r[n - 1] = m[n - 1];
    if (kind == 15)
        r[rng() % (uint64_t)(n - 1)] = (uint64_t)1 << (rng() % 64);
    while (!limbs_lt(r, m, n))
        r[n - 1] >>= 1;
}

static void fp_lanes(fp x[8])
{
    for (int i = 0; i < 8; i++)
        operand(x[i].l, cuzk_fp_modulus, 6);
}

static void fr_lanes(fr x[8])
{
    for (int i = 0; i < 8; i++)
        operand(x[i].l, cuzk_fr_modulus, 4);
}

static bool available(void)
{
    if (cuzk_cpu_has(CUZK_CPU_IFMA))
        return true;
    printf("SKIP: no AVX-512 IFMA on this machine\n");
    return false;
}

/* r = n m in limbs of 52 bits plus a: a value that is a mod m and about n m large. */
static void raise(uint64_t *limb, int n_limbs, const uint64_t *m, uint64_t times)
{
    uint64_t carry = 0;
    for (int j = 0; j < n_limbs; j++) {
        cuzk_u128 t = (cuzk_u128)m[j] * times + limb[j] + carry;
        limb[j] = j + 1 < n_limbs ? (uint64_t)t & IFMA_MASK : (uint64_t)t;
        carry = (uint64_t)(t >> 52);
    }
}

CUZK_TARGET_IFMA static void fp8_raise(fp8 *a, uint64_t times)
{
    uint64_t t[8][8], one[8];
    memcpy(t, a, sizeof t);
    for (int lane = 0; lane < 8; lane++) {
        for (int j = 0; j < 8; j++)
            one[j] = t[j][lane];
        raise(one, 8, cuzk_fp8_constants[FP8_P], times);
        assert_true(one[7] < (uint64_t)1 << 52);
        for (int j = 0; j < 8; j++)
            t[j][lane] = one[j];
    }
    memcpy(a, t, sizeof t);
}

CUZK_TARGET_IFMA static void fr8_raise(fr8 *a, uint64_t times)
{
    uint64_t t[5][8], one[5];
    memcpy(t, a, sizeof t);
    for (int lane = 0; lane < 8; lane++) {
        for (int j = 0; j < 5; j++)
            one[j] = t[j][lane];
        raise(one, 5, cuzk_fr8_constants[FR8_R], times);
        assert_true(one[4] < (uint64_t)1 << 52);
        for (int j = 0; j < 5; j++)
            t[j][lane] = one[j];
    }
    memcpy(a, t, sizeof t);
}

/* a, reduced, has the bytes of want. */
CUZK_TARGET_IFMA static void expect_fp(const fp8 *a, const fp want[8])
{
    fp8 t;
    fp got[8];
    fp8_reduce(&t, a);
    fp8_store(got, sizeof got[0], &t);
    assert_memory_equal(got, want, sizeof got);
}

CUZK_TARGET_IFMA static void expect_fr(const fr8 *a, const fr want[8])
{
    fr8 t;
    fr got[8];
    fr8_reduce(&t, a);
    fr8_store(got, &t);
    assert_memory_equal(got, want, sizeof got);
}

CUZK_TARGET_IFMA static void fp_round(uint64_t na, uint64_t nb)
{
    fp x[8], y[8], want[8], sum[8];
    fp8 a, b, c;
    fp_lanes(x);
    fp_lanes(y);
    fp8_load(&a, x, sizeof x[0]);
    fp8_load(&b, y, sizeof y[0]);
    fp8_raise(&a, na);
    fp8_raise(&b, nb);
    expect_fp(&a, x);
    for (int i = 0; i < 8; i++) { /* a b 2^-416 = (a b 2^-384) 2^-32 */
        fp_mul(&want[i], &x[i], &y[i]);
        fp_mul(&want[i], &want[i], &cuzk_fp_simd_leave);
    }
    fp8_mul(&c, &a, &b);
    expect_fp(&c, want);
    fp8_canon(&c, &c); /* mul gives < 2p */
    fp got[8];
    fp8_store(got, sizeof got[0], &c);
    assert_memory_equal(got, want, sizeof got);
    c = a;
    fp8_mul(&c, &c, &b);
    expect_fp(&c, want);
    for (int i = 0; i < 8; i++) {
        fp_sqr(&want[i], &x[i]);
        fp_mul(&want[i], &want[i], &cuzk_fp_simd_leave);
        fp_add(&sum[i], &x[i], &y[i]);
    }
    fp8_sqr(&c, &a);
    expect_fp(&c, want);
    fp8_add(&c, &a, &b);
    expect_fp(&c, sum);
    if (nb >= 64)
        return;
    for (int i = 0; i < 8; i++) {
        fp_sub(&want[i], &x[i], &y[i]);
        fp_neg(&sum[i], &y[i]);
    }
    fp8_sub(&c, &a, &b);
    expect_fp(&c, want);
    fp8_neg(&c, &b);
    expect_fp(&c, sum);
    if (nb >= 31)
        return;
    for (int i = 0; i < 8; i++)
        fp_sub(&want[i], &want[i], &y[i]);
    fp8_sub2(&c, &a, &b, &b);
    expect_fp(&c, want);
}

static void fp8_equals_fp(void **state)
{
    (void)state;
    static const uint64_t times[][2] = {
        {0, 0}, {1, 0}, {0, 1}, {3, 2}, {7, 30}, {100, 63}, {(1 << 17) - 1, (1 << 17) - 1}};
    if (!available())
        skip();
    for (size_t k = 0; k < CUZK_ARRAY_LEN(times); k++)
        for (int i = 0; i < 300; i++)
            fp_round(times[k][0], times[k][1]);
}

/* One operand near 2^33 p, the other small: the far end of a b < 2^34 p^2. */
CUZK_TARGET_IFMA static void fp_lopsided(void)
{
    fp x[8], y[8], want[8];
    fp8 a, b, c;
    fp_lanes(x);
    fp_lanes(y);
    fp8_load(&a, x, sizeof x[0]);
    fp8_load(&b, y, sizeof y[0]);
    fp8_raise(&a, ((uint64_t)1 << 33) - 1);
    for (int i = 0; i < 8; i++) {
        fp_mul(&want[i], &x[i], &y[i]);
        fp_mul(&want[i], &want[i], &cuzk_fp_simd_leave);
    }
    fp8_mul(&c, &a, &b);
    expect_fp(&c, want);
    fp8_mul(&c, &b, &a);
    expect_fp(&c, want);
}

static void fp8_lopsided(void **state)
{
    (void)state;
    if (!available())
        skip();
    for (int i = 0; i < 300; i++)
        fp_lopsided();
}

CUZK_TARGET_IFMA static void fp_forms(void)
{
    fp x[8], y[8], want[8], got[8], grid[8][3];
    const fp *from[8];
    fp *to[8];
    fp8 a, b;
    fp_lanes(x);
    fp_lanes(y);
    fp8_load(&a, x, sizeof x[0]);
    fp8_enter(&b, &a);
    fp8_store(got, sizeof got[0], &b);
    for (int i = 0; i < 8; i++)
        fp_mul(&want[i], &x[i], &cuzk_fp_simd_enter);
    assert_memory_equal(got, want, sizeof got);
    fp8_leave(&b, &b);
    fp8_store(got, sizeof got[0], &b);
    assert_memory_equal(got, x, sizeof got);

    memset(grid, 0xa5, sizeof grid);
    for (int i = 0; i < 8; i++) {
        to[i] = &grid[(i * 3) % 8][1];
        from[i] = &grid[(i * 3) % 8][1];
    }
    fp8_store_to(to, &a);
    for (int i = 0; i < 8; i++)
        assert_memory_equal(to[i], &x[i], sizeof x[i]);
    for (int i = 0; i < 8; i++) /* nothing beside the elements was written */
        for (int j = 0; j < 6; j++)
            assert_true(grid[i][0].l[j] == 0xa5a5a5a5a5a5a5a5u &&
                        grid[i][2].l[j] == 0xa5a5a5a5a5a5a5a5u);
    fp8_load_from(&b, from);
    assert_int_equal(fp8_eq_mask(&a, &b), 0xff);
    fp8_load(&b, &grid[0][1], sizeof grid[0]);
    fp8_store(&grid[0][0], sizeof grid[0], &b);
    for (int i = 0; i < 8; i++)
        assert_memory_equal(&grid[i][0], &grid[i][1], sizeof(fp));

    fp8_broadcast(&b, &x[3]);
    fp8_store(got, sizeof got[0], &b);
    for (int i = 0; i < 8; i++)
        assert_memory_equal(&got[i], &x[3], sizeof got[i]);
    __mmask8 zero = 0, equal = 0;
    for (int i = 0; i < 8; i++) {
        zero |= (__mmask8)((unsigned)fp_is_zero(&x[i]) << i);
        equal |= (__mmask8)((unsigned)fp_eq(&x[i], &x[3]) << i);
    }
    assert_int_equal(fp8_zero_mask(&a), zero);
    assert_int_equal(fp8_eq_mask(&a, &b), equal);
    fp8 c;
    fp8_select(&c, 0x5a, &a, &b);
    fp8_store(got, sizeof got[0], &c);
    for (int i = 0; i < 8; i++)
        assert_memory_equal(&got[i], 0x5a >> i & 1 ? &x[i] : &x[3], sizeof got[i]);

    fp8_enter(&b, &a); /* inverse: leave(inv(enter(x))) = 1 / x */
    cuzk_fp8_inv_vartime(&b, &b);
    fp8_leave(&b, &b);
    fp8_store(got, sizeof got[0], &b);
    for (int i = 0; i < 8; i++) {
        cuzk_fp_inv_vartime(&want[i], &x[i]);
        assert_memory_equal(&got[i], &want[i], sizeof got[i]);
    }
}

static void fp8_forms_and_memory(void **state)
{
    (void)state;
    if (!available())
        skip();
    for (int i = 0; i < 200; i++)
        fp_forms();
}

CUZK_TARGET_IFMA static void fp2_round(uint64_t times)
{
    fp2 x[8], y[8], p[8], s[8], sum[8], dif[8];
    fp2_8 a, b, c;
    fp *half[2] = {&x[0].c0, &x[0].c1};
    for (int i = 0; i < 8; i++) {
        operand(x[i].c0.l, cuzk_fp_modulus, 6);
        operand(x[i].c1.l, cuzk_fp_modulus, 6);
        operand(y[i].c0.l, cuzk_fp_modulus, 6);
        operand(y[i].c1.l, cuzk_fp_modulus, 6);
        fp2_mul(&p[i], &x[i], &y[i]);
        fp2_mul_fp(&p[i], &p[i], &cuzk_fp_simd_leave);
        fp2_sqr(&s[i], &x[i]);
        fp2_mul_fp(&s[i], &s[i], &cuzk_fp_simd_leave);
        fp2_add(&sum[i], &x[i], &y[i]);
        fp2_sub(&dif[i], &x[i], &y[i]);
    }
    fp8_load(&a.c0, half[0], sizeof x[0]);
    fp8_load(&a.c1, half[1], sizeof x[0]);
    fp8_load(&b.c0, &y[0].c0, sizeof y[0]);
    fp8_load(&b.c1, &y[0].c1, sizeof y[0]);
    fp8_raise(&a.c0, times);
    fp8_raise(&a.c1, times);
    const fp2 *want[4] = {p, s, sum, dif};
    for (int k = 0; k < 4; k++) {
        c = a;
        if (k == 0)
            fp2_8_mul(&c, &c, &b);
        else if (k == 1)
            fp2_8_sqr(&c, &c);
        else if (k == 2)
            fp2_8_add(&c, &c, &b);
        else
            fp2_8_sub(&c, &c, &b);
        fp w0[8], w1[8], got[8];
        for (int i = 0; i < 8; i++) {
            w0[i] = want[k][i].c0;
            w1[i] = want[k][i].c1;
        }
        expect_fp(&c.c0, w0);
        expect_fp(&c.c1, w1);
        if (k < 2) { /* < 6p: 4p, 2p and p at most come off */
            fp8_subtract_if(&c.c1, &c.c1, FP8_4P);
            fp8_canon(&c.c0, &c.c0);
            fp8_canon(&c.c1, &c.c1);
            fp8_store(got, sizeof got[0], &c.c0);
            assert_memory_equal(got, w0, sizeof got);
            fp8_store(got, sizeof got[0], &c.c1);
            assert_memory_equal(got, w1, sizeof got);
        }
    }
}

static void fp2_8_equals_fp2(void **state)
{
    (void)state;
    if (!available())
        skip();
    for (int i = 0; i < 200; i++) {
        fp2_round(0);
        fp2_round(60);
    }
}

CUZK_TARGET_IFMA static void fr_round(uint64_t na, uint64_t nb)
{
    fr x[8], y[8], want[8], sum[8], got[8];
    fr8 a, b, c;
    fr_lanes(x);
    fr_lanes(y);
    fr8_load(&a, x);
    fr8_load(&b, y);
    fr8_raise(&a, na);
    fr8_raise(&b, nb);
    expect_fr(&a, x);
    for (int i = 0; i < 8; i++) {
        fr_mul(&want[i], &x[i], &y[i]);
        fr_mul(&want[i], &want[i], &cuzk_fr_simd_leave);
        fr_add(&sum[i], &x[i], &y[i]);
    }
    if ((na + 1) * (nb + 1) < 35) {
        fr8_mul(&c, &a, &b);
        fr8_subtract_if(&c, &c, FR8_R); /* mul gives < 2r */
        fr8_store(got, &c);
        assert_memory_equal(got, want, sizeof got);
        c = a;
        fr8_mul(&c, &c, &b);
        expect_fr(&c, want);
    }
    if (na < 5) {
        for (int i = 0; i < 8; i++) {
            fr_sqr(&want[i], &x[i]);
            fr_mul(&want[i], &want[i], &cuzk_fr_simd_leave);
        }
        fr8_sqr(&c, &a);
        expect_fr(&c, want);
    }
    if (na + nb < 30) {
        fr8_add(&c, &a, &b);
        expect_fr(&c, sum);
    }
    if (na < 4) {
        fr8_canon(&c, &a);
        fr8_store(got, &c);
        assert_memory_equal(got, x, sizeof got);
    }
    if (nb >= 2 || na >= 29)
        return;
    for (int i = 0; i < 8; i++) {
        fr_sub(&want[i], &x[i], &y[i]);
        fr_neg(&sum[i], &y[i]);
    }
    fr8_sub(&c, &a, &b);
    expect_fr(&c, want);
    fr8_neg(&c, &b);
    expect_fr(&c, sum);
}

static void fr8_equals_fr(void **state)
{
    (void)state;
    if (!available())
        skip();
    for (uint64_t na = 0; na < 31; na++)
        for (uint64_t nb = 0; nb < 31; nb++)
            for (int i = 0; i < (na + nb < 4 ? 200 : 4); i++)
                fr_round(na, nb);
}

CUZK_TARGET_IFMA static void fr_forms(void)
{
    fr x[8], want[8], got[8], grid[8][3];
    fr8 a, b;
    fr_lanes(x);
    fr8_load(&a, x);
    fr8_enter(&b, &a);
    fr8_store(got, &b);
    for (int i = 0; i < 8; i++)
        fr_mul(&want[i], &x[i], &cuzk_fr_simd_enter);
    assert_memory_equal(got, want, sizeof got);
    fr8_leave(&b, &b);
    fr8_store(got, &b);
    assert_memory_equal(got, x, sizeof got);

    memset(grid, 0xa5, sizeof grid);
    fr8_store_stride(&grid[0][1], 3, &a);
    for (int i = 0; i < 8; i++) {
        assert_memory_equal(&grid[i][1], &x[i], sizeof x[i]);
        for (int j = 0; j < 4; j++)
            assert_true(grid[i][0].l[j] == 0xa5a5a5a5a5a5a5a5u &&
                        grid[i][2].l[j] == 0xa5a5a5a5a5a5a5a5u);
    }
    fr8_load_stride(&b, &grid[0][1], 3);
    fr8_store(got, &b);
    assert_memory_equal(got, x, sizeof got);
    fr8_broadcast(&b, &x[5]);
    fr8_store(got, &b);
    for (int i = 0; i < 8; i++)
        assert_memory_equal(&got[i], &x[5], sizeof got[i]);

    /* a constant in the SIMD radix keeps the form of the other factor */
    fr w = x[1], we;
    fr_mul(&we, &w, &cuzk_fr_simd_enter);
    fr8_broadcast(&b, &we);
    fr8_mul(&b, &a, &b);
    fr8_canon(&b, &b);
    fr8_store(got, &b);
    for (int i = 0; i < 8; i++) {
        fr_mul(&want[i], &x[i], &w);
        assert_memory_equal(&got[i], &want[i], sizeof got[i]);
    }
}

static void fr8_forms_and_memory(void **state)
{
    (void)state;
    if (!available())
        skip();
    for (int i = 0; i < 200; i++)
        fr_forms();
}

int main(void)
{
    printf("seed %#llx\n", (unsigned long long)rng_state);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fp8_equals_fp),        cmocka_unit_test(fp8_lopsided),
        cmocka_unit_test(fp8_forms_and_memory), cmocka_unit_test(fp2_8_equals_fp2),
        cmocka_unit_test(fr8_equals_fr),        cmocka_unit_test(fr8_forms_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
    printf("SKIP: no eight-lane layer for this processor\n");
    return 0;
}
#endif

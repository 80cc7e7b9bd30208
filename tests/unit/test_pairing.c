/* The tower above Fp2 and the pairing: algebra, Frobenius by powering, bilinearity. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/hex.h"
#include "curve/pairing.h"

static uint64_t rng_state = 0x6a09e667f3bcc908u;

static uint64_t rng(void) /* splitmix64 */
{
    uint64_t x = rng_state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static fp12 random_fp12(void)
{
    fp12 a;
    fp *c = (fp *)&a;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 6; j++)
            c[i].l[j] = j == 5 ? rng() >> 4 : rng();
    return a;
}

static fr_canon random_scalar(fr *k)
{
    fr_canon c = {{rng(), rng(), rng(), rng() >> 2}};
    cuzk_fr_from_canon(k, &c);
    return c;
}

static void ring_laws(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        fp12 a = random_fp12(), b = random_fp12(), c = random_fp12(), x, y;
        cuzk_fp12_mul(&x, &a, &b);
        cuzk_fp12_mul(&y, &b, &a);
        assert_true(fp12_eq(&x, &y));
        assert_false(fp12_eq(&x, &a));
        cuzk_fp12_mul(&x, &x, &c);
        cuzk_fp12_mul(&y, &b, &c);
        cuzk_fp12_mul(&y, &a, &y);
        assert_true(fp12_eq(&x, &y));
        cuzk_fp12_mul(&x, &a, &a);
        y = a;
        cuzk_fp12_sqr(&y, &y);
        assert_true(fp12_eq(&x, &y));
        cuzk_fp12_inv_vartime(&x, &a);
        cuzk_fp12_mul(&x, &x, &a);
        assert_true(fp12_is_one(&x));
        fp12 sum, l, r; /* (a + b) c = a c + b c */
        fp6_add(&sum.c0, &a.c0, &b.c0);
        fp6_add(&sum.c1, &a.c1, &b.c1);
        cuzk_fp12_mul(&l, &sum, &c);
        cuzk_fp12_mul(&x, &a, &c);
        cuzk_fp12_mul(&y, &b, &c);
        fp6_add(&r.c0, &x.c0, &y.c0);
        fp6_add(&r.c1, &x.c1, &y.c1);
        assert_true(fp12_eq(&l, &r));
    }
}

/* w^6 = 1 + u and u^2 = -1 pin the tower down. */
static void tower(void **state)
{
    (void)state;
    fp12 w, t, xi, minus_one;
    memset(&w, 0, sizeof w);
    xi = minus_one = w;
    w.c1.c0 = cuzk_fp2_one;
    xi.c0.c0.c0 = xi.c0.c0.c1 = cuzk_fp_one;
    cuzk_fp12_pow_vartime(&t, &w, &(uint64_t){6}, 1);
    assert_true(fp12_eq(&t, &xi));
    fp_neg(&minus_one.c0.c0.c0, &cuzk_fp_one);
    memset(&t, 0, sizeof t);
    t.c0.c0.c1 = cuzk_fp_one;
    cuzk_fp12_sqr(&t, &t);
    assert_true(fp12_eq(&t, &minus_one));
}

static void sparse_product(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        fp12 a = random_fp12(), b = random_fp12(), x, y;
        memset(&b.c0.c2, 0, sizeof(fp2));
        memset(&b.c1.c0, 0, sizeof(fp2));
        memset(&b.c1.c2, 0, sizeof(fp2));
        cuzk_fp12_mul(&x, &a, &b);
        cuzk_fp12_mul_by_014(&y, &a, &b.c0.c0, &b.c0.c1, &b.c1.c1);
        assert_true(fp12_eq(&x, &y));
    }
}

static void frobenius_is_p_th_power(void **state)
{
    (void)state;
    fp12 a = random_fp12(), x, y;
    cuzk_fp12_frobenius(&x, &a);
    cuzk_fp12_pow_vartime(&y, &a, cuzk_fp_modulus, 6);
    assert_true(fp12_eq(&x, &y));
    y = a;
    for (int i = 0; i < 6; i++)
        cuzk_fp12_frobenius(&y, &y);
    fp12_conj(&x, &a);
    assert_true(fp12_eq(&x, &y));
    for (int i = 0; i < 6; i++)
        cuzk_fp12_frobenius(&y, &y);
    assert_true(fp12_eq(&a, &y));
}

static void cyclotomic_square(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        fp12 a = random_fp12(), t, x, y;
        cuzk_fp12_inv_vartime(&t, &a); /* a^((p^6-1)(p^2+1)) */
        fp12_conj(&a, &a);
        cuzk_fp12_mul(&a, &a, &t);
        cuzk_fp12_frobenius(&t, &a);
        cuzk_fp12_frobenius(&t, &t);
        cuzk_fp12_mul(&a, &a, &t);
        cuzk_fp12_sqr(&x, &a);
        y = a;
        cuzk_fp12_cyclotomic_sqr(&y, &y);
        assert_true(fp12_eq(&x, &y));
    }
}

static g1_affine g1_times(const fr_canon *k)
{
    g1_jac p;
    g1_affine a;
    cuzk_g1_from_affine(&p, &cuzk_g1_generator);
    cuzk_g1_mul(&p, &p, k);
    cuzk_g1_to_affine(&a, &p);
    return a;
}

static g2_affine g2_times(const fr_canon *k)
{
    g2_jac p;
    g2_affine a;
    cuzk_g2_from_affine(&p, &cuzk_g2_generator);
    cuzk_g2_mul(&p, &p, k);
    cuzk_g2_to_affine(&a, &p);
    return a;
}

/* e(G1, G2), coefficients c0, c1 at w^0, w^1, ..., w^5: from a separate model with affine points,
 * Fp12 as Fp2[w]/(w^6 - xi) and the exponent 3 (p^12 - 1) / r by square and multiply. */
static const char *const generator_pairing[12] = {
    "1250ebd871fc0a92a7b2d83168d0d727272d441befa15c50"
    "3dd8e90ce98db3e7b6d194f60839c508a84305aaca1789b6",
    "089a1c5b46e5110b86750ec6a532348868a84045483c92b7"
    "af5af689452eafabf1a8943e50439f1d59882a98eaa0170f",
    "19f26337d205fb469cd6bd15c3d5a04dc88784fbb3d0b2db"
    "dea54d43b2b73f2cbb12d58386a8703e0f948226e47ee89d",
    "06fba23eb7c5af0d9f80940ca771b6ffd5857baaf222eb95"
    "a7d2809d61bfe02e1bfd1b68ff02f0b8102ae1c2d5d5ab1a",
    "1368bb445c7c2d209703f239689ce34c0378a68e72a6b3b2"
    "16da0e22a5031b54ddff57309396b38c881c4c849ec23e87",
    "193502b86edb8857c273fa075a50512937e0794e1e65a761"
    "7c90d8bd66065b1fffe51d7a579973b1315021ec3c19934f",
    "11b8b424cd48bf38fcef68083b0b0ec5c81a93b330ee1a67"
    "7d0d15ff7b984e8978ef48881e32fac91b93b47333e2ba57",
    "03350f55a7aefcd3c31b4fcb6ce5771cc6a0e9786ab59733"
    "20c806ad360829107ba810c5a09ffdd9be2291a0c25a99a2",
    "01b2f522473d171391125ba84dc4007cfbf2f8da752f7c74"
    "185203fcca589ac719c34dffbbaad8431dad1c1fb597aaa5",
    "018107154f25a764bd3c79937a45b84546da634b8f6be14a"
    "8061e55cceba478b23f7dacaa35c8ca78beae9624045b4b6",
    "04c581234d086a9902249b64728ffd21a189e87935a95405"
    "1c7cdba7b3872629a4fafc05066245cb9108f0242d0fe3ef",
    "0f41e58663bf08cf068672cbd01a7ec73baca4d72ca93544"
    "deff686bfd6df543d48eaa24afe47e1efde449383b676631",
};

static void known_pairing(void **state)
{
    (void)state;
    fp12 e;
    cuzk_pairing(&e, &cuzk_g1_generator, &cuzk_g2_generator);
    const fp2 *power_of_w[6] = {&e.c0.c0, &e.c1.c0, &e.c0.c1, &e.c1.c1, &e.c0.c2, &e.c1.c2};
    for (int k = 0; k < 12; k++) {
        uint8_t b[48];
        char text[97];
        cuzk_fp_to_bytes(b, k % 2 ? &power_of_w[k / 2]->c1 : &power_of_w[k / 2]->c0);
        cuzk_hex_encode(text, b, 48);
        assert_string_equal(text, generator_pairing[k]);
    }
}

/* The result has order r, is multiplicative, and is one on Fp6. */
static void final_exponentiation(void **state)
{
    (void)state;
    fp12 f = random_fp12(), x, y, g = random_fp12();
    cuzk_final_exp(&x, &f);
    assert_false(fp12_is_one(&x));
    cuzk_fp12_pow_vartime(&y, &x, cuzk_fr_modulus, 4);
    assert_true(fp12_is_one(&y));
    cuzk_final_exp(&y, &g); /* multiplicative */
    cuzk_fp12_mul(&x, &x, &y);
    cuzk_fp12_mul(&f, &f, &g);
    cuzk_final_exp(&y, &f);
    assert_true(fp12_eq(&x, &y));
    memset(&f.c1, 0, sizeof f.c1);
    cuzk_final_exp(&x, &f);
    assert_true(fp12_is_one(&x));
}

static void bilinear(void **state)
{
    (void)state;
    fp12 base, want, got;
    cuzk_pairing(&base, &cuzk_g1_generator, &cuzk_g2_generator);
    assert_false(fp12_is_one(&base));
    cuzk_fp12_pow_vartime(&got, &base, cuzk_fr_modulus, 4);
    assert_true(fp12_is_one(&got));
    for (int i = 0; i < 8; i++) {
        fr a, b;
        fr_canon ka = random_scalar(&a), kb = random_scalar(&b), kab;
        g1_affine p = g1_times(&ka);
        g2_affine q = g2_times(&kb);
        fr_mul(&a, &a, &b);
        cuzk_fr_to_canon(&kab, &a);
        cuzk_pairing(&got, &p, &q);
        cuzk_fp12_pow_vartime(&want, &base, kab.l, 4);
        assert_true(fp12_eq(&got, &want));
        p = g1_times(&kab); /* e(ab P, Q) = e(aP, bQ) */
        cuzk_pairing(&want, &p, &cuzk_g2_generator);
        assert_true(fp12_eq(&got, &want));
        cuzk_g1_affine_neg(&p, &p);
        cuzk_pairing(&want, &p, &cuzk_g2_generator);
        assert_false(fp12_eq(&got, &want));
        cuzk_fp12_mul(&want, &want, &got);
        assert_true(fp12_is_one(&want));
    }
}

/* Products of 0 ... 40 pairs, with identities among them, against pairings one by one. */
static void products(void **state)
{
    (void)state;
    static g1_affine p[40];
    static g2_affine q[40];
    fp12 want = cuzk_fp12_one, got, f;
    for (size_t n = 0; n <= 40; n++) {
        cuzk_miller_loop(&f, p, q, n);
        cuzk_final_exp(&got, &f);
        assert_true(fp12_eq(&got, &want));
        if (n == 40)
            break;
        fr t;
        fr_canon a = random_scalar(&t), b = random_scalar(&t);
        p[n] = g1_times(&a);
        q[n] = g2_times(&b);
        if (n % 7 == 3)
            memset(&p[n], 0, sizeof p[n]);
        if (n % 7 == 5)
            memset(&q[n], 0, sizeof q[n]);
        cuzk_pairing(&f, &p[n], &q[n]);
        assert_int_equal(fp12_is_one(&f), n % 7 == 3 || n % 7 == 5);
        cuzk_fp12_mul(&want, &want, &f);
    }
}

int main(void)
{
    printf("seed %#llx\n", (unsigned long long)rng_state);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_laws),         cmocka_unit_test(tower),
        cmocka_unit_test(sparse_product),    cmocka_unit_test(frobenius_is_p_th_power),
        cmocka_unit_test(cyclotomic_square), cmocka_unit_test(final_exponentiation),
        cmocka_unit_test(known_pairing),     cmocka_unit_test(bilinear),
        cmocka_unit_test(products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

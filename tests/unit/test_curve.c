/* G1 and G2: known multiples, group laws with all special cases, subgroup tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/hash.h"
#include "base/hex.h"
#include "curve/codec.h"

/* Multiples of the generators, compressed; from a separate implementation with affine coordinates
 * and Python integers. The fifth scalar is SHA-256("cuzk curve test") mod r, little-endian. */
static const struct {
    fr_canon k;
    const char *g1, *g2;
} known[] = {
    {{{0x1u, 0x0u, 0x0u, 0x0u}},
     "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c"
     "6bb",
     "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042"
     "b7e"
     "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121b"
     "db8"},
    {{{0x2u, 0x0u, 0x0u, 0x0u}},
     "a572cbea904d67468808c8eb50a9450c9721db309128012543902d0ac358a62ae28f75bb8f1c7c42c39a8c5529bf0"
     "f4e",
     "aa4edef9c1ed7f729f520e47730a124fd70662a904ba1074728114d1031e1572c6c886f6b57ec72a6178288c47c33"
     "577"
     "1638533957d540a9d2370f17cc7ed5863bc0b995b8825e0ee1ea1e1e4d00dbae81f14b0bf3611b78c952aacab827a"
     "053"},
    {{{0x3u, 0x0u, 0x0u, 0x0u}},
     "89ece308f9d1f0131765212deca99697b112d61f9be9a5f1f3780a51335b3ff981747a0b2ca2179b96d2c0c9024e5"
     "224",
     "89380275bbc8e5dcea7dc4dd7e0550ff2ac480905396eda55062650f8d251c96eb480673937cc6d9d6a44aaa56ca6"
     "6dc"
     "122915c824a0857e2ee414a3dccb23ae691ae54329781315a0c75df1c04d6d7a50a030fc866f09d516020ef82324a"
     "fae"},
    {{{0xdeadbeefu, 0x0u, 0x0u, 0x0u}},
     "acccb5bab2944a1bdc721c97f3affa035d507c78fe442a9284982bd4c27617b33f1d46e8191a1eda03d73c357752d"
     "219",
     "a2910866ede42789c685af186234bfe4664e270ed447d2d142a159cf0cf9bac6c3789d558ea2e24b60e48ceb8b960"
     "fa8"
     "115fd914427334b6c45a823e1e011b6b2aa513f95fd64c956128fd631857945adf8aa7b0364ceea737c0671fd9392"
     "19e"},
    {{{0x9fb3ac7c04b0d366u, 0x59cb424a30b4d6a7u, 0x7b67f390a4550530u, 0x69e4a8826543fafdu}},
     "8358cf1b86ffde6ce76f86cbccd102b709230da025c852347076ad1631218c87063ea66ae23d5e5b9c6311e4a6847"
     "204",
     "899c6c5f069739b2237ad3f663c2272f3b2bf960490cd33836c038a6666d70487ebfe0944f7b4a31a75a764e2f92f"
     "3a6"
     "121159434265676802e04387fb5ccd4630d20a075cbcf376ff021e046314fc2160d95c0b2cc20019d120e9778ec00"
     "3c6"},
    {{{0xffffffff00000000u, 0x53bda402fffe5bfeu, 0x3339d80809a1d805u, 0x73eda753299d7d48u}},
     "b7f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c"
     "6bb",
     "b3e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042"
     "b7e"
     "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121b"
     "db8"},
};

static uint64_t rng_state = 0x9e3779b97f4a7c15u;

static uint64_t rng(void) /* splitmix64 */
{
    uint64_t x = rng_state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static fr_canon random_scalar(void)
{
    fr_canon k = {{rng(), rng(), rng(), rng() >> 2}};
    return k;
}

static fp random_fp(void)
{
    fp a = {{rng(), rng(), rng(), rng(), rng(), rng() >> 4}};
    return a;
}

static const fr_canon group_order = {
    {0xffffffff00000001u, 0x53bda402fffe5bfeu, 0x3339d80809a1d805u, 0x73eda753299d7d48u}};

static void known_multiples(void **state)
{
    (void)state;
    g1_jac p, g;
    g2_jac q, h;
    cuzk_g1_from_affine(&g, &cuzk_g1_generator);
    cuzk_g2_from_affine(&h, &cuzk_g2_generator);
    for (size_t i = 0; i < CUZK_ARRAY_LEN(known); i++) {
        uint8_t b[96];
        char text[193];
        g1_affine pa;
        g2_affine qa;
        cuzk_g1_mul(&p, &g, &known[i].k);
        cuzk_g1_to_affine(&pa, &p);
        cuzk_g1_write_compressed(b, &pa);
        cuzk_hex_encode(text, b, 48);
        assert_string_equal(text, known[i].g1);
        cuzk_g2_mul(&q, &h, &known[i].k);
        cuzk_g2_to_affine(&qa, &q);
        cuzk_g2_write_compressed(b, &qa);
        cuzk_hex_encode(text, b, 96);
        assert_string_equal(text, known[i].g2);
    }
}

/* A point of the whole curve, almost never of the subgroup: the first x from a random start on. */
static g1_affine any_g1(void)
{
    g1_affine p;
    fp four, t;
    cuzk_fp_from_u64(&four, 4);
    for (p.x = random_fp();; fp_add(&p.x, &p.x, &cuzk_fp_one)) {
        fp_sqr(&t, &p.x);
        fp_mul(&t, &t, &p.x);
        fp_add(&t, &t, &four);
        if (cuzk_fp_sqrt_vartime(&p.y, &t))
            return p;
    }
}

static g2_affine any_g2(void)
{
    g2_affine p;
    fp2 b, t;
    cuzk_fp_from_u64(&b.c0, 4);
    b.c1 = b.c0;
    p.x.c1 = random_fp();
    for (p.x.c0 = random_fp();; fp2_add(&p.x, &p.x, &cuzk_fp2_one)) {
        fp2_sqr(&t, &p.x);
        fp2_mul(&t, &t, &p.x);
        fp2_add(&t, &t, &b);
        if (cuzk_fp2_sqrt_vartime(&p.y, &t))
            return p;
    }
}

/* The laws below are the same program for both groups. */
#define AFFINE     g1_affine
#define JAC        g1_jac
#define FIELD      fp
#define T(name)    g1_##name
#define POP(op)    cuzk_g1_##op
#define POP_IN(op) g1_##op
#define ANY_POINT  any_g1
#include "curve_laws.inc"
#undef AFFINE
#undef JAC
#undef FIELD
#undef T
#undef POP
#undef POP_IN
#undef ANY_POINT
#define AFFINE     g2_affine
#define JAC        g2_jac
#define FIELD      fp2
#define T(name)    g2_##name
#define POP(op)    cuzk_g2_##op
#define POP_IN(op) g2_##op
#define ANY_POINT  any_g2
#include "curve_laws.inc"

/* (0, 2) has order 3: on the curve, outside of the subgroup. */
static void g1_small_order(void **state)
{
    (void)state;
    g1_affine p;
    g1_jac j, three;
    memset(&p, 0, sizeof p);
    cuzk_fp_from_u64(&p.y, 2);
    assert_true(cuzk_g1_affine_is_on_curve(&p));
    assert_false(cuzk_g1_affine_in_subgroup(&p));
    cuzk_g1_from_affine(&j, &p);
    cuzk_g1_mul(&three, &j, &(fr_canon){{3, 0, 0, 0}});
    assert_true(g1_is_identity(&three));
    cuzk_g1_dbl(&three, &j); /* 2 p = -p */
    cuzk_g1_neg(&j, &j);
    assert_true(cuzk_g1_eq(&three, &j));
}

/* The cofactor of G1, (z - 1)^2 / 3, brings every point into the subgroup. */
static void g1_cofactor(void **state)
{
    (void)state;
    const fr_canon h = {{0x8c00aaab0000aaabu, 0x396c8c005555e156u, 0, 0}};
    for (int i = 0; i < 10; i++) {
        g1_affine p = any_g1();
        g1_jac j;
        cuzk_g1_from_affine(&j, &p);
        cuzk_g1_mul(&j, &j, &h);
        cuzk_g1_to_affine(&p, &j);
        assert_true(cuzk_g1_affine_in_subgroup(&p));
    }
}

int main(void)
{
    printf("seed %#llx\n", (unsigned long long)rng_state);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_multiples),
        cmocka_unit_test(g1_laws),
        cmocka_unit_test(g1_special_cases),
        cmocka_unit_test(g1_small_multiples),
        cmocka_unit_test(g1_batch),
        cmocka_unit_test(g1_subgroup),
        cmocka_unit_test(g2_laws),
        cmocka_unit_test(g2_special_cases),
        cmocka_unit_test(g2_small_multiples),
        cmocka_unit_test(g2_batch),
        cmocka_unit_test(g2_subgroup),
        cmocka_unit_test(g1_small_order),
        cmocka_unit_test(g1_cofactor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

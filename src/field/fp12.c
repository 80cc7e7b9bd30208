/* Fp12: products, Frobenius, cyclotomic squaring. */
#include "field/fp12.h"

const fp12 cuzk_fp12_one = {{{{{0x760900000002fffdu, 0xebf4000bc40c0002u, 0x5f48985753c758bau,
                                0x77ce585370525745u, 0x5c071a97a256ec6du, 0x15f65ec3fa80e493u}},
                              {{0}}},
                             {{{0}}, {{0}}},
                             {{{0}}, {{0}}}},
                            {{{{0}}, {{0}}}, {{{0}}, {{0}}}, {{{0}}, {{0}}}}};

/* xi^(k (p - 1) / 6) for k = 1 ... 5: (w^k)^p = w^k times this. */
static const fp2 frobenius_of_w[5] = {
    {{{0x07089552b319d465u, 0xc6695f92b50a8313u, 0x97e83cccd117228fu, 0xa35baecab2dc29eeu,
       0x1ce393ea5daace4du, 0x08f2220fb0fb66ebu}},
     {{0xb2f66aad4ce5d646u, 0x5842a06bfc497cecu, 0xcf4895d42599d394u, 0xc11b9cba40a8e8d0u,
       0x2e3813cbe5a0de89u, 0x110eefda88847fafu}}},
    {{{0}},
     {{0xcd03c9e48671f071u, 0x5dab22461fcda5d2u, 0x587042afd3851b95u, 0x8eb60ebe01bacb9eu,
       0x03f97d6e83d050d2u, 0x18f0206554638741u}}},
    {{{0x7bcfa7a25aa30fdau, 0xdc17dec12a927e7cu, 0x2f088dd86b4ebef1u, 0xd1ca2087da74d4a7u,
       0x2da2596696cebc1du, 0x0e2b7eedbbfd87d2u}},
     {{0x7bcfa7a25aa30fdau, 0xdc17dec12a927e7cu, 0x2f088dd86b4ebef1u, 0xd1ca2087da74d4a7u,
       0x2da2596696cebc1du, 0x0e2b7eedbbfd87d2u}}},
    {{{0x890dc9e4867545c3u, 0x2af322533285a5d5u, 0x50880866309b7e2cu, 0xa20d1b8c7e881024u,
       0x14e4f04fe2db9068u, 0x14e56d3f1564853au}},
     {{0}}},
    {{{0x82d83cf50dbce43fu, 0xa2813e53df9d018fu, 0xc6f0caa53c65e181u, 0x7525cf528d50fe95u,
       0x4a85ed50f4798a6bu, 0x171da0fd6cf8eebdu}},
     {{0x3726c30af242c66cu, 0x7c2ac1aad1b6fe70u, 0xa04007fbba4b14a2u, 0xef517c3266341429u,
       0x0095ba654ed2226bu, 0x02e370eccc86f7ddu}}},
};

void cuzk_fp12_mul(fp12 *r, const fp12 *a, const fp12 *b)
{
    fp6 v0, v1, s, t;
    cuzk_fp6_mul(&v0, &a->c0, &b->c0);
    cuzk_fp6_mul(&v1, &a->c1, &b->c1);
    fp6_add(&s, &a->c0, &a->c1);
    fp6_add(&t, &b->c0, &b->c1);
    cuzk_fp6_mul(&s, &s, &t);
    fp6_sub(&s, &s, &v0);
    fp6_sub(&r->c1, &s, &v1);
    fp6_mul_v(&v1, &v1);
    fp6_add(&r->c0, &v0, &v1);
}

/* With m = c0 c1: (c0 + c1)(c0 + v c1) - m - v m + 2 m w. */
void cuzk_fp12_sqr(fp12 *r, const fp12 *a)
{
    fp6 m, s, t;
    cuzk_fp6_mul(&m, &a->c0, &a->c1);
    fp6_add(&s, &a->c0, &a->c1);
    fp6_mul_v(&t, &a->c1);
    fp6_add(&t, &t, &a->c0);
    cuzk_fp6_mul(&s, &s, &t);
    fp6_sub(&s, &s, &m);
    fp6_mul_v(&t, &m);
    fp6_sub(&r->c0, &s, &t);
    fp6_add(&r->c1, &m, &m);
}

void cuzk_fp12_mul_by_014(fp12 *r, const fp12 *a, const fp2 *b0, const fp2 *b1, const fp2 *b4)
{
    fp6 v0, v1, s;
    fp2 b14;
    cuzk_fp6_mul_by_01(&v0, &a->c0, b0, b1);
    cuzk_fp6_mul_by_1(&v1, &a->c1, b4);
    fp2_add(&b14, b1, b4);
    fp6_add(&s, &a->c0, &a->c1);
    cuzk_fp6_mul_by_01(&s, &s, b0, &b14);
    fp6_sub(&s, &s, &v0);
    fp6_sub(&r->c1, &s, &v1);
    fp6_mul_v(&v1, &v1);
    fp6_add(&r->c0, &v0, &v1);
}

/* (c0 - c1 w) / (c0^2 - v c1^2) */
void cuzk_fp12_inv_vartime(fp12 *r, const fp12 *a)
{
    fp6 s, t;
    cuzk_fp6_mul(&s, &a->c0, &a->c0);
    cuzk_fp6_mul(&t, &a->c1, &a->c1);
    fp6_mul_v(&t, &t);
    fp6_sub(&s, &s, &t);
    cuzk_fp6_inv_vartime(&s, &s);
    cuzk_fp6_mul(&r->c0, &a->c0, &s);
    fp6_neg(&s, &s);
    cuzk_fp6_mul(&r->c1, &a->c1, &s);
}

void cuzk_fp12_frobenius(fp12 *r, const fp12 *a)
{
    *r = *a;
    fp2 *power_of_w[6] = {&r->c0.c0, &r->c1.c0, &r->c0.c1, &r->c1.c1, &r->c0.c2, &r->c1.c2};
    fp2_conj(power_of_w[0], power_of_w[0]);
    for (int k = 1; k < 6; k++) {
        fp2_conj(power_of_w[k], power_of_w[k]);
        fp2_mul(power_of_w[k], power_of_w[k], &frobenius_of_w[k - 1]);
    }
}

/* (a + b s)^2 = *x + *y s in Fp4 = Fp2[s]/(s^2 - xi) */
static void fp4_sqr(fp2 *x, fp2 *y, const fp2 *a, const fp2 *b)
{
    fp2 aa, bb, s;
    fp2_add(&s, a, b);
    fp2_sqr(&aa, a);
    fp2_sqr(&bb, b);
    fp2_sqr(&s, &s);
    fp2_sub(&s, &s, &aa);
    fp2_sub(y, &s, &bb);
    fp2_mul_xi(&bb, &bb);
    fp2_add(x, &aa, &bb);
}

/* r = 3 t - 2 a */
static void three_minus_two(fp2 *r, const fp2 *t, const fp2 *a)
{
    fp2 d;
    fp2_sub(&d, t, a);
    fp2_dbl(&d, &d);
    fp2_add(r, &d, t);
}

/* r = 3 t + 2 a */
static void three_plus_two(fp2 *r, const fp2 *t, const fp2 *a)
{
    fp2 d;
    fp2_add(&d, t, a);
    fp2_dbl(&d, &d);
    fp2_add(r, &d, t);
}

/* [GS10] section 3.2: in the cyclotomic subgroup a square costs three squares of Fp4. */
void cuzk_fp12_cyclotomic_sqr(fp12 *r, const fp12 *a)
{
    fp2 x0, y0, x1, y1, x2, y2;
    fp4_sqr(&x0, &y0, &a->c0.c0, &a->c1.c1);
    fp4_sqr(&x1, &y1, &a->c1.c0, &a->c0.c2);
    fp4_sqr(&x2, &y2, &a->c0.c1, &a->c1.c2);
    fp2_mul_xi(&y2, &y2);
    three_minus_two(&r->c0.c0, &x0, &a->c0.c0);
    three_plus_two(&r->c1.c1, &y0, &a->c1.c1);
    three_minus_two(&r->c0.c1, &x1, &a->c0.c1);
    three_plus_two(&r->c1.c2, &y1, &a->c1.c2);
    three_minus_two(&r->c0.c2, &x2, &a->c0.c2);
    three_plus_two(&r->c1.c0, &y2, &a->c1.c0);
}

void cuzk_fp12_pow_vartime(fp12 *r, const fp12 *a, const uint64_t e[], int n_limbs)
{
    fp12 base = *a, acc = cuzk_fp12_one;
    for (int i = 64 * n_limbs - 1; i >= 0; i--) {
        cuzk_fp12_sqr(&acc, &acc);
        if (e[i / 64] >> (i % 64) & 1)
            cuzk_fp12_mul(&acc, &acc, &base);
    }
    *r = acc;
}

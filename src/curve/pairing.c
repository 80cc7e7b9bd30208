/* Optimal ate pairing e(P, Q) = f_{z,Q}(P)^(3 (p^12 - 1) / r), z = -0xd201000000010000.
 *
 * Q stays on the twist y^2 = x^3 + 4 xi in Jacobian coordinates. Untwisting (x, y) ->
 * (x / w^2, y / w^3) turns a line of slope l through (x, y), evaluated at P = (xp, yp), into
 * yp + (l x - y) / w^3 - l xp / w. Everything is multiplied by w^3 and by denominators in Fp2, all
 * of which lie in Fp4 and vanish in the final exponentiation: (l x - y) - l xp w^2 + yp w^3, that
 * is coefficients at 1, v and v w.
 */
#include "curve/pairing.h"

#include "curve/scalar.h"

#define BLOCK 16 /* pairs that share the squarings of one loop; bounds the stack */

typedef struct {
    g2_jac t; /* running multiple of q */
    const g1_affine *p;
    const g2_affine *q;
} pair;

typedef struct {
    fp2 c0, c1, c4;
} line;

/* Doubles t and gives the tangent: slope 3 X^2 / (2 Y Z), scaled by 2 Y Z^3. */
static void double_step(line *l, g2_jac *t)
{
    fp2 a, b, c, d, e, z2;
    fp2_sqr(&a, &t->x);
    fp2_sqr(&b, &t->y);
    fp2_sqr(&c, &b);
    fp2_sqr(&z2, &t->z);
    fp2_dbl(&e, &a);
    fp2_add(&e, &e, &a); /* 3 X^2 */
    fp2_mul(&l->c0, &e, &t->x);
    fp2_sub(&l->c0, &l->c0, &b);
    fp2_sub(&l->c0, &l->c0, &b); /* 3 X^3 - 2 Y^2 */
    fp2_mul(&l->c1, &e, &z2);
    fp2_neg(&l->c1, &l->c1);

    fp2_mul(&d, &t->x, &b);
    fp2_dbl(&d, &d);
    fp2_dbl(&d, &d);
    fp2_mul(&t->z, &t->y, &t->z);
    fp2_dbl(&t->z, &t->z);
    fp2_mul(&l->c4, &t->z, &z2);
    fp2_sqr(&t->x, &e);
    fp2_sub(&t->x, &t->x, &d);
    fp2_sub(&t->x, &t->x, &d);
    fp2_sub(&d, &d, &t->x);
    fp2_mul(&d, &d, &e);
    fp2_dbl(&c, &c);
    fp2_dbl(&c, &c);
    fp2_dbl(&c, &c);
    fp2_sub(&t->y, &d, &c);
}

/* Adds q to t (t != +-q inside the loop: t = k q with 1 < k < r - 1) and gives the chord: slope
 * R / Z3, scaled by Z3. */
static void add_step(line *l, g2_jac *t, const g2_affine *q)
{
    fp2 z2, h, rr, h2, h3, v;
    fp2_sqr(&z2, &t->z);
    fp2_mul(&h, &q->x, &z2);
    fp2_sub(&h, &h, &t->x);
    fp2_mul(&rr, &q->y, &t->z);
    fp2_mul(&rr, &rr, &z2);
    fp2_sub(&rr, &rr, &t->y);
    fp2_mul(&t->z, &t->z, &h);

    fp2_mul(&l->c0, &rr, &q->x);
    fp2_mul(&v, &q->y, &t->z);
    fp2_sub(&l->c0, &l->c0, &v);
    fp2_neg(&l->c1, &rr);
    l->c4 = t->z;

    fp2_sqr(&h2, &h);
    fp2_mul(&h3, &h2, &h);
    fp2_mul(&v, &t->x, &h2);
    fp2_sqr(&t->x, &rr);
    fp2_sub(&t->x, &t->x, &h3);
    fp2_sub(&t->x, &t->x, &v);
    fp2_sub(&t->x, &t->x, &v);
    fp2_sub(&v, &v, &t->x);
    fp2_mul(&v, &v, &rr);
    fp2_mul(&h3, &h3, &t->y);
    fp2_sub(&t->y, &v, &h3);
}

static void absorb(fp12 *f, line *l, const g1_affine *p)
{
    fp2_mul_fp(&l->c1, &l->c1, &p->x);
    fp2_mul_fp(&l->c4, &l->c4, &p->y);
    cuzk_fp12_mul_by_014(f, f, &l->c0, &l->c1, &l->c4);
}

static void miller_block(fp12 *f, pair pairs[], size_t n)
{
    line l;
    *f = cuzk_fp12_one;
    for (int i = 62; i >= 0; i--) { /* bit 63 is t = q */
        if (i != 62)
            cuzk_fp12_sqr(f, f);
        for (size_t j = 0; j < n; j++) {
            double_step(&l, &pairs[j].t);
            absorb(f, &l, pairs[j].p);
            if (BLS_ABS_Z >> i & 1) {
                add_step(&l, &pairs[j].t, pairs[j].q);
                absorb(f, &l, pairs[j].p);
            }
        }
    }
    fp12_conj(f, f); /* z < 0 */
}

void cuzk_miller_loop(fp12 *out, const g1_affine p[], const g2_affine q[], size_t n)
{
    pair pairs[BLOCK];
    fp12 f, acc = cuzk_fp12_one;
    size_t n_pairs = 0;
    for (size_t i = 0; i < n; i++) {
        if (!g1_affine_is_identity(&p[i]) && !g2_affine_is_identity(&q[i])) {
            cuzk_g2_from_affine(&pairs[n_pairs].t, &q[i]);
            pairs[n_pairs].p = &p[i];
            pairs[n_pairs++].q = &q[i];
        }
        if (n_pairs == BLOCK || (i + 1 == n && n_pairs)) {
            miller_block(&f, pairs, n_pairs);
            cuzk_fp12_mul(&acc, &acc, &f);
            n_pairs = 0;
        }
    }
    *out = acc;
}

/* a^z for a of the cyclotomic subgroup */
static void pow_z(fp12 *r, const fp12 *a)
{
    fp12 base = *a, acc = *a;
    for (int i = 62; i >= 0; i--) {
        cuzk_fp12_cyclotomic_sqr(&acc, &acc);
        if (BLS_ABS_Z >> i & 1)
            cuzk_fp12_mul(&acc, &acc, &base);
    }
    fp12_conj(r, &acc);
}

/* a^(z - 1) */
static void pow_z_minus_1(fp12 *r, const fp12 *a)
{
    fp12 t, inv;
    fp12_conj(&inv, a);
    pow_z(&t, a);
    cuzk_fp12_mul(r, &t, &inv);
}

/* f^((p^6 - 1)(p^2 + 1)), which lies in the cyclotomic subgroup */
static void easy_part(fp12 *r, const fp12 *f)
{
    fp12 t, inv;
    cuzk_fp12_inv_vartime(&inv, f);
    fp12_conj(&t, f);
    cuzk_fp12_mul(&t, &t, &inv);
    cuzk_fp12_frobenius(&inv, &t);
    cuzk_fp12_frobenius(&inv, &inv);
    cuzk_fp12_mul(r, &inv, &t);
}

/* [HHT20]: 3 (p^4 - p^2 + 1) / r = (z - 1)^2 (z + p) (z^2 + p^2 - 1) + 3. */
void cuzk_final_exp(fp12 *out, const fp12 *f)
{
    fp12 m, a, b, c;
    easy_part(&m, f);
    pow_z_minus_1(&a, &m);
    pow_z_minus_1(&a, &a);
    pow_z(&b, &a);
    cuzk_fp12_frobenius(&a, &a);
    cuzk_fp12_mul(&a, &a, &b); /* m^((z-1)^2 (z+p)) */
    pow_z(&b, &a);
    pow_z(&b, &b);
    cuzk_fp12_frobenius(&c, &a);
    cuzk_fp12_frobenius(&c, &c);
    cuzk_fp12_mul(&b, &b, &c);
    fp12_conj(&a, &a);
    cuzk_fp12_mul(&b, &b, &a);
    cuzk_fp12_cyclotomic_sqr(&c, &m);
    cuzk_fp12_mul(&c, &c, &m);
    cuzk_fp12_mul(out, &b, &c);
}

void cuzk_pairing(fp12 *out, const g1_affine *p, const g2_affine *q)
{
    fp12 f;
    cuzk_miller_loop(&f, p, q, 1);
    cuzk_final_exp(out, &f);
}

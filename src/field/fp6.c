/* Fp6: products and inversion. */
#include "field/fp6.h"

/* (a + b)(c + d) - x - y */
static void cross(fp2 *r, const fp2 *a, const fp2 *b, const fp2 *c, const fp2 *d, const fp2 *x,
                  const fp2 *y)
{
    fp2 s, t;
    fp2_add(&s, a, b);
    fp2_add(&t, c, d);
    fp2_mul(&s, &s, &t);
    fp2_sub(&s, &s, x);
    fp2_sub(r, &s, y);
}

/* Karatsuba on each pair: six products of Fp2. */
void cuzk_fp6_mul(fp6 *r, const fp6 *a, const fp6 *b)
{
    fp2 v0, v1, v2, t0, t1, t2;
    fp2_mul(&v0, &a->c0, &b->c0);
    fp2_mul(&v1, &a->c1, &b->c1);
    fp2_mul(&v2, &a->c2, &b->c2);
    cross(&t0, &a->c1, &a->c2, &b->c1, &b->c2, &v1, &v2);
    cross(&t1, &a->c0, &a->c1, &b->c0, &b->c1, &v0, &v1);
    cross(&t2, &a->c0, &a->c2, &b->c0, &b->c2, &v0, &v2);
    fp2_mul_xi(&t0, &t0);
    fp2_add(&r->c0, &v0, &t0);
    fp2_add(&r->c2, &t2, &v1);
    fp2_mul_xi(&v2, &v2);
    fp2_add(&r->c1, &t1, &v2);
}

void cuzk_fp6_mul_by_01(fp6 *r, const fp6 *a, const fp2 *b0, const fp2 *b1)
{
    fp2 v0, v1, t0, t1, t2;
    fp2_mul(&v0, &a->c0, b0);
    fp2_mul(&v1, &a->c1, b1);
    fp2_mul(&t0, &a->c2, b1);
    fp2_mul(&t2, &a->c2, b0);
    cross(&t1, &a->c0, &a->c1, b0, b1, &v0, &v1);
    fp2_mul_xi(&t0, &t0);
    fp2_add(&r->c0, &v0, &t0);
    r->c1 = t1;
    fp2_add(&r->c2, &t2, &v1);
}

void cuzk_fp6_mul_by_1(fp6 *r, const fp6 *a, const fp2 *b1)
{
    fp2 t;
    fp2_mul(&t, &a->c2, b1);
    fp2_mul(&r->c2, &a->c1, b1);
    fp2_mul(&r->c1, &a->c0, b1);
    fp2_mul_xi(&r->c0, &t);
}

/* [BGMORT10] section 3.2: with A = c0^2 - xi c1 c2, B = xi c2^2 - c0 c1, C = c1^2 - c0 c2 the
 * inverse is (A + B v + C v^2) / (c0 A + xi (c2 B + c1 C)). */
void cuzk_fp6_inv_vartime(fp6 *r, const fp6 *a)
{
    fp2 ca, cb, cc, t, d;
    fp2_mul(&t, &a->c1, &a->c2);
    fp2_mul_xi(&t, &t);
    fp2_sqr(&ca, &a->c0);
    fp2_sub(&ca, &ca, &t);
    fp2_sqr(&cb, &a->c2);
    fp2_mul_xi(&cb, &cb);
    fp2_mul(&t, &a->c0, &a->c1);
    fp2_sub(&cb, &cb, &t);
    fp2_sqr(&cc, &a->c1);
    fp2_mul(&t, &a->c0, &a->c2);
    fp2_sub(&cc, &cc, &t);
    fp2_mul(&d, &a->c2, &cb);
    fp2_mul(&t, &a->c1, &cc);
    fp2_add(&d, &d, &t);
    fp2_mul_xi(&d, &d);
    fp2_mul(&t, &a->c0, &ca);
    fp2_add(&d, &d, &t);
    cuzk_fp2_inv_vartime(&d, &d);
    fp2_mul(&r->c0, &ca, &d);
    fp2_mul(&r->c1, &cb, &d);
    fp2_mul(&r->c2, &cc, &d);
}

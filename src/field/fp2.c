/* Fp2: inversion, square root, sign. */
#include "field/fp2.h"

const fp2 cuzk_fp2_one = {{{0x760900000002fffdu, 0xebf4000bc40c0002u, 0x5f48985753c758bau,
                            0x77ce585370525745u, 0x5c071a97a256ec6du, 0x15f65ec3fa80e493u}},
                          {{0}}};

static const fp half = {{0x1804000000015554u, 0x855000053ab00001u, 0x633cb57c253c276fu,
                         0x6e22d1ec31ebb502u, 0xd3916126f2d14ca2u, 0x17fbb8571a006596u}};

/* c0^2 + c1^2 */
static void norm(fp *r, const fp2 *a)
{
    fp t;
    fp_sqr(&t, &a->c1);
    fp_sqr(r, &a->c0);
    fp_add(r, r, &t);
}

void cuzk_fp2_inv_vartime(fp2 *r, const fp2 *a)
{
    fp n;
    norm(&n, a);
    cuzk_fp_inv_vartime(&n, &n);
    fp_mul(&r->c0, &a->c0, &n);
    fp_neg(&n, &n);
    fp_mul(&r->c1, &a->c1, &n);
}

/* Root of a + 0 u: -1 is no square in Fp, so just one of a and -a is one (or a is 0). */
static bool sqrt_of_base_field(fp2 *r, const fp *a)
{
    fp root, minus;
    fp_neg(&minus, a);
    memset(r, 0, sizeof *r);
    if (cuzk_fp_sqrt_vartime(&root, a)) {
        r->c0 = root;
        return true;
    }
    bool ok = cuzk_fp_sqrt_vartime(&root, &minus);
    r->c1 = root;
    return ok;
}

/* With (x + y u)^2 = a: x^2 = (c0 +- sqrt(norm a)) / 2 and y = c1 / 2x. c1 != 0 makes x != 0, and
 * just one of the two signs gives a square, because their product -c1^2/4 is no square. */
bool cuzk_fp2_sqrt_vartime(fp2 *r, const fp2 *a)
{
    fp c1 = a->c1, n, t, x;
    if (fp_is_zero(&c1)) {
        fp c0 = a->c0;
        return sqrt_of_base_field(r, &c0);
    }
    norm(&n, a);
    if (!cuzk_fp_sqrt_vartime(&n, &n))
        return false;
    fp_add(&t, &a->c0, &n);
    fp_mul(&t, &t, &half);
    if (!cuzk_fp_sqrt_vartime(&x, &t)) {
        fp_sub(&t, &t, &n);
        if (!cuzk_fp_sqrt_vartime(&x, &t))
            return false;
    }
    r->c0 = x;
    fp_dbl(&t, &x);
    cuzk_fp_inv_vartime(&t, &t);
    fp_mul(&r->c1, &c1, &t);
    return true;
}

void cuzk_fp2_batch_inv_vartime(fp2 a[], size_t n, fp2 scratch[])
{
    fp2 acc = cuzk_fp2_one;
    for (size_t i = 0; i < n; i++) {
        scratch[i] = acc;
        if (!fp2_is_zero(&a[i]))
            fp2_mul(&acc, &acc, &a[i]);
    }
    cuzk_fp2_inv_vartime(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (fp2_is_zero(&a[i]))
            continue;
        fp2 t;
        fp2_mul(&t, &acc, &scratch[i]);
        fp2_mul(&acc, &acc, &a[i]);
        a[i] = t;
    }
}

bool cuzk_fp2_is_larger_root(const fp2 *a)
{
    return cuzk_fp_is_larger_root(fp_is_zero(&a->c1) ? &a->c0 : &a->c1);
}

/* Fp: constants and the operations that are not worth inlining. */
#include "field/fp.h"

#include "base/cpu.h"
#include "field/gcd.h"
#if defined(__x86_64__)
#include "field/x86/adx.h"
#endif

const uint64_t cuzk_fp_modulus[6] = {0xb9feffffffffaaabu, 0x1eabfffeb153ffffu, 0x6730d2a0f6b0f624u,
                                     0x64774b84f38512bfu, 0x4b1ba7b6434bacd7u, 0x1a0111ea397fe69au};
const fp cuzk_fp_one = {{0x760900000002fffdu, 0xebf4000bc40c0002u, 0x5f48985753c758bau,
                         0x77ce585370525745u, 0x5c071a97a256ec6du, 0x15f65ec3fa80e493u}};

#define FP_INV 0x89f3fffcfffcfffdu /* -1/p mod 2^64 */

static const fp r_squared = {{0xf4df1f341c341746u, 0x0a76e6a609d104f1u, 0x8de5476c4c95b6d5u,
                              0x67eb88a9939d83c0u, 0x9a793e85b519952du, 0x11988fe592cae3aau}};
static const gcd_modulus gcd_p = {{0x39feffffffffaaab, 0x3aaffffac54ffffe, 0x330d2a0f6b0f6241,
                                   0x1dd2e13ce144afd9, 0x1ba7b6434bacd764, 0x0447a8e5ff9a692c,
                                   0x1a0},
                                  0x360c000300030003u};
/* (p + 1) / 4: p = 3 mod 4, so a^((p+1)/4) is a root of every square */
static const uint64_t sqrt_exponent[6] = {0xee7fbfffffffeaabu, 0x07aaffffac54ffffu,
                                          0xd9cc34a83dac3d89u, 0xd91dd2e13ce144afu,
                                          0x92c6e9ed90d2eb35u, 0x0680447a8e5ff9a6u};

static void fp_mul_generic(fp *r, const fp *a, const fp *b)
{
    mont_mul(r->l, a->l, b->l, cuzk_fp_modulus, FP_INV, 6);
}

static void fp_sqr_generic(fp *r, const fp *a)
{
    mont_mul(r->l, a->l, a->l, cuzk_fp_modulus, FP_INV, 6);
}

fp_ops cuzk_fp_ops = {fp_mul_generic, fp_sqr_generic};
const fp_ops cuzk_fp_generic = {fp_mul_generic, fp_sqr_generic};

#if defined(__x86_64__)
/* Here and not in a file of its own: a static link would leave out a file that nobody refers to. */
CUZK_CONSTRUCTOR static void choose_path(void)
{
    if (cuzk_cpu_active() != CUZK_CPU_GENERIC)
        cuzk_fp_ops = (fp_ops){cuzk_fp_mul_adx, cuzk_fp_sqr_adx};
}
#endif

void cuzk_fp_from_u64(fp *r, uint64_t a)
{
    fp t = {{a, 0, 0, 0, 0, 0}};
    fp_mul(r, &t, &r_squared);
}

static uint64_t load_be64(const uint8_t *b)
{
    uint64_t x = 0;
    for (int i = 0; i < 8; i++)
        x = x << 8 | b[i];
    return x;
}

bool cuzk_fp_from_bytes(fp *r, const uint8_t b[48])
{
    fp t;
    for (int i = 0; i < 6; i++)
        t.l[i] = load_be64(b + 8 * (5 - i));
    if (!limbs_lt(t.l, cuzk_fp_modulus, 6))
        return false;
    fp_mul(r, &t, &r_squared);
    return true;
}

void cuzk_fp_to_bytes(uint8_t b[48], const fp *a)
{
    uint64_t t[6];
    mont_from(t, a->l, cuzk_fp_modulus, FP_INV, 6);
    for (int i = 0; i < 48; i++)
        b[47 - i] = (uint8_t)(t[i / 8] >> (8 * (i % 8)));
}

bool cuzk_fp_is_larger_root(const fp *a)
{
    fp neg;
    uint64_t x[6], y[6];
    fp_neg(&neg, a);
    mont_from(x, a->l, cuzk_fp_modulus, FP_INV, 6);
    mont_from(y, neg.l, cuzk_fp_modulus, FP_INV, 6);
    return limbs_lt(y, x, 6);
}

/* Windows of four bits: 96 products beside the 384 squares. */
void cuzk_fp_pow(fp *r, const fp *a, const uint64_t e[6])
{
    fp power[16], acc = cuzk_fp_one;
    power[0] = acc;
    for (int i = 1; i < 16; i++)
        fp_mul(&power[i], &power[i - 1], a);
    for (int i = 380; i >= 0; i -= 4) {
        for (int j = 0; j < 4; j++)
            fp_sqr(&acc, &acc);
        unsigned digit = e[i / 64] >> (i % 64) & 15;
        if (digit)
            fp_mul(&acc, &acc, &power[digit]);
    }
    *r = acc;
}

/* a holds a' R, R = 2^384: R^2 / (a' R) = R / a' is the Montgomery form of the inverse. */
void cuzk_fp_inv_vartime(fp *r, const fp *a)
{
    gcd_invert(r->l, a->l, r_squared.l, &gcd_p, 7, 6);
}

bool cuzk_fp_sqrt_vartime(fp *r, const fp *a)
{
    fp root, check;
    cuzk_fp_pow(&root, a, sqrt_exponent);
    fp_sqr(&check, &root);
    bool ok = fp_eq(&check, a);
    *r = root;
    return ok;
}

void cuzk_fp_batch_inv_vartime(fp a[], size_t n, fp scratch[])
{
    fp acc = cuzk_fp_one;
    for (size_t i = 0; i < n; i++) {
        scratch[i] = acc;
        if (!fp_is_zero(&a[i]))
            fp_mul(&acc, &acc, &a[i]);
    }
    cuzk_fp_inv_vartime(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (fp_is_zero(&a[i]))
            continue;
        fp t;
        fp_mul(&t, &acc, &scratch[i]);
        fp_mul(&acc, &acc, &a[i]);
        a[i] = t;
    }
}

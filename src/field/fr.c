/* Fr: constants and the operations that are not worth inlining. */
#include "field/fr.h"

#include "base/cpu.h"
#include "field/gcd.h"
#if defined(__x86_64__)
#include "field/x86/adx.h"
#endif

const uint64_t cuzk_fr_modulus[4] = {0xffffffff00000001u, 0x53bda402fffe5bfeu, 0x3339d80809a1d805u,
                                     0x73eda753299d7d48u};
const fr cuzk_fr_one = {
    {0x00000001fffffffeu, 0x5884b7fa00034802u, 0x998c4fefecbc4ff5u, 0x1824b159acc5056fu}};
const fr cuzk_fr_root_of_unity = {
    {0xb9b58d8c5f0e466au, 0x5b1b4c801819d7ecu, 0x0af53ae352a31e64u, 0x5bf3adda19e9b27bu}};

#define FR_INV 0xfffffffeffffffffu /* -1/r mod 2^64 */

static const fr r_squared = {
    {0xc999e990f3f29c6du, 0x2b6cedcb87925c23u, 0x05d314967254398fu, 0x0748d9d99f59ff11u}};
static const gcd_modulus gcd_r = {
    {0x3fffffff00000001, 0x0ef6900bfff96ffb, 0x339d80809a1d8055, 0x3b69d4ca675f520c, 0x73},
    0x0000000100000001u};

static void fr_mul_generic(fr *r, const fr *a, const fr *b)
{
    mont_mul(r->l, a->l, b->l, cuzk_fr_modulus, FR_INV, 4);
}

static void fr_sqr_generic(fr *r, const fr *a)
{
    mont_mul(r->l, a->l, a->l, cuzk_fr_modulus, FR_INV, 4);
}

fr_ops cuzk_fr_ops = {fr_mul_generic, fr_sqr_generic};
const fr_ops cuzk_fr_generic = {fr_mul_generic, fr_sqr_generic};

#if defined(__x86_64__)
/* Here and not in a file of its own: a static link would leave out a file that nobody refers to. */
CUZK_CONSTRUCTOR static void choose_path(void)
{
    if (cuzk_cpu_active() != CUZK_CPU_GENERIC)
        cuzk_fr_ops = (fr_ops){cuzk_fr_mul_adx, cuzk_fr_sqr_adx};
}
#endif

void cuzk_fr_to_canon(fr_canon *r, const fr *a)
{
    mont_from(r->l, a->l, cuzk_fr_modulus, FR_INV, 4);
}

void cuzk_fr_from_canon(fr *r, const fr_canon *a)
{
    fr t; /* a < 2^256 < 3r: the product with R^2 is right for any a, and comes out < r */
    memcpy(t.l, a->l, sizeof t.l);
    fr_mul_generic(r, &t, &r_squared);
}

void cuzk_fr_from_u64(fr *r, uint64_t a)
{
    fr_canon c = {{a, 0, 0, 0}};
    cuzk_fr_from_canon(r, &c);
}

static uint64_t load_le64(const uint8_t *b)
{
    uint64_t x = 0;
    for (int i = 7; i >= 0; i--)
        x = x << 8 | b[i];
    return x;
}

bool cuzk_fr_from_bytes(fr *r, const uint8_t b[32])
{
    fr_canon c;
    for (int i = 0; i < 4; i++)
        c.l[i] = load_le64(b + 8 * i);
    cuzk_fr_from_canon(r, &c);
    return limbs_lt(c.l, cuzk_fr_modulus, 4);
}

void cuzk_fr_from_bytes_mod(fr *r, const uint8_t b[32])
{
    (void)cuzk_fr_from_bytes(r, b);
}

void cuzk_fr_to_bytes(uint8_t b[32], const fr *a)
{
    fr_canon c;
    cuzk_fr_to_canon(&c, a);
    for (int i = 0; i < 32; i++)
        b[i] = (uint8_t)(c.l[i / 8] >> (8 * (i % 8)));
}

void cuzk_fr_pow(fr *r, const fr *a, const uint64_t e[4])
{
    fr base = *a, acc = cuzk_fr_one;
    for (int i = 255; i >= 0; i--) {
        fr_sqr(&acc, &acc);
        if (e[i / 64] >> (i % 64) & 1)
            fr_mul(&acc, &acc, &base);
    }
    *r = acc;
}

void cuzk_fr_pow_u64(fr *r, const fr *a, uint64_t e)
{
    fr base = *a, acc = cuzk_fr_one;
    for (; e; e >>= 1) {
        if (e & 1)
            fr_mul(&acc, &acc, &base);
        fr_sqr(&base, &base);
    }
    *r = acc;
}

/* a holds a' R, R = 2^256: R^2 / (a' R) = R / a' is the Montgomery form of the inverse. */
void cuzk_fr_inv_vartime(fr *r, const fr *a)
{
    gcd_invert(r->l, a->l, r_squared.l, &gcd_r, 5, 4);
}

void cuzk_fr_batch_inv_vartime(fr a[], size_t n, fr scratch[])
{
    fr acc = cuzk_fr_one;
    for (size_t i = 0; i < n; i++) {
        scratch[i] = acc;
        if (!fr_is_zero(&a[i]))
            fr_mul(&acc, &acc, &a[i]);
    }
    cuzk_fr_inv_vartime(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (fr_is_zero(&a[i]))
            continue;
        fr t;
        fr_mul(&t, &acc, &scratch[i]);
        fr_mul(&acc, &acc, &a[i]);
        a[i] = t;
    }
}

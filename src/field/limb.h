/* Multi-limb arithmetic shared by Fr (4 limbs) and Fp (6 limbs): the portable reference.
 *
 * Limbs are 64-bit, least significant first. n is a constant at every call, so that the compiler
 * unrolls the loops. r may alias a and b everywhere. Values are fully reduced (< m) in and out.
 */
#ifndef CUZK_FIELD_LIMB_H
#define CUZK_FIELD_LIMB_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

#define LIMBS_MAX 6

/* a + b + *carry; *carry in {0, 1} in and out. */
CUZK_INLINE uint64_t limb_adc(uint64_t a, uint64_t b, uint64_t *carry)
{
    cuzk_u128 t = (cuzk_u128)a + b + *carry;
    *carry = (uint64_t)(t >> 64);
    return (uint64_t)t;
}

/* a - b - *borrow; *borrow in {0, 1} in and out. */
CUZK_INLINE uint64_t limb_sbb(uint64_t a, uint64_t b, uint64_t *borrow)
{
    cuzk_u128 t = (cuzk_u128)a - b - *borrow;
    *borrow = (uint64_t)(t >> 64) & 1;
    return (uint64_t)t;
}

/* a * b + c + *carry; cannot overflow 128 bits: (2^64-1)^2 + 2(2^64-1) = 2^128 - 1. */
CUZK_INLINE uint64_t limb_mac(uint64_t a, uint64_t b, uint64_t c, uint64_t *carry)
{
    cuzk_u128 t = (cuzk_u128)a * b + c + *carry;
    *carry = (uint64_t)(t >> 64);
    return (uint64_t)t;
}

CUZK_INLINE bool limbs_is_zero(const uint64_t *a, int n)
{
    uint64_t t = 0;
    for (int i = 0; i < n; i++)
        t |= a[i];
    return t == 0;
}

CUZK_INLINE bool limbs_eq(const uint64_t *a, const uint64_t *b, int n)
{
    uint64_t t = 0;
    for (int i = 0; i < n; i++)
        t |= a[i] ^ b[i];
    return t == 0;
}

/* a < b */
CUZK_INLINE bool limbs_lt(const uint64_t *a, const uint64_t *b, int n)
{
    uint64_t borrow = 0;
    for (int i = 0; i < n; i++)
        limb_sbb(a[i], b[i], &borrow);
    return borrow != 0;
}

/* r = t - m if t >= m (t including the word hi above it), else t. */
CUZK_INLINE void limbs_reduce_once(uint64_t *r, const uint64_t *t, uint64_t hi, const uint64_t *m,
                                   int n)
{
    uint64_t d[LIMBS_MAX], borrow = 0;
    for (int i = 0; i < n; i++)
        d[i] = limb_sbb(t[i], m[i], &borrow);
    uint64_t keep = (uint64_t)0 - (uint64_t)(borrow > hi); /* all ones: t < m */
    for (int i = 0; i < n; i++)
        r[i] = (t[i] & keep) | (d[i] & ~keep);
}

CUZK_INLINE void mod_add_c(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *m,
                           int n)
{
    uint64_t t[LIMBS_MAX], carry = 0;
    for (int i = 0; i < n; i++)
        t[i] = limb_adc(a[i], b[i], &carry);
    /* both moduli leave at least one free top bit, so carry is 0 here */
    limbs_reduce_once(r, t, 0, m, n);
}

CUZK_INLINE void mod_sub_c(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *m,
                           int n)
{
    uint64_t t[LIMBS_MAX], borrow = 0, carry = 0;
    for (int i = 0; i < n; i++)
        t[i] = limb_sbb(a[i], b[i], &borrow);
    uint64_t mask = (uint64_t)0 - borrow;
    for (int i = 0; i < n; i++)
        r[i] = limb_adc(t[i], m[i] & mask, &carry);
}

#if defined(__x86_64__) && !defined(__CUDACC__)
#include "field/x86/addsub.h"

CUZK_INLINE void mod_add(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *m,
                         int n)
{
    n == 6 ? add6_x86(r, a, b, m) : add4_x86(r, a, b, m);
}

CUZK_INLINE void mod_sub(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *m,
                         int n)
{
    n == 6 ? sub6_x86(r, a, b, m) : sub4_x86(r, a, b, m);
}
#else
CUZK_INLINE void mod_add(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *m,
                         int n)
{
    mod_add_c(r, a, b, m, n);
}

CUZK_INLINE void mod_sub(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *m,
                         int n)
{
    mod_sub_c(r, a, b, m, n);
}
#endif

CUZK_INLINE void mod_neg(uint64_t *r, const uint64_t *a, const uint64_t *m, int n)
{
    uint64_t borrow = 0, mask = limbs_is_zero(a, n) ? 0 : ~(uint64_t)0;
    for (int i = 0; i < n; i++)
        r[i] = limb_sbb(m[i] & mask, a[i], &borrow);
}

/* Montgomery product a * b / 2^(64 n) mod m (CIOS); inv = -1/m mod 2^64.
 * The running value stays below 2m < 2^(64 n), so the top word t[n] is at most 1 after each row. */
CUZK_INLINE void mont_mul(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *m,
                          uint64_t inv, int n)
{
    uint64_t t[LIMBS_MAX + 2] = {0};
    for (int i = 0; i < n; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < n; j++)
            t[j] = limb_mac(a[j], b[i], t[j], &carry);
        uint64_t top = 0;
        t[n] = limb_adc(t[n], carry, &top);

        uint64_t q = t[0] * inv;
        carry = 0;
        limb_mac(q, m[0], t[0], &carry);
        for (int j = 1; j < n; j++)
            t[j - 1] = limb_mac(q, m[j], t[j], &carry);
        uint64_t c = 0;
        t[n - 1] = limb_adc(t[n], carry, &c);
        t[n] = top + c;
    }
    limbs_reduce_once(r, t, t[n], m, n);
}

/* Montgomery form to plain integer: a / 2^(64 n) mod m. */
CUZK_INLINE void mont_from(uint64_t *r, const uint64_t *a, const uint64_t *m, uint64_t inv, int n)
{
    uint64_t one[LIMBS_MAX] = {1};
    mont_mul(r, a, one, m, inv, n);
}

#endif

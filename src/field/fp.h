/* Fp: the base field of BLS12-381 (381 bits, 6 limbs), Montgomery form (times 2^384 mod p).
 *
 * Same conventions as fr.h. Bytes are big-endian, as the point encodings want them.
 */
#ifndef CUZK_FIELD_FP_H
#define CUZK_FIELD_FP_H

#include <stddef.h>

#include "field/limb.h"

typedef struct {
    uint64_t l[6];
} fp;

extern const uint64_t cuzk_fp_modulus[6];
extern const fp cuzk_fp_one;

typedef struct {
    void (*mul)(fp *r, const fp *a, const fp *b);
    void (*sqr)(fp *r, const fp *a);
} fp_ops;
extern fp_ops cuzk_fp_ops;           /* written once, before main */
extern const fp_ops cuzk_fp_generic; /* the portable reference */

CUZK_INLINE void fp_add(fp *r, const fp *a, const fp *b)
{
    mod_add(r->l, a->l, b->l, cuzk_fp_modulus, 6);
}

CUZK_INLINE void fp_sub(fp *r, const fp *a, const fp *b)
{
    mod_sub(r->l, a->l, b->l, cuzk_fp_modulus, 6);
}

CUZK_INLINE void fp_dbl(fp *r, const fp *a)
{
    fp_add(r, a, a);
}

CUZK_INLINE void fp_neg(fp *r, const fp *a)
{
    mod_neg(r->l, a->l, cuzk_fp_modulus, 6);
}

CUZK_INLINE void fp_mul(fp *r, const fp *a, const fp *b)
{
    cuzk_fp_ops.mul(r, a, b);
}

CUZK_INLINE void fp_sqr(fp *r, const fp *a)
{
    cuzk_fp_ops.sqr(r, a);
}

CUZK_INLINE bool fp_is_zero(const fp *a)
{
    return limbs_is_zero(a->l, 6);
}

CUZK_INLINE bool fp_eq(const fp *a, const fp *b)
{
    return limbs_eq(a->l, b->l, 6);
}

void cuzk_fp_from_u64(fp *r, uint64_t a);
/* 48 bytes big-endian. from_bytes is false (r unspecified) for values >= p. */
bool cuzk_fp_from_bytes(fp *r, const uint8_t b[48]);
void cuzk_fp_to_bytes(uint8_t b[48], const fp *a);
/* Compares the plain integers: true when a > p - a, the "sign" of the point encodings. */
bool cuzk_fp_is_larger_root(const fp *a);

void cuzk_fp_pow(fp *r, const fp *a, const uint64_t e[6]); /* variable time */
void cuzk_fp_inv_vartime(fp *r, const fp *a);              /* 0 gives 0 */
bool cuzk_fp_sqrt_vartime(fp *r, const fp *a);             /* false when a is no square */
/* a[i] <- 1/a[i], zeros stay zero. scratch: n elements. */
void cuzk_fp_batch_inv_vartime(fp a[], size_t n, fp scratch[]);

#endif

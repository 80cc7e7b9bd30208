/* Fr: the scalar field of BLS12-381, r = 0x73eda753...00000001 (255 bits).
 *
 * An `fr` holds a value < r in Montgomery form (times 2^256 mod r); `fr_canon` holds the plain
 * integer. Outputs may alias inputs everywhere. Multiplication goes through a table chosen once at
 * start from CPUID (base/cpu.h); everything else is portable.
 * Constants: spec gadgets.md section 0; 2-adicity 32, multiplicative generator 7.
 */
#ifndef CUZK_FIELD_FR_H
#define CUZK_FIELD_FR_H

#include <stddef.h>

#include "field/limb.h"

typedef struct {
    uint64_t l[4];
} fr;

typedef struct {
    uint64_t l[4];
} fr_canon;

#define FR_BITS        255
#define FR_TWO_ADICITY 32
#define FR_GENERATOR   7

extern const uint64_t cuzk_fr_modulus[4];
extern const fr cuzk_fr_one;
extern const fr cuzk_fr_root_of_unity; /* of order 2^32: 7^((r-1)/2^32) */

typedef struct {
    void (*mul)(fr *r, const fr *a, const fr *b);
    void (*sqr)(fr *r, const fr *a);
} fr_ops;
extern fr_ops cuzk_fr_ops;           /* written once, before main */
extern const fr_ops cuzk_fr_generic; /* the portable reference */

CUZK_INLINE void fr_add(fr *r, const fr *a, const fr *b)
{
    mod_add(r->l, a->l, b->l, cuzk_fr_modulus, 4);
}

CUZK_INLINE void fr_sub(fr *r, const fr *a, const fr *b)
{
    mod_sub(r->l, a->l, b->l, cuzk_fr_modulus, 4);
}

CUZK_INLINE void fr_dbl(fr *r, const fr *a)
{
    fr_add(r, a, a);
}

CUZK_INLINE void fr_neg(fr *r, const fr *a)
{
    mod_neg(r->l, a->l, cuzk_fr_modulus, 4);
}

CUZK_INLINE void fr_mul(fr *r, const fr *a, const fr *b)
{
    cuzk_fr_ops.mul(r, a, b);
}

CUZK_INLINE void fr_sqr(fr *r, const fr *a)
{
    cuzk_fr_ops.sqr(r, a);
}

CUZK_INLINE bool fr_is_zero(const fr *a)
{
    return limbs_is_zero(a->l, 4);
}

CUZK_INLINE bool fr_eq(const fr *a, const fr *b)
{
    return limbs_eq(a->l, b->l, 4);
}

CUZK_INLINE bool fr_is_one(const fr *a)
{
    return fr_eq(a, &cuzk_fr_one);
}

void cuzk_fr_to_canon(fr_canon *r, const fr *a);
void cuzk_fr_from_canon(fr *r, const fr_canon *a); /* a < 2^256; reduced mod r */
void cuzk_fr_from_u64(fr *r, uint64_t a);
/* 32 bytes little-endian. from_bytes is false (r unspecified) for values >= the modulus. */
bool cuzk_fr_from_bytes(fr *r, const uint8_t b[32]);
void cuzk_fr_to_bytes(uint8_t b[32], const fr *a);
/* Any 32 bytes little-endian, reduced mod r. */
void cuzk_fr_from_bytes_mod(fr *r, const uint8_t b[32]);

void cuzk_fr_pow_u64(fr *r, const fr *a, uint64_t e);
void cuzk_fr_pow(fr *r, const fr *a,
                 const uint64_t e[4]);        /* e little-endian limbs, variable time */
void cuzk_fr_inv_vartime(fr *r, const fr *a); /* 0 gives 0 */
/* a[i] <- 1/a[i], zeros stay zero. scratch: n elements. */
void cuzk_fr_batch_inv_vartime(fr a[], size_t n, fr scratch[]);

#endif

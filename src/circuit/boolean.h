/* Booleans in a circuit: an allocated bit, its negation, or a constant (gadgets.md section 2).
 *
 * Operations fold constants and pick operand sides exactly as the established stack does; which
 * side a variable stands on, and whether a row exists at all, is part of the circuit's identity.
 */
#ifndef CUZK_CIRCUIT_BOOLEAN_H
#define CUZK_CIRCUIT_BOOLEAN_H

#include "circuit/coeff.h"
#include "circuit/cs.h"

typedef enum { BOOL_CONST, BOOL_IS, BOOL_NOT } bool_kind;

typedef struct {
    cs_var var;    /* of Is and Not */
    uint8_t kind;  /* bool_kind */
    uint8_t value; /* of the Boolean itself: that of a Not is the opposite of its variable's */
} boolean;

CUZK_INLINE boolean bool_const(bool value)
{
    return (boolean){0, BOOL_CONST, value};
}

CUZK_INLINE boolean bool_not(boolean b)
{
    static const uint8_t opposite[] = {BOOL_CONST, BOOL_NOT, BOOL_IS};
    b.kind = opposite[b.kind];
    b.value ^= 1;
    return b;
}

CUZK_INLINE bool bool_is_const(boolean b)
{
    return b.kind == BOOL_CONST;
}

/* lc += 2^lg * b, or minus that. */
void cuzk_bool_add_to(cs_lc *lc, boolean b, unsigned lg);
void cuzk_bool_sub_from(cs_lc *lc, boolean b, unsigned lg);

/* An aux variable and its row < 1 - x ; x ; 0 >. */
boolean cuzk_bool_alloc(cs *c, bool value);
/* The same with the row < 1 - f - x ; x ; 0 >: x must be 0 when the Is bit f is 1. */
boolean cuzk_bool_alloc_conditionally(cs *c, bool value, boolean f);

boolean cuzk_bool_xor(cs *c, boolean a, boolean b);
boolean cuzk_bool_and(cs *c, boolean a, boolean b);
boolean cuzk_bool_nor(cs *c, boolean a, boolean b); /* both Is */
boolean cuzk_bool_sha256_ch(cs *c, boolean x, boolean y, boolean z);
boolean cuzk_bool_sha256_maj(cs *c, boolean x, boolean y, boolean z);
void cuzk_bool_enforce_equal(cs *c, boolean a, boolean b);

/* n <= 256 bits of the canonical integer behind x, least significant first, as Is bits. */
void cuzk_bits_alloc(cs *c, boolean out[], const fr *x, unsigned n);
void cuzk_bits_alloc_u64(cs *c, boolean out[], uint64_t x, unsigned n);

#endif

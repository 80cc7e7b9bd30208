/* Gadget calls as the compiled readings see them: which gadget, its operands, its results.
 *
 * A call is a *scope*. Its rows and variables depend only on the gadget, the parameter and the
 * form of the operands (constants, negations, which of them are the same variable), never on
 * values; so a recorder needs to see each form once. Without hooks a scope costs one comparison.
 * A scope allocates no inputs. Scopes nest.
 */
#ifndef CUZK_CIRCUIT_SCOPE_H
#define CUZK_CIRCUIT_SCOPE_H

#include "circuit/num.h"

typedef enum {
    SCOPE_SHA256,      /* one compression; in: lo, hi, state; out: state */
    SCOPE_POSEIDON,    /* parameter: poseidon_kind */
    SCOPE_TO_BITS,     /* parameter: 0, or the number of bits of SnapDeals' form */
    SCOPE_PACK,
    SCOPE_SHA256_NODE, /* two numbers to one */
    SCOPE_STEP,        /* one level of a Merkle path; parameter: arity, hash */
    SCOPE_STEP_BITS,   /* the same, index bits and siblings given */
    SCOPE_KIND_COUNT
} scope_kind;

typedef struct { /* one of the two is not NULL */
    const boolean *bit;
    const num *number;
    unsigned n;
} scope_in;

typedef struct {
    boolean *bit;
    num *number;
    unsigned n;
} scope_out;

#define SCOPE_MAX_IN  3
#define SCOPE_MAX_OUT 2
typedef struct cs_scope {
    scope_kind kind;
    uint32_t parameter;
    scope_in in[SCOPE_MAX_IN];
    scope_out out[SCOPE_MAX_OUT];
} cs_scope;

CUZK_INLINE bool cs_scope_begin(cs *c, const cs_scope *s)
{
    return c->hooks && c->hooks->scope_begin && c->st == CUZK_OK && c->hooks->scope_begin(c, s);
}

CUZK_INLINE void cs_scope_end(cs *c, const cs_scope *s)
{
    if (c->hooks && c->hooks->scope_end)
        c->hooks->scope_end(c, s);
}

#endif

/* Poseidon over Fr as neptune defines it: the native hash (spec gadgets.md section 9). */
#ifndef CUZK_CIRCUIT_POSEIDON_H
#define CUZK_CIRCUIT_POSEIDON_H

#include "field/fr.h"

typedef enum {
    POSEIDON_2,
    POSEIDON_2_GEN, /* arity 2, domain tag 2^40: SnapDeals randomness */
    POSEIDON_4,
    POSEIDON_8,
    POSEIDON_11,
    POSEIDON_KIND_COUNT
} poseidon_kind;

#define POSEIDON_MAX_WIDTH 12 /* arity 11 and the tag */

/* out = digest of the arity(kind) elements of in. out may alias in. Thread-safe. */
void cuzk_poseidon_hash(fr *out, poseidon_kind kind, const fr in[]);
unsigned cuzk_poseidon_arity(poseidon_kind kind);
/* Merkle node of arity 2, 4, 8 or column hash of 11. */
poseidon_kind cuzk_poseidon_kind_of_arity(unsigned arity);

#endif

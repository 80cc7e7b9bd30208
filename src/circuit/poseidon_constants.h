/* Constants of Poseidon over Fr, x^5, 8 full rounds, as neptune derives them (gadgets.md 9.2, 9.4).
 *
 * Each arity is made at its first use (less than a millisecond), then read-only: no table of 2,000
 * field elements stands in the source. Vectors are rows multiplied from the left:
 * out[j] = sum_i in[i] * m[i][j].
 */
#ifndef CUZK_CIRCUIT_POSEIDON_CONSTANTS_H
#define CUZK_CIRCUIT_POSEIDON_CONSTANTS_H

#include "circuit/poseidon.h"

#define POSEIDON_FULL_ROUNDS 8
#define POSEIDON_MAX_PARTIAL 57
#define POSEIDON_MAX_KEYS    (POSEIDON_FULL_ROUNDS * POSEIDON_MAX_WIDTH + POSEIDON_MAX_PARTIAL)

typedef struct {
    fr at[POSEIDON_MAX_WIDTH][POSEIDON_MAX_WIDTH];
} poseidon_matrix;

typedef struct {
    unsigned width, n_partial; /* t = arity + 1, R_P */
    unsigned n_keys;           /* 8 t + R_P */
    fr key[POSEIDON_MAX_KEYS]; /* compressed round constants */
    poseidon_matrix mds, pre_sparse;
    /* one per partial round, in order of use */
    fr w_hat[POSEIDON_MAX_PARTIAL][POSEIDON_MAX_WIDTH];
    fr v_rest[POSEIDON_MAX_PARTIAL][POSEIDON_MAX_WIDTH - 1];
} poseidon_constants;

/* Thread-safe. Kinds of the same arity share their constants. */
const poseidon_constants *cuzk_poseidon_constants(poseidon_kind kind);
void cuzk_poseidon_tag(fr *out, poseidon_kind kind); /* element 0 of the initial state */

/* The uncompressed Grain constants, t * (8 + R_P) of them, for tests of the generation. */
#define POSEIDON_MAX_ROUND_CONSTANTS                                                               \
    (POSEIDON_MAX_WIDTH * (POSEIDON_FULL_ROUNDS + POSEIDON_MAX_PARTIAL))
unsigned cuzk_poseidon_round_constants(fr out[POSEIDON_MAX_ROUND_CONSTANTS], poseidon_kind kind);

/* Steps of the permutation on a state of width elements. */
void cuzk_poseidon_quintic(fr *x);
void cuzk_poseidon_dense(fr state[], const poseidon_matrix *m, unsigned width);
void cuzk_poseidon_sparse(fr state[], const poseidon_constants *k, unsigned partial_round);

#endif

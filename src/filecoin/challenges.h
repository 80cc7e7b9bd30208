/* Which nodes a proof must open, and the identifiers that they hang on.
 * Sources: spec circuits.md 5.1, 5.2 (PoRep), 6.3 (PoSt), 7.1 (update); formats.md 5.5. */
#ifndef CUZK_FILECOIN_CHALLENGES_H
#define CUZK_FILECOIN_CHALLENGES_H

#include "field/fr.h"
#include "filecoin/registered.h"

/* Miner actor id as LEB128, zeros after it. */
void cuzk_prover_id(uint8_t out[32], uint64_t miner_id);

void cuzk_replica_id(uint8_t out[32], const uint8_t prover_id[32], uint64_t sector_number,
                     const uint8_t ticket[32], const uint8_t comm_d[32],
                     const uint8_t porep_id[32]);

typedef struct {
    const registered_proof *type;
    uint8_t replica_id[32], comm_r[32], seed[32];
} porep_challenge_input;

/* type->shape->porep_challenges node numbers of one partition, each in [1, nodes). */
void cuzk_porep_challenges(uint64_t out[], const porep_challenge_input *in, unsigned partition);

/* The synthetic set by itself: candidate i of replica_id and comm_r. */
uint64_t cuzk_synthetic_candidate(const porep_challenge_input *in, unsigned lg_nodes, uint64_t i);
/* Position in the set of n_candidates for the k-th challenge of all partitions. */
uint64_t cuzk_synthetic_selection(const porep_challenge_input *in, uint64_t n_candidates,
                                  uint64_t k);

/* Leaf number in tree R for challenge index x of a sector. */
uint64_t cuzk_post_challenge(const uint8_t randomness[32], uint64_t sector_id, uint64_t x,
                             unsigned lg_nodes);
/* x of the n-th challenge of the sector at a position counted over all partitions. */
uint64_t cuzk_post_challenge_index(const registered_proof *type, uint64_t position, unsigned n);

/* s->update_challenges node numbers of one partition of an update. */
void cuzk_update_challenges(uint64_t out[], const sector_shape *s, const fr *comm_r_new,
                            unsigned partition);

#endif

/* Poseidon of width 9 (arity 8, the hash of Merkle nodes) with eight lanes: elements 1 to 8 of the
 * state are one vector, element 0 stays scalar. Only when cuzk_cpu_active() is CUZK_CPU_IFMA. */
#ifndef CUZK_CIRCUIT_POSEIDON_LANES_H
#define CUZK_CIRCUIT_POSEIDON_LANES_H

#include "circuit/poseidon_constants.h"

#define POSEIDON_LANES_WIDTH 9

/* Once, before the first use of the two below; called with the constants of width 9. */
void cuzk_poseidon_lanes_init(const poseidon_constants *k);

/* False: not offered here, nothing done. m: mds or pre_sparse of the constants given to init. */
bool cuzk_poseidon_lanes_dense(fr state[], const poseidon_matrix *m);
bool cuzk_poseidon_lanes_sparse(fr state[], const poseidon_constants *k, unsigned partial_round);

#endif

/* Private to the circuits: the three bodies, and vanilla proofs as paths. */
#ifndef CUZK_FILECOIN_CIRCUIT_PARTS_H
#define CUZK_FILECOIN_CIRCUIT_PARTS_H

#include "circuit/por.h"
#include "filecoin/circuits.h"

/* Each takes a circuit_instance as context. */
void cuzk_synthesize_porep(const void *instance, cs *c);
void cuzk_synthesize_post(const void *instance, cs *c); /* Winning and Window */
void cuzk_synthesize_update(const void *instance, cs *c);

/* The values of a blank circuit. */
CUZK_INLINE const fr *value_or_zero(const fr *value)
{
    return value ? value : &cuzk_fr_bit[0];
}

/* A path of the given shape with the values of p, or blank when p is NULL. A proof of another shape
 * fails the circuit: structure never follows values. */
void cuzk_tree_path(cs *c, por_path *out, const uint8_t arity[], unsigned n_levels,
                    const merkle_proof *p);

/* P2(comm_c, comm_r_last) */
num cuzk_comm_r_gadget(cs *c, const num *comm_c, const num *comm_r_last);

#endif

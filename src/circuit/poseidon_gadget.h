/* Poseidon in a circuit: neptune's "legacy" form, the one that the parameters exist for (9.6). */
#ifndef CUZK_CIRCUIT_POSEIDON_GADGET_H
#define CUZK_CIRCUIT_POSEIDON_GADGET_H

#include "circuit/num.h"
#include "circuit/poseidon.h"

num cuzk_poseidon_gadget(cs *c, poseidon_kind kind, const num in[]);

#endif

#include "filecoin/vanilla.h"

#include "base/compiler.h"

uint64_t cuzk_merkle_proof_index(const merkle_proof *p)
{
    uint64_t node = 0;
    unsigned shift = 0;
    for (unsigned i = 0; i < p->n_levels; i++) {
        node |= (uint64_t)p->index[i] << shift;
        shift += cuzk_lg_ceil(p->arity[i]);
    }
    return node;
}

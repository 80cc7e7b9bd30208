#include "filecoin/circuits.h"

#include "circuit/poseidon_gadget.h"
#include "filecoin/circuit_parts.h"

void cuzk_tree_path(cs *c, por_path *out, const uint8_t arity[], unsigned n_levels,
                    const merkle_proof *p)
{
    *out = (por_path){.n_levels = n_levels, .arity = arity};
    if (!p)
        return;
    if (p->n_levels < n_levels || memcmp(p->arity, arity, n_levels) != 0) {
        cs_fail(c, CUZK_INVAL, "circuit: a Merkle path of %u levels does not fit the sector size",
                p->n_levels);
        return;
    }
    out->index = p->index;
    out->sibling = p->sibling;
}

num cuzk_comm_r_gadget(cs *c, const num *comm_c, const num *comm_r_last)
{
    const num in[] = {*comm_c, *comm_r_last};
    return cuzk_poseidon_gadget(c, POSEIDON_2, in);
}

cs_circuit cuzk_circuit_of(const circuit_instance *instance)
{
    cs_circuit circuit = {cuzk_synthesize_post, instance};
    if (instance->id.kind == CUZK_KIND_POREP)
        circuit.synthesize = cuzk_synthesize_porep;
    else if (instance->id.kind == CUZK_KIND_UPDATE)
        circuit.synthesize = cuzk_synthesize_update;
    return circuit;
}

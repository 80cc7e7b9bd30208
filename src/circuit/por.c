#include "circuit/por.h"

#include "circuit/insertion.h"
#include "circuit/poseidon_gadget.h"
#include "circuit/sha256_gadget.h"

unsigned cuzk_por_index_bits(const por_path *path)
{
    unsigned n = 0;
    for (unsigned i = 0; i < path->n_levels; i++)
        n += cuzk_lg_ceil(path->arity[i]);
    return n;
}

unsigned cuzk_por_siblings(const por_path *path)
{
    unsigned n = 0;
    for (unsigned i = 0; i < path->n_levels; i++)
        n += path->arity[i] - 1u;
    return n;
}

/* The node above cur, whose place among its siblings the bits spell. */
static num climb(cs *c, node_hash hash, const num *cur, const boolean bits[], const num sibling[],
                 unsigned arity)
{
    num child[POR_MAX_ARITY] = {{{{0}}, 0}};
    if (arity > POR_MAX_ARITY || (hash == NODE_SHA256 && arity != 2)) {
        cs_fail(c, CUZK_INTERNAL, "circuit: no node of arity %u", arity);
        return *cur;
    }
    cuzk_insert(c, child, cur, bits, sibling, arity);
    if (hash == NODE_SHA256)
        return cuzk_sha256_node(c, &child[0], &child[1]);
    return cuzk_poseidon_gadget(c, cuzk_poseidon_kind_of_arity(arity), child);
}

void cuzk_por_with_input(cs *c, node_hash hash, const num *leaf, const num *root,
                         const por_path *path)
{
    boolean bits[3 * POR_MAX_LEVELS];
    unsigned n_bits = 0;
    const fr *value = path->sibling;
    num cur = *leaf;
    for (unsigned i = 0; i < path->n_levels; i++) {
        unsigned arity = path->arity[i], lg = cuzk_lg_ceil(arity);
        num sibling[POR_MAX_ARITY];
        cuzk_bits_alloc_u64(c, bits + n_bits, path->index ? path->index[i] : 0, lg);
        for (unsigned k = 0; k + 1 < arity; k++)
            sibling[k] = cuzk_num_alloc(c, value ? value++ : &cuzk_fr_bit[0]);
        cur = climb(c, hash, &cur, bits + n_bits, sibling, arity);
        n_bits += lg;
    }
    cuzk_pack_into_inputs(c, bits, n_bits);
    cuzk_num_equal(c, &cur, root);
}

void cuzk_por_from_bits(cs *c, node_hash hash, const num *leaf, const num *root,
                        const boolean bits[], const num sibling[], const por_path *path)
{
    num cur = *leaf;
    for (unsigned i = 0; i < path->n_levels; i++) {
        cur = climb(c, hash, &cur, bits, sibling, path->arity[i]);
        bits += cuzk_lg_ceil(path->arity[i]);
        sibling += path->arity[i] - 1;
    }
    cuzk_num_equal(c, &cur, root);
}

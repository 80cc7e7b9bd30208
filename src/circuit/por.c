#include "circuit/por.h"

#include "circuit/insertion.h"
#include "circuit/poseidon_gadget.h"
#include "circuit/scope.h"
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

static uint32_t step_parameter(node_hash hash, unsigned arity)
{
    return (uint32_t)hash << 8 | arity;
}

/* One level with its own index bits and siblings; sibling NULL: zeros. */
static num step(cs *c, node_hash hash, const num *cur, boolean bits[], unsigned index,
                const fr sibling[], unsigned arity)
{
    unsigned lg = cuzk_lg_ceil(arity);
    num node[POR_MAX_ARITY], out = {{{0}}, 0};
    const cs_scope scope = {SCOPE_STEP,
                            step_parameter(hash, arity),
                            {{NULL, cur, 1}},
                            {{bits, NULL, lg}, {NULL, &out, 1}}};
    if (cs_scope_begin(c, &scope))
        return out;
    cuzk_bits_alloc_u64(c, bits, index, lg);
    for (unsigned k = 0; k + 1 < arity && k < POR_MAX_ARITY; k++)
        node[k] = cuzk_num_alloc(c, sibling ? &sibling[k] : &cuzk_fr_bit[0]);
    out = climb(c, hash, cur, bits, node, arity);
    cs_scope_end(c, &scope);
    return out;
}

static num step_from_bits(cs *c, node_hash hash, const num *cur, const boolean bits[],
                          const num sibling[], unsigned arity)
{
    num out = {{{0}}, 0};
    const cs_scope scope = {
        SCOPE_STEP_BITS,
        step_parameter(hash, arity),
        {{NULL, cur, 1}, {bits, NULL, cuzk_lg_ceil(arity)}, {NULL, sibling, arity - 1}},
        {{NULL, &out, 1}}};
    if (cs_scope_begin(c, &scope))
        return out;
    out = climb(c, hash, cur, bits, sibling, arity);
    cs_scope_end(c, &scope);
    return out;
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
        unsigned index = path->index ? path->index[i] : 0;
        cur = step(c, hash, &cur, bits + n_bits, index, value, arity);
        value = value ? value + arity - 1 : NULL;
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
        cur = step_from_bits(c, hash, &cur, bits, sibling, path->arity[i]);
        bits += cuzk_lg_ceil(path->arity[i]);
        sibling += path->arity[i] - 1;
    }
    cuzk_num_equal(c, &cur, root);
}

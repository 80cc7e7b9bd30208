#include "filecoin/vanilla_check.h"

#include <inttypes.h>

#include "base/hash.h"
#include "circuit/poseidon.h"

void cuzk_tree_d_node(fr *out, const fr *left, const fr *right)
{
    uint8_t text[64], digest[32];
    cuzk_fr_to_bytes(text, left);
    cuzk_fr_to_bytes(text + 32, right);
    cuzk_sha256(digest, text, sizeof text);
    digest[31] &= 0x3f;
    cuzk_fr_from_bytes(out, digest); /* 254 bits: always below the modulus */
}

/* node = hash of its arity-many siblings and itself, itself at position index. */
static void climb_one(fr *node, const fr *sibling, unsigned arity, unsigned index, tree_hash hash)
{
    fr child[8];
    for (unsigned i = 0; i < arity; i++)
        child[i] = i == index ? *node : sibling[i < index ? i : i - 1];
    if (hash == TREE_SHA256)
        cuzk_tree_d_node(node, &child[0], &child[1]);
    else
        cuzk_poseidon_hash(node, cuzk_poseidon_kind_of_arity(arity), child);
}

void cuzk_merkle_climb(fr *out, const merkle_proof *p, unsigned n_levels, tree_hash hash)
{
    const fr *sibling = p->sibling;
    fr node = p->leaf;
    for (unsigned l = 0; l < n_levels; l++) {
        climb_one(&node, sibling, p->arity[l], p->index[l], hash);
        sibling += p->arity[l] - 1;
    }
    *out = node;
}

cuzk_status cuzk_check_path(const merkle_proof *p, tree_hash hash, uint64_t index, const fr *root,
                            const char *what, const char *root_name, cuzk_err *err)
{
    uint64_t found = cuzk_merkle_proof_index(p);
    fr top;
    if (found != index)
        return cuzk_fail(err, CUZK_UNSATISFIED, 0,
                         "%s: the path belongs to node %" PRIu64 ", expected %" PRIu64, what, found,
                         index);
    if (!fr_eq(&p->root, root))
        return cuzk_fail(err, CUZK_UNSATISFIED, 0, "%s: the stored root is not %s", what,
                         root_name);
    cuzk_merkle_climb(&top, p, p->n_levels, hash);
    if (!fr_eq(&top, root))
        return cuzk_fail(err, CUZK_UNSATISFIED, 0,
                         "%s: the path does not lead from the leaf to the root", what);
    return CUZK_OK;
}

cuzk_status cuzk_check_comm_r(const fr *comm_r, const fr *comm_c, const fr *root,
                              const char *comm_r_name, const char *root_name, cuzk_err *err)
{
    fr in[2] = {*comm_c, *root}, h;
    cuzk_poseidon_hash(&h, POSEIDON_2, in);
    if (fr_eq(&h, comm_r))
        return CUZK_OK;
    return cuzk_fail(err, CUZK_UNSATISFIED, 0, "%s is not the hash of comm_c and %s", comm_r_name,
                     root_name);
}

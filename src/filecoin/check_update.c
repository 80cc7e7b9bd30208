/* Spec circuits.md 7.5. The reference looks a path's upper siblings up anywhere in the rows of the
 * apex tree; here the node below them must be the apex leaf at its position, and the apex tree
 * must lead to comm_d_new, which fixes the siblings. */
#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "circuit/poseidon.h"
#include "filecoin/challenges.h"
#include "filecoin/vanilla_check.h"

typedef struct {
    const proof_request *req;
    const update_partition *part;
    const fr *root_r_old, *root_r_new; /* as the first challenge stores them */
    fr phi;
    unsigned lg_apex, apex_height; /* apex leaves are that far above the leaves of tree D */
    cuzk_err *err;
} checker;

static void hash_gen(fr *out, const fr *a, const fr *b)
{
    fr in[2] = {*a, *b};
    cuzk_poseidon_hash(out, POSEIDON_2_GEN, in);
}

/* The tree over the apex leaves, then the partition's part of the first D path, to comm_d_new. */
static cuzk_status check_apex(const checker *c)
{
    const merkle_proof *path = &c->part->challenge[0].d_new;
    size_t n = c->part->n_apex_leaves;
    fr *row = CUZK_NEW_ARRAY(fr, n);
    if (!row)
        return cuzk_fail(c->err, CUZK_NOMEM, 0, "no memory to check the apex tree");
    memcpy(row, c->part->apex_leaf, n * sizeof *row);
    for (; n > 1; n /= 2) {
        for (size_t i = 0; i < n / 2; i++)
            cuzk_tree_d_node(&row[i], &row[2 * i], &row[2 * i + 1]);
    }
    fr node = row[0];
    cuzk_free(row);
    for (unsigned l = c->apex_height + c->lg_apex; l < path->n_levels; l++) {
        const fr *sibling = &path->sibling[l];
        bool right = path->index[l] == 1;
        cuzk_tree_d_node(&node, right ? sibling : &node, right ? &node : sibling);
    }
    if (!fr_eq(&node, &c->req->comm_d_new))
        return cuzk_fail(c->err, CUZK_UNSATISFIED, 0,
                         "the tree over the apex leaves does not lead to comm_d_new");
    return CUZK_OK;
}

static cuzk_status check_encoding(const checker *c, const update_challenge *p, uint64_t node)
{
    const sector_shape *s = c->req->shape;
    fr high, rho, t;
    cuzk_fr_from_u64(&high, node >> (s->lg_nodes - s->update_h[3]));
    hash_gen(&rho, &c->phi, &high);
    fr_mul(&t, &p->d_new.leaf, &rho);
    fr_add(&t, &t, &p->r_old.leaf);
    if (!fr_eq(&t, &p->r_new.leaf))
        return cuzk_fail(c->err, CUZK_UNSATISFIED, 0,
                         "the leaf of proof_r_new is not the encoding of the old and the new data");
    return CUZK_OK;
}

static cuzk_status check_challenge(const checker *c, const update_challenge *p, uint64_t node)
{
    cuzk_status st = CUZK_OK;
    fr below;
    CUZK_TRY(cuzk_check_path(&p->r_old, TREE_POSEIDON, node, c->root_r_old, "proof_r_old",
                             "that of the first challenge", c->err));
    CUZK_TRY(cuzk_check_path(&p->d_new, TREE_SHA256, node, &c->req->comm_d_new, "proof_d_new",
                             "comm_d_new", c->err));
    CUZK_TRY(cuzk_check_path(&p->r_new, TREE_POSEIDON, node, c->root_r_new, "proof_r_new",
                             "that of the first challenge", c->err));
    cuzk_merkle_climb(&below, &p->d_new, c->apex_height, TREE_SHA256);
    size_t apex = (size_t)(node >> c->apex_height) & (c->part->n_apex_leaves - 1);
    if (!fr_eq(&below, &c->part->apex_leaf[apex]))
        return cuzk_fail(c->err, CUZK_UNSATISFIED, 0,
                         "proof_d_new: the path does not pass through apex leaf %zu", apex);
    CUZK_TRY(check_encoding(c, p, node));
out:
    return st;
}

static cuzk_status check_challenges(const checker *c, unsigned k)
{
    cuzk_status st = CUZK_OK;
    uint64_t *node = CUZK_NEW_ARRAY(uint64_t, c->part->n_challenges);
    if (!node)
        return cuzk_fail(c->err, CUZK_NOMEM, 0, "no memory for the challenges");
    cuzk_update_challenges(node, c->req->shape, &c->req->comm_r_new, k);
    for (size_t i = 0; st == CUZK_OK && i < c->part->n_challenges; i++) {
        st = check_challenge(c, &c->part->challenge[i], node[i]);
        if (st != CUZK_OK)
            cuzk_err_prefix(c->err, st, "challenge %zu (node %" PRIu64 ")", i, node[i]);
    }
    cuzk_free(node);
    return st;
}

static cuzk_status check_partition(checker *c, unsigned k)
{
    cuzk_status st = CUZK_OK;
    const proof_request *req = c->req;
    c->part = &req->update[k];
    c->root_r_old = &c->part->challenge[0].r_old.root;
    c->root_r_new = &c->part->challenge[0].r_new.root;
    CUZK_TRY(cuzk_check_comm_r(&req->comm_r_old, &c->part->comm_c, c->root_r_old, "comm_r_old",
                               "the root of proof_r_old", c->err));
    CUZK_TRY(cuzk_check_comm_r(&req->comm_r_new, &c->part->comm_c, c->root_r_new, "comm_r_new",
                               "the root of proof_r_new", c->err));
    CUZK_TRY(check_challenges(c, k));
    CUZK_TRY(check_apex(c));
out:
    return st;
}

cuzk_status cuzk_check_update_partition(const proof_request *req, size_t i, cuzk_err *err)
{
    const sector_shape *s = req->shape;
    checker c = {.req = req, .err = err};
    c.lg_apex = cuzk_lg_ceil(s->update_apex_leaves);
    c.apex_height = s->lg_nodes - cuzk_lg_ceil(s->update_partitions) - c.lg_apex;
    hash_gen(&c.phi, &req->comm_d_new, &req->comm_r_old);
    cuzk_status st = check_partition(&c, (unsigned)i);
    if (st != CUZK_OK)
        return cuzk_err_prefix(err, st, "sector %" PRIu64 ": partition %zu", req->sector_number, i);
    return CUZK_OK;
}

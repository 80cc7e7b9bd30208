/* Everything that the PoRep circuit and its verifier will demand, and the chains in trees D and R
 * that the established vanilla verifier leaves out (spec circuits.md 5.7). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "circuit/poseidon.h"
#include "filecoin/bytes.h"
#include "filecoin/challenges.h"
#include "filecoin/graph.h"
#include "filecoin/vanilla_check.h"

typedef struct {
    const proof_request *req;
    porep_graph graph;
    uint8_t replica_id[32];
    const fr *comm_c, *comm_r_last; /* as the first proof of the partition stores them */
    cuzk_err *err;
} checker;

static cuzk_status wrong(const checker *c, const char *what)
{
    return cuzk_fail(c->err, CUZK_UNSATISFIED, 0, "%s", what);
}

static cuzk_status check_replica_id(checker *c, const uint8_t porep_id[32])
{
    const proof_request *req = c->req;
    uint8_t comm_d[32], stated[32];
    cuzk_fr_to_bytes(comm_d, &req->comm_d);
    cuzk_fr_to_bytes(stated, &req->replica_id);
    cuzk_replica_id(c->replica_id, req->prover_id, req->sector_number, req->ticket, comm_d,
                    porep_id);
    if (memcmp(stated, c->replica_id, 32) == 0)
        return CUZK_OK;
    return cuzk_fail(c->err, CUZK_UNSATISFIED, 0,
                     "replica_id of the C1 is not that of miner %" PRIu64 ", sector %" PRIu64
                     " with its ticket and comm_d and type %s",
                     req->miner_id, req->sector_number, req->type->name);
}

/* The leaf is the hash of the column, and sits at `node` in tree C. */
static cuzk_status check_column(const checker *c, const column_proof *p, uint64_t node,
                                const char *what)
{
    fr leaf;
    poseidon_kind kind = c->req->shape->layers == 2 ? POSEIDON_2 : POSEIDON_11;
    cuzk_status st =
        cuzk_check_path(&p->inclusion, TREE_POSEIDON, node, c->comm_c, what, "comm_c", c->err);
    if (st != CUZK_OK)
        return st;
    cuzk_poseidon_hash(&leaf, kind, p->rows);
    if (!fr_eq(&leaf, &p->inclusion.leaf))
        return cuzk_fail(c->err, CUZK_UNSATISFIED, 0,
                         "%s: the hash of the column rows is not the leaf", what);
    return CUZK_OK;
}

static cuzk_status check_columns(const checker *c, const porep_proof *p, uint64_t node)
{
    cuzk_status st = CUZK_OK;
    uint32_t drg[DRG_PARENTS], exp[EXP_PARENTS];
    char what[32];
    cuzk_graph_drg_parents(drg, &c->graph, (uint32_t)node);
    cuzk_graph_exp_parents(exp, &c->graph, (uint32_t)node);
    CUZK_TRY(check_column(c, &p->c_x, node, "c_x"));
    for (unsigned i = 0; i < DRG_PARENTS; i++) {
        snprintf(what, sizeof what, "drg_parents[%u]", i);
        CUZK_TRY(check_column(c, &p->drg[i], drg[i], what));
    }
    for (unsigned i = 0; i < EXP_PARENTS; i++) {
        snprintf(what, sizeof what, "exp_parents[%u]", i);
        CUZK_TRY(check_column(c, &p->exp[i], exp[i], what));
    }
out:
    return st;
}

/* Parent k of a label in layer (1, 2, ...), taken from the opened columns. */
static const fr *opened_parent(const porep_proof *p, unsigned layer, unsigned k)
{
    unsigned i = layer == 1 ? k % DRG_PARENTS : k % COLUMN_PARENTS;
    if (i < DRG_PARENTS)
        return &p->drg[i].rows[layer - 1];
    return &p->exp[i - DRG_PARENTS].rows[layer - 2];
}

void cuzk_porep_label(fr *out, const uint8_t replica_id[32], const labeling_proof *l)
{
    uint8_t text[64 + 32 * LABEL_PARENTS] = {0}, digest[32];
    memcpy(text, replica_id, 32);
    store_u32_be(text + 32, l->layer_index);
    store_u64_be(text + 36, l->node);
    for (unsigned k = 0; k < LABEL_PARENTS; k++)
        cuzk_fr_to_bytes(text + 64 + 32 * k, &l->parents[k]);
    cuzk_sha256(digest, text, sizeof text);
    digest[31] &= 0x3f;
    cuzk_fr_from_bytes(out, digest);
}

/* Form and parents of one labelling; *label is what it computes. */
static cuzk_status check_labeling(const checker *c, const porep_proof *p, const labeling_proof *l,
                                  unsigned layer, uint64_t node, const char *what, fr *label)
{
    if (l->layer_index != layer)
        return cuzk_fail(c->err, CUZK_UNSATISFIED, 0, "%s: layer_index is %u, expected %u", what,
                         l->layer_index, layer);
    if (l->node != node)
        return cuzk_fail(c->err, CUZK_UNSATISFIED, 0, "%s: node is %" PRIu64 ", expected %" PRIu64,
                         what, l->node, node);
    for (unsigned k = 0; k < LABEL_PARENTS; k++) {
        if (!fr_eq(&l->parents[k], opened_parent(p, layer, k)))
            return cuzk_fail(c->err, CUZK_UNSATISFIED, 0,
                             "%s: parents[%u] is not the label in the opened column", what, k);
    }
    cuzk_porep_label(label, c->replica_id, l);
    return CUZK_OK;
}

static cuzk_status check_labels(const checker *c, const porep_proof *p, uint64_t node)
{
    cuzk_status st = CUZK_OK;
    unsigned layers = c->req->shape->layers;
    fr label;
    for (unsigned layer = 1; layer <= layers; layer++) {
        char what[32];
        snprintf(what, sizeof what, "labeling_proofs[%u]", layer - 1);
        CUZK_TRY(check_labeling(c, p, &p->labeling[layer - 1], layer, node, what, &label));
        if (!fr_eq(&label, &p->c_x.rows[layer - 1]))
            return cuzk_fail(c->err, CUZK_UNSATISFIED, 0,
                             "%s: the label is not row %u of column c_x", what, layer - 1);
    }
    CUZK_TRY(check_labeling(c, p, &p->encoding, layers, node, "encoding_proof", &label));
    fr_add(&label, &label, &p->comm_d.leaf);
    if (!fr_eq(&label, &p->comm_r_last.leaf))
        return wrong(c, "encoding_proof: key plus data is not the leaf of comm_r_last_proof");
out:
    return st;
}

static cuzk_status check_challenge(const checker *c, const porep_proof *p, uint64_t node)
{
    cuzk_status st = CUZK_OK;
    CUZK_TRY(cuzk_check_path(&p->comm_d, TREE_SHA256, node, &c->req->comm_d, "comm_d_proofs",
                             "comm_d", c->err));
    CUZK_TRY(cuzk_check_path(&p->comm_r_last, TREE_POSEIDON, node, c->comm_r_last,
                             "comm_r_last_proof", "comm_r_last of the partition", c->err));
    CUZK_TRY(check_columns(c, p, node));
    CUZK_TRY(check_labels(c, p, node));
out:
    return st;
}

/* Challenge number i of partition k; the commitments of the partition come from its first proof. */
static cuzk_status check_in_partition(checker *c, const porep_challenge_input *in, unsigned k,
                                      size_t i)
{
    const porep_partition *part = &c->req->porep[k];
    uint64_t node[MAX_CHALLENGES];
    c->comm_c = &part->proof[0].c_x.inclusion.root;
    c->comm_r_last = &part->proof[0].comm_r_last.root;
    cuzk_status st = cuzk_check_comm_r(&c->req->comm_r, c->comm_c, c->comm_r_last, "comm_r",
                                       "comm_r_last", c->err);
    if (st != CUZK_OK)
        return cuzk_err_prefix(c->err, st, "partition %u", k);
    cuzk_porep_challenges(node, in, k);
    st = check_challenge(c, &part->proof[i], node[i]);
    if (st != CUZK_OK)
        return cuzk_err_prefix(c->err, st, "partition %u: challenge %zu (node %" PRIu64 ")", k, i,
                               node[i]);
    return CUZK_OK;
}

cuzk_status cuzk_check_porep_challenge(const proof_request *req, size_t i, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    checker c = {.req = req, .err = err};
    porep_challenge_input in = {.type = req->type};
    uint8_t porep_id[32];
    size_t n = req->shape->porep_challenges;
    cuzk_porep_id(porep_id, req->type);
    CUZK_TRY(check_replica_id(&c, porep_id));
    cuzk_graph_init(&c.graph, req->shape->lg_nodes, req->type->api, porep_id);
    memcpy(in.replica_id, c.replica_id, 32);
    cuzk_fr_to_bytes(in.comm_r, &req->comm_r);
    memcpy(in.seed, req->seed, 32);
    CUZK_TRY(check_in_partition(&c, &in, (unsigned)(i / n), i % n));
out:
    return st == CUZK_OK ? st : cuzk_err_prefix(err, st, "sector %" PRIu64, req->sector_number);
}

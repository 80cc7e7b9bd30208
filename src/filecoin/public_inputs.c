/* Public inputs as the verifier derives them (spec circuits.md 4.4, 6.2, 7.2): from commitments,
 * sector ids and randomness, never from what the vanilla proofs say about themselves. */
#include <string.h>

#include "base/compiler.h"
#include "filecoin/challenges.h"
#include "filecoin/graph.h"
#include "filecoin/request.h"

static fr *put_u64(fr *out, uint64_t v)
{
    cuzk_fr_from_u64(out, v);
    return out + 1;
}

/* The 18 numbers of one challenge. */
static fr *put_challenge(fr *out, const porep_graph *g, uint64_t node)
{
    uint32_t drg[DRG_PARENTS], exp[EXP_PARENTS];
    cuzk_graph_drg_parents(drg, g, (uint32_t)node);
    cuzk_graph_exp_parents(exp, g, (uint32_t)node);
    out = put_u64(out, node); /* path in tree D */
    for (int i = 0; i < DRG_PARENTS; i++)
        out = put_u64(out, drg[i]);
    for (int i = 0; i < EXP_PARENTS; i++)
        out = put_u64(out, exp[i]);
    out = put_u64(out, node);  /* number in the labels */
    out = put_u64(out, node);  /* path in tree R */
    return put_u64(out, node); /* path in tree C */
}

/* replica_id is computed anew: the one in the C1 proves nothing. */
static void porep_inputs(fr out[], const proof_request *req, unsigned partition)
{
    porep_challenge_input in = {.type = req->type};
    uint8_t porep_id[32], comm_d[32];
    uint64_t node[MAX_CHALLENGES];
    porep_graph graph;
    cuzk_porep_id(porep_id, req->type);
    cuzk_fr_to_bytes(comm_d, &req->comm_d);
    cuzk_fr_to_bytes(in.comm_r, &req->comm_r);
    cuzk_replica_id(in.replica_id, req->prover_id, req->sector_number, req->ticket, comm_d,
                    porep_id);
    memcpy(in.seed, req->seed, 32);
    cuzk_graph_init(&graph, req->shape->lg_nodes, req->type->api, porep_id);
    cuzk_porep_challenges(node, &in, partition);
    cuzk_fr_from_bytes(&out[0], in.replica_id); /* 254 bits, always below the modulus */
    out[1] = req->comm_d;
    out[2] = req->comm_r;
    out += 3;
    for (unsigned i = 0; i < req->shape->porep_challenges; i++)
        out = put_challenge(out, &graph, node[i]);
}

static void winning_inputs(fr out[], const proof_request *req)
{
    const post_sector *s = &req->sector[0];
    for (unsigned i = 0; i < WINNING_CHALLENGES; i++) {
        uint64_t x = cuzk_post_challenge_index(req->type, 0, i);
        *out++ = s->comm_r;
        out = put_u64(out,
                      cuzk_post_challenge(req->randomness, s->sector_id, x, req->shape->lg_nodes));
    }
}

/* Positions without a sector repeat the last one with its leaf numbers. */
static void window_inputs(fr out[], const proof_request *req, unsigned partition)
{
    size_t per = req->shape->window_sectors, first = partition * per;
    for (size_t i = 0; i < per; i++) {
        size_t k = first + i < req->n_sectors ? first + i : req->n_sectors - 1;
        const post_sector *s = &req->sector[k];
        *out++ = s->comm_r;
        for (unsigned n = 0; n < WINDOW_CHALLENGES; n++) {
            uint64_t position = (uint64_t)req->partition_index * per + k;
            uint64_t x = cuzk_post_challenge_index(req->type, position, n);
            out = put_u64(
                out, cuzk_post_challenge(req->randomness, s->sector_id, x, req->shape->lg_nodes));
        }
    }
}

static void update_inputs(fr out[], const proof_request *req, unsigned partition)
{
    const sector_shape *s = req->shape;
    unsigned partition_bits = cuzk_lg_ceil(s->update_partitions);
    out = put_u64(out, partition | (uint64_t)1 << (s->update_h_select + partition_bits));
    *out++ = req->comm_r_old;
    *out++ = req->comm_d_new;
    *out = req->comm_r_new;
}

cuzk_status cuzk_request_public_inputs(fr out[], const proof_request *req, unsigned partition,
                                       cuzk_err *err)
{
    if (partition >= req->n_partitions)
        return cuzk_fail(err, CUZK_INVAL, 0, "partition %u of a request that has %u", partition,
                         req->n_partitions);
    switch (req->kind) {
    case CUZK_KIND_POREP:
        porep_inputs(out, req, partition);
        break;
    case CUZK_KIND_WINNING:
        winning_inputs(out, req);
        break;
    case CUZK_KIND_WINDOW:
        window_inputs(out, req, partition);
        break;
    default:
        update_inputs(out, req, partition);
        break;
    }
    return CUZK_OK;
}

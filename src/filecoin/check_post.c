/* Spec circuits.md 6.5; stored comm_r_last and comm_c are compared too, since the circuit uses
 * them. */
#include <inttypes.h>
#include <stdio.h>

#include "filecoin/challenges.h"
#include "filecoin/vanilla_check.h"

static cuzk_status check_sector(const proof_request *req, const post_sector *s, uint64_t position,
                                cuzk_err *err)
{
    cuzk_status st =
        cuzk_check_comm_r(&s->comm_r, &s->comm_c, &s->comm_r_last, "comm_r", "comm_r_last", err);
    for (unsigned n = 0; st == CUZK_OK && n < s->n_proofs; n++) {
        char what[40];
        uint64_t x = cuzk_post_challenge_index(req->type, position, n);
        uint64_t leaf = cuzk_post_challenge(req->randomness, s->sector_id, x, req->shape->lg_nodes);
        snprintf(what, sizeof what, "challenge %u: inclusion proof", n);
        st = cuzk_check_path(&s->proof[n], TREE_POSEIDON, leaf, &s->comm_r_last, what,
                             "comm_r_last", err);
    }
    return st;
}

cuzk_status cuzk_check_post_sector(const proof_request *req, size_t i, cuzk_err *err)
{
    uint64_t first = (uint64_t)req->partition_index * req->shape->window_sectors;
    cuzk_status st = check_sector(req, &req->sector[i], first + i, err);
    if (st != CUZK_OK)
        return cuzk_err_prefix(err, st, "sector %" PRIu64, req->sector[i].sector_id);
    return CUZK_OK;
}

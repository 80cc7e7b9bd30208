#include "rpc/client_request.h"

#include <string.h>

static cuzk_bytes bytes_of(byte_view v)
{
    return (cuzk_bytes){v.data, v.n};
}

static int wire_kind(cuzk_kind kind)
{
    switch (kind) {
    case CUZK_KIND_POREP:
        return CUZK_PROOF_POREP;
    case CUZK_KIND_WINNING:
        return CUZK_PROOF_WINNING;
    case CUZK_KIND_WINDOW:
        return CUZK_PROOF_WINDOW;
    case CUZK_KIND_UPDATE:
        return CUZK_PROOF_UPDATE;
    case CUZK_KIND_COUNT:
        break;
    }
    return 0;
}

void cuzk_client_request_of(cuzk_client_request *out, cuzk_bytes proofs[],
                            const request_message *msg)
{
    memset(out, 0, sizeof *out);
    out->size = sizeof *out;
    out->kind = wire_kind(msg->kind);
    out->sector_size = msg->sector_size;
    out->registered_proof = msg->has_registered_proof ? msg->registered_proof : 0;
    out->sector_number = msg->sector_number;
    out->miner_id = msg->miner_id;
    out->vanilla_proof = bytes_of(msg->vanilla_proof);
    for (size_t i = 0; i < msg->n_vanilla_proofs; i++)
        proofs[i] = bytes_of(msg->vanilla_proofs[i]);
    out->vanilla_proofs = proofs;
    out->n_vanilla_proofs = msg->n_vanilla_proofs;
    out->randomness = bytes_of(msg->randomness);
    out->partition_index = msg->partition_index;
    out->comm_r_old = bytes_of(msg->comm_r_old);
    out->comm_r_new = bytes_of(msg->comm_r_new);
    out->comm_d_new = bytes_of(msg->comm_d_new);
}

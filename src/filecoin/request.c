/* From raw message fields to a request whose form is right. What the numbers mean (Merkle paths,
 * challenges) is request_check.c's business. */
#include "filecoin/request.h"

#include "cuzk/cuzk.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "filecoin/bincode.h"
#include "filecoin/c1_json.h"
#include "filecoin/challenges.h"

/* Parsed proofs are about 0.3 times the C1 text and 1.1 times bincode, and a message is at most
 * 128 MiB; a full Window partition of 2,349 sectors takes 64 MiB. */
#define MAX_PARSED_BYTES ((size_t)256 << 20)
/* As many partitions as the chain allows in a deadline. */
#define MAX_DEADLINE_PARTITIONS 3000u

static bool is_zero(const uint8_t b[32])
{
    static const uint8_t zero[32];
    return memcmp(b, zero, 32) == 0;
}

/* ---- fields of all kinds ------------------------------------------------------------------- */

static cuzk_status find_type(proof_request *req, const request_message *msg, cuzk_err *err)
{
    const char *kind = cuzk_kind_name(msg->kind);
    req->type = cuzk_registered_by_number(msg->kind, msg->registered_proof);
    if (!req->type)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "registered_proof: there is no %s type number %" PRIu64, kind,
                         msg->registered_proof);
    return CUZK_OK;
}

static cuzk_status check_size(const char *what, uint64_t given, const registered_proof *type,
                              cuzk_err *err)
{
    if (given == 0 || given == type->shape->sector_bytes)
        return CUZK_OK;
    return cuzk_fail(err, CUZK_INVAL, 0, "%s is %" PRIu64 " but %s has sectors of %" PRIu64, what,
                     given, type->name, type->shape->sector_bytes);
}

static cuzk_status check_bytes32(byte_view v, const char *name, cuzk_err *err)
{
    if (v.n == 32)
        return CUZK_OK;
    return cuzk_fail(err, CUZK_INVAL, 0, "%s must be exactly 32 bytes, got %zu", name, v.n);
}

/* ---- PoRep --------------------------------------------------------------------------------- */

static cuzk_status check_porep_fields(const c1_document *doc, const request_message *msg,
                                      cuzk_err *err)
{
    if (msg->has_registered_proof && msg->registered_proof != doc->type->number)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "registered_proof is %" PRIu64 " but the C1 holds %s, number %u",
                         msg->registered_proof, doc->type->name, doc->type->number);
    if (doc->has_envelope && msg->sector_number != 0 &&
        msg->sector_number != doc->envelope_sector_num)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "sector_number is %" PRIu64 " but SectorNum of the C1 is %" PRIu64,
                         msg->sector_number, doc->envelope_sector_num);
    cuzk_status st = check_size("sector_size", msg->sector_size, doc->type, err);
    if (st == CUZK_OK && doc->has_envelope)
        st = check_size("C1: SectorSize", doc->envelope_sector_size, doc->type, err);
    return st;
}

static cuzk_status check_not_zero(const c1_document *doc, cuzk_err *err)
{
    const char *what = is_zero(doc->comm_r)   ? "comm_r"
                       : is_zero(doc->comm_d) ? "comm_d"
                       : is_zero(doc->seed)   ? "seed"
                                              : NULL;
    return what ? cuzk_fail(err, CUZK_INVAL, 0, "C1: %s: all bytes are zero", what) : CUZK_OK;
}

static void take_document(proof_request *req, const c1_document *doc, const request_message *msg)
{
    req->type = doc->type;
    req->n_partitions = doc->n_partitions;
    req->sector_number = msg->sector_number;
    if (req->sector_number == 0 && doc->has_envelope)
        req->sector_number = doc->envelope_sector_num;
    memcpy(req->ticket, doc->ticket, 32);
    memcpy(req->seed, doc->seed, 32);
    cuzk_fr_from_bytes(&req->replica_id, doc->replica_id); /* canonical: the reader checked */
    cuzk_fr_from_bytes(&req->comm_r, doc->comm_r);
    cuzk_fr_from_bytes(&req->comm_d, doc->comm_d);
    req->porep = doc->partition;
}

static cuzk_status parse_porep(proof_request *req, const request_message *msg, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    c1_document doc;
    if (msg->n_vanilla_proofs != 0)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "vanilla_proofs: not used by PoRep, which has one "
                         "vanilla_proof");
    if (msg->vanilla_proof.n == 0)
        return cuzk_fail(err, CUZK_INVAL, 0, "vanilla_proof: empty");
    if (msg->has_registered_proof)
        CUZK_TRY(find_type(req, msg, err));
    CUZK_TRY(cuzk_c1_read(&doc, &req->arena, msg->vanilla_proof.data, msg->vanilla_proof.n,
                          msg->may_overwrite, err));
    CUZK_TRY(check_porep_fields(&doc, msg, err));
    CUZK_TRY(check_not_zero(&doc, err));
    take_document(req, &doc, msg);
out:
    return st;
}

/* ---- PoSt ---------------------------------------------------------------------------------- */

static cuzk_status check_blobs(const request_message *msg, cuzk_err *err)
{
    if (msg->vanilla_proof.n != 0)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "vanilla_proof: not used by %s, which has "
                         "vanilla_proofs",
                         cuzk_kind_name(msg->kind));
    if (msg->n_vanilla_proofs == 0)
        return cuzk_fail(err, CUZK_INVAL, 0, "vanilla_proofs: empty");
    return CUZK_OK;
}

static cuzk_status read_randomness(proof_request *req, const request_message *msg, cuzk_err *err)
{
    fr unused;
    cuzk_status st = check_bytes32(msg->randomness, "randomness", err);
    if (st != CUZK_OK)
        return st;
    if (!cuzk_fr_from_bytes(&unused, msg->randomness.data))
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "randomness: not below the modulus of the field; the "
                         "two top bits of its last byte must be cleared first");
    memcpy(req->randomness, msg->randomness.data, 32);
    return CUZK_OK;
}

static cuzk_status read_sector(proof_request *req, size_t i, byte_view blob, cuzk_err *err)
{
    size_t n_challenges = req->kind == CUZK_KIND_WINNING ? WINNING_CHALLENGES : WINDOW_CHALLENGES;
    post_sector *s = &req->sector[i];
    cuzk_status st =
        cuzk_bincode_read_sector(s, &req->arena, req->shape, n_challenges, blob.data, blob.n, err);
    if (st != CUZK_OK)
        return cuzk_err_prefix(err, st, "vanilla_proofs[%zu]", i);
    if (fr_is_zero(&s->comm_r))
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "vanilla_proofs[%zu]: comm_r of sector %" PRIu64 " is zero", i,
                         s->sector_id);
    /* The chain verifies in ascending order, so another order gives a proof that it refuses. */
    if (i > 0 && s[-1].sector_id == s->sector_id)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "vanilla_proofs[%zu]: sector %" PRIu64 " is there twice", i, s->sector_id);
    if (i > 0 && s[-1].sector_id > s->sector_id)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "vanilla_proofs[%zu]: sector %" PRIu64 " comes after sector %" PRIu64
                         "; they must be in ascending order",
                         i, s->sector_id, s[-1].sector_id);
    return CUZK_OK;
}

static cuzk_status parse_post(proof_request *req, const request_message *msg, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    size_t n = msg->n_vanilla_proofs;
    CUZK_TRY(find_type(req, msg, err));
    req->shape = req->type->shape;
    CUZK_TRY(check_size("sector_size", msg->sector_size, req->type, err));
    CUZK_TRY(check_blobs(msg, err));
    CUZK_TRY(read_randomness(req, msg, err));
    if (req->kind == CUZK_KIND_WINNING && n != 1)
        return cuzk_fail(err, CUZK_INVAL, 0, "vanilla_proofs: %zu where a winning proof has 1", n);
    if (msg->partition_index >= MAX_DEADLINE_PARTITIONS)
        return cuzk_fail(err, CUZK_INVAL, 0, "partition_index: %u is not below %u",
                         msg->partition_index, MAX_DEADLINE_PARTITIONS);
    req->partition_index = msg->partition_index;
    req->n_sectors = n;
    req->sector = CUZK_ARENA_NEW(&req->arena, post_sector, n);
    if (!req->sector)
        return cuzk_fail(err, CUZK_BUDGET, 0, "vanilla_proofs: no memory for %zu sectors", n);
    for (size_t i = 0; i < n; i++)
        CUZK_TRY(read_sector(req, i, msg->vanilla_proofs[i], err));
    size_t per_partition = req->kind == CUZK_KIND_WINNING ? 1 : req->shape->window_sectors;
    req->n_partitions = (unsigned)((n + per_partition - 1) / per_partition);
out:
    return st;
}

/* ---- updates ------------------------------------------------------------------------------- */

/* A commitment as 32 bytes, or as the binary CID of its role (spec formats.md 8.5). */
static cuzk_status read_commitment(fr *out, byte_view v, const char *name, bool sealed,
                                   cuzk_err *err)
{
    static const uint8_t sealed_cid[] = {0x01, 0x82, 0xe2, 0x03, 0x81, 0xe8, 0x02, 0x20};
    static const uint8_t unsealed_cid[] = {0x01, 0x81, 0xe2, 0x03, 0x92, 0x20, 0x20};
    const uint8_t *prefix = sealed ? sealed_cid : unsealed_cid;
    size_t n_prefix = sealed ? sizeof sealed_cid : sizeof unsealed_cid;
    if (v.n == n_prefix + 32 && memcmp(v.data, prefix, n_prefix) == 0)
        v = (byte_view){v.data + n_prefix, 32};
    if (v.n != 32)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "%s must be exactly 32 bytes (or the binary CID of %s sector), got %zu",
                         name, sealed ? "a sealed" : "an unsealed", v.n);
    if (is_zero(v.data))
        return cuzk_fail(err, CUZK_INVAL, 0, "%s: all bytes are zero", name);
    if (!cuzk_fr_from_bytes(out, v.data))
        return cuzk_fail(err, CUZK_INVAL, 0, "%s: not a field element (not below the modulus)",
                         name);
    return CUZK_OK;
}

static cuzk_status parse_update(proof_request *req, const request_message *msg, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    CUZK_TRY(find_type(req, msg, err));
    req->shape = req->type->shape;
    req->n_partitions = cuzk_registered_partitions(req->type);
    CUZK_TRY(check_size("sector_size", msg->sector_size, req->type, err));
    CUZK_TRY(check_blobs(msg, err));
    CUZK_TRY(read_commitment(&req->comm_r_old, msg->comm_r_old, "comm_r_old", true, err));
    CUZK_TRY(read_commitment(&req->comm_r_new, msg->comm_r_new, "comm_r_new", true, err));
    CUZK_TRY(read_commitment(&req->comm_d_new, msg->comm_d_new, "comm_d_new", false, err));
    if (msg->n_vanilla_proofs != req->n_partitions)
        return cuzk_fail(err, CUZK_INVAL, 0, "vanilla_proofs: %zu, expected %u, one a partition",
                         msg->n_vanilla_proofs, req->n_partitions);
    req->sector_number = msg->sector_number;
    req->update = CUZK_ARENA_NEW(&req->arena, update_partition, req->n_partitions);
    if (!req->update)
        return cuzk_fail(err, CUZK_NOMEM, 0, "vanilla_proofs: no memory");
    for (unsigned i = 0; i < req->n_partitions; i++) {
        st = cuzk_bincode_read_update(&req->update[i], &req->arena, req->shape,
                                      msg->vanilla_proofs[i].data, msg->vanilla_proofs[i].n, err);
        if (st != CUZK_OK)
            return cuzk_err_prefix(err, st, "vanilla_proofs[%u]", i);
    }
out:
    return st;
}

/* ---- entry --------------------------------------------------------------------------------- */

static cuzk_status parse_kind(proof_request *req, const request_message *msg, cuzk_err *err)
{
    switch (msg->kind) {
    case CUZK_KIND_POREP:
        return parse_porep(req, msg, err);
    case CUZK_KIND_WINNING:
    case CUZK_KIND_WINDOW:
        return parse_post(req, msg, err);
    case CUZK_KIND_UPDATE:
        return parse_update(req, msg, err);
    default:
        return cuzk_fail(err, CUZK_INVAL, 0, "kind: %d is none of porep, winning, window, update",
                         (int)msg->kind);
    }
}

cuzk_status cuzk_request_parse(proof_request **out, const request_message *msg, cuzk_err *err)
{
    proof_request *req = cuzk_calloc(1, sizeof *req);
    if (!req)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for a request");
    req->kind = msg->kind;
    req->miner_id = msg->miner_id;
    cuzk_prover_id(req->prover_id, msg->miner_id);
    cuzk_arena_init(&req->arena, MAX_PARSED_BYTES);
    cuzk_status st = parse_kind(req, msg, err);
    if (st != CUZK_OK) {
        cuzk_request_free(req);
        return st;
    }
    req->shape = req->type->shape;
    *out = req;
    return CUZK_OK;
}

void cuzk_request_free(proof_request *req)
{
    if (!req)
        return;
    cuzk_arena_fini(&req->arena);
    cuzk_free(req);
}

cuzk_status cuzk_request_partitions(unsigned *first, unsigned *n, const proof_request *req,
                                    int partition, cuzk_err *err)
{
    bool all = partition == CUZK_ALL_PARTITIONS;
    if (!all && (partition < 0 || (unsigned)partition >= req->n_partitions))
        return cuzk_fail(err, CUZK_INVAL, 0, "partition %d: the request has partitions 0 to %u",
                         partition, req->n_partitions - 1);
    *first = all ? 0 : (unsigned)partition;
    *n = all ? req->n_partitions : 1;
    return CUZK_OK;
}

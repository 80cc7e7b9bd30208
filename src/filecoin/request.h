/* A proof request: from files or from the wire, parsed, checked, ready for circuits.
 *
 * There is one way in: a request_message holds the same fields as the gRPC message. A request
 * folder (docs/requests.md) is read into a message first; the daemon fills one from the wire.
 */
#ifndef CUZK_FILECOIN_REQUEST_H
#define CUZK_FILECOIN_REQUEST_H

#include "base/arena.h"
#include "base/error.h"
#include "base/pool.h"
#include "filecoin/registered.h"
#include "filecoin/vanilla.h"

typedef struct {
    const uint8_t *data;
    size_t n;
} byte_view;

/* Raw fields, nothing validated. Views point into memory that the filler owns. */
typedef struct {
    cuzk_kind kind;
    uint64_t sector_size;             /* 0 = not given */
    uint64_t registered_proof;        /* number within the kind */
    bool has_registered_proof;        /* false: taken from the C1 (PoRep only) */
    uint64_t sector_number, miner_id; /* PoRep: checked against the C1's replica_id */
    byte_view vanilla_proof;          /* PoRep: C1 JSON, inner or enveloped */
    byte_view *vanilla_proofs;        /* PoSt: one per sector; update: one per partition */
    size_t n_vanilla_proofs;
    byte_view randomness;
    uint32_t partition_index; /* Window: which partition of the deadline this is (V1 challenges) */
    byte_view comm_r_old, comm_r_new, comm_d_new;
    bool may_overwrite; /* vanilla_proof: its memory can be written, and is of no use afterwards */
} request_message;

typedef struct proof_request {
    cuzk_kind kind;
    const registered_proof *type;
    const sector_shape *shape;
    uint64_t miner_id;
    uint8_t prover_id[32];
    unsigned n_partitions; /* proof is n_partitions * 192 bytes */
    cuzk_arena arena;      /* owns everything below */

    /* PoRep */
    uint64_t sector_number;
    uint8_t ticket[32], seed[32];
    fr replica_id, comm_r, comm_d;
    porep_partition *porep; /* n_partitions */

    /* Winning and Window; sectors in ascending id, n_partitions = ceil(n_sectors / window_sectors)
     */
    uint8_t randomness[32];
    uint32_t partition_index;
    size_t n_sectors;
    post_sector *sector;

    /* update */
    fr comm_r_old, comm_r_new, comm_d_new;
    update_partition *update; /* n_partitions */
} proof_request;

/* Parses and checks the form: types, counts, ranges, canonical field elements, consistency of the
 * fields with each other. Errors name the JSON path or blob and the offset. */
cuzk_status cuzk_request_parse(proof_request **out, const request_message *msg, cuzk_err *err);
void cuzk_request_free(proof_request *req);

/* One partition, or all for CUZK_ALL_PARTITIONS: [*first, *first + *n). CUZK_INVAL beyond them. */
cuzk_status cuzk_request_partitions(unsigned *first, unsigned *n, const proof_request *req,
                                    int partition, cuzk_err *err);

/* Checks the content before any proving: Merkle paths, roots, comm_r, column hashes, labels,
 * challenge positions (circuits.md 5.7, 6.5, 7.5). CUZK_UNSATISFIED names sector, challenge and
 * check. */
cuzk_status cuzk_request_check(const proof_request *req, cuzk_err *err);
/* The same with the threads of a pool; the same result for any number of them. */
cuzk_status cuzk_request_check_on(cuzk_pool *pool, const proof_request *req, cuzk_err *err);
/* PoSt: ids of the sectors that fail the check, at most max of them; returns how many there are. */
size_t cuzk_request_faulty_sectors(uint64_t id[], size_t max, const proof_request *req);

/* The verifier's view: public inputs of one partition without ONE, derived from the commitments and
 * never from the vanilla proof paths. Writes cuzk_circuit_n_inputs() elements. */
cuzk_status cuzk_request_public_inputs(fr out[], const proof_request *req, unsigned partition,
                                       cuzk_err *err);

/* A request read from a folder (or the path of its request.json), with the buffers that the message
 * points into. Format: docs/requests.md. */
typedef struct {
    request_message msg;
    void *owned; /* private */
} request_files;
cuzk_status cuzk_request_files_read(request_files *out, const char *path, cuzk_err *err);
void cuzk_request_files_fini(request_files *f);
/* Both steps: read, then parse. Also compares request.json with the proofs (comm_r, replica_id,
 * ...). */
cuzk_status cuzk_request_load(proof_request **out, const char *path, cuzk_err *err);

#endif

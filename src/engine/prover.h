/* The prover: parameters kept hot, requests turned into checked proofs. Used by the daemon's engine and
 * by `cuzk prove` alike, so that both run the same code. Thread-safe.
 */
#ifndef CUZK_ENGINE_PROVER_H
#define CUZK_ENGINE_PROVER_H

#include <stdatomic.h>

#include "base/error.h"
#include "base/trace.h"
#include "filecoin/circuit_id.h"
#include "filecoin/request.h"

typedef struct prover prover;

typedef struct {
    const char *params_dir; /* NULL: $FIL_PROOFS_PARAMETER_CACHE, then the established default */
    unsigned n_threads;     /* 0: all that the process may use */
    bool insecure_test_rs;  /* published r, s: golden proofs only, and only with test parameters */
} prover_options;

cuzk_status prover_new(prover **out, const prover_options *opt, cuzk_err *err);
void prover_free(prover *p);
const char *prover_params_dir(const prover *p);

#define PROVER_ALL_PARTITIONS (-1)

typedef void (*prover_progress_fn)(void *ctx, const char *phase, unsigned partition);

typedef struct {
    int partition; /* one partition, or PROVER_ALL_PARTITIONS */
    cuzk_trace *trace;
    const atomic_bool *cancel; /* may be NULL; looked at between phases */
    prover_progress_fn progress; /* may be NULL; called at the start of each phase */
    void *progress_ctx;
} prove_job;

/* Checks the vanilla proof, loads parameters if they are not loaded, proves, verifies its own proof.
 * *proof (cuzk_free) has 192 bytes a partition. Errors: CUZK_UNSATISFIED, CUZK_PARAMS, CUZK_CANCELLED, ... */
cuzk_status prover_prove(prover *p, const proof_request *req, const prove_job *job, uint8_t **proof,
                         size_t *n_bytes, cuzk_err *err);

/* Loads the parameters of a circuit ahead of the first proof. */
cuzk_status prover_preload(prover *p, circuit_id id, bool *already_loaded, cuzk_trace *trace, cuzk_err *err);

typedef struct {
    char circuit[24];
    uint64_t bytes;
    unsigned ref_count;
} prover_srs_info;
/* Fills up to max entries and returns how many are loaded. Never waits for a load in progress. */
size_t prover_loaded(prover *p, prover_srs_info out[], size_t max);

#endif

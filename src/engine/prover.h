/* Internal side of the prover (cuzk/cuzk.h): what the daemon needs beside proving. */
#ifndef CUZK_ENGINE_PROVER_H
#define CUZK_ENGINE_PROVER_H

#include "base/error.h"
#include "cuzk/cuzk.h"
#include "filecoin/circuit_id.h"
#include "filecoin/request.h"

/* A proof in steps, so that a scheduler can put other work between partitions. cuzk_prover_prove is
 * these four in a row. */
typedef struct prover_job prover_job;

/* Checks the request's content, plans memory, acquires parameters and circuit (phases check,
 * srs_load). req and what opt points to must outlive the job. */
cuzk_status cuzk_prover_job_open(prover_job **out, cuzk_prover *p, const proof_request *req,
                                 const cuzk_prove_options *opt, cuzk_err *err);
unsigned cuzk_prover_job_partitions(const prover_job *j);
/* Proves and checks partition index of those (0 = the first asked for). One at a time. */
cuzk_status cuzk_prover_job_prove(prover_job *j, unsigned index, uint8_t out[CUZK_PROOF_BYTES],
                                  cuzk_err *err);
void cuzk_prover_job_close(prover_job *j); /* accepts NULL */

/* Loads the parameters of a circuit ahead of the first proof. */
cuzk_status cuzk_prover_preload(cuzk_prover *p, circuit_id id, bool *already_loaded,
                                cuzk_trace *trace, cuzk_err *err);

typedef struct {
    char circuit[24];
    uint64_t bytes;
    unsigned ref_count;
} cuzk_prover_srs_info;
/* Fills up to max entries and returns how many are loaded. Never waits for a load in progress. */
size_t cuzk_prover_loaded(cuzk_prover *p, cuzk_prover_srs_info out[], size_t max);

#endif

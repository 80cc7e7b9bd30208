/* Internal side of the prover (cuzk/cuzk.h): what the daemon needs beside proving. */
#ifndef CUZK_ENGINE_PROVER_H
#define CUZK_ENGINE_PROVER_H

#include "base/error.h"
#include "base/pool.h"
#include "cuzk/cuzk.h"
#include "filecoin/circuit_id.h"
#include "filecoin/request.h"

/* A proof in steps, so that a scheduler can put other work between partitions. cuzk_prover_prove is
 * these four in a row. */
typedef struct prover_job prover_job;

/* Checks the request's content, plans memory, acquires parameters and circuit (phases check,
 * srs_load). req and what opt points to must outlive the job.
 *
 * tenant (NULL: urgency 0, opt->cancel) is who works on the prover's pool: it is exclusive while a
 * partition is proved, and not during open, where the job may wait for what others hold. A phase
 * that begins with "wait_" does nothing but wait; whoever reports one reports another after it.
 * Names of phases are static strings. */
cuzk_status cuzk_prover_job_open(prover_job **out, cuzk_prover *p, const proof_request *req,
                                 const cuzk_prove_options *opt, cuzk_pool_tenant *tenant,
                                 cuzk_err *err);
unsigned cuzk_prover_job_partitions(const prover_job *j);
/* Proves and checks partition index of those (0 = the first asked for). One at a time. A proof that
 * its self-check rejects is made once more (phase "reprove"); rejected again, the job fails with
 * CUZK_UNSATISFIED, CUZK_PARAMS or CUZK_DEVICE. */
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

/* Test hook: so many of the next proofs are spoiled before their self-check. */
extern atomic_uint cuzk_prover_spoil_proofs;

#endif

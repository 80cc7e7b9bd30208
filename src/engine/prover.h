/* Internal side of the prover (cuzk/cuzk.h): what the daemon needs beside proving. */
#ifndef CUZK_ENGINE_PROVER_H
#define CUZK_ENGINE_PROVER_H

#include "base/error.h"
#include "base/pool.h"
#include "cuzk/cuzk.h"
#include "engine/budget.h"
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

/* Whether a proof of this circuit can ever be made here: CUZK_PARAMS when the file is missing,
 * CUZK_MEMORY when it needs more than the budget. Quick; reads no file. */
cuzk_status cuzk_prover_admit(cuzk_prover *p, circuit_id id, cuzk_err *err);

/* Loads the parameters of a circuit ahead of the first proof; waits until they are there. */
cuzk_status cuzk_prover_preload(cuzk_prover *p, circuit_id id, bool *already_loaded,
                                cuzk_trace *trace, cuzk_err *err);

/* The same in the background, one circuit after the other, on a thread "cuzk-preload". Once a
 * prover. A failure is logged and kept for the report; the others are still loaded. */
cuzk_status cuzk_prover_preload_start(cuzk_prover *p, const circuit_id id[], size_t n,
                                      cuzk_err *err);

/* The same by name: CUZK_INVAL names the one that does not exist. */
cuzk_status cuzk_prover_preload_names(cuzk_prover *p, const char *const name[], size_t n,
                                      cuzk_err *err);

/* How far that is: "LOADING percent %". All zero when nothing was to be preloaded. Never waits. */
typedef struct {
    unsigned n_all, n_done, n_failed; /* circuits; done: loaded or failed */
    unsigned percent;                 /* of the bytes of all of them; 100 only when done */
    char circuit[24];                 /* that is loading now; "" when done */
    cuzk_err error;                   /* of the first that failed */
} cuzk_preload_report;
void cuzk_prover_preload_report(cuzk_prover *p, cuzk_preload_report *out);

/* Gives up the memory of a circuit's parameters unless a proof uses them (busy: nothing is freed).
 * Waits for nobody, but returning 50 GB to the system takes a second. A load in progress counts as
 * use. Files are not touched. */
typedef struct {
    bool was_loaded;
    bool busy;
    unsigned ref_count;   /* users, when busy */
    uint64_t freed_bytes; /* as many as loading took */
} cuzk_evict_result;
cuzk_status cuzk_prover_evict(cuzk_prover *p, circuit_id id, cuzk_evict_result *out, cuzk_err *err);

/* Numbers as on the wire. */
typedef enum {
    SRS_HOT,  /* in memory */
    SRS_WARM, /* the file is open; its points are read as proofs need them */
    SRS_COLD, /* the file is there */
} srs_tier;

typedef struct {
    char circuit[24];
    uint64_t bytes;      /* in memory; when loading, in the end */
    uint64_t file_bytes; /* COLD only */
    unsigned ref_count;  /* proofs that use them now */
    srs_tier tier;
    bool loading;     /* on its way to HOT; tier is COLD meanwhile */
    unsigned percent; /* of the load; 100 when HOT */
    uint64_t idle_ns; /* since the last use ended; 0 while in use */
} cuzk_prover_srs_info;
/* Fills up to max entries with what is HOT, WARM or loading, and returns how many there are. Never
 * waits for a load in progress. */
size_t cuzk_prover_loaded(cuzk_prover *p, cuzk_prover_srs_info out[], size_t max);
/* The same for what is COLD: parameter files seen when the prover was made, or later. */
size_t cuzk_prover_on_disk(cuzk_prover *p, cuzk_prover_srs_info out[], size_t max);

/* The one budget of everything big that the process holds; lives as long as the prover. */
cuzk_budget *cuzk_prover_budget(cuzk_prover *p);
/* Times that parameters were loaded into memory, in all. More than there are circuits in use: they
 * push each other out, and the budget is too small. */
uint64_t cuzk_prover_n_loads(cuzk_prover *p);
/* Logs where parameters are looked for and what the memory budget is. */
void cuzk_prover_log_setup(cuzk_prover *p);

/* Test hook: so many of the next proofs are spoiled before their self-check. */
extern atomic_uint cuzk_prover_spoil_proofs;

#endif

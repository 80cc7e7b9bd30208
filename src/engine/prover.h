/* Internal side of the prover (cuzk/cuzk.h): what the daemon needs beside proving. */
#ifndef CUZK_ENGINE_PROVER_H
#define CUZK_ENGINE_PROVER_H

#include "base/error.h"
#include "cuzk/cuzk.h"
#include "filecoin/circuit_id.h"
#include "filecoin/request.h"

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

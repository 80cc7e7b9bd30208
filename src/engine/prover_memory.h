/* The memory of the prover: one budget, the parameters and circuits that are held, and what a job
 * takes of them (docs/memory.md).
 *
 * A job reserves everything it will need in one step, so that it never waits for memory while it
 * holds some; then it makes what is missing, alone or waiting for another job that makes it.
 */
#ifndef CUZK_ENGINE_PROVER_MEMORY_H
#define CUZK_ENGINE_PROVER_MEMORY_H

#include "engine/holdings.h"
#include "engine/memory_plan.h"
#include "engine/preload.h"
#include "engine/srs_load.h"

typedef struct prover_memory prover_memory;

/* params_dir and pool must outlive it. */
cuzk_status cuzk_prover_memory_new(prover_memory **out, const cuzk_prover_options *opt,
                                   const char *params_dir, cuzk_pool *pool, cuzk_err *err);
void cuzk_prover_memory_free(prover_memory *m); /* accepts NULL; ends a preload in progress */
/* In prover.c, for prover_srs.c. */
prover_memory *cuzk_prover_memory_of(const cuzk_prover *p);

typedef struct {
    int urgency; /* larger first */
    const atomic_bool *cancel;
    /* NULL, or told when it has to wait: "wait_memory" (reserve), "wait_params" (fill: for another
     * who loads or compiles them). */
    void (*waiting)(void *ctx, const char *phase);
    void *waiting_ctx;
} lease_wish;

/* Zeroed before first use; ends with release, also after a failure. */
typedef struct {
    prover_memory *memory; /* NULL: nothing reserved */
    circuit_id id;
    memory_answer plan;
    lease_wish wish;
    bool compiles;               /* a compiled circuit is wanted */
    bool make_srs, make_circuit; /* ours to make */
    holding *srs_holding, *circuit_holding;
    uint64_t partition_bytes;
    /* after fill */
    const groth16_srs *srs;
    const compiled_circuit *compiled; /* NULL: interpreted */
} memory_lease;

/* Waits until the memory of a proof is there. CUZK_MEMORY: it never will; CUZK_BUDGET: the machine
 * has not enough now; CUZK_CANCELLED. lease->plan says what was decided. */
cuzk_status cuzk_lease_reserve(memory_lease *lease, prover_memory *m, circuit_id id,
                               const lease_wish *wish, cuzk_err *err);
/* Loads and compiles what is missing (spans srs_load, compile). */
cuzk_status cuzk_lease_fill(memory_lease *lease, cuzk_trace *trace, cuzk_err *err);
void cuzk_lease_release(memory_lease *lease);

/* Parameters only, without waiting for memory: CUZK_BUDGET when that is in use. evict_others: idle
 * parameters may be given up for it. */
typedef struct {
    bool evict_others;
    const atomic_bool *cancel;
} preload_wish;
cuzk_status cuzk_memory_preload(prover_memory *m, circuit_id id, const preload_wish *wish,
                                bool *already_loaded, cuzk_trace *trace, cuzk_err *err);

/* See prover.h, engine.h. */
cuzk_status cuzk_memory_admit(prover_memory *m, circuit_id id, cuzk_err *err);
size_t cuzk_memory_on_disk(prover_memory *m, cuzk_prover_srs_info out[], size_t max);
cuzk_budget *cuzk_memory_budget(prover_memory *m);
holdings *cuzk_memory_holdings(prover_memory *m);
preload *cuzk_memory_preloading(prover_memory *m);
void cuzk_memory_log(const prover_memory *m); /* folder and budget, and where they come from */

#endif

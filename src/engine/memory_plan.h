/* Decides before a proof where its parameters will be, or that it cannot be made here. */
#ifndef CUZK_ENGINE_MEMORY_PLAN_H
#define CUZK_ENGINE_MEMORY_PLAN_H

#include "base/compiler.h"
#include "base/error.h"
#include "cuzk/cuzk.h"
#include "filecoin/circuit_id.h"
#include "groth16/prove_memory.h"

typedef struct {
    cuzk_srs_mode mode; /* asked for */
    bool loaded;        /* the parameters are resident already */
    bool compiled;      /* the prover uses the compiled circuit */
    unsigned n_threads;
    uint64_t available; /* now */
    uint64_t total;     /* the budget; UINT64_MAX: none */
} memory_question;

#define MEMORY_SENTENCE_BYTES 400
typedef struct {
    bool streamed;
    /* What the proof takes from the budget; srs also when it is loaded already. A circuit without
     * counts: all zero. */
    uint64_t srs_bytes, circuit_bytes, partition_bytes;
    char sentence[MEMORY_SENTENCE_BYTES]; /* need and available, for people */
} memory_answer;

/* CUZK_MEMORY, with both numbers, when it does not fit into the budget, CUZK_BUDGET when it does
 * not fit into what is available. A circuit that is not registered has no counts: it is let
 * through, as asked. */
cuzk_status cuzk_memory_plan(memory_answer *out, circuit_id id, const memory_question *q,
                             cuzk_err *err);

/* A proof's total and what a process takes besides: stacks, page tables (8 bytes a page of 4 KiB),
 * the pages of program and libraries. */
CUZK_INLINE uint64_t memory_of_process(uint64_t total)
{
    return total + total / 512 + ((uint64_t)16 << 20);
}

/* The counts for cuzk_prove_memory; false when the circuit has none. */
bool cuzk_memory_sizes(prove_sizes *out, circuit_id id, bool compiled);

#endif

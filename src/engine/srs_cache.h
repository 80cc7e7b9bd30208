/* Parameters in memory: each file loaded once, kept, and lent to proofs by reference count.
 *
 * Thread-safe. One thread loads a circuit while others that want it wait; different circuits may
 * load at the same time. A failed load is not remembered: the next acquire tries again.
 */
#ifndef CUZK_ENGINE_SRS_CACHE_H
#define CUZK_ENGINE_SRS_CACHE_H

#include "base/pool.h"
#include "base/trace.h"
#include "engine/prover.h"
#include "groth16/groth16.h"

typedef struct srs_cache srs_cache;

cuzk_status cuzk_srs_cache_new(srs_cache **out, const char *params_dir, cuzk_pool *pool,
                               cuzk_err *err);
void cuzk_srs_cache_free(srs_cache *cache); /* nothing may be acquired */

/* Lends the parameters of a circuit until release; loads them (span "srs_load") when needed, or
 * opens them when they are to be streamed. Both kinds of one circuit may be held.
 * loaded_before (may be NULL) tells whether they were there already. */
cuzk_status cuzk_srs_cache_acquire(srs_cache *cache, circuit_id id, bool streamed,
                                   const groth16_srs **out, bool *loaded_before, cuzk_trace *trace,
                                   cuzk_err *err);
void cuzk_srs_cache_release(srs_cache *cache, const groth16_srs *srs);

/* Is it resident already? Never waits for a load. */
bool cuzk_srs_cache_has(srs_cache *cache, circuit_id id);

/* The resident ones. Never waits for a load. */
size_t cuzk_srs_cache_list(srs_cache *cache, cuzk_prover_srs_info out[], size_t max);

#endif

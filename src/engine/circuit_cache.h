/* Compiled circuits, made at first use and kept: at most about 100 MiB for the largest.
 *
 * Thread-safe. A thread that wants a circuit waits while any other one is being compiled, which
 * takes less than a second.
 */
#ifndef CUZK_ENGINE_CIRCUIT_CACHE_H
#define CUZK_ENGINE_CIRCUIT_CACHE_H

#include "base/trace.h"
#include "compiled/compiled.h"
#include "filecoin/circuit_id.h"

typedef struct circuit_cache circuit_cache;

cuzk_status cuzk_circuit_cache_new(circuit_cache **out, cuzk_err *err);
void cuzk_circuit_cache_free(circuit_cache *cache); /* accepts NULL */

/* Valid until the cache is freed. Span "compile" when it has to be made. */
cuzk_status cuzk_circuit_cache_get(circuit_cache *cache, circuit_id id,
                                   const compiled_circuit **out, cuzk_trace *trace, cuzk_err *err);

#endif

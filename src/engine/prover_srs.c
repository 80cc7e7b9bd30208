/* The prover's parameters seen from outside: preloading, eviction, lists. */
#include "base/mem.h"
#include "engine/log.h"
#include "engine/prover_memory.h"

cuzk_status cuzk_prover_admit(cuzk_prover *p, circuit_id id, cuzk_err *err)
{
    return cuzk_memory_admit(cuzk_prover_memory_of(p), id, err);
}

cuzk_status cuzk_prover_preload(cuzk_prover *p, circuit_id id, bool *already_loaded,
                                cuzk_trace *trace, cuzk_err *err)
{
    const preload_wish wish = {.evict_others = true};
    return cuzk_memory_preload(cuzk_prover_memory_of(p), id, &wish, already_loaded, trace, err);
}

cuzk_status cuzk_prover_preload_start(cuzk_prover *p, const circuit_id id[], size_t n,
                                      cuzk_err *err)
{
    return cuzk_preload_begin(cuzk_memory_preloading(cuzk_prover_memory_of(p)), id, n, err);
}

cuzk_status cuzk_prover_preload_names(cuzk_prover *p, const char *const name[], size_t n,
                                      cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    circuit_id *id = CUZK_NEW_ARRAY(circuit_id, n + 1);
    if (!id)
        return cuzk_fail(err, CUZK_NOMEM, 0, "preload: no memory for %zu circuits", n);
    for (size_t i = 0; i < n; i++)
        CUZK_TRY(cuzk_circuit_id_parse(&id[i], name[i], err));
    CUZK_TRY(cuzk_prover_preload_start(p, id, n, err));
out:
    cuzk_free(id);
    return st;
}

void cuzk_prover_preload_report(cuzk_prover *p, cuzk_preload_report *out)
{
    cuzk_preload_look(cuzk_memory_preloading(cuzk_prover_memory_of(p)), out);
}

cuzk_status cuzk_prover_evict(cuzk_prover *p, circuit_id id, cuzk_evict_result *out, cuzk_err *err)
{
    char name[24];
    (void)err;
    cuzk_holdings_evict(cuzk_memory_holdings(cuzk_prover_memory_of(p)), id, out);
    cuzk_circuit_id_format(name, id);
    if (out->freed_bytes > 0)
        cuzk_log(CUZK_LOG_INFO, NULL, "parameters of %s evicted: %.1f MB freed", name,
                 (double)out->freed_bytes / 1e6);
    return CUZK_OK;
}

size_t cuzk_prover_loaded(cuzk_prover *p, cuzk_prover_srs_info out[], size_t max)
{
    return cuzk_holdings_list(cuzk_memory_holdings(cuzk_prover_memory_of(p)), out, max);
}

size_t cuzk_prover_on_disk(cuzk_prover *p, cuzk_prover_srs_info out[], size_t max)
{
    return cuzk_memory_on_disk(cuzk_prover_memory_of(p), out, max);
}

cuzk_budget *cuzk_prover_budget(cuzk_prover *p)
{
    return cuzk_memory_budget(cuzk_prover_memory_of(p));
}

uint64_t cuzk_prover_n_loads(cuzk_prover *p)
{
    return cuzk_holdings_n_loads(cuzk_memory_holdings(cuzk_prover_memory_of(p)));
}

void cuzk_prover_log_setup(cuzk_prover *p)
{
    cuzk_memory_log(cuzk_prover_memory_of(p));
}

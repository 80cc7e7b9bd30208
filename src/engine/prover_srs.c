/* The prover's parameters seen from outside: preloading, eviction, lists. */
#include "engine/prover.h"

cuzk_status cuzk_prover_admit(cuzk_prover *p, circuit_id id, cuzk_err *err)
{
    (void)p;
    (void)id;
    (void)err;
    return CUZK_OK;
}

cuzk_status cuzk_prover_preload_start(cuzk_prover *p, const circuit_id id[], size_t n,
                                      cuzk_err *err)
{
    (void)p;
    (void)id;
    (void)n;
    (void)err;
    return CUZK_OK;
}

void cuzk_prover_preload_report(cuzk_prover *p, cuzk_preload_report *out)
{
    (void)p;
    *out = (cuzk_preload_report){.n_all = 0};
}

cuzk_status cuzk_prover_evict(cuzk_prover *p, circuit_id id, cuzk_evict_result *out, cuzk_err *err)
{
    (void)p;
    (void)id;
    (void)err;
    *out = (cuzk_evict_result){.was_loaded = false};
    return CUZK_OK;
}

size_t cuzk_prover_on_disk(cuzk_prover *p, cuzk_prover_srs_info out[], size_t max)
{
    (void)p;
    (void)out;
    (void)max;
    return 0;
}

cuzk_budget *cuzk_prover_budget(cuzk_prover *p)
{
    (void)p;
    return NULL;
}

/* The daemon with the real prover. */
#include "base/error.h"
#include "base/mem.h"
#include "cuzk/daemon.h"
#include "engine/engine.h"
#include "rpc/daemon_loop.h"

static cuzk_status start_preload(cuzk_prover *prover, const cuzk_daemon_options *opt, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    circuit_id *id = CUZK_NEW_ARRAY(circuit_id, opt->n_preload + 1);
    if (!id)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for the list of parameters to load");
    for (size_t i = 0; st == CUZK_OK && i < opt->n_preload; i++)
        st = cuzk_circuit_id_parse(&id[i], opt->preload[i], err);
    if (st == CUZK_OK && opt->n_preload)
        st = cuzk_prover_preload_start(prover, id, opt->n_preload, err);
    cuzk_free(id);
    return st;
}

cuzk_status cuzk_daemon_run(const cuzk_daemon_options *opt, cuzk_err *err)
{
    sigset_t signals;
    cuzk_prover *prover = NULL;
    cuzk_prover_options prover_options = CUZK_PROVER_OPTIONS_DEFAULTS;
    prover_options.params_dir = opt->params_dir;
    prover_options.n_threads = opt->n_threads;
    prover_options.insecure_test_rs = opt->insecure_test_rs;
    prover_options.max_memory = opt->max_memory;
    prover_options.memory_margin = opt->memory_margin;
    prover_options.eviction_min_idle_s = opt->eviction_min_idle_s;
    prover_options.allow_insecure_params = opt->allow_insecure_params;
    prover_options.cache_dir = opt->cache_dir;
    cuzk_daemon_block_signals(&signals);
    cuzk_status st;
    CUZK_TRY(cuzk_daemon_open_log(opt, err));
    CUZK_TRY(cuzk_daemon_check(opt, err));
    CUZK_TRY(cuzk_prover_new(&prover, &prover_options, err));
    CUZK_TRY(start_preload(prover, opt, err));
    const engine_backend backend = cuzk_engine_backend_of(prover);
    CUZK_TRY(cuzk_daemon_serve(opt, &backend, &signals, err));
out:
    cuzk_prover_free(prover);
    return st;
}

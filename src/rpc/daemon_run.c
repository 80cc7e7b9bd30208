/* The daemon with the real prover. */
#include "base/error.h"
#include "cuzk/daemon.h"
#include "cuzk/switches.h"
#include "engine/engine.h"
#include "rpc/daemon_loop.h"

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
    CUZK_TRY(cuzk_switches_set(opt->opts ? opt->opts : "", err));
    CUZK_TRY(cuzk_prover_new(&prover, &prover_options, err));
    cuzk_prover_log_setup(prover);
    CUZK_TRY(cuzk_prover_preload_names(prover, opt->preload, opt->n_preload, err));
    const engine_backend backend = cuzk_engine_backend_of(prover);
    CUZK_TRY(cuzk_daemon_serve(opt, &backend, &signals, err));
out:
    cuzk_prover_free(prover);
    return st;
}

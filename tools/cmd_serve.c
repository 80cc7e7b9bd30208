/* cuzk serve: the daemon. */
#include <limits.h>
#include <stdio.h>

#include "cli.h"
#include "cuzk/daemon.h"

int cmd_serve(int argc, char **argv)
{
    int exit_code = 0;
    cli_common common = {0};
    cli_list listen = {0}, preload = {0};
    uint64_t memory_mib = 0;
    cuzk_daemon_options daemon = CUZK_DAEMON_DEFAULTS;
    uint64_t grace = daemon.grace_s, max_jobs = daemon.max_jobs;
    const cli_option options[] = {
        {"listen", CLI_STRING_LIST, &listen, "ADDRESS",
         "unix:///path or host:port; may be given several times;\ndefault: " CUZK_DEFAULT_ADDRESS},
        CLI_OPT_PARAMS(common),
        CLI_OPT_THREADS(common),
        {"max-jobs", CLI_UINT, &max_jobs, "N", "jobs waiting or running; more are refused"},
        {"grace", CLI_UINT, &grace, "SECONDS",
         "after SIGTERM, for the running job to finish; default 60"},
        {"insecure-listen", CLI_FLAG, &daemon.insecure, NULL,
         "allow TCP addresses beyond loopback: there is no authentication"},
        {"preload", CLI_STRING_LIST, &preload, "CIRCUIT",
         "load these parameters at start; may be given several times"},
        {"memory", CLI_UINT, &memory_mib, "MIB",
         "MiB for parameters and proofs; default: what machine and control groups allow,\n"
         "less a margin"},
        {"allow-insecure-params", CLI_FLAG, &daemon.allow_insecure_params, NULL,
         "use self-made parameters for 32 and 64 GiB as well: for tests only"},
        {"insecure-test-rs", CLI_FLAG, &daemon.insecure_test_rs, NULL,
         "use the published r, s: for tests with test parameters only"},
        CLI_OPT_JSON(common),
    };
    const cli_command cmd = {
        "serve [options]",
        "Runs the proving daemon in the foreground: gRPC service cuzk.v1.ProvingEngine. Parameters "
        "are\n"
        "loaded at the first proof of a circuit and kept. SIGTERM or SIGINT: no new jobs, the "
        "running one\n"
        "is finished, exit 0; a second signal ends at once. The log goes to stderr.",
        options,
        sizeof options / sizeof options[0],
        NULL,
        0};
    if (!cli_parse(&cmd, argc, argv, NULL, &exit_code))
        return exit_code;
    if (common.threads > UINT_MAX || grace > UINT_MAX || memory_mib > UINT64_MAX >> 20) {
        fprintf(stderr, "cuzk: --threads, --memory or --grace is out of range\n");
        return CLI_EXIT_USAGE;
    }
    daemon.listen = listen.value;
    daemon.n_listen = listen.n;
    daemon.preload = preload.value;
    daemon.n_preload = preload.n;
    daemon.max_memory = memory_mib << 20;
    daemon.params_dir = common.params_dir;
    daemon.n_threads = (unsigned)common.threads;
    daemon.max_jobs = (size_t)max_jobs;
    daemon.grace_s = (unsigned)grace;
    cuzk_err err = {0};
    cuzk_status st = cuzk_daemon_run(&daemon, &err);
    return st == CUZK_OK ? 0 : cli_fail(common.json, st, &err);
}

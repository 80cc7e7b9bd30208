/* cuzk synth request: full-size requests without a sealed sector. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "cuzk/synth.h"

static bool fits(uint64_t value, uint64_t max, const char *option)
{
    if (value <= max)
        return true;
    fprintf(stderr, "cuzk: synth request: --%s is too large\n", option);
    return false;
}

static void print_result(const char *circuit, const char *dir, const cuzk_synth_result *r,
                         const cuzk_trace *trace, double seconds, bool json)
{
    if (json) {
        yajl_gen g = cli_json_begin();
        cli_json_bool(g, "ok", true);
        cli_json_string(g, "request", dir);
        cli_json_string(g, "circuit", circuit);
        cli_json_string(g, "registered_proof", r->registered_proof);
        cli_json_uint(g, "partitions", r->n_partitions);
        cli_json_uint(g, "sectors", r->n_sectors);
        cli_json_uint(g, "files", r->n_files);
        cli_json_uint(g, "bytes", r->n_bytes);
        cli_json_hex(g, "comm_r", r->comm_r, 32);
        cli_json_double(g, "seconds", seconds);
        cli_json_trace(g, trace);
        cli_json_end(g);
        return;
    }
    cli_print_trace(trace, seconds);
    printf("%s: %s, %s, %u partition%s, %zu sector%s, %.1f MB in %.1f s\n", dir, circuit,
           r->registered_proof, r->n_partitions, r->n_partitions == 1 ? "" : "s", r->n_sectors,
           r->n_sectors == 1 ? "" : "s", (double)r->n_bytes / 1e6, seconds);
}

static int make(const char *circuit, const char *dir, cuzk_synth_options *opt, bool json)
{
    cuzk_err err = {0};
    cuzk_synth_result result;
    int exit_code = 0;
    opt->trace = cuzk_trace_new(circuit);
    cli_progress *progress = cli_progress_start("making a request");
    double begin = cli_now();
    cuzk_status st = cuzk_synth_request(&result, circuit, dir, opt, &err);
    cli_progress_stop(progress);
    if (st == CUZK_OK)
        print_result(circuit, dir, &result, opt->trace, cli_now() - begin, json);
    else
        exit_code = cli_fail(json, st, &err);
    cuzk_trace_free(opt->trace);
    return exit_code;
}

static int synth_request(int argc, char **argv)
{
    int exit_code = 0;
    cli_common common = {0};
    const char *circuit, *dir = NULL;
    cuzk_synth_options opt = CUZK_SYNTH_OPTIONS_DEFAULTS;
    uint64_t partitions = 0, sectors = 0;
    const cli_option options[] = {
        {"out", CLI_STRING, &dir, "DIR", "request folder to make"},
        {"seed", CLI_UINT, &opt.seed, "N",
         "selects the pseudo-random contents; default: 0, the published reference"},
        {"partitions", CLI_UINT, &partitions, "K",
         "PoRep and Snap: only the first K (cuzk itself wants all); Window: so\n"
         "many full ones; default: all, for Window one"},
        {"sectors", CLI_UINT, &sectors, "N", "Window: so many sectors instead of full partitions"},
        {"sector", CLI_UINT, &opt.sector, "N", "number of the (first) sector; default: 1"},
        {"miner", CLI_UINT, &opt.miner, "ID", "default: 1000"},
        {"type", CLI_STRING, &opt.registered_proof, "NAME",
         "registered proof, for example StackedDrg32GiBV1; default: the current\n"
         "one of the circuit"},
        CLI_OPT_THREADS(common),
        CLI_OPT_JSON(common),
    };
    static const char *const names[] = {"CIRCUIT"};
    const cli_command cmd = {
        "synth request CIRCUIT --out DIR [options]",
        "Makes a request for CIRCUIT (porep-32g, winning-2k, wpost-64g, snap-8m, ...) without a\n"
        "sealed sector: its vanilla proofs hold and verifiers accept them, but nothing was ever\n"
        "stored. For tests and benchmarks at full size: seconds and little memory, and the same\n"
        "bytes for the same options.",
        options,
        sizeof options / sizeof options[0],
        names,
        1};
    if (!cli_parse(&cmd, argc, argv, &circuit, &exit_code))
        return exit_code;
    if (!dir)
        fprintf(stderr, "cuzk: synth request wants --out DIR\n");
    if (!dir || !fits(partitions, UINT_MAX, "partitions") || !fits(sectors, SIZE_MAX, "sectors") ||
        !fits(common.threads, UINT_MAX, "threads"))
        return CLI_EXIT_USAGE;
    opt.n_partitions = (unsigned)partitions;
    opt.n_sectors = (size_t)sectors;
    opt.n_threads = (unsigned)common.threads;
    return make(circuit, dir, &opt, common.json);
}

int cmd_synth(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "request") == 0)
        return synth_request(argc - 1, argv + 1);
    bool help = strcmp(what, "--help") == 0 || strcmp(what, "-h") == 0;
    fprintf(help ? stdout : stderr, "usage: cuzk synth request CIRCUIT --out DIR [options]\n\n"
                                    "`cuzk synth request --help` explains.\n");
    return help ? 0 : CLI_EXIT_USAGE;
}

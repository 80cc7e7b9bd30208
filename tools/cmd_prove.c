/* cuzk prove: request folder in, proof file out, in this process. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

typedef struct {
    cli_common common;
    const char *request, *out_path, *srs, *synth, *trace_path;
    uint64_t partition, memory_mib;
    cuzk_srs_mode srs_mode;
    bool insecure_test_rs, allow_insecure_params, interpreted, explain_memory;
} prove_args;

#define PARTITION_ALL UINT64_MAX

static bool parse_srs(prove_args *a)
{
    static const struct {
        const char *word;
        cuzk_srs_mode mode;
    } modes[] = {
        {"auto", CUZK_SRS_AUTO}, {"resident", CUZK_SRS_RESIDENT}, {"streamed", CUZK_SRS_STREAMED}};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(a->srs, modes[i].word) == 0) {
            a->srs_mode = modes[i].mode;
            return true;
        }
    }
    fprintf(stderr, "cuzk: --srs is '%s'; it may be auto, resident or streamed\n", a->srs);
    return false;
}

static bool parse_synth(prove_args *a)
{
    if (strcmp(a->synth, "interpreted") == 0) {
        a->interpreted = true;
    } else if (strcmp(a->synth, "compiled") != 0) {
        fprintf(stderr, "cuzk: --synth is '%s'; it may be compiled or interpreted\n", a->synth);
        return false;
    }
    return true;
}

static bool parse_args(prove_args *a, int argc, char **argv, int *exit_code)
{
    const cli_option options[] = {
        {"out", CLI_STRING, &a->out_path, "FILE",
         "where to write the proof (192 bytes a partition)"},
        {"partition", CLI_UINT, &a->partition, "K", "prove partition K alone; default: all"},
        {"insecure-test-rs", CLI_FLAG, &a->insecure_test_rs, NULL,
         "use the published r, s: reproducible proofs for tests, only with\n"
         "parameters made by `cuzk params make --insecure-test-secrets`"},
        {"allow-insecure-params", CLI_FLAG, &a->allow_insecure_params, NULL,
         "use self-made parameters for 32 and 64 GiB as well: for tests only"},
        {"synth", CLI_STRING, &a->synth, "HOW",
         "compiled (default), or interpreted: the circuit is run row by row, the same\n"
         "proof, slower, for comparison"},
        {"interpreted", CLI_FLAG, &a->interpreted, NULL, "the same as --synth interpreted"},
        {"srs", CLI_STRING, &a->srs, "WHERE",
         "parameters resident (in memory), streamed (read from disk in chunks: less\n"
         "memory, the same proof), or auto: streamed for one partition, else\n"
         "resident if that fits (default)"},
        {"memory", CLI_UINT, &a->memory_mib, "MIB",
         "MiB that the proof may take; default: what machine and control groups allow,\n"
         "less a margin, and no more than is available"},
        {"explain-memory", CLI_FLAG, &a->explain_memory, NULL,
         "say on stderr what the proof will need, before it begins"},
        {"trace", CLI_STRING, &a->trace_path, "FILE",
         "write what ran when on which thread as Chrome trace JSON (for Perfetto)"},
        CLI_OPT_OPTS(a->common),
        CLI_OPT_THREADS(a->common),
        CLI_OPT_PARAMS(a->common),
        CLI_OPT_JSON(a->common),
    };
    static const char *const operands[] = {"REQUEST"};
    const cli_command cmd = {
        "prove REQUEST --out FILE [options]",
        "Proves the request in the folder REQUEST (or in its request.json) and writes the proof "
        "to\n"
        "FILE. The vanilla proof is checked first and the finished proof is verified before it is\n"
        "written. A table of phases follows on stderr; CUZK_TIMING=1 prints each phase as it ends.",
        options,
        sizeof options / sizeof options[0],
        operands,
        1};
    if (!cli_parse(&cmd, argc, argv, &a->request, exit_code))
        return false;
    if (!a->out_path || (a->partition != PARTITION_ALL && a->partition > INT_MAX) ||
        a->common.threads > UINT_MAX) {
        fprintf(stderr, "cuzk: %s\n",
                a->out_path ? "--partition or --threads is out of range" : "--out FILE is missing");
        *exit_code = CLI_EXIT_USAGE;
        return false;
    }
    if (a->memory_mib > UINT64_MAX >> 20 || !parse_srs(a) || !parse_synth(a)) {
        *exit_code = CLI_EXIT_USAGE;
        return false;
    }
    return cli_set_switches(a->common.opts, exit_code);
}

/* Silent when all is as expected. */
static void memory_notice(void *ctx, const char *sentence, bool streamed)
{
    const prove_args *a = ctx;
    if (a->explain_memory || (streamed && a->srs_mode == CUZK_SRS_AUTO))
        fprintf(stderr, "cuzk: %s\n", sentence);
}

static void report(const prove_args *a, const cuzk_request_info *info, const cuzk_trace *trace,
                   size_t n_bytes, double seconds)
{
    if (a->common.json) {
        yajl_gen g = cli_json_begin();
        cli_json_bool(g, "ok", true);
        cli_json_string(g, "circuit", info->circuit);
        cli_json_string(g, "registered_proof", info->registered_proof);
        cli_json_string(g, "out", a->out_path);
        cli_json_uint(g, "proof_bytes", n_bytes);
        cli_json_double(g, "seconds", seconds);
        cli_json_trace(g, trace);
        cli_json_end(g);
        return;
    }
    cli_print_trace(trace, seconds);
    printf("%s: %s proof of %zu bytes in %.2f s\n", a->out_path, info->circuit, n_bytes, seconds);
}

/* Each partition reads every point once: for one alone, nothing is gained by keeping them. */
cuzk_srs_mode cli_choose_srs(cuzk_srs_mode mode, bool one_partition)
{
    bool stream = mode == CUZK_SRS_AUTO && one_partition && cli_switch_on("stream-one");
    return stream ? CUZK_SRS_STREAMED : mode;
}

static cuzk_status prove(const prove_args *a, cuzk_prover *prover, const cuzk_request *req,
                         cuzk_trace *trace, uint8_t **proof, size_t *n_bytes, cuzk_err *err)
{
    cuzk_prove_options job = CUZK_PROVE_OPTIONS_DEFAULTS;
    cli_progress *progress = cli_progress_start("proving");
    job.partition = a->partition == PARTITION_ALL ? CUZK_ALL_PARTITIONS : (int)a->partition;
    job.trace = trace;
    job.progress = cli_progress_phase;
    job.progress_ctx = progress;
    job.memory_notice = memory_notice;
    job.memory_ctx = (void *)(uintptr_t)a;
    cuzk_status st = cuzk_prover_prove(prover, req, &job, proof, n_bytes, err);
    cli_progress_stop(progress);
    return st;
}

/* The phases that lie outside the library's: together they cover the whole time. */
static cuzk_status prove_and_write(const prove_args *a, const cuzk_request *req, cuzk_trace *trace,
                                   size_t *n_bytes, cuzk_err *err)
{
    cuzk_prover_options options = CUZK_PROVER_OPTIONS_DEFAULTS;
    options.params_dir = a->common.params_dir;
    options.n_threads = (unsigned)a->common.threads;
    options.insecure_test_rs = a->insecure_test_rs;
    options.allow_insecure_params = a->allow_insecure_params;
    options.interpreted = a->interpreted;
    options.srs = a->srs_mode;
    options.max_memory = a->memory_mib << 20;
    cuzk_prover *prover;
    uint8_t *proof = NULL;
    uint64_t begin = cli_now_ns();
    cuzk_status st = cuzk_prover_new(&prover, &options, err);
    if (st != CUZK_OK)
        return st;
    cuzk_trace_add(trace, "start", CUZK_NO_PARTITION, begin, cli_now_ns());
    st = prove(a, prover, req, trace, &proof, n_bytes, err);
    begin = cli_now_ns();
    if (st == CUZK_OK)
        st = cli_write_file(a->out_path, proof, *n_bytes, err);
    uint64_t written = cli_now_ns();
    cuzk_trace_add(trace, "write", CUZK_NO_PARTITION, begin, written);
    cuzk_bytes_free(proof);
    cuzk_prover_free(prover);
    cuzk_trace_add(trace, "release", CUZK_NO_PARTITION, written, cli_now_ns());
    return st;
}

static cuzk_status write_trace(const prove_args *a, cuzk_err *err)
{
    char note[256];
    if (!a->trace_path)
        return CUZK_OK;
    cuzk_counters_note(note, sizeof note);
    fprintf(stderr, "cuzk: %s: %s\n", a->trace_path, note);
    return cuzk_trace_write_file(a->trace_path, err);
}

int cmd_prove(int argc, char **argv)
{
    int exit_code = 0;
    prove_args a = {.partition = PARTITION_ALL, .srs = "auto", .synth = "compiled"};
    if (!parse_args(&a, argc, argv, &exit_code))
        return exit_code;
    cuzk_err err = {0};
    cuzk_request *req;
    uint64_t begin = cli_now_ns();
    cuzk_status st = cuzk_request_open(&req, a.request, &err);
    if (st != CUZK_OK)
        return cli_fail(a.common.json, st, &err);
    cuzk_request_info info;
    cuzk_request_describe(&info, req);
    a.srs_mode = cli_choose_srs(a.srs_mode, info.n_partitions == 1 || a.partition != PARTITION_ALL);
    cuzk_trace *trace = cuzk_trace_new(info.circuit);
    cuzk_trace_add(trace, "parse", CUZK_NO_PARTITION, begin, cli_now_ns());
    size_t n_bytes = 0;
    st = prove_and_write(&a, req, trace, &n_bytes, &err);
    double seconds = (double)(cli_now_ns() - begin) / 1e9;
    if (st == CUZK_OK)
        st = write_trace(&a, &err);
    if (st == CUZK_OK)
        report(&a, &info, trace, n_bytes, seconds);
    else
        exit_code = cli_fail(a.common.json, st, &err);
    cuzk_trace_free(trace);
    cuzk_request_close(req);
    return exit_code;
}

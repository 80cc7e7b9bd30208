/* cuzk bench prove and batch: whole proofs in this process. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

#define MAX_ITERATIONS 100000u

typedef struct {
    bench_prover b;
    uint64_t iterations, warmup, partition;
    bool cold;
} prove_args;

#define PARTITION_ALL UINT64_MAX

static int job_partition(const prove_args *a)
{
    return a->partition == PARTITION_ALL ? CUZK_ALL_PARTITIONS : (int)a->partition;
}

typedef struct {
    double wall_ms, cpu_ms;
    size_t n_bytes;
} one_proof;

/* One proof; its phases go to r unless that is NULL. */
static cuzk_status prove_one(one_proof *out, cuzk_prover *prover, const cuzk_request *req,
                             int partition, bench_report *r, cuzk_err *err)
{
    uint8_t *proof = NULL;
    cuzk_prove_options job = CUZK_PROVE_OPTIONS_DEFAULTS;
    cuzk_trace *trace = cuzk_trace_new("bench");
    double begin = cli_now(), begin_cpu = bench_cpu_ms();
    job.partition = partition;
    job.trace = trace;
    cuzk_status st = cuzk_prover_prove(prover, req, &job, &proof, &out->n_bytes, err);
    out->wall_ms = (cli_now() - begin) * 1e3;
    out->cpu_ms = bench_cpu_ms() - begin_cpu;
    if (st == CUZK_OK && r)
        bench_phases(r, trace);
    cuzk_bytes_free(proof);
    cuzk_trace_free(trace);
    return st;
}

/* ---- prove ---- */

static cuzk_status iterate(bench_report *r, const prove_args *a, const cuzk_prover_options *options,
                           const cuzk_request *req, cuzk_err *err)
{
    cuzk_prover *prover = NULL;
    cuzk_status st = CUZK_OK;
    for (uint64_t i = 0; i < a->warmup + a->iterations && st == CUZK_OK; i++) {
        one_proof p = {0, 0, 0};
        bool counted = i >= a->warmup;
        double begin = cli_now(), making = 0;
        if (!prover) {
            st = cuzk_prover_new(&prover, options, err);
            making = (cli_now() - begin) * 1e3;
        }
        if (st == CUZK_OK)
            st = prove_one(&p, prover, req, job_partition(a), counted ? r : NULL, err);
        if (st == CUZK_OK && counted) {
            bench_sample(r, "total", "ms", p.wall_ms + making);
            bench_sample(r, "cpu", "ms", p.cpu_ms);
        }
        if (a->cold) {
            cuzk_prover_free(prover);
            prover = NULL;
        }
    }
    cuzk_prover_free(prover);
    return st;
}

static cuzk_status run_prove(bench_report *r, const prove_args *a,
                             const cuzk_prover_options *options, const char *request, cuzk_err *err)
{
    cuzk_request *req = NULL;
    cuzk_request_info info;
    cuzk_status st = bench_open_request(&req, request, NULL, err);
    if (st != CUZK_OK)
        return st;
    cuzk_request_describe(&info, req);
    unsigned partitions = a->partition == PARTITION_ALL ? info.n_partitions : 1;
    cuzk_prover_options chosen = *options;
    chosen.srs = cli_choose_srs(options->srs, partitions == 1);
    cli_progress *progress = cli_progress_start("bench prove");
    st = iterate(r, a, &chosen, req, err);
    cli_progress_stop(progress);
    if (st == CUZK_OK) {
        double hours = bench_median(bench_find(r, "total")) / 3.6e6;
        bench_add_rate(r, "proofs", "1/h", 1 / hours);
        bench_add_rate(r, "partitions", "1/h", partitions / hours);
    }
    cuzk_request_close(req);
    return st;
}

#define PROVER_OPTIONS(b)                                                                          \
    {"srs", CLI_STRING, &(b).srs, "WHERE",                                                         \
     "parameters resident (default: loaded once), streamed or auto"},                              \
        {"synth", CLI_STRING, &(b).synth, "HOW", "compiled (default) or interpreted"},             \
        {"insecure-test-rs", CLI_FLAG, &(b).insecure_test_rs, NULL,                                \
         "use the published r, s: only with test parameters"},                                     \
        CLI_OPT_OPTS((b).common), CLI_OPT_THREADS((b).common), CLI_OPT_PARAMS((b).common),         \
        CLI_OPT_JSON((b).common)

static bool parse_prove(prove_args *a, int argc, char **argv, const char **request, int *exit_code)
{
    const cli_option options[] = {
        {"iterations", CLI_UINT, &a->iterations, "N", "proofs that count; default: 5"},
        {"warmup", CLI_UINT, &a->warmup, "N", "proofs before them that do not; default: 1"},
        {"partition", CLI_UINT, &a->partition, "K", "partition K alone; default: all"},
        {"cold", CLI_FLAG, &a->cold, NULL,
         "a new prover each time: parameters are loaded and the circuit is compiled again"},
        PROVER_OPTIONS(a->b),
    };
    static const char *const names[] = {"REQUEST"};
    const cli_command cmd = {
        "bench prove REQUEST [options]",
        "Proves REQUEST (a folder, or the name of a circuit, for which a request is made up) "
        "again\n"
        "and again in this process and shows the times of the whole and of each phase.",
        options,
        sizeof options / sizeof options[0],
        names,
        1};
    if (!cli_parse(&cmd, argc, argv, request, exit_code))
        return false;
    if (a->iterations > 0 && a->iterations <= MAX_ITERATIONS && a->warmup <= MAX_ITERATIONS &&
        (a->partition == PARTITION_ALL || a->partition <= INT_MAX))
        return true;
    fprintf(stderr, "cuzk: bench prove: an option is out of range\n");
    *exit_code = CLI_EXIT_USAGE;
    return false;
}

int bench_prove(int argc, char **argv)
{
    int exit_code = 0;
    const char *request;
    prove_args a = {
        .b = BENCH_PROVER_DEFAULTS, .iterations = 5, .warmup = 1, .partition = PARTITION_ALL};
    cuzk_prover_options options;
    if (!parse_prove(&a, argc, argv, &request, &exit_code) ||
        !bench_prover_options(&a.b, &options, &exit_code))
        return exit_code;
    bench_report r;
    cuzk_err err = {0};
    bench_report_init(&r, "prove");
    bench_request(&r, request);
    bench_setting(&r, "iterations", a.iterations);
    bench_setting(&r, "warmup", a.warmup);
    bench_setting_threads(&r, a.b.common.threads);
    bench_setting(&r, "cold", a.cold);
    r.how = a.b.synth;
    cuzk_status st = run_prove(&r, &a, &options, request, &err);
    exit_code =
        st == CUZK_OK ? bench_print(&r, a.b.common.json) : cli_fail(a.b.common.json, st, &err);
    bench_report_fini(&r);
    return exit_code;
}

/* ---- batch ---- */

typedef struct {
    bench_prover b;
    uint64_t copies, warmup;
    const char *request[BENCH_MAX_REQUESTS];
    unsigned n_requests;
} batch_args;

/* One pass over the requests; bytes of all proofs are added up. */
static cuzk_status one_round(bench_report *r, cuzk_prover *prover, cuzk_request *const req[],
                             unsigned n, size_t *n_bytes, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    for (unsigned i = 0; i < n && st == CUZK_OK; i++) {
        one_proof p = {0, 0, 0};
        char name[64];
        cuzk_request_info info;
        st = prove_one(&p, prover, req[i], CUZK_ALL_PARTITIONS, NULL, err);
        if (st != CUZK_OK || !r)
            continue;
        cuzk_request_describe(&info, req[i]);
        snprintf(name, sizeof name, "proof %s", info.circuit);
        bench_sample(r, name, "ms", p.wall_ms);
        *n_bytes += p.n_bytes;
    }
    return st;
}

static cuzk_status rounds(bench_report *r, const batch_args *a, cuzk_prover *prover,
                          cuzk_request *const req[], cuzk_err *err)
{
    size_t n_bytes = 0;
    cuzk_status st = CUZK_OK;
    for (uint64_t i = 0; i < a->warmup && st == CUZK_OK; i++)
        st = one_round(NULL, prover, req, a->n_requests, &n_bytes, err);
    double begin = cli_now(), begin_cpu = bench_cpu_ms();
    for (uint64_t i = 0; i < a->copies && st == CUZK_OK; i++)
        st = one_round(r, prover, req, a->n_requests, &n_bytes, err);
    double ms = (cli_now() - begin) * 1e3, n = (double)a->copies * a->n_requests;
    if (st != CUZK_OK)
        return st;
    bench_sample(r, "total", "ms", ms);
    bench_sample(r, "cpu", "ms", bench_cpu_ms() - begin_cpu);
    bench_add_rate(r, "proofs", "1/h", n / ms * 3.6e6);
    bench_add_rate(r, "partitions", "1/h", (double)(n_bytes / CUZK_PROOF_BYTES) / ms * 3.6e6);
    return CUZK_OK;
}

static cuzk_status run_batch(bench_report *r, const batch_args *a,
                             const cuzk_prover_options *options, cuzk_err *err)
{
    cuzk_request *req[BENCH_MAX_REQUESTS] = {NULL};
    cuzk_prover *prover = NULL;
    cuzk_status st = CUZK_OK;
    for (unsigned i = 0; i < a->n_requests && st == CUZK_OK; i++)
        st = bench_open_request(&req[i], a->request[i], NULL, err);
    if (st == CUZK_OK)
        st = cuzk_prover_new(&prover, options, err);
    cli_progress *progress = cli_progress_start("bench batch");
    if (st == CUZK_OK)
        st = rounds(r, a, prover, req, err);
    cli_progress_stop(progress);
    cuzk_prover_free(prover);
    for (unsigned i = 0; i < a->n_requests; i++)
        cuzk_request_close(req[i]);
    return st;
}

static bool parse_batch(batch_args *a, int argc, char **argv, int *exit_code)
{
    const cli_option options[] = {
        {"copies", CLI_UINT, &a->copies, "N", "rounds over all requests; default: 3"},
        {"warmup", CLI_UINT, &a->warmup, "N", "rounds before that do not count; default: 1"},
        PROVER_OPTIONS(a->b),
    };
    static const char *const names[] = {"REQUEST"};
    const cli_command cmd = {"bench batch REQUEST... [options]",
                             "Proves the requests (folders, or names of circuits) one after "
                             "another, all of them N times,\n"
                             "and shows the time of each and proofs an hour. At most 16 requests.",
                             options,
                             sizeof options / sizeof options[0],
                             names,
                             1};
    if (!cli_parse_many(&cmd, argc, argv, a->request, BENCH_MAX_REQUESTS, &a->n_requests,
                        exit_code))
        return false;
    if (a->copies > 0 && a->copies <= MAX_ITERATIONS && a->warmup <= MAX_ITERATIONS)
        return true;
    fprintf(stderr, "cuzk: bench batch: an option is out of range\n");
    *exit_code = CLI_EXIT_USAGE;
    return false;
}

int bench_batch(int argc, char **argv)
{
    int exit_code = 0;
    batch_args a = {.b = BENCH_PROVER_DEFAULTS, .copies = 3, .warmup = 1};
    cuzk_prover_options options;
    if (!parse_batch(&a, argc, argv, &exit_code) ||
        !bench_prover_options(&a.b, &options, &exit_code))
        return exit_code;
    bench_report r;
    cuzk_err err = {0};
    bench_report_init(&r, "batch");
    for (unsigned i = 0; i < a.n_requests; i++)
        bench_request(&r, a.request[i]);
    bench_setting(&r, "copies", a.copies);
    bench_setting(&r, "warmup", a.warmup);
    bench_setting_threads(&r, a.b.common.threads);
    r.how = a.b.synth;
    cuzk_status st = run_batch(&r, &a, &options, &err);
    exit_code =
        st == CUZK_OK ? bench_print(&r, a.b.common.json) : cli_fail(a.b.common.json, st, &err);
    bench_report_fini(&r);
    return exit_code;
}

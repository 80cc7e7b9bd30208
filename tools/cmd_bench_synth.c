/* cuzk bench synth-only: how fast a partition is synthesised, without parameters or proving. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* ---- results ---- */

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

static double mib(uint64_t bytes)
{
    return (double)bytes / 1048576;
}

typedef struct {
    double min, median, max, cpu; /* milliseconds; cpu: least of all threads together */
} stats;

static int by_wall(const void *a, const void *b)
{
    uint64_t x = ((const cuzk_bench_time *)a)->wall_ns, y = ((const cuzk_bench_time *)b)->wall_ns;
    return x < y ? -1 : x > y;
}

static stats stats_of(const cuzk_bench_time time[], unsigned n)
{
    cuzk_bench_time t[CUZK_BENCH_MAX_ITERATIONS];
    uint64_t cpu = UINT64_MAX;
    memcpy(t, time, n * sizeof *t);
    qsort(t, n, sizeof *t, by_wall);
    for (unsigned i = 0; i < n; i++)
        cpu = t[i].cpu_ns < cpu ? t[i].cpu_ns : cpu;
    return (stats){ms(t[0].wall_ns), ms(t[n / 2].wall_ns), ms(t[n - 1].wall_ns), ms(cpu)};
}

static void print_stats(const char *what, stats s)
{
    printf("%-9s wall min %.1f median %.1f max %.1f ms, least CPU time %.1f ms\n", what, s.min,
           s.median, s.max, s.cpu);
}

static void print_text(const cuzk_bench_synth_result *r, bool rows)
{
    printf("%s, one partition, %u thread%s, %u iteration%s\n", r->circuit, r->n_threads,
           r->n_threads == 1 ? "" : "s", r->iterations, r->iterations == 1 ? "" : "s");
    printf("rows %llu, inputs %llu, aux %llu: %llu bits (%.1f %% set), %llu field elements\n",
           (unsigned long long)r->n_rows, (unsigned long long)r->n_inputs,
           (unsigned long long)r->n_aux, (unsigned long long)r->n_bits,
           r->n_bits ? 100.0 * (double)r->n_ones / (double)r->n_bits : 0,
           (unsigned long long)r->n_fields);
    for (size_t i = 0; i < r->n_kinds; i++)
        printf("  %-15s %3u: %6llu templates, %8llu instances, %10llu rows\n", r->kind[i].name,
               r->kind[i].parameter, (unsigned long long)r->kind[i].n_templates,
               (unsigned long long)r->kind[i].n_instances, (unsigned long long)r->kind[i].n_rows);
    printf("  generic rows %llu\n", (unsigned long long)r->n_generic_rows);
    printf("memory: compiled circuit %.1f MiB, witness %.1f MiB, a and b %.1f MiB\n",
           mib(r->compiled_bytes), mib(r->witness_bytes), mib(rows ? r->row_bytes : 0));
    printf("peak resident: compiled %.1f, witness %.1f, end %.1f MiB\n", mib(r->peak_rss_compiled),
           mib(r->peak_rss_witness), mib(r->peak_rss_end));
    printf("compile   %.1f ms, CPU time %.1f ms\n", ms(r->compile.wall_ns), ms(r->compile.cpu_ns));
    print_stats("witness", stats_of(r->witness, r->iterations));
    if (!rows)
        return;
    printf("memory    %.1f ms for a and b, once\n", ms(r->row_memory.wall_ns));
    print_stats("a and b", stats_of(r->rows, r->iterations));
}

static void json_times(yajl_gen g, const char *key, const cuzk_bench_time t[], unsigned n)
{
    stats s = stats_of(t, n);
    cli_json_key(g, key);
    yajl_gen_map_open(g);
    cli_json_double(g, "min_ms", s.min);
    cli_json_double(g, "median_ms", s.median);
    cli_json_double(g, "max_ms", s.max);
    cli_json_double(g, "cpu_min_ms", s.cpu);
    yajl_gen_map_close(g);
}

static void json_kinds(yajl_gen g, const cuzk_bench_synth_result *r)
{
    cli_json_key(g, "gadgets");
    yajl_gen_array_open(g);
    for (size_t i = 0; i < r->n_kinds; i++) {
        yajl_gen_map_open(g);
        cli_json_string(g, "name", r->kind[i].name);
        cli_json_uint(g, "parameter", r->kind[i].parameter);
        cli_json_uint(g, "templates", r->kind[i].n_templates);
        cli_json_uint(g, "instances", r->kind[i].n_instances);
        cli_json_uint(g, "rows", r->kind[i].n_rows);
        yajl_gen_map_close(g);
    }
    yajl_gen_array_close(g);
}

static void fill_report(bench_report *report, const cuzk_bench_synth_result *r, const char *request,
                        bool rows)
{
    bench_report_init(report, "synth-only");
    bench_request(report, request);
    bench_setting(report, "iterations", r->iterations);
    bench_setting(report, "threads", r->n_threads);
    for (unsigned i = 0; i < r->iterations; i++) {
        uint64_t wall = r->witness[i].wall_ns + (rows ? r->rows[i].wall_ns : 0);
        uint64_t cpu = r->witness[i].cpu_ns + (rows ? r->rows[i].cpu_ns : 0);
        bench_sample(report, "total", "ms", ms(wall));
        bench_sample(report, "cpu", "ms", ms(cpu));
        bench_sample(report, "witness", "ms", ms(r->witness[i].wall_ns));
        if (rows)
            bench_sample(report, "a and b", "ms", ms(r->rows[i].wall_ns));
    }
    bench_add_rate(report, "rows", "1/s",
                   (double)r->n_rows / bench_median(bench_find(report, "total")) * 1e3);
}

static void print_json(const char *request, const cuzk_bench_synth_result *r, bool rows)
{
    bench_report report;
    fill_report(&report, r, request, rows);
    yajl_gen g = bench_json_begin(&report);
    cli_json_string(g, "circuit", r->circuit);
    cli_json_uint(g, "threads", r->n_threads);
    cli_json_uint(g, "iterations", r->iterations);
    cli_json_uint(g, "rows", r->n_rows);
    cli_json_uint(g, "aux", r->n_aux);
    cli_json_uint(g, "bits", r->n_bits);
    cli_json_uint(g, "ones", r->n_ones);
    cli_json_uint(g, "fields", r->n_fields);
    cli_json_uint(g, "generic_rows", r->n_generic_rows);
    json_kinds(g, r);
    cli_json_uint(g, "compiled_bytes", r->compiled_bytes);
    cli_json_uint(g, "witness_bytes", r->witness_bytes);
    cli_json_uint(g, "peak_rss_witness", r->peak_rss_witness);
    cli_json_uint(g, "peak_rss", r->peak_rss_end);
    json_times(g, "compile", &r->compile, 1);
    json_times(g, "witness", r->witness, r->iterations);
    if (rows) {
        json_times(g, "row_memory", &r->row_memory, 1);
        json_times(g, "a_and_b", r->rows, r->iterations);
    }
    bench_json_end(g, &report);
    bench_report_fini(&report);
}

/* ---- verb ---- */

static int run(const char *name, const cuzk_bench_synth_options *opt, bool json)
{
    cuzk_err err = {0};
    cuzk_request *req = NULL;
    cuzk_bench_synth_result r;
    int exit_code = 0;
    cuzk_status st = bench_open_request(&req, name, NULL, &err);
    if (st == CUZK_OK)
        st = cuzk_bench_synth(&r, req, opt, &err);
    if (st != CUZK_OK)
        exit_code = cli_fail(json, st, &err);
    else if (json)
        print_json(name, &r, !opt->witness_only);
    else
        print_text(&r, !opt->witness_only);
    cuzk_request_close(req);
    return exit_code;
}

int bench_synth(int argc, char **argv)
{
    int exit_code = 0;
    cli_common common = {0};
    const char *request;
    cuzk_bench_synth_options opt = CUZK_BENCH_SYNTH_OPTIONS_DEFAULTS;
    uint64_t iterations = 3, partition = 0;
    const cli_option options[] = {
        {"iterations", CLI_UINT, &iterations, "N", "default: 3, at most 64"},
        {"partition", CLI_UINT, &partition, "K", "default: 0"},
        {"witness-only", CLI_FLAG, &opt.witness_only, NULL, "leave out a = A w and b = B w"},
        {"check", CLI_FLAG, &opt.check, NULL,
         "afterwards evaluate A, B and C term by term and compare a b with c"},
        CLI_OPT_OPTS(common),
        CLI_OPT_THREADS(common),
        CLI_OPT_JSON(common),
    };
    static const char *const names[] = {"REQUEST"};
    const cli_command cmd = {
        "bench synth-only REQUEST [options]",
        "Compiles the circuit of REQUEST once, then fills the witness of one partition and\n"
        "evaluates all its rows, several times. REQUEST is a request folder or the name of a\n"
        "circuit, for which a request is made up. No parameters are needed.",
        options,
        sizeof options / sizeof options[0],
        names,
        1};
    if (!cli_parse(&cmd, argc, argv, &request, &exit_code) ||
        !cli_set_switches(common.opts, &exit_code))
        return exit_code;
    if (iterations == 0 || iterations > CUZK_BENCH_MAX_ITERATIONS || partition > UINT_MAX ||
        common.threads > UINT_MAX) {
        fprintf(stderr, "cuzk: bench synth-only: an option is out of range\n");
        return CLI_EXIT_USAGE;
    }
    opt.iterations = (unsigned)iterations;
    opt.partition = (unsigned)partition;
    opt.n_threads = (unsigned)common.threads;
    return run(request, &opt, common.json);
}

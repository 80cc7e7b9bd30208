/* cuzk bench micro: field, transforms, sums, gadgets. */
#include <limits.h>
#include <stdio.h>

#include "bench.h"

static void on_case(void *ctx, const cuzk_bench_micro_case *c)
{
    bench_report *r = ctx;
    for (unsigned i = 0; i < c->n; i++)
        bench_sample(r, c->name, "ns", c->ns[i]);
    const bench_series *s = bench_find(r, c->name);
    if (!s)
        return;
    bench_add_rate(r, c->name, "1/s", c->items / bench_median(s) * 1e9);
}

int bench_micro(int argc, char **argv)
{
    int exit_code = 0;
    cli_common common = {0};
    cuzk_bench_micro_options opt = CUZK_BENCH_MICRO_OPTIONS_DEFAULTS;
    const char *group[1] = {NULL};
    unsigned n_groups;
    uint64_t samples = 5, n = 65536;
    const cli_option options[] = {
        {"only", CLI_STRING, &opt.only, "TEXT", "cases with this in their name"},
        {"iterations", CLI_UINT, &samples, "N", "samples of a case; default: 5, at most 64"},
        {"n", CLI_UINT, &n, "N",
         "elements of a transform, points of a sum; below 64: the log2; default: 2^16"},
        CLI_OPT_OPTS(common),
        CLI_OPT_THREADS(common),
        CLI_OPT_JSON(common),
    };
    static const char *const names[] = {"GROUP"};
    const cli_command cmd = {
        "bench micro [field|ntt|msm|gadgets] [options]",
        "Measures the parts that proofs are made of; all groups when none is named. Each case "
        "runs\n"
        "once uncounted. Nanoseconds: of one element (field), of a whole transform or sum (ntt,\n"
        "msm), of one call (gadgets). CUZK_CPU=generic|adx|ifma chooses the arithmetic.",
        options,
        sizeof options / sizeof options[0],
        names,
        0};
    if (!cli_parse_many(&cmd, argc, argv, group, 1, &n_groups, &exit_code) ||
        !cli_set_switches(common.opts, &exit_code))
        return exit_code;
    if (samples == 0 || samples > CUZK_BENCH_MAX_ITERATIONS || n == 0 ||
        common.threads > UINT_MAX) {
        fprintf(stderr, "cuzk: bench micro: an option is out of range\n");
        return CLI_EXIT_USAGE;
    }
    bench_report r;
    cuzk_err err = {0};
    opt.group = group[0];
    opt.samples = (unsigned)samples;
    opt.n_threads = (unsigned)common.threads;
    opt.n = n < 64 ? (size_t)1 << n : (size_t)n;
    bench_report_init(&r, "micro");
    bench_request(&r, group[0] ? group[0] : "all");
    bench_setting(&r, "iterations", samples);
    bench_setting(&r, "n", opt.n);
    bench_setting_threads(&r, common.threads);
    cuzk_status st = cuzk_bench_micro(&opt, on_case, &r, &err);
    exit_code = st == CUZK_OK ? bench_print(&r, common.json) : cli_fail(common.json, st, &err);
    bench_report_fini(&r);
    return exit_code;
}

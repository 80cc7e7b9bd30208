/* bench_field, bench_ntt, bench_msm: a group of `cuzk bench micro` with the options of bench/micro,
 * a JSON line a case. GROUP is set by the build.
 *
 *   bench_GROUP [--threads T] [--reps R] [--window C] [--json] [CASE N...]
 *
 * N below 64 is the log2 of the size. Without a case: all. CUZK_CPU=generic|adx|ifma chooses the
 * path. Figures are the least of R runs (5).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "cuzk/bench.h"
#include "msm/msm_plan.h"

typedef struct {
    bool json;
    unsigned threads;
} output;

static int order(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void print_json(const output *o, const cuzk_bench_micro_case *c, const double ns[],
                       double cpu)
{
    const char *name = strchr(c->name, ' ') + 1;
    int n = (int)strcspn(name, strcmp(GROUP, "field") == 0 ? "" : " "); /* without the size */
    printf("{\"bench\":\"" GROUP "\",\"case\":\"%.*s\",\"path\":\"%s\",\"threads\":%u,"
           "\"n\":%.0f,\"reps\":%u,\"min_ns\":%.1f,\"median_ns\":%.1f,\"max_ns\":%.1f,"
           "\"items_per_s\":%.4g,\"cpu_ns_per_item\":%.1f,\"scratch_mib\":%.0f",
           n, name, cuzk_cpu_path_name(cuzk_cpu_active()), o->threads, c->items, c->n, ns[0],
           ns[c->n / 2], ns[c->n - 1], c->items / ns[0] * 1e9, cpu / c->items,
           (double)c->scratch_bytes / 1048576);
    if (c->bound_ns > 0)
        printf(",\"of_bound\":%.3f", c->bound_ns / ns[0]);
    printf("}\n");
    fflush(stdout);
}

static void report(void *ctx, const cuzk_bench_micro_case *c)
{
    const output *o = ctx;
    double ns[CUZK_BENCH_MAX_ITERATIONS], cpu[CUZK_BENCH_MAX_ITERATIONS];
    memcpy(ns, c->ns, sizeof ns);
    memcpy(cpu, c->cpu_ns, sizeof cpu);
    qsort(ns, c->n, sizeof ns[0], order);
    qsort(cpu, c->n, sizeof cpu[0], order);
    if (o->json)
        print_json(o, c, ns, cpu[0]);
    else
        printf("%-8s %-28s %u threads %14.2f ns %12.2f cpu-ns/item  scratch %.0f MiB\n",
               cuzk_cpu_path_name(cuzk_cpu_active()), c->name, o->threads, ns[0], cpu[0] / c->items,
               (double)c->scratch_bytes / 1048576);
}

static int run(const cuzk_bench_micro_options *opt, output *o)
{
    cuzk_err err = {0};
    o->threads = opt->n_threads;
    if (cuzk_bench_micro(opt, report, o, &err) == CUZK_OK)
        return 0;
    fprintf(stderr, "bench_" GROUP ": %s\n", err.msg);
    return 1;
}

int main(int argc, char **argv)
{
    cuzk_bench_micro_options opt = CUZK_BENCH_MICRO_OPTIONS_DEFAULTS;
    output o = {0};
    char only[64];
    int status = 0;
    bool ran = false;
    opt.group = GROUP;
    opt.n_threads = 1;
    for (int i = 1; i < argc && status == 0; i++) {
        size_t value = i + 1 < argc ? strtoull(argv[i + 1], NULL, 10) : 0;
        if (!strcmp(argv[i], "--json"))
            o.json = true;
        else if (!strcmp(argv[i], "--threads") && ++i)
            opt.n_threads = (unsigned)value;
        else if (!strcmp(argv[i], "--reps") && ++i)
            opt.samples = (unsigned)value;
        else if (!strcmp(argv[i], "--window") && ++i)
            cuzk_msm_forced_window = (unsigned)value;
        else if (argv[i][0] >= '0' && argv[i][0] <= '9') {
            value = strtoull(argv[i], NULL, 10);
            opt.n = value < 64 ? (size_t)1 << value : value;
            status = run(&opt, &o);
            ran = true;
        } else {
            snprintf(only, sizeof only, GROUP " %s ", argv[i]);
            opt.only = only;
        }
    }
    return status || ran ? status : run(&opt, &o);
}

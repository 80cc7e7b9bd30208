/* Inside of cuzk_bench_micro: what its groups of cases share. */
#ifndef CUZK_API_BENCH_MICRO_H
#define CUZK_API_BENCH_MICRO_H

#include "base/error.h"
#include "base/pool.h"
#include "cuzk/bench.h"

typedef struct {
    const cuzk_bench_micro_options *opt;
    unsigned n_samples;
    size_t n; /* of ntt and msm */
    cuzk_pool *pool;
    void (*report)(void *ctx, const cuzk_bench_micro_case *c);
    void *ctx;
    unsigned n_reported;
} bench_run;

typedef cuzk_status (*bench_fn)(void *ctx, cuzk_err *err);

/* Whether the case "group name" is asked for. */
bool cuzk_bench_wanted(const bench_run *r, const char *name);
/* One uncounted run of fn, then the samples; divided by n_repeats, and reported. */
cuzk_status cuzk_bench_case(bench_run *r, cuzk_bench_micro_case *c, double n_repeats, bench_fn fn,
                            void *ctx, cuzk_err *err);

/* The groups. */
cuzk_status cuzk_bench_field(bench_run *r, cuzk_err *err);
cuzk_status cuzk_bench_ntt(bench_run *r, cuzk_err *err);
cuzk_status cuzk_bench_msm(bench_run *r, cuzk_err *err);
cuzk_status cuzk_bench_gadgets(bench_run *r, cuzk_err *err);

/* Nanoseconds of one product (one lane) at two multiply-adds of eight lanes a cycle: 257 of them
 * for Fp, 105 for Fr, at 4.3 GHz, the clock of the processor of docs/field.md. */
#define BENCH_FP_PRODUCT_NS 3.74
#define BENCH_FR_PRODUCT_NS 1.53

#endif

/* cuzk_bench_micro: runs the groups' cases and takes their times. */
#include "api/bench_micro.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"

static const struct {
    const char *name;
    cuzk_status (*run)(bench_run *r, cuzk_err *err);
} groups[] = {
    {"field", cuzk_bench_field},
    {"ntt", cuzk_bench_ntt},
    {"msm", cuzk_bench_msm},
    {"gadgets", cuzk_bench_gadgets},
};

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

bool cuzk_bench_wanted(const bench_run *r, const char *name)
{
    return !r->opt->only || strstr(name, r->opt->only) != NULL;
}

cuzk_status cuzk_bench_case(bench_run *r, cuzk_bench_micro_case *c, double n_repeats, bench_fn fn,
                            void *ctx, cuzk_err *err)
{
    cuzk_status st = fn(ctx, err);
    for (c->n = 0; c->n < r->n_samples && st == CUZK_OK; c->n++) {
        double begin_cpu = cpu_ns();
        uint64_t begin = cuzk_now_ns();
        st = fn(ctx, err);
        c->ns[c->n] = (double)(cuzk_now_ns() - begin) / n_repeats;
        c->cpu_ns[c->n] = (cpu_ns() - begin_cpu) / n_repeats;
    }
    if (st != CUZK_OK)
        return st;
    r->report(r->ctx, c);
    r->n_reported++;
    return CUZK_OK;
}

static cuzk_status check(const cuzk_bench_micro_options *opt, cuzk_err *err)
{
    bool known = !opt->group;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(groups); i++)
        known = known || strcmp(opt->group, groups[i].name) == 0;
    if (!known)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "bench: \"%.40s\" is no group; there are field, ntt, msm and gadgets",
                         opt->group);
    if (opt->samples > CUZK_BENCH_MAX_ITERATIONS)
        return cuzk_fail(err, CUZK_INVAL, 0, "bench: at most %d samples",
                         CUZK_BENCH_MAX_ITERATIONS);
    if (opt->n > (size_t)1 << 26)
        return cuzk_fail(err, CUZK_INVAL, 0, "bench: at most 2^26 elements");
    return CUZK_OK;
}

cuzk_status cuzk_bench_micro(const cuzk_bench_micro_options *opt,
                             void (*report)(void *ctx, const cuzk_bench_micro_case *c), void *ctx,
                             cuzk_err *err)
{
    cuzk_status st;
    bench_run r = {.opt = opt, .report = report, .ctx = ctx};
    CUZK_TRY(check(opt, err));
    r.n_samples = opt->samples ? opt->samples : 5;
    r.n = opt->n ? opt->n : (size_t)1 << 16;
    CUZK_TRY(cuzk_pool_new(&r.pool, opt->n_threads, "cuzk-bench", err));
    for (size_t i = 0; i < CUZK_ARRAY_LEN(groups); i++)
        if (!opt->group || strcmp(opt->group, groups[i].name) == 0)
            CUZK_TRY(groups[i].run(&r, err));
    if (r.n_reported == 0)
        st = cuzk_fail(err, CUZK_INVAL, 0, "bench: no case has \"%.40s\" in its name", opt->only);
out:
    cuzk_pool_free(r.pool);
    return st;
}

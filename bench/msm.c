/* bench_msm: sums and multiples of points, time per point and core.
 *
 *   bench_msm [--threads T] [--reps R] [--window C] [--json] CASE N...
 *
 * CASE: g1 g2 (uniform scalars), g1-ones g2-ones (90 % ones), g1-bits g2-bits (0 and 1), g1-99
 * g2-99 (99 % 0 and 1), g1-sum g2-sum, g1-fixed g2-fixed.
 * N below 64 is the log2 of the size. The figures are the least of R runs (3): wall time, and
 * processor time over all threads a point, which other programs on the machine disturb less.
 * Points are all different.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "msm/msm.h"
#include "msm/msm_plan.h"
#include "report.h"

typedef enum { OP_MSM, OP_SUM, OP_FIXED } bench_op;

typedef struct {
    const char *name;
    int group;
    bench_op op;
    unsigned percent_bits; /* scalars that are 0 or 1 */
    bool ones;             /* of these: no zeros */
} bench_case;

static const bench_case cases[] = {
    {"g1", 1, OP_MSM, 0, false},         {"g2", 2, OP_MSM, 0, false},
    {"g1-ones", 1, OP_MSM, 90, true},    {"g2-ones", 2, OP_MSM, 90, true},
    {"g1-bits", 1, OP_MSM, 100, false},  {"g2-bits", 2, OP_MSM, 100, false},
    {"g1-99", 1, OP_MSM, 99, false},     {"g2-99", 2, OP_MSM, 99, false},
    {"g1-sum", 1, OP_SUM, 0, false},     {"g2-sum", 2, OP_SUM, 0, false},
    {"g1-fixed", 1, OP_FIXED, 0, false}, {"g2-fixed", 2, OP_FIXED, 0, false},
};

typedef struct {
    unsigned threads, reps;
    bool json;
    cuzk_pool *pool;
} bench_options;

typedef struct {
    fr_canon *k;
    g1_affine *p1;
    g2_affine *p2;
    g1_fixed_base *t1;
    g2_fixed_base *t2;
} bench_data;

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void make_scalars(fr_canon *k, size_t n, unsigned percent_bits, bool ones, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        for (int j = 0; j < 4; j++)
            k[i].l[j] = next_random(&seed);
        k[i].l[3] %= cuzk_fr_modulus[3];
        if (next_random(&seed) % 100 < percent_bits)
            k[i] = (fr_canon){{ones ? 1 : k[i].l[0] & 1}};
    }
}

static cuzk_status make_data(bench_data *d, const bench_case *c, size_t n, cuzk_pool *pool,
                             cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    d->k = CUZK_NEW_ARRAY(fr_canon, n);
    d->p1 = c->group == 1 ? CUZK_NEW_ARRAY(g1_affine, n) : NULL;
    d->p2 = c->group == 2 ? CUZK_NEW_ARRAY(g2_affine, n) : NULL;
    if (!d->k || (!d->p1 && !d->p2))
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for %zu points", n);
    make_scalars(d->k, n, 0, false, 1);
    if (c->group == 1) {
        CUZK_TRY(cuzk_g1_fixed_base_new(&d->t1, &cuzk_g1_generator, pool, err));
        CUZK_TRY(cuzk_g1_fixed_base_mul(d->t1, pool, d->p1, d->k, n, err));
    } else {
        CUZK_TRY(cuzk_g2_fixed_base_new(&d->t2, &cuzk_g2_generator, pool, err));
        CUZK_TRY(cuzk_g2_fixed_base_mul(d->t2, pool, d->p2, d->k, n, err));
    }
    make_scalars(d->k, n, c->percent_bits, c->ones, 2);
out:
    return st;
}

static void free_data(bench_data *d)
{
    cuzk_g2_fixed_base_free(d->t2);
    cuzk_g1_fixed_base_free(d->t1);
    cuzk_free(d->p2);
    cuzk_free(d->p1);
    cuzk_free(d->k);
}

static cuzk_status run_once(const bench_data *d, const bench_case *c, size_t n, cuzk_pool *pool,
                            cuzk_err *err)
{
    g1_jac j1;
    g2_jac j2;
    switch (c->op) {
    case OP_MSM:
        return c->group == 1 ? cuzk_msm_g1(pool, &j1, d->p1, NULL, d->k, n, err)
                             : cuzk_msm_g2(pool, &j2, d->p2, NULL, d->k, n, err);
    case OP_SUM:
        return c->group == 1 ? cuzk_sum_g1(pool, &j1, d->p1, NULL, n, err)
                             : cuzk_sum_g2(pool, &j2, d->p2, NULL, n, err);
    default:
        return c->group == 1 ? cuzk_g1_fixed_base_mul(d->t1, pool, d->p1, d->k, n, err)
                             : cuzk_g2_fixed_base_mul(d->t2, pool, d->p2, d->k, n, err);
    }
}

/* Products of a uniform sum: an addition a window and point, 6 products each, three times as many
 * in G2. 0 where the number depends on the scalars. */
static double products(const bench_case *c, size_t n, unsigned n_windows)
{
    double additions = c->op == OP_MSM && c->percent_bits == 0 ? n_windows
                       : c->op == OP_SUM                       ? 1
                                                               : 0;
    return additions * (double)n * 6 * (c->group == 1 ? 1 : 3);
}

static void report(bench_samples *s, const bench_case *c, size_t n, const bench_options *o,
                   double cpu, double mib)
{
    char extra[128];
    msm_plan plan;
    double each = cpu / (double)n;
    cuzk_msm_plan_make(&plan, n);
    snprintf(extra, sizeof extra,
             ",\"window\":%u,\"cpu_ns_per_point\":%.1f,\"scratch_mib\":%.0f", plan.c, each,
             mib);
    double bound = products(c, n, plan.n_windows) * BENCH_FP_PRODUCT_NS / o->threads;
    bench_sort(s);
    if (o->json)
        bench_json(s, "msm", c->name, o->threads, (double)n, bound, extra);
    else
        printf("%-9s %8zu  %u threads  window %2u  %10.3f ms  %8.1f cpu-ns/point  "
               "scratch %.0f MiB\n",
               c->name, n, o->threads, plan.c, s->ns[0] / 1e6, each, mib);
}

static cuzk_status bench(const bench_case *c, size_t n, const bench_options *o, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    bench_data d = {0};
    bench_samples s = {.n = 0};
    uint64_t best_cpu = UINT64_MAX;
    CUZK_TRY(make_data(&d, c, n, o->pool, err));
    uint64_t before = cuzk_mem_used();
    for (unsigned i = 0; i < o->reps; i++) {
        uint64_t begin = cuzk_now_ns(), begin_cpu = cpu_ns();
        CUZK_TRY(run_once(&d, c, n, o->pool, err));
        bench_add(&s, (double)(cuzk_now_ns() - begin));
        uint64_t cpu = cpu_ns() - begin_cpu;
        best_cpu = cpu < best_cpu ? cpu : best_cpu;
    }
    report(&s, c, n, o, (double)best_cpu, (double)(cuzk_mem_peak() - before) / (1 << 20));
out:
    free_data(&d);
    return st;
}

/* log2 of a size below 64, else the size. */
static size_t size_of(const char *text)
{
    size_t n = strtoull(text, NULL, 10);
    return n < 64 ? (size_t)1 << n : n;
}

int main(int argc, char **argv)
{
    bench_options o = {.threads = 1, .reps = 3};
    const bench_case *c = NULL;
    cuzk_err err = {0};
    int status = 0;
    for (int i = 1; i < argc; i++) {
        unsigned value = i + 1 < argc ? (unsigned)strtoul(argv[i + 1], NULL, 10) : 0;
        if (!strcmp(argv[i], "--json"))
            o.json = true;
        else if (!strcmp(argv[i], "--threads") && ++i)
            o.threads = value;
        else if (!strcmp(argv[i], "--reps") && ++i)
            o.reps = value;
        else if (!strcmp(argv[i], "--window") && ++i)
            cuzk_msm_forced_window = value;
        else if (argv[i][0] >= '0' && argv[i][0] <= '9' && c) {
            if (!o.pool && cuzk_pool_new(&o.pool, o.threads, "bench", &err) != CUZK_OK)
                break;
            if (bench(c, size_of(argv[i]), &o, &err) != CUZK_OK)
                break;
        } else {
            for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
                if (!strcmp(argv[i], cases[k].name))
                    c = &cases[k];
        }
    }
    if (!c || err.status != CUZK_OK) {
        fprintf(stderr, "bench_msm: %s\n", c ? err.msg : "name a case, then log2 sizes");
        status = 1;
    }
    cuzk_pool_free(o.pool);
    return status;
}

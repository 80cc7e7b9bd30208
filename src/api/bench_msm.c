/* Group "msm" of cuzk_bench_micro: sums and multiples of points, all different.
 *
 * g1 g2: uniform scalars; g1-ones g2-ones: 90 % ones; g1-bits g2-bits: 0 and 1; g1-99 g2-99: 99 %
 * of them 0 and 1; g1-sum g2-sum: no scalars; g1-fixed g2-fixed: multiples of one point.
 */
#include <stdio.h>
#include <string.h>

#include "api/bench_micro.h"
#include "base/mem.h"
#include "msm/msm.h"
#include "msm/msm_plan.h"

typedef enum { OP_MSM, OP_SUM, OP_FIXED } bench_op;

typedef struct {
    const char *name;
    int group;
    bench_op op;
    unsigned percent_bits; /* scalars that are 0 or 1 */
    bool ones;             /* of these: no zeros */
} msm_case;

static const msm_case cases[] = {
    {"g1", 1, OP_MSM, 0, false},         {"g2", 2, OP_MSM, 0, false},
    {"g1-ones", 1, OP_MSM, 90, true},    {"g2-ones", 2, OP_MSM, 90, true},
    {"g1-bits", 1, OP_MSM, 100, false},  {"g2-bits", 2, OP_MSM, 100, false},
    {"g1-99", 1, OP_MSM, 99, false},     {"g2-99", 2, OP_MSM, 99, false},
    {"g1-sum", 1, OP_SUM, 0, false},     {"g2-sum", 2, OP_SUM, 0, false},
    {"g1-fixed", 1, OP_FIXED, 0, false}, {"g2-fixed", 2, OP_FIXED, 0, false},
};

typedef struct {
    fr_canon *k;
    g1_affine *p1;
    g2_affine *p2;
    g1_fixed_base *t1;
    g2_fixed_base *t2;
} msm_data;

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

static cuzk_status make_data(msm_data *d, const msm_case *c, size_t n, cuzk_pool *pool,
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

static void free_data(msm_data *d)
{
    cuzk_g2_fixed_base_free(d->t2);
    cuzk_g1_fixed_base_free(d->t1);
    cuzk_free(d->p2);
    cuzk_free(d->p1);
    cuzk_free(d->k);
}

static cuzk_status run_once(const msm_data *d, const msm_case *c, size_t n, cuzk_pool *pool,
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
static double products(const msm_case *c, size_t n, unsigned n_windows)
{
    double additions = c->op == OP_MSM && c->percent_bits == 0 ? n_windows
                       : c->op == OP_SUM                       ? 1
                                                               : 0;
    return additions * (double)n * 6 * (c->group == 1 ? 1 : 3);
}

typedef struct {
    const msm_data *d;
    const msm_case *c;
    size_t n;
    cuzk_pool *pool;
} msm_run;

static cuzk_status run_case(void *ctx, cuzk_err *err)
{
    const msm_run *r = (const msm_run *)ctx;
    return run_once(r->d, r->c, r->n, r->pool, err);
}

static void name_case(char name[48], const msm_case *c, size_t n)
{
    unsigned lg = cuzk_lg_ceil(n);
    if ((size_t)1 << lg == n)
        snprintf(name, 48, "msm %s 2^%u", c->name, lg);
    else
        snprintf(name, 48, "msm %s %zu", c->name, n);
}

static cuzk_status measure(bench_run *r, const msm_case *c, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    cuzk_bench_micro_case m = {.items = (double)r->n};
    msm_data d = {0};
    msm_run run = {&d, c, r->n, r->pool};
    msm_plan plan;
    name_case(m.name, c, r->n);
    if (!cuzk_bench_wanted(r, m.name))
        return CUZK_OK;
    cuzk_msm_plan_make(&plan, r->n);
    m.bound_ns = products(c, r->n, plan.n_windows) * BENCH_FP_PRODUCT_NS / cuzk_pool_size(r->pool);
    CUZK_TRY(make_data(&d, c, r->n, r->pool, err));
    uint64_t before = cuzk_mem_used();
    CUZK_TRY(run_case(&run, err));
    m.scratch_bytes = cuzk_mem_peak() - before; /* at most: the peak is the process's */
    CUZK_TRY(cuzk_bench_case(r, &m, 1, run_case, &run, err));
out:
    free_data(&d);
    return st;
}

cuzk_status cuzk_bench_msm(bench_run *r, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(cases) && st == CUZK_OK; i++)
        st = measure(r, &cases[i], err);
    return st;
}

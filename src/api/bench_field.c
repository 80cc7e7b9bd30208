/* Group "field" of cuzk_bench_micro: one operation of each layer of the arithmetic, nanoseconds per
 * element. "latency" feeds each result into the next operation; "stream" works through 64
 * independent operands that stay in the cache.
 */
#include <stdio.h>
#include <string.h>

#include "api/bench_micro.h"
#include "base/cpu.h"
#include "curve/codec.h"
#include "curve/pairing.h"
#include "field/simd.h"

#define N_STREAM 64

typedef struct {
    fp x, y, xs[N_STREAM];
    fr s, t, ss[N_STREAM];
    fp2 z, w;
    g1_jac p1, q1;
    g2_jac p2, q2;
    fr_canon k;
    fp12 f, g;
} operands;

typedef struct {
    const char *name;
    void (*run)(operands *o, unsigned n);
    unsigned n;        /* repetitions in a run */
    unsigned elements; /* that one repetition handles */
} field_case;

static void run_fp_mul(operands *o, unsigned n)
{
    while (n--)
        fp_mul(&o->x, &o->x, &o->y);
}

static void run_fp_sqr(operands *o, unsigned n)
{
    while (n--)
        fp_sqr(&o->x, &o->x);
}

static void run_fp_mul_stream(operands *o, unsigned n)
{
    while (n--)
        for (int i = 0; i < N_STREAM; i++)
            fp_mul(&o->xs[i], &o->xs[i], &o->y);
}

static void run_fp_add(operands *o, unsigned n)
{
    while (n--)
        fp_add(&o->x, &o->x, &o->y);
}

static void run_fp_inv(operands *o, unsigned n)
{
    while (n--) {
        cuzk_fp_inv_vartime(&o->x, &o->x);
        fp_add(&o->x, &o->x, &o->y);
    }
}

static void run_fp_sqrt(operands *o, unsigned n)
{
    while (n--)
        (void)cuzk_fp_sqrt_vartime(&o->x, &o->y);
}

static void run_fr_mul(operands *o, unsigned n)
{
    while (n--)
        fr_mul(&o->s, &o->s, &o->t);
}

static void run_fr_mul_stream(operands *o, unsigned n)
{
    while (n--)
        for (int i = 0; i < N_STREAM; i++)
            fr_mul(&o->ss[i], &o->ss[i], &o->t);
}

static void run_fr_add(operands *o, unsigned n)
{
    while (n--)
        fr_add(&o->s, &o->s, &o->t);
}

static void run_fr_inv(operands *o, unsigned n)
{
    while (n--) {
        cuzk_fr_inv_vartime(&o->s, &o->s);
        fr_add(&o->s, &o->s, &o->t);
    }
}

static void run_fp2_mul(operands *o, unsigned n)
{
    while (n--)
        fp2_mul(&o->z, &o->z, &o->w);
}

static void run_g1_add(operands *o, unsigned n)
{
    while (n--)
        cuzk_g1_add(&o->p1, &o->p1, &o->q1);
}

static void run_g1_dbl(operands *o, unsigned n)
{
    while (n--)
        cuzk_g1_dbl(&o->p1, &o->p1);
}

static void run_g1_mul(operands *o, unsigned n)
{
    while (n--)
        cuzk_g1_mul(&o->p1, &o->p1, &o->k);
}

static void run_g2_add(operands *o, unsigned n)
{
    while (n--)
        cuzk_g2_add(&o->p2, &o->p2, &o->q2);
}

static void run_g2_mul(operands *o, unsigned n)
{
    while (n--)
        cuzk_g2_mul(&o->p2, &o->p2, &o->k);
}

static void run_g1_decode(operands *o, unsigned n)
{
    uint8_t b[48];
    g1_affine p;
    (void)o;
    cuzk_g1_write_compressed(b, &cuzk_g1_generator);
    while (n--)
        (void)cuzk_g1_read_compressed_checked(&p, b);
}

static void run_g2_decode(operands *o, unsigned n)
{
    uint8_t b[96];
    g2_affine p;
    (void)o;
    cuzk_g2_write_compressed(b, &cuzk_g2_generator);
    while (n--)
        (void)cuzk_g2_read_compressed_checked(&p, b);
}

static void run_miller(operands *o, unsigned n)
{
    while (n--)
        cuzk_miller_loop(&o->f, &cuzk_g1_generator, &cuzk_g2_generator, 1);
}

static void run_final_exp(operands *o, unsigned n)
{
    while (n--)
        cuzk_final_exp(&o->g, &o->f);
}

#if CUZK_HAVE_IFMA
CUZK_TARGET_IFMA static void run_fp8_mul(operands *o, unsigned n)
{
    fp8 v[N_STREAM / 8], w;
    fp8_broadcast(&w, &o->y);
    for (int i = 0; i < N_STREAM / 8; i++)
        fp8_load(&v[i], &o->xs[8 * i], sizeof(fp));
    while (n--)
        for (int i = 0; i < N_STREAM / 8; i++)
            fp8_mul(&v[i], &v[i], &w);
    for (int i = 0; i < N_STREAM / 8; i++) {
        fp8_reduce(&v[i], &v[i]);
        fp8_store(&o->xs[8 * i], sizeof(fp), &v[i]);
    }
}

CUZK_TARGET_IFMA static void run_fp8_sqr(operands *o, unsigned n)
{
    fp8 v[N_STREAM / 8];
    for (int i = 0; i < N_STREAM / 8; i++)
        fp8_load(&v[i], &o->xs[8 * i], sizeof(fp));
    while (n--)
        for (int i = 0; i < N_STREAM / 8; i++)
            fp8_sqr(&v[i], &v[i]);
    for (int i = 0; i < N_STREAM / 8; i++) {
        fp8_reduce(&v[i], &v[i]);
        fp8_store(&o->xs[8 * i], sizeof(fp), &v[i]);
    }
}

CUZK_TARGET_IFMA static void run_fr8_mul(operands *o, unsigned n)
{
    fr8 v[N_STREAM / 8], w;
    fr8_broadcast(&w, &o->t);
    for (int i = 0; i < N_STREAM / 8; i++)
        fr8_load(&v[i], &o->ss[8 * i]);
    while (n--)
        for (int i = 0; i < N_STREAM / 8; i++)
            fr8_mul(&v[i], &v[i], &w);
    for (int i = 0; i < N_STREAM / 8; i++) {
        fr8_reduce(&v[i], &v[i]);
        fr8_store(&o->ss[8 * i], &v[i]);
    }
}
#endif

static const field_case cases[] = {
    {"fp_mul latency", run_fp_mul, 20000, 1},
    {"fp_mul stream", run_fp_mul_stream, 300, N_STREAM},
    {"fp_sqr latency", run_fp_sqr, 20000, 1},
    {"fp_add latency", run_fp_add, 20000, 1},
    {"fp_inv", run_fp_inv, 200, 1},
    {"fp_sqrt", run_fp_sqrt, 50, 1},
    {"fr_mul latency", run_fr_mul, 20000, 1},
    {"fr_mul stream", run_fr_mul_stream, 300, N_STREAM},
    {"fr_add latency", run_fr_add, 20000, 1},
    {"fr_inv", run_fr_inv, 200, 1},
    {"fp2_mul latency", run_fp2_mul, 5000, 1},
    {"g1_add", run_g1_add, 2000, 1},
    {"g1_dbl", run_g1_dbl, 2000, 1},
    {"g1_mul", run_g1_mul, 20, 1},
    {"g2_add", run_g2_add, 1000, 1},
    {"g2_mul", run_g2_mul, 10, 1},
    {"g1_decode compressed", run_g1_decode, 20, 1},
    {"g2_decode compressed", run_g2_decode, 10, 1},
    {"miller_loop, 1 pair", run_miller, 10, 1},
    {"final_exp", run_final_exp, 10, 1},
};

#if CUZK_HAVE_IFMA
static const field_case simd_cases[] = {
    {"fp8_mul stream", run_fp8_mul, 300, N_STREAM},
    {"fp8_sqr stream", run_fp8_sqr, 300, N_STREAM},
    {"fr8_mul stream", run_fr8_mul, 300, N_STREAM},
};
#endif

static void init_operands(operands *o)
{
    memset(o, 0, sizeof *o);
    o->x = cuzk_g1_generator.x;
    fp_sqr(&o->y, &cuzk_g1_generator.y);
    cuzk_fr_from_u64(&o->s, 3);
    cuzk_fr_pow_u64(&o->s, &o->s, 1000003);
    fr_sqr(&o->t, &o->s);
    cuzk_fr_to_canon(&o->k, &o->t);
    o->z = cuzk_g2_generator.x;
    o->w = cuzk_g2_generator.y;
    for (int i = 0; i < N_STREAM; i++) {
        fp_add(&o->xs[i], i ? &o->xs[i - 1] : &o->x, &o->y);
        fr_add(&o->ss[i], i ? &o->ss[i - 1] : &o->s, &o->t);
    }
    cuzk_g1_from_affine(&o->q1, &cuzk_g1_generator);
    cuzk_g2_from_affine(&o->q2, &cuzk_g2_generator);
    cuzk_g1_dbl(&o->p1, &o->q1);
    cuzk_g2_dbl(&o->p2, &o->q2);
    cuzk_g1_dbl(&o->q1, &o->p1); /* z != 1, so that the general addition is measured */
    cuzk_g2_dbl(&o->q2, &o->p2);
    o->f = cuzk_fp12_one;
}

/* Of the products: what eight lanes could do at best. */
static double bound_of(const char *name)
{
    if (!strncmp(name, "fp_mul", 6) || !strncmp(name, "fp8_mul", 7))
        return BENCH_FP_PRODUCT_NS;
    return !strncmp(name, "fr_mul", 6) || !strncmp(name, "fr8_mul", 7) ? BENCH_FR_PRODUCT_NS : 0;
}

typedef struct {
    const field_case *c;
    operands *o;
} field_run;

static cuzk_status run_case(void *ctx, cuzk_err *err)
{
    const field_run *r = (const field_run *)ctx;
    (void)err;
    r->c->run(r->o, r->c->n);
    return CUZK_OK;
}

static cuzk_status measure(bench_run *r, const field_case *c, operands *o, cuzk_err *err)
{
    cuzk_bench_micro_case m = {.items = 1, .bound_ns = bound_of(c->name)};
    field_run run = {c, o};
    snprintf(m.name, sizeof m.name, "field %s", c->name);
    if (!cuzk_bench_wanted(r, m.name))
        return CUZK_OK;
    return cuzk_bench_case(r, &m, (double)c->n * c->elements, run_case, &run, err);
}

cuzk_status cuzk_bench_field(bench_run *r, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    operands o;
    init_operands(&o);
    for (size_t i = 0; i < CUZK_ARRAY_LEN(cases); i++)
        CUZK_TRY(measure(r, &cases[i], &o, err));
#if CUZK_HAVE_IFMA
    for (size_t i = 0; cuzk_cpu_lanes() && i < CUZK_ARRAY_LEN(simd_cases); i++)
        CUZK_TRY(measure(r, &simd_cases[i], &o, err));
#endif
out:
    return st;
}

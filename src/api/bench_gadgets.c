/* Group "gadgets" of cuzk_bench_micro: gadgets into an empty sink (what building their rows costs),
 * and the native hashes. Nanoseconds per call. */
#include <stdio.h>

#include "api/bench_micro.h"
#include "circuit/poseidon_gadget.h"
#include "circuit/sha256_gadget.h"

#define MAX_ARITY 11
#define CALLS     20

typedef struct {
    cs c;
    num in[MAX_ARITY];
    boolean bit[2 * SHA256_HALF_BITS];
    boolean out[SHA256_HALF_BITS];
    sha256_state state;
} gadget_data;

typedef struct {
    const char *name;
    void (*run)(gadget_data *d);
} gadget_case;

static cuzk_status drop_variable(void *self, const fr *value, cuzk_err *err)
{
    (void)self, (void)value, (void)err;
    return CUZK_OK;
}

static cuzk_status drop_row(void *self, cs_lc *a, cs_lc *b, cs_lc *c, cuzk_err *err)
{
    (void)self, (void)a, (void)b, (void)c, (void)err;
    return CUZK_OK;
}

static void poseidon_native(gadget_data *d, poseidon_kind kind)
{
    fr in[MAX_ARITY];
    for (unsigned i = 0; i < cuzk_poseidon_arity(kind); i++)
        in[i] = d->in[i].value;
    cuzk_poseidon_hash(&d->in[0].value, kind, in);
}

static void native_2(gadget_data *d)
{
    poseidon_native(d, POSEIDON_2);
}

static void native_8(gadget_data *d)
{
    poseidon_native(d, POSEIDON_8);
}

static void native_11(gadget_data *d)
{
    poseidon_native(d, POSEIDON_11);
}

static void gadget_2(gadget_data *d)
{
    (void)cuzk_poseidon_gadget(&d->c, POSEIDON_2, d->in);
}

static void gadget_8(gadget_data *d)
{
    (void)cuzk_poseidon_gadget(&d->c, POSEIDON_8, d->in);
}

static void gadget_11(gadget_data *d)
{
    (void)cuzk_poseidon_gadget(&d->c, POSEIDON_11, d->in);
}

static void compression(gadget_data *d)
{
    sha256_state s = d->state;
    cuzk_sha256_gadget_compress(&d->c, &s, d->bit, d->bit + SHA256_HALF_BITS);
}

static void to_bits(gadget_data *d)
{
    cuzk_num_to_bits(&d->c, d->out, &d->in[0]);
}

static const gadget_case cases[] = {
    {"poseidon-2 native", native_2},
    {"poseidon-8 native", native_8},
    {"poseidon-11 native", native_11},
    {"poseidon-2 rows", gadget_2},
    {"poseidon-8 rows", gadget_8},
    {"poseidon-11 rows", gadget_11},
    {"sha256 compression rows", compression},
    {"to_bits rows", to_bits},
};

typedef struct {
    const gadget_case *c;
    gadget_data *d;
} gadget_run;

static cuzk_status run_case(void *ctx, cuzk_err *err)
{
    const gadget_run *r = (const gadget_run *)ctx;
    (void)err;
    for (unsigned i = 0; i < CALLS; i++)
        r->c->run(r->d);
    return r->d->c.st;
}

static void init_data(gadget_data *d)
{
    static const cs_sink_ops ops = {drop_variable, drop_variable, drop_row};
    cs_init(&d->c, &ops, NULL);
    for (unsigned i = 0; i < MAX_ARITY; i++) {
        fr x;
        cuzk_fr_from_u64(&x, 0x9e3779b97f4a7c15u + i);
        fr_sqr(&x, &x);
        d->in[i] = cuzk_num_alloc(&d->c, &x);
    }
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(d->bit); i++)
        d->bit[i] = cuzk_bool_alloc(&d->c, i % 3 == 0);
    cuzk_sha256_gadget_iv(&d->state);
}

cuzk_status cuzk_bench_gadgets(bench_run *r, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(cases) && st == CUZK_OK; i++) {
        gadget_data d; /* afresh: the 2^31 variables of a system are not used up */
        cuzk_bench_micro_case m = {.items = 1};
        gadget_run run = {&cases[i], &d};
        snprintf(m.name, sizeof m.name, "gadgets %s", cases[i].name);
        if (!cuzk_bench_wanted(r, m.name))
            continue;
        init_data(&d);
        st = cuzk_bench_case(r, &m, CALLS, run_case, &run, err);
    }
    return st;
}

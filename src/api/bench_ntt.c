/* Group "ntt" of cuzk_bench_micro: transforms over Fr and the quotient. */
#include <stdio.h>
#include <string.h>

#include "api/bench_micro.h"
#include "base/mem.h"
#include "ntt/ntt.h"
#include "ntt/quotient.h"

typedef enum { FORWARD_NR, FORWARD_RN, INVERSE_NR, INVERSE_RN, QUOTIENT, REVERSE, PLAN } ntt_case;

static const char *const names[] = {"forward-nr", "forward-rn", "inverse-nr", "inverse-rn",
                                    "quotient",   "reverse",    "plan"};

typedef struct {
    ntt_case c;
    unsigned lg_n;
    cuzk_pool *pool;
    ntt_plan *plan;
    fr *x[3];
} ntt_data;

static void fill(fr *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        for (int j = 0; j < 4; j++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            x[i].l[j] = j < 3 ? seed : seed >> 2; /* below r */
        }
}

static cuzk_status make_data(ntt_data *d, size_t n, cuzk_err *err)
{
    for (int i = 0; i < 3; i++) {
        d->x[i] = CUZK_NEW_ARRAY(fr, n);
        if (!d->x[i])
            return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for %zu elements", n);
        fill(d->x[i], n, (uint64_t)i + 1);
    }
    return cuzk_ntt_plan_new(&d->plan, d->lg_n, d->pool, err);
}

static cuzk_status run_once(void *ctx, cuzk_err *err)
{
    void (*const transforms[])(const ntt_plan *, fr *, cuzk_pool *) = {
        cuzk_ntt_forward_nr, cuzk_ntt_forward_rn, cuzk_ntt_inverse_nr, cuzk_ntt_inverse_rn};
    ntt_data *d = (ntt_data *)ctx;
    if (d->c <= INVERSE_RN)
        transforms[d->c](d->plan, d->x[0], d->pool);
    else if (d->c == QUOTIENT)
        cuzk_ntt_quotient(d->plan, d->x[0], d->x[1], d->x[2], d->pool);
    else if (d->c == REVERSE)
        cuzk_ntt_bit_reverse(d->plan, d->x[0], d->pool);
    else {
        cuzk_ntt_plan_free(d->plan);
        d->plan = NULL;
        return cuzk_ntt_plan_new(&d->plan, d->lg_n, d->pool, err);
    }
    return CUZK_OK;
}

/* Products of a run: n/2 lg n a transform; the quotient has six and 7.5 n pointwise ones. */
static double products(ntt_case c, double n, unsigned lg_n)
{
    double transform = n / 2 * lg_n;
    if (c <= INVERSE_RN)
        return transform;
    return c == QUOTIENT ? 6 * transform + 7.5 * n : 0;
}

static cuzk_status measure(bench_run *r, ntt_data *d, cuzk_err *err)
{
    unsigned threads = cuzk_pool_size(r->pool);
    cuzk_bench_micro_case m = {.items = (double)r->n};
    m.bound_ns = products(d->c, m.items, d->lg_n) * BENCH_FR_PRODUCT_NS / threads;
    snprintf(m.name, sizeof m.name, "ntt %s 2^%u", names[d->c], d->lg_n);
    return cuzk_bench_wanted(r, m.name) ? cuzk_bench_case(r, &m, 1, run_once, d, err) : CUZK_OK;
}

cuzk_status cuzk_bench_ntt(bench_run *r, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    ntt_data d = {.lg_n = cuzk_lg_ceil(r->n), .pool = r->pool};
    if ((size_t)1 << d.lg_n != r->n) {
        if (r->opt->group)
            st = cuzk_fail(err, CUZK_INVAL, 0, "bench: %zu is no power of two", r->n);
        return st; /* of all groups: the others can do it */
    }
    CUZK_TRY(make_data(&d, r->n, err));
    for (d.c = FORWARD_NR; d.c <= PLAN; d.c++)
        CUZK_TRY(measure(r, &d, err));
out:
    cuzk_ntt_plan_free(d.plan);
    for (int i = 0; i < 3; i++)
        cuzk_free(d.x[i]);
    return st;
}

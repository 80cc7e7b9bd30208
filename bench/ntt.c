/* bench_ntt: transforms over Fr and the quotient.
 *
 *   CUZK_CPU=generic|adx|ifma bench_ntt [--threads T] [--reps R] [--json] CASE LG_N...
 *
 * CASE: forward-nr forward-rn inverse-nr inverse-rn quotient reverse plan. Wall time, least of R
 * runs (5), and processor time over all threads.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "ntt/ntt.h"
#include "ntt/quotient.h"
#include "report.h"

typedef struct {
    unsigned threads, reps;
    bool json;
    cuzk_pool *pool;
} bench_options;

typedef struct {
    ntt_plan *plan;
    fr *x[3];
} bench_data;

typedef enum { FORWARD_NR, FORWARD_RN, INVERSE_NR, INVERSE_RN, QUOTIENT, REVERSE, PLAN } bench_case;

static const char *const names[] = {"forward-nr", "forward-rn", "inverse-nr", "inverse-rn",
                                    "quotient",   "reverse",    "plan"};

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void fill(fr *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        for (int j = 0; j < 4; j++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            x[i].l[j] = j < 3 ? seed : seed >> 2; /* below r */
        }
}

static cuzk_status make_data(bench_data *d, size_t n, unsigned lg_n, cuzk_pool *pool, cuzk_err *err)
{
    for (int i = 0; i < 3; i++) {
        d->x[i] = CUZK_NEW_ARRAY(fr, n);
        if (!d->x[i])
            return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for %zu elements", n);
        fill(d->x[i], n, (uint64_t)i + 1);
    }
    return cuzk_ntt_plan_new(&d->plan, lg_n, pool, err);
}

static cuzk_status run_once(bench_data *d, bench_case c, unsigned lg_n, cuzk_pool *pool,
                            cuzk_err *err)
{
    void (*const transforms[])(const ntt_plan *, fr *, cuzk_pool *) = {
        cuzk_ntt_forward_nr, cuzk_ntt_forward_rn, cuzk_ntt_inverse_nr, cuzk_ntt_inverse_rn};
    if (c <= INVERSE_RN)
        transforms[c](d->plan, d->x[0], pool);
    else if (c == QUOTIENT)
        cuzk_ntt_quotient(d->plan, d->x[0], d->x[1], d->x[2], pool);
    else if (c == REVERSE)
        cuzk_ntt_bit_reverse(d->plan, d->x[0], pool);
    else {
        cuzk_ntt_plan_free(d->plan);
        d->plan = NULL;
        return cuzk_ntt_plan_new(&d->plan, lg_n, pool, err);
    }
    return CUZK_OK;
}

/* Products of a run: n/2 lg n a transform; the quotient has six and 7.5 n pointwise ones. */
static double products(bench_case c, double n, unsigned lg_n)
{
    double transform = n / 2 * lg_n;
    if (c <= INVERSE_RN)
        return transform;
    return c == QUOTIENT ? 6 * transform + 7.5 * n : 0;
}

static cuzk_status bench(bench_case c, unsigned lg_n, const bench_options *o, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    size_t n = (size_t)1 << lg_n;
    bench_data d = {0};
    bench_samples s = {.n = 0};
    uint64_t best_cpu = UINT64_MAX;
    CUZK_TRY(make_data(&d, n, lg_n, o->pool, err));
    for (unsigned i = 0; i < o->reps; i++) {
        uint64_t begin = cuzk_now_ns(), begin_cpu = cpu_ns();
        CUZK_TRY(run_once(&d, c, lg_n, o->pool, err));
        bench_add(&s, (double)(cuzk_now_ns() - begin));
        uint64_t cpu = cpu_ns() - begin_cpu;
        best_cpu = cpu < best_cpu ? cpu : best_cpu;
    }
    double bound = products(c, (double)n, lg_n) * BENCH_FR_PRODUCT_NS / o->threads;
    bench_sort(&s);
    if (o->json)
        bench_json(&s, "ntt", names[c], o->threads, (double)n, bound, "");
    else
        printf("%-10s 2^%-2u  %u threads  %10.3f ms  %10.3f cpu-ms\n", names[c], lg_n, o->threads,
               s.ns[0] / 1e6, (double)best_cpu / 1e6);
out:
    cuzk_ntt_plan_free(d.plan);
    for (int i = 0; i < 3; i++)
        cuzk_free(d.x[i]);
    return st;
}

int main(int argc, char **argv)
{
    bench_options o = {.threads = 1, .reps = 5};
    int c = -1;
    cuzk_err err = {0};
    for (int i = 1; i < argc && err.status == CUZK_OK; i++) {
        unsigned value = i + 1 < argc ? (unsigned)strtoul(argv[i + 1], NULL, 10) : 0;
        if (!strcmp(argv[i], "--json"))
            o.json = true;
        else if (!strcmp(argv[i], "--threads") && ++i)
            o.threads = value;
        else if (!strcmp(argv[i], "--reps") && ++i)
            o.reps = value > 0 ? value : 1;
        else if (argv[i][0] >= '0' && argv[i][0] <= '9' && c >= 0) {
            if (o.pool || cuzk_pool_new(&o.pool, o.threads, "bench", &err) == CUZK_OK)
                bench((bench_case)c, (unsigned)strtoul(argv[i], NULL, 10), &o, &err);
        } else
            for (int k = 0; k <= PLAN; k++)
                c = strcmp(argv[i], names[k]) == 0 ? k : c;
    }
    if (c < 0 || err.status != CUZK_OK)
        fprintf(stderr, "bench_ntt: %s\n", c < 0 ? "name a case, then log2 sizes" : err.msg);
    cuzk_pool_free(o.pool);
    return c < 0 || err.status != CUZK_OK;
}

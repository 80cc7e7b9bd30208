/* cuzk_bench_synth: synthesis alone, timed. */
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/pool.h"
#include "compiled/compiled.h"
#include "cuzk/bench.h"
#include "filecoin/circuits.h"

static cuzk_bench_time now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (cuzk_bench_time){cuzk_now_ns(), (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec};
}

static cuzk_bench_time since(cuzk_bench_time begin)
{
    cuzk_bench_time end = now();
    return (cuzk_bench_time){end.wall_ns - begin.wall_ns, end.cpu_ns - begin.cpu_ns};
}

static uint64_t peak_rss(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (uint64_t)u.ru_maxrss * 1024;
}

static void add_kind(cuzk_bench_synth_result *r, const compiled_template_info *t)
{
    size_t i = 0;
    while (i < r->n_kinds &&
           (strcmp(r->kind[i].name, t->name) != 0 || r->kind[i].parameter != t->parameter))
        i++;
    if (i == CUZK_BENCH_MAX_TEMPLATES)
        return;
    if (i == r->n_kinds) {
        memcpy(r->kind[i].name, t->name, strlen(t->name) + 1);
        r->kind[i].parameter = t->parameter;
        r->n_kinds++;
    }
    r->kind[i].n_templates++;
    r->kind[i].n_instances += t->n_instances;
    r->kind[i].n_rows += t->n_instances * t->n_rows;
}

static void describe(cuzk_bench_synth_result *r, const compiled_circuit *k)
{
    compiled_info info;
    compiled_template_info t;
    cuzk_compiled_info(&info, k);
    r->n_inputs = info.n_inputs;
    r->n_aux = info.n_aux;
    r->n_rows = info.n_rows;
    r->n_bits = info.n_bits;
    r->n_fields = info.n_fields;
    r->n_generic_rows = info.n_generic_rows;
    r->n_templates = info.n_templates;
    r->n_instances = info.n_instances;
    r->compiled_bytes = info.bytes;
    r->witness_bytes = info.n_aux / 8 + (info.n_fields + info.n_inputs) * sizeof(fr);
    r->row_bytes = 2 * (info.n_rows + info.n_inputs) * sizeof(fr);
    for (size_t i = 0; cuzk_compiled_template(&t, k, i); i++)
        add_kind(r, &t);
}

typedef struct {
    compiled_circuit *k;
    compiled_witness w;
    fr *a, *b;
    cuzk_pool *pool;
} bench;

static cuzk_status prepare(bench *s, cuzk_bench_synth_result *r, const circuit_instance *blank,
                           cuzk_err *err)
{
    const cs_circuit circuit = cuzk_circuit_of(blank);
    cuzk_bench_time begin = now();
    cuzk_status st;
    CUZK_TRY(cuzk_compile(&s->k, &circuit, err));
    r->compile = since(begin);
    r->peak_rss_compiled = peak_rss();
    describe(r, s->k);
    CUZK_TRY(cuzk_compiled_witness_new(&s->w, s->k, err));
out:
    return st;
}

/* After the first witness, so that the peak before them can be told. The system hands out memory
 * when it is written to for the first time: that is timed on its own. */
static cuzk_status take_rows(bench *s, cuzk_bench_synth_result *r, cuzk_err *err)
{
    size_t n = (size_t)(r->n_rows + r->n_inputs);
    cuzk_bench_time begin = now();
    s->a = CUZK_NEW_ARRAY(fr, n);
    s->b = CUZK_NEW_ARRAY(fr, n);
    if (!s->a || !s->b)
        return cuzk_fail(err, CUZK_NOMEM, 0, "bench: no memory for %zu rows", n);
    memset(s->a, 0, n * sizeof *s->a);
    memset(s->b, 0, n * sizeof *s->b);
    r->row_memory = since(begin);
    return CUZK_OK;
}

static cuzk_status iterate(bench *s, cuzk_bench_synth_result *r, const cs_circuit *circuit,
                           const cuzk_bench_synth_options *opt, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    for (unsigned i = 0; i < r->iterations; i++) {
        cuzk_bench_time begin = now();
        CUZK_TRY(cuzk_compiled_fill(&s->w, s->k, circuit, s->pool, err));
        r->witness[i] = since(begin);
        if (i == 0)
            r->peak_rss_witness = peak_rss();
        if (opt->witness_only)
            continue;
        if (!s->a)
            CUZK_TRY(take_rows(s, r, err));
        begin = now();
        CUZK_TRY(cuzk_compiled_evaluate(s->a, s->b, s->k, &s->w, s->pool, err));
        r->rows[i] = since(begin);
    }
    for (size_t i = 0; i < (r->n_aux + 63) / 64; i++)
        r->n_ones += cuzk_popcount64(s->w.bits[i]);
    if (opt->check)
        CUZK_TRY(cuzk_compiled_check(s->k, &s->w, err));
out:
    return st;
}

cuzk_status cuzk_bench_synth(cuzk_bench_synth_result *out, const cuzk_request *req,
                             const cuzk_bench_synth_options *opt, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    cuzk_bench_synth_result r = {.iterations = opt->iterations ? opt->iterations : 3};
    const circuit_id id = {req->kind, req->shape};
    const circuit_instance blank = {.id = id}, in = {id, req, opt->partition};
    const cs_circuit circuit = cuzk_circuit_of(&in);
    bench s = {0};
    if (r.iterations > CUZK_BENCH_MAX_ITERATIONS)
        return cuzk_fail(err, CUZK_INVAL, 0, "bench: at most %d iterations",
                         CUZK_BENCH_MAX_ITERATIONS);
    if (opt->partition >= req->n_partitions)
        return cuzk_fail(err, CUZK_INVAL, 0, "partition %u: the request has partitions 0 to %u",
                         opt->partition, req->n_partitions - 1);
    cuzk_circuit_id_format(r.circuit, id);
    CUZK_TRY(cuzk_pool_new(&s.pool, opt->n_threads, "cuzk-bench", err));
    r.n_threads = cuzk_pool_size(s.pool);
    CUZK_TRY(prepare(&s, &r, &blank, err));
    CUZK_TRY(iterate(&s, &r, &circuit, opt, err));
    r.peak_rss_end = peak_rss();
    *out = r;
out:
    cuzk_free(s.b);
    cuzk_free(s.a);
    cuzk_compiled_witness_fini(&s.w);
    cuzk_compiled_free(s.k);
    cuzk_pool_free(s.pool);
    return st;
}

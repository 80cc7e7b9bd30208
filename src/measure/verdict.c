#include "measure/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "measure/verdict_text.h"

#define TOTAL           0u
#define LEAST_MEMORY    0.02   /* of the resident set: smaller differences are of no interest */
#define LEAST_MEMORY_KB 2048.0 /* nor are these */

static const cuzk_diagnose_run *run_at(const cuzk_diagnosis *d, unsigned block, unsigned config)
{
    return &d->run[(size_t)block * d->plan.n_configs + config];
}

/* ---- metrics ---- */

static unsigned metric_index(const cuzk_diagnosis *d, const char *name)
{
    unsigned m = 0;
    while (m < d->n_metrics && strcmp(d->metric[m], name) != 0)
        m++;
    return m;
}

static void add_metric(cuzk_diagnosis *d, const char *name)
{
    if (d->n_metrics < DIAGNOSIS_MAX_METRICS && metric_index(d, name) == d->n_metrics)
        snprintf(d->metric[d->n_metrics++], CUZK_DIAGNOSE_NAME_BYTES, "%s", name);
}

/* "other" is last but for phases that only later runs have; there are none in practice. */
static void find_metrics(cuzk_diagnosis *d)
{
    d->n_metrics = 0;
    add_metric(d, "total");
    for (unsigned b = 0; b < d->n_blocks; b++) {
        for (unsigned c = 0; c < d->plan.n_configs; c++) {
            const cuzk_diagnose_run *r = run_at(d, b, c);
            for (size_t i = 0; i < r->n_phases; i++)
                add_metric(d, r->phase[i].name);
        }
    }
    add_metric(d, "other");
}

static void values_of_run(double out[], const cuzk_diagnosis *d, const cuzk_diagnose_run *r)
{
    unsigned other = metric_index(d, "other");
    for (unsigned m = 0; m < d->n_metrics; m++)
        out[m] = 0;
    out[TOTAL] = (double)r->total_ns;
    double rest = out[TOTAL];
    for (size_t i = 0; i < r->n_phases; i++) {
        unsigned m = metric_index(d, r->phase[i].name);
        if (m < d->n_metrics)
            out[m] += (double)r->phase[i].ns;
        rest -= (double)r->phase[i].ns;
    }
    if (other < d->n_metrics)
        out[other] += rest;
}

double cuzk_diagnosis_median_ms(const cuzk_diagnosis *d, unsigned config, unsigned metric)
{
    double value[DIAGNOSIS_MAX_METRICS];
    double *x = CUZK_NEW_ARRAY(double, d->n_blocks);
    if (!x)
        return 0;
    for (unsigned b = 0; b < d->n_blocks; b++) {
        values_of_run(value, d, run_at(d, b, config));
        x[b] = value[metric] / 1e6;
    }
    double median = cuzk_stats_median(x, d->n_blocks);
    cuzk_free(x);
    return median;
}

double cuzk_diagnosis_median_kb(const cuzk_diagnosis *d, unsigned config)
{
    double *x = CUZK_NEW_ARRAY(double, d->n_blocks);
    if (!x)
        return 0;
    for (unsigned b = 0; b < d->n_blocks; b++)
        x[b] = (double)run_at(d, b, config)->peak_kb;
    double median = cuzk_stats_median(x, d->n_blocks);
    cuzk_free(x);
    return median;
}

/* ---- values as fractions of a block's typical run ---- */

typedef struct {
    double *value;  /* [metric][block][config] */
    double *centre; /* [block] */
    double typical; /* of the centres: what a fraction of 1 stands for */
} table;

static void table_fini(table *t)
{
    cuzk_free(t->centre);
    cuzk_free(t->value);
}

static cuzk_status table_init(table *t, const cuzk_diagnosis *d, unsigned n_metrics, cuzk_err *err)
{
    size_t n = (size_t)n_metrics * d->n_blocks * d->plan.n_configs;
    *t = (table){.value = CUZK_NEW_ARRAY(double, n), .centre = CUZK_NEW_ARRAY(double, d->n_blocks)};
    return t->value && t->centre
               ? CUZK_OK
               : cuzk_fail(err, CUZK_NOMEM, 0, "diagnosis: no memory for %zu values", n);
}

/* Divides all metrics by the median of metric 0 in their block. */
static void divide_blocks(table *t, const cuzk_diagnosis *d, unsigned n_metrics)
{
    double copy[PLAN_MAX_CONFIGS];
    size_t n_configs = d->plan.n_configs;
    for (unsigned b = 0; b < d->n_blocks; b++) {
        memcpy(copy, t->value + b * n_configs, n_configs * sizeof *copy);
        t->centre[b] = cuzk_stats_median(copy, n_configs);
        for (unsigned m = 0; m < n_metrics; m++) {
            double *row = t->value + ((size_t)m * d->n_blocks + b) * n_configs;
            for (size_t c = 0; c < n_configs; c++)
                row[c] /= t->centre[b];
        }
    }
    t->typical = cuzk_stats_median(t->centre, d->n_blocks);
}

static void fill_times(table *t, const cuzk_diagnosis *d)
{
    double value[DIAGNOSIS_MAX_METRICS];
    size_t n_configs = d->plan.n_configs;
    for (unsigned b = 0; b < d->n_blocks; b++) {
        for (unsigned c = 0; c < n_configs; c++) {
            values_of_run(value, d, run_at(d, b, c));
            for (unsigned m = 0; m < d->n_metrics; m++)
                t->value[((size_t)m * d->n_blocks + b) * n_configs + c] = value[m];
        }
    }
    divide_blocks(t, d, d->n_metrics);
}

static void fill_memory(table *t, const cuzk_diagnosis *d)
{
    for (unsigned b = 0; b < d->n_blocks; b++) {
        for (unsigned c = 0; c < d->plan.n_configs; c++)
            t->value[(size_t)b * d->plan.n_configs + c] = (double)run_at(d, b, c)->peak_kb;
    }
    divide_blocks(t, d, 1);
}

static bool has_memory(const cuzk_diagnosis *d)
{
    for (size_t i = 0; i < (size_t)d->n_blocks * d->plan.n_configs; i++) {
        if (d->run[i].peak_kb == 0)
            return false;
    }
    return true;
}

static effects_input input_of(const cuzk_diagnosis *d, const table *t, unsigned n_metrics,
                              double smallest)
{
    return (effects_input){.plan = &d->plan,
                           .n_blocks = d->n_blocks,
                           .n_metrics = n_metrics,
                           .value = t->value,
                           .smallest = smallest,
                           .alpha = VERDICT_ALPHA,
                           .seed = d->plan.seed};
}

/* ---- verdicts ---- */

static bool same_term(effect_term x, effect_term y)
{
    return x.a == y.a && x.b == y.b;
}

static int found_index(const effects_result *r, effect_term t)
{
    for (unsigned i = 0; i < r->n_found; i++) {
        if (same_term(r->found[i].term, t))
            return (int)i;
    }
    return -1;
}

static int term_index(const effects_result *r, effect_term t)
{
    for (unsigned i = 0; i < r->n_terms; i++) {
        if (same_term(r->term[i], t))
            return (int)i;
    }
    return -1;
}

static cuzk_diagnose_interval scaled(stats_interval x, double k)
{
    return (cuzk_diagnose_interval){k * x.estimate, k * x.low, k * x.high};
}

static bool excludes_zero(stats_interval x)
{
    return x.low > 0 || x.high < 0;
}

static cuzk_verdict by_sign(double difference)
{
    return difference > 0 ? CUZK_SLOWER : CUZK_FASTER;
}

/* A switch that was found is judged by the whole run; where that is not clear, by the phase that
 * gave it away, unless the whole run clearly did not change: then phases took from each other. */
static cuzk_verdict judge_term(const effects_result *r, effect_term t, double smallest,
                               double noisy)
{
    int i = term_index(r, t), f = found_index(r, t);
    const stats_interval whole = i >= 0 ? r->interval[i][TOTAL] : (stats_interval){0, 0, 0};
    double half = 0.5 * (whole.high - whole.low);
    if (f < 0)
        return half > noisy ? CUZK_TOO_NOISY : CUZK_NO_EFFECT_SEEN;
    if (excludes_zero(whole) && fabs(whole.estimate) >= smallest)
        return by_sign(whole.estimate);
    if (fabs(whole.low) < smallest && fabs(whole.high) < smallest)
        return CUZK_NO_EFFECT_SEEN;
    return by_sign(r->interval[i][r->found[f].metric].estimate);
}

static bool larger_share(const cuzk_diagnose_share *x, const cuzk_diagnose_share *y)
{
    return fabs(x->ms.estimate) > fabs(y->ms.estimate);
}

/* Inserts in order; the smallest falls off when there are too many. */
static void add_share(cuzk_diagnose_verdict *v, const cuzk_diagnose_share *s)
{
    unsigned at = v->n_shares;
    while (at > 0 && larger_share(s, &v->share[at - 1]))
        at--;
    if (at == CUZK_DIAGNOSE_MAX_SHARES)
        return;
    if (v->n_shares < CUZK_DIAGNOSE_MAX_SHARES)
        v->n_shares++;
    for (unsigned i = v->n_shares - 1; i > at; i--)
        v->share[i] = v->share[i - 1];
    v->share[at] = *s;
}

static void add_phase(cuzk_diagnose_verdict *v, const cuzk_diagnosis *d, const effects_result *r,
                      unsigned term, unsigned metric, double typical_ms)
{
    cuzk_diagnose_share s = {.ms = scaled(r->interval[term][metric], typical_ms)};
    snprintf(s.name, sizeof s.name, "%s", d->metric[metric]);
    add_share(v, &s);
}

/* found: the metric that gave the term away. It is named even when the interval of its size is
 * wide. */
static void fill_shares(cuzk_diagnose_verdict *v, const cuzk_diagnosis *d, const effects_result *r,
                        unsigned term, unsigned found, double typical_ms)
{
    for (unsigned m = TOTAL + 1; m < d->n_metrics; m++) {
        const stats_interval x = r->interval[term][m];
        if (excludes_zero(x) && fabs(x.estimate) >= 0.5 * d->smallest)
            add_phase(v, d, r, term, m, typical_ms);
    }
    if (v->n_shares == 0 && found != TOTAL)
        add_phase(v, d, r, term, found, typical_ms);
}

typedef struct {
    effects_result time, memory;
    double typical_ms, typical_kb; /* 0: memory was not measured */
} findings;

static void name_term(char out[2 * CUZK_DIAGNOSE_NAME_BYTES + 4], const cuzk_diagnosis *d,
                      effect_term t)
{
    char name[2 * CUZK_DIAGNOSE_NAME_BYTES + 4];
    if (t.b == EFFECTS_ALONE)
        snprintf(name, sizeof name, "%s", d->switch_name[t.a]);
    else
        snprintf(name, sizeof name, "%s + %s", d->switch_name[t.a], d->switch_name[t.b]);
    memcpy(out, name, sizeof name);
}

static void add_verdict(cuzk_diagnosis *d, const findings *f, effect_term t)
{
    cuzk_diagnose_verdict *v = &d->verdict[d->n_verdicts];
    int i = term_index(&f->time, t), k = term_index(&f->memory, t);
    *v = (cuzk_diagnose_verdict){.pair = t.b != EFFECTS_ALONE};
    if (d->n_verdicts == DIAGNOSIS_MAX_VERDICTS)
        return;
    name_term(v->name, d, t);
    double noisy = 2 * (d->precision > d->smallest ? d->precision : d->smallest);
    v->time = judge_term(&f->time, t, d->smallest, noisy);
    v->memory = judge_term(&f->memory, t, LEAST_MEMORY, 5 * LEAST_MEMORY);
    if (i >= 0) {
        v->ms = scaled(f->time.interval[i][TOTAL], f->typical_ms);
        v->percent = d->quality.run_ms > 0 ? 100 * v->ms.estimate / d->quality.run_ms : 0;
        int found = found_index(&f->time, t);
        if (found >= 0)
            fill_shares(v, d, &f->time, (unsigned)i, f->time.found[found].metric, f->typical_ms);
    }
    if (k >= 0)
        v->peak_kb = scaled(f->memory.interval[k][0], f->typical_kb);
    d->n_verdicts++;
}

static void fill_verdicts(cuzk_diagnosis *d, const findings *f)
{
    d->n_verdicts = 0;
    for (unsigned i = 0; i < f->time.n_terms; i++)
        add_verdict(d, f, f->time.term[i]);
    for (unsigned i = 0; i < f->memory.n_terms; i++) {
        if (term_index(&f->time, f->memory.term[i]) < 0)
            add_verdict(d, f, f->memory.term[i]);
    }
}

static double widest_switch(const cuzk_diagnosis *d, const effects_result *r)
{
    double widest = 0;
    for (unsigned i = 0; i < d->plan.n_switches; i++) {
        double half = 0.5 * (r->interval[i][TOTAL].high - r->interval[i][TOTAL].low);
        widest = half > widest ? half : widest;
    }
    return widest;
}

static void fill_quality(cuzk_diagnosis *d, const effects_result *r)
{
    cuzk_diagnosis_quality *q = &d->quality;
    q->n_blocks = d->n_blocks;
    q->n_runs = (uint64_t)d->n_blocks * d->plan.n_configs;
    q->run_ms =
        0.5 * (cuzk_diagnosis_median_ms(d, 0, TOTAL) + cuzk_diagnosis_median_ms(d, 1, TOTAL));
    q->noise = r->noise[TOTAL];
    q->twin = r->twin[TOTAL];
    q->precision = widest_switch(d, r);
    q->precise_enough = q->precision <= d->precision;
}

/* ---- entry ---- */

static cuzk_status find_times(findings *f, const cuzk_diagnosis *d, cuzk_err *err)
{
    table t;
    cuzk_status st;
    CUZK_TRY(table_init(&t, d, d->n_metrics, err));
    fill_times(&t, d);
    const effects_input in = input_of(d, &t, d->n_metrics, d->smallest);
    f->typical_ms = t.typical / 1e6;
    CUZK_TRY(cuzk_effects_find(&f->time, &in, err));
out:
    table_fini(&t);
    return st;
}

static cuzk_status find_memory(findings *f, const cuzk_diagnosis *d, cuzk_err *err)
{
    table t;
    cuzk_status st;
    CUZK_TRY(table_init(&t, d, 1, err));
    fill_memory(&t, d);
    double least = LEAST_MEMORY_KB / t.typical;
    const effects_input in = input_of(d, &t, 1, least > LEAST_MEMORY ? least : LEAST_MEMORY);
    f->typical_kb = t.typical;
    CUZK_TRY(cuzk_effects_find(&f->memory, &in, err));
out:
    table_fini(&t);
    return st;
}

cuzk_status cuzk_verdict_judge(cuzk_diagnosis *d, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    findings *f = cuzk_calloc(1, sizeof *f);
    if (!f)
        return cuzk_fail(err, CUZK_NOMEM, 0, "diagnosis: no memory");
    find_metrics(d);
    CUZK_TRY(find_times(f, d, err));
    if (has_memory(d))
        CUZK_TRY(find_memory(f, d, err));
    fill_quality(d, &f->time);
    fill_verdicts(d, f);
    cuzk_verdict_answer(d);
out:
    cuzk_free(f);
    return st;
}

cuzk_status cuzk_verdict_precision(double *out, const cuzk_diagnosis *d, cuzk_err *err)
{
    table t;
    cuzk_status st;
    CUZK_TRY(table_init(&t, d, 1, err));
    for (unsigned b = 0; b < d->n_blocks; b++) {
        for (unsigned c = 0; c < d->plan.n_configs; c++)
            t.value[(size_t)b * d->plan.n_configs + c] = (double)run_at(d, b, c)->total_ns;
    }
    divide_blocks(&t, d, 1);
    const effects_input in = input_of(d, &t, 1, 0);
    CUZK_TRY(cuzk_effects_precision(out, &in, err));
out:
    table_fini(&t);
    return st;
}

/* The loop of a diagnosis: warm-up, block after block, until enough is known. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "measure/diagnose_memory.h"
#include "measure/diagnose_state.h"
#include "measure/verdict.h"

#define DEFAULT_PRECISION   0.01
#define DEFAULT_SMALLEST    0.01
#define DEFAULT_MAX_SECONDS 600.0
#define DEFAULT_MIN_BLOCKS  4u
#define DEFAULT_MAX_BLOCKS  64u
#define MAX_BLOCKS          1000u
#ifdef __clang__
#define COMPILER "compiled by"
#else
#define COMPILER "compiled by gcc"
#endif

void cuzk_diagnose_add_phase(cuzk_diagnose_run *run, const char *name, uint64_t ns)
{
    size_t i = 0;
    while (i < run->n_phases && strcmp(run->phase[i].name, name) != 0)
        i++;
    if (i == CUZK_DIAGNOSE_MAX_PHASES)
        return;
    if (i == run->n_phases) {
        snprintf(run->phase[i].name, sizeof run->phase[i].name, "%s", name);
        run->phase[i].ns = 0;
        run->n_phases++;
    }
    run->phase[i].ns += ns;
}

/* ---- options ---- */

static cuzk_diagnose_options complete(const cuzk_diagnose_options *given)
{
    cuzk_diagnose_options o = CUZK_DIAGNOSE_OPTIONS_DEFAULTS;
    memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
    o.precision = o.precision > 0 ? o.precision : DEFAULT_PRECISION;
    o.smallest = o.smallest > 0 ? o.smallest : DEFAULT_SMALLEST;
    o.max_seconds = o.max_seconds > 0 ? o.max_seconds : DEFAULT_MAX_SECONDS;
    o.min_blocks = o.min_blocks ? o.min_blocks : DEFAULT_MIN_BLOCKS;
    o.max_blocks = o.max_blocks ? o.max_blocks : DEFAULT_MAX_BLOCKS;
    o.max_blocks = o.max_blocks < o.min_blocks ? o.min_blocks : o.max_blocks;
    o.n_warmup = o.n_warmup ? o.n_warmup : 1;
    return o;
}

static cuzk_status check_names(const cuzk_diagnose_options *o, cuzk_err *err)
{
    for (unsigned i = 0; i < o->n_switches; i++) {
        const char *name = o->switch_name[i];
        if (!name[0] || strlen(name) >= CUZK_DIAGNOSE_NAME_BYTES)
            return cuzk_fail(err, CUZK_INVAL, 0, "switch name \"%.40s\": 1 to %d bytes are wanted",
                             name, CUZK_DIAGNOSE_NAME_BYTES - 1);
        for (unsigned k = 0; k < i; k++) {
            if (strcmp(name, o->switch_name[k]) == 0)
                return cuzk_fail(err, CUZK_INVAL, 0, "switch %s is named twice", name);
        }
    }
    return CUZK_OK;
}

static cuzk_status check_options(const cuzk_diagnose_options *o, cuzk_err *err)
{
    if (o->min_blocks < 2 || o->max_blocks > MAX_BLOCKS)
        return cuzk_fail(err, CUZK_INVAL, 0, "%u to %u blocks: 2 to %u are possible", o->min_blocks,
                         o->max_blocks, MAX_BLOCKS);
    if (o->precision > 0.5 || o->smallest > 0.5)
        return cuzk_fail(err, CUZK_INVAL, 0, "precision and threshold are at most 50 %%");
    return o->n_switches <= CUZK_DIAGNOSE_MAX_SWITCHES ? check_names(o, err) : CUZK_OK;
}

/* ---- where it runs ---- */

static void describe_processor(char *out, size_t max)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "re");
    snprintf(out, max, "processor not known");
    while (f && fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "model name\t: ");
        if (!at)
            continue;
        snprintf(out, max, "%.*s", (int)strcspn(at + 13, "\n"), at + 13);
        break;
    }
    if (f)
        fclose(f);
}

static void describe_machine(cuzk_diagnosis *d)
{
    char processor[128];
    struct utsname u = {0};
    double load[3] = {0};
    describe_processor(processor, sizeof processor);
    uname(&u);
    snprintf(d->machine, sizeof d->machine, "%s, %ld threads, %.20s %.40s", processor,
             sysconf(_SC_NPROCESSORS_ONLN), u.sysname, u.release);
    snprintf(d->program, sizeof d->program, "cuzk %s, " COMPILER " %.60s", CUZK_VERSION,
             __VERSION__);
    if (getloadavg(load, 3) > 0)
        snprintf(d->load, sizeof d->load, "%.1f", load[0]);
}

/* ---- a diagnosis ---- */

void cuzk_diagnosis_free(cuzk_diagnosis *d)
{
    if (!d)
        return;
    cuzk_free(d->done);
    cuzk_free(d->run);
    cuzk_free(d);
}

static cuzk_status diagnosis_new(cuzk_diagnosis **out, const cuzk_diagnose_options *o,
                                 cuzk_err *err)
{
    cuzk_status st;
    cuzk_diagnosis *d = cuzk_calloc(1, sizeof *d);
    if (!d)
        return cuzk_fail(err, CUZK_NOMEM, 0, "diagnosis: no memory");
    CUZK_TRY(cuzk_plan_make(&d->plan, o->n_switches, o->seed, err));
    for (unsigned i = 0; i < o->n_switches; i++) {
        snprintf(d->switch_name[i], sizeof d->switch_name[i], "%s", o->switch_name[i]);
        if (o->switch_about)
            snprintf(d->switch_about[i], sizeof d->switch_about[i], "%s", o->switch_about[i]);
    }
    snprintf(d->workload, sizeof d->workload, "%s", o->workload);
    snprintf(d->clock, sizeof d->clock, "%s", o->clock);
    d->precision = o->precision;
    d->smallest = o->smallest;
    d->max_blocks = o->max_blocks;
    size_t n = (size_t)o->max_blocks * d->plan.n_configs;
    d->run = cuzk_calloc(n, sizeof *d->run);
    d->done = cuzk_calloc(n, sizeof *d->done);
    if (!d->run || !d->done) {
        st = cuzk_fail(err, CUZK_NOMEM, 0, "diagnosis: no memory for %zu runs", n);
        goto out;
    }
    describe_machine(d);
    *out = d;
    return CUZK_OK;
out:
    cuzk_diagnosis_free(d);
    return st;
}

/* ---- the loop ---- */

typedef struct {
    cuzk_diagnosis *d;
    const cuzk_diagnose_options *opt;
    const cuzk_diagnose_workload *workload;
    diagnose_state state;
    diagnose_memory *memory;
    uint64_t n_done;
    unsigned n_warmed;
    double reached; /* precision so far */
} loop;

static bool stopped(const loop *l)
{
    return l->opt->stop && atomic_load(l->opt->stop);
}

static cuzk_status run_once(loop *l, uint32_t mask, cuzk_diagnose_run *run, double *took_ms,
                            cuzk_err *err)
{
    uint64_t begin = cuzk_now_ns();
    memset(run, 0, sizeof *run);
    cuzk_diagnose_memory_begin(l->memory);
    cuzk_status st = l->workload->run(l->workload->ctx, mask, run, err);
    cuzk_diagnose_memory_end(l->memory, run);
    *took_ms = (double)(cuzk_now_ns() - begin) / 1e6;
    l->d->seconds += *took_ms / 1e3;
    if (st == CUZK_OK && (run->total_ns == 0 || run->n_phases > CUZK_DIAGNOSE_MAX_PHASES))
        st = cuzk_fail(err, CUZK_INTERNAL, 0, "the workload measured nothing");
    return st;
}

static void tell(const loop *l)
{
    const cuzk_diagnose_progress p = {l->n_done, l->d->plan.n_configs, l->d->n_blocks,
                                      l->d->seconds, l->reached};
    if (l->workload->progress)
        l->workload->progress(l->workload->ctx, &p);
}

/* Caches, page tables and files become warm; the same configuration for all. Before the first run
 * of this process: none is needed to judge what a state file holds. */
static cuzk_status warm_up(loop *l, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    cuzk_diagnose_run run;
    double took_ms;
    for (; l->n_warmed < l->opt->n_warmup && st == CUZK_OK && !stopped(l); l->n_warmed++) {
        tell(l);
        st = run_once(l, 0, &run, &took_ms, err);
    }
    return st;
}

static cuzk_status run_block(loop *l, unsigned block, cuzk_err *err)
{
    cuzk_diagnosis *d = l->d;
    uint16_t order[PLAN_MAX_CONFIGS];
    double took_ms;
    cuzk_status st = CUZK_OK;
    cuzk_plan_block(&d->plan, block, order);
    for (unsigned i = 0; i < d->plan.n_configs && st == CUZK_OK; i++) {
        size_t at = (size_t)block * d->plan.n_configs + order[i];
        if (!d->done[at]) {
            CUZK_TRY(warm_up(l, err));
            if (stopped(l))
                return CUZK_OK;
            CUZK_TRY(run_once(l, d->plan.mask[order[i]], &d->run[at], &took_ms, err));
            CUZK_TRY(cuzk_state_add(&l->state, block, order[i], took_ms, &d->run[at], err));
            d->done[at] = true;
        }
        l->n_done++;
        tell(l);
    }
    d->n_blocks = block + 1;
out:
    return st;
}

static bool enough(loop *l)
{
    const cuzk_diagnosis *d = l->d;
    if (d->n_blocks < 2)
        return false;
    if (cuzk_verdict_precision(&l->reached, d, NULL) != CUZK_OK)
        l->reached = 0;
    tell(l);
    if (d->n_blocks < l->opt->min_blocks)
        return d->seconds >= l->opt->max_seconds;
    return d->seconds >= l->opt->max_seconds || (l->reached > 0 && l->reached <= d->precision);
}

/* All its runs are in the state file. */
static bool is_kept(const loop *l, unsigned block)
{
    const bool *done = l->d->done + (size_t)block * l->d->plan.n_configs;
    return memchr(done, 0, l->d->plan.n_configs * sizeof *done) == NULL;
}

/* Kept blocks count whatever time they took, and when it is too late to begin new ones. */
static cuzk_status run_blocks(loop *l, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    bool is_enough = false;
    for (unsigned b = 0; st == CUZK_OK && b < l->d->max_blocks; b++) {
        if (!is_kept(l, b) && (is_enough || stopped(l)))
            break;
        st = run_block(l, b, err);
        if (l->d->n_blocks != b + 1)
            break;
        is_enough = enough(l);
    }
    if (st == CUZK_OK && l->d->n_blocks < 2)
        st = cuzk_fail(err, CUZK_CANCELLED, 0,
                       "stopped before two blocks of %u runs were complete: nothing can be said",
                       l->d->plan.n_configs);
    return st;
}

cuzk_status cuzk_diagnose(cuzk_diagnosis **out, const cuzk_diagnose_options *opt,
                          const cuzk_diagnose_workload *workload, cuzk_err *err)
{
    const cuzk_diagnose_options o = complete(opt);
    loop l = {.opt = &o, .workload = workload, .state = {.fd = -1}};
    cuzk_status st;
    CUZK_TRY(check_options(&o, err));
    CUZK_TRY(diagnosis_new(&l.d, &o, err));
    CUZK_TRY(cuzk_state_open(&l.state, l.d, o.state_path, o.resume, err));
    CUZK_TRY(cuzk_diagnose_memory_new(&l.memory, err));
    CUZK_TRY(run_blocks(&l, err));
    CUZK_TRY(cuzk_verdict_judge(l.d, err));
    *out = l.d;
    l.d = NULL;
out:
    cuzk_diagnose_memory_free(l.memory);
    cuzk_state_close(&l.state);
    cuzk_diagnosis_free(l.d);
    return st;
}

cuzk_status cuzk_compare_samples(cuzk_ratio *out, const double a[], size_t n_a, const double b[],
                                 size_t n_b, cuzk_err *err)
{
    stats_interval r;
    cuzk_status st = cuzk_stats_ratio(&r, a, n_a, b, n_b, 0.95, 1, err);
    if (st == CUZK_OK)
        *out = (cuzk_ratio){r.estimate, r.low, r.high};
    return st;
}

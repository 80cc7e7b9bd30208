/* A workload that is arithmetic: phases of given lengths, noise as machines have it, effects as
 * planted. Thousands of diagnoses a second or so. */
#ifndef CUZK_TESTS_DIAGNOSE_SUPPORT_H
#define CUZK_TESTS_DIAGNOSE_SUPPORT_H

#include <math.h>

#include "base/compiler.h"
#include "cuzk/diagnose.h"
#include "measure/stats.h"

#define FAKE_PHASES 10u

typedef struct {
    uint32_t needs;  /* all of these must be on */
    unsigned phase;  /* FAKE_PHASES: none, memory only */
    double fraction; /* of the phase, or of the memory */
} fake_effect;

typedef struct {
    stats_rng rng;
    double noise;    /* deviation of a phase, as a fraction */
    double spikes;   /* chance that a run is disturbed: up to twice as long */
    double stumbles; /* chance that a small phase takes a tenth of the run more, each by itself */
    double drift;    /* the machine becomes so much slower from run to run, and recovers */
    unsigned n_runs;
    unsigned n_effects;
    fake_effect effect[4];
    unsigned fail_at; /* 0: never; the n-th run fails */
} fake_workload;

static const double fake_ms[FAKE_PHASES] = {2, 8, 3, 60, 25, 90, 20, 15, 12, 30};
static const char *const fake_name[FAKE_PHASES] = {"check", "srs_load",  "compile", "witness",
                                                   "ntt",   "msm_h",     "msm_l",   "msm_a",
                                                   "msm_b", "self_check"};

static inline double fake_uniform(stats_rng *rng)
{
    return ((double)(cuzk_stats_next(rng) >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller. */
static inline double fake_normal(stats_rng *rng)
{
    double u = fake_uniform(rng), v = fake_uniform(rng);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static inline double fake_phase_ms(fake_workload *w, unsigned phase, uint32_t on)
{
    double ms = fake_ms[phase];
    for (unsigned i = 0; i < w->n_effects; i++) {
        if (w->effect[i].phase == phase && (on & w->effect[i].needs) == w->effect[i].needs)
            ms += fake_ms[phase] * w->effect[i].fraction;
    }
    if ((phase == 1 || phase == 2) && fake_uniform(&w->rng) < w->stumbles)
        ms += 30 * fake_uniform(&w->rng);
    return ms * (1 + w->noise * fabs(fake_normal(&w->rng)) + 0.3 * w->noise * fake_normal(&w->rng));
}

static inline cuzk_status fake_run(void *ctx, uint32_t on, cuzk_diagnose_run *out, cuzk_err *err)
{
    fake_workload *w = ctx;
    w->n_runs++;
    if (w->fail_at == w->n_runs) {
        *err = (cuzk_err){.status = CUZK_IO, .msg = "planted failure"};
        return CUZK_IO;
    }
    double speed = 1 + w->drift * (w->n_runs % 300);
    if (fake_uniform(&w->rng) < w->spikes)
        speed *= 1 + fake_uniform(&w->rng);
    double total = 0, kb = 80000;
    for (unsigned p = 0; p < FAKE_PHASES; p++) {
        double ms = speed * fake_phase_ms(w, p, on);
        cuzk_diagnose_add_phase(out, fake_name[p], (uint64_t)(1e6 * ms));
        total += ms;
    }
    for (unsigned i = 0; i < w->n_effects; i++) {
        if (w->effect[i].phase == FAKE_PHASES && (on & w->effect[i].needs) == w->effect[i].needs)
            kb += 80000 * w->effect[i].fraction;
    }
    out->total_ns = (uint64_t)(1e6 * total) + 300000;
    out->peak_kb = (uint64_t)(kb * (1 + 0.002 * fake_normal(&w->rng)));
    return CUZK_OK;
}

static const char *const fake_switches[] = {"A1", "A2", "A4", "B1", "D4"};

static inline cuzk_diagnose_options fake_options(uint64_t seed)
{
    cuzk_diagnose_options o = CUZK_DIAGNOSE_OPTIONS_DEFAULTS;
    o.switch_name = fake_switches;
    o.n_switches = 5;
    o.workload = "arithmetic";
    o.seed = seed;
    return o;
}

#endif

/* Which switches, alone or two together, explain the differences between configurations.
 *
 * Model: the value of a run is that of its block, plus the effect of each switch that is on, plus
 * that of each pair that is on, plus noise. Values of one configuration are summed up over blocks
 * by their midmean, so a disturbed run does not count.
 *
 * Who has an effect is found step by step: the switch or pair that explains most in any metric is
 * held against what runs with shuffled labels give (within blocks, all metrics of a run together;
 * largest statistic over all candidates and metrics). The shuffle is what the plan did, so the
 * chance to accuse anybody in a build without effects is alpha at most, whatever the noise looks
 * like and however many switches and phases there are [Westfall, Young 1993]. What was found is
 * subtracted, and the rest is shuffled [Freedman, Lane 1983]. A pair must explain a fifth more than
 * a switch to be preferred.
 *
 * How large effects are: least squares with all switches and the pairs found; intervals by
 * resampling residuals, simultaneous over the switches of a metric.
 */
#ifndef CUZK_MEASURE_EFFECTS_H
#define CUZK_MEASURE_EFFECTS_H

#include <stdbool.h>

#include "measure/plan.h"
#include "measure/stats.h"

#define EFFECTS_MAX_METRICS 32u
#define EFFECTS_MAX_FOUND   8u
#define EFFECTS_MAX_TERMS   (PLAN_MAX_SWITCHES + EFFECTS_MAX_FOUND)
#define EFFECTS_ALONE       UINT32_MAX

typedef struct {
    uint32_t a, b; /* b: EFFECTS_ALONE, or the other one of a pair, a < b */
} effect_term;

typedef struct {
    const measure_plan *plan;
    unsigned n_blocks, n_metrics;
    const double *value; /* [metric][block][configuration] */
    double smallest;     /* effects below are of no interest; in units of value */
    double alpha;        /* chance of a false accusation; below 1/5000 it is taken as that */
    uint64_t seed;
} effects_input;

typedef struct {
    effect_term term;
    unsigned metric; /* that gave it away */
    double p;
} effect_found;

typedef struct {
    unsigned n_found;
    effect_found found[EFFECTS_MAX_FOUND];
    unsigned n_terms; /* all switches in order, then the pairs found */
    effect_term term[EFFECTS_MAX_TERMS];
    stats_interval
        interval[EFFECTS_MAX_TERMS]
                [EFFECTS_MAX_METRICS]; /* on - off, 95 %; of
                                        * metrics beyond the first only when something was found */
    double twin[EFFECTS_MAX_METRICS];  /* baseline's second run - first: nothing differs */
    double noise[EFFECTS_MAX_METRICS]; /* deviation of a single run */
} effects_result;

/* n_blocks >= 2. */
cuzk_status cuzk_effects_find(effects_result *out, const effects_input *in, cuzk_err *err);
/* Half the widest interval of a switch in metric 0, with nothing found: how sure we are so far. */
cuzk_status cuzk_effects_precision(double *out, const effects_input *in, cuzk_err *err);

#endif

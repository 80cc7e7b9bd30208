#include "measure/effects.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

#define N_SHUFFLES      4999u
#define N_RESAMPLES     600u
#define CONFIDENCE      0.95
#define PAIR_HANDICAP   1.2
#define MAX_CANDIDATES  (PLAN_MAX_SWITCHES + PLAN_MAX_SWITCHES * (PLAN_MAX_SWITCHES - 1u) / 2u)
#define LEAST_DEVIATION 1e-7 /* of metrics that are always the same */

typedef struct {
    const effects_input *in;
    size_t n_configs, n_values; /* n_values: of all metrics */
    double *rest;               /* [metric][block][config]: what is not explained yet */
    double *shuffled;
    double *mean;  /* [metric][config] over blocks */
    double *noise; /* residuals of one metric: [block][config] */
    double *draws; /* [N_RESAMPLES][EFFECTS_MAX_TERMS] */
    double *column_of_blocks;
    double deviation[EFFECTS_MAX_METRICS]; /* of a mean over blocks */
    unsigned n_candidates;
    effect_term candidate[MAX_CANDIDATES];
    double column[MAX_CANDIDATES][PLAN_MAX_CONFIGS]; /* orthogonal to what was found */
    double square[MAX_CANDIDATES];
    bool used[MAX_CANDIDATES];
    stats_rng rng;
} search;

/* ---- the model ---- */

static bool is_on(effect_term t, uint32_t mask)
{
    return (mask >> t.a & 1) && (t.b == EFFECTS_ALONE || (mask >> t.b & 1));
}

static double dot(const double x[], const double y[], size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* 1 where the term is on, less the mean: blocks have values of their own. */
static void fill_column(double x[], const measure_plan *p, effect_term t)
{
    double mean = 0;
    for (unsigned c = 0; c < p->n_configs; c++) {
        x[c] = is_on(t, p->mask[c]);
        mean += x[c] / p->n_configs;
    }
    for (unsigned c = 0; c < p->n_configs; c++)
        x[c] -= mean;
}

static void fill_candidates(search *s)
{
    const measure_plan *p = s->in->plan;
    for (uint32_t a = 0; a < p->n_switches; a++)
        s->candidate[s->n_candidates++] = (effect_term){a, EFFECTS_ALONE};
    for (uint32_t a = 0; a < p->n_switches; a++) {
        for (uint32_t b = a + 1; b < p->n_switches; b++)
            s->candidate[s->n_candidates++] = (effect_term){a, b};
    }
    for (unsigned e = 0; e < s->n_candidates; e++) {
        fill_column(s->column[e], p, s->candidate[e]);
        s->square[e] = dot(s->column[e], s->column[e], p->n_configs);
    }
}

/* ---- values ---- */

static double *row_of(const search *s, double *values, unsigned metric, unsigned block)
{
    return values + ((size_t)metric * s->in->n_blocks + block) * s->n_configs;
}

static void centre_blocks(search *s)
{
    double copy[PLAN_MAX_CONFIGS];
    memcpy(s->rest, s->in->value, s->n_values * sizeof *s->rest);
    for (unsigned m = 0; m < s->in->n_metrics; m++) {
        for (unsigned b = 0; b < s->in->n_blocks; b++) {
            double *row = row_of(s, s->rest, m, b);
            memcpy(copy, row, s->n_configs * sizeof *copy);
            double middle = cuzk_stats_median(copy, s->n_configs);
            for (size_t c = 0; c < s->n_configs; c++)
                row[c] -= middle;
        }
    }
}

/* Brings disturbed runs, whatever their configuration, within 4 deviations of their block, or
 * within a few times the smallest effect of interest, so that no effect is clipped away. A few
 * disturbed runs in one configuration would otherwise look like an effect, by chance or by a
 * shuffle. Sizes of effects are taken from values that are not clipped. */
static void clip(search *s)
{
    size_t n = s->in->n_blocks * s->n_configs;
    for (unsigned m = 0; m < s->in->n_metrics; m++) {
        double *x = row_of(s, s->rest, m, 0);
        memcpy(s->noise, x, n * sizeof *x);
        double most = 4 * cuzk_stats_mad(s->noise, n);
        most = most < 5 * s->in->smallest ? 5 * s->in->smallest : most;
        for (size_t i = 0; i < n; i++)
            x[i] = x[i] > most ? most : x[i] < -most ? -most : x[i];
    }
}

/* mean[metric][config] of values; one metric or all. */
static void mean_of_metric(search *s, double *values, unsigned metric)
{
    for (size_t c = 0; c < s->n_configs; c++) {
        for (unsigned b = 0; b < s->in->n_blocks; b++)
            s->column_of_blocks[b] = row_of(s, values, metric, b)[c];
        s->mean[metric * s->n_configs + c] =
            cuzk_stats_midmean(s->column_of_blocks, s->in->n_blocks);
    }
}

static void mean_of_all(search *s, double *values)
{
    for (unsigned m = 0; m < s->in->n_metrics; m++)
        mean_of_metric(s, values, m);
}

/* noise = values of a metric less the means of their configurations. */
static void residuals(search *s, unsigned metric)
{
    const double *mean = s->mean + metric * s->n_configs;
    for (unsigned b = 0; b < s->in->n_blocks; b++) {
        const double *row = row_of(s, s->rest, metric, b);
        for (size_t c = 0; c < s->n_configs; c++)
            s->noise[b * s->n_configs + c] = row[c] - mean[c];
    }
}

/* One degree of freedom of each configuration went into its mean. */
static double widen(const search *s)
{
    double n = s->in->n_blocks;
    return sqrt(n / (n - 1));
}

/* A metric is weighed by its deviation with disturbed runs (clipped) counted. By that of quiet runs
 * alone a phase of nearly constant length that now and then takes much longer would have the
 * largest statistic in every shuffle, and hide all others. */
static void measure_noise(search *s, effects_result *out)
{
    size_t n = s->in->n_blocks * s->n_configs;
    mean_of_all(s, s->rest);
    for (unsigned m = 0; m < s->in->n_metrics; m++) {
        residuals(s, m);
        double rms = sqrt(dot(s->noise, s->noise, n) / (double)n) * widen(s);
        double quiet = cuzk_stats_mad(s->noise, n) * widen(s);
        double deviation = quiet > rms ? quiet : rms;
        out->noise[m] = quiet;
        out->twin[m] = s->mean[m * s->n_configs + 1] - s->mean[m * s->n_configs];
        s->deviation[m] = deviation > LEAST_DEVIATION ? deviation : LEAST_DEVIATION;
        s->deviation[m] /= sqrt((double)s->in->n_blocks);
    }
}

/* ---- who has an effect ---- */

typedef struct {
    unsigned candidate, metric;
    double statistic; /* 0: nobody */
} leader;

/* The candidate that explains most of the means, as a t statistic. */
static leader strongest(const search *s)
{
    leader best = {0, 0, 0};
    for (unsigned e = 0; e < s->n_candidates; e++) {
        if (s->used[e])
            continue;
        double handicap = s->candidate[e].b == EFFECTS_ALONE ? 1 : PAIR_HANDICAP;
        double scale = 1 / (sqrt(s->square[e]) * handicap);
        for (unsigned m = 0; m < s->in->n_metrics; m++) {
            double sum = fabs(dot(s->column[e], s->mean + m * s->n_configs, s->n_configs));
            double t = sum * scale / s->deviation[m];
            if (t > best.statistic && sum / s->square[e] >= s->in->smallest)
                best = (leader){e, m, t};
        }
    }
    return best;
}

static void shuffle_labels(search *s)
{
    uint16_t order[PLAN_MAX_CONFIGS];
    for (size_t c = 0; c < s->n_configs; c++)
        order[c] = (uint16_t)c;
    for (unsigned b = 0; b < s->in->n_blocks; b++) {
        cuzk_stats_shuffle(&s->rng, order, s->n_configs);
        for (unsigned m = 0; m < s->in->n_metrics; m++) {
            const double *from = row_of(s, s->rest, m, b);
            double *to = row_of(s, s->shuffled, m, b);
            for (size_t c = 0; c < s->n_configs; c++)
                to[c] = from[order[c]];
        }
    }
}

/* How often shuffled labels give as much. Stops when that is clearly too often. */
static double chance(search *s, double statistic)
{
    unsigned n_more = 0, enough = (unsigned)(4 * s->in->alpha * N_SHUFFLES) + 4, i = 0;
    while (i < N_SHUFFLES && n_more < enough) {
        shuffle_labels(s);
        mean_of_all(s, s->shuffled);
        n_more += strongest(s).statistic >= statistic;
        i++;
    }
    return (double)(n_more + 1) / (double)(i + 1);
}

/* Takes what the candidate explains out of the values, and its direction out of the others. */
static void take_out(search *s, unsigned found)
{
    const double *x = s->column[found];
    mean_of_all(s, s->rest);
    for (unsigned m = 0; m < s->in->n_metrics; m++) {
        double effect = dot(x, s->mean + m * s->n_configs, s->n_configs) / s->square[found];
        for (unsigned b = 0; b < s->in->n_blocks; b++) {
            double *row = row_of(s, s->rest, m, b);
            for (size_t c = 0; c < s->n_configs; c++)
                row[c] -= effect * x[c];
        }
    }
    s->used[found] = true;
    for (unsigned e = 0; e < s->n_candidates; e++) {
        if (s->used[e])
            continue;
        double k = dot(s->column[e], x, s->n_configs) / s->square[found];
        for (size_t c = 0; c < s->n_configs; c++)
            s->column[e][c] -= k * x[c];
        s->square[e] = dot(s->column[e], s->column[e], s->n_configs);
        if (s->square[e] < 1e-6) /* the others say it already */
            s->used[e] = true;
    }
}

static void find(search *s, effects_result *out)
{
    double alpha = s->in->alpha > 1.0 / N_SHUFFLES ? s->in->alpha : 1.0 / N_SHUFFLES;
    while (out->n_found < EFFECTS_MAX_FOUND) {
        mean_of_all(s, s->rest);
        leader best = strongest(s);
        if (best.statistic <= 0)
            return;
        double p = chance(s, best.statistic);
        if (p > alpha)
            return;
        out->found[out->n_found++] = (effect_found){s->candidate[best.candidate], best.metric, p};
        take_out(s, best.candidate);
    }
}

/* ---- how large ---- */

/* weight = (X X^T)^-1 X by elimination without pivots: the matrix is positive definite. A term that
 * the others say already keeps weight 0. */
static void fit_weights(const search *s, double weight[][PLAN_MAX_CONFIGS],
                        const effect_term term[], unsigned n_terms)
{
    static const double singular = 1e-9;
    double x[EFFECTS_MAX_TERMS][PLAN_MAX_CONFIGS], a[EFFECTS_MAX_TERMS][EFFECTS_MAX_TERMS];
    for (unsigned i = 0; i < n_terms; i++)
        fill_column(x[i], s->in->plan, term[i]);
    for (unsigned i = 0; i < n_terms; i++) {
        for (unsigned k = 0; k < n_terms; k++)
            a[i][k] = dot(x[i], x[k], s->n_configs);
        memcpy(weight[i], x[i], s->n_configs * sizeof x[i][0]);
    }
    for (unsigned p = 0; p < n_terms; p++) {
        double pivot = a[p][p] > singular ? 1 / a[p][p] : 0;
        for (unsigned k = 0; k < n_terms; k++)
            a[p][k] *= pivot;
        for (size_t c = 0; c < s->n_configs; c++)
            weight[p][c] *= pivot;
        for (unsigned i = 0; i < n_terms; i++) {
            double f = a[i][p];
            if (i == p || f == 0)
                continue;
            for (unsigned k = 0; k < n_terms; k++)
                a[i][k] -= f * a[p][k];
            for (size_t c = 0; c < s->n_configs; c++)
                weight[i][c] -= f * weight[p][c];
        }
    }
}

/* draws[i][term]: effects where there are none, with the noise of the metric. */
static void resample(search *s, double weight[][PLAN_MAX_CONFIGS], unsigned n_terms)
{
    double mean[PLAN_MAX_CONFIGS], scale = widen(s);
    uint32_t n = (uint32_t)(s->in->n_blocks * s->n_configs);
    for (unsigned i = 0; i < N_RESAMPLES; i++) {
        for (size_t c = 0; c < s->n_configs; c++) {
            for (unsigned b = 0; b < s->in->n_blocks; b++)
                s->column_of_blocks[b] = s->noise[cuzk_stats_below(&s->rng, n)];
            mean[c] = scale * cuzk_stats_midmean(s->column_of_blocks, s->in->n_blocks);
        }
        for (unsigned t = 0; t < n_terms; t++)
            s->draws[i * EFFECTS_MAX_TERMS + t] = dot(weight[t], mean, s->n_configs);
    }
}

/* Standard errors, and how many of them hold all terms at once. */
static double spread(const search *s, double error[], unsigned n_terms)
{
    double widest[N_RESAMPLES];
    for (unsigned t = 0; t < n_terms; t++) {
        double sum = 0;
        for (unsigned i = 0; i < N_RESAMPLES; i++)
            sum += s->draws[i * EFFECTS_MAX_TERMS + t] * s->draws[i * EFFECTS_MAX_TERMS + t];
        error[t] = sqrt(sum / N_RESAMPLES);
    }
    for (unsigned i = 0; i < N_RESAMPLES; i++) {
        widest[i] = 0;
        for (unsigned t = 0; t < n_terms; t++) {
            double z = error[t] > 0 ? fabs(s->draws[i * EFFECTS_MAX_TERMS + t]) / error[t] : 0;
            widest[i] = z > widest[i] ? z : widest[i];
        }
    }
    return cuzk_stats_quantile(widest, N_RESAMPLES, CONFIDENCE);
}

static void intervals_of_metric(search *s, effects_result *out, unsigned metric,
                                double weight[][PLAN_MAX_CONFIGS])
{
    double error[EFFECTS_MAX_TERMS];
    mean_of_metric(s, s->rest, metric);
    residuals(s, metric);
    resample(s, weight, out->n_terms);
    double factor = spread(s, error, out->n_terms);
    for (unsigned t = 0; t < out->n_terms; t++) {
        double e = dot(weight[t], s->mean + metric * s->n_configs, s->n_configs);
        out->interval[t][metric] =
            (stats_interval){e, e - factor * error[t], e + factor * error[t]};
    }
}

static void fill_terms(const search *s, effects_result *out)
{
    for (uint32_t a = 0; a < s->in->plan->n_switches; a++)
        out->term[out->n_terms++] = (effect_term){a, EFFECTS_ALONE};
    for (unsigned i = 0; i < out->n_found; i++) {
        if (out->found[i].term.b != EFFECTS_ALONE)
            out->term[out->n_terms++] = out->found[i].term;
    }
}

static void intervals(search *s, effects_result *out, unsigned n_metrics)
{
    double weight[EFFECTS_MAX_TERMS][PLAN_MAX_CONFIGS];
    fill_terms(s, out);
    fit_weights(s, weight, out->term, out->n_terms);
    for (unsigned m = 0; m < n_metrics; m++)
        intervals_of_metric(s, out, m, weight);
}

/* ---- entry ---- */

static void search_free(search *s)
{
    if (!s)
        return;
    cuzk_free(s->column_of_blocks);
    cuzk_free(s->draws);
    cuzk_free(s->noise);
    cuzk_free(s->mean);
    cuzk_free(s->shuffled);
    cuzk_free(s->rest);
    cuzk_free(s);
}

static cuzk_status search_new(search **out, const effects_input *in, cuzk_err *err)
{
    search *s = NULL;
    if (in->n_blocks < 2 || in->n_metrics == 0 || in->n_metrics > EFFECTS_MAX_METRICS)
        return cuzk_fail(err, CUZK_INVAL, 0, "effects: %u blocks of %u metrics", in->n_blocks,
                         in->n_metrics);
    s = cuzk_calloc(1, sizeof *s);
    if (!s)
        return cuzk_fail(err, CUZK_NOMEM, 0, "effects: no memory");
    s->in = in;
    s->n_configs = in->plan->n_configs;
    s->n_values = (size_t)in->n_metrics * in->n_blocks * s->n_configs;
    s->rng.state = in->seed;
    s->rest = CUZK_NEW_ARRAY(double, s->n_values);
    s->shuffled = CUZK_NEW_ARRAY(double, s->n_values);
    s->mean = CUZK_NEW_ARRAY(double, in->n_metrics * s->n_configs);
    s->noise = CUZK_NEW_ARRAY(double, in->n_blocks * s->n_configs);
    s->draws = CUZK_NEW_ARRAY(double, N_RESAMPLES *EFFECTS_MAX_TERMS);
    s->column_of_blocks = CUZK_NEW_ARRAY(double, in->n_blocks);
    if (!s->rest || !s->shuffled || !s->mean || !s->noise || !s->draws || !s->column_of_blocks) {
        search_free(s);
        return cuzk_fail(err, CUZK_NOMEM, 0, "effects: no memory for %zu values", s->n_values);
    }
    fill_candidates(s);
    centre_blocks(s);
    *out = s;
    return CUZK_OK;
}

cuzk_status cuzk_effects_find(effects_result *out, const effects_input *in, cuzk_err *err)
{
    search *s;
    cuzk_status st = search_new(&s, in, err);
    if (st != CUZK_OK)
        return st;
    memset(out, 0, sizeof *out);
    clip(s);
    measure_noise(s, out);
    find(s, out);
    centre_blocks(s);
    intervals(s, out, out->n_found > 0 ? in->n_metrics : 1);
    search_free(s);
    return CUZK_OK;
}

cuzk_status cuzk_effects_precision(double *out, const effects_input *in, cuzk_err *err)
{
    search *s;
    effects_result r = {0};
    cuzk_status st = search_new(&s, in, err);
    if (st != CUZK_OK)
        return st;
    intervals(s, &r, 1);
    *out = 0;
    for (unsigned t = 0; t < r.n_terms; t++) {
        double half = 0.5 * (r.interval[t][0].high - r.interval[t][0].low);
        *out = half > *out ? half : *out;
    }
    search_free(s);
    return CUZK_OK;
}

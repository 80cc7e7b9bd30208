/* What the plots of a report show. */
#include <stdio.h>
#include <string.h>

#include "measure/report.h"

/* ---- phases ---- */

/* The longest phases with nothing on, in the order in which they run; their number. */
static unsigned longest_phases(unsigned out[REPORT_SERIES], const cuzk_diagnosis *d, unsigned most)
{
    double ms[DIAGNOSIS_MAX_METRICS] = {0};
    bool chosen[DIAGNOSIS_MAX_METRICS] = {false};
    unsigned n = 0;
    for (unsigned m = 1; m < d->n_metrics; m++)
        ms[m] = cuzk_diagnosis_median_ms(d, 0, m);
    for (unsigned k = 0; k < most; k++) {
        unsigned best = 0;
        for (unsigned m = 1; m < d->n_metrics; m++)
            if (!chosen[m] && strcmp(d->metric[m], "other") != 0 && (best == 0 || ms[m] > ms[best]))
                best = m;
        chosen[best] = best != 0;
    }
    for (unsigned m = 1; m < d->n_metrics; m++)
        if (chosen[m])
            out[n++] = m;
    return n;
}

static unsigned find_config(const cuzk_diagnosis *d, uint32_t mask)
{
    unsigned c = 0;
    while (c + 1 < d->plan.n_configs && d->plan.mask[c] != mask)
        c++;
    return c;
}

static void add_bar(report_bars *b, const cuzk_diagnosis *d, uint32_t mask)
{
    unsigned c = find_config(d, mask);
    for (unsigned i = 0; i < b->n_bars; i++)
        if (b->config[i] == c)
            return;
    b->config[b->n_bars++] = c;
}

static void cut_bar(report_bars *b, const cuzk_diagnosis *d, unsigned bar,
                    const unsigned metric[REPORT_SERIES], unsigned n)
{
    unsigned c = b->config[bar];
    double end = 0;
    for (unsigned s = 0; s < n; s++) {
        end += cuzk_diagnosis_median_ms(d, c, metric[s]);
        b->end_ms[bar][s] = end;
    }
    double total = cuzk_diagnosis_median_ms(d, c, 0);
    b->end_ms[bar][n] = total > end ? total : end;
}

void cuzk_report_bars(report_bars *out, const cuzk_diagnosis *d)
{
    unsigned metric[REPORT_SERIES];
    uint32_t all = (UINT32_C(1) << d->plan.n_switches) - 1;
    *out = (report_bars){.n_bars = 0};
    add_bar(out, d, 0);
    for (unsigned i = 0; i < d->plan.n_switches; i++)
        add_bar(out, d, UINT32_C(1) << i);
    for (unsigned i = 0; i < d->plan.n_switches; i++)
        add_bar(out, d, all & ~(UINT32_C(1) << i));
    add_bar(out, d, all);
    unsigned n = longest_phases(metric, d, REPORT_SERIES - 1);
    out->n_series = n + 1;
    for (unsigned s = 0; s < n; s++)
        memcpy(out->series[s], d->metric[metric[s]], sizeof out->series[s]);
    snprintf(out->series[n], sizeof out->series[n], "all the rest");
    for (unsigned i = 0; i < out->n_bars; i++)
        cut_bar(out, d, i, metric, n);
}

/* ---- memory ---- */

static void add_curve(report_curves *c, const cuzk_diagnosis *d, uint32_t mask)
{
    unsigned config = find_config(d, mask);
    for (unsigned i = 0; i < c->n; i++)
        if (c->config[i] == config)
            return;
    if (c->n < REPORT_SERIES && d->run[config].n_curve > 1)
        c->config[c->n++] = config;
}

void cuzk_report_curves(report_curves *out, const cuzk_diagnosis *d)
{
    *out = (report_curves){.n = 0};
    add_curve(out, d, 0);
    add_curve(out, d, (UINT32_C(1) << d->plan.n_switches) - 1);
    for (unsigned i = 0; i < d->plan.n_switches; i++) {
        cuzk_verdict v = d->verdict[i].memory;
        if (v == CUZK_SLOWER || v == CUZK_FASTER)
            add_curve(out, d, UINT32_C(1) << i);
    }
}

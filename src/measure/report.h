/* A diagnosis as JSON and as one HTML file (cuzk/diagnose.h), and the plots in it. */
#ifndef CUZK_MEASURE_REPORT_H
#define CUZK_MEASURE_REPORT_H

#include "base/buffer.h"
#include "measure/diagnosis.h"

typedef enum { PLOT_INTERVALS, PLOT_PHASES, PLOT_MEMORY } report_plot;

/* An <svg> element for the inside of an HTML page, drawn by gnuplot, with the colours of the page:
 * var(--fg), var(--grid), var(--s1) to var(--s8) of series, var(--v1) to var(--v3) of verdicts.
 * False when there is no gnuplot or it failed; nothing is put then. */
bool cuzk_report_plot(cuzk_buffer *out, const cuzk_diagnosis *d, report_plot which);

/* Bars of the plot of phases: some configurations, each cut into the longest phases and the rest.
 */
#define REPORT_SERIES 8u
typedef struct {
    unsigned n_bars, n_series;
    unsigned config[2 * PLAN_MAX_SWITCHES + 2];
    char series[REPORT_SERIES][CUZK_DIAGNOSE_NAME_BYTES];
    double end_ms[2 * PLAN_MAX_SWITCHES + 2][REPORT_SERIES]; /* of a series in its bar */
} report_bars;
void cuzk_report_bars(report_bars *out, const cuzk_diagnosis *d);

/* Curves of the plot of memory: nothing, all, and who takes more or less. */
typedef struct {
    unsigned n;
    unsigned config[REPORT_SERIES];
} report_curves;
void cuzk_report_curves(report_curves *out, const cuzk_diagnosis *d);

#endif

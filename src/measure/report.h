/* A diagnosis as JSON and as one HTML file (cuzk/diagnose.h), and the plots in it. */
#ifndef CUZK_MEASURE_REPORT_H
#define CUZK_MEASURE_REPORT_H

#include "base/buffer.h"
#include "measure/diagnosis.h"

typedef enum { PLOT_INTERVALS, PLOT_PHASES, PLOT_MEMORY, PLOT_COUNT } report_plot;

/* An <svg> element for the inside of an HTML page, drawn by gnuplot, with the colours of the page:
 * currentColor and var(--s1) to var(--s8). False when there is no gnuplot or it failed; nothing is
 * put then. */
bool cuzk_report_plot(cuzk_buffer *out, const cuzk_diagnosis *d, report_plot which);

/* Text inside HTML. */
void cuzk_report_text(cuzk_buffer *out, const char *text);

#endif

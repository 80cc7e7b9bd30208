/* The runs of a diagnosis as a file of JSON lines, so that it can go on another time: a line that
 * says what is measured, then a line a run. A line is added by one write; a last one that is not
 * whole (the machine went down) is cut off. */
#ifndef CUZK_MEASURE_DIAGNOSE_STATE_H
#define CUZK_MEASURE_DIAGNOSE_STATE_H

#include "measure/diagnosis.h"

typedef struct {
    int fd; /* -1: nothing is kept */
    const char *path;
} diagnose_state;

/* path may be NULL. Runs that are there are put into d, with their seconds. CUZK_EXISTS, or
 * CUZK_INVAL for a file that measures something else or is none of ours. */
cuzk_status cuzk_state_open(diagnose_state *s, cuzk_diagnosis *d, const char *path, bool resume,
                            cuzk_err *err);
cuzk_status cuzk_state_add(diagnose_state *s, unsigned block, unsigned config, double took_ms,
                           const cuzk_diagnose_run *run, cuzk_err *err);
void cuzk_state_close(diagnose_state *s);

#endif

/* Inside of a diagnosis (cuzk/diagnose.h): shared by the loop, the verdicts and the reports. */
#ifndef CUZK_MEASURE_DIAGNOSIS_H
#define CUZK_MEASURE_DIAGNOSIS_H

#include "cuzk/diagnose.h"
#include "measure/effects.h"
#include "measure/plan.h"

/* The whole run, its phases, and what no phase accounts for. */
#define DIAGNOSIS_MAX_METRICS  (CUZK_DIAGNOSE_MAX_PHASES + 2u)
#define DIAGNOSIS_MAX_VERDICTS (CUZK_DIAGNOSE_MAX_SWITCHES + 2u * EFFECTS_MAX_FOUND)

_Static_assert(DIAGNOSIS_MAX_METRICS <= EFFECTS_MAX_METRICS, "metrics");
_Static_assert(CUZK_DIAGNOSE_MAX_SWITCHES == PLAN_MAX_SWITCHES, "switches");

struct cuzk_diagnosis {
    measure_plan plan;
    char switch_name[CUZK_DIAGNOSE_MAX_SWITCHES][CUZK_DIAGNOSE_NAME_BYTES];
    char switch_about[CUZK_DIAGNOSE_MAX_SWITCHES][160];
    char workload[256], clock[8];
    double precision, smallest;
    double seconds; /* that the runs took, warm-up and earlier sessions included */

    cuzk_diagnose_run *run; /* [block][configuration] */
    bool *done;             /* the same */
    unsigned n_blocks;      /* complete ones: the first so many */
    unsigned max_blocks;

    unsigned n_metrics;
    char metric[DIAGNOSIS_MAX_METRICS][CUZK_DIAGNOSE_NAME_BYTES];
    unsigned n_verdicts;
    cuzk_diagnose_verdict verdict[DIAGNOSIS_MAX_VERDICTS];
    cuzk_diagnosis_quality quality;
    char answer[1024];
    char machine[256], program[160], load[64];
};

/* Medians over the complete blocks of one configuration. */
double cuzk_diagnosis_median_ms(const cuzk_diagnosis *d, unsigned config, unsigned metric);
double cuzk_diagnosis_median_kb(const cuzk_diagnosis *d, unsigned config);
/* "nothing", "all", "A1", "all but A1", "A1 + B1". */
void cuzk_diagnosis_config_name(char out[64], const cuzk_diagnosis *d, unsigned config);

#endif

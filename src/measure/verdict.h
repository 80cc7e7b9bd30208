/* From runs to verdicts. */
#ifndef CUZK_MEASURE_VERDICT_H
#define CUZK_MEASURE_VERDICT_H

#include "measure/diagnosis.h"

/* Chance that anybody is accused in a build in which no switch does anything. */
#define VERDICT_ALPHA 0.0005

/* Fills metrics, verdicts, quality and answer from the complete blocks, of which there are at least
 * two. */
cuzk_status cuzk_verdict_judge(cuzk_diagnosis *d, cuzk_err *err);
/* How well the whole run is known, as a fraction of it. */
cuzk_status cuzk_verdict_precision(double *out, const cuzk_diagnosis *d, cuzk_err *err);

#endif

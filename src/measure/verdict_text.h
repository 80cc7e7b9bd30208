/* Verdicts in words. */
#ifndef CUZK_MEASURE_VERDICT_TEXT_H
#define CUZK_MEASURE_VERDICT_TEXT_H

#include "measure/diagnosis.h"

/* Fills d->answer from the verdicts. */
void cuzk_verdict_answer(cuzk_diagnosis *d);

#endif

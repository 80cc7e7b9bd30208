/* Memory of this process during one run: peak and curve. The peak is the kernel's own, set back
 * before the run; the curve is read by a thread, at first every 5 ms (3 us each), half as often
 * each time the curve is full. */
#ifndef CUZK_MEASURE_DIAGNOSE_MEMORY_H
#define CUZK_MEASURE_DIAGNOSE_MEMORY_H

#include "cuzk/diagnose.h"

typedef struct diagnose_memory diagnose_memory;

cuzk_status cuzk_diagnose_memory_new(diagnose_memory **out, cuzk_err *err);
void cuzk_diagnose_memory_free(diagnose_memory *m); /* accepts NULL */

/* Returns what is kept for reuse to the system, so that every run begins alike. */
void cuzk_diagnose_memory_begin(diagnose_memory *m);
/* Fills the memory part of run, if its peak_kb is 0. */
void cuzk_diagnose_memory_end(diagnose_memory *m, cuzk_diagnose_run *run);

#endif

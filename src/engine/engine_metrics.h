/* The engine's numbers, those of the budget, the parameters and the process, as Prometheus text. */
#ifndef CUZK_ENGINE_ENGINE_METRICS_H
#define CUZK_ENGINE_ENGINE_METRICS_H

#include <stdbool.h>

#include "engine/engine.h"

/* A new string (cuzk_free); NULL when out of memory. First the families of the established daemon,
 * in its order (formats.md 1.4). strict: see metrics_page. Never waits for a proof or a load. */
char *cuzk_engine_metrics(engine *e, bool strict);

/* For the histograms and /status: a job that had started has ended. */
void cuzk_engine_measure_end(const char *job_id, cuzk_kind kind, engine_outcome outcome,
                             const engine_timings *t);

#endif

/* What the process counts beside the engine's own statistics, and where it is counted. */
#ifndef CUZK_MEASURE_INSTRUMENTS_H
#define CUZK_MEASURE_INSTRUMENTS_H

#include "measure/metrics.h"

/* From now on the spans of jobs feed the histogram of phases. */
void cuzk_measure_phases(void);

/* A job has ended. kind: as metrics name it; outcome: "completed", "failed", "cancelled". */
void cuzk_measure_job(const char *kind, const char *outcome, uint64_t queue_ns, uint64_t total_ns);
/* A request was not taken. reason: name of the status. */
void cuzk_measure_refusal(const char *reason);
/* Parameters have come into memory, or have been given up. */
void cuzk_measure_srs_loaded(const char *circuit);
void cuzk_measure_srs_evicted(const char *circuit);
/* A page was asked for over HTTP. */
void cuzk_measure_http(const char *path);

/* All of the above and the process itself: memory, faults, processor time, descriptors. */
void cuzk_page_instruments(metrics_page *p);

#endif

/* What the process counts beside the engine's own statistics, and where it is counted. */
#ifndef CUZK_MEASURE_INSTRUMENTS_H
#define CUZK_MEASURE_INSTRUMENTS_H

#include "measure/metrics.h"

/* From now on the spans of jobs feed the histogram of phases and the board (job_board.h). */
void cuzk_measure_start(void);

/* A job has its first turn. */
void cuzk_measure_job_began(const char *job_id);
/* A job that had started has ended. */
typedef struct {
    const char *job_id, *kind; /* the kind as metrics name it */
    int kind_number;           /* and as the engine does */
    bool completed;
    uint64_t queue_ns, total_ns; /* from arrival to start, to end */
} measured_job;
void cuzk_measure_job(const measured_job *j);
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

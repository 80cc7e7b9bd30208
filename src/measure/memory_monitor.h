/* A thread that samples this process's memory: for the trace file (a curve beside the phases) and,
 * if asked to, a CSV file with the columns of memmon.h, beside it FILE.jobs with a line at each
 * begin and end of a job. One a process. */
#ifndef CUZK_MEASURE_MEMORY_MONITOR_H
#define CUZK_MEASURE_MEMORY_MONITOR_H

#include "base/error.h"
#include "cuzk/memmon.h"

typedef struct {
    uint64_t interval_ms;
    const char *csv_path; /* appended to, opened for every line so that it may be rotated; NULL */
    uint64_t (*budget_used)(void *ctx); /* bytes; NULL: not known */
    void *ctx;
} memory_monitor_options;

typedef struct memory_monitor memory_monitor;

/* CUZK_IO: the file cannot be written. */
cuzk_status cuzk_memory_monitor_start(memory_monitor **out, const memory_monitor_options *opt,
                                      cuzk_err *err);
void cuzk_memory_monitor_stop(memory_monitor *m); /* accepts NULL */

/* Called as a job begins and ends, by the thread that runs it; nothing where there is no file. */
void cuzk_memory_monitor_mark(const char *event, const char *job_id);

/* The last 1024 samples, oldest first, each with its CLOCK_MONOTONIC time. */
typedef void (*memory_visit_fn)(void *ctx, uint64_t at_ns, const cuzk_memory_sample *s);
void cuzk_memory_monitor_visit(memory_visit_fn fn, void *ctx);
/* What sampling has cost so far: number, and processor time of the thread. */
void cuzk_memory_monitor_cost(uint64_t *n_samples, uint64_t *cpu_ns);

#endif

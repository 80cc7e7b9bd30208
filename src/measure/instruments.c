#include "measure/instruments.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "base/trace.h"
#include "measure/job_board.h"
#include "measure/memory_monitor.h"
#include "measure/proc_stat.h"

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

/* From a finish of 1 ms to an NTT of minutes. */
static const uint64_t phase_bound[] = {1 * MS, 5 * MS,  20 * MS, 100 * MS, 500 * MS,
                                       1 * S,  2 * S,   5 * S,   10 * S,   20 * S,
                                       60 * S, 120 * S, 300 * S, 600 * S};
/* From a WinningPoSt of 0.1 s to a queue of hours. */
static const uint64_t job_bound[] = {100 * MS, 250 * MS, 500 * MS, 1 * S,    2 * S,
                                     5 * S,    10 * S,   30 * S,   60 * S,   120 * S,
                                     300 * S,  600 * S,  1800 * S, 3600 * S, 14400 * S};

static metric phases = {.type = METRIC_HISTOGRAM,
                        .name = "cuzk_phase_seconds",
                        .help = "Time of one phase of one partition",
                        .label = "phase",
                        .bound = phase_bound,
                        .n_bounds = CUZK_ARRAY_LEN(phase_bound),
                        .lock = PTHREAD_MUTEX_INITIALIZER};
static metric jobs = {.type = METRIC_HISTOGRAM,
                      .name = "cuzk_job_seconds",
                      .help = "Time of completed jobs from arrival to end",
                      .label = "proof_kind",
                      .bound = job_bound,
                      .n_bounds = CUZK_ARRAY_LEN(job_bound),
                      .lock = PTHREAD_MUTEX_INITIALIZER};
static metric waits = {.type = METRIC_HISTOGRAM,
                       .name = "cuzk_queue_seconds",
                       .help = "Time of ended jobs from arrival to start",
                       .label = "proof_kind",
                       .bound = job_bound,
                       .n_bounds = CUZK_ARRAY_LEN(job_bound),
                       .lock = PTHREAD_MUTEX_INITIALIZER};
static metric refusals = {.type = METRIC_COUNTER,
                          .name = "cuzk_refused_requests_total",
                          .help = "Requests that were not taken, by reason",
                          .label = "reason",
                          .lock = PTHREAD_MUTEX_INITIALIZER};
static metric loads = {.type = METRIC_COUNTER,
                       .name = "cuzk_srs_loads_total",
                       .help = "Times that parameters were loaded",
                       .label = "circuit",
                       .lock = PTHREAD_MUTEX_INITIALIZER};
static metric evictions = {.type = METRIC_COUNTER,
                           .name = "cuzk_srs_evictions_total",
                           .help = "Times that parameters were given up",
                           .label = "circuit",
                           .lock = PTHREAD_MUTEX_INITIALIZER};
static metric http = {.type = METRIC_COUNTER,
                      .name = "cuzk_http_requests_total",
                      .help = "Requests to the HTTP server, by path",
                      .label = "path",
                      .lock = PTHREAD_MUTEX_INITIALIZER};

static void phase_ended(const char *label, const span_event *e)
{
    cuzk_metric_observe_ns(&phases, e->phase, e->end_ns - e->begin_ns);
    cuzk_job_board_span(label, e);
}

void cuzk_measure_start(void)
{
    cuzk_span_set_sink(phase_ended);
}

void cuzk_measure_job_began(const char *job_id)
{
    cuzk_memory_monitor_mark("begin", job_id);
}

void cuzk_measure_job(const measured_job *j)
{
    cuzk_memory_monitor_mark("end", j->job_id);
    cuzk_metric_observe_ns(&waits, j->kind, j->queue_ns);
    if (j->completed)
        cuzk_metric_observe_ns(&jobs, j->kind, j->total_ns);
    cuzk_job_board_end(j->job_id, j->kind_number, j->completed);
}

void cuzk_measure_refusal(const char *reason)
{
    cuzk_metric_add(&refusals, reason, 1);
}

void cuzk_measure_srs_loaded(const char *circuit)
{
    cuzk_metric_add(&loads, circuit, 1);
}

void cuzk_measure_srs_evicted(const char *circuit)
{
    cuzk_metric_add(&evictions, circuit, 1);
}

void cuzk_measure_http(const char *path)
{
    cuzk_metric_add(&http, path, 1);
}

/* ---- the process ---- */

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * S + (uint64_t)t.tv_nsec;
}

static uint64_t start_epoch_ns(const proc_stat *s)
{
    struct timespec boot;
    clock_gettime(CLOCK_BOOTTIME, &boot);
    uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK);
    uint64_t since_boot = (uint64_t)boot.tv_sec * S + (uint64_t)boot.tv_nsec;
    return cuzk_epoch_ms() * MS - since_boot + s->start_ticks * (S / ticks);
}

static void put_faults(metrics_page *p, const proc_stat *s)
{
    static const char name[] = "cuzk_page_faults_total";
    const metric_label minor = {"kind", "minor"}, major = {"kind", "major"};
    cuzk_page_family(p, METRIC_COUNTER, name, "Page faults; major ones read from disk");
    cuzk_page_uint(p, name, "", &minor, 1, s->minor_faults);
    cuzk_page_uint(p, name, "", &major, 1, s->major_faults);
}

static void put_monitor(metrics_page *p)
{
    uint64_t n, ns;
    cuzk_memory_monitor_cost(&n, &ns);
    cuzk_page_single(p, METRIC_COUNTER, "cuzk_memory_samples_total",
                     "Samples of the memory monitor", n);
    cuzk_page_family(p, METRIC_COUNTER, "cuzk_memory_monitor_cpu_seconds_total",
                     "Processor time that they took");
    cuzk_page_seconds(p, "cuzk_memory_monitor_cpu_seconds_total", "", NULL, 0, ns);
}

/* Names in the first group are those that Prometheus' own client libraries use. */
static void put_process(metrics_page *p)
{
    proc_stat s;
    cuzk_page_family(p, METRIC_COUNTER, "process_cpu_seconds_total", "Processor time used");
    cuzk_page_seconds(p, "process_cpu_seconds_total", "", NULL, 0, cpu_ns());
    cuzk_page_single(p, METRIC_GAUGE, "cuzk_allocated_bytes", "Bytes that cuzk's allocator holds",
                     cuzk_mem_used());
    if (!cuzk_proc_self(&s))
        return; /* no /proc */
    cuzk_page_single(p, METRIC_GAUGE, "process_resident_memory_bytes", "Resident memory",
                     s.rss_kb * 1024);
    cuzk_page_single(p, METRIC_GAUGE, "process_virtual_memory_bytes", "Address space",
                     s.virtual_kb * 1024);
    cuzk_page_single(p, METRIC_GAUGE, "process_open_fds", "Open descriptors", cuzk_proc_self_fds());
    cuzk_page_single(p, METRIC_GAUGE, "process_threads", "Threads", s.n_threads);
    cuzk_page_family(p, METRIC_GAUGE, "process_start_time_seconds", "Start, since the epoch");
    cuzk_page_seconds(p, "process_start_time_seconds", "", NULL, 0, start_epoch_ns(&s));
    cuzk_page_single(p, METRIC_GAUGE, "cuzk_peak_resident_memory_bytes",
                     "Most resident memory so far", s.peak_rss_kb * 1024);
    cuzk_page_single(p, METRIC_GAUGE, "cuzk_pinned_memory_bytes", "Locked or pinned memory",
                     s.pinned_kb * 1024);
    put_faults(p, &s);
    put_monitor(p);
}

void cuzk_page_instruments(metrics_page *p)
{
    const metric *const all[] = {&phases, &jobs, &waits, &refusals, &loads, &evictions, &http};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(all); i++)
        cuzk_page_metric(p, all[i]);
    put_process(p);
}

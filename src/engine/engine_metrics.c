#include "engine/engine_metrics.h"

#include <stdio.h>
#include <string.h>

#include "measure/instruments.h"

#define MAX_SRS 64u
#define MS_NS   UINT64_C(1000000)

/* Label values as dashboards know them. */
static const char *const kind_label[CUZK_KIND_COUNT] = {
    [CUZK_KIND_POREP] = "porep_c2",
    [CUZK_KIND_WINNING] = "winning_post",
    [CUZK_KIND_WINDOW] = "window_post",
    [CUZK_KIND_UPDATE] = "snap_update",
};

/* ---- what the established daemon has ---- */

/* One field of all kinds. */
typedef struct {
    uint64_t of[CUZK_KIND_COUNT];
} by_kind;
#define GATHER(v, s, field)                                                                        \
    for (size_t k_ = 0; k_ < CUZK_KIND_COUNT; k_++)                                                \
    (v).of[k_] = (s)->kind[k_].field

static uint64_t sum_of(const by_kind *v)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < CUZK_KIND_COUNT; k++)
        sum += v->of[k];
    return sum;
}

static metric_label kind_of(size_t k)
{
    return (metric_label){"proof_kind", kind_label[k]};
}

static void put_by_kind(metrics_page *p, metric_type type, const char *name, const char *help,
                        const by_kind *v)
{
    cuzk_page_family(p, type, name, help);
    for (size_t k = 0; k < CUZK_KIND_COUNT; k++) {
        const metric_label label = kind_of(k);
        cuzk_page_uint(p, name, "", &label, 1, v->of[k]);
    }
}

static void put_ms_by_kind(metrics_page *p, const char *name, const char *help, const by_kind *ms)
{
    cuzk_page_family(p, METRIC_COUNTER, name, help);
    for (size_t k = 0; k < CUZK_KIND_COUNT; k++) {
        const metric_label label = kind_of(k);
        cuzk_page_seconds(p, name, "", &label, 1, ms->of[k] * MS_NS);
    }
}

/* Durations are sums over all completions, so they never fall. */
static void put_durations(metrics_page *p, const engine_stats *s)
{
    static const char name[] = "cuzk_proof_duration_seconds";
    cuzk_page_family(p, METRIC_SUMMARY, name, "Proof duration");
    for (size_t k = 0; k < CUZK_KIND_COUNT; k++) {
        const metric_label label = kind_of(k);
        cuzk_page_uint(p, name, "_count", &label, 1, s->kind[k].completed);
        cuzk_page_seconds(p, name, "_sum", &label, 1, s->kind[k].duration_ms * MS_NS);
    }
}

static void put_established(metrics_page *p, const engine_stats *s)
{
    by_kind completed, failed, pending, running;
    GATHER(completed, s, completed);
    GATHER(failed, s, failed);
    GATHER(pending, s, pending);
    GATHER(running, s, running);
    cuzk_page_single(p, METRIC_COUNTER, "cuzk_proofs_completed_total", "Total proofs completed",
                     sum_of(&completed));
    cuzk_page_single(p, METRIC_COUNTER, "cuzk_proofs_failed_total", "Total proofs failed",
                     sum_of(&failed));
    cuzk_page_single(p, METRIC_GAUGE, "cuzk_uptime_seconds", "Daemon uptime",
                     s->uptime_ns / (1000 * MS_NS));
    cuzk_page_single(p, METRIC_GAUGE, "cuzk_queue_depth", "Current queue depth", sum_of(&pending));
    put_by_kind(p, METRIC_COUNTER, "cuzk_proofs_completed", "Per proof-kind completions",
                &completed);
    put_by_kind(p, METRIC_COUNTER, "cuzk_proofs_failed", "Per proof-kind failures", &failed);
    put_durations(p, s);
    cuzk_page_single(p, METRIC_GAUGE, "cuzk_running_jobs", "Currently running proofs",
                     sum_of(&running));
    cuzk_page_single(p, METRIC_GAUGE, "cuzk_gpu_workers", "Number of GPU workers", 0);
}

/* ---- jobs ---- */

static void put_failures(metrics_page *p, const engine_stats *s)
{
    static const char name[] = "cuzk_job_failures_total";
    cuzk_page_family(p, METRIC_COUNTER, name, "Failed jobs by reason");
    for (size_t i = 0; i < CUZK_STATUS_COUNT; i++) {
        const metric_label label = {"reason", cuzk_status_name((cuzk_status)i)};
        if (i != CUZK_OK)
            cuzk_page_uint(p, name, "", &label, 1, s->failed_by[i]);
    }
}

static void put_jobs(metrics_page *p, const engine_stats *s)
{
    by_kind v;
    GATHER(v, s, pending);
    put_by_kind(p, METRIC_GAUGE, "cuzk_jobs_pending", "Jobs that wait for their start", &v);
    GATHER(v, s, running);
    put_by_kind(p, METRIC_GAUGE, "cuzk_jobs_running", "Jobs that have started", &v);
    GATHER(v, s, n_started);
    put_by_kind(p, METRIC_COUNTER, "cuzk_jobs_started_total", "Jobs started", &v);
    GATHER(v, s, completed);
    put_by_kind(p, METRIC_COUNTER, "cuzk_jobs_completed_total", "Jobs completed", &v);
    GATHER(v, s, failed);
    put_by_kind(p, METRIC_COUNTER, "cuzk_jobs_failed_total", "Jobs failed", &v);
    GATHER(v, s, cancelled);
    put_by_kind(p, METRIC_COUNTER, "cuzk_jobs_cancelled_total", "Jobs cancelled", &v);
    GATHER(v, s, queue_ms);
    put_ms_by_kind(p, "cuzk_job_wait_seconds_total", "Time that started jobs had waited", &v);
    put_failures(p, s);
}

static void put_deadlines(metrics_page *p, const engine_stats *s)
{
    by_kind v;
    GATHER(v, s, deadline_met);
    put_by_kind(p, METRIC_COUNTER, "cuzk_deadlines_met_total", "Jobs done before their deadline",
                &v);
    GATHER(v, s, deadline_missed);
    put_by_kind(p, METRIC_COUNTER, "cuzk_deadlines_missed_total", "Jobs done after their deadline",
                &v);
    GATHER(v, s, deadline_margin_ms);
    put_ms_by_kind(p, "cuzk_deadline_margin_seconds_total",
                   "Time left to the deadline, over jobs that met it", &v);
}

static void put_engine(metrics_page *p, const engine_stats *s)
{
    cuzk_page_single(p, METRIC_COUNTER, "cuzk_partitions_proved_total", "Partitions proved",
                     s->n_partitions);
    cuzk_page_single(p, METRIC_COUNTER, "cuzk_preemptions_total",
                     "Jobs that started while a less urgent one was in a partition",
                     s->n_preemptions);
    cuzk_page_single(p, METRIC_COUNTER, "cuzk_aged_jobs_total",
                     "Jobs that rose a class because they had waited long", s->n_aged);
    cuzk_page_single(p, METRIC_COUNTER, "cuzk_self_check_failures_total",
                     "Proofs that our own check rejected, and that were made again", s->n_reproved);
    cuzk_page_single(p, METRIC_COUNTER, "cuzk_watchdog_stalls_total",
                     "Stages that stood still for too long", s->n_stalls);
    cuzk_page_single(p, METRIC_GAUGE, "cuzk_results_kept", "Ended jobs whose results are kept",
                     s->n_results);
    cuzk_page_single(p, METRIC_GAUGE, "cuzk_request_bytes", "Bytes of requests waiting or running",
                     s->bytes);
    cuzk_page_single(p, METRIC_GAUGE, "cuzk_draining", "1: no more jobs are taken", s->draining);
}

/* ---- memory ---- */

static const char *tier_name(const cuzk_prover_srs_info *i)
{
    static const char *const name[] = {"hot", "warm", "cold"};
    return i->loading ? "loading" : (unsigned)i->tier < 3 ? name[i->tier] : "unknown";
}

static void put_srs_family(metrics_page *p, const cuzk_prover_srs_info info[], size_t n,
                           const char *name, const char *help, bool bytes)
{
    cuzk_page_family(p, METRIC_GAUGE, name, help);
    for (size_t i = 0; i < n; i++) {
        const metric_label label[] = {{"circuit", info[i].circuit}, {"tier", tier_name(&info[i])}};
        cuzk_page_uint(p, name, "", label, 2, bytes ? info[i].bytes : info[i].ref_count);
    }
}

static void put_srs(metrics_page *p, engine *e)
{
    cuzk_prover_srs_info info[MAX_SRS];
    size_t n = cuzk_engine_loaded(e, info, MAX_SRS);
    n = n < MAX_SRS ? n : MAX_SRS;
    put_srs_family(p, info, n, "cuzk_srs_bytes", "Bytes of parameters in use, by circuit", true);
    put_srs_family(p, info, n, "cuzk_srs_references", "Proofs that use these parameters now",
                   false);
}

static void put_budget(metrics_page *p, engine *e)
{
    static const char by_use[] = "cuzk_memory_reserved_bytes";
    budget_stats b;
    cuzk_engine_budget(e, &b);
    if (b.total == 0)
        return; /* there is no budget */
    if (b.total != UINT64_MAX)
        cuzk_page_single(p, METRIC_GAUGE, "cuzk_memory_budget_bytes", "The budget", b.total);
    cuzk_page_single(p, METRIC_GAUGE, "cuzk_memory_used_bytes", "Reserved from the budget", b.used);
    cuzk_page_single(p, METRIC_GAUGE, "cuzk_memory_peak_bytes", "Most reserved so far", b.peak);
    cuzk_page_family(p, METRIC_GAUGE, by_use, "Reserved from the budget, by use");
    for (unsigned k = 0; k < BUDGET_KINDS; k++) {
        const metric_label label = {"use", cuzk_budget_kind_name((budget_kind)k)};
        cuzk_page_uint(p, by_use, "", &label, 1, b.kind[k]);
    }
    cuzk_page_single(p, METRIC_GAUGE, "cuzk_memory_waiting", "Stages that wait for memory",
                     b.n_waiting);
    cuzk_page_single(p, METRIC_COUNTER, "cuzk_memory_refusals_total",
                     "Reservations that could not be met", b.n_refused);
    cuzk_page_single(p, METRIC_COUNTER, "cuzk_memory_reclaims_total",
                     "Times that idle memory was given up", b.n_reclaimed);
}

static void put_build(metrics_page *p)
{
    static const char name[] = "cuzk_build_info";
    const metric_label label[] = {{"version", CUZK_VERSION}, {"compiler", __VERSION__}};
    cuzk_page_family(p, METRIC_GAUGE, name, "Always 1; what runs is in the labels");
    cuzk_page_uint(p, name, "", label, 2, 1);
}

void cuzk_engine_measure_end(const char *job_id, cuzk_kind kind, engine_outcome outcome,
                             const engine_timings *t)
{
    const measured_job j = {.job_id = job_id,
                            .kind = kind_label[kind],
                            .kind_number = (int)kind,
                            .completed = outcome == ENGINE_COMPLETED,
                            .queue_ns = t->queue_ms * MS_NS,
                            .total_ns = t->total_ms * MS_NS};
    cuzk_measure_job(&j);
}

char *cuzk_engine_metrics(engine *e, bool strict)
{
    metrics_page p = {.strict = strict};
    engine_stats s;
    cuzk_engine_stats(e, &s);
    put_established(&p, &s);
    put_jobs(&p, &s);
    put_deadlines(&p, &s);
    put_engine(&p, &s);
    put_srs(&p, e);
    put_budget(&p, e);
    put_build(&p);
    cuzk_page_instruments(&p);
    cuzk_page_single(&p, METRIC_GAUGE, "cuzk_waiting_calls", "Calls that wait for a proof",
                     s.n_listeners);
    if (p.out.failed)
        cuzk_buffer_fini(&p.out);
    return p.out.text;
}

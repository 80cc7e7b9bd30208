/* Prometheus text exposition; names, order and help texts as existing dashboards know them
 * (formats.md 1.4), then our own. Durations are sums over all completions, so they never fall. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "rpc/service.h"

#define MAX_TEXT 8192u /* 10 families of at most 4 series */

typedef struct {
    char *text;
    size_t n;
} writer;

static void CUZK_PRINTF(2, 3) put(writer *w, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int k = vsnprintf(w->text + w->n, MAX_TEXT - w->n, fmt, ap);
    va_end(ap);
    if (k > 0 && (size_t)k < MAX_TEXT - w->n)
        w->n += (size_t)k;
}

static void head(writer *w, const char *name, const char *help, const char *type)
{
    put(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void single(writer *w, const char *name, const char *help, const char *type, uint64_t value)
{
    head(w, name, help, type);
    put(w, "%s %" PRIu64 "\n", name, value);
}

static const char *label_of(size_t kind)
{
    static const char *const label[CUZK_KIND_COUNT] = {
        [CUZK_KIND_POREP] = "porep_c2",
        [CUZK_KIND_WINNING] = "winning_post",
        [CUZK_KIND_WINDOW] = "window_post",
        [CUZK_KIND_UPDATE] = "snap_update",
    };
    return label[kind];
}

static void per_kind(writer *w, const engine_stats *s)
{
    head(w, "cuzk_proofs_completed", "Per proof-kind completions", "counter");
    for (size_t k = 0; k < CUZK_KIND_COUNT; k++)
        put(w, "cuzk_proofs_completed{proof_kind=\"%s\"} %" PRIu64 "\n", label_of(k),
            s->kind[k].completed);
    head(w, "cuzk_proofs_failed", "Per proof-kind failures", "counter");
    for (size_t k = 0; k < CUZK_KIND_COUNT; k++)
        put(w, "cuzk_proofs_failed{proof_kind=\"%s\"} %" PRIu64 "\n", label_of(k),
            s->kind[k].failed);
    head(w, "cuzk_proof_duration_seconds", "Proof duration", "summary");
    for (size_t k = 0; k < CUZK_KIND_COUNT; k++)
        put(w,
            "cuzk_proof_duration_seconds_count{proof_kind=\"%s\"} %" PRIu64 "\n"
            "cuzk_proof_duration_seconds_sum{proof_kind=\"%s\"} %.3f\n",
            label_of(k), s->kind[k].completed, label_of(k), (double)s->kind[k].duration_ms / 1e3);
}

char *cuzk_service_metrics(engine *e)
{
    engine_stats s;
    uint64_t completed = 0, failed = 0, pending = 0, running = 0;
    writer w = {cuzk_malloc(MAX_TEXT), 0};
    if (!w.text)
        return NULL;
    cuzk_engine_stats(e, &s);
    for (size_t k = 0; k < CUZK_KIND_COUNT; k++) {
        completed += s.kind[k].completed;
        failed += s.kind[k].failed;
        pending += s.kind[k].pending;
        running += s.kind[k].running;
    }
    single(&w, "cuzk_proofs_completed_total", "Total proofs completed", "counter", completed);
    single(&w, "cuzk_proofs_failed_total", "Total proofs failed", "counter", failed);
    single(&w, "cuzk_uptime_seconds", "Daemon uptime", "gauge", s.uptime_ns / 1000000000u);
    single(&w, "cuzk_queue_depth", "Current queue depth", "gauge", pending);
    per_kind(&w, &s);
    single(&w, "cuzk_running_jobs", "Currently running proofs", "gauge", running);
    single(&w, "cuzk_gpu_workers", "Number of GPU workers", "gauge", 0);
    single(&w, "cuzk_waiting_calls", "Calls that wait for a proof", "gauge", s.n_listeners);
    return w.text;
}

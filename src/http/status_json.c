/* The document of /status. A user interface depends on the keys of the established daemon
 * (formats.md 3), in its order and with its types: floats have a fraction, absent values are null.
 * Keys of our own come behind them, in the same objects. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <yajl/yajl_gen.h>

#include "base/clock.h"
#include "base/mem.h"
#include "http/http_pages.h"
#include "measure/job_board.h"

#define MAX_JOBS 64u /* shown; queue_depth counts all */
#define MAX_SRS  64u

typedef struct {
    yajl_gen g;
    engine_stats stats;
    budget_stats budget;
    engine_job_info job[MAX_JOBS]; /* not ended */
    size_t n_jobs;
    board_job ended[MAX_JOBS], known;
    size_t n_ended;
    cuzk_prover_srs_info srs[MAX_SRS];
    size_t n_srs;
    uint64_t now_ns;
} status_view;

/* ---- writing ---- */

static void key(yajl_gen g, const char *name)
{
    yajl_gen_string(g, (const unsigned char *)name, strlen(name));
}

static void put_string(yajl_gen g, const char *name, const char *value)
{
    key(g, name);
    yajl_gen_string(g, (const unsigned char *)value, strlen(value));
}

static void put_uint(yajl_gen g, const char *name, uint64_t value)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%" PRIu64, value);
    key(g, name);
    yajl_gen_number(g, text, (size_t)n);
}

static void put_bool(yajl_gen g, const char *name, bool value)
{
    key(g, name);
    yajl_gen_bool(g, value);
}

static void put_null(yajl_gen g, const char *name)
{
    key(g, name);
    yajl_gen_null(g);
}

/* Milliseconds are enough, zeros at the end are dropped, but one digit of a fraction stays. */
static void put_seconds(yajl_gen g, const char *name, uint64_t ns)
{
    char text[32];
    uint64_t ms = ns / 1000000u;
    int n = snprintf(text, sizeof text, "%" PRIu64 ".%03" PRIu64, ms / 1000, ms % 1000);
    while (text[n - 1] == '0' && text[n - 2] != '.')
        n--;
    key(g, name);
    yajl_gen_number(g, text, (size_t)n);
}

/* null for 0, which stands for "not yet" */
static void put_ms_or_null(yajl_gen g, const char *name, uint64_t ns)
{
    if (ns == 0)
        put_null(g, name);
    else
        put_uint(g, name, ns / 1000000u);
}

/* ---- one partition ---- */

static bool in_witness(const engine_job_info *j)
{
    return strcmp(j->phase, "witness") == 0;
}

/* j: the job if it has not ended; p: what its spans have told so far. */
static const char *partition_state(const engine_job_info *j, const board_partition *p, bool current,
                                   bool failed)
{
    if (p->done)
        return "done";
    if (failed)
        return p->seen ? "failed" : "pending";
    if (current)
        return in_witness(j) ? "synthesizing" : "gpu";
    return p->seen ? "synth_done" : "pending";
}

static void put_partition(yajl_gen g, unsigned index, const engine_job_info *j,
                          const board_partition *p, bool failed)
{
    bool current = j && j->partition == (int)index;
    uint64_t witness = p->witness_ns, proof = p->proof_ns;
    if (current && in_witness(j))
        witness += j->phase_ns;
    else if (current)
        proof += j->phase_ns;
    yajl_gen_map_open(g);
    put_uint(g, "index", index);
    put_string(g, "state", partition_state(j, p, current, failed));
    put_ms_or_null(g, "synth_ms", witness);
    put_ms_or_null(g, "gpu_ms", proof);
    yajl_gen_map_close(g);
}

/* first: number of the first partition asked for, which need not be 0. */
static void put_partitions(yajl_gen g, const engine_job_info *j, const board_job *known,
                           unsigned first, unsigned n, bool failed)
{
    static const board_partition nothing;
    key(g, "partitions");
    yajl_gen_array_open(g);
    for (unsigned i = first; i < first + n; i++) {
        const board_partition *p =
            known && i < JOB_BOARD_PARTITIONS ? &known->partition[i] : &nothing;
        put_partition(g, i, j, p, failed);
    }
    yajl_gen_array_close(g);
}

/* ---- one job ---- */

static unsigned first_partition(const engine_job_info *j, const board_job *known)
{
    for (unsigned i = 0; known && i < JOB_BOARD_PARTITIONS; i++) {
        if (known->partition[i].seen)
            return i;
    }
    return j && j->n_partitions == 1 && j->partition > 0 ? (unsigned)j->partition : 0;
}

static void put_running(status_view *v, const engine_job_info *j)
{
    yajl_gen g = v->g;
    const board_job *known = cuzk_job_board_find(j->job_id, &v->known) ? &v->known : NULL;
    if (known && known->ended_ns)
        known = NULL; /* an earlier run of the same id */
    unsigned n = j->n_partitions ? j->n_partitions : 1;
    yajl_gen_map_open(g);
    put_string(g, "job_id", j->job_id);
    put_string(g, "proof_kind", cuzk_engine_kind_name(j->kind));
    put_seconds(g, "started_secs_ago", j->running_ns);
    put_uint(g, "total_partitions", n);
    put_uint(g, "partitions_done", j->n_done);
    put_partitions(g, j, known, first_partition(j, known), n, false);
    put_string(g, "state", cuzk_engine_job_state_name(j->state));
    put_string(g, "phase", j->phase);
    put_seconds(g, "phase_secs", j->phase_ns);
    put_string(g, "reason", j->reason);
    put_string(g, "device", "cpu");
    put_uint(g, "priority", (uint64_t)j->priority);
    put_uint(g, "level", (uint64_t)j->level);
    put_uint(g, "waiting_calls", j->n_listeners);
    yajl_gen_map_close(g);
}

static unsigned count_partitions(const board_job *j, bool done)
{
    unsigned n = 0;
    for (unsigned i = 0; i < JOB_BOARD_PARTITIONS; i++)
        n += done ? j->partition[i].done : j->partition[i].seen;
    return n;
}

static void put_ended(yajl_gen g, const board_job *j, uint64_t now_ns)
{
    unsigned n = count_partitions(j, false);
    yajl_gen_map_open(g);
    put_string(g, "job_id", j->job_id);
    put_string(g, "proof_kind", cuzk_engine_kind_name((cuzk_kind)j->kind));
    put_seconds(g, "started_secs_ago", now_ns - j->first_ns);
    put_uint(g, "total_partitions", n);
    put_uint(g, "partitions_done", count_partitions(j, true));
    put_partitions(g, NULL, j, first_partition(NULL, j), n, !j->completed);
    put_string(g, "state", j->completed ? "completed" : "failed");
    put_seconds(g, "ended_secs_ago", now_ns - j->ended_ns);
    yajl_gen_map_close(g);
}

static void put_pipelines(status_view *v)
{
    key(v->g, "pipelines");
    yajl_gen_array_open(v->g);
    for (size_t i = 0; i < v->n_jobs; i++) {
        if (v->job[i].state != ENGINE_JOB_QUEUED)
            put_running(v, &v->job[i]);
    }
    for (size_t i = 0; i < v->n_ended; i++)
        put_ended(v->g, &v->ended[i], v->now_ns);
    yajl_gen_array_close(v->g);
}

/* ---- the rest ---- */

static unsigned count_jobs(const status_view *v, bool witness_only)
{
    unsigned n = 0;
    for (size_t i = 0; i < v->n_jobs; i++)
        n += v->job[i].state != ENGINE_JOB_QUEUED && (!witness_only || in_witness(&v->job[i]));
    return n;
}

static void put_memory(status_view *v)
{
    uint64_t total = v->budget.total, used = v->budget.used;
    if (total == UINT64_MAX) /* unlimited: then the machine is the limit */
        total = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    key(v->g, "memory");
    yajl_gen_map_open(v->g);
    put_uint(v->g, "total_bytes", total);
    put_uint(v->g, "used_bytes", used);
    put_uint(v->g, "available_bytes", total > used ? total - used : 0);
    yajl_gen_map_close(v->g);
}

static void put_synthesis(status_view *v)
{
    key(v->g, "synthesis");
    yajl_gen_map_open(v->g);
    put_uint(v->g, "max_concurrent", 1);
    put_uint(v->g, "active", count_jobs(v, true));
    yajl_gen_map_close(v->g);
}

static void put_allocations(status_view *v)
{
    yajl_gen g = v->g;
    key(g, "allocations");
    yajl_gen_map_open(g);
    key(g, "srs");
    yajl_gen_array_open(g);
    for (size_t i = 0; i < v->n_srs; i++) {
        const cuzk_prover_srs_info *s = &v->srs[i];
        yajl_gen_map_open(g);
        put_string(g, "circuit_id", s->circuit);
        put_uint(g, "bytes", s->bytes);
        put_seconds(g, "last_used_secs_ago", s->idle_ns);
        put_bool(g, "evictable", s->ref_count == 0 && !s->loading);
        put_uint(g, "ref_count", s->ref_count);
        put_bool(g, "loading", s->loading);
        yajl_gen_map_close(g);
    }
    yajl_gen_array_close(g);
    key(g, "pce");
    yajl_gen_array_open(g);
    yajl_gen_array_close(g);
    yajl_gen_map_close(g);
}

static void put_by_kind(status_view *v, const char *name, bool failed)
{
    key(v->g, name);
    yajl_gen_map_open(v->g);
    for (unsigned k = 0; k < CUZK_KIND_COUNT; k++)
        put_uint(v->g, cuzk_engine_kind_name((cuzk_kind)k),
                 failed ? v->stats.kind[k].failed : v->stats.kind[k].completed);
    yajl_gen_map_close(v->g);
}

static void put_counters(status_view *v)
{
    uint64_t completed = 0, failed = 0, pending = 0;
    for (size_t k = 0; k < CUZK_KIND_COUNT; k++) {
        completed += v->stats.kind[k].completed;
        failed += v->stats.kind[k].failed;
        pending += v->stats.kind[k].pending;
    }
    key(v->g, "counters");
    yajl_gen_map_open(v->g);
    put_uint(v->g, "total_completed", completed);
    put_uint(v->g, "total_failed", failed);
    put_by_kind(v, "completed_by_kind", false);
    put_by_kind(v, "failed_by_kind", true);
    put_uint(v->g, "queue_depth", pending);
    yajl_gen_map_close(v->g);
}

static void put_buffers(status_view *v)
{
    unsigned running = count_jobs(v, false), witness = count_jobs(v, true);
    key(v->g, "buffers");
    yajl_gen_map_open(v->g);
    put_uint(v->g, "synth_in_flight", witness);
    put_uint(v->g, "provers_in_flight", running - witness);
    put_uint(v->g, "aux_in_flight", 0);
    put_uint(v->g, "shells_in_flight", 0);
    put_uint(v->g, "pending_handles", v->stats.n_listeners);
    yajl_gen_map_close(v->g);
}

static void put_queue(status_view *v)
{
    yajl_gen g = v->g;
    key(g, "queue");
    yajl_gen_array_open(g);
    for (size_t i = 0; i < v->n_jobs; i++) {
        const engine_job_info *j = &v->job[i];
        if (j->state != ENGINE_JOB_QUEUED)
            continue;
        yajl_gen_map_open(g);
        put_string(g, "job_id", j->job_id);
        put_string(g, "proof_kind", cuzk_engine_kind_name(j->kind));
        put_seconds(g, "age_secs", j->age_ns);
        put_uint(g, "priority", (uint64_t)j->priority);
        put_uint(g, "level", (uint64_t)j->level);
        put_string(g, "reason", j->reason);
        yajl_gen_map_close(g);
    }
    yajl_gen_array_close(g);
}

static void put_document(status_view *v, engine *e)
{
    char reason[HTTP_REASON_BYTES];
    bool ready = cuzk_http_ready(e, reason);
    yajl_gen g = v->g;
    yajl_gen_map_open(g);
    put_seconds(g, "uptime_secs", v->stats.uptime_ns);
    put_memory(v);
    put_synthesis(v);
    put_pipelines(v);
    key(g, "gpu_workers"); /* none: proofs are made by the processor */
    yajl_gen_array_open(g);
    yajl_gen_array_close(g);
    put_allocations(v);
    put_counters(v);
    put_buffers(v);
    put_string(g, "version", CUZK_VERSION);
    put_bool(g, "ready", ready);
    put_string(g, "reason", reason);
    put_queue(v);
    yajl_gen_map_close(g);
}

static void look(status_view *v, engine *e)
{
    v->now_ns = cuzk_now_ns();
    cuzk_engine_stats(e, &v->stats);
    cuzk_engine_budget(e, &v->budget);
    v->n_jobs = cuzk_engine_jobs(e, v->job, MAX_JOBS);
    v->n_jobs = v->n_jobs < MAX_JOBS ? v->n_jobs : MAX_JOBS;
    v->n_ended = cuzk_job_board_ended(v->ended, MAX_JOBS, v->now_ns);
    v->n_srs = cuzk_engine_loaded(e, v->srs, MAX_SRS);
    v->n_srs = v->n_srs < MAX_SRS ? v->n_srs : MAX_SRS;
}

static char *copy_text(yajl_gen g, size_t *n)
{
    const unsigned char *text;
    if (yajl_gen_get_buf(g, &text, n) != yajl_gen_status_ok)
        return NULL;
    char *out = cuzk_malloc(*n + 1);
    if (out) {
        memcpy(out, text, *n);
        out[(*n)++] = '\n';
    }
    return out;
}

char *cuzk_status_json(engine *e, size_t *n)
{
    char *text = NULL;
    status_view *v = cuzk_calloc(1, sizeof *v); /* 150 KiB: too much for a stack */
    if (!v)
        return NULL;
    v->g = yajl_gen_alloc(NULL);
    if (v->g) {
        look(v, e);
        put_document(v, e);
        text = copy_text(v->g, n);
        yajl_gen_free(v->g);
    }
    cuzk_free(v);
    return text;
}

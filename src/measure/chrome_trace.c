#include "measure/chrome_trace.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/perf_counters.h"
#include "base/span_ring.h"
#include "base/text.h"
#include "cuzk/trace.h"
#include "measure/memory_monitor.h"

typedef struct {
    cuzk_buffer out;
    int pid, named_tid;
    uint64_t n_async;
} writer;

static void put_name(writer *w, const span_thread *t)
{
    char name[6 * SPAN_THREAD_BYTES + 1];
    cuzk_json_escape(name, sizeof name, t->name);
    cuzk_buffer_printf(&w->out,
                       ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"ts\":0,"
                       "\"args\":{\"name\":\"%s%s\"}}",
                       w->pid, t->tid, name, t->live ? "" : " (ended)");
    w->named_tid = t->tid;
}

static void put_args(writer *w, const span_event *e)
{
    char job[6 * SPAN_LABEL_BYTES + 1];
    cuzk_json_escape(job, sizeof job, e->label);
    cuzk_buffer_printf(&w->out, "\"args\":{\"job\":\"%s\"", job);
    if (e->partition >= 0)
        cuzk_buffer_printf(&w->out, ",\"partition\":%" PRId32, e->partition);
    for (unsigned i = 0; e->flags & SPAN_COUNTED && i < CUZK_N_COUNTERS; i++) {
        if (cuzk_counters_have(i))
            cuzk_buffer_printf(&w->out, ",\"%s\":%" PRIu64, cuzk_counter_name(i), e->counter[i]);
    }
    cuzk_buffer_text(&w->out, "}}");
}

static void put_head(writer *w, const span_thread *t, const span_event *e, const char *ph,
                     uint64_t at_ns)
{
    const char *category = e->flags & SPAN_DETACHED ? "wait"
                           : e->flags & SPAN_WORKER ? "worker"
                                                    : "phase";
    cuzk_buffer_printf(&w->out,
                       ",\n{\"ph\":\"%s\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d,"
                       "\"ts\":%" PRIu64 ".%03u,",
                       ph, e->phase, category, w->pid, t->tid, at_ns / 1000,
                       (unsigned)(at_ns % 1000));
}

static void put_event(void *ctx, const span_thread *t, const span_event *e)
{
    writer *w = ctx;
    uint64_t ns = e->end_ns > e->begin_ns ? e->end_ns - e->begin_ns : 0;
    if (t->tid != w->named_tid)
        put_name(w, t);
    if (e->flags & SPAN_DETACHED) {
        w->n_async++;
        put_head(w, t, e, "b", e->begin_ns);
        cuzk_buffer_printf(&w->out, "\"id\":\"%" PRIu64 "\",", w->n_async);
        put_args(w, e);
        put_head(w, t, e, "e", e->end_ns);
        cuzk_buffer_printf(&w->out, "\"id\":\"%" PRIu64 "\"}", w->n_async);
        return;
    }
    put_head(w, t, e, "X", e->begin_ns);
    cuzk_buffer_printf(&w->out, "\"dur\":%" PRIu64 ".%03u,", ns / 1000, (unsigned)(ns % 1000));
    put_args(w, e);
}

static void put_memory(void *ctx, uint64_t at_ns, const cuzk_memory_sample *s)
{
    writer *w = ctx;
    cuzk_buffer_printf(
        &w->out,
        ",\n{\"ph\":\"C\",\"name\":\"memory MiB\",\"pid\":%d,\"tid\":%d,\"ts\":%" PRIu64
        ",\"args\":{\"resident\":%" PRIu64 ",\"budget\":%" PRIu64 "}}",
        w->pid, w->pid, at_ns / 1000, s->rss_kb / 1024, s->budget_used_kb / 1024);
}

cuzk_status cuzk_chrome_trace(char **text, size_t *n, cuzk_err *err)
{
    writer w = {.pid = getpid(), .named_tid = -1};
    char note[256], counters[1024];
    cuzk_counters_note(note, sizeof note);
    cuzk_json_escape(counters, sizeof counters, note);
    cuzk_buffer_printf(&w.out,
                       "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"program\":\"cuzk "
                       "%s\",\"epoch_ms\":\"%" PRIu64 "\",\"clock_us\":\"%" PRIu64
                       "\",\"hardware\":\"%s\"},\"traceEvents\":[",
                       CUZK_VERSION, cuzk_epoch_ms(), cuzk_now_ns() / 1000, counters);
    cuzk_buffer_printf(&w.out,
                       "\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"tid\":%d,\"ts\":0,"
                       "\"args\":{\"name\":\"cuzk\"}}",
                       w.pid, w.pid);
    cuzk_span_ring_visit(put_event, &w);
    cuzk_memory_monitor_visit(put_memory, &w);
    cuzk_buffer_text(&w.out, "\n]}\n");
    if (w.out.failed) {
        cuzk_buffer_fini(&w.out);
        return cuzk_fail(err, CUZK_NOMEM, 0, "trace: no memory for the text");
    }
    *text = w.out.text;
    *n = w.out.n;
    return CUZK_OK;
}

cuzk_status cuzk_trace_write_file(const char *path, cuzk_err *err)
{
    char *text;
    size_t n;
    cuzk_status st = cuzk_chrome_trace(&text, &n, err);
    if (st != CUZK_OK)
        return st;
    st = cuzk_file_write(path, text, n, err);
    cuzk_free(text);
    return st;
}

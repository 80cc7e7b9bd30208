#include "base/timing_line.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/perf_counters.h"
#include "base/text.h"

#define MAX_LABEL 1800u /* 257 bytes, each at most 6 when escaped */
#define MAX_LINE  2600u /* below PIPE_BUF, so that lines of several processes do not mix either */

static atomic_int set_mode = -1; /* -1: look at the environment */

void cuzk_timing_set_mode(timing_mode mode)
{
    atomic_store(&set_mode, (int)mode);
}

timing_mode cuzk_timing_mode(void)
{
    int mode = atomic_load(&set_mode);
    if (mode >= 0)
        return (timing_mode)mode;
    const char *v = getenv("CUZK_TIMING");
    if (v && strcmp(v, "1") == 0)
        return TIMING_TEXT;
    return v && strcmp(v, "json") == 0 ? TIMING_JSON : TIMING_OFF;
}

/* A pipe without a reader raises SIGPIPE, which would end a process that only wanted to be timed.
 * The signal is held back for this thread, taken out if this write made it, and let go again. */
static void write_quietly(const char *line, size_t n)
{
    sigset_t pipe_signal, before, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    ssize_t rc;
    do {
        rc = write(STDERR_FILENO, line, n);
    } while (rc < 0 && errno == EINTR);
    if (rc < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE)) {
        const struct timespec none = {0, 0};
        sigtimedwait(&pipe_signal, NULL, &none);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int text_line(char *line, size_t max, const char *label, const span_event *e, double ms)
{
    char job[MAX_LABEL];
    cuzk_word_escape(job, sizeof job, label);
    return snprintf(line, max, "CUZK_TIMING: phase=%s job=%s partition=%" PRId32 " ms=%.3f\n",
                    e->phase, job, e->partition, ms);
}

static int json_line(char *line, size_t max, const char *label, const span_event *e, double ms)
{
    char job[MAX_LABEL], partition[16] = "null", counters[160] = "";
    size_t n = 0;
    cuzk_json_escape(job, sizeof job, label);
    if (e->partition >= 0)
        snprintf(partition, sizeof partition, "%" PRId32, e->partition);
    for (unsigned i = 0; e->flags & SPAN_COUNTED && i < CUZK_N_COUNTERS; i++) {
        if (cuzk_counters_have(i))
            n += (size_t)snprintf(counters + n, sizeof counters - n, ",\"%s\":%" PRIu64,
                                  cuzk_counter_name(i), e->counter[i]);
    }
    return snprintf(line, max,
                    "{\"cuzk_timing\":{\"phase\":\"%s\",\"job\":\"%s\",\"partition\":%s,"
                    "\"ms\":%.3f,\"begin_ns\":%" PRIu64 "%s}}\n",
                    e->phase, job, partition, ms, e->begin_ns, counters);
}

void cuzk_timing_line(timing_mode mode, const char *label, const span_event *event)
{
    char line[MAX_LINE];
    double ms = (double)(event->end_ns - event->begin_ns) / 1e6;
    if (mode == TIMING_OFF)
        return;
    int n = (mode == TIMING_JSON ? json_line : text_line)(line, sizeof line, label, event, ms);
    if (n > 0 && (size_t)n < sizeof line)
        write_quietly(line, (size_t)n);
}

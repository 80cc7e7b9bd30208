#include "measure/memory_monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"

#define KEPT        1024u
#define MARK_HEADER "epoch_ms,event,job\n"

typedef struct {
    uint64_t at_ns;
    cuzk_memory_sample sample;
} kept_sample;

/* Of the process: they outlive the monitor, as the rings of spans outlive their threads. */
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER; /* guards kept and n_kept */
static kept_sample kept[KEPT];
static uint64_t n_kept;
static _Atomic uint64_t spent_ns;

static pthread_mutex_t mark_lock = PTHREAD_MUTEX_INITIALIZER; /* guards mark_path */
static char *mark_path;                                       /* NULL: no marks are wanted */

struct memory_monitor {
    memory_monitor_options opt;
    char *csv_path;
    cuzk_memmon *self;
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; /* guards stop */
    pthread_cond_t wake;
    bool stop;
};

static void keep(const cuzk_memory_sample *s)
{
    pthread_mutex_lock(&kept_lock);
    kept[n_kept++ % KEPT] = (kept_sample){cuzk_now_ns(), *s};
    pthread_mutex_unlock(&kept_lock);
}

static cuzk_status append(const char *path, const char *header, const char *line, cuzk_err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0)
        return cuzk_fail(err, CUZK_IO, errno, "memory monitor: cannot write %s", path);
    ssize_t n = 0;
    if (lseek(fd, 0, SEEK_END) == 0) /* new, or rotated */
        n = write(fd, header, strlen(header));
    if (n >= 0 && line[0])
        n = write(fd, line, strlen(line));
    int why = errno;
    close(fd);
    return n < 0 ? cuzk_fail(err, CUZK_IO, why, "memory monitor: cannot write %s", path) : CUZK_OK;
}

/* A full disk is no reason to do anything but miss samples. */
static void sample(memory_monitor *m)
{
    cuzk_memory_sample s;
    char line[CUZK_MEMORY_CSV_BYTES];
    if (cuzk_memmon_read(m->self, &s, NULL) != CUZK_OK)
        return;
    if (m->opt.budget_used)
        s.budget_used_kb = m->opt.budget_used(m->opt.ctx) / 1024;
    keep(&s);
    if (!m->csv_path)
        return;
    cuzk_memory_csv(line, &s);
    append(m->csv_path, CUZK_MEMORY_CSV_HEADER, line, NULL);
}

/* ---- marks ---- */

static char *jobs_path(const char *csv_path)
{
    static const char end[] = ".jobs";
    size_t n = strlen(csv_path);
    char *path = cuzk_malloc(n + sizeof end);
    if (!path)
        return NULL;
    memcpy(path, csv_path, n);
    memcpy(path + n, end, sizeof end);
    return path;
}

static void set_mark_path(char *path)
{
    pthread_mutex_lock(&mark_lock);
    char *before = mark_path;
    mark_path = path;
    pthread_mutex_unlock(&mark_lock);
    cuzk_free(before);
}

void cuzk_memory_monitor_mark(const char *event, const char *job_id)
{
    char word[1100], line[1200]; /* an id has 256 bytes at most, each \xHH at worst */
    pthread_mutex_lock(&mark_lock);
    char *path = mark_path ? cuzk_strdup(mark_path) : NULL;
    pthread_mutex_unlock(&mark_lock);
    if (!path)
        return;
    cuzk_word_escape(word, sizeof word, job_id);
    snprintf(line, sizeof line, "%" PRIu64 ",%s,\"%s\"\n", cuzk_epoch_ms(), event, word);
    append(path, MARK_HEADER, line, NULL);
    cuzk_free(path);
}

/* ---- the thread ---- */

static void note_cost(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    atomic_store(&spent_ns, (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec);
}

static void *monitor_main(void *arg)
{
    memory_monitor *m = arg;
    uint64_t next = cuzk_now_ns();
    pthread_setname_np(pthread_self(), "cuzk-memory");
    pthread_mutex_lock(&m->lock);
    while (!m->stop) {
        pthread_mutex_unlock(&m->lock);
        sample(m);
        note_cost();
        pthread_mutex_lock(&m->lock);
        next += m->opt.interval_ms * 1000000u; /* a late sample does not shift those that follow */
        uint64_t now = cuzk_now_ns();
        next = next < now ? now : next;
        const struct timespec at = {(time_t)(next / 1000000000u), (long)(next % 1000000000u)};
        while (!m->stop && cuzk_now_ns() < next)
            pthread_cond_timedwait(&m->wake, &m->lock, &at);
    }
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

static void init_wake(memory_monitor *m)
{
    pthread_condattr_t mono;
    pthread_condattr_init(&mono);
    pthread_condattr_setclock(&mono, CLOCK_MONOTONIC);
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->wake, &mono);
    pthread_condattr_destroy(&mono);
}

cuzk_status cuzk_memory_monitor_start(memory_monitor **out, const memory_monitor_options *opt,
                                      cuzk_err *err)
{
    cuzk_status st;
    memory_monitor *m = cuzk_calloc(1, sizeof *m);
    if (!m)
        return cuzk_fail(err, CUZK_NOMEM, 0, "memory monitor: no memory");
    m->opt = *opt;
    init_wake(m);
    CUZK_TRY(cuzk_memmon_open(&m->self, getpid(), err));
    if (opt->csv_path) {
        m->csv_path = cuzk_strdup(opt->csv_path);
        if (!m->csv_path) {
            st = cuzk_fail(err, CUZK_NOMEM, 0, "memory monitor: no memory");
            goto out;
        }
        CUZK_TRY(append(m->csv_path, CUZK_MEMORY_CSV_HEADER, "", err));
        set_mark_path(jobs_path(m->csv_path));
    }
    int rc = pthread_create(&m->thread, NULL, monitor_main, m);
    m->started = rc == 0;
    if (rc != 0) {
        st = cuzk_fail(err, CUZK_NOMEM, rc, "memory monitor: thread");
        goto out;
    }
    *out = m;
    return CUZK_OK;
out:
    cuzk_memory_monitor_stop(m);
    return st;
}

void cuzk_memory_monitor_stop(memory_monitor *m)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    m->stop = true;
    pthread_cond_signal(&m->wake);
    pthread_mutex_unlock(&m->lock);
    if (m->started)
        pthread_join(m->thread, NULL);
    set_mark_path(NULL);
    cuzk_memmon_close(m->self);
    pthread_cond_destroy(&m->wake);
    pthread_mutex_destroy(&m->lock);
    cuzk_free(m->csv_path);
    cuzk_free(m);
}

/* fn runs under the lock that the monitor's thread wants: it only formats. */
void cuzk_memory_monitor_visit(memory_visit_fn fn, void *ctx)
{
    pthread_mutex_lock(&kept_lock);
    for (uint64_t i = n_kept > KEPT ? n_kept - KEPT : 0; i < n_kept; i++)
        fn(ctx, kept[i % KEPT].at_ns, &kept[i % KEPT].sample);
    pthread_mutex_unlock(&kept_lock);
}

void cuzk_memory_monitor_cost(uint64_t *n_samples, uint64_t *cpu_ns)
{
    pthread_mutex_lock(&kept_lock);
    *n_samples = n_kept;
    pthread_mutex_unlock(&kept_lock);
    *cpu_ns = atomic_load(&spent_ns);
}

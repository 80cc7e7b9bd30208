#include "measure/diagnose_memory.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "measure/proc_stat.h"

#define FIRST_INTERVAL_NS UINT64_C(5000000)

struct diagnose_memory {
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t wake;
    bool stop, running;
    int statm;
    uint64_t begin_ns, interval_ns;
    size_t n;
    uint32_t ms[CUZK_DIAGNOSE_MAX_CURVE], kb[CUZK_DIAGNOSE_MAX_CURVE];
    bool peak_is_ours; /* the kernel set its peak back */
};

/* statm: size resident shared ..., in pages [proc(5)]. */
static uint64_t resident_kb(int statm)
{
    char text[128], *at;
    ssize_t n = statm >= 0 ? pread(statm, text, sizeof text - 1, 0) : 0;
    if (n <= 0)
        return 0;
    text[n] = '\0';
    at = strchr(text, ' ');
    return at ? strtoull(at, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) / 1024 : 0;
}

static void thin(diagnose_memory *m)
{
    m->n /= 2;
    for (size_t i = 0; i < m->n; i++) {
        m->ms[i] = m->ms[2 * i];
        m->kb[i] = m->kb[2 * i];
    }
    m->interval_ns *= 2;
}

static void look(diagnose_memory *m)
{
    if (m->n == CUZK_DIAGNOSE_MAX_CURVE)
        thin(m);
    m->ms[m->n] = (uint32_t)((cuzk_now_ns() - m->begin_ns) / 1000000u);
    m->kb[m->n++] = (uint32_t)resident_kb(m->statm);
}

static void *memory_main(void *arg)
{
    diagnose_memory *m = arg;
    pthread_setname_np(pthread_self(), "cuzk-curve");
    pthread_mutex_lock(&m->lock);
    while (!m->stop) {
        if (!m->running) {
            pthread_cond_wait(&m->wake, &m->lock);
            continue;
        }
        look(m);
        uint64_t next = cuzk_now_ns() + m->interval_ns;
        const struct timespec at = {(time_t)(next / 1000000000u), (long)(next % 1000000000u)};
        pthread_cond_timedwait(&m->wake, &m->lock, &at);
    }
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

cuzk_status cuzk_diagnose_memory_new(diagnose_memory **out, cuzk_err *err)
{
    pthread_condattr_t mono;
    diagnose_memory *m = cuzk_calloc(1, sizeof *m);
    if (!m)
        return cuzk_fail(err, CUZK_NOMEM, 0, "diagnosis: no memory");
    pthread_condattr_init(&mono);
    pthread_condattr_setclock(&mono, CLOCK_MONOTONIC);
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->wake, &mono);
    pthread_condattr_destroy(&mono);
    m->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    int rc = pthread_create(&m->thread, NULL, memory_main, m);
    if (rc == 0) {
        *out = m;
        return CUZK_OK;
    }
    if (m->statm >= 0)
        close(m->statm);
    cuzk_free(m);
    return cuzk_fail(err, CUZK_NOMEM, rc, "diagnosis: thread");
}

void cuzk_diagnose_memory_free(diagnose_memory *m)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    m->stop = true;
    pthread_cond_signal(&m->wake);
    pthread_mutex_unlock(&m->lock);
    pthread_join(m->thread, NULL);
    pthread_cond_destroy(&m->wake);
    pthread_mutex_destroy(&m->lock);
    if (m->statm >= 0)
        close(m->statm);
    cuzk_free(m);
}

/* "5" sets VmHWM back to what is resident now [proc(5)]; not every container allows it. */
static bool set_peak_back(void)
{
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, "5", 1) == 1;
    if (fd >= 0)
        close(fd);
    return ok;
}

void cuzk_diagnose_memory_begin(diagnose_memory *m)
{
    cuzk_mem_trim();
    malloc_trim(0);
    pthread_mutex_lock(&m->lock);
    m->peak_is_ours = set_peak_back();
    m->begin_ns = cuzk_now_ns();
    m->interval_ns = FIRST_INTERVAL_NS;
    m->n = 0;
    m->running = true;
    pthread_cond_signal(&m->wake);
    pthread_mutex_unlock(&m->lock);
}

static uint64_t peak_kb(const diagnose_memory *m)
{
    proc_stat now;
    uint64_t most = 0;
    if (m->peak_is_ours && cuzk_proc_self(&now))
        return now.peak_rss_kb;
    for (size_t i = 0; i < m->n; i++)
        most = m->kb[i] > most ? m->kb[i] : most;
    return most;
}

void cuzk_diagnose_memory_end(diagnose_memory *m, cuzk_diagnose_run *run)
{
    pthread_mutex_lock(&m->lock);
    look(m);
    m->running = false;
    if (run->peak_kb == 0) {
        run->peak_kb = peak_kb(m);
        run->n_curve = m->n;
        memcpy(run->curve_ms, m->ms, m->n * sizeof m->ms[0]);
        memcpy(run->curve_kb, m->kb, m->n * sizeof m->kb[0]);
    }
    pthread_mutex_unlock(&m->lock);
}

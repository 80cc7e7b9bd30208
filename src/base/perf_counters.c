#include "base/perf_counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "cuzk/trace.h"

static const struct {
    const char *name;
    uint32_t type;
    uint64_t config;
} counter[CUZK_N_COUNTERS] = {
    [COUNTER_CYCLES] = {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    [COUNTER_INSTRUCTIONS] = {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    [COUNTER_CACHE_MISSES] = {"cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    [COUNTER_PAGE_FAULTS] = {"page_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
};

static atomic_int wanted = -1; /* -1: look at the environment */
static atomic_uint have;       /* bit per counter that could be opened once */
static atomic_int refusal;     /* errno of the last one that could not */

/* Of one thread: a group that is read with one call. */
typedef struct {
    int fd[CUZK_N_COUNTERS];            /* in the order of opening; fd[0] leads */
    unsigned which[CUZK_N_COUNTERS], n; /* the counter behind each */
    bool tried;
} thread_group;

static _Thread_local thread_group own;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

const char *cuzk_counter_name(unsigned i)
{
    return i < CUZK_N_COUNTERS ? counter[i].name : "";
}

bool cuzk_counters_on(void)
{
    int on = atomic_load_explicit(&wanted, memory_order_relaxed);
    if (CUZK_UNLIKELY(on < 0)) {
        const char *v = getenv("CUZK_COUNTERS");
        on = v && strcmp(v, "1") == 0;
        atomic_store(&wanted, on);
    }
    return on;
}

void cuzk_counters_set(bool on)
{
    atomic_store(&wanted, on);
}

bool cuzk_counters_have(unsigned i)
{
    return atomic_load(&have) >> i & 1;
}

static void thread_ends(void *arg)
{
    thread_group *g = arg;
    while (g->n)
        close(g->fd[--g->n]);
}

static void make_key(void)
{
    pthread_key_create(&key, thread_ends);
}

static int open_counter(unsigned i, int leader)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = counter[i].type,
                                   .config = counter[i].config,
                                   .read_format = PERF_FORMAT_GROUP,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static void open_group(thread_group *g)
{
    g->tried = true;
    for (unsigned i = 0; i < CUZK_N_COUNTERS; i++) {
        int fd = open_counter(i, g->n ? g->fd[0] : -1);
        if (fd < 0) {
            atomic_store(&refusal, errno);
            continue;
        }
        g->fd[g->n] = fd;
        g->which[g->n++] = i;
        atomic_fetch_or(&have, 1u << i);
    }
    pthread_once(&key_once, make_key);
    pthread_setspecific(key, g);
}

bool cuzk_counters_read(uint64_t out[CUZK_N_COUNTERS])
{
    struct {
        uint64_t n, value[CUZK_N_COUNTERS];
    } got;
    if (!cuzk_counters_on())
        return false;
    if (!own.tried)
        open_group(&own);
    if (own.n == 0 || read(own.fd[0], &got, sizeof got) < (ssize_t)sizeof got.n)
        return false;
    memset(out, 0, CUZK_N_COUNTERS * sizeof out[0]);
    for (unsigned i = 0; i < own.n && i < got.n; i++)
        out[own.which[i]] = got.value[i];
    return true;
}

static void list_names(char *text, size_t max, bool there)
{
    size_t n = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < CUZK_N_COUNTERS && n < max; i++) {
        if (cuzk_counters_have(i) == there)
            n += (size_t)snprintf(text + n, max - n, "%s%s", n ? ", " : "", counter[i].name);
    }
}

static const char *why_not(int sys)
{
    if (sys == EACCES || sys == EPERM)
        return "not allowed: see /proc/sys/kernel/perf_event_paranoid";
    if (sys == ENOENT || sys == EOPNOTSUPP || sys == ENODEV)
        return "this machine offers none; virtual ones often do not";
    return strerror(sys);
}

void cuzk_counters_note(char *text, size_t max)
{
    uint64_t unused[CUZK_N_COUNTERS];
    char with[64], without[64];
    if (!cuzk_counters_on()) {
        snprintf(text, max, "counters are off; CUZK_COUNTERS=1 turns them on");
        return;
    }
    cuzk_counters_read(unused); /* tries this thread's */
    list_names(with, sizeof with, true);
    list_names(without, sizeof without, false);
    if (!without[0])
        snprintf(text, max, "counters: %s", with);
    else
        snprintf(text, max, "counters: %s; not available: %s (%s)", with[0] ? with : "none",
                 without, why_not(atomic_load(&refusal)));
}

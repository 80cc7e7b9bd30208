/* A process is held by a descriptor of /proc/PID: once it has ended, reads through it fail, whoever
 * has the pid then. Its start time is compared as well. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "measure/proc_stat.h"

struct cuzk_memmon {
    int pid, dir_fd, pid_fd; /* pid_fd becomes readable at the end; -1: an old kernel */
    uint64_t start_ticks;
    char name[64];
};

static bool has_ended(const proc_stat *s)
{
    return s->state == 'Z' || s->state == 'X';
}

cuzk_status cuzk_memmon_open(cuzk_memmon **out, int pid, cuzk_err *err)
{
    char path[32];
    proc_stat s;
    cuzk_memmon *m = cuzk_calloc(1, sizeof *m);
    if (!m)
        return cuzk_fail(err, CUZK_NOMEM, 0, "memmon: no memory");
    m->pid = pid;
    m->pid_fd = -1;
    snprintf(path, sizeof path, "/proc/%d", pid);
    m->dir_fd = pid > 0 ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    if (m->dir_fd < 0 || !cuzk_proc_read(m->dir_fd, &s) || has_ended(&s)) {
        cuzk_memmon_close(m);
        return cuzk_fail(err, CUZK_NOT_FOUND, 0, "there is no process %d", pid);
    }
    m->pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
    m->start_ticks = s.start_ticks;
    snprintf(m->name, sizeof m->name, "%s", s.name);
    if (!cuzk_proc_read(m->dir_fd, &s)) { /* it ended between the two opens */
        cuzk_memmon_close(m);
        return cuzk_fail(err, CUZK_NOT_FOUND, 0, "there is no process %d", pid);
    }
    *out = m;
    return CUZK_OK;
}

void cuzk_memmon_close(cuzk_memmon *m)
{
    if (!m)
        return;
    if (m->dir_fd >= 0)
        close(m->dir_fd);
    if (m->pid_fd >= 0)
        close(m->pid_fd);
    cuzk_free(m);
}

int cuzk_memmon_pid(const cuzk_memmon *m)
{
    return m->pid;
}

const char *cuzk_memmon_name(const cuzk_memmon *m)
{
    return m->name;
}

/* ---- by file ---- */

/* Milliseconds since the epoch at which the process started, on a clock of 10 ms ticks. */
static uint64_t start_epoch_ms(const cuzk_memmon *m)
{
    struct timespec boot;
    clock_gettime(CLOCK_BOOTTIME, &boot);
    uint64_t since_boot = (uint64_t)boot.tv_sec * 1000 + (uint64_t)boot.tv_nsec / 1000000;
    return cuzk_epoch_ms() - since_boot + m->start_ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

/* A daemon writes its file after its start. 2 s: file systems with coarse times, clock steps. */
static cuzk_status check_age(const cuzk_memmon *m, const char *path, cuzk_err *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return cuzk_fail(err, CUZK_IO, errno, "%s", path);
    uint64_t written = (uint64_t)st.st_mtim.tv_sec * 1000 + (uint64_t)st.st_mtim.tv_nsec / 1000000;
    if (start_epoch_ms(m) <= written + 2000)
        return CUZK_OK;
    return cuzk_fail(err, CUZK_NOT_FOUND, 0,
                     "%s is stale: process %d (%s) was started after it was written", path, m->pid,
                     m->name);
}

static bool parse_pid(const char *text, int *pid)
{
    char *end;
    errno = 0;
    long v = strtol(text, &end, 10);
    *pid = (int)v;
    return end != text && errno == 0 && v > 0 && v <= 0x7fffffff &&
           end[strspn(end, " \t\r\n")] == '\0';
}

cuzk_status cuzk_memmon_open_pidfile(cuzk_memmon **out, const char *path, cuzk_err *err)
{
    uint8_t *text;
    size_t n;
    int pid = 0;
    cuzk_memmon *m = NULL;
    cuzk_status st = cuzk_file_read(&text, &n, path, 64, err);
    if (st != CUZK_OK)
        return st;
    bool ok = parse_pid((const char *)text, &pid);
    cuzk_free(text);
    if (!ok)
        return cuzk_fail(err, CUZK_ENCODING, 0, "%s does not hold the number of a process", path);
    CUZK_TRY(cuzk_memmon_open(&m, pid, err));
    CUZK_TRY(check_age(m, path, err));
    *out = m;
    return CUZK_OK;
out:
    cuzk_memmon_close(m);
    return st;
}

/* ---- by socket ---- */

static cuzk_status peer_of(int fd, const char *path, int *pid, cuzk_err *err)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    struct ucred peer;
    socklen_t n = sizeof peer;
    if (strlen(path) >= sizeof a.sun_path)
        return cuzk_fail(err, CUZK_INVAL, 0, "%s: a socket's path has at most %zu bytes", path,
                         sizeof a.sun_path - 1);
    memcpy(a.sun_path, path, strlen(path));
    if (connect(fd, (const struct sockaddr *)&a, sizeof a) != 0)
        return cuzk_fail(err, CUZK_UNAVAILABLE, errno, "nobody listens on %s", path);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) != 0 || peer.pid <= 0)
        return cuzk_fail(err, CUZK_UNSUPPORTED, errno,
                         "the process behind %s cannot be told: it is in another container; give "
                         "its pid there",
                         path);
    *pid = peer.pid;
    return CUZK_OK;
}

cuzk_status cuzk_memmon_open_socket(cuzk_memmon **out, const char *path, cuzk_err *err)
{
    int pid = 0, fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return cuzk_fail(err, CUZK_IO, errno, "memmon: socket");
    if (strncmp(path, "unix:", 5) == 0)
        path += strncmp(path, "unix://", 7) == 0 ? 7 : 5;
    cuzk_status st = peer_of(fd, path, &pid, err);
    close(fd);
    return st == CUZK_OK ? cuzk_memmon_open(out, pid, err) : st;
}

/* ---- samples ---- */

cuzk_status cuzk_memmon_read(cuzk_memmon *m, cuzk_memory_sample *out, cuzk_err *err)
{
    proc_stat s;
    if (!cuzk_proc_read(m->dir_fd, &s) || has_ended(&s) || s.start_ticks != m->start_ticks)
        return cuzk_fail(err, CUZK_NOT_FOUND, 0, "process %d (%s) has ended", m->pid, m->name);
    *out = (cuzk_memory_sample){.epoch_ms = cuzk_epoch_ms(),
                                .rss_kb = s.rss_kb,
                                .peak_rss_kb = s.peak_rss_kb,
                                .pinned_kb = s.pinned_kb,
                                .minor_faults = s.minor_faults,
                                .major_faults = s.major_faults};
    return CUZK_OK;
}

bool cuzk_memmon_wait_end(cuzk_memmon *m, uint64_t ms)
{
    struct pollfd p = {.fd = m->pid_fd, .events = POLLIN}; /* poll ignores -1, and so waits */
    uint64_t end = cuzk_now_ns() + ms * 1000000u;
    for (;;) {
        uint64_t now = cuzk_now_ns();
        uint64_t left = end > now ? (end - now + 999999u) / 1000000u : 0;
        int rc = poll(&p, 1, left < 3600000u ? (int)left : 3600000);
        if (rc > 0)
            return true;
        if (rc == 0 && cuzk_now_ns() >= end)
            return false;
    }
}

void cuzk_memory_csv(char line[CUZK_MEMORY_CSV_BYTES], const cuzk_memory_sample *s)
{
    snprintf(line, CUZK_MEMORY_CSV_BYTES,
             "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
             ",%" PRIu64 "\n",
             s->epoch_ms, s->rss_kb, s->peak_rss_kb, s->pinned_kb, s->vram_used_kb,
             s->budget_used_kb, s->minor_faults, s->major_faults);
}

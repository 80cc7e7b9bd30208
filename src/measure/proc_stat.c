#include "measure/proc_stat.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

/* Text of a small file below dir_fd; the length, or -1. */
static ssize_t read_text(int dir_fd, const char *name, char *text, size_t max)
{
    int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, text, max - 1); /* one read: the kernel makes the text at once */
    close(fd);
    if (n >= 0)
        text[n] = '\0';
    return n;
}

/* stat: pid (name) state ppid ... The name may hold anything, so the last ')' counts [proc(5)]. */
static bool read_stat(int dir_fd, proc_stat *out)
{
    char text[2048];
    if (read_text(dir_fd, "stat", text, sizeof text) <= 0)
        return false;
    char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || close < open)
        return false;
    *close = '\0';
    cuzk_word_escape(out->name, sizeof out->name, open + 1);
    uint64_t utime, stime;
    int n = sscanf(close + 1,
                   " %c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64
                   " %" SCNu64 " %*d %*d %*d %*d %*d %*d %" SCNu64,
                   &out->state, &out->minor_faults, &out->major_faults, &utime, &stime,
                   &out->start_ticks);
    out->cpu_ticks = utime + stime;
    return n == 6;
}

static uint64_t status_number(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

bool cuzk_proc_read(int dir_fd, proc_stat *out)
{
    char text[4096];
    memset(out, 0, sizeof *out);
    if (!read_stat(dir_fd, out) || read_text(dir_fd, "status", text, sizeof text) <= 0)
        return false;
    out->rss_kb = status_number(text, "\nVmRSS:");
    out->peak_rss_kb = status_number(text, "\nVmHWM:");
    out->virtual_kb = status_number(text, "\nVmSize:");
    out->n_threads = (unsigned)status_number(text, "\nThreads:");
    out->pinned_kb = status_number(text, "\nVmLck:") + status_number(text, "\nVmPin:");
    return true;
}

bool cuzk_proc_self(proc_stat *out)
{
    int fd = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && cuzk_proc_read(fd, out);
    if (fd >= 0)
        close(fd);
    return ok;
}

unsigned cuzk_proc_self_fds(void)
{
    DIR *d = opendir("/proc/self/fd");
    unsigned n = 0;
    if (!d)
        return 0;
    for (const struct dirent *e = readdir(d); e; e = readdir(d))
        n += e->d_name[0] != '.';
    closedir(d);
    return n > 0 ? n - 1 : 0; /* without the one that looks */
}

/* What /proc says of a process. */
#ifndef CUZK_MEASURE_PROC_STAT_H
#define CUZK_MEASURE_PROC_STAT_H

#include "base/error.h"
#include "cuzk/memmon.h"

typedef struct {
    char name[64];        /* escaped as one word */
    char state;           /* 'Z', 'X': it has ended */
    uint64_t start_ticks; /* since boot; with the pid the identity of the process */
    uint64_t minor_faults, major_faults, cpu_ticks;
    uint64_t rss_kb, peak_rss_kb, pinned_kb, virtual_kb;
    unsigned n_threads;
} proc_stat;

/* dir_fd: of /proc/PID. It stands for the process even when its pid is used again. False when the
 * process is gone (or /proc is not there). */
bool cuzk_proc_read(int dir_fd, proc_stat *out);
/* Of this process. False without /proc. */
bool cuzk_proc_self(proc_stat *out);
unsigned cuzk_proc_self_fds(void); /* open descriptors; 0 when not known */

#endif

/* Memory of one process over time, followed by process, never by name: a pid that is given to
 * another process meanwhile is not mistaken for it. */
#ifndef CUZK_MEMMON_H
#define CUZK_MEMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuzk/error.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct cuzk_memmon cuzk_memmon;

/* CUZK_NOT_FOUND: there is no such process. */
cuzk_status cuzk_memmon_open(cuzk_memmon **out, int pid, cuzk_err *err);
/* The pid in a file; refused when the process is younger than the file: it got its pid later. */
cuzk_status cuzk_memmon_open_pidfile(cuzk_memmon **out, const char *path, cuzk_err *err);
/* The process that listens on a unix socket, as the kernel says. path: with or without unix:// */
cuzk_status cuzk_memmon_open_socket(cuzk_memmon **out, const char *path, cuzk_err *err);
void cuzk_memmon_close(cuzk_memmon *m);

int cuzk_memmon_pid(const cuzk_memmon *m);
const char *cuzk_memmon_name(const cuzk_memmon *m); /* as the kernel shows it, escaped */

typedef struct {
    uint64_t epoch_ms;
    uint64_t rss_kb, peak_rss_kb;
    uint64_t pinned_kb;      /* locked or pinned, so it cannot be paged out */
    uint64_t vram_used_kb;   /* 0: no device is used */
    uint64_t budget_used_kb; /* 0 where it is not known: it is from inside the daemon alone */
    uint64_t minor_faults, major_faults;
} cuzk_memory_sample;

/* CUZK_NOT_FOUND: the process has ended. */
cuzk_status cuzk_memmon_read(cuzk_memmon *m, cuzk_memory_sample *out, cuzk_err *err);
/* Waits so long, or until the process ends: true. */
bool cuzk_memmon_wait_end(cuzk_memmon *m, uint64_t ms);

#define CUZK_MEMORY_CSV_HEADER                                                                     \
    "epoch_ms,rss_kb,peak_rss_kb,pinned_kb,vram_used_kb,budget_used_kb,minor_faults,major_"        \
    "faults\n"
#define CUZK_MEMORY_CSV_BYTES 192
void cuzk_memory_csv(char line[CUZK_MEMORY_CSV_BYTES], const cuzk_memory_sample *s);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

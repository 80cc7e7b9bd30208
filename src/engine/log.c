#include "engine/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A message is measured before escaping, which makes four bytes of one; lines stay below 4 KiB. */
#define MAX_MESSAGE 700u
#define MAX_LINE    4000u

static const char *const level_name[] = {"off", "error", "warn", "info", "debug"};

/* -1: not chosen yet, look at the environment. */
static atomic_int chosen_level = -1;

static int level_from_environment(void)
{
    const char *v = getenv("CUZK_LOG");
    for (int i = 0; v && i < (int)CUZK_ARRAY_LEN(level_name); i++) {
        if (strcmp(v, level_name[i]) == 0)
            return i;
    }
    return CUZK_LOG_INFO;
}

static int current_level(void)
{
    int level = atomic_load_explicit(&chosen_level, memory_order_relaxed);
    if (level < 0) {
        level = level_from_environment();
        atomic_store(&chosen_level, level);
    }
    return level;
}

void cuzk_log_set_level(log_level level)
{
    atomic_store(&chosen_level, (int)level);
}

size_t cuzk_log_escape(char *out, size_t max, const char *text)
{
    static const char digit[] = "0123456789abcdef";
    size_t n = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        int plain = *p >= 0x20 && *p <= 0x7e && *p != '"' && *p != '\\';
        if (n + (plain ? 1 : 4) >= max)
            break;
        if (plain) {
            out[n++] = (char)*p;
        } else {
            out[n++] = '\\';
            out[n++] = 'x';
            out[n++] = digit[*p >> 4];
            out[n++] = digit[*p & 15];
        }
    }
    out[n] = '\0';
    return n;
}

static size_t put_head(char *line, size_t max, log_level level)
{
    struct timespec t;
    struct tm tm;
    clock_gettime(CLOCK_REALTIME, &t);
    gmtime_r(&t.tv_sec, &tm);
    size_t n = strftime(line, max, "%Y-%m-%dT%H:%M:%S", &tm);
    int k = snprintf(line + n, max - n, ".%03uZ %s ", (unsigned)(t.tv_nsec / 1000000),
                     level_name[level]);
    return n + (size_t)(k > 0 ? k : 0);
}

/* The message may hold quotes (texts of errors do); only what could break a line is escaped. */
static size_t put_message(char *line, size_t max, const char *text)
{
    size_t n = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p && n + 4 < max; p++) {
        if (*p >= 0x20 && *p <= 0x7e)
            line[n++] = (char)*p;
        else
            n += (size_t)snprintf(line + n, max - n, "\\x%02x", *p);
    }
    return n;
}

void cuzk_log(log_level level, const char *job_id, const char *fmt, ...)
{
    if ((int)level > current_level())
        return;
    char line[MAX_LINE], text[MAX_MESSAGE];
    size_t n = put_head(line, sizeof line, level);
    if (job_id) {
        n += (size_t)snprintf(line + n, sizeof line - n, "job=\"");
        n += cuzk_log_escape(line + n, 1056, job_id);
        n += (size_t)snprintf(line + n, sizeof line - n, "\" ");
    }
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    n += put_message(line + n, sizeof line - n - 1, text);
    line[n++] = '\n';
    /* A log that cannot be written must not stop the daemon. */
    ssize_t ignored = write(STDERR_FILENO, line, n);
    (void)ignored;
}

#include "engine/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

/* A message is measured before escaping, which makes up to five bytes of one; lines stay below
 * 4 KiB because what is put is cut, with room left for the end. */
#define MAX_MESSAGE 700u
#define MAX_LINE    4000u
#define MAX_JOB     1056u /* escaped; 256 bytes are allowed */
#define END_ROOM    16u

static const char *const level_name[] = {"off", "error", "warn", "info", "debug"};

/* -1: not chosen yet, look at the environment. */
static atomic_int chosen_level = -1;
static atomic_int chosen_format = CUZK_LOG_TEXT;
/* Once a file has been opened its descriptor keeps its number (dup3), so a writer that has just
 * read it never writes elsewhere. */
static atomic_int log_fd = STDERR_FILENO;

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

void cuzk_log_set_format(cuzk_log_format format)
{
    atomic_store(&chosen_format, (int)format);
}

cuzk_status cuzk_log_open(const char *path, cuzk_err *err)
{
    static int file_fd = -1; /* calls come from one thread */
    if (!path) {
        atomic_store(&log_fd, STDERR_FILENO);
        return CUZK_OK;
    }
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0640);
    if (fd < 0)
        return cuzk_fail(err, CUZK_IO, errno, "log: cannot open %s", path);
    if (file_fd < 0) {
        file_fd = fd;
    } else {
        dup3(fd, file_fd, O_CLOEXEC); /* both are open, so it cannot fail */
        close(fd);
    }
    atomic_store(&log_fd, file_fd);
    return CUZK_OK;
}

/* ---- lines ---- */

typedef struct {
    char text[MAX_LINE];
    size_t n;
} log_line;

static void put_text(log_line *l, const char *text)
{
    size_t n = strlen(text);
    if (n < sizeof l->text - l->n) {
        memcpy(l->text + l->n, text, n);
        l->n += n;
    }
}

static size_t escape(char *out, size_t max, const char *text, const char *backslash,
                     const char *also)
{
    static const char digit[] = "0123456789abcdef";
    size_t n = 0, k = strlen(backslash);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        int plain = *p >= 0x20 && *p <= 0x7e && !strchr(also, *p);
        if (n + (plain ? 1 : k + 3) >= max)
            break;
        if (plain) {
            out[n++] = (char)*p;
            continue;
        }
        memcpy(out + n, backslash, k);
        n += k;
        out[n++] = 'x';
        out[n++] = digit[*p >> 4];
        out[n++] = digit[*p & 15];
    }
    out[n] = '\0';
    return n;
}

size_t cuzk_log_escape(char *out, size_t max, const char *text)
{
    return escape(out, max, text, "\\", "\"\\");
}

/* For logfmt and JSON, between quotes: both read \" and \\; what was \xHH before is so again when
 * they have been read. */
static void put_quoted(log_line *l, const char *text, size_t max)
{
    char *out = l->text + l->n;
    size_t room = sizeof l->text - l->n - END_ROOM, n = 0;
    max = max < room ? max : room;
    for (const char *p = text; *p && n + 6 < max; p++) {
        char one[2] = {*p, '\0'};
        if (*p == '"' || *p == '\\') {
            out[n++] = '\\';
            out[n++] = *p;
        } else {
            n += escape(out + n, 6, one, "\\\\", "");
        }
    }
    l->n += n;
}

static void put_time(log_line *l)
{
    struct timespec t;
    struct tm tm;
    char text[40];
    clock_gettime(CLOCK_REALTIME, &t);
    gmtime_r(&t.tv_sec, &tm);
    size_t n = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text + n, sizeof text - n, ".%03uZ", (unsigned)(t.tv_nsec / 1000000));
    put_text(l, text);
}

/* ".../src/engine/x.c" -> "engine" */
static void put_component(log_line *l, const char *file)
{
    char name[24];
    const char *p = strstr(file, "src/");
    for (const char *next = p; next; next = strstr(next + 1, "src/"))
        p = next;
    snprintf(name, sizeof name, "%.*s", p ? (int)strcspn(p + 4, "/") : 7, p ? p + 4 : "program");
    put_text(l, name);
}

/* The message may hold quotes (texts of errors do); only what could break a line is escaped. */
static void put_plain(log_line *l, log_level level, const char *job_id, const char *text)
{
    put_time(l);
    put_text(l, " ");
    put_text(l, level_name[level]);
    put_text(l, " ");
    if (job_id) {
        put_text(l, "job=\"");
        l->n += cuzk_log_escape(l->text + l->n, MAX_JOB, job_id);
        put_text(l, "\" ");
    }
    l->n += escape(l->text + l->n, sizeof l->text - l->n - END_ROOM, text, "\\", "");
}

static void put_fields(log_line *l, const char *const key[6], const char *file, log_level level,
                       const char *job_id, const char *text)
{
    put_text(l, key[0]);
    put_time(l);
    put_text(l, key[1]);
    put_text(l, level_name[level]);
    put_text(l, key[2]);
    put_component(l, file);
    put_text(l, key[3]);
    put_quoted(l, job_id ? job_id : "", MAX_JOB);
    put_text(l, key[4]);
    put_quoted(l, text, sizeof l->text);
    put_text(l, key[5]);
}

void cuzk_log_from(const char *source_file, log_level level, const char *job_id, const char *fmt,
                   ...)
{
    static const char *const logfmt_key[] = {
        "time=", " level=", " component=", " job=\"", "\" msg=\"", "\""};
    static const char *const json_key[] = {"{\"time\":\"",        "\",\"level\":\"",
                                           "\",\"component\":\"", "\",\"job\":\"",
                                           "\",\"msg\":\"",       "\"}"};
    if ((int)level > current_level() || level == CUZK_LOG_OFF)
        return;
    log_line line = {.n = 0};
    char text[MAX_MESSAGE];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    int format = atomic_load_explicit(&chosen_format, memory_order_relaxed);
    if (format == CUZK_LOG_TEXT)
        put_plain(&line, level, job_id, text);
    else
        put_fields(&line, format == CUZK_LOG_JSON ? json_key : logfmt_key, source_file, level,
                   job_id, text);
    line.text[line.n++] = '\n';
    /* A log that cannot be written must not stop the daemon. */
    ssize_t ignored = write(atomic_load_explicit(&log_fd, memory_order_relaxed), line.text, line.n);
    (void)ignored;
}

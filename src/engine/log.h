/* Log of the daemon: one line per event, written with a single call so that lines of several
 * threads never mix, and shorter than 4 KiB. Bytes outside printable ASCII are escaped as \xHH, so
 * a request id cannot forge a line or move the cursor of a terminal. Payloads never come here.
 *
 *   text    2026-07-01T12:00:00.123Z info job="winpost-1000-00ff" started
 *   logfmt  time=2026-... level=info component=engine job="winpost-1000-00ff" msg="started"
 *   json    {"time":"2026-...","level":"info","component":"engine","job":"winpost-1000-00ff",
 *            "msg":"started"}
 *
 * The component is the folder of src/ that the line comes from. A log that cannot be written
 * (closed pipe, full disk) stops nobody.
 */
#ifndef CUZK_ENGINE_LOG_H
#define CUZK_ENGINE_LOG_H

#include <stddef.h>

#include "base/compiler.h"
#include "cuzk/daemon.h"

typedef enum {
    CUZK_LOG_OFF,
    CUZK_LOG_ERROR,
    CUZK_LOG_WARN,
    CUZK_LOG_INFO,
    CUZK_LOG_DEBUG
} log_level;

/* Default: CUZK_LOG in the environment (off, error, warn, info, debug), else info. */
void cuzk_log_set_level(log_level level);
void cuzk_log_set_format(cuzk_log_format format);

/* Opens path for appending and logs there from now on; NULL: stderr. Also to open the same path
 * anew after it was renamed. On failure all stays as it is. */
cuzk_status cuzk_log_open(const char *path, cuzk_err *err);

/* job_id may be NULL. The level comes first, as in the line. */
#define cuzk_log(level, job_id, ...) cuzk_log_from(__FILE__, level, job_id, __VA_ARGS__)
void cuzk_log_from(const char *source_file, log_level level, const char *job_id, const char *fmt,
                   ...) CUZK_PRINTF(4, 5);

/* Writes text to out with `"`, `\` and everything outside 0x20..0x7e as \xHH; cuts at max - 1 bytes
 * without splitting an escape. Returns the length. max >= 1. */
size_t cuzk_log_escape(char *out, size_t max, const char *text);

#endif

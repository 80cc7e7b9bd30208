/* Log of the daemon: one line per event on stderr, written with a single call so that lines of
 * several threads never mix. Bytes outside printable ASCII are escaped, so a request id cannot
 * forge a line or move the cursor of a terminal. Payloads never come here.
 *
 *   2026-07-01T12:00:00.123Z info job="winpost-1000-00ff" started
 */
#ifndef CUZK_ENGINE_LOG_H
#define CUZK_ENGINE_LOG_H

#include <stddef.h>

#include "base/compiler.h"

typedef enum {
    CUZK_LOG_OFF,
    CUZK_LOG_ERROR,
    CUZK_LOG_WARN,
    CUZK_LOG_INFO,
    CUZK_LOG_DEBUG
} log_level;

/* Default: CUZK_LOG in the environment (off, error, warn, info, debug), else info. */
void cuzk_log_set_level(log_level level);

/* job_id may be NULL. The level comes first, as in the line. */
void cuzk_log(log_level level, const char *job_id, const char *fmt, ...) CUZK_PRINTF(3, 4);

/* Writes text to out with `"`, `\` and everything outside 0x20..0x7e as \xHH; cuts at max - 1 bytes
 * without splitting an escape. Returns the length. max >= 1. */
size_t cuzk_log_escape(char *out, size_t max, const char *text);

#endif

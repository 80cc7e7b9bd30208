/* Status tables and error formatting. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name, *text;
    int exit_code, grpc_code, retryable;
} status_row;

static const status_row status_table[CUZK_STATUS_COUNT] = {
#define X(name, exit_code, grpc_code, retryable, text)                                             \
    {#name, text, exit_code, grpc_code, retryable},
    CUZK_STATUS_MAP(X)
#undef X
};

static const status_row *row_of(cuzk_status st)
{
    unsigned i = (unsigned)st;
    return &status_table[i < CUZK_STATUS_COUNT ? i : (unsigned)CUZK_INTERNAL];
}

const char *cuzk_status_name(cuzk_status st)
{
    return row_of(st)->name;
}

const char *cuzk_status_text(cuzk_status st)
{
    return row_of(st)->text;
}

int cuzk_status_exit_code(cuzk_status st)
{
    return row_of(st)->exit_code;
}

int cuzk_status_grpc_code(cuzk_status st)
{
    return row_of(st)->grpc_code;
}

int cuzk_status_retryable(cuzk_status st)
{
    return row_of(st)->retryable;
}

cuzk_status cuzk_fail(cuzk_err *err, cuzk_status st, int sys, const char *fmt, ...)
{
    if (!err)
        return st;
    err->status = st;
    err->sys = sys;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->msg, sizeof err->msg, fmt, ap);
    va_end(ap);
    if (sys) {
        size_t n = strlen(err->msg);
        snprintf(err->msg + n, sizeof err->msg - n, ": %s", strerror(sys));
    }
    return st;
}

cuzk_status cuzk_err_prefix(cuzk_err *err, cuzk_status st, const char *fmt, ...)
{
    if (!err)
        return st;
    char old[sizeof err->msg];
    memcpy(old, err->msg, sizeof old);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->msg, sizeof err->msg, fmt, ap);
    va_end(ap);
    size_t n = strlen(err->msg);
    snprintf(err->msg + n, sizeof err->msg - n, ": %s", old);
    return st;
}

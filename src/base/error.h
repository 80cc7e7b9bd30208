/* Internal side of cuzk/error.h: filling an error and passing it up. */
#ifndef CUZK_BASE_ERROR_H
#define CUZK_BASE_ERROR_H

#include <assert.h>

#include "base/compiler.h"
#include "cuzk/error.h"

/* Fills *err (may be NULL) and returns st, so that callers write `return cuzk_fail(...)`. */
cuzk_status cuzk_fail(cuzk_err *err, cuzk_status st, int sys, const char *fmt, ...)
    CUZK_PRINTF(4, 5);

/* Puts "prefix: " before the message of an error that is passed up. Returns err->status or st. */
cuzk_status cuzk_err_prefix(cuzk_err *err, cuzk_status st, const char *fmt, ...) CUZK_PRINTF(3, 4);

#define CUZK_TRY(expr)                                                                             \
    do {                                                                                           \
        st = (expr);                                                                               \
        if (st != CUZK_OK)                                                                         \
            goto out;                                                                              \
    } while (0)

/* Invariants of our own code; never for input. */
#ifdef CUZK_VERIFY
#define CUZK_DASSERT(x) assert(x)
#else
#define CUZK_DASSERT(x) ((void)0)
#endif

#endif

/* Status codes and error detail shared by every part of cuzk.
 *
 * One table (CUZK_STATUS_MAP) is the only place where a status, its text, its exit code, its
 * gRPC code and whether to retry are written; enum, names and mappings are derived from it
 * (docs/errors.md lists them).
 */
#ifndef CUZK_ERROR_H
#define CUZK_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* X(name, exit code of the program, gRPC status code, whether the same request may succeed later
 * without anybody's help, text) */
#define CUZK_STATUS_MAP(X)                                                                         \
    X(OK, 0, 0, 0, "success")                                                                      \
    X(INVAL, 2, 3, 0, "invalid argument")                                                          \
    X(ENCODING, 2, 3, 0, "malformed input")                                                        \
    X(REJECTED, 1, 3, 0, "proof is not valid")                                                     \
    X(UNSATISFIED, 3, 3, 0, "witness does not satisfy the circuit")                                \
    X(PARAMS, 4, 9, 0, "parameters missing or unsuitable")                                         \
    X(CORRUPT, 4, 15, 0, "parameters damaged")                                                     \
    X(NOT_FOUND, 5, 5, 0, "not found")                                                             \
    X(EXISTS, 5, 6, 0, "already exists")                                                           \
    X(IO, 6, 15, 0, "input or output failed")                                                      \
    X(NOMEM, 7, 8, 1, "allocation failed")                                                         \
    X(BUDGET, 7, 8, 1, "limit would be exceeded")                                                  \
    X(MEMORY, 7, 9, 0, "larger than the memory budget")                                            \
    X(UNAVAILABLE, 8, 14, 1, "service not available")                                              \
    X(TIMEOUT, 8, 4, 1, "deadline exceeded")                                                       \
    X(CANCELLED, 9, 1, 0, "cancelled")                                                             \
    X(UNAUTHENTICATED, 8, 16, 0, "the daemon does not know this client")                           \
    X(UNSUPPORTED, 10, 12, 0, "not supported by this build")                                       \
    X(DEVICE, 11, 13, 1, "device call failed; device still usable")                                \
    X(DEVICE_LOST, 11, 13, 0, "device must be reset before further use")                           \
    X(INTERNAL, 70, 13, 0, "bug in cuzk")

typedef enum {
#define X(name, exit_code, grpc_code, retryable, text) CUZK_##name,
    CUZK_STATUS_MAP(X)
#undef X
        CUZK_STATUS_COUNT
} cuzk_status;

/* Detail of a failure. Caller-owned, no heap; filled by the place that first sees the failure. */
typedef struct {
    cuzk_status status;
    int sys;       /* errno, 0 if none */
    char msg[496]; /* NUL-terminated; names the object, the value and the remedy */
} cuzk_err;

const char *cuzk_status_name(cuzk_status st); /* "INVAL"; static storage */
const char *cuzk_status_text(cuzk_status st); /* "invalid argument"; static storage */
int cuzk_status_exit_code(cuzk_status st);
int cuzk_status_grpc_code(cuzk_status st);
int cuzk_status_retryable(cuzk_status st); /* 1: the same request may succeed later */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

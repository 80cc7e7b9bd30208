/* Status codes and error detail shared by every part of cuzk.
 *
 * One table (CUZK_STATUS_MAP) is the only place where a status, its text, its exit code and its
 * gRPC code are written; enum, names and mappings are derived from it (docs/errors.md lists them).
 */
#ifndef CUZK_ERROR_H
#define CUZK_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* X(name, exit code of the program, gRPC status code, text) */
#define CUZK_STATUS_MAP(X)                                                                         \
    X(OK, 0, 0, "success")                                                                         \
    X(INVAL, 2, 3, "invalid argument")                                                             \
    X(ENCODING, 2, 3, "malformed input")                                                           \
    X(REJECTED, 1, 3, "proof is not valid")                                                        \
    X(UNSATISFIED, 3, 3, "witness does not satisfy the circuit")                                   \
    X(PARAMS, 4, 9, "parameters missing or unsuitable")                                            \
    X(CORRUPT, 4, 15, "parameters damaged")                                                        \
    X(NOT_FOUND, 5, 5, "not found")                                                                \
    X(EXISTS, 5, 6, "already exists")                                                              \
    X(IO, 6, 15, "input or output failed")                                                         \
    X(NOMEM, 7, 8, "allocation failed")                                                            \
    X(BUDGET, 7, 8, "limit would be exceeded")                                                     \
    X(MEMORY, 7, 9, "larger than the memory budget")                                               \
    X(UNAVAILABLE, 8, 14, "service not available")                                                 \
    X(TIMEOUT, 8, 4, "deadline exceeded")                                                          \
    X(CANCELLED, 9, 1, "cancelled")                                                                \
    X(UNSUPPORTED, 10, 12, "not supported by this build")                                          \
    X(DEVICE, 11, 13, "device call failed; device still usable")                                   \
    X(DEVICE_LOST, 11, 13, "device must be reset before further use")                              \
    X(INTERNAL, 70, 13, "bug in cuzk")

typedef enum {
#define X(name, exit_code, grpc_code, text) CUZK_##name,
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

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

/* The proving daemon: parameters loaded once and kept, proofs over gRPC (docs/daemon.md,
 * docs/grpc.md). */
#ifndef CUZK_DAEMON_H
#define CUZK_DAEMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuzk/error.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define CUZK_DEFAULT_ADDRESS "unix:///run/cuzk/cuzk.sock"

typedef struct {
    size_t size;               /* sizeof(cuzk_daemon_options) */
    const char *const *listen; /* addresses: host:port, [::1]:port, unix:///path, unix:path */
    size_t n_listen;           /* 0: CUZK_DEFAULT_ADDRESS */
    const char *params_dir;    /* NULL: $FIL_PROOFS_PARAMETER_CACHE, then the established default */
    unsigned n_threads;        /* of the prover; 0: all that the process may use */
    bool insecure;             /* TCP beyond loopback without TLS and token */
    bool insecure_test_rs;     /* published r and s: golden proofs only */
    size_t max_jobs;           /* waiting and running; more are refused */
    uint64_t max_bytes;        /* of their requests */
    size_t max_results;        /* ended jobs that are kept */
    unsigned result_ttl_s;     /* and for how long */
    unsigned grace_s;          /* after SIGTERM, for the running job; then it is told to stop */
    unsigned stop_s;           /* after that, before the process ends without it */
    /* TCP only; PEM files. The certificate and its key go together: TLS instead of plain text. With
     * an authority clients must show a certificate of it. NULL: none. */
    const char *tls_cert, *tls_key, *tls_client_ca;
    const char *token_file;   /* TCP only: calls must bring its first line as a bearer token */
    size_t max_message_bytes; /* of one request; at most 2^31 - 1 */
    /* As in cuzk_prover_options. */
    uint64_t max_memory, memory_margin;
    unsigned eviction_min_idle_s;
    bool allow_insecure_params;
    const char *cache_dir;
    const char *const *preload; /* circuits to load at start, while listening already */
    size_t n_preload;
} cuzk_daemon_options;

#define CUZK_DAEMON_DEFAULTS                                                                       \
    {                                                                                              \
        .size = sizeof(cuzk_daemon_options), .max_jobs = 1000, .max_bytes = (uint64_t)4 << 30,     \
        .max_results = 1000, .result_ttl_s = 3600, .grace_s = 60, .stop_s = 10,                    \
        .max_message_bytes = (size_t)256 << 20,                                                    \
    }

/* Serves until SIGTERM or SIGINT, then ends cleanly and returns CUZK_OK. A second signal ends the
 * process at once. Must be called from the main thread before other threads exist: it blocks these
 * signals and ignores SIGPIPE for the process. */
cuzk_status cuzk_daemon_run(const cuzk_daemon_options *opt, cuzk_err *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

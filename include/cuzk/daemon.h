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

typedef enum { CUZK_LOG_TEXT, CUZK_LOG_LOGFMT, CUZK_LOG_JSON } cuzk_log_format;

#define CUZK_LOG_LEVEL_DEBUG 4 /* 0 off, 1 error, 2 warn, 3 info, 4 debug */

typedef struct {
    int level; /* -1: $CUZK_LOG, else info */
    cuzk_log_format format;
    const char *file; /* appended to; NULL: stderr */
} cuzk_log_options;

typedef struct {
    const char *text;
    bool is_warning;
} cuzk_daemon_note;

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
    unsigned socket_mode;     /* of a unix socket's file; who may write to it may call */
    uint64_t ageing_ms;       /* a class that waits so long rises by one; 0: never */
    uint64_t stall_ms;        /* a job without progress for so long is named in the log; 0: never */
    /* As in cuzk_prover_options: 0 is automatic. */
    uint64_t max_memory, memory_margin;
    unsigned eviction_min_idle_s;
    bool allow_insecure_params;
    const char *cache_dir;      /* NULL: the default; "": nowhere */
    const char *const *preload; /* circuits to load in the background from the start on */
    size_t n_preload;
    cuzk_log_options log;
    const cuzk_daemon_note *notes; /* about the settings: logged once the log is open */
    size_t n_notes;
    /* At SIGHUP, on the main thread: fills *log anew; its texts live until the next call. NULL: the
     * options above again. Either way the file is opened anew. */
    cuzk_status (*reload)(void *ctx, cuzk_log_options *log, cuzk_err *err);
    void *reload_ctx;
    const char *http_listen;     /* host:port for /metrics, /status and others; NULL or "": off */
    int timing;                  /* lines of phases: 0 as CUZK_TIMING says, 1 text, 2 JSON */
    const char *memory_csv;      /* the memory monitor appends to it; NULL: kept for /trace only */
    uint64_t memory_interval_ms; /* between its samples; 0: no monitor */
    const char *opts;            /* switches to set (cuzk/switches.h); NULL or "": none */
} cuzk_daemon_options;

#define CUZK_DAEMON_DEFAULTS                                                                       \
    {                                                                                              \
        .size = sizeof(cuzk_daemon_options), .max_jobs = 1000, .max_bytes = (uint64_t)4 << 30,     \
        .max_results = 1000, .result_ttl_s = 3600, .grace_s = 60, .stop_s = 10,                    \
        .max_message_bytes = (size_t)256 << 20, .socket_mode = 0600, .ageing_ms = 600000,          \
        .stall_ms = 60000, .eviction_min_idle_s = 300, .log = {.level = -1},                       \
        .memory_interval_ms = 1000,                                                                \
    }

/* Refuses what cuzk_daemon_run would refuse before it opens anything: addresses above all. */
cuzk_status cuzk_daemon_check(const cuzk_daemon_options *opt, cuzk_err *err);

/* Serves until SIGTERM or SIGINT, then ends cleanly and returns CUZK_OK. A second signal ends the
 * process at once. Must be called from the main thread before other threads exist: it blocks these
 * signals and ignores SIGPIPE for the process. */
cuzk_status cuzk_daemon_run(const cuzk_daemon_options *opt, cuzk_err *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

/* A small blocking client of the proving daemon. Any number of threads may use one client. */
#ifndef CUZK_CLIENT_H
#define CUZK_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuzk/error.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct cuzk_client cuzk_client;

/* address as for the daemon (cuzk/daemon.h); NULL: CUZK_DEFAULT_ADDRESS. Waits at most timeout_ms
 * for a connection. CUZK_UNAVAILABLE when there is no daemon. */
cuzk_status cuzk_client_connect(cuzk_client **out, const char *address, uint64_t timeout_ms,
                                cuzk_err *err);

/* With more to say; files are PEM. */
typedef struct {
    size_t size;         /* sizeof(cuzk_client_options) */
    const char *address; /* NULL: CUZK_DEFAULT_ADDRESS */
    uint64_t timeout_ms;
    const char *tls_ca;             /* file: speak TLS, and whose certificates to believe */
    const char *tls_cert, *tls_key; /* files: our own certificate, for daemons that ask for one */
    const char *token_file;         /* its first line goes along as a bearer token */
} cuzk_client_options;
#define CUZK_CLIENT_DEFAULTS                                                                       \
    {                                                                                              \
        .size = sizeof(cuzk_client_options), .timeout_ms = 5000                                    \
    }
cuzk_status cuzk_client_connect_options(cuzk_client **out, const cuzk_client_options *opt,
                                        cuzk_err *err);
void cuzk_client_close(cuzk_client *c); /* accepts NULL; no call may be in progress */

/* Numbers of the wire. */
typedef enum {
    CUZK_PROOF_POREP = 1,
    CUZK_PROOF_UPDATE = 2,
    CUZK_PROOF_WINDOW = 3,
    CUZK_PROOF_WINNING = 4
} cuzk_proof_kind;

typedef struct {
    const uint8_t *data;
    size_t n;
} cuzk_bytes;

/* Fields that do not belong to the kind stay zero. */
typedef struct {
    size_t size;            /* sizeof(cuzk_client_request) */
    const char *request_id; /* NULL: the daemon makes one */
    int kind;               /* cuzk_proof_kind */
    int priority;           /* 0: default of the kind; 1 low to 4 critical */
    uint64_t sector_size, registered_proof, sector_number, miner_id;
    cuzk_bytes vanilla_proof;         /* porep */
    const cuzk_bytes *vanilla_proofs; /* others */
    size_t n_vanilla_proofs;
    cuzk_bytes randomness;
    uint32_t partition_index;
    cuzk_bytes comm_r_old, comm_r_new, comm_d_new;
    uint64_t deadline_unix_ms; /* after which the proof is of no use; 0: none */
} cuzk_client_request;

/* Reads a request folder, or its request.json (docs/requests.md), for a daemon. The request points
 * into *files, which cuzk_client_files_free releases. The content is checked by the daemon. */
typedef struct cuzk_client_files cuzk_client_files;
cuzk_status cuzk_client_files_read(cuzk_client_files **files, cuzk_client_request *out,
                                   const char *path, cuzk_err *err);
void cuzk_client_files_free(cuzk_client_files *files); /* accepts NULL */

typedef enum {
    CUZK_JOB_UNKNOWN,
    CUZK_JOB_COMPLETED,
    CUZK_JOB_FAILED,
    CUZK_JOB_CANCELLED,
    CUZK_JOB_TIMEOUT
} cuzk_job_status;

#define CUZK_JOB_ID_BYTES 257

typedef struct {
    char job_id[CUZK_JOB_ID_BYTES];
    cuzk_job_status status;
    uint8_t *proof; /* owned; 192 bytes a partition */
    size_t n_proof_bytes;
    char error_message[512];
    uint64_t queue_wait_ms, srs_load_ms, synthesis_ms, compute_ms, total_ms;
} cuzk_client_result;

void cuzk_client_result_fini(cuzk_client_result *r);

/* deadline_ms bounds the call: 0 = none; CUZK_TIMEOUT when it passes (the job goes on). Errors of
 * the call come as a status; a job that ended badly gives CUZK_OK and its result->status. */
cuzk_status cuzk_client_prove(cuzk_client *c, const cuzk_client_request *r, uint64_t deadline_ms,
                              cuzk_client_result *result, cuzk_err *err);
/* Queues only. */
cuzk_status cuzk_client_submit(cuzk_client *c, const cuzk_client_request *r, uint64_t deadline_ms,
                               char job_id[CUZK_JOB_ID_BYTES], uint32_t *queue_position,
                               cuzk_err *err);
/* wait_ms is the daemon's limit: after it result->status is CUZK_JOB_TIMEOUT; 0 = none. */
cuzk_status cuzk_client_await(cuzk_client *c, const char *job_id, uint64_t wait_ms,
                              uint64_t deadline_ms, cuzk_client_result *result, cuzk_err *err);
cuzk_status cuzk_client_cancel(cuzk_client *c, const char *job_id, uint64_t deadline_ms,
                               bool *was_running, cuzk_err *err);

#define CUZK_STATUS_MAX_QUEUES 8
#define CUZK_STATUS_MAX_SRS    64

typedef enum { CUZK_TIER_HOT, CUZK_TIER_WARM, CUZK_TIER_COLD } cuzk_srs_tier;

typedef struct {
    uint64_t completed, failed, uptime_s;
    size_t n_queues, n_srs;
    struct {
        char kind[32]; /* "porep-c2", ... */
        uint32_t pending, in_progress;
    } queue[CUZK_STATUS_MAX_QUEUES];
    struct {
        char circuit[32]; /* "porep-32g", ... */
        uint64_t bytes;
        uint32_t ref_count;
        cuzk_srs_tier tier;
    } srs[CUZK_STATUS_MAX_SRS];
} cuzk_client_status;

cuzk_status cuzk_client_get_status(cuzk_client *c, uint64_t deadline_ms, cuzk_client_status *out,
                                   cuzk_err *err);
cuzk_status cuzk_client_preload(cuzk_client *c, const char *circuit, uint64_t deadline_ms,
                                bool *already_loaded, uint64_t *load_ms, cuzk_err *err);
/* Parameters in use stay: *was_loaded, and *freed_bytes 0. */
cuzk_status cuzk_client_evict(cuzk_client *c, const char *circuit, uint64_t deadline_ms,
                              bool *was_loaded, uint64_t *freed_bytes, cuzk_err *err);
/* Prometheus text in *text (cuzk_client_free_text). */
cuzk_status cuzk_client_get_metrics(cuzk_client *c, uint64_t deadline_ms, char **text,
                                    cuzk_err *err);
void cuzk_client_free_text(char *text);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

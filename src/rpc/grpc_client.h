/* Transport seam of the client: one unary call at a time and thread, bytes in and out. */
#ifndef CUZK_RPC_GRPC_CLIENT_H
#define CUZK_RPC_GRPC_CLIENT_H

#include <stdint.h>

#include "base/error.h"
#include "rpc/credentials.h"

typedef struct rpc_channel rpc_channel;

typedef struct {
    const char *address;
    uint64_t timeout_ms; /* for the connection */
    rpc_tls_files tls;   /* ca set: TLS */
    const char *token_file;
} rpc_channel_options;

cuzk_status cuzk_rpc_channel_open(rpc_channel **out, const rpc_channel_options *opt, cuzk_err *err);
void cuzk_rpc_channel_close(rpc_channel *c); /* accepts NULL */

/* *response (cuzk_free) is set on success only. deadline_ms 0: none. */
cuzk_status cuzk_rpc_unary(rpc_channel *c, const char *path, const uint8_t *request, size_t n,
                           uint64_t deadline_ms, uint8_t **response, size_t *n_response,
                           cuzk_err *err);

#endif

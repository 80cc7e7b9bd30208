/* TLS certificates and the bearer token, from files, for server and client. */
#ifndef CUZK_RPC_CREDENTIALS_H
#define CUZK_RPC_CREDENTIALS_H

#include <grpc/grpc_security.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* PEM files; NULL where there is none.
 *   server  cert and key its own; ca: clients must show a certificate of it
 *   client  ca: whom to believe; cert and key its own, for servers that ask */
typedef struct {
    const char *ca, *cert, *key;
} rpc_tls_files;

/* Plain text without cert (server) or ca (client). */
cuzk_status cuzk_rpc_server_credentials(grpc_server_credentials **out, const rpc_tls_files *f,
                                        cuzk_err *err);
cuzk_status cuzk_rpc_channel_credentials(grpc_channel_credentials **out, const rpc_tls_files *f,
                                         cuzk_err *err);

#define RPC_TOKEN_MIN 16u
#define RPC_TOKEN_MAX 512u
/* "Bearer " and the first line of the file: RPC_TOKEN_MIN to RPC_TOKEN_MAX visible characters. The
 * file must not be readable by others. */
cuzk_status cuzk_rpc_read_token(char out[RPC_TOKEN_MAX + 8], const char *path, cuzk_err *err);

/* In a time that depends on the length of given alone. */
bool cuzk_rpc_token_equal(const char *expected, const uint8_t *given, size_t n);

#endif

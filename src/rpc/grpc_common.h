/* Shared by the two users of libgrpc, server and client. */
#ifndef CUZK_RPC_GRPC_COMMON_H
#define CUZK_RPC_GRPC_COMMON_H

#include <grpc/grpc.h>

#include <stdbool.h>
#include <stdint.h>

/* grpc_init with our log behind it, once for the process. It is never shut down: the last
 * grpc_shutdown joins a poller that may sleep for 10 s after a large message was broken off
 * (libgrpc 1.51). */
void cuzk_grpc_init(void);

/* The buffer's bytes in one block (cuzk_free); NULL when out of memory. Never NULL for length 0. */
uint8_t *cuzk_grpc_flatten(grpc_byte_buffer *buffer, size_t *n);
/* The same, and gives back the buffer's slices as it goes: the message is never there twice. */
uint8_t *cuzk_grpc_take(grpc_byte_buffer *buffer, size_t *n);
grpc_byte_buffer *cuzk_grpc_buffer_of(const uint8_t *bytes, size_t n); /* copies */

grpc_arg cuzk_grpc_int_arg(const char *key, int value);

#endif

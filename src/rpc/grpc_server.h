/* Transport seam: gRPC methods by path, over libgrpc's core C API. Knows no message.
 *
 * Unary: a handler gets the request's bytes and a call. It answers with reply or fail, now or
 * later, from any thread, exactly once; until then the call costs memory but no thread. A call
 * whose client has gone is answered like any other: the bytes are dropped.
 *
 * Streams (RPC_STREAM): the handler runs on a network thread for each message of the client, and
 * once with msg NULL when the client sends no more. It sends any number of messages, now or in the
 * method's tick, which runs a few times a second, and ends with finish or fail; both are harmless
 * when the stream has ended already. The client's next message is read when the answer to the last
 * has gone out, so a client that does not read holds one message.
 */
#ifndef CUZK_RPC_GRPC_SERVER_H
#define CUZK_RPC_GRPC_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "rpc/credentials.h"

typedef struct rpc_server rpc_server;
typedef struct rpc_call rpc_call;

/* msg is valid until the handler returns. */
typedef void (*rpc_handler)(void *ctx, rpc_call *call, const uint8_t *msg, size_t n);

typedef enum {
    RPC_INLINE, /* quick: runs on a network thread */
    RPC_DOOR,   /* CPU work over the request: two threads, bounded queue */
    RPC_SLOW,   /* waits long: one thread, bounded queue */
    RPC_STREAM, /* quick, and called for each message; see above */
    RPC_LANE_COUNT
} rpc_lane;

typedef struct {
    const char *path; /* "/package.Service/Method" */
    rpc_lane lane;
    rpc_handler fn;
    void (*tick)(void *ctx, rpc_call *call); /* streams; may be NULL */
} rpc_method;

typedef struct {
    size_t size;
    const rpc_method *methods; /* must outlive the server */
    size_t n_methods;
    void *ctx; /* of the handlers */
    size_t max_message_bytes;
    uint64_t max_door_bytes; /* of requests that wait for, or are in, the door lane */
    bool insecure;           /* TCP may listen beyond loopback without TLS and token */
    rpc_tls_files tls;       /* TCP: cert set: TLS; ca too: clients must show a certificate */
    const char *token_file;  /* TCP: calls must bring this token; NULL: none */
    unsigned socket_mode;    /* of a unix socket's file */
    unsigned read_timeout_s; /* for a request to arrive */
} rpc_server_options;

#define RPC_SERVER_DEFAULTS                                                                        \
    {                                                                                              \
        .size = sizeof(rpc_server_options), .max_message_bytes = (size_t)256 << 20,                \
        .max_door_bytes = (uint64_t)1 << 30, .socket_mode = 0600, .read_timeout_s = 300,           \
    }

cuzk_status cuzk_rpc_server_new(rpc_server **out, const rpc_server_options *opt, cuzk_err *err);
/* Before start. See listen_address.h; a failure leaves the addresses added before. */
cuzk_status cuzk_rpc_server_listen(rpc_server *s, const char *address, cuzk_err *err);
/* The i-th address with the port that was chosen; NULL past the end. */
const char *cuzk_rpc_server_address(const rpc_server *s, size_t i);
cuzk_status cuzk_rpc_server_start(rpc_server *s, cuzk_err *err);

/* Closes the listeners, gives calls in progress grace_ms to be answered and sent, then cancels
 * them. False when some are still in handlers 5 s after that. */
bool cuzk_rpc_server_stop(rpc_server *s, unsigned grace_ms);
/* Stops if that was not done. Every call must have been answered, or be going to be without this
 * server's help: it waits for that. Accepts NULL. */
void cuzk_rpc_server_free(rpc_server *s);
/* Removes the socket files, for a process that is about to end at once. Async-signal-unsafe. */
void cuzk_rpc_server_remove_sockets(rpc_server *s);

void cuzk_rpc_reply(rpc_call *call, const uint8_t *msg, size_t n); /* msg is copied */
void cuzk_rpc_fail(rpc_call *call, cuzk_status st, const char *message);

/* Nanoseconds until the client's deadline: 0 when it has passed, UINT64_MAX when there is none. */
uint64_t cuzk_rpc_time_left_ns(const rpc_call *call);

/* Streams. False: the last message is still on its way, or the stream has ended. msg is copied. */
bool cuzk_rpc_send(rpc_call *call, const uint8_t *msg, size_t n);
void cuzk_rpc_finish(rpc_call *call);
/* A number that the handler keeps with the call; 0 at first. */
int cuzk_rpc_note(rpc_call *call);
void cuzk_rpc_set_note(rpc_call *call, int note);

/* fn is called once, on a network thread, when the client goes before the answer; at once if it has
 * gone already; never after the answer. The handler keeps its duty to answer: fn may do it. Between
 * its hand-over to whoever will answer and this call, the handler must hold the call. */
typedef void (*rpc_gone_fn)(void *ctx, rpc_call *call, uint64_t token);
void cuzk_rpc_on_gone(rpc_call *call, rpc_gone_fn fn, void *ctx, uint64_t token);
void cuzk_rpc_hold(rpc_call *call);
void cuzk_rpc_release(rpc_call *call);

#endif

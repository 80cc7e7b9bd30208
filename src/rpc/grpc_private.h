/* The two halves of the transport seam: grpc_call.c (calls and events) and grpc_server.c (life of
 * the server, addresses). Nobody else includes this. */
#ifndef CUZK_RPC_GRPC_PRIVATE_H
#define CUZK_RPC_GRPC_PRIVATE_H

#include <grpc/grpc.h>
#include <pthread.h>

#include "rpc/credentials.h"
#include "rpc/grpc_server.h"
#include "rpc/lane.h"
#include "rpc/listen_address.h"

#define RPC_N_THREADS     2u
#define RPC_MAX_ADDRESSES 8u
#define RPC_MAX_STREAMS   64u
#define RPC_MAX_TRAILER   3u
#define RPC_TICK_NS       250000000u /* of open streams and arriving requests */

typedef enum { TAG_NEW, TAG_RECV, TAG_CLOSE, TAG_SEND, TAG_SENT } tag_kind;

typedef struct {
    tag_kind kind;
    rpc_call *call;
} tag;

struct rpc_call {
    rpc_server *server;
    grpc_call *call;
    grpc_call_details details;
    grpc_metadata_array metadata;
    grpc_byte_buffer *request, *response;
    int cancelled; /* written by libgrpc before CLOSE fires */
    tag on_new, on_recv, on_close, on_send, on_sent;

    const rpc_method *method;
    uint8_t *msg; /* until the handler returns */
    size_t n_msg;
    /* under the server's lock */
    size_t slot;            /* of a stream in server->stream */
    rpc_call *next, **link; /* in server->reading; link NULL: not in it */
    uint64_t read_end_ns;   /* when the request must have arrived */

    pthread_mutex_t lock; /* guards all below */
    unsigned refs;
    bool answered, gone;
    rpc_gone_fn gone_fn;
    void *gone_ctx;
    uint64_t gone_token;
    grpc_metadata trailer[RPC_MAX_TRAILER];
    size_t n_trailer;

    /* streams */
    bool sending;           /* a message is on its way, in response */
    bool headers_sent;      /* with the first message */
    bool read_after_send;   /* the client's next message is wanted then */
    bool finish_after_send; /* with final_code */
    grpc_status_code final_code;
    grpc_slice final_text;
    int note; /* the handler's */
};

struct rpc_server {
    rpc_server_options opt;
    char token[RPC_TOKEN_MAX + 8]; /* "" or what "authorization" must be over TCP */
    grpc_server *server;
    grpc_completion_queue *cq;
    lane *lane[RPC_LANE_COUNT]; /* NULL for those that need no threads */
    pthread_t thread[RPC_N_THREADS];
    unsigned n_threads;
    rpc_address address[RPC_MAX_ADDRESSES];
    socket_claim claim[RPC_MAX_ADDRESSES];
    size_t n_addresses;
    int shutdown_tag;

    pthread_mutex_t lock; /* guards all below; a call's lock may be taken inside it */
    pthread_cond_t changed;
    size_t n_calls; /* handed over by libgrpc and not over yet */
    bool stopping, stopped;
    rpc_call *stream[RPC_MAX_STREAMS]; /* open ones; each has a reference */
    size_t n_streams;
    rpc_call *reading; /* unary calls whose request is still arriving */
    uint64_t tick_ns;  /* when streams and reading calls were looked at last */
};

void cuzk_rpc_ask_for_call(rpc_server *s);
void cuzk_rpc_pull_events(rpc_server *s); /* until the queue has ended */
void cuzk_rpc_end_streams(rpc_server *s); /* UNAVAILABLE; before stopping */

#endif

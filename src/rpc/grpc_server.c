/* One completion queue, a few network threads that pull events from it. The life of a call:
 *
 *   NEW    libgrpc hands a call over; two batches start: CLOSE (fires when the call is over, for
 *          whatever reason) and RECV (the request message)
 *   RECV   the handler runs, on this thread or in a lane, and owes an answer
 *   SEND   answered; metadata, message and status go out in one batch
 *
 * References: CLOSE has one; the other passes from NEW to RECV to the handler to SEND.
 * Source of the batch rules: comments of grpc/grpc.h and grpc_types.h of libgrpc 1.51. */
#include "rpc/grpc_server.h"

#include <errno.h>
#include <grpc/compression.h>
#include <grpc/grpc_security.h>
#include <grpc/slice.h>
#include <grpc/support/time.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "engine/log.h"
#include "rpc/grpc_common.h"
#include "rpc/lane.h"
#include "rpc/listen_address.h"

#define N_THREADS     2u
#define N_PENDING_NEW 8u /* calls that libgrpc may hand over before we ask again */
#define MAX_ADDRESSES 8u
#define CANCEL_MS     5000u
#define MAX_TRAILER   3u

/* After a limit was met. A job takes seconds to minutes, so sooner is no use. */
#define RETRY_AFTER_MS "2000"

/* Request bytes that libgrpc itself may hold while messages arrive; beyond, it reads no further. */
#define READ_BUFFER_BYTES ((size_t)2 << 30)

typedef enum { TAG_NEW, TAG_RECV, TAG_CLOSE, TAG_SEND } tag_kind;

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
    grpc_metadata trailer[MAX_TRAILER]; /* of a failed call */
    size_t n_trailer;
    int cancelled; /* written by libgrpc before CLOSE fires */
    tag on_new, on_recv, on_close, on_send;

    const rpc_method *method;
    uint8_t *msg; /* until the handler returns */
    size_t n_msg;

    pthread_mutex_t lock; /* guards all below */
    unsigned refs;
    bool answered, gone;
    rpc_gone_fn gone_fn;
    void *gone_ctx;
    uint64_t gone_token;
};

struct rpc_server {
    rpc_server_options opt;
    grpc_server *server;
    grpc_completion_queue *cq;
    lane *lane[RPC_LANE_COUNT]; /* [RPC_INLINE] stays NULL */
    pthread_t thread[N_THREADS];
    unsigned n_threads;
    rpc_address address[MAX_ADDRESSES];
    socket_claim claim[MAX_ADDRESSES];
    size_t n_addresses;
    int shutdown_tag;

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    size_t n_calls; /* handed over by libgrpc and not over yet */
    bool stopping, stopped;
};

/* ---- references ---- */

void cuzk_rpc_hold(rpc_call *c)
{
    pthread_mutex_lock(&c->lock);
    c->refs++;
    pthread_mutex_unlock(&c->lock);
}

static void count_call(rpc_server *s, int step)
{
    pthread_mutex_lock(&s->lock);
    s->n_calls += (size_t)step;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void call_free(rpc_call *c)
{
    if (c->request)
        grpc_byte_buffer_destroy(c->request);
    if (c->response)
        grpc_byte_buffer_destroy(c->response);
    grpc_call_details_destroy(&c->details);
    grpc_metadata_array_destroy(&c->metadata);
    if (c->call) {
        grpc_call_unref(c->call);
        count_call(c->server, -1);
    }
    pthread_mutex_destroy(&c->lock);
    cuzk_free(c->msg);
    cuzk_free(c);
}

void cuzk_rpc_release(rpc_call *c)
{
    pthread_mutex_lock(&c->lock);
    bool last = --c->refs == 0;
    pthread_mutex_unlock(&c->lock);
    if (last)
        call_free(c);
}

/* ---- answers ---- */

/* True for the one who is to send: the first answer to a client that is still there. */
static bool begin_answer(rpc_call *c)
{
    pthread_mutex_lock(&c->lock);
    CUZK_DASSERT(!c->answered);
    c->answered = true;
    c->gone_fn = NULL;
    bool send = !c->gone;
    pthread_mutex_unlock(&c->lock);
    return send;
}

static void send_answer(rpc_call *c, grpc_status_code code, grpc_slice *details)
{
    grpc_op op[3];
    size_t n = 0;
    memset(op, 0, sizeof op);
    op[n++].op = GRPC_OP_SEND_INITIAL_METADATA;
    if (c->response) {
        op[n].op = GRPC_OP_SEND_MESSAGE;
        op[n++].data.send_message.send_message = c->response;
    }
    op[n].op = GRPC_OP_SEND_STATUS_FROM_SERVER;
    op[n].data.send_status_from_server.status = code;
    op[n].data.send_status_from_server.trailing_metadata = c->trailer;
    op[n].data.send_status_from_server.trailing_metadata_count = c->n_trailer;
    op[n++].data.send_status_from_server.status_details = details;
    if (grpc_call_start_batch(c->call, op, n, &c->on_send, NULL) != GRPC_CALL_OK)
        cuzk_rpc_release(c);
}

void cuzk_rpc_reply(rpc_call *c, const uint8_t *msg, size_t n)
{
    c->response = cuzk_grpc_buffer_of(msg, n); /* first: the lock then publishes it */
    if (!begin_answer(c)) {
        cuzk_rpc_release(c);
        return;
    }
    send_answer(c, GRPC_STATUS_OK, NULL);
}

static void add_trailer(rpc_call *c, const char *key, const char *value)
{
    CUZK_DASSERT(c->n_trailer < MAX_TRAILER);
    grpc_metadata *m = &c->trailer[c->n_trailer++];
    m->key = grpc_slice_from_static_string(key);
    m->value = grpc_slice_from_static_string(value);
}

/* What a program needs to decide, in plain ASCII; status names are static. */
static void explain(rpc_call *c, cuzk_status st)
{
    add_trailer(c, "cuzk-reason", cuzk_status_name(st));
    add_trailer(c, "cuzk-retryable", cuzk_status_retryable(st) ? "true" : "false");
    if (cuzk_status_grpc_code(st) == GRPC_STATUS_RESOURCE_EXHAUSTED && cuzk_status_retryable(st))
        add_trailer(c, "grpc-retry-pushback-ms", RETRY_AFTER_MS);
}

void cuzk_rpc_fail(rpc_call *c, cuzk_status st, const char *message)
{
    if (!begin_answer(c)) {
        cuzk_rpc_release(c);
        return;
    }
    explain(c, st);
    grpc_slice details = grpc_slice_from_copied_string(message);
    send_answer(c, (grpc_status_code)cuzk_status_grpc_code(st), &details);
    grpc_slice_unref(details);
}

void cuzk_rpc_on_gone(rpc_call *c, rpc_gone_fn fn, void *ctx, uint64_t token)
{
    pthread_mutex_lock(&c->lock);
    bool now = c->gone && !c->answered;
    if (!c->gone && !c->answered) {
        c->gone_fn = fn;
        c->gone_ctx = ctx;
        c->gone_token = token;
    }
    pthread_mutex_unlock(&c->lock);
    if (now)
        fn(ctx, c, token);
}

/* ---- events ---- */

static rpc_call *call_new(rpc_server *s)
{
    rpc_call *c = cuzk_calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->server = s;
    c->refs = 1;
    pthread_mutex_init(&c->lock, NULL);
    grpc_call_details_init(&c->details);
    grpc_metadata_array_init(&c->metadata);
    c->on_new = (tag){TAG_NEW, c};
    c->on_recv = (tag){TAG_RECV, c};
    c->on_close = (tag){TAG_CLOSE, c};
    c->on_send = (tag){TAG_SEND, c};
    return c;
}

static bool is_stopping(rpc_server *s)
{
    pthread_mutex_lock(&s->lock);
    bool stopping = s->stopping;
    pthread_mutex_unlock(&s->lock);
    return stopping;
}

static void ask_for_call(rpc_server *s)
{
    if (is_stopping(s))
        return;
    rpc_call *c = call_new(s);
    if (!c) {
        cuzk_log(CUZK_LOG_ERROR, NULL, "rpc: out of memory, fewer calls are taken");
        return;
    }
    if (grpc_server_request_call(s->server, &c->call, &c->details, &c->metadata, s->cq, s->cq,
                                 &c->on_new) != GRPC_CALL_OK)
        cuzk_rpc_release(c);
}

static void handle_new(rpc_call *c, bool ok)
{
    if (!ok) { /* the server is shutting down */
        cuzk_rpc_release(c);
        return;
    }
    count_call(c->server, 1);
    ask_for_call(c->server);
    grpc_op op;
    memset(&op, 0, sizeof op);
    op.op = GRPC_OP_RECV_CLOSE_ON_SERVER;
    op.data.recv_close_on_server.cancelled = &c->cancelled;
    cuzk_rpc_hold(c);
    if (grpc_call_start_batch(c->call, &op, 1, &c->on_close, NULL) != GRPC_CALL_OK)
        cuzk_rpc_release(c);
    memset(&op, 0, sizeof op);
    op.op = GRPC_OP_RECV_MESSAGE;
    op.data.recv_message.recv_message = &c->request;
    if (grpc_call_start_batch(c->call, &op, 1, &c->on_recv, NULL) != GRPC_CALL_OK)
        cuzk_rpc_release(c);
}

static const rpc_method *find_method(const rpc_server *s, grpc_slice path)
{
    for (size_t i = 0; i < s->opt.n_methods; i++) {
        if (grpc_slice_str_cmp(path, s->opt.methods[i].path) == 0)
            return &s->opt.methods[i];
    }
    return NULL;
}

static void run_handler(void *arg)
{
    rpc_call *c = arg;
    cuzk_rpc_hold(c); /* msg is ours to free, whatever the handler did with the call */
    c->method->fn(c->server->opt.ctx, c, c->msg, c->n_msg);
    cuzk_free(c->msg);
    c->msg = NULL;
    cuzk_rpc_release(c);
}

static void fail_unknown(rpc_call *c)
{
    char text[300], path[200];
    size_t n = GRPC_SLICE_LENGTH(c->details.method);
    n = n < sizeof path ? n : sizeof path - 1;
    memcpy(path, GRPC_SLICE_START_PTR(c->details.method), n);
    path[n] = '\0';
    snprintf(text, sizeof text, "unknown method %s", path);
    cuzk_rpc_fail(c, CUZK_UNSUPPORTED, text);
}

/* Answers the call when its message cannot be handed to a handler. */
static bool take_message(rpc_call *c)
{
    if (!c->request) { /* libgrpc refuses what is too large itself, with size and limit */
        cuzk_rpc_fail(c, CUZK_INVAL, "the call carries no message");
        return false;
    }
    if (c->request->data.raw.compression != GRPC_COMPRESS_NONE) {
        cuzk_rpc_fail(c, CUZK_UNSUPPORTED, "compressed requests are not supported");
        return false;
    }
    c->msg = cuzk_grpc_flatten(c->request, &c->n_msg);
    grpc_byte_buffer_destroy(c->request);
    c->request = NULL;
    if (!c->msg)
        cuzk_rpc_fail(c, CUZK_NOMEM, "no memory for the request; try again later");
    return c->msg != NULL;
}

static void handle_recv(rpc_call *c)
{
    c->method = find_method(c->server, c->details.method);
    if (!c->method) {
        fail_unknown(c);
        return;
    }
    if (!take_message(c))
        return;
    lane *l = c->server->lane[c->method->lane];
    if (!l)
        run_handler(c);
    else if (!cuzk_lane_post(l, run_handler, c, c->n_msg))
        cuzk_rpc_fail(c, CUZK_BUDGET, "too many requests are being read; try again later");
}

static void handle_close(rpc_call *c)
{
    pthread_mutex_lock(&c->lock);
    rpc_gone_fn fn = c->gone_fn;
    c->gone = c->cancelled != 0;
    c->gone_fn = NULL;
    bool tell = c->gone && fn;
    pthread_mutex_unlock(&c->lock);
    if (tell)
        fn(c->gone_ctx, c, c->gone_token);
    cuzk_rpc_release(c);
}

static void handle_shutdown(rpc_server *s)
{
    pthread_mutex_lock(&s->lock);
    s->stopped = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void dispatch(tag *t, bool ok)
{
    switch (t->kind) {
    case TAG_NEW:
        handle_new(t->call, ok);
        break;
    case TAG_RECV:
        handle_recv(t->call);
        break;
    case TAG_CLOSE:
        handle_close(t->call);
        break;
    case TAG_SEND:
        cuzk_rpc_release(t->call);
        break;
    }
}

static void pull_events(rpc_server *s)
{
    for (;;) {
        grpc_event ev = grpc_completion_queue_next(s->cq, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
        if (ev.type == GRPC_QUEUE_SHUTDOWN)
            return;
        if (ev.type != GRPC_OP_COMPLETE)
            continue;
        if (ev.tag == &s->shutdown_tag)
            handle_shutdown(s);
        else
            dispatch(ev.tag, ev.success != 0);
    }
}

static void *network_main(void *arg)
{
    pthread_setname_np(pthread_self(), "cuzk-rpc");
    pull_events(arg);
    return NULL;
}

/* ---- life ---- */

static grpc_server *make_grpc_server(const rpc_server_options *opt)
{
    CUZK_DASSERT(opt->max_message_bytes <= INT32_MAX);
    grpc_resource_quota *quota = grpc_resource_quota_create("cuzk");
    grpc_resource_quota_resize(quota, READ_BUFFER_BYTES);
    grpc_arg arg[] = {
        cuzk_grpc_int_arg(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, (int)opt->max_message_bytes),
        cuzk_grpc_int_arg(GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, -1),
        cuzk_grpc_int_arg(GRPC_ARG_MAX_CONCURRENT_STREAMS, 1024),
        /* no decompression: a small message must not become a large one */
        cuzk_grpc_int_arg(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1),
        cuzk_grpc_int_arg(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0),
        /* requests have 51 MB: let 4 MiB of a stream be under way, more on a long way */
        cuzk_grpc_int_arg(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 4 << 20),
        /* two daemons must not share a port */
        cuzk_grpc_int_arg(GRPC_ARG_ALLOW_REUSEPORT, 0),
        cuzk_grpc_int_arg(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 10000),
        cuzk_grpc_int_arg(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1),
        cuzk_grpc_int_arg(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10000),
        cuzk_grpc_int_arg(GRPC_ARG_RESOURCE_QUOTA, 0),
    };
    size_t n = sizeof arg / sizeof arg[0];
    arg[n - 1].type = GRPC_ARG_POINTER;
    arg[n - 1].value.pointer.p = quota;
    arg[n - 1].value.pointer.vtable = grpc_resource_quota_arg_vtable();
    grpc_channel_args args = {n, arg};
    grpc_server *server = grpc_server_create(&args, NULL);
    grpc_resource_quota_unref(quota);
    return server;
}

static void init_locks(rpc_server *s)
{
    pthread_condattr_t mono;
    pthread_condattr_init(&mono);
    pthread_condattr_setclock(&mono, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, &mono);
    pthread_condattr_destroy(&mono);
}

cuzk_status cuzk_rpc_server_new(rpc_server **out, const rpc_server_options *opt, cuzk_err *err)
{
    CUZK_DASSERT(opt->size == sizeof *opt);
    rpc_server *s = cuzk_calloc(1, sizeof *s);
    if (!s)
        return cuzk_fail(err, CUZK_NOMEM, 0, "rpc: server");
    cuzk_grpc_init();
    s->opt = *opt;
    init_locks(s);
    s->cq = grpc_completion_queue_create_for_next(NULL);
    s->server = make_grpc_server(opt);
    grpc_server_register_completion_queue(s->server, s->cq, NULL);
    cuzk_status st;
    CUZK_TRY(cuzk_lane_new(&s->lane[RPC_DOOR], "cuzk-door", 2, 256, opt->max_door_bytes, err));
    CUZK_TRY(cuzk_lane_new(&s->lane[RPC_SLOW], "cuzk-slow", 1, 16, opt->max_door_bytes, err));
    *out = s;
    return CUZK_OK;
out:
    cuzk_rpc_server_free(s);
    return st;
}

/* Asks the kernel again, since libgrpc tells only that it failed. */
static int bind_errno(const rpc_address *a)
{
    struct addrinfo hints = {.ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM}, *ai = NULL;
    char port[8];
    int error = 0;
    snprintf(port, sizeof port, "%u", a->port);
    if (getaddrinfo(a->host, port, &hints, &ai) != 0)
        return EADDRNOTAVAIL;
    int one = 1, fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0) {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        if (bind(fd, ai->ai_addr, ai->ai_addrlen) != 0 || listen(fd, 1) != 0)
            error = errno;
        close(fd);
    }
    freeaddrinfo(ai);
    return error;
}

static int add_port(rpc_server *s, const rpc_address *a)
{
    grpc_server_credentials *creds = grpc_insecure_server_credentials_create();
    int port = grpc_server_add_http2_port(s->server, a->target, creds);
    grpc_server_credentials_release(creds);
    return port;
}

static cuzk_status listen_tcp(rpc_server *s, rpc_address *a, cuzk_err *err)
{
    if (!a->is_loopback && !s->opt.insecure)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "address %s can be reached from other machines, and there is no "
                         "authentication: listen on 127.0.0.1 or a unix socket, or allow it with "
                         "--insecure-listen",
                         a->text);
    int port = add_port(s, a);
    if (port <= 0)
        return cuzk_fail(err, CUZK_IO, bind_errno(a), "cannot listen on %s", a->text);
    cuzk_address_set_port(a, (unsigned)port);
    return CUZK_OK;
}

static cuzk_status listen_unix(rpc_server *s, const rpc_address *a, socket_claim *claim,
                               cuzk_err *err)
{
    cuzk_status st = cuzk_socket_claim_begin(claim, a->path, err);
    if (st != CUZK_OK)
        return st;
    /* bind makes the file with mode 0777 & ~umask; so it is 0600 from its first moment on */
    mode_t old = umask(0177);
    int port = add_port(s, a);
    umask(old);
    cuzk_socket_claim_bound(claim, port > 0);
    if (port <= 0)
        return cuzk_fail(err, CUZK_IO, 0, "cannot listen on %s: is its folder writable?", a->text);
    return CUZK_OK;
}

cuzk_status cuzk_rpc_server_listen(rpc_server *s, const char *address, cuzk_err *err)
{
    if (s->n_addresses == MAX_ADDRESSES)
        return cuzk_fail(err, CUZK_INVAL, 0, "at most %u listen addresses", MAX_ADDRESSES);
    rpc_address *a = &s->address[s->n_addresses];
    socket_claim *claim = &s->claim[s->n_addresses];
    claim->dir_fd = -1;
    cuzk_status st = cuzk_address_parse(a, address, err);
    if (st == CUZK_OK)
        st = a->is_unix ? listen_unix(s, a, claim, err) : listen_tcp(s, a, err);
    if (st == CUZK_OK)
        s->n_addresses++;
    return st;
}

const char *cuzk_rpc_server_address(const rpc_server *s, size_t i)
{
    return i < s->n_addresses ? s->address[i].text : NULL;
}

cuzk_status cuzk_rpc_server_start(rpc_server *s, cuzk_err *err)
{
    grpc_server_start(s->server);
    for (unsigned i = 0; i < N_PENDING_NEW; i++)
        ask_for_call(s);
    for (unsigned i = 0; i < N_THREADS; i++) {
        int rc = pthread_create(&s->thread[i], NULL, network_main, s);
        if (rc != 0)
            return cuzk_fail(err, CUZK_NOMEM, rc, "rpc: thread");
        s->n_threads++;
    }
    return CUZK_OK;
}

/* Waits until there are no calls, and (if wanted) libgrpc has stopped; false when ms pass first. */
static bool wait_for(rpc_server *s, bool stopped, unsigned ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    bool done = false, in_time = true;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        done = s->n_calls == 0 && (s->stopped || !stopped);
        if (done || !in_time)
            break;
        in_time = pthread_cond_timedwait(&s->changed, &s->lock, &t) == 0;
    }
    pthread_mutex_unlock(&s->lock);
    return done;
}

bool cuzk_rpc_server_stop(rpc_server *s, unsigned grace_ms)
{
    pthread_mutex_lock(&s->lock);
    bool first = !s->stopping;
    s->stopping = true;
    pthread_mutex_unlock(&s->lock);
    if (first)
        grpc_server_shutdown_and_notify(s->server, s->cq, &s->shutdown_tag);
    if (s->n_threads == 0)
        return true;
    wait_for(s, false, grace_ms);
    /* also closes connections whose clients do not react to the farewell */
    grpc_server_cancel_all_calls(s->server);
    return wait_for(s, true, CANCEL_MS);
}

void cuzk_rpc_server_remove_sockets(rpc_server *s)
{
    for (size_t i = 0; i < s->n_addresses; i++) {
        if (s->address[i].is_unix)
            cuzk_socket_claim_end(&s->claim[i]);
    }
}

/* Pulls the last events where no thread does: before start, or after a failed one. */
static void drain_queue(rpc_server *s)
{
    grpc_completion_queue_shutdown(s->cq);
    if (s->n_threads == 0)
        pull_events(s);
    for (unsigned i = 0; i < s->n_threads; i++)
        pthread_join(s->thread[i], NULL);
}

void cuzk_rpc_server_free(rpc_server *s)
{
    if (!s)
        return;
    while (!cuzk_rpc_server_stop(s, 0))
        cuzk_log(CUZK_LOG_WARN, NULL, "rpc: waiting for calls in progress");
    for (unsigned i = 0; i < RPC_LANE_COUNT; i++)
        cuzk_lane_free(s->lane[i]);
    drain_queue(s);
    cuzk_rpc_server_remove_sockets(s);
    grpc_server_destroy(s->server);
    grpc_completion_queue_destroy(s->cq);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    cuzk_free(s);
}

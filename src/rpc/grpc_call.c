/* Calls, and the events that move them. The life of a call:
 *
 *   NEW    libgrpc hands a call over; its method and its right to call are looked at; two batches
 *          start: CLOSE (fires when the call is over, for whatever reason) and RECV (the message)
 *   RECV   the handler runs, on this thread or in a lane, and owes an answer
 *   SEND   answered; metadata, message and status go out in one batch
 *
 * A stream sees RECV and SENT (a message went out) any number of times before SEND.
 *
 * References: CLOSE has one; the other passes from NEW to RECV to the handler to SEND. A stream has
 * one more in the server's list, from its first message until it has ended, which then goes to
 * SEND. Source of the batch rules: comments of grpc/grpc.h and grpc_types.h of libgrpc 1.51. */
#include <grpc/compression.h>
#include <grpc/slice.h>
#include <grpc/support/alloc.h>
#include <grpc/support/time.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/log.h"
#include "rpc/grpc_common.h"
#include "rpc/grpc_private.h"

/* After a limit was met. A job takes seconds to minutes, so sooner is no use. */
#define RETRY_AFTER_MS "2000"

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
    grpc_slice_unref(c->final_text);
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

static void add_trailer(rpc_call *c, const char *key, const char *value)
{
    CUZK_DASSERT(c->n_trailer < RPC_MAX_TRAILER);
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

/* The caller's reference goes to the event of these operations; none comes if they are refused. */
static void start(rpc_call *c, const grpc_op *op, size_t n, tag *event)
{
    if (grpc_call_start_batch(c->call, op, n, event, NULL) != GRPC_CALL_OK)
        cuzk_rpc_release(c);
}

/* The last batch of a call; the reference of the one who answers goes to it. */
static void send_last(rpc_call *c, grpc_status_code code, grpc_slice *details)
{
    grpc_op op[3];
    size_t n = 0;
    memset(op, 0, sizeof op);
    if (!c->headers_sent)
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
    start(c, op, n, &c->on_send);
}

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

void cuzk_rpc_reply(rpc_call *c, const uint8_t *msg, size_t n)
{
    c->response = cuzk_grpc_buffer_of(msg, n); /* first: the lock then publishes it */
    if (!begin_answer(c)) {
        cuzk_rpc_release(c);
        return;
    }
    send_last(c, GRPC_STATUS_OK, NULL);
}

static void end_stream(rpc_call *c, cuzk_status st, const char *message);

void cuzk_rpc_fail(rpc_call *c, cuzk_status st, const char *message)
{
    if (c->method && c->method->lane == RPC_STREAM) {
        end_stream(c, st, message);
        return;
    }
    if (!begin_answer(c)) {
        cuzk_rpc_release(c);
        return;
    }
    explain(c, st);
    grpc_slice details = grpc_slice_from_copied_string(message);
    send_last(c, (grpc_status_code)cuzk_status_grpc_code(st), &details);
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

uint64_t cuzk_rpc_time_left_ns(const rpc_call *c)
{
    gpr_timespec end = c->details.deadline;
    if (gpr_time_cmp(end, gpr_inf_future(end.clock_type)) == 0)
        return UINT64_MAX;
    gpr_timespec left = gpr_time_sub(end, gpr_now(end.clock_type));
    if (left.tv_sec < 0)
        return 0;
    if (left.tv_sec > 1000000000) /* 31 years */
        return UINT64_MAX;
    return (uint64_t)left.tv_sec * 1000000000u + (uint64_t)left.tv_nsec;
}

/* ---- streams ---- */

static bool list_stream(rpc_call *c)
{
    rpc_server *s = c->server;
    pthread_mutex_lock(&s->lock);
    bool ok = s->n_streams < RPC_MAX_STREAMS && !s->stopping;
    if (ok) {
        c->slot = s->n_streams;
        s->stream[s->n_streams++] = c;
        cuzk_rpc_hold(c);
    }
    pthread_mutex_unlock(&s->lock);
    return ok;
}

/* The reference of the list is the caller's then. */
static void unlist_stream(rpc_call *c)
{
    rpc_server *s = c->server;
    pthread_mutex_lock(&s->lock);
    rpc_call *last = s->stream[--s->n_streams];
    s->stream[c->slot] = last;
    last->slot = c->slot;
    pthread_mutex_unlock(&s->lock);
}

/* Sends the status, or leaves that to the message that is on its way. */
static void end_stream(rpc_call *c, cuzk_status st, const char *message)
{
    pthread_mutex_lock(&c->lock);
    bool first = !c->answered;
    c->answered = true;
    if (first && st != CUZK_OK)
        explain(c, st);
    if (first) {
        c->final_code = (grpc_status_code)cuzk_status_grpc_code(st);
        c->final_text = grpc_slice_from_copied_string(message);
    }
    bool now = first && !c->sending;
    bool gone = c->gone;
    c->finish_after_send = first && c->sending;
    pthread_mutex_unlock(&c->lock);
    if (!first)
        return;
    unlist_stream(c);
    if (now && gone)
        cuzk_rpc_release(c);
    else if (now)
        send_last(c, c->final_code, &c->final_text);
}

void cuzk_rpc_finish(rpc_call *c)
{
    end_stream(c, CUZK_OK, "");
}

static void read_next(rpc_call *c)
{
    grpc_op op;
    memset(&op, 0, sizeof op);
    op.op = GRPC_OP_RECV_MESSAGE;
    op.data.recv_message.recv_message = &c->request;
    cuzk_rpc_hold(c);
    start(c, &op, 1, &c->on_recv);
}

static void handle_sent(rpc_call *c)
{
    pthread_mutex_lock(&c->lock);
    grpc_byte_buffer_destroy(c->response);
    c->response = NULL;
    c->sending = false;
    bool read = c->read_after_send && !c->answered;
    bool finish = c->finish_after_send;
    c->read_after_send = false;
    pthread_mutex_unlock(&c->lock);
    if (read)
        read_next(c);
    if (finish)
        send_last(c, c->final_code, &c->final_text); /* with the list's reference */
    cuzk_rpc_release(c);
}

bool cuzk_rpc_send(rpc_call *c, const uint8_t *msg, size_t n)
{
    grpc_op op[2];
    size_t k = 0;
    memset(op, 0, sizeof op);
    pthread_mutex_lock(&c->lock);
    bool ok = !c->sending && !c->answered && !c->gone;
    if (ok) {
        c->sending = true;
        c->refs++; /* for SENT */
        c->response = cuzk_grpc_buffer_of(msg, n);
        if (!c->headers_sent)
            op[k++].op = GRPC_OP_SEND_INITIAL_METADATA;
        c->headers_sent = true;
    }
    pthread_mutex_unlock(&c->lock);
    if (!ok)
        return false;
    op[k].op = GRPC_OP_SEND_MESSAGE;
    op[k++].data.send_message.send_message = c->response;
    bool started = grpc_call_start_batch(c->call, op, k, &c->on_sent, NULL) == GRPC_CALL_OK;
    if (!started)
        handle_sent(c);
    return started;
}

int cuzk_rpc_note(rpc_call *c)
{
    pthread_mutex_lock(&c->lock);
    int note = c->note;
    pthread_mutex_unlock(&c->lock);
    return note;
}

void cuzk_rpc_set_note(rpc_call *c, int note)
{
    pthread_mutex_lock(&c->lock);
    c->note = note;
    pthread_mutex_unlock(&c->lock);
}

/* Copies the list with a reference each, since handlers may end streams. */
static size_t hold_streams(rpc_server *s, rpc_call *out[RPC_MAX_STREAMS])
{
    pthread_mutex_lock(&s->lock);
    size_t n = s->n_streams;
    for (size_t i = 0; i < n; i++) {
        out[i] = s->stream[i];
        cuzk_rpc_hold(out[i]);
    }
    pthread_mutex_unlock(&s->lock);
    return n;
}

void cuzk_rpc_end_streams(rpc_server *s)
{
    rpc_call *c[RPC_MAX_STREAMS];
    size_t n = hold_streams(s, c);
    for (size_t i = 0; i < n; i++) {
        end_stream(c[i], CUZK_UNAVAILABLE, "the daemon is ending");
        cuzk_rpc_release(c[i]);
    }
}

/* ---- requests that are arriving ---- */

static void begin_reading(rpc_call *c)
{
    rpc_server *s = c->server;
    pthread_mutex_lock(&s->lock);
    c->read_end_ns = cuzk_now_ns() + (uint64_t)s->opt.read_timeout_s * 1000000000u;
    c->next = s->reading;
    c->link = &s->reading;
    if (c->next)
        c->next->link = &c->next;
    s->reading = c;
    pthread_mutex_unlock(&s->lock);
}

static void end_reading(rpc_call *c)
{
    pthread_mutex_lock(&c->server->lock);
    if (c->link) {
        *c->link = c->next;
        if (c->next)
            c->next->link = c->link;
        c->link = NULL;
    }
    pthread_mutex_unlock(&c->server->lock);
}

/* Those whose time is over, with a reference each; the rest in the next tick. */
static size_t slow_calls(rpc_server *s, uint64_t now, rpc_call *out[RPC_MAX_STREAMS])
{
    size_t n = 0;
    for (rpc_call *c = s->reading; c && n < RPC_MAX_STREAMS; c = c->next) {
        if (now < c->read_end_ns)
            continue;
        c->read_end_ns = UINT64_MAX;
        cuzk_rpc_hold(c);
        out[n++] = c;
    }
    return n;
}

/* RECV then comes without a message, which ends the call. */
static void cancel_slow(rpc_call *c[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        grpc_call_cancel_with_status(c[i]->call, GRPC_STATUS_DEADLINE_EXCEEDED,
                                     "the request did not arrive in time", NULL);
        cuzk_rpc_release(c[i]);
    }
}

static void tick(rpc_server *s)
{
    rpc_call *c[RPC_MAX_STREAMS];
    uint64_t now = cuzk_now_ns();
    pthread_mutex_lock(&s->lock);
    bool due = now - s->tick_ns >= RPC_TICK_NS;
    size_t n = due ? slow_calls(s, now, c) : 0;
    if (due)
        s->tick_ns = now;
    pthread_mutex_unlock(&s->lock);
    cancel_slow(c, n);
    n = due ? hold_streams(s, c) : 0;
    for (size_t i = 0; i < n; i++) {
        if (c[i]->method->tick)
            c[i]->method->tick(s->opt.ctx, c[i]);
        cuzk_rpc_release(c[i]);
    }
}

/* The reference of RECV is given back here, the list's by whoever ends the stream. */
static void stream_message(rpc_call *c)
{
    uint8_t *msg = NULL;
    size_t n = 0;
    bool last = !c->request;
    if (!last) {
        bool plain = c->request->data.raw.compression == GRPC_COMPRESS_NONE;
        msg = plain ? cuzk_grpc_flatten(c->request, &n) : NULL;
        grpc_byte_buffer_destroy(c->request);
        c->request = NULL;
    }
    if (!last && !msg)
        end_stream(c, CUZK_UNSUPPORTED, "compressed requests are not supported");
    else
        c->method->fn(c->server->opt.ctx, c, msg, n);
    cuzk_free(msg);
    pthread_mutex_lock(&c->lock);
    bool read = !last && !c->sending && !c->answered;
    c->read_after_send = !last && c->sending && !c->answered;
    pthread_mutex_unlock(&c->lock);
    if (read)
        read_next(c);
    cuzk_rpc_release(c);
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
    c->on_sent = (tag){TAG_SENT, c};
    c->final_text = grpc_empty_slice();
    return c;
}

static bool is_stopping(rpc_server *s)
{
    pthread_mutex_lock(&s->lock);
    bool stopping = s->stopping;
    pthread_mutex_unlock(&s->lock);
    return stopping;
}

void cuzk_rpc_ask_for_call(rpc_server *s)
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

static const rpc_method *find_method(const rpc_server *s, grpc_slice path)
{
    for (size_t i = 0; i < s->opt.n_methods; i++) {
        if (grpc_slice_str_cmp(path, s->opt.methods[i].path) == 0)
            return &s->opt.methods[i];
    }
    return NULL;
}

static bool is_unix_peer(rpc_call *c)
{
    char *peer = grpc_call_get_peer(c->call);
    bool is_unix = peer && strncmp(peer, "unix:", 5) == 0;
    gpr_free(peer);
    return is_unix;
}

/* A unix socket's file has mode 0600, so its peers are this user or root. */
static bool may_call(rpc_call *c)
{
    if (!c->server->token[0] || is_unix_peer(c))
        return true;
    for (size_t i = 0; i < c->metadata.count; i++) {
        const grpc_metadata *m = &c->metadata.metadata[i];
        if (grpc_slice_str_cmp(m->key, "authorization") == 0)
            return cuzk_rpc_token_equal(c->server->token, GRPC_SLICE_START_PTR(m->value),
                                        GRPC_SLICE_LENGTH(m->value));
    }
    return false;
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

static void watch_close(rpc_call *c)
{
    grpc_op op;
    memset(&op, 0, sizeof op);
    op.op = GRPC_OP_RECV_CLOSE_ON_SERVER;
    op.data.recv_close_on_server.cancelled = &c->cancelled;
    cuzk_rpc_hold(c);
    start(c, &op, 1, &c->on_close);
}

/* Answers before any byte of the message is read: who may not call, and what is not there. */
static bool refuse(rpc_call *c)
{
    const rpc_method *m = find_method(c->server, c->details.method);
    if (!may_call(c)) {
        cuzk_rpc_fail(c, CUZK_UNAUTHENTICATED,
                      "this daemon wants the metadata \"authorization: Bearer TOKEN\"");
        return true;
    }
    if (!m) {
        fail_unknown(c);
        return true;
    }
    c->method = m;
    if (m->lane == RPC_STREAM && !list_stream(c)) {
        c->method = NULL; /* answered like a unary call */
        cuzk_rpc_fail(c, CUZK_BUDGET, "too many streams are open; try again later");
        return true;
    }
    return false;
}

static void handle_new(rpc_call *c, bool ok)
{
    if (!ok) { /* the server is shutting down */
        cuzk_rpc_release(c);
        return;
    }
    pthread_mutex_lock(&c->server->lock);
    c->server->n_calls++;
    pthread_mutex_unlock(&c->server->lock);
    cuzk_rpc_ask_for_call(c->server);
    bool refused = refuse(c);
    if (!refused)
        watch_close(c);
    if (refused)
        return;
    if (c->method->lane != RPC_STREAM)
        begin_reading(c);
    read_next(c);
    cuzk_rpc_release(c); /* NEW's; RECV has its own */
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
    c->msg = cuzk_grpc_take(c->request, &c->n_msg);
    grpc_byte_buffer_destroy(c->request);
    c->request = NULL;
    if (!c->msg)
        cuzk_rpc_fail(c, CUZK_NOMEM, "no memory for the request; try again later");
    return c->msg != NULL;
}

/* Written by the thread that took the call, before watch_close; libgrpc hands the call over, and
 * the lock shows it to ThreadSanitizer, which does not see into libgrpc. */
static const rpc_method *method_of(rpc_call *c)
{
    pthread_mutex_lock(&c->lock);
    const rpc_method *m = c->method;
    pthread_mutex_unlock(&c->lock);
    return m;
}

static void handle_recv(rpc_call *c)
{
    const rpc_method *m = method_of(c);
    if (m->lane == RPC_STREAM) {
        stream_message(c);
        return;
    }
    end_reading(c);
    if (!take_message(c))
        return;
    lane *l = c->server->lane[m->lane];
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
    bool gone = c->gone, tell = gone && fn;
    pthread_mutex_unlock(&c->lock);
    if (tell)
        fn(c->gone_ctx, c, c->gone_token);
    if (gone && c->method->lane == RPC_STREAM)
        end_stream(c, CUZK_CANCELLED, "client has gone");
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
    case TAG_SENT:
        handle_sent(t->call);
        break;
    }
}

static gpr_timespec next_wake(rpc_server *s)
{
    pthread_mutex_lock(&s->lock);
    bool watch = s->n_streams > 0 || s->reading;
    pthread_mutex_unlock(&s->lock);
    if (!watch)
        return gpr_inf_future(GPR_CLOCK_MONOTONIC);
    return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                        gpr_time_from_nanos(RPC_TICK_NS, GPR_TIMESPAN));
}

void cuzk_rpc_pull_events(rpc_server *s)
{
    for (;;) {
        grpc_event ev = grpc_completion_queue_next(s->cq, next_wake(s), NULL);
        if (ev.type == GRPC_QUEUE_SHUTDOWN)
            return;
        if (ev.type == GRPC_OP_COMPLETE && ev.tag == &s->shutdown_tag)
            handle_shutdown(s);
        else if (ev.type == GRPC_OP_COMPLETE)
            dispatch(ev.tag, ev.success != 0);
        tick(s);
    }
}

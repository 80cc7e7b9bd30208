#include "rpc/grpc_client.h"

#include <grpc/grpc_security.h>
#include <grpc/slice.h>
#include <grpc/support/alloc.h>
#include <grpc/support/time.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "rpc/grpc_common.h"
#include "rpc/listen_address.h"

#define MAX_RESPONSE_BYTES ((int)(256u << 20))

struct rpc_channel {
    grpc_channel *channel;
    rpc_address address;
    char token[RPC_TOKEN_MAX + 8]; /* "" or the value of "authorization" */
};

static gpr_timespec deadline_of(uint64_t ms)
{
    if (ms == 0 || ms > INT64_MAX / 2)
        return gpr_inf_future(GPR_CLOCK_MONOTONIC);
    return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                        gpr_time_from_millis((int64_t)ms, GPR_TIMESPAN));
}

static void close_queue(grpc_completion_queue *cq)
{
    grpc_completion_queue_shutdown(cq);
    while (grpc_completion_queue_next(cq, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type !=
           GRPC_QUEUE_SHUTDOWN)
        continue;
    grpc_completion_queue_destroy(cq);
}

static cuzk_status no_daemon(const rpc_channel *c, cuzk_err *err)
{
    return cuzk_fail(err, CUZK_UNAVAILABLE, 0, "no daemon at %s: start it with `cuzk serve`",
                     c->address.text);
}

/* Waits for a state that decides: connected, or failed for the first time. */
static cuzk_status wait_ready(const rpc_channel *c, uint64_t timeout_ms, cuzk_err *err)
{
    grpc_completion_queue *cq = grpc_completion_queue_create_for_next(NULL);
    gpr_timespec deadline = deadline_of(timeout_ms);
    grpc_connectivity_state state = grpc_channel_check_connectivity_state(c->channel, 1);
    bool in_time = true;
    while (in_time && state != GRPC_CHANNEL_READY && state != GRPC_CHANNEL_TRANSIENT_FAILURE &&
           state != GRPC_CHANNEL_SHUTDOWN) {
        grpc_channel_watch_connectivity_state(c->channel, state, deadline, cq, NULL);
        grpc_event ev = grpc_completion_queue_next(cq, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
        in_time = ev.success != 0;
        state = grpc_channel_check_connectivity_state(c->channel, 1);
    }
    close_queue(cq);
    return state == GRPC_CHANNEL_READY ? CUZK_OK : no_daemon(c, err);
}

static grpc_channel *make_channel(const rpc_address *a, grpc_channel_credentials *creds)
{
    grpc_arg arg[] = {
        cuzk_grpc_int_arg(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, MAX_RESPONSE_BYTES),
        cuzk_grpc_int_arg(GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, -1),
        cuzk_grpc_int_arg(GRPC_ARG_ENABLE_RETRIES, 0), /* the caller decides about retries */
        cuzk_grpc_int_arg(GRPC_ARG_ENABLE_HTTP_PROXY, 0),
        cuzk_grpc_int_arg(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1),
    };
    grpc_channel_args args = {sizeof arg / sizeof arg[0], arg};
    return grpc_channel_create(a->target, creds, &args);
}

cuzk_status cuzk_rpc_channel_open(rpc_channel **out, const rpc_channel_options *opt, cuzk_err *err)
{
    cuzk_status st;
    grpc_channel_credentials *creds = NULL;
    rpc_channel *c = cuzk_calloc(1, sizeof *c);
    if (!c)
        return cuzk_fail(err, CUZK_NOMEM, 0, "client");
    cuzk_grpc_init();
    CUZK_TRY(cuzk_address_parse(&c->address, opt->address, err));
    if (opt->token_file)
        CUZK_TRY(cuzk_rpc_read_token(c->token, opt->token_file, err));
    CUZK_TRY(cuzk_rpc_channel_credentials(&creds, &opt->tls, err));
    c->channel = make_channel(&c->address, creds);
    CUZK_TRY(wait_ready(c, opt->timeout_ms, err));
    *out = c;
    c = NULL;
out:
    if (creds)
        grpc_channel_credentials_release(creds);
    cuzk_rpc_channel_close(c);
    return st;
}

void cuzk_rpc_channel_close(rpc_channel *c)
{
    if (!c)
        return;
    if (c->channel)
        grpc_channel_destroy(c->channel);
    cuzk_wipe(c->token, sizeof c->token);
    cuzk_free(c);
}

/* ---- one call ---- */

typedef struct {
    grpc_call *call;
    grpc_byte_buffer *request, *response;
    grpc_metadata_array initial, trailing;
    grpc_status_code code;
    grpc_slice details;
    const char *error_string;
    grpc_metadata token;
    size_t n_token;
} unary;

static bool run_batch(unary *u, grpc_completion_queue *cq)
{
    grpc_op op[6];
    memset(op, 0, sizeof op);
    op[0].op = GRPC_OP_SEND_INITIAL_METADATA;
    op[0].data.send_initial_metadata.metadata = &u->token;
    op[0].data.send_initial_metadata.count = u->n_token;
    op[1].op = GRPC_OP_SEND_MESSAGE;
    op[1].data.send_message.send_message = u->request;
    op[2].op = GRPC_OP_SEND_CLOSE_FROM_CLIENT;
    op[3].op = GRPC_OP_RECV_INITIAL_METADATA;
    op[3].data.recv_initial_metadata.recv_initial_metadata = &u->initial;
    op[4].op = GRPC_OP_RECV_MESSAGE;
    op[4].data.recv_message.recv_message = &u->response;
    op[5].op = GRPC_OP_RECV_STATUS_ON_CLIENT;
    op[5].data.recv_status_on_client.trailing_metadata = &u->trailing;
    op[5].data.recv_status_on_client.status = &u->code;
    op[5].data.recv_status_on_client.status_details = &u->details;
    op[5].data.recv_status_on_client.error_string = &u->error_string;
    if (grpc_call_start_batch(u->call, op, 6, u, NULL) != GRPC_CALL_OK)
        return false;
    grpc_completion_queue_next(cq, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    return true;
}

/* A daemon of ours names the status in a trailer. */
static cuzk_status status_named(const grpc_metadata_array *trailing)
{
    for (size_t i = 0; i < trailing->count; i++) {
        const grpc_metadata *m = &trailing->metadata[i];
        if (grpc_slice_str_cmp(m->key, "cuzk-reason") != 0)
            continue;
        for (int st = CUZK_OK + 1; st < CUZK_STATUS_COUNT; st++) {
            if (grpc_slice_str_cmp(m->value, cuzk_status_name((cuzk_status)st)) == 0)
                return (cuzk_status)st;
        }
    }
    return CUZK_OK;
}

/* Otherwise the first status with the gRPC code, which is the general one. */
static cuzk_status status_of(grpc_status_code code, const grpc_metadata_array *trailing)
{
    cuzk_status named = status_named(trailing);
    if (named != CUZK_OK)
        return named;
    if (code == GRPC_STATUS_RESOURCE_EXHAUSTED)
        return CUZK_BUDGET;
    for (int st = 0; st < CUZK_STATUS_COUNT; st++) {
        if (cuzk_status_grpc_code((cuzk_status)st) == (int)code)
            return (cuzk_status)st;
    }
    return CUZK_INTERNAL;
}

static cuzk_status take_status(const rpc_channel *c, const unary *u, cuzk_err *err)
{
    if (u->code == GRPC_STATUS_OK)
        return CUZK_OK;
    char text[400];
    size_t n = GRPC_SLICE_LENGTH(u->details);
    n = n < sizeof text ? n : sizeof text - 1;
    memcpy(text, GRPC_SLICE_START_PTR(u->details), n);
    text[n] = '\0';
    return cuzk_fail(err, status_of(u->code, &u->trailing), 0, "daemon at %s: %s", c->address.text,
                     text);
}

static cuzk_status take_response(const unary *u, uint8_t **response, size_t *n, cuzk_err *err)
{
    if (!u->response)
        return cuzk_fail(err, CUZK_INTERNAL, 0, "daemon: answer without a message");
    *response = cuzk_grpc_flatten(u->response, n);
    return *response ? CUZK_OK : cuzk_fail(err, CUZK_NOMEM, 0, "answer of the daemon");
}

static void unary_fini(unary *u)
{
    if (u->request)
        grpc_byte_buffer_destroy(u->request);
    if (u->response)
        grpc_byte_buffer_destroy(u->response);
    grpc_metadata_array_destroy(&u->initial);
    grpc_metadata_array_destroy(&u->trailing);
    grpc_slice_unref(u->details);
    union {
        const char *in;
        char *out;
    } e = {u->error_string};
    gpr_free(e.out);
    grpc_call_unref(u->call);
}

cuzk_status cuzk_rpc_unary(rpc_channel *c, const char *path, const uint8_t *request, size_t n,
                           uint64_t deadline_ms, uint8_t **response, size_t *n_response,
                           cuzk_err *err)
{
    unary u;
    memset(&u, 0, sizeof u);
    grpc_completion_queue *cq = grpc_completion_queue_create_for_next(NULL);
    u.call = grpc_channel_create_call(c->channel, NULL, GRPC_PROPAGATE_DEFAULTS, cq,
                                      grpc_slice_from_static_string(path), NULL,
                                      deadline_of(deadline_ms), NULL);
    u.request = cuzk_grpc_buffer_of(request, n);
    u.details = grpc_empty_slice();
    if (c->token[0]) {
        u.token.key = grpc_slice_from_static_string("authorization");
        u.token.value = grpc_slice_from_static_buffer(c->token, strlen(c->token));
        u.n_token = 1;
    }
    grpc_metadata_array_init(&u.initial);
    grpc_metadata_array_init(&u.trailing);
    cuzk_status st = CUZK_OK;
    if (!run_batch(&u, cq))
        st = cuzk_fail(err, CUZK_INTERNAL, 0, "client: libgrpc refuses the call");
    if (st == CUZK_OK)
        st = take_status(c, &u, err);
    if (st == CUZK_OK)
        st = take_response(&u, response, n_response, err);
    unary_fini(&u);
    close_queue(cq);
    return st;
}

/* The server's life: one completion queue, a few network threads that pull events from it
 * (grpc_call.c), lanes for slow handlers, addresses. */
#include "rpc/grpc_server.h"

#include <errno.h>
#include <grpc/grpc_security.h>
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
#include "rpc/grpc_private.h"

#define N_PENDING_NEW 8u /* calls that libgrpc may hand over before we ask again */
#define CANCEL_MS     5000u

/* Request bytes that libgrpc itself may hold while messages arrive; beyond, it reads no further. */
#define READ_BUFFER_BYTES ((size_t)2 << 30)

static void *network_main(void *arg)
{
    pthread_setname_np(pthread_self(), "cuzk-rpc");
    cuzk_rpc_pull_events(arg);
    return NULL;
}

static grpc_server *make_grpc_server(const rpc_server_options *opt)
{
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
        /* a peer that has vanished without a word is found out within minutes */
        cuzk_grpc_int_arg(GRPC_ARG_KEEPALIVE_TIME_MS, 120000),
        cuzk_grpc_int_arg(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 30000),
        cuzk_grpc_int_arg(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1),
        cuzk_grpc_int_arg(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 3600000),
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
    if (opt->max_message_bytes == 0 || opt->max_message_bytes > INT32_MAX)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "message limit of %zu bytes: 1 to 2147483647 are possible",
                         opt->max_message_bytes);
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
    if (opt->token_file)
        CUZK_TRY(cuzk_rpc_read_token(s->token, opt->token_file, err));
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

static cuzk_status add_port(rpc_server *s, const rpc_address *a, const rpc_tls_files *tls,
                            int *port, cuzk_err *err)
{
    grpc_server_credentials *creds = NULL;
    cuzk_status st = cuzk_rpc_server_credentials(&creds, tls, err);
    if (st != CUZK_OK)
        return st;
    *port = grpc_server_add_http2_port(s->server, a->target, creds);
    grpc_server_credentials_release(creds);
    return CUZK_OK;
}

static cuzk_status listen_tcp(rpc_server *s, rpc_address *a, cuzk_err *err)
{
    int port = 0;
    const rpc_server_options *o = &s->opt;
    if (!a->is_loopback && !o->insecure && !o->tls.cert && !s->token[0])
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "address %s can be reached from other machines, and nothing says who may "
                         "call: give a certificate (TLS) or a token, listen on 127.0.0.1 or a unix "
                         "socket, or allow it with --insecure-listen",
                         a->text);
    cuzk_status st = add_port(s, a, &o->tls, &port, err);
    if (st != CUZK_OK)
        return st;
    if (port <= 0) {
        int sys = bind_errno(a);
        if (sys == 0 && o->tls.cert)
            return cuzk_fail(err, CUZK_INVAL, 0, "TLS: %s and %s are no certificate and its key",
                             o->tls.cert, o->tls.key);
        return cuzk_fail(err, CUZK_IO, sys, "cannot listen on %s", a->text);
    }
    cuzk_address_set_port(a, (unsigned)port);
    return CUZK_OK;
}

static cuzk_status listen_unix(rpc_server *s, const rpc_address *a, socket_claim *claim,
                               cuzk_err *err)
{
    cuzk_status st = cuzk_socket_claim_begin(claim, a->path, err);
    if (st != CUZK_OK)
        return st;
    /* bind makes the file with mode 0777 & ~umask; so its mode is right from its first moment on */
    int port = 0;
    mode_t old = umask(0777 & ~(mode_t)s->opt.socket_mode);
    st = add_port(s, a, &(rpc_tls_files){NULL, NULL, NULL}, &port, err);
    umask(old);
    cuzk_socket_claim_bound(claim, port > 0);
    if (st != CUZK_OK)
        return st;
    if (port <= 0)
        return cuzk_fail(err, CUZK_IO, 0, "cannot listen on %s: is its folder writable?", a->text);
    return CUZK_OK;
}

cuzk_status cuzk_rpc_server_listen(rpc_server *s, const char *address, cuzk_err *err)
{
    if (s->n_addresses == RPC_MAX_ADDRESSES)
        return cuzk_fail(err, CUZK_INVAL, 0, "at most %u listen addresses", RPC_MAX_ADDRESSES);
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
        cuzk_rpc_ask_for_call(s);
    for (unsigned i = 0; i < RPC_N_THREADS; i++) {
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
    cuzk_rpc_end_streams(s); /* they would not end by themselves */
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
        cuzk_rpc_pull_events(s);
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
    cuzk_wipe(s->token, sizeof s->token);
    cuzk_free(s);
}

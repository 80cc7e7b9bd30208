/* Start, wait for a signal, end:
 *
 *   signal      no more jobs are taken; waiting ones are answered UNAVAILABLE
 *   grace_s     the running job may finish and its proof be delivered; status is still answered
 *   stop_s      it is told to stop; it looks at that between phases
 *   at last     those who wait for it are answered UNAVAILABLE, and the process ends without it
 *   2nd signal  the process ends at once
 *
 * SIGHUP at any time: the log's settings are read again and its file is opened anew. A service
 * manager is told about all this, and that the engine still answers (sd_notify.h).
 */
#include "rpc/daemon_loop.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/log.h"
#include "rpc/daemon_watch.h"
#include "rpc/grpc_server.h"
#include "rpc/sd_notify.h"
#include "rpc/service.h"

#define SECOND_NS ((uint64_t)1000000000)
#define SEND_MS   5000u /* for last answers to reach their clients */

typedef struct {
    const cuzk_daemon_options *opt;
    engine *engine;
    rpc_server *server;
    daemon_watch watch;
    int signal_fd, idle_fd;
    uint64_t ping_ns, next_ping_ns; /* for the service manager's watchdog; ping_ns 0: none */
    uint64_t next_word_ns;          /* about loading; 0: loading is over */
} daemon_state;

void cuzk_daemon_block_signals(sigset_t *blocked)
{
    sigemptyset(blocked);
    sigaddset(blocked, SIGTERM);
    sigaddset(blocked, SIGINT);
    sigaddset(blocked, SIGHUP);
    pthread_sigmask(SIG_BLOCK, blocked, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static void tell_idle(void *ctx)
{
    const daemon_state *d = ctx;
    uint64_t one = 1;
    ssize_t ignored = write(d->idle_fd, &one, sizeof one); /* cannot fail below 2^64 - 1 calls */
    (void)ignored;
}

static cuzk_status make_engine(daemon_state *d, const cuzk_daemon_options *opt,
                               const engine_backend *backend, cuzk_err *err)
{
    engine_options eo = ENGINE_OPTIONS_DEFAULTS;
    eo.max_jobs = opt->max_jobs;
    eo.max_bytes = opt->max_bytes;
    eo.max_results = opt->max_results;
    eo.result_ttl_ns = (uint64_t)opt->result_ttl_s * 1000000000u;
    eo.ageing_ns = opt->ageing_ms * 1000000u;
    eo.stall_ns = opt->stall_ms * 1000000u;
    eo.on_idle = tell_idle;
    eo.on_idle_ctx = d;
    return cuzk_engine_new(&d->engine, &eo, backend, err);
}

static cuzk_status make_server(daemon_state *d, const cuzk_daemon_options *opt, cuzk_err *err)
{
    static const char *const default_address[] = {CUZK_DEFAULT_ADDRESS};
    const char *const *address = opt->n_listen ? opt->listen : default_address;
    size_t n = opt->n_listen ? opt->n_listen : 1;
    rpc_server_options so = RPC_SERVER_DEFAULTS;
    so.methods = cuzk_service_methods;
    so.n_methods = cuzk_service_n_methods;
    so.ctx = d->engine;
    so.insecure = opt->insecure;
    so.tls = (rpc_tls_files){opt->tls_client_ca, opt->tls_cert, opt->tls_key};
    so.token_file = opt->token_file;
    so.max_message_bytes = opt->max_message_bytes;
    so.socket_mode = opt->socket_mode;
    cuzk_status st = cuzk_rpc_server_new(&d->server, &so, err);
    for (size_t i = 0; st == CUZK_OK && i < n; i++)
        st = cuzk_rpc_server_listen(d->server, address[i], err);
    if (st == CUZK_OK)
        st = cuzk_rpc_server_start(d->server, err);
    for (size_t i = 0; st == CUZK_OK && i < n; i++)
        cuzk_log(CUZK_LOG_INFO, NULL, "listening on %s", cuzk_rpc_server_address(d->server, i));
    return st;
}

static cuzk_status open_files(daemon_state *d, const sigset_t *signals, cuzk_err *err)
{
    d->signal_fd = signalfd(-1, signals, SFD_CLOEXEC);
    d->idle_fd = eventfd(0, EFD_CLOEXEC);
    if (d->signal_fd < 0 || d->idle_fd < 0)
        return cuzk_fail(err, CUZK_IO, errno, "daemon: signal or event descriptor");
    return CUZK_OK;
}

/* ---- log and service manager ---- */

static cuzk_status apply_log(const cuzk_log_options *log, cuzk_err *err)
{
    cuzk_status st = cuzk_log_open(log->file, err);
    if (st != CUZK_OK)
        return st;
    cuzk_log_set_format(log->format);
    if (log->level >= 0)
        cuzk_log_set_level((log_level)log->level);
    return CUZK_OK;
}

cuzk_status cuzk_daemon_open_log(const cuzk_daemon_options *opt, cuzk_err *err)
{
    cuzk_status st = apply_log(&opt->log, err);
    for (size_t i = 0; st == CUZK_OK && i < opt->n_notes; i++)
        cuzk_log(opt->notes[i].is_warning ? CUZK_LOG_WARN : CUZK_LOG_INFO, NULL, "%s",
                 opt->notes[i].text);
    return st;
}

/* What cannot be had stays as it was. */
static void hang_up(const daemon_state *d)
{
    cuzk_err err = {0};
    cuzk_log_options log = d->opt->log;
    cuzk_status st = d->opt->reload ? d->opt->reload(d->opt->reload_ctx, &log, &err) : CUZK_OK;
    if (st == CUZK_OK)
        st = apply_log(&log, &err);
    if (st == CUZK_OK)
        cuzk_log(CUZK_LOG_INFO, NULL, "SIGHUP: log opened anew, its settings read again");
    else
        cuzk_log(CUZK_LOG_WARN, NULL, "SIGHUP: the log stays as it was: %s", err.msg);
}

/* The engine is asked for its numbers first: if its lock is stuck, so are we, and no word goes
 * out. */
static void ping(daemon_state *d)
{
    engine_stats stats;
    if (d->ping_ns == 0 || cuzk_now_ns() < d->next_ping_ns)
        return;
    if (d->engine)
        cuzk_engine_stats(d->engine, &stats);
    cuzk_sd_notify("WATCHDOG=1");
    d->next_ping_ns = cuzk_now_ns() + d->ping_ns;
}

/* Once a second while parameters are loaded, and once when they are there. */
static void tell_loading(daemon_state *d)
{
    cuzk_preload_report r = {0};
    if (d->next_word_ns == 0 || cuzk_now_ns() < d->next_word_ns)
        return;
    cuzk_engine_preload_report(d->engine, &r);
    bool over = r.n_done >= r.n_all;
    if (over)
        cuzk_sd_notify("STATUS=serving");
    else
        cuzk_sd_notify("STATUS=serving; loading parameters of %s: %u %%", r.circuit, r.percent);
    d->next_word_ns = over ? 0 : cuzk_now_ns() + SECOND_NS;
}

static void tell_ready(daemon_state *d)
{
    d->ping_ns = cuzk_sd_watchdog_ms() * 1000000u;
    cuzk_sd_notify("READY=1\nSTATUS=serving");
    d->next_word_ns = d->opt->n_preload ? cuzk_now_ns() : 0;
}

static void tell_stopping(daemon_state *d)
{
    d->next_word_ns = 0;
    unsigned long long s = (unsigned long long)d->opt->grace_s + d->opt->stop_s + 30;
    cuzk_sd_notify("STOPPING=1\nSTATUS=finishing running jobs\nEXTEND_TIMEOUT_USEC=%llu",
                   s * 1000000u);
}

/* ---- waiting ---- */

typedef enum { WOKE_TIMEOUT, WOKE_SIGNAL, WOKE_IDLE } wake;

/* True when it is one that ends the daemon. */
static bool take_signal(const daemon_state *d)
{
    struct signalfd_siginfo info;
    if (read(d->signal_fd, &info, sizeof info) != sizeof info)
        return false;
    if (info.ssi_signo == SIGHUP) {
        hang_up(d);
        return false;
    }
    cuzk_log(CUZK_LOG_INFO, NULL, "received %s", info.ssi_signo == SIGINT ? "SIGINT" : "SIGTERM");
    return true;
}

/* Milliseconds for poll until end_ns (UINT64_MAX: never) or the next word to the service manager,
 * rounded up. */
static int poll_ms(const daemon_state *d, uint64_t end_ns)
{
    uint64_t now = cuzk_now_ns();
    if (d->ping_ns && d->next_ping_ns < end_ns)
        end_ns = d->next_ping_ns;
    if (d->next_word_ns && d->next_word_ns < end_ns)
        end_ns = d->next_word_ns;
    if (end_ns == UINT64_MAX)
        return -1;
    uint64_t ms = end_ns > now ? (end_ns - now + 999999u) / 1000000u : 0;
    return (int)(ms < 3600000u ? ms : 3600000u);
}

/* timeout_ms < 0: none */
static wake wait_event(daemon_state *d, int64_t timeout_ms)
{
    uint64_t end = timeout_ms < 0 ? UINT64_MAX : cuzk_now_ns() + (uint64_t)timeout_ms * 1000000u;
    for (;;) {
        struct pollfd p[] = {{d->signal_fd, POLLIN, 0}, {d->idle_fd, POLLIN, 0}};
        int rc = poll(p, 2, poll_ms(d, end));
        ping(d);
        tell_loading(d);
        if (rc > 0 && p[0].revents && take_signal(d))
            return WOKE_SIGNAL;
        if (rc > 0 && p[1].revents)
            return WOKE_IDLE;
        if (rc == 0 && cuzk_now_ns() >= end)
            return WOKE_TIMEOUT;
    }
}

/* ---- the end ---- */

/* The process goes without its destructors: a prover thread may be deep in its work. */
static void end_at_once(daemon_state *d, const char *why)
{
    cuzk_log(CUZK_LOG_WARN, NULL, "%s: ending at once", why);
    cuzk_rpc_server_remove_sockets(d->server);
    _exit(128 + SIGTERM);
}

static void wait_idle(daemon_state *d, const cuzk_daemon_options *opt)
{
    cuzk_engine_drain(d->engine, false);
    wake w = wait_event(d, (int64_t)opt->grace_s * 1000);
    if (w == WOKE_TIMEOUT) {
        cuzk_log(CUZK_LOG_WARN, NULL, "the running job is told to stop: %u s of grace are over",
                 opt->grace_s);
        cuzk_engine_drain(d->engine, true);
        w = wait_event(d, (int64_t)opt->stop_s * 1000);
    }
    if (w == WOKE_SIGNAL)
        end_at_once(d, "second signal");
    if (w == WOKE_TIMEOUT) {
        cuzk_engine_abandon(d->engine);
        cuzk_rpc_server_stop(d->server, SEND_MS);
        end_at_once(d, "the running job does not stop");
    }
}

static void stop(daemon_state *d, const cuzk_daemon_options *opt)
{
    tell_stopping(d);
    wait_idle(d, opt);
    if (!cuzk_rpc_server_stop(d->server, SEND_MS))
        end_at_once(d, "a call does not end");
    cuzk_log(CUZK_LOG_INFO, NULL, "stopped");
}

/* libgrpc 1.51 accepts no more for good once it has met EMFILE, so let that be far away. */
static void raise_file_limit(void)
{
    struct rlimit l;
    if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur < l.rlim_max) {
        l.rlim_cur = l.rlim_max;
        setrlimit(RLIMIT_NOFILE, &l);
    }
}

cuzk_status cuzk_daemon_serve(const cuzk_daemon_options *opt, const engine_backend *backend,
                              const sigset_t *signals, cuzk_err *err)
{
    cuzk_status st;
    daemon_state d = {.opt = opt, .signal_fd = -1, .idle_fd = -1};
    raise_file_limit();
    CUZK_TRY(open_files(&d, signals, err));
    CUZK_TRY(make_engine(&d, opt, backend, err));
    CUZK_TRY(cuzk_daemon_watch_start(&d.watch, opt, d.engine, err));
    CUZK_TRY(make_server(&d, opt, err));
    tell_ready(&d);
    while (wait_event(&d, -1) != WOKE_SIGNAL)
        continue;
    stop(&d, opt);
out:
    cuzk_rpc_server_free(d.server); /* its handlers use the engine, so it goes first */
    cuzk_daemon_watch_stop(&d.watch);
    cuzk_engine_free(d.engine);
    if (d.idle_fd >= 0)
        close(d.idle_fd);
    if (d.signal_fd >= 0)
        close(d.signal_fd);
    return st;
}

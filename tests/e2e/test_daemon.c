/* The daemon as a process: signals, sockets, exit. The program starts itself again with --serve and
 * the fake prover, whose gate SIGUSR1 opens; interop/ does that too:
 *
 *   test_daemon --serve ADDRESS GRACE_SECONDS [ADDRESS]
 *
 * $CUZK_TEST_TLS: a folder with cert, key and token that the daemon is to use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "cuzk/client.h"
#include "e2e/fake_prover.h"
#include "rpc/daemon_loop.h"

#define CALL_MS 20000u

/* ---- the child ---- */

static fake_prover child_fake;

static void *gate_main(void *arg)
{
    const sigset_t *usr1 = arg;
    int sig;
    sigwait(usr1, &sig);
    fake_open_gate(&child_fake);
    return NULL;
}

static char tls_path[3][256]; /* cert, key, token */

static void use_tls(cuzk_daemon_options *opt)
{
    static const char *const name[] = {"cert", "key", "token"};
    const char *dir = getenv("CUZK_TEST_TLS");
    if (!dir)
        return;
    for (unsigned i = 0; i < 3; i++)
        snprintf(tls_path[i], sizeof tls_path[i], "%s/%s", dir, name[i]);
    opt->tls_cert = tls_path[0];
    opt->tls_key = tls_path[1];
    opt->token_file = tls_path[2];
}

static int serve(const char *const address[], size_t n_addresses, const char *grace)
{
    sigset_t usr1, blocked;
    pthread_t gate;
    cuzk_err err = {0};
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr1, NULL);
    cuzk_daemon_block_signals(&blocked);
    fake_init(&child_fake);
    pthread_create(&gate, NULL, gate_main, &usr1);
    pthread_detach(gate);
    engine_backend b = fake_backend(&child_fake);
    cuzk_daemon_options opt = CUZK_DAEMON_DEFAULTS;
    opt.listen = address;
    opt.n_listen = n_addresses;
    use_tls(&opt);
    opt.grace_s = (unsigned)strtoul(grace, NULL, 10);
    opt.stop_s = 1;
    cuzk_status st = cuzk_daemon_serve(&opt, &b, &blocked, &err);
    if (st != CUZK_OK)
        fprintf(stderr, "%s\n", err.msg);
    return cuzk_status_exit_code(st);
}

/* ---- the parent ---- */

extern char **environ;

typedef struct {
    char dir[64], path[80], address[96], log[96];
    pid_t pid;
} daemon_process;

static pid_t spawn_daemon(daemon_process *d, const char *grace)
{
    pid_t pid;
    char self[] = "/proc/self/exe", verb[] = "--serve", seconds[16];
    snprintf(seconds, sizeof seconds, "%s", grace);
    char *argv[] = {self, verb, d->address, seconds, NULL};
    posix_spawn_file_actions_t fa;
    posix_spawn_file_actions_init(&fa);
    posix_spawn_file_actions_addopen(&fa, 2, d->log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    assert_int_equal(posix_spawn(&pid, "/proc/self/exe", &fa, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&fa);
    return pid;
}

static void make_place(daemon_process *d)
{
    memset(d, 0, sizeof *d);
    snprintf(d->dir, sizeof d->dir, "/tmp/cuzk-daemon-XXXXXX");
    assert_non_null(mkdtemp(d->dir));
    snprintf(d->path, sizeof d->path, "%s/s", d->dir);
    snprintf(d->address, sizeof d->address, "unix://%s", d->path);
    snprintf(d->log, sizeof d->log, "%s/log", d->dir);
}

static cuzk_client *connect_to(const daemon_process *d)
{
    cuzk_client *c = NULL;
    uint64_t give_up = cuzk_now_ns() + (uint64_t)20 * 1000000000u;
    while (cuzk_client_connect(&c, d->address, 1000, NULL) != CUZK_OK) {
        if (cuzk_now_ns() > give_up)
            fail_msg("the daemon does not come up");
        usleep(2000);
    }
    return c;
}

static void remove_place(const daemon_process *d)
{
    assert_int_equal(access(d->path, F_OK), -1); /* the socket is gone */
    assert_int_equal(unlink(d->log), 0);
    assert_int_equal(rmdir(d->dir), 0);
}

static int wait_exit(pid_t pid)
{
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void submit(cuzk_client *c, const char *id, uint64_t miner, uint64_t sector)
{
    char out[CUZK_JOB_ID_BYTES];
    uint32_t position;
    cuzk_err err = {0};
    cuzk_client_request r = {.size = sizeof r, .request_id = id, .kind = CUZK_PROOF_POREP};
    r.miner_id = miner;
    r.sector_number = sector;
    r.vanilla_proof = (cuzk_bytes){(const uint8_t *)"x", 1};
    if (cuzk_client_submit(c, &r, CALL_MS, out, &position, &err) != CUZK_OK)
        fail_msg("%s", err.msg);
}

static void wait_running(cuzk_client *c)
{
    cuzk_client_status s = {0};
    while (s.n_queues == 0 || s.queue[0].in_progress == 0)
        assert_int_equal(cuzk_client_get_status(c, CALL_MS, &s, NULL), CUZK_OK);
}

static void test_c01_idle_exit(void **state)
{
    (void)state;
    const int signals[] = {SIGTERM, SIGINT};
    for (unsigned i = 0; i < 2; i++) {
        daemon_process d;
        make_place(&d);
        d.pid = spawn_daemon(&d, "60");
        cuzk_client *c = connect_to(&d); /* an idle connection must not hold it up */
        cuzk_client_status s;
        assert_int_equal(cuzk_client_get_status(c, CALL_MS, &s, NULL), CUZK_OK);
        uint64_t begin = cuzk_now_ns();
        assert_int_equal(kill(d.pid, signals[i]), 0);
        assert_int_equal(wait_exit(d.pid), 0);
        uint64_t ms = (cuzk_now_ns() - begin) / 1000000u;
        if (ms >= 1000)
            fail_msg("idle exit took %u ms", (unsigned)ms);
        cuzk_client_close(c);
        remove_place(&d);
    }
}

typedef struct {
    cuzk_client *c;
    const char *id;
    cuzk_status st;
    cuzk_client_result result;
    cuzk_err err;
} waiter;

static void *await_main(void *arg)
{
    waiter *w = arg;
    w->st = cuzk_client_await(w->c, w->id, 0, CALL_MS, &w->result, &w->err);
    return NULL;
}

static void wait_listeners(cuzk_client *c, const char *line)
{
    for (bool seen = false; !seen;) {
        char *text = NULL;
        assert_int_equal(cuzk_client_get_metrics(c, CALL_MS, &text, NULL), CUZK_OK);
        seen = strstr(text, line) != NULL;
        cuzk_client_free_text(text);
    }
}

/* One runs, two wait; SIGTERM: the waiting ones are told, the running one finishes and is
 * delivered. */
static void test_c01_graceful_exit(void **state)
{
    (void)state;
    daemon_process d;
    make_place(&d);
    d.pid = spawn_daemon(&d, "60");
    cuzk_client *c = connect_to(&d);
    waiter w[3] = {
        {c, "run", CUZK_OK, {0}, {0}}, {c, "q1", CUZK_OK, {0}, {0}}, {c, "q2", CUZK_OK, {0}, {0}}};
    pthread_t t[3];
    submit(c, "run", FAKE_WAIT, 42);
    wait_running(c);
    submit(c, "q1", 0, 1);
    submit(c, "q2", 0, 2);
    for (unsigned i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, await_main, &w[i]);
    wait_listeners(c, "\ncuzk_waiting_calls 3\n");
    assert_int_equal(kill(d.pid, SIGTERM), 0);
    pthread_join(t[1], NULL);
    pthread_join(t[2], NULL);
    for (unsigned i = 1; i < 3; i++) {
        assert_int_equal(w[i].st, CUZK_UNAVAILABLE);
        assert_non_null(strstr(w[i].err.msg, "try again later"));
    }
    assert_int_equal(kill(d.pid, SIGUSR1), 0); /* open the gate */
    pthread_join(t[0], NULL);
    assert_int_equal(w[0].st, CUZK_OK);
    assert_int_equal(w[0].result.status, CUZK_JOB_COMPLETED);
    assert_int_equal(w[0].result.proof[0], 42);
    cuzk_client_result_fini(&w[0].result);
    assert_int_equal(wait_exit(d.pid), 0);
    cuzk_client_close(c);
    remove_place(&d);
}

static void test_c01_second_signal(void **state)
{
    (void)state;
    daemon_process d;
    make_place(&d);
    d.pid = spawn_daemon(&d, "60");
    cuzk_client *c = connect_to(&d);
    submit(c, "run", FAKE_STUCK, 1);
    wait_running(c);
    assert_int_equal(kill(d.pid, SIGTERM), 0);
    /* pending signals of one kind merge, so the second is of the other kind */
    assert_int_equal(kill(d.pid, SIGINT), 0);
    assert_int_equal(wait_exit(d.pid), 128 + SIGTERM);
    cuzk_client_close(c);
    remove_place(&d);
}

static void test_c01_grace_over(void **state)
{
    (void)state;
    daemon_process d;
    make_place(&d);
    d.pid = spawn_daemon(&d, "0");
    cuzk_client *c = connect_to(&d);
    submit(c, "run", FAKE_WAIT, 1); /* heeds the cancellation that follows */
    wait_running(c);
    assert_int_equal(kill(d.pid, SIGTERM), 0);
    assert_int_equal(wait_exit(d.pid), 0);
    cuzk_client_close(c);
    remove_place(&d);
}

/* A job that does not stop is left behind, but not its client. */
static void test_c01_stuck_job(void **state)
{
    (void)state;
    daemon_process d;
    pthread_t t;
    make_place(&d);
    d.pid = spawn_daemon(&d, "0");
    cuzk_client *c = connect_to(&d);
    waiter w = {c, "run", CUZK_OK, {0}, {0}};
    submit(c, "run", FAKE_STUCK, 1);
    wait_running(c);
    pthread_create(&t, NULL, await_main, &w);
    wait_listeners(c, "\ncuzk_waiting_calls 1\n");
    assert_int_equal(kill(d.pid, SIGTERM), 0);
    pthread_join(t, NULL);
    assert_int_equal(w.st, CUZK_UNAVAILABLE);
    assert_non_null(strstr(w.err.msg, "try again later"));
    assert_int_equal(wait_exit(d.pid), 128 + SIGTERM);
    cuzk_client_close(c);
    remove_place(&d);
}

static void test_c03_restart_after_kill(void **state)
{
    (void)state;
    daemon_process d;
    struct stat sb;
    make_place(&d);
    d.pid = spawn_daemon(&d, "60");
    cuzk_client_close(connect_to(&d));
    assert_int_equal(kill(d.pid, SIGKILL), 0);
    assert_int_equal(wait_exit(d.pid), -SIGKILL);
    assert_int_equal(stat(d.path, &sb), 0); /* stale */
    d.pid = spawn_daemon(&d, "60");
    cuzk_client_close(connect_to(&d));
    assert_int_equal(kill(d.pid, SIGTERM), 0);
    assert_int_equal(wait_exit(d.pid), 0);
    remove_place(&d);
}

/* Many starters over a stale file: one wins, the others say so and leave it alone; also when the
 * winner is stopped. */
static void test_c04_one_winner(void **state)
{
    (void)state;
    enum { N = 20 };
    daemon_process d;
    pid_t pid[N], winner = 0;
    make_place(&d);
    d.pid = spawn_daemon(&d, "60");
    cuzk_client_close(connect_to(&d));
    assert_int_equal(kill(d.pid, SIGKILL), 0);
    assert_int_equal(wait_exit(d.pid), -SIGKILL);
    for (unsigned i = 0; i < N; i++)
        pid[i] = spawn_daemon(&d, "60");
    for (unsigned ended = 0; ended < N - 1; ended++) {
        int status;
        pid_t p = waitpid(-1, &status, 0);
        assert_true(p > 0);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), cuzk_status_exit_code(CUZK_EXISTS));
        for (unsigned i = 0; i < N; i++)
            pid[i] = pid[i] == p ? 0 : pid[i];
    }
    for (unsigned i = 0; i < N; i++)
        winner = pid[i] ? pid[i] : winner;
    cuzk_client_close(connect_to(&d));

    assert_int_equal(kill(winner, SIGSTOP), 0);
    assert_int_equal(wait_exit(spawn_daemon(&d, "60")), cuzk_status_exit_code(CUZK_EXISTS));
    assert_int_equal(kill(winner, SIGCONT), 0);
    cuzk_client_close(connect_to(&d));
    assert_int_equal(kill(winner, SIGTERM), 0);
    assert_int_equal(wait_exit(winner), 0);
    remove_place(&d);
}

static unsigned long cpu_ticks(pid_t pid)
{
    char path[64], text[1024];
    unsigned long user = 0, sys = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    const char *after_name = strrchr(text, ')');
    assert_int_equal(
        sscanf(after_name + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &sys),
        2);
    return user + sys;
}

static int dial(const daemon_process *d)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    snprintf(sa.sun_path, sizeof sa.sun_path, "%s", d->path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    (void)!connect(fd, (const struct sockaddr *)&sa, sizeof sa);
    return fd;
}

/* More connections than descriptors: it does not spin, and those who are in are served. New ones
 * are not (docs/daemon.md, "Limits"), so the daemon raises its limit when it starts. */
static void test_c17_out_of_descriptors(void **state)
{
    (void)state;
    enum { N = 60 };
    daemon_process d;
    int fd[N];
    make_place(&d);
    d.pid = spawn_daemon(&d, "60");
    cuzk_client *c = connect_to(&d);
    struct rlimit had;
    assert_int_equal(prlimit(d.pid, RLIMIT_NOFILE, NULL, &had), 0);
    assert_true(had.rlim_cur == had.rlim_max);
    const struct rlimit few = {32, 32};
    assert_int_equal(prlimit(d.pid, RLIMIT_NOFILE, &few, NULL), 0);
    for (unsigned i = 0; i < N; i++)
        fd[i] = dial(&d);
    usleep(200000); /* into the state that is measured */
    unsigned long before = cpu_ticks(d.pid);
    usleep(1000000);
    unsigned long ticks = cpu_ticks(d.pid) - before; /* of 10 ms */
    submit(c, "meanwhile", 0, 1);
    for (unsigned i = 0; i < N; i++)
        close(fd[i]);
    cuzk_client_close(c);
    assert_int_equal(kill(d.pid, SIGTERM), 0);
    assert_int_equal(wait_exit(d.pid), 0);
    remove_place(&d);
    if (ticks > 30)
        fail_msg("%lu ticks of CPU time in a second without work", ticks);
}

int main(int argc, char **argv)
{
    if (argc >= 4 && strcmp(argv[1], "--serve") == 0) {
        const char *address[] = {argv[2], argc > 4 ? argv[4] : NULL};
        return serve(address, argc > 4 ? 2 : 1, argv[3]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c01_idle_exit),     cmocka_unit_test(test_c01_graceful_exit),
        cmocka_unit_test(test_c01_second_signal), cmocka_unit_test(test_c01_grace_over),
        cmocka_unit_test(test_c01_stuck_job),     cmocka_unit_test(test_c03_restart_after_kill),
        cmocka_unit_test(test_c04_one_winner),    cmocka_unit_test(test_c17_out_of_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Following one process among others of its name, by pid, pid file and socket; a pid that is given
 * to another process; the monitor's thread and its file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cuzk/memmon.h"
#include "measure/memory_monitor.h"

#define NAME "cuzk serve) R 1" /* a name that confuses careless readers of stat */

static char dir[] = "/tmp/cuzk-memmon-XXXXXX";

static const char *in_dir(const char *name)
{
    static char path[2][256];
    static unsigned turn;
    char *p = path[turn++ % 2];
    snprintf(p, sizeof path[0], "%s/%s", dir, name);
    return p;
}

/* A child of that name with so much memory, perhaps listening on a socket; it waits to be killed.
 */
static pid_t spawn(size_t mib, const char *socket_path)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, NAME);
        char *p = malloc((mib + 1) << 20);
        memset(p, 1, mib << 20);
        if (socket_path) {
            struct sockaddr_un a = {.sun_family = AF_UNIX};
            int fd = socket(AF_UNIX, SOCK_STREAM, 0);
            strcpy(a.sun_path, socket_path);
            if (bind(fd, (const struct sockaddr *)&a, sizeof a) != 0 || listen(fd, 4) != 0)
                _exit(1);
        }
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static uint64_t rss_of(pid_t pid)
{
    cuzk_memmon *m;
    cuzk_memory_sample s;
    assert_int_equal(cuzk_memmon_open(&m, pid, NULL), CUZK_OK);
    assert_int_equal(cuzk_memmon_read(m, &s, NULL), CUZK_OK);
    cuzk_memmon_close(m);
    return s.rss_kb;
}

static void test_the_right_one_of_three(void **state)
{
    (void)state;
    char text[32];
    cuzk_memory_sample s;
    cuzk_memmon *m;
    cuzk_err err = {0};
    pid_t pid[3] = {spawn(8, NULL), spawn(64, in_dir("sock")), spawn(24, NULL)};
    for (int way = 0; way < 3; way++) {
        cuzk_status st;
        if (way == 0) {
            st = cuzk_memmon_open(&m, pid[1], &err);
        } else if (way == 1) {
            snprintf(text, sizeof text, "%d\n", (int)pid[1]);
            write_text(in_dir("pid"), text);
            st = cuzk_memmon_open_pidfile(&m, in_dir("pid"), &err);
        } else {
            char uri[300];
            snprintf(uri, sizeof uri, "unix://%s", in_dir("sock"));
            st = cuzk_memmon_open_socket(&m, uri, &err);
        }
        assert_int_equal(st, CUZK_OK);
        assert_int_equal(cuzk_memmon_pid(m), pid[1]);
        assert_string_equal(cuzk_memmon_name(m), "cuzk\\x20serve)\\x20R\\x201");
        assert_int_equal(cuzk_memmon_read(m, &s, &err), CUZK_OK);
        assert_true(s.rss_kb >= 64 << 10 && s.rss_kb > rss_of(pid[0]) && s.rss_kb > rss_of(pid[2]));
        assert_true(s.peak_rss_kb >= s.rss_kb && s.minor_faults > 0);
        assert_in_range(s.epoch_ms, cuzk_epoch_ms() - 5000, cuzk_epoch_ms());
        if (way < 2)
            cuzk_memmon_close(m);
    }
    assert_false(cuzk_memmon_wait_end(m, 1));
    end(pid[1]); /* the other two live on */
    assert_true(cuzk_memmon_wait_end(m, 10000));
    assert_int_equal(cuzk_memmon_read(m, &s, &err), CUZK_NOT_FOUND);
    assert_non_null(strstr(err.msg, "has ended"));
    cuzk_memmon_close(m);
    assert_int_equal(cuzk_memmon_open_socket(&m, in_dir("sock"), &err), CUZK_UNAVAILABLE);
    assert_int_equal(cuzk_memmon_open_pidfile(&m, in_dir("pid"), &err), CUZK_NOT_FOUND);
    end(pid[0]);
    end(pid[2]);
}

/* A zombie has ended, even if nobody has asked for its status. */
static void test_zombie(void **state)
{
    (void)state;
    cuzk_memory_sample s;
    cuzk_memmon *m;
    pid_t pid = spawn(1, NULL);
    assert_int_equal(cuzk_memmon_open(&m, pid, NULL), CUZK_OK);
    kill(pid, SIGKILL);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(cuzk_memmon_read(m, &s, NULL), CUZK_NOT_FOUND);
    cuzk_memmon_close(m);
    cuzk_err err = {0};
    assert_int_equal(cuzk_memmon_open(&m, pid, &err), CUZK_NOT_FOUND);
    waitpid(pid, NULL, 0);
}

/* The kernel is asked for a process of that very pid. -1: not allowed here. */
static pid_t spawn_as(pid_t wanted)
{
    struct clone_args a = {
        .exit_signal = SIGCHLD, .set_tid = (uint64_t)(uintptr_t)&wanted, .set_tid_size = 1};
    pid_t pid = (pid_t)syscall(SYS_clone3, &a, sizeof a);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, NAME);
        for (;;)
            pause();
    }
    return pid;
}

static void test_pid_is_used_again(void **state)
{
    (void)state;
    cuzk_memory_sample s;
    cuzk_memmon *m;
    cuzk_err err = {0};
    char text[32];
    pid_t pid = spawn(1, NULL);
    assert_int_equal(cuzk_memmon_open(&m, pid, NULL), CUZK_OK);
    snprintf(text, sizeof text, "%d", (int)pid);
    write_text(in_dir("old"), text);
    const struct timespec hour_ago[2] = {{time(NULL) - 3600, 0}, {time(NULL) - 3600, 0}};
    assert_int_equal(utimensat(AT_FDCWD, in_dir("old"), hour_ago, 0), 0);
    /* a file written before the process of that number was started is of another one */
    cuzk_memmon *unused;
    assert_int_equal(cuzk_memmon_open_pidfile(&unused, in_dir("old"), &err), CUZK_NOT_FOUND);
    assert_non_null(strstr(err.msg, "stale"));
    end(pid);
    pid_t other = spawn_as(pid);
    if (other != pid) {
        print_message("a pid cannot be chosen here (%s): half of the test is left out\n",
                      strerror(errno));
        cuzk_memmon_close(m);
        return;
    }
    assert_int_equal(cuzk_memmon_read(m, &s, &err), CUZK_NOT_FOUND);
    assert_true(cuzk_memmon_wait_end(m, 1000));
    cuzk_memmon_close(m);
    end(other);
}

static void test_bad_targets(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        cuzk_status want;
    } c[] = {
        {"", CUZK_ENCODING},    {"cuzk\n", CUZK_ENCODING},        {"-1", CUZK_ENCODING},
        {"0", CUZK_ENCODING},   {"12 13", CUZK_ENCODING},         {"99999999999", CUZK_ENCODING},
        {"1e3", CUZK_ENCODING}, {"2147483646\n", CUZK_NOT_FOUND},
    };
    cuzk_memmon *m;
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        write_text(in_dir("bad"), c[i].text);
        assert_int_equal(cuzk_memmon_open_pidfile(&m, in_dir("bad"), NULL), c[i].want);
    }
    assert_int_not_equal(cuzk_memmon_open_pidfile(&m, in_dir("none"), NULL), CUZK_OK);
    assert_int_equal(cuzk_memmon_open(&m, 0, NULL), CUZK_NOT_FOUND);
    assert_int_equal(cuzk_memmon_open(&m, -5, NULL), CUZK_NOT_FOUND);
    char longer[200];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(cuzk_memmon_open_socket(&m, longer, NULL), CUZK_INVAL);
}

static uint64_t budget(void *ctx)
{
    return *(const uint64_t *)ctx;
}

typedef struct {
    unsigned n;
    uint64_t last_ns, budget_kb;
} visited;

static void visit(void *ctx, uint64_t at_ns, const cuzk_memory_sample *s)
{
    visited *v = ctx;
    assert_true(at_ns > v->last_ns && s->rss_kb > 0);
    v->last_ns = at_ns;
    v->budget_kb = s->budget_used_kb;
    v->n++;
}

/* Marks go to a file of their own, each at once; without a file they go nowhere. */
static void test_marks(void **state)
{
    (void)state;
    char path[256], line[256];
    memory_monitor *m;
    snprintf(path, sizeof path, "%s", in_dir("marked.csv"));
    const memory_monitor_options opt = {.interval_ms = 60000, .csv_path = path};
    cuzk_memory_monitor_mark("begin", "too early");
    assert_int_equal(cuzk_memory_monitor_start(&m, &opt, NULL), CUZK_OK);
    cuzk_memory_monitor_mark("begin", "job 1, the \"first\"");
    cuzk_memory_monitor_mark("begin", "2");
    cuzk_memory_monitor_mark("end", "2");
    static const char *const wanted[] = {"begin,\"job\\x201,\\x20the\\x20\\x22first\\x22\"\n",
                                         "begin,\"2\"\n", "end,\"2\"\n"};
    FILE *f = fopen(in_dir("marked.csv.jobs"), "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    assert_string_equal(line, "epoch_ms,event,job\n");
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        assert_non_null(fgets(line, sizeof line, f));
        assert_true(strtoull(line, &end, 10) > UINT64_C(1700000000000) && *end == ',');
        assert_string_equal(end + 1, wanted[i]);
    }
    assert_null(fgets(line, sizeof line, f));
    cuzk_memory_monitor_stop(m);
    cuzk_memory_monitor_mark("end", "too late");
    assert_null(fgets(line, sizeof line, f));
    fclose(f);
}

static void test_monitor(void **state)
{
    (void)state;
    uint64_t used = 5 << 20, n, cpu_ns;
    char line[256], path[256];
    memory_monitor *m;
    snprintf(path, sizeof path, "%s", in_dir("memory.csv"));
    const memory_monitor_options opt = {
        .interval_ms = 5, .csv_path = path, .budget_used = budget, .ctx = &used};
    assert_int_equal(cuzk_memory_monitor_start(&m, &opt, NULL), CUZK_OK);
    do {
        usleep(1000);
        cuzk_memory_monitor_cost(&n, &cpu_ns);
    } while (n < 20);
    cuzk_memory_monitor_stop(m);
    visited v = {0};
    cuzk_memory_monitor_visit(visit, &v);
    assert_true(v.n >= 20);
    assert_int_equal(v.budget_kb, 5 << 10);
    print_message("a sample costs %.1f us\n", (double)cpu_ns / 1e3 / (double)n);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    assert_string_equal(line, CUZK_MEMORY_CSV_HEADER);
    unsigned rows = 0;
    for (uint64_t before = 0, at; fgets(line, sizeof line, f); rows++, before = at) {
        uint64_t rss, peak, pinned, vram, held, minor, major;
        assert_int_equal(sscanf(line, "%lu,%lu,%lu,%lu,%lu,%lu,%lu,%lu\n", &at, &rss, &peak,
                                &pinned, &vram, &held, &minor, &major),
                         8);
        assert_true(at >= before && peak >= rss && held == 5 << 10);
    }
    assert_true(rows >= 20);
    fclose(f);
    const memory_monitor_options bad = {.interval_ms = 5, .csv_path = "/nowhere/x.csv"};
    cuzk_err err = {0};
    assert_int_equal(cuzk_memory_monitor_start(&m, &bad, &err), CUZK_IO);
    assert_non_null(strstr(err.msg, "/nowhere/x.csv"));
}

static int setup(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : 1;
}

static int teardown(void **state)
{
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", dir);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_right_one_of_three),
        cmocka_unit_test(test_zombie),
        cmocka_unit_test(test_pid_is_used_again),
        cmocka_unit_test(test_bad_targets),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_monitor),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

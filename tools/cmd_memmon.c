/* cuzk memmon: memory of one process over time, as CSV. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "cuzk/memmon.h"

typedef struct {
    const char *pid, *pidfile, *socket, *out_path;
    uint64_t interval_ms, count;
} memmon_args;

static bool usage(const char *text)
{
    fprintf(stderr, "cuzk: %s\n", text);
    return false;
}

static bool check_args(const memmon_args *a)
{
    if (!!a->pid + !!a->pidfile + !!a->socket != 1)
        return usage("memmon: one of PID, --pidfile or --socket is wanted");
    if (a->pid && a->pid[strspn(a->pid, "0123456789")] != '\0')
        return usage("memmon: PID is a number; names are not taken, since several processes may "
                     "have one. --pidfile and --socket find the right one");
    if (a->interval_ms == 0 || a->interval_ms > 86400000)
        return usage("memmon: --interval may be 1 to 86400000 milliseconds");
    return true;
}

static cuzk_status open_target(cuzk_memmon **m, const memmon_args *a, cuzk_err *err)
{
    if (a->pidfile)
        return cuzk_memmon_open_pidfile(m, a->pidfile, err);
    if (a->socket)
        return cuzk_memmon_open_socket(m, a->socket, err);
    unsigned long pid = strtoul(a->pid, NULL, 10);
    return cuzk_memmon_open(m, pid <= INT_MAX ? (int)pid : 0, err);
}

/* Lines appear at once, whatever stdout is. False: nobody reads them. */
static bool put(FILE *f, const char *line)
{
    return fputs(line, f) >= 0 && fflush(f) == 0;
}

/* CPU time of this process, the monitor's own cost. */
static double own_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Until the process ends, or count samples (0: no limit), or nobody reads any more. */
static void follow(cuzk_memmon *m, const memmon_args *a, FILE *f)
{
    uint64_t n = 0, next = cli_now_ns();
    bool ended = false;
    double before = own_ms();
    char line[CUZK_MEMORY_CSV_BYTES];
    cuzk_memory_sample s;
    bool read_by_somebody = put(f, CUZK_MEMORY_CSV_HEADER);
    while (read_by_somebody && (a->count == 0 || n < a->count)) {
        if (cuzk_memmon_read(m, &s, NULL) != CUZK_OK) {
            ended = true;
            break;
        }
        cuzk_memory_csv(line, &s);
        read_by_somebody = put(f, line);
        n++;
        next += a->interval_ms * 1000000u; /* a late sample does not shift those that follow */
        uint64_t now = cli_now_ns();
        if (a->count == 0 || n < a->count)
            cuzk_memmon_wait_end(m, next > now ? (next - now) / 1000000u : 0);
    }
    fprintf(stderr, "cuzk: process %d (%s) %s: %" PRIu64 " samples, %.3f ms of CPU each\n",
            cuzk_memmon_pid(m), cuzk_memmon_name(m), ended ? "has ended" : "is still there", n,
            n ? (own_ms() - before) / (double)n : 0);
}

static int run(const memmon_args *a)
{
    cuzk_err err = {0};
    cuzk_memmon *m;
    cuzk_status st = open_target(&m, a, &err);
    if (st != CUZK_OK)
        return cli_fail(false, st, &err);
    FILE *f = a->out_path ? fopen(a->out_path, "a") : stdout;
    if (!f) {
        fprintf(stderr, "cuzk: cannot write %s: %s\n", a->out_path, strerror(errno));
        cuzk_memmon_close(m);
        return cuzk_status_exit_code(CUZK_IO);
    }
    fprintf(stderr, "cuzk: following process %d (%s)\n", cuzk_memmon_pid(m), cuzk_memmon_name(m));
    follow(m, a, f);
    if (a->out_path)
        fclose(f);
    cuzk_memmon_close(m);
    return 0;
}

int cmd_memmon(int argc, char **argv)
{
    int exit_code = 0;
    memmon_args a = {.interval_ms = 1000};
    const cli_option options[] = {
        {"pidfile", CLI_STRING, &a.pidfile, "FILE", "the process whose number is in FILE"},
        {"socket", CLI_STRING, &a.socket, "PATH", "the process that listens on this unix socket"},
        {"interval", CLI_UINT, &a.interval_ms, "MS", "milliseconds between samples; default 1000"},
        {"count", CLI_UINT, &a.count, "N", "stop after N samples; default: when the process ends"},
        {"out", CLI_STRING, &a.out_path, "FILE", "append to FILE; default: stdout"},
    };
    const cli_command cmd = {
        "memmon PID | --pidfile FILE | --socket PATH [options]",
        "Memory of one process, a line of CSV a second, until it ends: epoch_ms, rss_kb,\n"
        "peak_rss_kb, pinned_kb, vram_used_kb, budget_used_kb (0: not known from outside; the\n"
        "daemon's own monitor knows it), minor_faults, major_faults. The process is followed by\n"
        "number and start time: another one that gets the number later is not mistaken for it.",
        options,
        sizeof options / sizeof options[0],
        NULL,
        0};
    /* the pid is the one operand, and optional */
    if (argc > 1 && argv[1][0] != '-') {
        a.pid = argv[1];
        argv[1] = argv[0];
        argc--;
        argv++;
    }
    if (!cli_parse(&cmd, argc, argv, NULL, &exit_code))
        return exit_code;
    return check_args(&a) ? run(&a) : CLI_EXIT_USAGE;
}

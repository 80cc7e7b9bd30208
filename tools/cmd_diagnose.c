/* cuzk diagnose: which of several switches makes a workload slower. Plan, statistics and reports
 * are the library's (cuzk/diagnose.h); here is what a run is. */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "cli.h"
#include "cuzk/diagnose.h"
#include "cuzk/memmon.h"

#define MAX_SWITCHES CUZK_DIAGNOSE_MAX_SWITCHES

typedef struct {
    cli_common common;
    const char *switches, *workload, *synth, *clock, *precision_text, *threshold_text;
    const char *report_path, *out_path, *state_path;
    double precision, threshold; /* fractions */
    uint64_t partition, seed, max_time, min_blocks, max_blocks;
    bool resume;
} diagnose_args;

/* ---- a run ---- */

typedef struct {
    const diagnose_args *args;
    char names[512];
    const char *name[MAX_SWITCHES], *about[MAX_SWITCHES];
    unsigned n_switches;
    cuzk_request *req;
    cuzk_request_info info;
    bool cpu; /* measure processor time */
    /* Phases from the prover's messages: spans know wall time alone, and "spans" may be off. */
    bool by_messages;
    int monitor; /* index of the switch that is ours, not the library's; -1: not asked for */
    /* of the run in progress: its result; by messages: the phase it is at and since when */
    cuzk_diagnose_run *run;
    const char *phase;
    uint64_t phase_begin;
    bool on_terminal;
} workload;

static uint64_t now(const workload *w)
{
    struct timespec t;
    clock_gettime(w->cpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static cuzk_status set_switches(const workload *w, uint32_t on, cuzk_err *err)
{
    char list[1024];
    size_t at = 0;
    list[0] = '\0';
    for (unsigned i = 0; i < w->n_switches && at < sizeof list; i++)
        if ((int)i != w->monitor)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s=%s", at ? "," : "",
                                   w->name[i], on >> i & 1 ? "on" : "off");
    return cuzk_switches_set(list, err);
}

static void enter_phase(workload *w, const char *phase)
{
    uint64_t t = now(w);
    if (w->phase)
        cuzk_diagnose_add_phase(w->run, w->phase, t - w->phase_begin);
    w->phase = phase;
    w->phase_begin = t;
}

static void on_progress(void *ctx, const char *phase, int partition)
{
    workload *w = ctx;
    (void)partition;
    if (w->by_messages)
        enter_phase(w, phase);
}

static void add_spans(const workload *w, const cuzk_trace *trace)
{
    size_t n;
    const cuzk_span_record *r = cuzk_trace_records(trace, &n);
    for (size_t i = 0; i < n; i++)
        cuzk_diagnose_add_phase(w->run, r[i].phase, r[i].end_ns - r[i].begin_ns);
}

static cuzk_prover_options prover_options(const workload *w)
{
    cuzk_prover_options o = CUZK_PROVER_OPTIONS_DEFAULTS;
    o.params_dir = w->args->common.params_dir;
    o.n_threads = (unsigned)w->args->common.threads;
    o.interpreted = strcmp(w->args->synth, "interpreted") == 0;
    return o;
}

static cuzk_status prove(workload *w, cuzk_trace *trace, cuzk_err *err)
{
    const cuzk_prover_options options = prover_options(w);
    cuzk_prove_options job = CUZK_PROVE_OPTIONS_DEFAULTS;
    cuzk_prover *prover = NULL;
    uint8_t *proof = NULL;
    size_t n;
    job.partition =
        w->args->partition == UINT64_MAX ? CUZK_ALL_PARTITIONS : (int)w->args->partition;
    job.trace = trace;
    job.progress = on_progress;
    job.progress_ctx = w;
    cuzk_status st = cuzk_prover_new(&prover, &options, err);
    if (st == CUZK_OK)
        st = cuzk_prover_prove(prover, w->req, &job, &proof, &n, err);
    cuzk_bytes_free(proof);
    cuzk_prover_free(prover);
    return st;
}

/* ---- the switch "monitor" ---- */

typedef struct {
    pthread_t thread;
    cuzk_memmon *self;
    cuzk_flag stop;
    bool running;
} monitor;

/* What the daemon's memory monitor does, at its interval. */
static void *monitor_main(void *arg)
{
    monitor *m = arg;
    cuzk_memory_sample s;
    for (unsigned tick = 0; !atomic_load(&m->stop); tick++) {
        if (tick % 100 == 0)
            cuzk_memmon_read(m->self, &s, NULL);
        usleep(10000);
    }
    return NULL;
}

static void monitor_start(monitor *m)
{
    if (cuzk_memmon_open(&m->self, getpid(), NULL) == CUZK_OK)
        m->running = pthread_create(&m->thread, NULL, monitor_main, m) == 0;
}

static void monitor_stop(monitor *m)
{
    atomic_store(&m->stop, true);
    if (m->running)
        pthread_join(m->thread, NULL);
    cuzk_memmon_close(m->self);
}

/* A prover of its own each time: nothing is left over from other configurations. */
static cuzk_status run(void *ctx, uint32_t on, cuzk_diagnose_run *out, cuzk_err *err)
{
    workload *w = ctx;
    monitor watch = {.running = false};
    cuzk_status st = set_switches(w, on, err);
    if (st != CUZK_OK)
        return st;
    if (w->monitor >= 0 && on >> w->monitor & 1)
        monitor_start(&watch);
    cuzk_trace *trace = cuzk_trace_new(w->info.circuit);
    w->run = out;
    w->phase = NULL;
    uint64_t begin = now(w);
    st = prove(w, trace, err);
    out->total_ns = now(w) - begin;
    if (w->by_messages)
        enter_phase(w, NULL);
    else
        add_spans(w, trace);
    cuzk_trace_free(trace);
    monitor_stop(&watch);
    return st;
}

/* ---- progress ---- */

static void show_progress(void *ctx, const cuzk_diagnose_progress *p)
{
    const workload *w = ctx;
    uint64_t in_block = p->n_done % p->n_block;
    char known[80] = "";
    if (p->precision > 0)
        snprintf(known, sizeof known, "; switches are known within %.1f %% of a run",
                 100 * p->precision);
    if (w->on_terminal)
        fprintf(stderr, "\r\033[Kdiagnose: %.0f s, block %llu, run %llu of %llu%s", p->seconds,
                (unsigned long long)(p->n_blocks + 1), (unsigned long long)(in_block + 1),
                (unsigned long long)p->n_block, known);
    else if (p->n_done > 0 && p->n_done == p->n_blocks * p->n_block && p->precision > 0)
        fprintf(stderr, "diagnose: %.0f s, %llu blocks of %llu runs%s\n", p->seconds,
                (unsigned long long)p->n_blocks, (unsigned long long)p->n_block, known);
    fflush(stderr);
}

static cuzk_flag stop_flag;

static void on_signal(int number)
{
    (void)number;
    atomic_store(&stop_flag, true);
}

/* The first signal ends the diagnosis after the run in progress, the second the program. */
static void catch_signals(void)
{
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    atomic_init(&stop_flag, false);
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
}

/* ---- options ---- */

static bool complain(const char *option, const char *value, const char *wanted)
{
    fprintf(stderr, "cuzk: diagnose: --%s is \"%s\"; %s\n", option, value, wanted);
    return false;
}

/* Percent into a fraction. */
static bool parse_percent(double *out, const char *option, const char *text)
{
    char *end;
    *out = 0;
    if (!text)
        return true;
    double v = strtod(text, &end);
    if (*end || end == text || !(v > 0) || v > 50)
        return complain(option, text, "a percentage above 0, at most 50, is wanted");
    *out = v / 100;
    return true;
}

/* Letter case does not matter, as in --opts. */
static bool find_switch(workload *w, const char *word)
{
    cuzk_switch_info s;
    if (strcasecmp(word, "monitor") == 0) {
        w->monitor = (int)w->n_switches;
        w->name[w->n_switches] = "monitor";
        w->about[w->n_switches++] = "memory is read once a second, as the daemon does";
        return true;
    }
    for (size_t i = 0; cuzk_switch_at(&s, i); i++) {
        if (strcasecmp(s.name, word) != 0)
            continue;
        w->name[w->n_switches] = s.name;
        w->about[w->n_switches++] = s.what;
        return true;
    }
    return complain("switches", word, "there is no such switch (`cuzk opts` lists all)");
}

static bool parse_switches(workload *w, const char *list)
{
    if (strlen(list) >= sizeof w->names)
        return complain("switches", list, "the list is too long");
    snprintf(w->names, sizeof w->names, "%s", list);
    char *rest = w->names;
    for (char *word; (word = strsep(&rest, ",")) != NULL;) {
        word += strspn(word, " ");
        word[strcspn(word, " ")] = '\0';
        if (w->n_switches == MAX_SWITCHES)
            return complain("switches", list, "at most 12 can be told apart at a time");
        if (!find_switch(w, word))
            return false;
    }
    return true;
}

static bool check_args(const diagnose_args *a)
{
    if (strcmp(a->synth, "compiled") != 0 && strcmp(a->synth, "interpreted") != 0)
        return complain("synth", a->synth, "it may be compiled or interpreted");
    if (strcmp(a->clock, "wall") != 0 && strcmp(a->clock, "cpu") != 0)
        return complain("clock", a->clock, "it may be wall or cpu");
    if (a->common.threads > UINT_MAX || a->min_blocks > 1000 || a->max_blocks > 1000 ||
        (a->partition != UINT64_MAX && a->partition > INT_MAX)) {
        fprintf(stderr, "cuzk: diagnose: a number is out of range\n");
        return false;
    }
    if (a->resume && !a->state_path) {
        fprintf(stderr, "cuzk: diagnose: --resume needs --state FILE\n");
        return false;
    }
    return true;
}

static bool parse_args(diagnose_args *a, int argc, char **argv, int *exit_code)
{
    const cli_option options[] = {
        {"switches", CLI_STRING, &a->switches, "LIST",
         "names of `cuzk opts`, and monitor (the memory monitor), at most 12; default "
         "A1,A2,A4,B1,D4"},
        {"workload", CLI_STRING, &a->workload, "WHAT",
         "what is proved: a request folder, or the name of a circuit, for which a "
         "request is made up; default winning-2k"},
        {"synth", CLI_STRING, &a->synth, "HOW", "compiled (default) or interpreted"},
        {"partition", CLI_UINT, &a->partition, "K", "partition K alone; default: all"},
        {"clock", CLI_STRING, &a->clock, "WHICH",
         "wall (default), or cpu: processor time of all threads, which other "
         "processes disturb less and which does not see waiting"},
        {"precision", CLI_STRING, &a->precision_text, "PCT",
         "go on until effects are known within so many percent of a run; default 1"},
        {"threshold", CLI_STRING, &a->threshold_text, "PCT",
         "smaller effects are of no interest; default 1"},
        {"max-time", CLI_UINT, &a->max_time, "SECONDS",
         "end after the block in which that is over; default 600"},
        {"min-blocks", CLI_UINT, &a->min_blocks, "N", "default 4"},
        {"max-blocks", CLI_UINT, &a->max_blocks, "N", "default 64"},
        {"seed", CLI_UINT, &a->seed, "N", "of the order of runs; default 1"},
        {"state", CLI_STRING, &a->state_path, "FILE", "keep every run there, as JSON lines"},
        {"resume", CLI_FLAG, &a->resume, NULL, "go on with what --state has, if it has anything"},
        {"report", CLI_STRING, &a->report_path, "FILE", "write one HTML file for people"},
        {"out", CLI_STRING, &a->out_path, "FILE", "write everything as JSON"},
        CLI_OPT_THREADS(a->common),
        CLI_OPT_PARAMS(a->common),
        CLI_OPT_JSON(a->common),
    };
    const cli_command cmd = {
        "diagnose [options]",
        "Finds which switches make a workload slower, faster or larger, alone or in pairs: runs\n"
        "it with none, all, one, all but one and two of them on, in blocks of random order, until\n"
        "the effects are known well enough. docs/diagnose.md explains the method.",
        options,
        sizeof options / sizeof options[0],
        NULL,
        0};
    if (!cli_parse(&cmd, argc, argv, NULL, exit_code))
        return false;
    *exit_code = CLI_EXIT_USAGE;
    return check_args(a) && parse_percent(&a->precision, "precision", a->precision_text) &&
           parse_percent(&a->threshold, "threshold", a->threshold_text);
}

/* ---- results ---- */

static void print_share(const cuzk_diagnose_verdict *v)
{
    for (unsigned i = 0; i < v->n_shares; i++)
        printf("%s%s %+.1f", i ? ", " : "  ", v->share[i].name, v->share[i].ms.estimate);
}

static void print_text(const cuzk_diagnosis *d)
{
    cuzk_diagnose_verdict v;
    cuzk_diagnosis_quality q;
    cuzk_diagnosis_quality_of(&q, d);
    printf("%s\n\n%-17s %-18s %-32s %s\n", cuzk_diagnosis_answer(d), "switch", "time",
           "whole run, ms [95 %]", "memory");
    for (size_t i = 0; cuzk_diagnosis_verdict(&v, d, i); i++) {
        char interval[64];
        snprintf(interval, sizeof interval, "%+.1f [%+.1f, %+.1f] %+.1f %%", v.ms.estimate,
                 v.ms.low, v.ms.high, v.percent);
        printf("%-17s %-18s %-32s %s", v.name, cuzk_verdict_text(v.time), interval,
               cuzk_verdict_memory_text(v.memory));
        print_share(&v);
        printf("\n");
    }
    printf("\n%llu blocks, %llu runs; a run with nothing on takes %.1f ms and varies by %.1f %%;\n"
           "its twin differs by %+.2f %%; effects are known within %.2f %%%s\n",
           (unsigned long long)q.n_blocks, (unsigned long long)q.n_runs, q.run_ms, 100 * q.noise,
           100 * q.twin, 100 * q.precision, q.precise_enough ? "" : " (less than was asked for)");
}

static void json_interval(yajl_gen g, const char *key, cuzk_diagnose_interval x)
{
    cli_json_key(g, key);
    yajl_gen_map_open(g);
    cli_json_double(g, "estimate", x.estimate);
    cli_json_double(g, "low", x.low);
    cli_json_double(g, "high", x.high);
    yajl_gen_map_close(g);
}

static void print_json(const cuzk_diagnosis *d, uint64_t seed)
{
    cuzk_diagnose_verdict v;
    cuzk_diagnosis_quality q;
    cuzk_diagnosis_quality_of(&q, d);
    yajl_gen g = cli_json_begin();
    cli_json_bool(g, "ok", true);
    cli_json_string(g, "answer", cuzk_diagnosis_answer(d));
    cli_json_uint(g, "seed", seed);
    cli_json_uint(g, "blocks", q.n_blocks);
    cli_json_double(g, "run_ms", q.run_ms);
    cli_json_double(g, "precision_percent", 100 * q.precision);
    cli_json_bool(g, "precise_enough", q.precise_enough);
    cli_json_key(g, "verdicts");
    yajl_gen_array_open(g);
    for (size_t i = 0; cuzk_diagnosis_verdict(&v, d, i); i++) {
        yajl_gen_map_open(g);
        cli_json_string(g, "name", v.name);
        cli_json_string(g, "time", cuzk_verdict_text(v.time));
        cli_json_string(g, "memory", cuzk_verdict_memory_text(v.memory));
        json_interval(g, "ms", v.ms);
        json_interval(g, "peak_kb", v.peak_kb);
        cli_json_string(g, "phase", v.n_shares ? v.share[0].name : "");
        yajl_gen_map_close(g);
    }
    yajl_gen_array_close(g);
    cli_json_end(g);
}

static cuzk_status write_reports(const diagnose_args *a, const cuzk_diagnosis *d, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    if (a->out_path)
        st = cuzk_diagnosis_write_json(d, a->out_path, err);
    if (st == CUZK_OK && a->report_path)
        st = cuzk_diagnosis_write_html(d, a->report_path, err);
    return st;
}

/* ---- verb ---- */

static cuzk_status diagnose(cuzk_diagnosis **d, const diagnose_args *a, workload *w, cuzk_err *err)
{
    char title[256], before[CUZK_SWITCHES_BYTES];
    cuzk_diagnose_options o = CUZK_DIAGNOSE_OPTIONS_DEFAULTS;
    snprintf(title, sizeof title, "%.200s, synthesis %s", a->workload, a->synth);
    o.switch_name = w->name;
    o.switch_about = w->about;
    o.n_switches = w->n_switches;
    o.workload = title;
    o.clock = a->clock;
    o.seed = a->seed;
    o.precision = a->precision;
    o.smallest = a->threshold;
    o.max_seconds = (double)a->max_time;
    o.min_blocks = (unsigned)a->min_blocks;
    o.max_blocks = (unsigned)a->max_blocks;
    o.state_path = a->state_path;
    o.resume = a->resume;
    o.stop = &stop_flag;
    const cuzk_diagnose_workload work = {w, run, show_progress};
    cuzk_switches_format(before, sizeof before);
    catch_signals();
    cuzk_status st = cuzk_diagnose(d, &o, &work, err);
    if (w->on_terminal)
        fprintf(stderr, "\r\033[K");
    if (st == CUZK_CANCELLED && a->state_path)
        fprintf(stderr, "cuzk: the runs are in %s: --resume goes on\n", a->state_path);
    cuzk_switches_set(before, NULL);
    return st;
}

static int report(const diagnose_args *a, workload *w)
{
    cuzk_err err = {0};
    cuzk_diagnosis *d = NULL;
    cuzk_status st = diagnose(&d, a, w, &err);
    if (st == CUZK_OK)
        st = write_reports(a, d, &err);
    if (st == CUZK_OK && a->common.json)
        print_json(d, a->seed);
    else if (st == CUZK_OK)
        print_text(d);
    cuzk_diagnosis_free(d);
    return st == CUZK_OK ? 0 : cli_fail(a->common.json, st, &err);
}

int cmd_diagnose(int argc, char **argv)
{
    int exit_code = 0;
    cuzk_err err = {0};
    diagnose_args a = {.switches = "A1,A2,A4,B1,D4",
                       .workload = "winning-2k",
                       .synth = "compiled",
                       .clock = "wall",
                       .partition = UINT64_MAX,
                       .seed = 1};
    workload w = {.args = &a, .monitor = -1, .on_terminal = isatty(STDERR_FILENO)};
    if (!parse_args(&a, argc, argv, &exit_code))
        return exit_code;
    setenv("CUZK_LOG", "error", 0); /* each run would warn anew of test parameters */
    if (!parse_switches(&w, a.switches))
        return CLI_EXIT_USAGE;
    w.cpu = strcmp(a.clock, "cpu") == 0;
    w.by_messages = w.cpu;
    for (unsigned i = 0; i < w.n_switches; i++)
        w.by_messages = w.by_messages || strcmp(w.name[i], "spans") == 0;
    cuzk_status st = bench_open_request(&w.req, a.workload, NULL, &err);
    if (st != CUZK_OK)
        return cli_fail(a.common.json, st, &err);
    cuzk_request_describe(&w.info, w.req);
    fprintf(stderr, "diagnose: seed %llu\n", (unsigned long long)a.seed);
    exit_code = report(&a, &w);
    cuzk_request_close(w.req);
    return exit_code;
}

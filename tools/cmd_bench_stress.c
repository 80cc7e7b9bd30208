/* cuzk bench stress: many callers at once, on the engine in this process or on a daemon.
 *
 * Arrival k is due at k / rate; without a rate, as soon as a caller is free. A caller takes the
 * next arrival, waits until it is due, and proves. Times count from when the arrival was due, so
 * that a system that falls behind does not look fast. */
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "cuzk/client.h"

#define MAX_CALLERS 512u

typedef struct {
    bench_prover b;
    uint64_t concurrency, jobs, rate; /* rate: arrivals an hour; 0: none */
    const char *connect;              /* NULL: in this process */
    const char *request[BENCH_MAX_REQUESTS];
    unsigned n_requests;
} stress_args;

/* One of the kinds of requests. */
typedef struct {
    char made[CUZK_PATH_BYTES]; /* folder of a made-up request, else "" */
    const char *path;
    char circuit[24];
    cuzk_client_files *files; /* with a daemon */
    cuzk_client_request wire;
} stress_kind;

typedef struct {
    bool done;
    double latency_ms, queue_ms;
    unsigned n_partitions;
    cuzk_status st;
} arrival;

typedef struct {
    const stress_args *a;
    stress_kind kind[BENCH_MAX_REQUESTS];
    cuzk_bench_engine *engine;
    cuzk_client *client;
    arrival *job; /* a->jobs; each is written by the caller that took it */
    atomic_uint_fast64_t next;
    double begin;
    pthread_mutex_t lock; /* guards first_error */
    cuzk_err first_error;
} stress;

static cuzk_status prove_here(stress *s, const stress_kind *k, arrival *j, cuzk_err *err)
{
    cuzk_bench_job job = {0, 0, 0};
    cuzk_status st = cuzk_bench_engine_prove(s->engine, k->path, &job, err);
    j->queue_ms = (double)job.queue_ms;
    j->n_partitions = job.n_partitions;
    return st;
}

static cuzk_status prove_there(stress *s, const stress_kind *k, arrival *j, cuzk_err *err)
{
    cuzk_client_result result = {0};
    cuzk_status st = cuzk_client_prove(s->client, &k->wire, 0, &result, err);
    if (st == CUZK_OK && result.status != CUZK_JOB_COMPLETED) {
        st = CUZK_INTERNAL;
        snprintf(err->msg, sizeof err->msg, "%.400s", result.error_message);
    }
    err->status = st;
    j->queue_ms = (double)result.queue_wait_ms;
    j->n_partitions = (unsigned)(result.n_proof_bytes / CUZK_PROOF_BYTES);
    cuzk_client_result_fini(&result);
    return st;
}

static void sleep_until(double when)
{
    double s = when - cli_now();
    if (s <= 0)
        return;
    struct timespec t = {(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};
    while (nanosleep(&t, &t) != 0)
        continue;
}

static void run_arrival(stress *s, uint64_t i)
{
    arrival *j = &s->job[i];
    const stress_kind *k = &s->kind[i % s->a->n_requests];
    cuzk_err err = {0};
    double due = cli_now();
    if (s->a->rate > 0) {
        due = s->begin + (double)i * 3600 / (double)s->a->rate;
        sleep_until(due);
    }
    j->st = s->client ? prove_there(s, k, j, &err) : prove_here(s, k, j, &err);
    j->latency_ms = (cli_now() - due) * 1e3;
    j->done = true;
    if (j->st == CUZK_OK)
        return;
    pthread_mutex_lock(&s->lock);
    if (s->first_error.status == CUZK_OK)
        s->first_error = err;
    pthread_mutex_unlock(&s->lock);
}

static void *caller(void *ctx)
{
    stress *s = ctx;
    for (uint64_t i; (i = atomic_fetch_add(&s->next, 1)) < s->a->jobs;)
        run_arrival(s, i);
    return NULL;
}

/* ---- before and after ---- */

static cuzk_status open_kind(stress_kind *k, const char *name, bool wire, cuzk_err *err)
{
    cuzk_request *req = NULL;
    cuzk_request_info info;
    cuzk_status st = bench_open_request(&req, name, k->made, err);
    if (st != CUZK_OK)
        return st;
    cuzk_request_describe(&info, req);
    snprintf(k->circuit, sizeof k->circuit, "%s", info.circuit);
    cuzk_request_close(req);
    k->path = k->made[0] ? k->made : name;
    return wire ? cuzk_client_files_read(&k->files, &k->wire, k->path, err) : CUZK_OK;
}

static cuzk_status prepare(stress *s, const cuzk_prover_options *options, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    const char *address = s->a->connect;
    s->job = calloc(s->a->jobs, sizeof *s->job);
    if (!s->job)
        return err->status = CUZK_NOMEM;
    for (unsigned i = 0; i < s->a->n_requests && st == CUZK_OK; i++)
        st = open_kind(&s->kind[i], s->a->request[i], address != NULL, err);
    if (st != CUZK_OK)
        return st;
    return address ? cuzk_client_connect(&s->client, address, 5000, err)
                   : cuzk_bench_engine_new(&s->engine, options, err);
}

static void clean_up(stress *s)
{
    cuzk_client_close(s->client);
    cuzk_bench_engine_free(s->engine);
    for (unsigned i = 0; i < s->a->n_requests; i++) {
        cuzk_client_files_free(s->kind[i].files);
        if (s->kind[i].made[0])
            bench_remove_folder(s->kind[i].made);
    }
    free(s->job);
}

/* Each kind once, uncounted: parameters are loaded then. */
static cuzk_status warm_up(stress *s, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    for (unsigned i = 0; i < s->a->n_requests && st == CUZK_OK; i++) {
        arrival unused = {.done = false};
        st = s->client ? prove_there(s, &s->kind[i], &unused, err)
                       : prove_here(s, &s->kind[i], &unused, err);
    }
    return st;
}

static cuzk_status run_callers(stress *s, cuzk_err *err)
{
    pthread_t thread[MAX_CALLERS];
    unsigned n = 0, want = (unsigned)s->a->concurrency;
    s->begin = cli_now();
    while (n < want && pthread_create(&thread[n], NULL, caller, s) == 0)
        n++;
    if (n < want)
        atomic_store(&s->next, s->a->jobs);
    for (unsigned i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
    if (n == want)
        return CUZK_OK;
    snprintf(err->msg, sizeof err->msg, "bench stress: only %u of %u threads could be made", n,
             want);
    return err->status = CUZK_NOMEM;
}

/* ---- results ---- */

static void collect(bench_report *r, const stress *s, double seconds)
{
    uint64_t n_good = 0, n_partitions = 0;
    for (uint64_t i = 0; i < s->a->jobs; i++) {
        const arrival *j = &s->job[i];
        char name[64];
        if (!j->done || j->st != CUZK_OK)
            continue;
        snprintf(name, sizeof name, "latency %s", s->kind[i % s->a->n_requests].circuit);
        bench_sample(r, name, "ms", j->latency_ms);
        snprintf(name, sizeof name, "queue %s", s->kind[i % s->a->n_requests].circuit);
        bench_sample(r, name, "ms", j->queue_ms);
        n_good++;
        n_partitions += j->n_partitions;
    }
    bench_sample(r, "total", "ms", seconds * 1e3);
    bench_add_rate(r, "proofs", "1/h", (double)n_good / seconds * 3600);
    bench_add_rate(r, "partitions", "1/h", (double)n_partitions / seconds * 3600);
    bench_add_rate(r, "failed", "jobs", (double)(s->a->jobs - n_good));
}

static cuzk_status run(bench_report *r, const stress_args *a, const cuzk_prover_options *options,
                       cuzk_err *err)
{
    stress *s = calloc(1, sizeof *s);
    if (!s)
        return err->status = CUZK_NOMEM;
    s->a = a;
    pthread_mutex_init(&s->lock, NULL);
    cuzk_status st = prepare(s, options, err);
    if (st == CUZK_OK)
        st = warm_up(s, err);
    if (st == CUZK_OK) {
        cli_progress *progress = cli_progress_start("bench stress");
        st = run_callers(s, err);
        cli_progress_stop(progress);
    }
    if (st == CUZK_OK)
        collect(r, s, cli_now() - s->begin);
    if (st == CUZK_OK && s->first_error.status != CUZK_OK)
        fprintf(stderr, "cuzk: bench stress: the first failure: %s\n", s->first_error.msg);
    clean_up(s);
    pthread_mutex_destroy(&s->lock);
    free(s);
    return st;
}

/* ---- verb ---- */

static bool parse(stress_args *a, int argc, char **argv, int *exit_code)
{
    const cli_option options[] = {
        {"concurrency", CLI_UINT, &a->concurrency, "N", "callers at once; default: 4"},
        {"jobs", CLI_UINT, &a->jobs, "N", "proofs in all, kinds in turns; default: 20"},
        {"rate", CLI_UINT, &a->rate, "N",
         "arrivals an hour, evenly; default: as soon as a caller is free"},
        {"connect", CLI_STRING, &a->connect, "ADDRESS",
         "of a daemon; default: the engine in this process"},
        {"synth", CLI_STRING, &a->b.synth, "HOW", "compiled (default) or interpreted"},
        CLI_OPT_OPTS(a->b.common),
        CLI_OPT_THREADS(a->b.common),
        CLI_OPT_PARAMS(a->b.common),
        CLI_OPT_JSON(a->b.common),
    };
    static const char *const names[] = {"REQUEST"};
    const cli_command cmd = {
        "bench stress REQUEST... [options]",
        "N callers send the requests (folders, or names of circuits) in turns and wait for their\n"
        "proofs. Latency counts from when a job was due. --threads, --params and --opts belong to\n"
        "the engine in this process, not to a daemon. Exit code 0 also when jobs failed: see the\n"
        "line \"failed\".",
        options,
        sizeof options / sizeof options[0],
        names,
        1};
    if (!cli_parse_many(&cmd, argc, argv, a->request, BENCH_MAX_REQUESTS, &a->n_requests,
                        exit_code))
        return false;
    if (a->concurrency > 0 && a->concurrency <= MAX_CALLERS && a->jobs > 0 && a->jobs <= 1000000)
        return true;
    fprintf(stderr,
            "cuzk: bench stress: --concurrency (at most %u) or --jobs (at most 1000000) is "
            "out of range\n",
            MAX_CALLERS);
    *exit_code = CLI_EXIT_USAGE;
    return false;
}

int bench_stress(int argc, char **argv)
{
    int exit_code = 0;
    stress_args a = {.b = BENCH_PROVER_DEFAULTS, .concurrency = 4, .jobs = 20};
    cuzk_prover_options options;
    if (!parse(&a, argc, argv, &exit_code) || !bench_prover_options(&a.b, &options, &exit_code))
        return exit_code;
    bench_report r;
    cuzk_err err = {0};
    bench_report_init(&r, "stress");
    for (unsigned i = 0; i < a.n_requests; i++)
        bench_request(&r, a.request[i]);
    bench_setting(&r, "concurrency", a.concurrency);
    bench_setting(&r, "jobs", a.jobs);
    bench_setting(&r, "rate", a.rate);
    bench_setting_threads(&r, a.b.common.threads);
    bench_setting(&r, "daemon", a.connect != NULL);
    r.how = a.b.synth;
    cuzk_status st = run(&r, &a, &options, &err);
    exit_code =
        st == CUZK_OK ? bench_print(&r, a.b.common.json) : cli_fail(a.b.common.json, st, &err);
    bench_report_fini(&r);
    return exit_code;
}

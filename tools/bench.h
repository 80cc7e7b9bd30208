/* What the verbs of `cuzk bench` share: series of samples, their table and their JSON object
 * (docs/bench.md). */
#ifndef CUZK_TOOLS_BENCH_H
#define CUZK_TOOLS_BENCH_H

#include "cli.h"
#include "cuzk/bench.h"

#define BENCH_MAX_REQUESTS 16

typedef struct {
    char name[64];
    const char *unit; /* "ms", "ns", "bytes" */
    double *value;
    size_t n, cap;
} bench_series;

typedef struct {
    char name[64];
    const char *unit;
    double value;
} bench_rate;

#define BENCH_MAX_RATES 64
typedef struct {
    const char *bench; /* "prove" */
    char started[32];  /* UTC */
    const char *request[BENCH_MAX_REQUESTS];
    unsigned n_requests;
    struct {
        const char *name;
        uint64_t value;
    } setting[12]; /* of the workload: iterations, threads, ... */
    unsigned n_settings;
    const char *how; /* "compiled", "interpreted"; NULL: does not apply */
    bench_series *series;
    size_t n_series;
    bench_rate rate[BENCH_MAX_RATES];
    unsigned n_rates;
    bool out_of_memory; /* a sample was lost */
} bench_report;

void bench_report_init(bench_report *r, const char *bench);
void bench_report_fini(bench_report *r);
void bench_request(bench_report *r, const char *path); /* by its last component */
void bench_setting(bench_report *r, const char *name, uint64_t value);
void bench_setting_threads(bench_report *r, uint64_t threads); /* 0: as many as there are cores */
/* Appends a sample to the series of that name, which is made at first. unit is kept. */
void bench_sample(bench_report *r, const char *name, const char *unit, double value);
/* A sample for each phase of a job, summed over its partitions. */
void bench_phases(bench_report *r, const cuzk_trace *trace);
void bench_add_rate(bench_report *r, const char *name, const char *unit, double value);
const bench_series *bench_find(const bench_report *r, const char *name); /* NULL: none */
double bench_min(const bench_series *s);
double bench_median(const bench_series *s);
double bench_max(const bench_series *s);

/* Result on stdout: a table, or one JSON object. Returns the exit code. */
int bench_print(const bench_report *r, bool json);

/* The parts of the object, for members in between. */
yajl_gen bench_json_begin(const bench_report *r);
void bench_json_end(yajl_gen g, const bench_report *r);

double bench_cpu_ms(void); /* of this process so far, all threads */

/* A path, else the name of a circuit, for which a request is made up. keep: NULL, or receives the
 * folder of a made-up request (CUZK_PATH_BYTES; empty for a path), to be removed by
 * bench_remove_folder; else it is removed at once. */
cuzk_status bench_open_request(cuzk_request **req, const char *name, char *keep, cuzk_err *err);
void bench_remove_folder(const char *dir);

/* Common options of prove, batch and stress: prover, switches. */
typedef struct {
    cli_common common;
    const char *srs, *synth;
    bool insecure_test_rs;
} bench_prover;
#define BENCH_PROVER_DEFAULTS                                                                      \
    {                                                                                              \
        .srs = "resident", .synth = "compiled"                                                     \
    }
/* Fills options; applies --opts. False: *exit_code says so. */
bool bench_prover_options(const bench_prover *b, cuzk_prover_options *out, int *exit_code);

/* One per verb: cmd_bench_*.c. argv[0] is the verb. */
int bench_synth(int argc, char **argv);
int bench_prove(int argc, char **argv);
int bench_batch(int argc, char **argv);
int bench_stress(int argc, char **argv);
int bench_micro(int argc, char **argv);

#endif

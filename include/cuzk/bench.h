/* Measurements of parts of the prover. */
#ifndef CUZK_BENCH_H
#define CUZK_BENCH_H

#include "cuzk/cuzk.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CUZK_BENCH_MAX_ITERATIONS 64

typedef struct {
    uint64_t wall_ns, cpu_ns; /* cpu: all threads of the process */
} cuzk_bench_time;

typedef struct {
    size_t size;         /* sizeof(cuzk_bench_synth_options) */
    unsigned iterations; /* at most CUZK_BENCH_MAX_ITERATIONS; 0: 3 */
    unsigned partition;
    unsigned n_threads; /* 0: all that the process may use */
    bool witness_only;  /* no rows: no memory for a and b */
    bool check;         /* afterwards evaluate A, B and C of every row slowly and compare */
} cuzk_bench_synth_options;
#define CUZK_BENCH_SYNTH_OPTIONS_DEFAULTS                                                          \
    {                                                                                              \
        sizeof(cuzk_bench_synth_options), 0, 0, 0, false, false                                    \
    }

/* Gadget calls of one kind that share a template or its variants. */
typedef struct {
    char name[24];
    uint32_t parameter;
    uint64_t n_templates, n_instances, n_rows; /* rows of all instances */
} cuzk_bench_templates;

#define CUZK_BENCH_MAX_TEMPLATES 32

typedef struct {
    char circuit[24];
    unsigned iterations, n_threads;
    uint64_t n_inputs, n_aux, n_rows, n_bits, n_fields, n_ones; /* ones: bits that are set */
    uint64_t n_generic_rows, n_templates, n_instances;
    uint64_t compiled_bytes, witness_bytes, row_bytes;
    /* resident set of the process at most: after compiling, after the first witness, at the end */
    uint64_t peak_rss_compiled, peak_rss_witness, peak_rss_end;
    cuzk_bench_time compile, row_memory; /* row_memory: taking memory for a and b, once */
    cuzk_bench_time witness[CUZK_BENCH_MAX_ITERATIONS], rows[CUZK_BENCH_MAX_ITERATIONS];
    size_t n_kinds;
    cuzk_bench_templates kind[CUZK_BENCH_MAX_TEMPLATES];
} cuzk_bench_synth_result;

/* Synthesis alone: compiles the circuit of the request, then, again and again, fills the witness of
 * one partition and evaluates its rows. */
cuzk_status cuzk_bench_synth(cuzk_bench_synth_result *out, const cuzk_request *req,
                             const cuzk_bench_synth_options *opt, cuzk_err *err);

/* ---- the machine and this build ---- */

typedef struct {
    char cpu[96];       /* model name */
    unsigned cores;     /* that this process may use */
    const char *path;   /* arithmetic in use: "ifma", ... */
    char features[128]; /* those that matter here, separated by spaces */
    uint64_t memory_bytes;
    char kernel[64];
    const char *version, *commit, *compiler; /* commit: of the last configuration of the build */
} cuzk_bench_machine;

void cuzk_bench_describe(cuzk_bench_machine *out);

/* ---- parts: field, ntt, msm, gadgets ---- */

typedef struct {
    size_t size;
    const char *group;  /* "field", "ntt", "msm", "gadgets"; NULL: all */
    const char *only;   /* cases with this in their name; NULL: all */
    unsigned samples;   /* at most CUZK_BENCH_MAX_ITERATIONS; 0: 5 */
    unsigned n_threads; /* of ntt and msm; 0: all that the process may use */
    size_t n;           /* size of ntt (a power of two) and msm; 0: 2^16 */
} cuzk_bench_micro_options;
#define CUZK_BENCH_MICRO_OPTIONS_DEFAULTS                                                          \
    {                                                                                              \
        sizeof(cuzk_bench_micro_options), NULL, NULL, 0, 0, 0                                      \
    }

typedef struct {
    char name[48];   /* "field fp_mul latency", "msm g1 2^16" */
    double items;    /* elements or points that a sample handles */
    double bound_ns; /* one sample at the bound of the multipliers (docs/field.md); 0: none */
    uint64_t scratch_bytes; /* msm: taken meanwhile, at most (the peak is the process's) */
    unsigned n;             /* samples, after an uncounted run */
    double ns[CUZK_BENCH_MAX_ITERATIONS];     /* wall time */
    double cpu_ns[CUZK_BENCH_MAX_ITERATIONS]; /* processor time of all threads */
} cuzk_bench_micro_case;

/* Measures case after case and calls report for each. CUZK_INVAL: no such group or case. */
cuzk_status cuzk_bench_micro(const cuzk_bench_micro_options *opt,
                             void (*report)(void *ctx, const cuzk_bench_micro_case *c), void *ctx,
                             cuzk_err *err);

/* ---- the engine inside this process: queue and scheduler as in the daemon, without a wire ---- */

/* Unless CUZK_LOG is set, only warnings are logged. */
typedef struct cuzk_bench_engine cuzk_bench_engine;

cuzk_status cuzk_bench_engine_new(cuzk_bench_engine **out, const cuzk_prover_options *opt,
                                  cuzk_err *err);
void cuzk_bench_engine_free(cuzk_bench_engine *e); /* no call may be in progress */

typedef struct {
    uint64_t queue_ms, total_ms; /* as the engine saw them */
    unsigned n_partitions;
} cuzk_bench_job;
/* Submits the request folder at path as a new job and waits for its proof, which is dropped. Any
 * number of threads. */
cuzk_status cuzk_bench_engine_prove(cuzk_bench_engine *e, const char *path, cuzk_bench_job *out,
                                    cuzk_err *err);

#ifdef __cplusplus
}
#endif
#endif

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

#ifdef __cplusplus
}
#endif
#endif

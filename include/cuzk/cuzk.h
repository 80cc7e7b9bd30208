/* cuzk: Filecoin's Groth16 proofs as a C library.
 *
 * Open a request, make a prover, prove, verify. All functions are thread-safe unless they say
 * otherwise; every failure returns a status and fills *err (may be NULL) with a sentence for
 * people. Ownership: what *_new, *_open give is released by the matching *_free, *_close.
 */
#ifndef CUZK_CUZK_H
#define CUZK_CUZK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cuzk/error.h"
#include "cuzk/trace.h"

#ifdef __cplusplus
#include <atomic>
typedef std::atomic_bool cuzk_flag;
#else
#include <stdatomic.h>
typedef atomic_bool cuzk_flag;
#endif

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define CUZK_PROOF_BYTES    192
#define CUZK_ALL_PARTITIONS (-1)

const char *cuzk_version(void);    /* "0.1.0" */
const char *cuzk_arithmetic(void); /* which arithmetic runs: "generic", "adx", ... */

/* ---- requests ---- */

typedef struct proof_request cuzk_request;

typedef struct {
    const char *kind;             /* "porep", "winning", "window", "update" */
    const char *registered_proof; /* "StackedDrg2KiBV1_1" */
    char circuit[24];             /* "porep-2k" */
    uint64_t sector_bytes;
    unsigned n_partitions; /* a full proof has n_partitions * CUZK_PROOF_BYTES bytes */
} cuzk_request_info;

/* path: a request folder, or the request.json in one (docs/requests.md). */
cuzk_status cuzk_request_open(cuzk_request **out, const char *path, cuzk_err *err);
void cuzk_request_close(cuzk_request *req);
void cuzk_request_describe(cuzk_request_info *out, const cuzk_request *req);

/* ---- prover ---- */

typedef struct cuzk_prover cuzk_prover;

/* Where the points of the parameters are while a proof is made. Streamed: read from the file in
 * chunks, once a proof; less memory, the same bytes. Auto: resident when that fits into memory. */
typedef enum { CUZK_SRS_RESIDENT, CUZK_SRS_STREAMED, CUZK_SRS_AUTO } cuzk_srs_mode;

typedef struct {
    size_t size;            /* sizeof(cuzk_prover_options) */
    const char *params_dir; /* NULL: $FIL_PROOFS_PARAMETER_CACHE, then the established default */
    unsigned n_threads;     /* 0: all that the process may use */
    bool insecure_test_rs;  /* published r, s: golden proofs, only with test parameters */
    bool interpreted;       /* run circuits row by row instead of compiled: slow, for comparison */
    cuzk_srs_mode srs;
    /* Budget of everything big: parameters, compiled circuits, proofs. 0: what machine, control
     * groups and limits allow, less memory_margin; and no proof starts that needs more than is
     * available at that moment. */
    uint64_t max_memory;
    uint64_t memory_margin; /* 0: a sixteenth, at most 5 GiB */
    /* Parameters used within so many seconds are kept, even when a proof has to wait for memory, as
     * long as any other is being made. */
    unsigned eviction_min_idle_s;
    /* Self-made parameters for 32 and 64 GiB, with a warning in the log. insecure_test_rs implies
     * it. */
    bool allow_insecure_params;
    /* Where digests of parameter files are kept. NULL: $XDG_CACHE_HOME/cuzk, ~/.cache/cuzk or
     * /var/cache/cuzk; "": nowhere. Not the folder of the parameters. */
    const char *cache_dir;
} cuzk_prover_options;
#define CUZK_PROVER_OPTIONS_DEFAULTS                                                               \
    {                                                                                              \
        sizeof(cuzk_prover_options), NULL, 0, false, false, CUZK_SRS_RESIDENT, 0, 0, 0, false,     \
            NULL                                                                                   \
    }

cuzk_status cuzk_prover_new(cuzk_prover **out, const cuzk_prover_options *opt, cuzk_err *err);
void cuzk_prover_free(cuzk_prover *p); /* no call may be in progress */
const char *cuzk_prover_params_dir(const cuzk_prover *p);

typedef void (*cuzk_progress_fn)(void *ctx, const char *phase, int partition);

typedef struct {
    size_t size;
    int partition;             /* one partition, or CUZK_ALL_PARTITIONS */
    cuzk_trace *trace;         /* NULL: no timing */
    const cuzk_flag *cancel;   /* NULL: cannot be cancelled; looked at within phases too */
    cuzk_progress_fn progress; /* NULL: silent; called at the start of each phase */
    void *progress_ctx;
    /* NULL, or told once, before anything is loaded, what the proof will need and how much is
     * there; sentence is valid during the call. */
    void (*memory_notice)(void *ctx, const char *sentence, bool streamed);
    void *memory_ctx;
} cuzk_prove_options;
#define CUZK_PROVE_OPTIONS_DEFAULTS                                                                \
    {                                                                                              \
        sizeof(cuzk_prove_options), CUZK_ALL_PARTITIONS, NULL, NULL, NULL, NULL, NULL, NULL        \
    }

/* Checks the vanilla proof, loads parameters that are not loaded yet, proves and verifies its own
 * proof. *proof (release with cuzk_bytes_free) has CUZK_PROOF_BYTES a partition, in order.
 * CUZK_UNSATISFIED (bad vanilla proof), CUZK_PARAMS, CUZK_CORRUPT, CUZK_CANCELLED, CUZK_MEMORY
 * and CUZK_BUDGET (does not fit into the budget, is not available now: found out before anything is
 * loaded), CUZK_NOMEM, ... When it fits once others are done, it waits. */
cuzk_status cuzk_prover_prove(cuzk_prover *p, const cuzk_request *req,
                              const cuzk_prove_options *opt, uint8_t **proof, size_t *n_bytes,
                              cuzk_err *err);
void cuzk_bytes_free(uint8_t *bytes);

/* ---- verification ---- */

/* n_bytes must be exactly that of all partitions, or of one when partition is given. CUZK_OK:
 * valid; CUZK_REJECTED: not valid; CUZK_ENCODING: not n * 192 bytes or not points. Needs the .vk
 * only. */
cuzk_status cuzk_verify(const cuzk_request *req, const uint8_t *proof, size_t n_bytes,
                        int partition, const char *params_dir, cuzk_err *err);

/* ---- parameters ---- */

typedef struct {
    uint64_t file_bytes;
    size_t n_ic, n_h, n_l, n_a, n_b;
    char circuit[24]; /* the circuit that a file of this name belongs to; "" when unknown */
    bool insecure;    /* made from the published test secrets */
} cuzk_params_description;

/* Makes DIR/<established name>.params and .vk from the published test secrets: insecure by design.
 * Uses what another has made or is making there; CUZK_EXISTS when something else has that name: it
 * is never overwritten. params_path (CUZK_PATH_BYTES) receives where. */
#define CUZK_PATH_BYTES 4096
cuzk_status cuzk_params_make_insecure(const char *circuit, const char *dir, unsigned n_threads,
                                      cuzk_trace *trace, char params_path[CUZK_PATH_BYTES],
                                      cuzk_err *err);
cuzk_status cuzk_params_describe(cuzk_params_description *out, const char *path, cuzk_err *err);
/* Is it, byte for byte, Filecoin's file of that name? Reads all of it, once. */
typedef struct {
    char circuit[24];  /* as above */
    char digest[33];   /* the first 16 bytes of BLAKE2b-512 of the file, in hex */
    char expected[33]; /* that of Filecoin's file; "" when there is none */
    bool published;    /* the two are equal */
    bool real;         /* 32 or 64 GiB: nothing but Filecoin's file is used without
                        * allow_insecure_params */
} cuzk_params_origin;
cuzk_status cuzk_params_identify(cuzk_params_origin *out, const char *path, cuzk_err *err);
/* Every count, coordinate, curve equation and subgroup. */
cuzk_status cuzk_params_verify(const char *path, unsigned n_threads, cuzk_err *err);

/* ---- circuits ---- */

typedef struct {
    uint64_t n_inputs, n_aux, n_rows; /* inputs with ONE; rows without the appended input rows */
    uint64_t nnz_a, nnz_b, nnz_c;     /* non-zero terms, input rows left out */
    uint64_t longest_a, longest_b, longest_c;
    uint64_t density_a_aux, density_b_aux, density_b_inputs;
    uint8_t digest[32]; /* BLAKE2s-256 of the R1CS (docs/circuit.md) */
} cuzk_circuit_summary;

typedef struct {
    uint64_t n_inputs, n_aux, n_rows;
    uint64_t zero_or_one; /* aux values that are 0 or 1 */
    bool satisfied;
    uint64_t first_bad_row; /* when not satisfied */
    uint8_t inputs_sha256[32], aux_sha256[32];
} cuzk_witness_summary;

/* blocks: NULL, or receives a digest a line for each 65,536 rows. */
cuzk_status cuzk_circuit_digest(cuzk_circuit_summary *out, const char *circuit, FILE *blocks,
                                cuzk_err *err);
/* blocks: NULL, or receives a digest a line for each 65,536 aux values. */
cuzk_status cuzk_circuit_witness(cuzk_witness_summary *out, const cuzk_request *req,
                                 unsigned partition, FILE *blocks, cuzk_err *err);
/* The i-th registered circuit with its counts and the file stem of its parameters; false past the
 * end. */
typedef struct {
    char name[24];
    char stem[256];
    uint64_t n_inputs, n_aux, n_rows; /* inputs with ONE; rows without the appended input rows */
    unsigned lg_domain;
    uint64_t params_bytes;
} cuzk_circuit_entry;
bool cuzk_circuit_at(cuzk_circuit_entry *out, size_t i);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

/* Groth16 over BLS12-381: parameters, prover, verifier (gadgets.md section 1, formats.md 7). */
#ifndef CUZK_GROTH16_GROTH16_H
#define CUZK_GROTH16_GROTH16_H

#include <stdatomic.h>

#include "base/error.h"
#include "base/pool.h"
#include "base/trace.h"
#include "circuit/cs.h"
#include "compiled/compiled.h"
#include "curve/g1.h"
#include "curve/g2.h"

#define GROTH16_PROOF_BYTES 192

typedef struct {
    g1_affine a, c;
    g2_affine b;
} groth16_proof;

typedef struct {
    g1_affine alpha_g1, beta_g1, delta_g1;
    g2_affine beta_g2, gamma_g2, delta_g2;
    size_t n_ic; /* public inputs + 1 */
    g1_affine *ic;
} groth16_vk;

typedef struct srs_file srs_file;

/* Proving key: the points of a .params file, decoded (resident), or the open file (streamed).
 * Immutable after load; any number of proofs may use it. */
typedef struct {
    groth16_vk vk;
    size_t n_h, n_l, n_a, n_b;
    srs_file *file; /* NULL: resident. Otherwise the vectors below are NULL */
    g1_affine *h, *l, *a, *b_g1;
    g2_affine *b_g2;
} groth16_srs;

/* ---- files ---- */
cuzk_status cuzk_vk_read(groth16_vk *out, const char *path, cuzk_err *err);
cuzk_status cuzk_vk_write(const groth16_vk *vk, const char *path, cuzk_err *err);
/* The key at the start of a .params file. */
cuzk_status cuzk_params_read_vk(groth16_vk *out, const char *path, cuzk_err *err);
void cuzk_vk_fini(groth16_vk *vk);

/* Loads a .params file: exact size, canonical coordinates, curve equation and no identity anywhere;
 * errors name file, section and index. The subgroup is not checked here (see params check). */
cuzk_status cuzk_srs_read(groth16_srs *out, const char *path, cuzk_pool *pool, cuzk_err *err);
/* Opens it for streaming: only vk and counts are read now. Proving reads and checks the points in
 * bounded chunks, so what cuzk_srs_read would have found is found by the proof. The file stays open
 * until fini. */
cuzk_status cuzk_srs_open(groth16_srs *out, const char *path, cuzk_err *err);
void cuzk_srs_fini(groth16_srs *srs);

typedef struct {
    uint64_t file_bytes;
    size_t n_ic, n_h, n_l, n_a, n_b;
} groth16_params_info;
/* Counts from the section headers; CUZK_PARAMS when they do not add up to the file size. */
cuzk_status cuzk_params_info(groth16_params_info *out, const char *path, cuzk_err *err);
/* Everything cuzk_srs_read checks, and the subgroup of every point. */
cuzk_status cuzk_params_check(const char *path, cuzk_pool *pool, cuzk_err *err);

/* ---- setup ---- */
typedef struct {
    fr alpha, beta, gamma, delta, tau;
} groth16_secrets;
/* Writes params_path and vk_path for the (blank) circuit. Whoever runs this knows the secrets. */
cuzk_status cuzk_groth16_setup(const cs_circuit *circuit, const groth16_secrets *secrets,
                               const char *params_path, const char *vk_path, cuzk_pool *pool,
                               cuzk_trace *trace, cuzk_err *err);

/* ---- prove ---- */
typedef struct {
    cuzk_pool *pool;   /* NULL: one thread */
    cuzk_trace *trace; /* NULL: no timing */
    int partition;     /* for spans and messages */
    const fr *r, *s;   /* both NULL: drawn from the kernel and wiped */
    /* The circuit compiled: witness and rows come from it, with the same proof bytes. NULL, or when
     * check_witness is set: the circuit is interpreted. */
    const compiled_circuit *compiled;
    bool check_witness; /* evaluate C too and fail with CUZK_UNSATISFIED naming the first bad row */
    const atomic_bool *cancel; /* NULL: cannot be cancelled; looked at between phases */
    /* NULL, or called as a phase begins. */
    void (*progress)(void *ctx, const char *phase, int partition);
    void *progress_ctx;
} groth16_prove_options;
cuzk_status cuzk_groth16_prove(groth16_proof *out, const cs_circuit *circuit,
                               const groth16_srs *srs, const groth16_prove_options *opt,
                               cuzk_err *err);

/* ---- verify ---- */
/* inputs: public inputs without ONE; n_inputs must be vk->n_ic - 1 (CUZK_INVAL otherwise).
 * CUZK_OK: valid; CUZK_REJECTED: not valid. Points of the proof were checked by the decoder. */
cuzk_status cuzk_groth16_verify(const groth16_vk *vk, const groth16_proof *proof, const fr inputs[],
                                size_t n_inputs, cuzk_err *err);
/* The same, on a pool. */
cuzk_status cuzk_groth16_verify_on(cuzk_pool *pool, const groth16_vk *vk,
                                   const groth16_proof *proof, const fr inputs[], size_t n_inputs,
                                   cuzk_err *err);
/* All of n proofs under one key at once, with random coefficients; inputs: n rows of n_inputs. */
cuzk_status cuzk_groth16_verify_batch(const groth16_vk *vk, const groth16_proof proof[],
                                      const fr *const inputs[], size_t n_inputs, size_t n,
                                      cuzk_err *err);

/* ---- proof codec: A || B || C compressed, 48 + 96 + 48 bytes ---- */
void cuzk_proof_write(uint8_t out[GROTH16_PROOF_BYTES], const groth16_proof *proof);
/* Canonical, on curve, in the subgroup, no identity; CUZK_ENCODING names the element otherwise. */
cuzk_status cuzk_proof_read(groth16_proof *out, const uint8_t in[GROTH16_PROOF_BYTES],
                            cuzk_err *err);

#endif

/* Full-size requests without a sealed sector: for tests and benchmarks of provers.
 *
 * The vanilla proofs hold and every verifier accepts them, yet no sector was ever sealed: trees
 * are sparse, or repeat themselves, and nodes that nothing constrains are pseudo-random
 * (docs/synth.md). The output is an ordinary request folder; nothing in the prover can know that
 * it is synthetic.
 */
#ifndef CUZK_SYNTH_H
#define CUZK_SYNTH_H

#include <stddef.h>
#include <stdint.h>

#include "cuzk/error.h"
#include "cuzk/trace.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct {
    size_t size; /* sizeof(cuzk_synth_options) */
    /* Selects the pseudo-random functions and, unless given below, ticket, challenge seed and
     * randomness. 0: the published reference functions and values (docs/synth.md). */
    uint64_t seed;
    unsigned n_threads; /* 0: all that the process may use */
    /* PoRep, Snap: only the first so many, 0 for all; Window: so many full ones, 0 for one. */
    unsigned n_partitions;
    size_t n_sectors;           /* Window: how many; 0: as n_partitions says */
    const uint64_t *sector_ids; /* Window: n_sectors, ascending; NULL: sector, sector + 1, ... */
    uint64_t sector;            /* number of the (first) sector */
    uint64_t miner;
    const char *registered_proof;           /* Rust name; NULL: the current type of the circuit */
    const uint8_t *ticket, *challenge_seed; /* PoRep: 32 bytes each, or NULL */
    const uint8_t *randomness;              /* PoSt: 32 bytes, or NULL */
    /* PoRep: data repeats after 2^this nodes; -1: all zero, a committed-capacity sector. */
    int lg_data_period;
    /* Snap: 2^lg_pieces pieces whose leaves repeat after 8^lg8_period nodes; -1: 13 and 1, or
     * what the sector is large enough for */
    int lg_pieces, lg8_period;
    cuzk_trace *trace; /* NULL: no timing */
} cuzk_synth_options;
#define CUZK_SYNTH_OPTIONS_DEFAULTS                                                                \
    {                                                                                              \
        sizeof(cuzk_synth_options), 0, 0, 0, 0, NULL, 1, 1000, NULL, NULL, NULL, NULL, -1, -1, -1, \
            NULL                                                                                   \
    }

typedef struct {
    char registered_proof[56];
    unsigned n_partitions; /* in the folder */
    size_t n_sectors;
    uint64_t n_files, n_bytes;
    /* For people and tests; canonical little-endian. PoSt: of the first sector. Snap: the new
     * ones, of comm_r_last the root of the new replica. */
    uint8_t comm_d[32], comm_c[32], comm_r_last[32], comm_r[32];
} cuzk_synth_result;

/* Makes the request folder dir for circuit ("porep-32g", "wpost-2k", "winning-8m", "snap-64g").
 * request.json is written last, so a folder that has one is complete. CUZK_EXISTS when it has
 * one already; CUZK_INVAL for options out of range; CUZK_UNSUPPORTED for proof types whose
 * challenges hang on the sealed replica (synthetic and non-interactive PoRep). out may be NULL. */
cuzk_status cuzk_synth_request(cuzk_synth_result *out, const char *circuit, const char *dir,
                               const cuzk_synth_options *opt, cuzk_err *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

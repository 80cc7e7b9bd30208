/* The pseudo-random functions that fill what no check constrains (spec circuits.md 9.2). */
#ifndef CUZK_FILECOIN_SYNTH_PRF_H
#define CUZK_FILECOIN_SYNTH_PRF_H

#include "field/fr.h"

#define SYNTH_PRF_MAX_ARGS 3

/* SHA-256(tag, args as u64 LE) with the two top bits cleared: a canonical field element. A seed
 * other than 0 is one more argument, so that each seed has functions of its own. tag: up to 16
 * characters. */
void cuzk_synth_prf(uint8_t out[32], uint64_t seed, const char *tag, unsigned n_args,
                    const uint64_t arg[]);
void cuzk_synth_prf_fr(fr *out, uint64_t seed, const char *tag, unsigned n_args,
                       const uint64_t arg[]);

/* Value of the tree node (level, index) where the tree does not hold it. */
typedef struct {
    uint64_t seed;
    const char *tag;
    bool per_sector; /* sector is an argument too, the first one */
    uint64_t sector;
} synth_node_prf;

void cuzk_synth_node(fr *out, const synth_node_prf *f, unsigned level, uint64_t index);

#endif

/* What a proof will hold in memory, from the counts of its circuit: a pure function, asked before
 * anything is loaded. Upper bounds of what comes from base/mem.h; docs/groth16.md has the sums. */
#ifndef CUZK_GROTH16_PROVE_MEMORY_H
#define CUZK_GROTH16_PROVE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t n_inputs, n_aux, n_rows; /* inputs with ONE; rows without the appended input rows */
    uint64_t n_a, n_b;                /* points of the sections a and b_g1 */
    uint64_t n_fields;                /* aux variables that are not bits; at least as many */
    bool compiled;                    /* the witness is packed, and the compiled circuit is held */
} prove_sizes;

typedef struct {
    uint64_t srs;     /* points held all the time; streamed: those of the key itself */
    uint64_t circuit; /* compiled */
    uint64_t witness;
    uint64_t rows;  /* a, b, h and the roots of unity: all gone before the sums, but for h */
    uint64_t sums;  /* the largest of the five: scalars, scratch, and the chunk when streamed */
    uint64_t total; /* srs + circuit + witness + the larger of rows and sums */
} prove_memory;

void cuzk_prove_memory(prove_memory *out, const prove_sizes *s, unsigned n_threads, bool streamed);

#endif

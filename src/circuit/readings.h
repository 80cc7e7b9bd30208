/* Readings of a circuit that need no parameters: digests, counts, witness digests and check. */
#ifndef CUZK_CIRCUIT_READINGS_H
#define CUZK_CIRCUIT_READINGS_H

#include <stdio.h>

#include "circuit/cs.h"

typedef struct {
    uint64_t n_inputs, n_aux, n_rows;       /* rows without the appended input rows */
    uint64_t nnz_a, nnz_b, nnz_c;           /* after normalisation, without input rows */
    uint64_t longest_a, longest_b, longest_c;
    uint64_t density_a_aux, density_b_aux, density_b_inputs;
    uint8_t digest[32]; /* gadgets.md section 13 */
} circuit_summary;

/* Runs the circuit twice (the digest starts with the counts). blocks, if not NULL, receives one line
 * of 32 hex digits per 65,536 rows (ORACLE.md section 2). Memory: bitmaps of 3 bits a variable. */
cuzk_status cuzk_circuit_summarize(circuit_summary *out, const cs_circuit *circuit, FILE *blocks,
                                   cuzk_err *err);

typedef struct {
    uint64_t n_inputs, n_aux, n_rows;
    uint64_t zero_or_one; /* aux values that are 0 or 1 */
    bool satisfied;
    uint64_t first_bad_row; /* when not satisfied */
    uint8_t inputs_sha256[32], aux_sha256[32];
} witness_summary;

/* Keeps all values (32 bytes a variable) to evaluate the rows. blocks as above: per 65,536 aux values. */
cuzk_status cuzk_witness_summarize(witness_summary *out, const cs_circuit *circuit, FILE *blocks,
                                   cuzk_err *err);

#endif

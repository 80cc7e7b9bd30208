/* Readings of a circuit that need no parameters: digests, counts, witness digests and check. */
#ifndef CUZK_CIRCUIT_READINGS_H
#define CUZK_CIRCUIT_READINGS_H

#include <stdio.h>

#include "circuit/cs.h"
#include "cuzk/cuzk.h"

typedef cuzk_circuit_summary circuit_summary;
typedef cuzk_witness_summary witness_summary;

/* Runs the circuit twice (the digest starts with the counts). blocks, if not NULL, receives one
 * line of 32 hex digits per 65,536 rows (docs/evidence.md). Memory: bitmaps of 3 bits a
 * variable. */
cuzk_status cuzk_circuit_summarize(circuit_summary *out, const cs_circuit *circuit, FILE *blocks,
                                   cuzk_err *err);

/* Keeps all values (32 bytes a variable) to evaluate the rows. blocks as above: per 65,536
 * aux values. */
cuzk_status cuzk_witness_summarize(witness_summary *out, const cs_circuit *circuit, FILE *blocks,
                                   cuzk_err *err);

#endif

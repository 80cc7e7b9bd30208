/* Circuits by name ("porep-2k", "wpost-32g", "winning-64g", "snap-8m") and their parameter files.
 */
#ifndef CUZK_FILECOIN_CIRCUIT_ID_H
#define CUZK_FILECOIN_CIRCUIT_ID_H

#include "base/error.h"
#include "filecoin/shape.h"

typedef struct {
    cuzk_kind kind;
    const sector_shape *shape;
} circuit_id;

/* CUZK_INVAL lists what would have been accepted. Unregistered small shapes are accepted too. */
cuzk_status cuzk_circuit_id_parse(circuit_id *out, const char *name, cuzk_err *err);
bool cuzk_circuit_exists(circuit_id id); /* not every kind is there in every size */
void cuzk_circuit_id_format(char out[24], circuit_id id);
/* "v28-<prefix>-<64 hex>" without extension: the established file stem (formats.md 7.5). */
#define CIRCUIT_STEM_BYTES 256
void cuzk_circuit_stem(char out[CIRCUIT_STEM_BYTES], circuit_id id);
size_t cuzk_circuit_n_inputs(circuit_id id); /* public inputs, without ONE */

/* What a registered circuit has; false for the unregistered shapes. */
typedef struct {
    uint64_t n_inputs, n_aux, n_rows; /* inputs with ONE; rows without the appended input rows */
    uint64_t a_aux, b_aux, b_inputs;  /* densities */
} circuit_counts;
bool cuzk_circuit_counts(circuit_counts *out, circuit_id id);
uint64_t cuzk_circuit_params_bytes(const circuit_counts *c);

#endif

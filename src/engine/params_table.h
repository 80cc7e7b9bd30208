/* What the files of Filecoin's ceremony are, by digest. */
#ifndef CUZK_ENGINE_PARAMS_TABLE_H
#define CUZK_ENGINE_PARAMS_TABLE_H

#include "filecoin/circuit_id.h"

#define PARAMS_DIGEST_BYTES 16 /* the first of BLAKE2b-512 of the whole file */
#define PARAMS_DIGEST_CHARS (2 * PARAMS_DIGEST_BYTES)

typedef struct {
    const char *circuit;
    const char *params, *vk; /* digests of the two files, lowercase hex */
} params_digests;

/* NULL for circuits without published parameters. */
const params_digests *cuzk_params_table_find(circuit_id id);

/* 32 and 64 GiB: where proofs are worth money, and only the published files will do. */
bool cuzk_params_are_real(circuit_id id);

#endif

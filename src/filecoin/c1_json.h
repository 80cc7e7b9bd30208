/* The C1 JSON (output of seal commit phase 1), bare or in the envelope of the Go client.
 * Layout: spec formats.md 5.1, 5.2. */
#ifndef CUZK_FILECOIN_C1_JSON_H
#define CUZK_FILECOIN_C1_JSON_H

#include "base/arena.h"
#include "base/error.h"
#include "filecoin/registered.h"
#include "filecoin/vanilla.h"

typedef struct {
    bool has_envelope;
    uint64_t envelope_sector_num, envelope_sector_size;
    const registered_proof *type;
    uint8_t comm_r[32], comm_d[32], replica_id[32]; /* canonical field elements */
    uint8_t seed[32], ticket[32];                   /* any bytes */
    unsigned n_partitions;                          /* as the type wants */
    porep_partition *partition;
} c1_document;

/* Everything of variable size goes to the arena. All counts are exactly those of the sector shape.
 */
cuzk_status cuzk_c1_read(c1_document *out, cuzk_arena *arena, const uint8_t *text, size_t n,
                         bool in_place, cuzk_err *err);

#endif

/* Registered proof types: number, name and meaning of each (spec circuits.md 1.3-1.5,
 * formats.md 5.4).
 *
 * The same number and the same Rust name mean different things for seals, PoSts and updates, so
 * every look-up takes the kind.
 */
#ifndef CUZK_FILECOIN_REGISTERED_H
#define CUZK_FILECOIN_REGISTERED_H

#include "filecoin/shape.h"

typedef enum { API_1_0_0, API_1_1_0, API_1_2_0 } api_version;
typedef enum { POREP_INTERACTIVE, POREP_SYNTHETIC, POREP_NON_INTERACTIVE } porep_mode;

typedef struct {
    cuzk_kind kind;
    uint32_t number;
    char name[56]; /* Rust name, for example StackedDrg32GiBV1_1_Feat_SyntheticPoRep */
    const sector_shape *shape;
    api_version api;
    porep_mode mode; /* PoRep only */
} registered_proof;

/* NULL when there is no such type. number is 64-bit so that 2^32 + 5 is not taken for 5. */
const registered_proof *cuzk_registered_by_number(cuzk_kind kind, uint64_t number);
/* Also accepts the Go spelling V1_2_Feat_NiPoRep. */
const registered_proof *cuzk_registered_by_name(cuzk_kind kind, const char *name);
const registered_proof *cuzk_registered_at(size_t i); /* NULL past the end: to list them all */

unsigned cuzk_registered_partitions(const registered_proof *p); /* PoRep and update; PoSt: 1 */
/* u64 LE number, u64 LE 0, 16 zero bytes. */
void cuzk_porep_id(uint8_t out[32], const registered_proof *p);

const char *cuzk_kind_name(cuzk_kind kind); /* "porep", "winning", "window", "update" */

#endif

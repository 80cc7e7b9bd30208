/* Merkle inclusion in a circuit (circuits.md section 3). */
#ifndef CUZK_CIRCUIT_POR_H
#define CUZK_CIRCUIT_POR_H

#include "circuit/num.h"

typedef enum { NODE_POSEIDON, NODE_SHA256 } node_hash;

#define POR_MAX_LEVELS 32
#define POR_MAX_ARITY  8

/* A path from the leaf up. index and sibling may be NULL: all zero. */
typedef struct {
    unsigned n_levels;
    const uint8_t *arity; /* 2, 4 or 8; NODE_SHA256: 2 */
    const uint8_t *index; /* own position, < arity */
    const fr *sibling;    /* arity - 1 per level, in child order, levels one after another */
} por_path;

unsigned cuzk_por_index_bits(const por_path *path);
unsigned cuzk_por_siblings(const por_path *path);

/* The leaf index becomes a public input (PoRep, PoSt). Allocates bits and siblings by level. */
void cuzk_por_with_input(cs *c, node_hash hash, const num *leaf, const num *root,
                         const por_path *path);

/* No public input (SnapDeals): the caller allocated siblings and bits, least significant first. */
void cuzk_por_from_bits(cs *c, node_hash hash, const num *leaf, const num *root,
                        const boolean bits[], const num sibling[], const por_path *path);

#endif

/* SHA-256 in a circuit (gadgets.md section 7). Bits are in message order: each byte from its most
 * significant bit, words big-endian. */
#ifndef CUZK_CIRCUIT_SHA256_GADGET_H
#define CUZK_CIRCUIT_SHA256_GADGET_H

#include "circuit/packing.h"
#include "circuit/uint32.h"

typedef struct {
    u32_bits h[8];
} sha256_state;

extern const uint32_t cuzk_sha256_round_const[64];

#define SHA256_BLOCK_BITS 512
#define SHA256_HALF_BITS  256 /* half a block: one 32-byte node */

void cuzk_sha256_gadget_iv(sha256_state *s);
/* One compression of the block lo | hi. */
void cuzk_sha256_gadget_compress(cs *c, sha256_state *s, const boolean lo[SHA256_HALF_BITS],
                                 const boolean hi[SHA256_HALF_BITS]);
void cuzk_sha256_gadget_digest(boolean out[SHA256_HALF_BITS], const sha256_state *s);

/* Hash of n whole bytes of bits. */
void cuzk_sha256_gadget(cs *c, boolean out[SHA256_HALF_BITS], const boolean bits[], size_t n);
/* Hash of n_halves runs of 256 bits, given by address: labels repeat their parents. */
void cuzk_sha256_gadget_halves(cs *c, boolean out[SHA256_HALF_BITS], const boolean *const half[],
                               unsigned n_halves);

/* The first 254 bits of the digest read as a little-endian number, in one aux. */
num cuzk_sha256_pack_digest(cs *c, const boolean digest[SHA256_HALF_BITS]);
/* Tree-D node: both numbers to bits, hashed, packed. */
num cuzk_sha256_node(cs *c, const num *left, const num *right);

/* Label of one layer of StackedDRG. id and the parents are in message order; n_parents (6 or 14)
 * are repeated cyclically to 37. */
num cuzk_sha256_label(cs *c, const boolean id[NODE_BITS], uint32_t layer, const u64_bits *node,
                      const boolean *const parent[], unsigned n_parents);

#endif

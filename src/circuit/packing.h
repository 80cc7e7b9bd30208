/* Bits into field elements, and bit orders (gadgets.md sections 4, 7.6). */
#ifndef CUZK_CIRCUIT_PACKING_H
#define CUZK_CIRCUIT_PACKING_H

#include "circuit/num.h"

#define PACK_BITS 254 /* that many always fit */

/* One aux holding the first min(n, 254) bits, first = least significant; the rest is ignored. */
num cuzk_pack_bits(cs *c, const boolean bits[], size_t n);
/* One input per 254 bits; none for n == 0. */
void cuzk_pack_into_inputs(cs *c, const boolean bits[], size_t n);

/* Reverses the order inside each of 32 groups of 8 after padding n <= 256 bits with Const0: turns
 * the little-endian bits of a number into SHA-256 message order, and back. out may not alias in. */
#define NODE_BITS 256
void cuzk_byte_order(boolean out[NODE_BITS], const boolean in[], unsigned n);

/* 64 bits of a number, least significant first (gadgets.md section 8, uint64.rs). */
typedef struct {
    boolean bit[64];
} u64_bits;

u64_bits cuzk_u64_alloc(cs *c, uint64_t value);
void cuzk_u64_pack_into_input(cs *c, const u64_bits *x);

#endif

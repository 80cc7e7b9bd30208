/* 32-bit words of Booleans and sums of them (gadgets.md sections 5 and 6). */
#ifndef CUZK_CIRCUIT_UINT32_H
#define CUZK_CIRCUIT_UINT32_H

#include "circuit/boolean.h"

typedef struct {
    boolean bit[32]; /* least significant first */
} u32_bits;

/* Packs many small equalities lhs = rhs into rows < lhs ; 1 ; rhs > of up to 253 bits. */
typedef struct {
    cs *c;
    unsigned used; /* bits taken in the row being filled */
    cs_lc lhs, rhs;
} multieq;

void cuzk_multieq_init(multieq *m, cs *c);
void cuzk_multieq_end(multieq *m); /* emits what is left, frees */

u32_bits cuzk_u32_const(uint32_t value);
u32_bits cuzk_u32_alloc(cs *c, uint32_t value);
u32_bits cuzk_u32_from_bits_be(const boolean bits[32]);
u32_bits cuzk_u32_rotr(const u32_bits *a, unsigned k);
u32_bits cuzk_u32_shr(const u32_bits *a, unsigned k);
u32_bits cuzk_u32_xor(cs *c, const u32_bits *a, const u32_bits *b);
u32_bits cuzk_u32_sha256_ch(cs *c, const u32_bits *x, const u32_bits *y, const u32_bits *z);
u32_bits cuzk_u32_sha256_maj(cs *c, const u32_bits *x, const u32_bits *y, const u32_bits *z);

#define ADDMANY_MAX 10
/* Sum of 2 to 10 words mod 2^32; the carries stay allocated. */
u32_bits cuzk_u32_addmany(multieq *m, const u32_bits *const op[], unsigned n_ops);

#endif

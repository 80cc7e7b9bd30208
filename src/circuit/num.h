/* Field elements in a circuit: an allocated variable with its value (gadgets.md sections 3, 8). */
#ifndef CUZK_CIRCUIT_NUM_H
#define CUZK_CIRCUIT_NUM_H

#include "circuit/boolean.h"

typedef struct {
    fr value;
    cs_var var;
} num;

num cuzk_num_alloc(cs *c, const fr *value); /* no row */
num cuzk_num_alloc_input(cs *c, const fr *value);
void cuzk_num_inputize(cs *c, const num *n); /* new input i: < i ; 1 ; n > */

num cuzk_num_mul(cs *c, const num *a, const num *b);
num cuzk_num_square(cs *c, const num *a);
void cuzk_num_assert_nonzero(cs *c, const num *a);
num cuzk_num_add(cs *c, const num *a, const num *b); /* < a + b ; 1 ; s > */
num cuzk_num_sub(cs *c, const num *a, const num *b); /* < d + b ; 1 ; a > */
void cuzk_num_equal(cs *c, const num *a, const num *b); /* < a ; 1 ; b > */
/* (x, y) = swap ? (b, a) : (a, b) */
void cuzk_num_conditionally_reverse(cs *c, num *x, num *y, const num *a, const num *b,
                                    boolean swap);

#define NUM_BITS FR_BITS
/* 255 Is bits, least significant first, tied by < 0 ; 0 ; sum - n >. Not strict: n + r passes. */
void cuzk_num_to_bits(cs *c, boolean out[NUM_BITS], const num *n);
/* The same, refusing integers >= r. */
void cuzk_num_to_bits_strict(cs *c, boolean out[NUM_BITS], const num *n);
/* SnapDeals' own form, tied by < sum ; 1 ; n >; any n_bits <= 255. */
void cuzk_num_to_bits_update(cs *c, boolean out[], const num *n, unsigned n_bits);

#endif

/* Choosing and placing numbers by bits (gadgets.md section 8, insertion.rs). */
#ifndef CUZK_CIRCUIT_INSERTION_H
#define CUZK_CIRCUIT_INSERTION_H

#include "circuit/num.h"

/* cond ? a : b */
num cuzk_pick(cs *c, boolean cond, const num *a, const num *b);

/* from[index] where the n_bits bits, least significant first, spell index. Overwrites from[]. */
num cuzk_select(cs *c, num from[], const boolean bits[], unsigned n_bits);

#define INSERT_MAX 16
/* out[size] = other[size - 1] with element placed at the position that bits spell. Sizes 2, 4, 8
 * have their own short forms (8 needs Is bits); 16 the general one. out may not alias other. */
void cuzk_insert(cs *c, num out[], const num *element, const boolean bits[], const num other[],
                 unsigned size);

#endif

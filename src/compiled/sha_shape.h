/* The variables of one SHA-256 compression, word by word.
 *
 * Whatever the operands are, the gadget works through the same sequence of words (sigmas, sums,
 * choices, majorities). Constant operands make some of their bits constants or aliases, for which
 * no variable is allocated, and negated ones make variables hold the opposite. A *shape* says for
 * each word which bits are variables and which of them are negated; with it, a compression is
 * written into a bitmap as a few hundred masked words.
 */
#ifndef CUZK_COMPILED_SHA_SHAPE_H
#define CUZK_COMPILED_SHA_SHAPE_H

#include "circuit/sha256_gadget.h"
#include "compiled/bit_writer.h"

#define SHA_TRACE_WORDS 758 /* 48 of the schedule of 5 words, 64 rounds of 8 less 2, 8 sums */

typedef struct {
    uint64_t mask, negated;
    uint8_t n; /* set bits of mask */
    uint8_t full;
} sha_word;

/* Operands by word: 8 of lo, 8 of hi, 8 of the state; which bits are constants (with their value),
 * which are negations. */
typedef struct {
    uint32_t constant[24], value[24], negated[24];
} sha_key;

typedef struct {
    sha_key key;
    uint32_t n_aux;
    uint32_t out_at[8]; /* first variable of each word of the new state */
    sha_word word[SHA_TRACE_WORDS];
} sha_shape;

/* key of the operands, and the values of all 24 words */
void cuzk_sha_operands(sha_key *key, uint32_t value[24], const boolean lo[], const boolean hi[],
                       const boolean state[]);
bool cuzk_sha_key_equal(const sha_key *a, const sha_key *b);
/* False: no shape for this form (sums of constants, as when hashing nothing but constants). */
bool cuzk_sha_shape_make(sha_shape *out, const boolean lo[], const boolean hi[],
                         const boolean state[]);

/* Writes the n_aux bits of a compression of the 24 operand words; the last eight become the new
 * state. */
void cuzk_sha_fill(bit_writer *w, const sha_shape *shape, uint32_t value[24]);

#endif

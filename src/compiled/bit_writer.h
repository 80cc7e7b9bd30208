/* A run of bits written into a bitmap in order. Writers of neighbouring runs may work at the same
 * time: only the first and the last word of a run are shared, and those are or-ed in. The bitmap
 * starts as zeros. */
#ifndef CUZK_COMPILED_BIT_WRITER_H
#define CUZK_COMPILED_BIT_WRITER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

typedef struct {
    uint64_t *word; /* where acc goes */
    uint64_t acc;
    unsigned used; /* bits of acc, < 64 */
    bool shared;   /* this word has bits of the run before */
} bit_writer;

CUZK_INLINE void bit_writer_init(bit_writer *w, uint64_t *bitmap, size_t at)
{
    w->word = bitmap + at / 64;
    w->acc = 0;
    w->used = at % 64;
    w->shared = w->used != 0;
}

CUZK_INLINE void bit_writer_merge(bit_writer *w)
{
    atomic_fetch_or_explicit((_Atomic uint64_t *)(void *)w->word, w->acc, memory_order_relaxed);
}

/* The last, unfinished word. */
CUZK_INLINE void bit_writer_end(bit_writer *w)
{
    if (w->used)
        bit_writer_merge(w);
}

/* n bits of value, 1 <= n <= 64; higher bits of value are 0. */
CUZK_INLINE void put_bits(bit_writer *w, uint64_t value, unsigned n)
{
    unsigned total = w->used + n;
    w->acc |= value << w->used;
    if (total < 64) {
        w->used = total;
        return;
    }
    if (CUZK_UNLIKELY(w->shared)) {
        bit_writer_merge(w);
        w->shared = false;
    } else {
        *w->word = w->acc;
    }
    w->word++;
    w->acc = w->used ? value >> (64 - w->used) : 0;
    w->used = total - 64;
}

#endif

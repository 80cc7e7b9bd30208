#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"

/* Small enough not to be pages of their own (mem.c): a small request touches a few KiB of it. */
#define BLOCK_BYTES ((size_t)64 << 10)

struct cuzk_arena_block {
    cuzk_arena_block *next;
    size_t used, capacity;
};

#define HEADER_BYTES ((sizeof(cuzk_arena_block) + 63) & ~(size_t)63)

void cuzk_arena_init(cuzk_arena *a, size_t max_bytes)
{
    *a = (cuzk_arena){NULL, 0, max_bytes};
}

void cuzk_arena_fini(cuzk_arena *a)
{
    while (a->blocks) {
        cuzk_arena_block *next = a->blocks->next;
        cuzk_free(a->blocks);
        a->blocks = next;
    }
    a->used = 0;
}

static cuzk_arena_block *add_block(cuzk_arena *a, size_t bytes)
{
    size_t capacity = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES, total;
    if (!cuzk_size_add(&total, capacity, HEADER_BYTES))
        return NULL;
    cuzk_arena_block *b = cuzk_malloc(total);
    if (!b)
        return NULL;
    *b = (cuzk_arena_block){a->blocks, 0, capacity};
    a->blocks = b;
    return b;
}

void *cuzk_arena_calloc(cuzk_arena *a, size_t n, size_t bytes)
{
    size_t want;
    if (!cuzk_size_mul(&want, n, bytes) || !cuzk_size_add(&want, want, 63))
        return NULL;
    want &= ~(size_t)63;
    if (want > a->max - a->used)
        return NULL;
    cuzk_arena_block *b = a->blocks;
    if (!b || b->capacity - b->used < want)
        b = add_block(a, want);
    if (!b)
        return NULL;
    void *p = (char *)b + HEADER_BYTES + b->used;
    b->used += want;
    a->used += want;
    return memset(p, 0, want);
}

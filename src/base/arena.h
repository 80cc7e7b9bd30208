/* Arena: many small objects of one owner, freed together. Not thread-safe. */
#ifndef CUZK_BASE_ARENA_H
#define CUZK_BASE_ARENA_H

#include <stddef.h>

typedef struct cuzk_arena_block cuzk_arena_block;

typedef struct {
    cuzk_arena_block *blocks;
    size_t used, max; /* payload bytes handed out, and the limit */
} cuzk_arena;

/* Nothing is allocated before the first use; max_bytes bounds what a hostile input can make us
 * take. */
void cuzk_arena_init(cuzk_arena *a, size_t max_bytes);
void cuzk_arena_fini(cuzk_arena *a);

/* n * bytes zeroed and 64-byte aligned; NULL on overflow, over the limit, or out of memory. */
void *cuzk_arena_calloc(cuzk_arena *a, size_t n, size_t bytes);
#define CUZK_ARENA_NEW(a, T, n) ((T *)cuzk_arena_calloc((a), (n), sizeof(T)))

#endif

/* Allocator: a 64-byte header before each block holds its size and where it came from. */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/compiler.h"

#define HEADER_BYTES 64u
#define MMAP_BYTES   ((size_t)1 << 20)

typedef struct {
    size_t bytes; /* payload */
    size_t total; /* header and payload, as given to malloc or mmap */
    int mapped;
} block_header;

static _Atomic uint64_t used_bytes, peak_bytes, fail_countdown;

static bool told_to_fail(void)
{
    uint64_t n = atomic_load_explicit(&fail_countdown, memory_order_relaxed);
    if (CUZK_LIKELY(n == 0))
        return false;
    return atomic_fetch_sub(&fail_countdown, 1) == 1;
}

static void count_alloc(size_t bytes)
{
    uint64_t now = atomic_fetch_add(&used_bytes, bytes) + bytes;
    uint64_t peak = atomic_load(&peak_bytes);
    while (now > peak && !atomic_compare_exchange_weak(&peak_bytes, &peak, now))
        continue;
}

static void *map_block(size_t total)
{
    void *p = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    madvise(p, total, MADV_HUGEPAGE); /* advice only: failure costs speed, not correctness */
    return p;
}

static block_header *header_of(void *p)
{
    return (block_header *)(void *)((char *)p - HEADER_BYTES);
}

void *cuzk_malloc(size_t bytes)
{
    size_t total;
    if (told_to_fail() || !cuzk_size_add(&total, bytes, HEADER_BYTES + 63))
        return NULL;
    total &= ~(size_t)63;
    int mapped = bytes >= MMAP_BYTES;
    block_header *h = mapped ? map_block(total) : aligned_alloc(64, total);
    if (!h)
        return NULL;
    h->bytes = bytes;
    h->total = total;
    h->mapped = mapped;
    count_alloc(bytes);
    return (char *)h + HEADER_BYTES;
}

void cuzk_free(void *p)
{
    if (!p)
        return;
    block_header *h = header_of(p);
    atomic_fetch_sub(&used_bytes, h->bytes);
    if (h->mapped)
        munmap(h, h->total);
    else
        free(h);
}

void *cuzk_malloc_array(size_t n, size_t bytes)
{
    size_t total;
    return cuzk_size_mul(&total, n, bytes) ? cuzk_malloc(total) : NULL;
}

void *cuzk_calloc(size_t n, size_t bytes)
{
    void *p = cuzk_malloc_array(n, bytes);
    if (p && !header_of(p)->mapped) /* fresh mappings are zero already */
        memset(p, 0, n * bytes);
    return p;
}

void *cuzk_realloc(void *p, size_t bytes)
{
    void *q = cuzk_malloc(bytes);
    if (!q || !p)
        return q;
    size_t old = header_of(p)->bytes;
    memcpy(q, p, old < bytes ? old : bytes);
    cuzk_free(p);
    return q;
}

char *cuzk_strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    char *p = cuzk_malloc(n);
    if (p)
        memcpy(p, s, n);
    return p;
}

bool cuzk_size_mul(size_t *out, size_t a, size_t b)
{
    size_t r;
    if (__builtin_mul_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

bool cuzk_size_add(size_t *out, size_t a, size_t b)
{
    size_t r;
    if (__builtin_add_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

uint64_t cuzk_mem_used(void)
{
    return atomic_load(&used_bytes);
}

uint64_t cuzk_mem_peak(void)
{
    return atomic_load(&peak_bytes);
}

void cuzk_mem_fail_nth(uint64_t n)
{
    atomic_store(&fail_countdown, n);
}

void cuzk_wipe(void *p, size_t n)
{
    explicit_bzero(p, n);
}

/* Allocator: a 64-byte header before each block holds its size and where it came from. */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/pages.h"

#define HEADER_BYTES 64u
#define PAGED_BYTES  ((size_t)256 << 10)

typedef struct {
    size_t bytes; /* payload */
    size_t total; /* header and payload, as taken */
    bool paged;   /* from base/pages.h, else from malloc */
    bool zero;    /* the payload was all zero when handed out */
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

static block_header *header_of(void *p)
{
    return (block_header *)(void *)((char *)p - HEADER_BYTES);
}

static void *take_block(size_t bytes, bool paged, size_t *total, bool *zero)
{
    size_t unit = paged ? PAGES_BYTES : 64;
    if (!cuzk_size_add(total, bytes, HEADER_BYTES + unit - 1))
        return NULL;
    *total &= ~(unit - 1);
    *zero = false;
    return paged ? cuzk_pages_take(*total, zero) : aligned_alloc(64, *total);
}

void *cuzk_malloc(size_t bytes)
{
    size_t total;
    bool zero, paged = bytes >= PAGED_BYTES;
    if (told_to_fail())
        return NULL;
    block_header *h = take_block(bytes, paged, &total, &zero);
    if (!h)
        return NULL;
    h->bytes = bytes;
    h->total = total;
    h->paged = paged;
    h->zero = zero;
    count_alloc(bytes);
    return (char *)h + HEADER_BYTES;
}

void cuzk_free(void *p)
{
    if (!p)
        return;
    block_header *h = header_of(p);
    atomic_fetch_sub(&used_bytes, h->bytes);
    if (h->paged)
        cuzk_pages_give(h, h->total);
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
    if (p && !header_of(p)->zero)
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

uint64_t cuzk_mem_kept(void)
{
    return cuzk_pages_kept();
}

void cuzk_mem_trim(void)
{
    cuzk_pages_trim();
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

/* Free ranges are a list in order of address, its nodes in the ranges' own first bytes; neighbours
 * are merged, the smallest range that fits is taken. There are few, so the list is searched. */
#include "base/pages.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/switches.h"

#define HUGE_BYTES ((size_t)2 << 20)
/* Mapped at a time at least, so that blocks of a megabyte share huge pages. */
#define SPAN_BYTES ((size_t)16 << 20)

typedef struct range range;
struct range {
    range *next;
    size_t bytes;
    bool zero; /* but for this node */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static range *first; /* guarded by lock, as is kept */
static uint64_t kept;

static char *end_of(range *r)
{
    return (char *)r + r->bytes;
}

/* Joins r with its successor if they touch. */
static void merge_next(range *r)
{
    range *n = r->next;
    if (!n || end_of(r) != (char *)n)
        return;
    r->bytes += n->bytes;
    r->zero = r->zero && n->zero;
    r->next = n->next;
    memset(n, 0, sizeof *n);
}

static void insert(void *p, size_t bytes, bool zero)
{
    range *r = p, *before = NULL;
    for (range *at = first; at && (char *)at < (char *)p; at = at->next)
        before = at;
    *r = (range){before ? before->next : first, bytes, zero};
    if (before)
        before->next = r;
    else
        first = r;
    kept += bytes;
    merge_next(r);
    if (before)
        merge_next(before);
}

/* The link that points to the smallest range of at least that size; NULL if there is none. */
static range **best_fit(size_t bytes)
{
    range **best = NULL;
    for (range **at = &first; *at; at = &(*at)->next)
        if ((*at)->bytes >= bytes && (!best || (*at)->bytes < (*best)->bytes))
            best = at;
    return best;
}

/* A mapping aligned to huge pages; ends that stick out are unmapped again. */
static char *map_span(size_t bytes, bool huge)
{
    char *p =
        mmap(NULL, bytes + HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    size_t before = (HUGE_BYTES - (uintptr_t)p % HUGE_BYTES) % HUGE_BYTES;
    if (before > 0)
        munmap(p, before);
    munmap(p + before + bytes, HUGE_BYTES - before);
    madvise(p + before, bytes, /* advice only: failure costs speed */
            huge && cuzk_switch_on(CUZK_SWITCH_HUGE_PAGES) ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return p + before;
}

static bool grow(size_t bytes, bool huge)
{
    if (bytes > SIZE_MAX - 2 * HUGE_BYTES)
        return false;
    size_t span = bytes < SPAN_BYTES ? SPAN_BYTES : (bytes + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1);
    char *p = map_span(span, huge);
    if (p)
        insert(p, span, true);
    return p != NULL;
}

/* The rest of the range stays in its place in the list. */
static void *cut(range **link, size_t bytes, bool *zero)
{
    range *r = *link, *rest = r->next;
    if (r->bytes > bytes) {
        rest = (range *)(void *)((char *)r + bytes);
        *rest = (range){r->next, r->bytes - bytes, r->zero};
    }
    *link = rest;
    *zero = r->zero;
    kept -= bytes;
    memset(r, 0, sizeof *r);
    return r;
}

static void unmap_all(void)
{
    while (first) {
        range *r = first;
        first = r->next;
        kept -= r->bytes;
        munmap(r, r->bytes);
    }
}

/* ---- switch B1: pages locked in memory ---- */

static atomic_bool ever_locked, warned;

static void warn_unlocked(size_t bytes, int sys)
{
    struct rlimit r = {0, 0};
    getrlimit(RLIMIT_MEMLOCK, &r);
    fprintf(stderr,
            "cuzk: switch B1: a buffer of %zu KiB cannot be locked in memory (%s; the limit is "
            "%llu KiB, `ulimit -l` or LimitMEMLOCK= raises it): such buffers stay unlocked\n",
            bytes >> 10, strerror(sys), (unsigned long long)r.rlim_cur >> 10);
}

/* Kept pages stay locked: locking them again is cheap. */
static void lock_pages(void *p, size_t bytes)
{
    if (mlock(p, bytes) == 0)
        atomic_store_explicit(&ever_locked, true, memory_order_relaxed);
    else if (!atomic_exchange(&warned, true))
        warn_unlocked(bytes, errno);
}

/* ---- entry ---- */

#ifdef __SANITIZE_ADDRESS__
#define KEEP 0 /* freed memory stays inaccessible, for the sanitizer to see */
#else
#define KEEP 1
#endif

void *cuzk_pages_take(size_t bytes, bool *zero)
{
    void *p = NULL;
    pthread_mutex_lock(&lock);
    range **r = best_fit(bytes);
    if (!r && !grow(bytes, true)) {
        unmap_all(); /* what is kept in pieces too small may be what is missing */
        grow(bytes, true);
    }
    if (!r)
        r = best_fit(bytes);
    if (r)
        p = cut(r, bytes, zero);
    pthread_mutex_unlock(&lock);
    if (p && cuzk_switch_on(CUZK_SWITCH_B1))
        lock_pages(p, bytes);
    return p;
}

void cuzk_pages_give(void *p, size_t bytes)
{
    if (!KEEP || !cuzk_switch_on(CUZK_SWITCH_KEPT_PAGES)) {
        munmap(p, bytes);
        return;
    }
    if (!cuzk_switch_on(CUZK_SWITCH_B1) && atomic_load_explicit(&ever_locked, memory_order_relaxed))
        munlock(p, bytes); /* it may have been taken while the switch was on */
    pthread_mutex_lock(&lock);
    insert(p, bytes, false);
    pthread_mutex_unlock(&lock);
}

static bool all_fresh(void)
{
    range *r = first;
    while (r && r->zero)
        r = r->next;
    return !r;
}

void *cuzk_pages_map_ahead(size_t bytes)
{
    void *p = NULL;
    pthread_mutex_lock(&lock);
    if (kept < bytes && all_fresh()) {
        unmap_all(); /* one range for all */
        p = grow(bytes, false) ? first : NULL;
    }
    pthread_mutex_unlock(&lock);
    return p;
}

void cuzk_pages_join(void *p, size_t bytes)
{
    if (cuzk_switch_on(CUZK_SWITCH_HUGE_PAGES))
        madvise(p, bytes, MADV_HUGEPAGE);
}

bool cuzk_pages_touch(void *p, size_t bytes)
{
    return madvise(p, bytes, MADV_POPULATE_WRITE) == 0;
}

uint64_t cuzk_pages_kept(void)
{
    pthread_mutex_lock(&lock);
    uint64_t bytes = kept;
    pthread_mutex_unlock(&lock);
    return bytes;
}

void cuzk_pages_trim(void)
{
    pthread_mutex_lock(&lock);
    unmap_all();
    pthread_mutex_unlock(&lock);
}

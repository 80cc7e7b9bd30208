#include "base/span_ring.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/compiler.h"

#define EVENT_WORDS (sizeof(span_event) / sizeof(uint64_t))

/* Stores are release and loads acquire, one by one (plain moves on x86): no store of a field can
 * move before the zero in number, no load of one behind the second look at it. */
typedef struct {
    _Atomic uint64_t number; /* of the event, from 1; 0: none, or being written */
    _Atomic uint64_t word[EVENT_WORDS];
} ring_slot;

typedef struct span_ring {
    struct span_ring *next;      /* constant once the ring is in the list */
    _Atomic uint64_t first;      /* events below it are of an earlier thread */
    _Atomic uint64_t head;       /* events written so far */
    _Atomic uint64_t ended_turn; /* 0 while its thread lives; else order of the ends */
    atomic_int tid;
    _Atomic uint64_t name[SPAN_THREAD_BYTES / sizeof(uint64_t)];
    ring_slot slot[SPAN_RING_EVENTS];
} span_ring;

_Static_assert(sizeof(span_event) == EVENT_WORDS * sizeof(uint64_t), "event is whole words");
_Static_assert(sizeof(ring_slot) == 128, "two cache lines a slot");

static _Atomic(span_ring *) rings;                       /* grows at its head, never shrinks */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards n_rings, turn, giving away */
static unsigned n_rings;
static uint64_t turn;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* its destructor tells that a thread ends */

static _Thread_local span_ring *own;
static _Thread_local bool refused; /* there was no memory: not asked for again */

static void set_name(span_ring *r)
{
    union {
        char text[SPAN_THREAD_BYTES];
        uint64_t word[SPAN_THREAD_BYTES / sizeof(uint64_t)];
    } u = {{0}};
    prctl(PR_GET_NAME, u.text);
    for (size_t i = 0; i < CUZK_ARRAY_LEN(u.word); i++)
        atomic_store(&r->name[i], u.word[i]);
}

static void thread_ends(void *arg)
{
    span_ring *r = arg;
    set_name(r); /* it may have got its name after its first span */
    own = NULL;
    pthread_mutex_lock(&lock);
    atomic_store(&r->ended_turn, ++turn);
    pthread_mutex_unlock(&lock);
}

static void make_key(void)
{
    pthread_key_create(&key, thread_ends);
}

/* The ring that has been without a thread for longest. */
static span_ring *oldest_ended(void)
{
    span_ring *best = NULL;
    for (span_ring *r = atomic_load(&rings); r; r = r->next) {
        uint64_t t = atomic_load(&r->ended_turn);
        if (t && (!best || t < atomic_load(&best->ended_turn)))
            best = r;
    }
    return best;
}

/* Not from base/mem.h: it is never freed, and pages that are not written cost nothing. */
static span_ring *map_ring(void)
{
    void *p = mmap(NULL, sizeof(span_ring), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Under the lock. */
static span_ring *new_or_used_ring(void)
{
    if (n_rings >= SPAN_RING_MAX) {
        span_ring *r = oldest_ended();
        if (r) {
            atomic_store(&r->first, atomic_load(&r->head));
            atomic_store(&r->ended_turn, 0);
        }
        return r;
    }
    span_ring *r = map_ring();
    if (!r)
        return NULL;
    n_rings++;
    r->next = atomic_load(&rings);
    atomic_store(&rings, r);
    return r;
}

static span_ring *acquire_ring(void)
{
    pthread_once(&key_once, make_key);
    pthread_mutex_lock(&lock);
    span_ring *r = new_or_used_ring();
    if (r) {
        atomic_store(&r->tid, gettid());
        set_name(r);
    }
    pthread_mutex_unlock(&lock);
    if (r)
        pthread_setspecific(key, r);
    else
        refused = true;
    own = r;
    return r;
}

void cuzk_span_ring_put(const span_event *event)
{
    span_ring *r = own;
    if (CUZK_UNLIKELY(!r) && (refused || !(r = acquire_ring())))
        return;
    uint64_t n = atomic_load_explicit(&r->head, memory_order_relaxed);
    ring_slot *slot = &r->slot[n % SPAN_RING_EVENTS];
    uint64_t word[EVENT_WORDS];
    memcpy(word, event, sizeof word);
    atomic_store_explicit(&slot->number, 0, memory_order_relaxed);
    for (size_t i = 0; i < EVENT_WORDS; i++)
        atomic_store_explicit(&slot->word[i], word[i], memory_order_release);
    atomic_store_explicit(&slot->number, n + 1, memory_order_release);
    atomic_store_explicit(&r->head, n + 1, memory_order_release);
}

/* ---- reading ---- */

static bool read_slot(const ring_slot *slot, uint64_t n, span_event *out)
{
    uint64_t word[EVENT_WORDS];
    if (atomic_load_explicit(&slot->number, memory_order_acquire) != n + 1)
        return false;
    for (size_t i = 0; i < EVENT_WORDS; i++)
        word[i] = atomic_load_explicit(&slot->word[i], memory_order_acquire);
    if (atomic_load_explicit(&slot->number, memory_order_relaxed) != n + 1)
        return false;
    memcpy(out, word, sizeof *out);
    return true;
}

/* A living thread may have been named since its first span. */
static void read_live_name(span_thread *t)
{
    char path[64], text[SPAN_THREAD_BYTES + 1];
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", t->tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0)
        return;
    text[n] = '\0';
    text[strcspn(text, "\n")] = '\0';
    snprintf(t->name, sizeof t->name, "%.15s", text);
}

static void describe(const span_ring *r, span_thread *t)
{
    uint64_t word[CUZK_ARRAY_LEN(r->name)];
    for (size_t i = 0; i < CUZK_ARRAY_LEN(word); i++)
        word[i] = atomic_load(&r->name[i]);
    memcpy(t->name, word, sizeof t->name);
    t->name[sizeof t->name - 1] = '\0';
    t->tid = atomic_load(&r->tid);
    t->live = atomic_load(&r->ended_turn) == 0;
    if (t->live)
        read_live_name(t);
}

static void visit_ring(const span_ring *r, span_visit_fn fn, void *ctx)
{
    span_thread thread;
    span_event event;
    uint64_t first = atomic_load(&r->first);
    describe(r, &thread);
    uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);
    uint64_t n = head > SPAN_RING_EVENTS ? head - SPAN_RING_EVENTS : 0;
    for (n = n < first ? first : n; n < head; n++) {
        bool whole = read_slot(&r->slot[n % SPAN_RING_EVENTS], n, &event);
        if (atomic_load(&r->first) != first)
            return; /* given to another thread meanwhile: the name would be wrong */
        if (whole)
            fn(ctx, &thread, &event);
    }
}

void cuzk_span_ring_visit(span_visit_fn fn, void *ctx)
{
    for (const span_ring *r = atomic_load(&rings); r; r = r->next)
        visit_ring(r, fn, ctx);
}

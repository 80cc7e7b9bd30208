/* The last spans of every thread, always kept, read without stopping anybody.
 *
 * Each thread writes its own ring of 4096 events and nobody else writes it. A slot carries the
 * number of its event, zero while it is being written, so that a reader sees a torn event as one
 * that is missing. Rings outlive their threads; from 256 rings on, those of ended threads are given
 * to new ones. Memory: 512 KiB of address space a thread, resident as far as it was written.
 */
#ifndef CUZK_BASE_SPAN_RING_H
#define CUZK_BASE_SPAN_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUZK_N_COUNTERS   4u /* perf_counters.h */
#define SPAN_LABEL_BYTES  56u
#define SPAN_RING_EVENTS  4096u
#define SPAN_RING_MAX     256u
#define SPAN_THREAD_BYTES 16u

enum {
    SPAN_DETACHED = 1, /* times were given, not measured by this thread: waiting in a queue */
    SPAN_WORKER = 2,   /* a pool thread's share of a span of another thread */
    SPAN_COUNTED = 4,  /* counter[] holds numbers */
};

typedef struct {
    const char *phase; /* static string */
    uint64_t begin_ns, end_ns;
    int32_t partition;
    uint32_t flags;
    uint64_t counter[CUZK_N_COUNTERS];
    char label[SPAN_LABEL_BYTES]; /* of the job; "" for none */
} span_event;

typedef struct {
    int tid;
    bool live;
    char name[SPAN_THREAD_BYTES];
} span_thread;

/* Writes to the calling thread's ring. Without memory for a ring the event is dropped. */
void cuzk_span_ring_put(const span_event *event);

/* Calls fn for every event that is there, thread by thread, oldest first. The calling thread's own
 * events are included. */
typedef void (*span_visit_fn)(void *ctx, const span_thread *thread, const span_event *event);
void cuzk_span_ring_visit(span_visit_fn fn, void *ctx);

#endif

/* Has the system give a job's memory before the job asks for it: a thread touches the pages while
 * the job's first steps, which are short on memory and run on few threads, go on. A first touch
 * costs 0.2 ms a MiB for clearing, and a millisecond where a host has to find the page. */
#ifndef CUZK_BASE_WARM_H
#define CUZK_BASE_WARM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    bool started;
    void *at;
    size_t bytes;
    atomic_bool stop;
    pthread_t thread;
} mem_warmer;

/* For blocks of so many bytes together, in a process that has freed no big block yet. It may do
 * nothing: nothing depends on it. *w is zeroed before, and stays where it is until the end. */
void cuzk_warm_begin(mem_warmer *w, size_t bytes);
void cuzk_warm_stop(mem_warmer *w); /* where it is; waits for nothing */
void cuzk_warm_end(mem_warmer *w);

#endif

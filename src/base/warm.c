#include "base/warm.h"

#include "base/pages.h"

#define STEP_BYTES  ((size_t)2 << 20)
#define STACK_BYTES ((size_t)64 << 10)

static void *warm_main(void *arg)
{
    mem_warmer *w = arg;
    char *at = cuzk_pages_map_ahead(w->bytes); /* touches the first page */
    bool more = at != NULL;
    w->at = at;
    for (size_t i = 0; more && i < w->bytes && !atomic_load(&w->stop); i += STEP_BYTES)
        more = cuzk_pages_touch(at + i, w->bytes - i < STEP_BYTES ? w->bytes - i : STEP_BYTES);
    return NULL;
}

static bool start(mem_warmer *w)
{
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK_BYTES);
    int rc = pthread_create(&w->thread, &small, warm_main, w);
    pthread_attr_destroy(&small);
    return rc == 0;
}

void cuzk_warm_begin(mem_warmer *w, size_t bytes)
{
    w->bytes = (bytes + PAGES_BYTES - 1) & ~(PAGES_BYTES - 1);
    w->started = start(w);
    if (w->started)
        pthread_setname_np(w->thread, "cuzk-warm");
}

void cuzk_warm_stop(mem_warmer *w)
{
    atomic_store(&w->stop, true);
}

void cuzk_warm_end(mem_warmer *w)
{
    if (!w->started)
        return;
    cuzk_warm_stop(w);
    pthread_join(w->thread, NULL);
    w->started = false;
    if (w->at)
        cuzk_pages_join(w->at, w->bytes);
}

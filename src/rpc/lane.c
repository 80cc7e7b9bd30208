#include "rpc/lane.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define MAX_THREADS 8u

typedef struct task task;
struct task {
    task *next;
    lane_fn fn;
    void *ctx;
    size_t n_bytes;
};

struct lane {
    char name[16];
    size_t max_tasks;
    uint64_t max_bytes;
    pthread_t thread[MAX_THREADS];
    unsigned n_threads;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t work;
    task *first, **last;
    size_t n_waiting;
    uint64_t n_bytes; /* waiting and running */
    bool quit;
};

static task *take(lane *l)
{
    task *t = l->first;
    if (!t)
        return NULL;
    l->first = t->next;
    if (!l->first)
        l->last = &l->first;
    l->n_waiting--;
    return t;
}

static void *lane_main(void *arg)
{
    lane *l = arg;
    pthread_setname_np(pthread_self(), l->name);
    pthread_mutex_lock(&l->lock);
    for (;;) {
        task *t = take(l);
        if (!t && l->quit)
            break;
        if (!t) {
            pthread_cond_wait(&l->work, &l->lock);
            continue;
        }
        pthread_mutex_unlock(&l->lock);
        t->fn(t->ctx);
        pthread_mutex_lock(&l->lock);
        l->n_bytes -= t->n_bytes;
        cuzk_free(t);
    }
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

cuzk_status cuzk_lane_new(lane **out, const char *name, unsigned n_threads, size_t max_tasks,
                          uint64_t max_bytes, cuzk_err *err)
{
    lane *l = cuzk_calloc(1, sizeof *l);
    if (!l)
        return cuzk_fail(err, CUZK_NOMEM, 0, "lane %s", name);
    snprintf(l->name, sizeof l->name, "%s", name);
    l->max_tasks = max_tasks;
    l->max_bytes = max_bytes;
    l->last = &l->first;
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->work, NULL);
    for (unsigned i = 0; i < n_threads && i < MAX_THREADS; i++) {
        int rc = pthread_create(&l->thread[i], NULL, lane_main, l);
        if (rc != 0) {
            cuzk_lane_free(l);
            return cuzk_fail(err, CUZK_NOMEM, rc, "lane %s: thread", name);
        }
        l->n_threads++;
    }
    *out = l;
    return CUZK_OK;
}

void cuzk_lane_free(lane *l)
{
    if (!l)
        return;
    pthread_mutex_lock(&l->lock);
    l->quit = true;
    pthread_cond_broadcast(&l->work);
    pthread_mutex_unlock(&l->lock);
    for (unsigned i = 0; i < l->n_threads; i++)
        pthread_join(l->thread[i], NULL);
    pthread_cond_destroy(&l->work);
    pthread_mutex_destroy(&l->lock);
    cuzk_free(l);
}

bool cuzk_lane_post(lane *l, lane_fn fn, void *ctx, size_t n_bytes)
{
    task *t = cuzk_malloc(sizeof *t);
    if (!t)
        return false;
    *t = (task){NULL, fn, ctx, n_bytes};
    pthread_mutex_lock(&l->lock);
    bool fits = n_bytes <= l->max_bytes && l->n_bytes <= l->max_bytes - n_bytes;
    bool taken = !l->quit && l->n_waiting < l->max_tasks && (fits || l->n_bytes == 0);
    if (taken) {
        *l->last = t;
        l->last = &t->next;
        l->n_waiting++;
        l->n_bytes += n_bytes;
        pthread_cond_signal(&l->work);
    }
    pthread_mutex_unlock(&l->lock);
    if (!taken)
        cuzk_free(t);
    return taken;
}

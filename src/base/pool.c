/* Thread pool: one run at a time, indices handed out by an atomic counter. */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/trace.h"

#define MAX_THREADS 1024u

struct cuzk_pool {
    unsigned n_threads; /* including the caller */
    unsigned n_started;
    pthread_t *thread;
    char name[12];
    pthread_mutex_t run_lock; /* held for a whole run: runs queue here */
    pthread_mutex_t lock;     /* guards generation, n_busy, stop and the run description */
    pthread_cond_t wake, done;
    unsigned long generation; /* bumped for each run */
    unsigned n_busy;          /* helpers still inside the current run */
    bool stop;
    cuzk_task_fn fn;
    void *ctx;
    size_t n_tasks;
    cuzk_span_scope scope; /* what the caller is at */
    atomic_size_t next;
};

typedef struct {
    cuzk_pool *pool;
    unsigned worker;
} helper_arg;

static _Thread_local bool inside_task;

static void work(cuzk_pool *pool, unsigned worker)
{
    inside_task = true;
    for (;;) {
        size_t i = atomic_fetch_add(&pool->next, 1);
        if (i >= pool->n_tasks)
            break;
        pool->fn(pool->ctx, i, worker);
    }
    inside_task = false;
}

static void *helper_main(void *arg)
{
    helper_arg *h = arg;
    cuzk_pool *pool = h->pool;
    unsigned worker = h->worker;
    cuzk_free(h);
    unsigned long seen = 0;

    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->stop && pool->generation == seen)
            pthread_cond_wait(&pool->wake, &pool->lock);
        if (pool->stop)
            break;
        seen = pool->generation;
        pthread_mutex_unlock(&pool->lock);
        cuzk_span span = cuzk_span_begin_worker(&pool->scope);
        work(pool, worker);
        cuzk_span_end(&span);
        pthread_mutex_lock(&pool->lock);
        if (--pool->n_busy == 0)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static unsigned allowed_cpus(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int n = CPU_COUNT(&set);
    return n < 1 ? 1 : (unsigned)n;
}

static cuzk_status start_helper(cuzk_pool *pool, unsigned worker, cuzk_err *err)
{
    helper_arg *h = cuzk_malloc(sizeof *h);
    if (!h)
        return cuzk_fail(err, CUZK_NOMEM, 0, "thread pool %s: no memory", pool->name);
    h->pool = pool;
    h->worker = worker;
    int rc = pthread_create(&pool->thread[worker - 1], NULL, helper_main, h);
    if (rc != 0) {
        cuzk_free(h);
        return cuzk_fail(err, CUZK_NOMEM, rc, "thread pool %s: cannot start thread %u of %u",
                         pool->name, worker + 1, pool->n_threads);
    }
    char label[16];
    snprintf(label, sizeof label, "%.10s-%u", pool->name, worker % 1000u);
    pthread_setname_np(pool->thread[worker - 1], label);
    pool->n_started = worker;
    return CUZK_OK;
}

cuzk_status cuzk_pool_new(cuzk_pool **out, unsigned n_threads, const char *name, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    if (n_threads == 0)
        n_threads = allowed_cpus();
    if (n_threads > MAX_THREADS)
        return cuzk_fail(err, CUZK_INVAL, 0, "threads: %u is more than the limit of %u", n_threads,
                         MAX_THREADS);
    cuzk_pool *pool = cuzk_calloc(1, sizeof *pool);
    if (!pool)
        return cuzk_fail(err, CUZK_NOMEM, 0, "thread pool %s: no memory", name);
    pool->n_threads = n_threads;
    snprintf(pool->name, sizeof pool->name, "%s", name);
    pthread_mutex_init(&pool->run_lock, NULL);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->thread = cuzk_calloc(n_threads, sizeof *pool->thread);
    if (!pool->thread) {
        st = cuzk_fail(err, CUZK_NOMEM, 0, "thread pool %s: no memory", name);
        goto out;
    }
    for (unsigned worker = 1; worker < n_threads; worker++)
        CUZK_TRY(start_helper(pool, worker, err));
    *out = pool;
    return CUZK_OK;
out:
    cuzk_pool_free(pool);
    return st;
}

void cuzk_pool_free(cuzk_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->n_started; i++)
        pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    pthread_mutex_destroy(&pool->run_lock);
    cuzk_free(pool->thread);
    cuzk_free(pool);
}

unsigned cuzk_pool_size(const cuzk_pool *pool)
{
    return pool ? pool->n_threads : 1;
}

void cuzk_pool_run(cuzk_pool *pool, size_t n_tasks, cuzk_task_fn fn, void *ctx)
{
    if (!pool || pool->n_threads == 1 || inside_task || n_tasks <= 1) {
        for (size_t i = 0; i < n_tasks; i++)
            fn(ctx, i, 0);
        return;
    }
    pthread_mutex_lock(&pool->run_lock);
    pthread_mutex_lock(&pool->lock);
    pool->fn = fn;
    pool->ctx = ctx;
    pool->n_tasks = n_tasks;
    pool->scope = cuzk_span_current();
    atomic_store(&pool->next, 0);
    pool->n_busy = pool->n_started;
    pool->generation++;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    work(pool, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->n_busy > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    pthread_mutex_unlock(&pool->run_lock);
}

typedef struct {
    size_t n, chunk;
    cuzk_range_fn fn;
    void *ctx;
} range_run;

static void run_range(void *ctx, size_t index, unsigned worker)
{
    const range_run *r = ctx;
    size_t begin = index * r->chunk;
    size_t end = r->n - begin < r->chunk ? r->n : begin + r->chunk;
    r->fn(r->ctx, begin, end, worker);
}

void cuzk_pool_for(cuzk_pool *pool, size_t n, size_t min_chunk, cuzk_range_fn fn, void *ctx)
{
    size_t max_chunks = 8 * (size_t)cuzk_pool_size(pool);
    size_t chunk = (n + max_chunks - 1) / max_chunks;
    if (chunk < min_chunk)
        chunk = min_chunk;
    if (chunk == 0)
        return;
    range_run r = {n, chunk, fn, ctx};
    cuzk_pool_run(pool, (n + chunk - 1) / chunk, run_range, &r);
}

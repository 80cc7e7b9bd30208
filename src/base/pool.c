/* Thread pool: indices of a run are handed out by an atomic counter; runs of several threads are in
 * a list, from which helpers take the most urgent. */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/trace.h"

#define MAX_THREADS 1024u
/* How long one that has nothing to do looks for work before it sleeps: waking it takes 30 to 100
 * us, and a small proof has a hundred loops with as much between them. */
#define SPIN_NS 50000u
/* How often a run that stands still looks at its tenant's cancel flag and urgency. */
#define PAUSE_LOOK_NS 50000000u
/* Of a loop over a range: 0.5 s of rows of a 32 GiB PoRep, and 1 to 19 s of first touches of their
 * memory, come in pieces of at most a quarter of a second, on two threads. */
#define CHUNKS_A_WORKER 64u

/* One call of cuzk_pool_run, on its stack. */
typedef struct pool_run pool_run;
struct pool_run {
    pool_run *next_run, *prev_run; /* in pool.runs */
    cuzk_task_fn fn;
    void *ctx;
    size_t n_tasks;
    cuzk_span_scope scope;    /* what the caller is at */
    cuzk_pool_tenant *tenant; /* NULL: none */
    bool may_stop;            /* ends when the tenant is cancelled */
    bool counts;              /* in pool.level while listed */
    bool is_awaited;          /* the caller sleeps until n_inside is 0 */
    atomic_uint n_inside;     /* helpers at work; written with the lock held */
    atomic_int urgency;
    _Alignas(64) atomic_size_t next;
};

struct cuzk_pool {
    unsigned n_threads; /* including the caller */
    unsigned n_started;
    pthread_t *thread;
    char name[12];
    pthread_mutex_t lock;              /* guards all below and, in runs, what is not atomic */
    pthread_cond_t wake, done, resume; /* for helpers, for callers at the end, for paused ones */
    unsigned n_idle;                   /* helpers that wait */
    bool stop;
    pool_run runs;                       /* ring, oldest first; its head stands for none */
    unsigned level[CUZK_POOL_URGENCIES]; /* exclusive tenants and runs of the others */
    _Alignas(64) atomic_int top;         /* the most urgent level that is not empty, or 0 */
    atomic_uint n_enlisted;              /* runs so far; written with the lock held */
};

typedef struct {
    cuzk_pool *pool;
    unsigned worker;
} helper_arg;

static _Thread_local bool inside_task;
static _Thread_local cuzk_pool_tenant *current_tenant;

static cuzk_pool_tenant *tenant_on(const cuzk_pool *pool)
{
    cuzk_pool_tenant *t = current_tenant;
    while (t && t->pool != pool)
        t = t->outer;
    return t;
}

static int urgency_of(const cuzk_pool_tenant *t)
{
    int u = t ? atomic_load_explicit(&t->urgency, memory_order_relaxed) : 0;
    return u < 0 ? 0 : u < CUZK_POOL_URGENCIES ? u : CUZK_POOL_URGENCIES - 1;
}

static bool is_cancelled(const cuzk_pool_tenant *t)
{
    return t && t->cancel && atomic_load_explicit(t->cancel, memory_order_relaxed);
}

static bool is_outranked(const cuzk_pool *pool, int urgency)
{
    return atomic_load_explicit(&pool->top, memory_order_relaxed) > urgency;
}

/* ---- levels; with the lock held ---- */

static void set_top(cuzk_pool *pool)
{
    int top = CUZK_POOL_URGENCIES - 1, before = atomic_load(&pool->top);
    while (top > 0 && pool->level[top] == 0)
        top--;
    atomic_store(&pool->top, top);
    if (top >= before)
        return;
    pthread_cond_broadcast(&pool->resume);
    if (pool->n_idle > 0 && pool->runs.next_run != &pool->runs)
        pthread_cond_broadcast(&pool->wake);
}

static void level_add(cuzk_pool *pool, int urgency)
{
    pool->level[urgency]++;
    if (is_outranked(pool, urgency - 1)) /* top >= urgency already */
        return;
    set_top(pool);
}

static void level_sub(cuzk_pool *pool, int urgency)
{
    if (--pool->level[urgency] == 0)
        set_top(pool);
}

/* ---- helpers ---- */

/* The run that a helper should join: most urgent, then oldest. */
static pool_run *pick(cuzk_pool *pool)
{
    pool_run *best = NULL;
    int best_urgency = atomic_load_explicit(&pool->top, memory_order_relaxed);
    for (pool_run *r = pool->runs.next_run; r != &pool->runs; r = r->next_run) {
        int u = atomic_load_explicit(&r->urgency, memory_order_relaxed);
        bool left = atomic_load_explicit(&r->next, memory_order_relaxed) < r->n_tasks;
        if (!left || u < best_urgency || (best && u == best_urgency))
            continue;
        best = r;
        best_urgency = u;
    }
    return best;
}

static void help(cuzk_pool *pool, pool_run *r, unsigned worker)
{
    inside_task = true;
    while (!is_outranked(pool, atomic_load_explicit(&r->urgency, memory_order_relaxed))) {
        size_t i = atomic_fetch_add(&r->next, 1);
        if (i >= r->n_tasks)
            break;
        r->fn(r->ctx, i, worker);
    }
    inside_task = false;
}

/* Until *x == value is no longer what it is, or for SPIN_NS. */
static void spin_while(const atomic_uint *x, unsigned value, bool equal)
{
    uint64_t begin = cuzk_now_ns();
    while ((atomic_load_explicit(x, memory_order_relaxed) == value) == equal &&
           cuzk_now_ns() - begin < SPIN_NS)
        cuzk_spin_pause();
}

/* With the lock held, which is given up meanwhile. */
static void look_for_run(cuzk_pool *pool)
{
    unsigned seen = atomic_load(&pool->n_enlisted);
    pthread_mutex_unlock(&pool->lock);
    spin_while(&pool->n_enlisted, seen, true);
    pthread_mutex_lock(&pool->lock);
}

static void *helper_main(void *arg)
{
    helper_arg *h = arg;
    cuzk_pool *pool = h->pool;
    unsigned worker = h->worker;
    cuzk_free(h);
    bool looked = false; /* there was nothing, for SPIN_NS */
    pthread_mutex_lock(&pool->lock);
    while (!pool->stop) {
        pool_run *r = pick(pool);
        if (!r && !looked) {
            look_for_run(pool);
            looked = true;
            continue;
        }
        looked = false;
        if (!r) {
            pool->n_idle++;
            pthread_cond_wait(&pool->wake, &pool->lock);
            pool->n_idle--;
            continue;
        }
        atomic_fetch_add(&r->n_inside, 1);
        pthread_mutex_unlock(&pool->lock);
        cuzk_span span = cuzk_span_begin_worker(&r->scope);
        help(pool, r, worker);
        cuzk_span_end(&span);
        pthread_mutex_lock(&pool->lock);
        if (atomic_fetch_sub(&r->n_inside, 1) == 1 && r->is_awaited)
            pthread_cond_broadcast(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* ---- life ---- */

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

static void init_locks(cuzk_pool *pool)
{
    pthread_condattr_t mono;
    pthread_condattr_init(&mono);
    pthread_condattr_setclock(&mono, CLOCK_MONOTONIC);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    pthread_cond_init(&pool->resume, &mono);
    pthread_condattr_destroy(&mono);
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
    pool->runs.next_run = pool->runs.prev_run = &pool->runs;
    init_locks(pool);
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
    pthread_cond_destroy(&pool->resume);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    cuzk_free(pool->thread);
    cuzk_free(pool);
}

unsigned cuzk_pool_size(const cuzk_pool *pool)
{
    return pool ? pool->n_threads : 1;
}

/* ---- tenants ---- */

void cuzk_pool_enter(cuzk_pool *pool, cuzk_pool_tenant *t)
{
    if (!pool)
        return;
    t->pool = pool;
    t->outer = current_tenant;
    current_tenant = t;
    if (!t->exclusive)
        return;
    pthread_mutex_lock(&pool->lock);
    t->counted = urgency_of(t);
    level_add(pool, t->counted);
    pthread_mutex_unlock(&pool->lock);
}

void cuzk_pool_leave(cuzk_pool *pool, cuzk_pool_tenant *t)
{
    if (!pool)
        return;
    if (t->exclusive) {
        pthread_mutex_lock(&pool->lock);
        level_sub(pool, t->counted);
        pthread_mutex_unlock(&pool->lock);
    }
    current_tenant = t->outer;
    t->pool = NULL;
}

/* The tenant's urgency may have been changed. r: its run, or NULL. With the lock held. */
static void recount(cuzk_pool *pool, cuzk_pool_tenant *t, pool_run *r)
{
    int u = urgency_of(t);
    if (t->exclusive && t->counted != u) {
        level_add(pool, u);
        level_sub(pool, t->counted);
        t->counted = u;
    }
    if (!r || atomic_load(&r->urgency) == u)
        return;
    if (r->counts) {
        level_add(pool, u);
        level_sub(pool, atomic_load(&r->urgency));
    }
    atomic_store(&r->urgency, u);
    pthread_cond_broadcast(&pool->wake);
}

static struct timespec soon(void)
{
    uint64_t at = cuzk_now_ns() + PAUSE_LOOK_NS;
    return (struct timespec){(time_t)(at / 1000000000u), (long)(at % 1000000000u)};
}

static void stand_still(cuzk_pool *pool, cuzk_pool_tenant *t, pool_run *r, bool may_stop)
{
    pthread_mutex_lock(&pool->lock);
    atomic_store(&t->paused, true);
    for (;;) {
        recount(pool, t, r);
        if (!is_outranked(pool, urgency_of(t)) || (may_stop && is_cancelled(t)))
            break;
        const struct timespec until = soon();
        pthread_cond_timedwait(&pool->resume, &pool->lock, &until);
    }
    atomic_store(&t->paused, false);
    pthread_mutex_unlock(&pool->lock);
}

/* One thread writes ticks, so this needs no atomic addition. */
static void tick(cuzk_pool_tenant *t)
{
    uint64_t n = atomic_load_explicit(&t->ticks, memory_order_relaxed);
    atomic_store_explicit(&t->ticks, n + 1, memory_order_relaxed);
}

bool cuzk_pool_pass(cuzk_pool *pool)
{
    cuzk_pool_tenant *t = pool && !inside_task ? tenant_on(pool) : NULL;
    if (!t)
        return true;
    tick(t);
    if (is_outranked(pool, urgency_of(t)))
        stand_still(pool, t, NULL, true);
    return !is_cancelled(t);
}

/* ---- runs ---- */

static void run_inline(size_t n_tasks, cuzk_task_fn fn, void *ctx)
{
    for (size_t i = 0; i < n_tasks; i++)
        fn(ctx, i, 0);
}

/* False: indices were left out. */
static bool work(cuzk_pool *pool, pool_run *r)
{
    cuzk_pool_tenant *t = r->tenant;
    for (;;) {
        if (t) {
            tick(t);
            if (is_outranked(pool, atomic_load_explicit(&r->urgency, memory_order_relaxed)))
                stand_still(pool, t, r, r->may_stop);
            if (r->may_stop && is_cancelled(t))
                return atomic_exchange(&r->next, r->n_tasks) >= r->n_tasks;
        }
        size_t i = atomic_fetch_add(&r->next, 1);
        if (i >= r->n_tasks)
            return true;
        inside_task = true;
        r->fn(r->ctx, i, 0);
        inside_task = false;
    }
}

static void wake_helpers(cuzk_pool *pool, size_t n)
{
    if (n >= pool->n_idle) {
        pthread_cond_broadcast(&pool->wake);
        return;
    }
    while (n-- > 0)
        pthread_cond_signal(&pool->wake);
}

static void enlist(cuzk_pool *pool, pool_run *r)
{
    pthread_mutex_lock(&pool->lock);
    r->prev_run = pool->runs.prev_run;
    r->next_run = &pool->runs;
    r->prev_run->next_run = r;
    pool->runs.prev_run = r;
    if (r->counts)
        level_add(pool, atomic_load(&r->urgency));
    atomic_fetch_add(&pool->n_enlisted, 1);
    if (pool->n_idle > 0)
        wake_helpers(pool, r->n_tasks - 1);
    pthread_mutex_unlock(&pool->lock);
}

static void delist(cuzk_pool *pool, pool_run *r)
{
    pthread_mutex_lock(&pool->lock);
    r->prev_run->next_run = r->next_run;
    r->next_run->prev_run = r->prev_run;
    if (r->n_inside > 0) {
        pthread_mutex_unlock(&pool->lock);
        spin_while(&r->n_inside, 0, false);
        pthread_mutex_lock(&pool->lock);
    }
    r->is_awaited = true;
    while (r->n_inside > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    if (r->counts)
        level_sub(pool, atomic_load(&r->urgency));
    pthread_mutex_unlock(&pool->lock);
}

static bool run(cuzk_pool *pool, size_t n_tasks, cuzk_task_fn fn, void *ctx, bool may_stop)
{
    if (!pool || inside_task) {
        run_inline(n_tasks, fn, ctx);
        return true;
    }
    pool_run r = {.fn = fn, .ctx = ctx, .n_tasks = n_tasks, .may_stop = may_stop};
    r.scope = cuzk_span_current();
    r.tenant = tenant_on(pool);
    r.counts = r.tenant && !r.tenant->exclusive;
    atomic_init(&r.urgency, urgency_of(r.tenant));
    atomic_init(&r.next, 0);
    if (n_tasks <= 1 || (pool->n_threads == 1 && !r.counts)) /* nobody else needs to know */
        return work(pool, &r);
    enlist(pool, &r);
    bool all = work(pool, &r);
    delist(pool, &r);
    return all;
}

void cuzk_pool_run(cuzk_pool *pool, size_t n_tasks, cuzk_task_fn fn, void *ctx)
{
    (void)run(pool, n_tasks, fn, ctx, false);
}

bool cuzk_pool_try(cuzk_pool *pool, size_t n_tasks, cuzk_task_fn fn, void *ctx)
{
    return run(pool, n_tasks, fn, ctx, true);
}

/* ---- ranges ---- */

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

static bool run_for(cuzk_pool *pool, size_t n, size_t min_chunk, range_run *r, bool may_stop)
{
    size_t max_chunks = CHUNKS_A_WORKER * (size_t)cuzk_pool_size(pool);
    r->n = n;
    r->chunk = (n + max_chunks - 1) / max_chunks;
    if (r->chunk < min_chunk)
        r->chunk = min_chunk;
    if (r->chunk == 0)
        return true;
    return run(pool, (n + r->chunk - 1) / r->chunk, run_range, r, may_stop);
}

void cuzk_pool_for(cuzk_pool *pool, size_t n, size_t min_chunk, cuzk_range_fn fn, void *ctx)
{
    range_run r = {.fn = fn, .ctx = ctx};
    (void)run_for(pool, n, min_chunk, &r, false);
}

bool cuzk_pool_try_for(cuzk_pool *pool, size_t n, size_t min_chunk, cuzk_range_fn fn, void *ctx)
{
    range_run r = {.fn = fn, .ctx = ctx};
    return run_for(pool, n, min_chunk, &r, true);
}

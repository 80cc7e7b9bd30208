/* Thread pool with several callers: who gives way to whom, cancellation, workers' numbers. Loops
 * are arranged so that a test waits for events, never for a while. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>

#include "base/pool.h"

#define MAX_WORKERS 8u

typedef struct {
    atomic_uint n_done, n_double;
    atomic_bool in_use[MAX_WORKERS];
    atomic_uint hits[64];
} tally;

static void count(void *ctx, size_t index, unsigned worker)
{
    tally *t = ctx;
    if (worker >= MAX_WORKERS || atomic_exchange(&t->in_use[worker], true))
        t->n_double++;
    t->hits[index]++;
    t->n_done++;
    t->in_use[worker] = false;
}

/* ---- many callers ---- */

typedef struct {
    cuzk_pool *pool;
    unsigned seed, n_wrong;
} caller;

static void *call_often(void *arg)
{
    caller *c = arg;
    cuzk_pool_tenant t = {0};
    for (unsigned round = 0; round < 300; round++) {
        c->seed = c->seed * 1664525u + 1013904223u;
        unsigned n = (c->seed >> 8) % 64 + 1, mode = c->seed >> 28;
        tally y = {0};
        t.exclusive = mode & 1;
        atomic_store(&t.urgency, (int)(c->seed >> 20 & 3));
        if (mode & 6)
            cuzk_pool_enter(c->pool, &t);
        cuzk_pool_run(c->pool, n, count, &y);
        if (!cuzk_pool_pass(c->pool))
            c->n_wrong++;
        if (mode & 6)
            cuzk_pool_leave(c->pool, &t);
        for (unsigned i = 0; i < 64; i++)
            c->n_wrong += y.hits[i] != (i < n);
        c->n_wrong += y.n_double;
    }
    return NULL;
}

static void callers_at_once(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 5; n_threads += 2) {
        cuzk_pool *pool;
        pthread_t thread[6];
        caller c[6];
        assert_int_equal(cuzk_pool_new(&pool, n_threads, "test", NULL), CUZK_OK);
        for (unsigned i = 0; i < 6; i++) {
            c[i] = (caller){pool, i * 77 + n_threads, 0};
            assert_int_equal(pthread_create(&thread[i], NULL, call_often, &c[i]), 0);
        }
        for (unsigned i = 0; i < 6; i++) {
            pthread_join(thread[i], NULL);
            assert_int_equal(c[i].n_wrong, 0);
        }
        cuzk_pool_free(pool);
    }
}

/* ---- a loop in the background ---- */

typedef struct {
    cuzk_pool *pool;
    cuzk_pool_tenant tenant;
    atomic_bool cancel, stop, ended, all;
    bool may_stop;
    atomic_uint n_done;
    pthread_t thread;
} background;

#define ENDLESS 100000000u

/* Quick once the loop is to end, so that a run which must complete does. */
static void chew(void *ctx, size_t index, unsigned worker)
{
    background *b = ctx;
    (void)index;
    (void)worker;
    if (b->stop)
        return;
    b->n_done++;
    sched_yield();
}

static void *background_main(void *arg)
{
    background *b = arg;
    cuzk_pool_enter(b->pool, &b->tenant);
    if (b->may_stop)
        b->all = cuzk_pool_try(b->pool, ENDLESS, chew, b);
    else
        cuzk_pool_run(b->pool, 10000, chew, b);
    cuzk_pool_leave(b->pool, &b->tenant);
    b->ended = true;
    return NULL;
}

static void background_start(background *b, cuzk_pool *pool, int urgency)
{
    b->pool = pool;
    b->may_stop = true;
    b->tenant.cancel = &b->cancel;
    b->tenant.exclusive = true;
    atomic_store(&b->tenant.urgency, urgency);
    assert_int_equal(pthread_create(&b->thread, NULL, background_main, b), 0);
    while (b->n_done == 0)
        sched_yield();
}

static void background_end(background *b)
{
    b->cancel = true;
    pthread_join(b->thread, NULL);
    assert_false(b->all);
}

static void urgent_goes_first(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 3; n_threads++) {
        cuzk_pool *pool;
        background low = {0};
        tally y = {0};
        cuzk_pool_tenant urgent = {.exclusive = true};
        atomic_store(&urgent.urgency, 3);
        assert_int_equal(cuzk_pool_new(&pool, n_threads, "test", NULL), CUZK_OK);
        background_start(&low, pool, 1);
        cuzk_pool_enter(pool, &urgent);
        unsigned before = low.n_done;
        cuzk_pool_run(pool, 64, count, &y);
        while (!low.tenant.paused) /* also while the urgent one runs no loop */
            sched_yield();
        uint64_t ticks = low.tenant.ticks;
        for (unsigned i = 0; i < 1000; i++)
            sched_yield();
        assert_int_equal(low.tenant.ticks, ticks);
        assert_true(low.n_done - before <= n_threads);
        assert_int_equal(y.n_done, 64);
        before = low.n_done;
        cuzk_pool_leave(pool, &urgent);
        while (low.n_done == before)
            sched_yield();
        assert_false(low.ended);
        background_end(&low);
        cuzk_pool_free(pool);
    }
}

/* A tenant that is not exclusive takes precedence while it runs loops and no longer, so waiting for
 * a less urgent one is safe. */
static void shared_tenant_lets_others_on(void **state)
{
    (void)state;
    cuzk_pool *pool;
    background low = {0};
    tally y = {0};
    cuzk_pool_tenant t = {0};
    atomic_store(&t.urgency, 3);
    assert_int_equal(cuzk_pool_new(&pool, 2, "test", NULL), CUZK_OK);
    background_start(&low, pool, 1);
    cuzk_pool_enter(pool, &t);
    cuzk_pool_run(pool, 64, count, &y);
    unsigned before = low.n_done;
    while (low.n_done < before + 10)
        sched_yield();
    cuzk_pool_leave(pool, &t);
    background_end(&low);
    cuzk_pool_free(pool);
}

static void paused_tenant_rises(void **state)
{
    (void)state;
    cuzk_pool *pool;
    background low = {0};
    cuzk_pool_tenant mid = {.exclusive = true};
    atomic_store(&mid.urgency, 2);
    assert_int_equal(cuzk_pool_new(&pool, 2, "test", NULL), CUZK_OK);
    background_start(&low, pool, 1);
    cuzk_pool_enter(pool, &mid);
    while (!low.tenant.paused)
        sched_yield();
    unsigned before = low.n_done;
    atomic_store(&low.tenant.urgency, 2);
    while (low.n_done < before + 10)
        sched_yield();
    cuzk_pool_leave(pool, &mid);
    background_end(&low);
    cuzk_pool_free(pool);
}

static void cancel_stops_a_loop(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 3; n_threads++) {
        cuzk_pool *pool;
        background b = {0}, paused = {0};
        cuzk_pool_tenant urgent = {.exclusive = true};
        atomic_store(&urgent.urgency, 3);
        assert_int_equal(cuzk_pool_new(&pool, n_threads, "test", NULL), CUZK_OK);
        background_start(&b, pool, 1);
        background_end(&b);
        assert_true(b.n_done < ENDLESS);
        background_start(&paused, pool, 1);
        cuzk_pool_enter(pool, &urgent);
        while (!paused.tenant.paused)
            sched_yield();
        background_end(&paused); /* ends while another has the pool */
        cuzk_pool_leave(pool, &urgent);
        cuzk_pool_free(pool);
    }
}

/* What has not been asked whether it may stop runs to its end. */
static void run_completes_when_cancelled(void **state)
{
    (void)state;
    cuzk_pool *pool;
    tally y = {0};
    atomic_bool cancel = true;
    cuzk_pool_tenant t = {.cancel = &cancel};
    assert_int_equal(cuzk_pool_new(&pool, 2, "test", NULL), CUZK_OK);
    cuzk_pool_enter(pool, &t);
    cuzk_pool_run(pool, 64, count, &y);
    assert_int_equal(y.n_done, 64);
    assert_false(cuzk_pool_try(pool, 64, count, &y));
    assert_false(cuzk_pool_try(pool, 1, count, &y));
    assert_true(cuzk_pool_try(pool, 0, count, &y));
    assert_int_equal(y.n_done, 64);
    assert_false(cuzk_pool_pass(pool));
    cuzk_pool_leave(pool, &t);
    assert_true(cuzk_pool_try(pool, 64, count, &y));
    assert_int_equal(y.n_done, 128);
    cuzk_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_at_once),
        cmocka_unit_test(urgent_goes_first),
        cmocka_unit_test(shared_tenant_lets_others_on),
        cmocka_unit_test(paused_tenant_rises),
        cmocka_unit_test(cancel_stops_a_loop),
        cmocka_unit_test(run_completes_when_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "engine/budget.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"

#define PAYLOAD_SHARE 8u /* requests that wait may hold so small a part of the budget, ... */
#define PAYLOAD_LEAST ((uint64_t)160 << 20) /* ... or this: the largest has 128 MiB */
#define PAYLOAD_FREE  ((uint64_t)16 << 20)  /* taken even when the budget is full */
#define POLL_NS       100000000u            /* how often a waiter looks at its cancel flag */
#define RETRY_NS      1000000000u /* things also become idle enough by the passing of time */
#define GIB           (1024.0 * 1024.0 * 1024.0)

/* One that waits; on its own stack. */
typedef struct waiter {
    struct waiter *next;
    int urgency;
} waiter;

struct cuzk_budget {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    uint64_t total, used, peak, kind[BUDGET_KINDS];
    uint64_t n_refused, n_reclaimed;
    waiter *first;      /* by urgency, then by arrival */
    unsigned n_waiting; /* that did not get it at once */
    uint64_t epoch;     /* of the last thing given back */
    bool trying;        /* somebody is in a try function */
    budget_reclaim_fn reclaim;
    void *reclaim_ctx;
};

const char *cuzk_budget_kind_name(budget_kind kind)
{
    static const char *const name[BUDGET_KINDS] = {"srs", "circuit", "partition", "payload"};
    return name[kind];
}

uint64_t cuzk_budget_token_sum(const budget_token *t)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < BUDGET_KINDS; k++)
        sum = t->bytes[k] > UINT64_MAX - sum ? UINT64_MAX : sum + t->bytes[k];
    return sum;
}

cuzk_status cuzk_budget_new(cuzk_budget **out, uint64_t total, cuzk_err *err)
{
    pthread_condattr_t attr;
    cuzk_budget *b = (cuzk_budget *)cuzk_calloc(1, sizeof *b);
    if (!b)
        return cuzk_fail(err, CUZK_NOMEM, 0, "memory budget: no memory");
    pthread_mutex_init(&b->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&b->changed, &attr);
    pthread_condattr_destroy(&attr);
    b->total = total;
    *out = b;
    return CUZK_OK;
}

void cuzk_budget_free(cuzk_budget *b)
{
    if (!b)
        return;
    CUZK_DASSERT(!b->first);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    cuzk_free(b);
}

void cuzk_budget_on_reclaim(cuzk_budget *b, budget_reclaim_fn fn, void *ctx)
{
    b->reclaim = fn;
    b->reclaim_ctx = ctx;
}

/* ---- tokens; under the lock ---- */

static void check_sum(const cuzk_budget *b)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < BUDGET_KINDS; k++)
        sum += b->kind[k];
    CUZK_DASSERT(sum == b->used);
    (void)sum;
}

static void add(cuzk_budget *b, const budget_token *t)
{
    for (size_t k = 0; k < BUDGET_KINDS; k++) {
        b->kind[k] += t->bytes[k];
        b->used += t->bytes[k];
    }
    b->peak = b->used > b->peak ? b->used : b->peak;
    check_sum(b);
}

/* How many bytes must be given back before need more fit; 0: it fits. Alone but for requests that
 * wait, it fits whatever those hold: else they could keep for ever from running what they wait for.
 */
static uint64_t excess(const cuzk_budget *b, uint64_t need, uint64_t own)
{
    uint64_t jobs = b->used - b->kind[BUDGET_PAYLOAD], mine = own < jobs ? own : jobs;
    if (need > b->total || mine > b->total - need)
        return UINT64_MAX; /* never */
    uint64_t too_many = b->used > b->total - need ? b->used - (b->total - need) : 0;
    uint64_t others = jobs - mine;
    return too_many < others ? too_many : others;
}

/* Takes it if it fits; else *too_many says by how much it does not. */
static bool take_now(cuzk_budget *b, const budget_token *token, uint64_t own, uint64_t *too_many)
{
    pthread_mutex_lock(&b->lock);
    *too_many = excess(b, cuzk_budget_token_sum(token), own);
    if (*too_many == 0)
        add(b, token);
    pthread_mutex_unlock(&b->lock);
    return *too_many == 0;
}

static void count_reclaim(cuzk_budget *b)
{
    pthread_mutex_lock(&b->lock);
    b->n_reclaimed++;
    pthread_mutex_unlock(&b->lock);
}

bool cuzk_budget_take(cuzk_budget *b, const budget_token *token, const budget_token *own,
                      bool reclaim)
{
    uint64_t mine = own ? cuzk_budget_token_sum(own) : 0, too_many;
    while (!take_now(b, token, mine, &too_many)) {
        if (!reclaim || !b->reclaim || !b->reclaim(b->reclaim_ctx, too_many))
            return false;
        count_reclaim(b);
    }
    return true;
}

static bool payload_fits(const cuzk_budget *b, uint64_t bytes, uint64_t share, uint64_t left)
{
    uint64_t held = b->kind[BUDGET_PAYLOAD];
    if (held == 0)
        return true;
    if (bytes > share || held > share - bytes)
        return false;
    return bytes <= left || held + bytes <= PAYLOAD_FREE;
}

cuzk_status cuzk_budget_take_payload(cuzk_budget *b, uint64_t bytes, cuzk_err *err)
{
    const budget_token token = {.bytes[BUDGET_PAYLOAD] = bytes};
    uint64_t share = b->total / PAYLOAD_SHARE; /* total is constant */
    share = share > PAYLOAD_LEAST ? share : PAYLOAD_LEAST;
    pthread_mutex_lock(&b->lock);
    uint64_t held = b->kind[BUDGET_PAYLOAD], left = b->total > b->used ? b->total - b->used : 0;
    bool fits = payload_fits(b, bytes, share, left);
    if (fits)
        add(b, &token);
    else
        b->n_refused++;
    pthread_mutex_unlock(&b->lock);
    if (fits)
        return CUZK_OK;
    return cuzk_fail(err, CUZK_BUDGET, 0,
                     "no memory for a request of %" PRIu64 " bytes: requests hold %" PRIu64
                     " of at most %" PRIu64 " bytes, and %" PRIu64
                     " bytes of the memory budget are free; try again later",
                     bytes, held, share, left);
}

void cuzk_budget_poke(cuzk_budget *b)
{
    pthread_mutex_lock(&b->lock);
    b->epoch++;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

void cuzk_budget_release(cuzk_budget *b, const budget_token *token)
{
    pthread_mutex_lock(&b->lock);
    for (size_t k = 0; k < BUDGET_KINDS; k++) {
        CUZK_DASSERT(token->bytes[k] <= b->kind[k]);
        b->kind[k] -= token->bytes[k];
        b->used -= token->bytes[k];
    }
    check_sum(b);
    b->epoch++;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

void cuzk_budget_release_one(cuzk_budget *b, budget_kind kind, uint64_t bytes)
{
    budget_token token = {.bytes[0] = 0};
    token.bytes[kind] = bytes;
    cuzk_budget_release(b, &token);
}

/* ---- waiting ---- */

static void enqueue(cuzk_budget *b, waiter *w)
{
    waiter **at = &b->first;
    while (*at && (*at)->urgency >= w->urgency)
        at = &(*at)->next;
    w->next = *at;
    *at = w;
}

static void dequeue(cuzk_budget *b, const waiter *w)
{
    waiter **at = &b->first;
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
}

static bool cancelled(const budget_wish *w)
{
    return w->cancel && atomic_load(w->cancel);
}

static void wait_for_change(cuzk_budget *b)
{
    struct timespec t;
    uint64_t until = cuzk_now_ns() + POLL_NS;
    t.tv_sec = (time_t)(until / 1000000000u);
    t.tv_nsec = (long)(until % 1000000000u);
    pthread_cond_timedwait(&b->changed, &b->lock, &t);
}

/* One call of try by the first of the queue; the lock is given up meanwhile. */
static cuzk_status attempt(cuzk_budget *b, budget_try_fn try, void *ctx, cuzk_err *err)
{
    b->trying = true;
    pthread_mutex_unlock(&b->lock);
    cuzk_status st = try(ctx, err);
    pthread_mutex_lock(&b->lock);
    b->trying = false;
    pthread_cond_broadcast(&b->changed);
    return st;
}

/* The lock is given up meanwhile. */
static void tell_waiting(cuzk_budget *b, const budget_wish *wish, bool *told)
{
    *told = true;
    if (!wish->waiting)
        return;
    pthread_mutex_unlock(&b->lock);
    wish->waiting(wish->waiting_ctx);
    pthread_mutex_lock(&b->lock);
}

/* When and at which epoch the last attempt of a waiter began. */
typedef struct {
    bool tried;
    uint64_t epoch, at_ns;
} attempt_time;

static bool my_turn(const cuzk_budget *b, const waiter *w, const attempt_time *last)
{
    if (b->first != w || b->trying)
        return false;
    return !last->tried || b->epoch != last->epoch || cuzk_now_ns() - last->at_ns >= RETRY_NS;
}

static cuzk_status wait_for_turn(cuzk_budget *b, const waiter *me, budget_try_fn try, void *ctx,
                                 const budget_wish *wish, cuzk_err *err)
{
    attempt_time last = {.tried = false};
    cuzk_status st = CUZK_BUDGET;
    bool told = wish->now;
    while (st == CUZK_BUDGET && !(wish->now && (last.tried || b->first != me))) {
        if (cancelled(wish)) {
            st = cuzk_fail(err, CUZK_CANCELLED, 0, "cancelled while %s waited for memory",
                           wish->what);
        } else if (my_turn(b, me, &last)) {
            last = (attempt_time){true, b->epoch, cuzk_now_ns()};
            st = attempt(b, try, ctx, err);
        } else if (!told) {
            tell_waiting(b, wish, &told);
        } else {
            wait_for_change(b);
        }
    }
    return st;
}

cuzk_status cuzk_budget_wait(cuzk_budget *b, budget_try_fn try, void *ctx, const budget_wish *wish,
                             cuzk_err *err)
{
    waiter me = {.urgency = wish->urgency};
    pthread_mutex_lock(&b->lock);
    enqueue(b, &me);
    b->n_waiting++;
    cuzk_status st = wait_for_turn(b, &me, try, ctx, wish, err);
    if (st == CUZK_BUDGET) {
        b->n_refused++;
        cuzk_fail(err, st, 0, "no memory for %s now, others are using it; try again later",
                  wish->what);
    }
    b->n_waiting--;
    dequeue(b, &me);
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    return st;
}

typedef struct {
    cuzk_budget *budget;
    const budget_token *token;
} plain_wish;

static cuzk_status try_plain(void *ctx, cuzk_err *err)
{
    const plain_wish *w = (const plain_wish *)ctx;
    (void)err;
    return cuzk_budget_take(w->budget, w->token, NULL, true) ? CUZK_OK : CUZK_BUDGET;
}

cuzk_status cuzk_budget_reserve(cuzk_budget *b, const budget_token *token, const budget_wish *wish,
                                cuzk_err *err)
{
    plain_wish w = {b, token};
    uint64_t need = cuzk_budget_token_sum(token);
    if (need <= b->total) /* constant */
        return cuzk_budget_wait(b, try_plain, &w, wish, err);
    pthread_mutex_lock(&b->lock);
    b->n_refused++;
    pthread_mutex_unlock(&b->lock);
    return cuzk_fail(err, CUZK_MEMORY, 0,
                     "%s needs %.3f GiB (%" PRIu64
                     " bytes), the memory budget is %.3f GiB (%" PRIu64 " bytes); raise the budget",
                     wish->what, (double)need / GIB, need, (double)b->total / GIB, b->total);
}

void cuzk_budget_stats(cuzk_budget *b, budget_stats *out)
{
    pthread_mutex_lock(&b->lock);
    *out = (budget_stats){.total = b->total,
                          .used = b->used,
                          .peak = b->peak,
                          .n_waiting = b->n_waiting,
                          .n_refused = b->n_refused,
                          .n_reclaimed = b->n_reclaimed};
    for (size_t k = 0; k < BUDGET_KINDS; k++)
        out->kind[k] = b->kind[k];
    check_sum(b);
    pthread_mutex_unlock(&b->lock);
}

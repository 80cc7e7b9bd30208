/* One budget of memory for everything big in the process: parameters, compiled circuits, the
 * working memory of proofs, requests that wait.
 *
 * Who wants memory reserves first and allocates then. What does not fit now but may later waits, by
 * urgency, then by arrival; what can never fit is refused at once. Nobody holds anything while he
 * waits, so there is no deadlock (docs/memory.md). Before waiting, the reclaim callback is asked to
 * give up what is idle.
 *
 * Thread-safe. used is the sum of all tokens at every moment (asserted in VERIFY builds).
 */
#ifndef CUZK_ENGINE_BUDGET_H
#define CUZK_ENGINE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct cuzk_budget cuzk_budget;

typedef enum {
    BUDGET_SRS,       /* parameters in memory */
    BUDGET_CIRCUIT,   /* compiled circuits */
    BUDGET_PARTITION, /* working memory of a proof */
    BUDGET_PAYLOAD,   /* requests that wait */
    BUDGET_KINDS
} budget_kind;

/* Bytes by kind: reserved together, given back in any portions. */
typedef struct {
    uint64_t bytes[BUDGET_KINDS];
} budget_token;

const char *cuzk_budget_kind_name(budget_kind kind); /* "srs", "circuit", "partition", "payload" */
uint64_t cuzk_budget_token_sum(const budget_token *t);

/* total: bytes; UINT64_MAX: unlimited. */
cuzk_status cuzk_budget_new(cuzk_budget **out, uint64_t total, cuzk_err *err);
void cuzk_budget_free(cuzk_budget *b); /* accepts NULL; nobody may wait */

/* Asked, without the budget's lock and by one thread at a time, to give back at least need bytes of
 * idle tokens; returns whether it gave back any. Set before first use. */
typedef bool (*budget_reclaim_fn)(void *ctx, uint64_t need);
void cuzk_budget_on_reclaim(cuzk_budget *b, budget_reclaim_fn fn, void *ctx);

typedef struct {
    int urgency;                /* larger first; equal: first come, first served */
    bool now;                   /* do not wait: CUZK_BUDGET when it does not fit now */
    const atomic_bool *cancel;  /* NULL: cannot be cancelled; looked at ten times a second */
    const char *what;           /* for messages: "porep-32g" */
    void (*waiting)(void *ctx); /* NULL, or told once when it has to wait; no lock is held */
    void *waiting_ctx;
} budget_wish;

/* CUZK_MEMORY at once, with both numbers, when larger than the budget; CUZK_CANCELLED. */
cuzk_status cuzk_budget_reserve(cuzk_budget *b, const budget_token *token, const budget_wish *wish,
                                cuzk_err *err);

/* The general form. Whoever is first in the queue has try called, without the lock and one thread
 * at a time: at once, and again whenever something was given back, until it returns anything but
 * CUZK_BUDGET. try must hold nothing when it returns that. It uses cuzk_budget_take. */
typedef cuzk_status (*budget_try_fn)(void *ctx, cuzk_err *err);
cuzk_status cuzk_budget_wait(cuzk_budget *b, budget_try_fn try, void *ctx, const budget_wish *wish,
                             cuzk_err *err);

/* Takes token if it fits now; reclaim: after asking for idle tokens if need be. own: tokens that
 * the caller has the use of already (parameters that he has pinned), NULL: none; they are not taken
 * again. When there is nothing else but requests that wait, it fits whatever those hold. */
bool cuzk_budget_take(cuzk_budget *b, const budget_token *token, const budget_token *own,
                      bool reclaim);

/* For requests that come in: never waits, never reclaims. CUZK_BUDGET when it does not fit now, or
 * when all of them would have more than an eighth of the budget (or 160 MiB, if that is more). One
 * alone is always taken, and so are 16 MiB of them. */
cuzk_status cuzk_budget_take_payload(cuzk_budget *b, uint64_t bytes, cuzk_err *err);

void cuzk_budget_release(cuzk_budget *b, const budget_token *token);
void cuzk_budget_release_one(cuzk_budget *b, budget_kind kind, uint64_t bytes);
/* Something became idle: those who wait try again. */
void cuzk_budget_poke(cuzk_budget *b);

typedef struct {
    uint64_t total, used, peak; /* used == sum of kind[] */
    uint64_t kind[BUDGET_KINDS];
    unsigned n_waiting;
    uint64_t n_refused;   /* could never fit, or not now when not to wait */
    uint64_t n_reclaimed; /* times that idle tokens were given up */
} budget_stats;
void cuzk_budget_stats(cuzk_budget *b, budget_stats *out);

#endif

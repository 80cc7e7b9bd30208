/* An engine with the fake prover, and an ear for its listeners: test_engine.c, test_schedule.c. */
#ifndef CUZK_TEST_ENGINE_SUPPORT_H
#define CUZK_TEST_ENGINE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <sched.h>

#include "e2e/fake_prover.h"
#include "engine/log.h"

/* What listeners heard. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned n;
    engine_outcome outcome[64];
    uint8_t first_byte[64], last_byte;
    size_t n_bytes; /* of the last proof */
    char error[512];
    engine_timings timings;
} ear;

typedef struct {
    fake_prover fake;
    engine *e;
    ear ear;
    unsigned n_idle;
} fixture;

static _Atomic uint64_t fake_now CUZK_UNUSED;

static inline uint64_t fake_clock(void)
{
    return fake_now;
}

static inline void hear(void *ctx, const engine_result *r)
{
    ear *h = ctx;
    pthread_mutex_lock(&h->lock);
    h->outcome[h->n % 64] = r->outcome;
    h->first_byte[h->n % 64] = r->n_proof_bytes ? r->proof[0] : 0;
    h->n_bytes = r->n_proof_bytes;
    h->last_byte = r->n_proof_bytes ? r->proof[r->n_proof_bytes - 1] : 0;
    if (r->outcome == ENGINE_FAILED)
        snprintf(h->error, sizeof h->error, "%s", r->error_message);
    h->timings = r->timings;
    h->n++;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
}

static inline void wait_heard(ear *h, unsigned n)
{
    pthread_mutex_lock(&h->lock);
    while (h->n < n)
        pthread_cond_wait(&h->changed, &h->lock);
    pthread_mutex_unlock(&h->lock);
}

static inline void on_idle(void *ctx)
{
    fixture *f = ctx;
    f->n_idle++;
}

static inline void start(fixture *f, const engine_options *opt)
{
    cuzk_log_set_level(CUZK_LOG_OFF);
    memset(f, 0, sizeof *f);
    fake_init(&f->fake);
    pthread_mutex_init(&f->ear.lock, NULL);
    pthread_cond_init(&f->ear.changed, NULL);
    engine_options o = *opt;
    o.on_idle = on_idle;
    o.on_idle_ctx = f;
    engine_backend b = fake_backend(&f->fake);
    assert_int_equal(cuzk_engine_new(&f->e, &o, &b, NULL), CUZK_OK);
}

static inline void start_default(fixture *f)
{
    engine_options o = ENGINE_OPTIONS_DEFAULTS;
    start(f, &o);
}

/* Also checks that every parsed request was freed once. */
static inline void finish(fixture *f)
{
    fake_open_gate(&f->fake);
    cuzk_engine_free(f->e);
    assert_int_equal(f->fake.n_parsed, f->fake.n_freed);
    assert_int_equal(f->fake.n_open, 0);
}

typedef struct {
    const char *id;
    cuzk_kind kind;
    int priority;
    uint64_t miner, sector;
    const char *vanilla;
    uint32_t parts;       /* of the fake proof; 0: one */
    uint64_t deadline_ns; /* on the engine's clock */
} ask;

static inline cuzk_status submit(fixture *f, ask a, bool listen, engine_ticket *t, cuzk_err *err)
{
    request_message m = {.kind = a.kind, .miner_id = a.miner, .sector_number = a.sector};
    m.partition_index = a.parts;
    const char *v = a.vanilla ? a.vanilla : "x";
    m.vanilla_proof = (byte_view){(const uint8_t *)v, strlen(v)};
    engine_request r = {a.id, a.priority, &m, 100, a.deadline_ns};
    engine_listener l = {hear, &f->ear, 0};
    return cuzk_engine_submit(f->e, &r, listen ? &l : NULL, t, err);
}

#endif

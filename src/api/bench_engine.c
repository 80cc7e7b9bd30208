/* cuzk_bench_engine: the daemon's queue and scheduler in this process. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "cuzk/bench.h"
#include "engine/engine.h"
#include "engine/log.h"

struct cuzk_bench_engine {
    cuzk_prover *prover;
    engine *engine;
};

void cuzk_bench_engine_free(cuzk_bench_engine *e)
{
    if (!e)
        return;
    cuzk_engine_free(e->engine);
    cuzk_prover_free(e->prover);
    cuzk_free(e);
}

cuzk_status cuzk_bench_engine_new(cuzk_bench_engine **out, const cuzk_prover_options *opt,
                                  cuzk_err *err)
{
    cuzk_status st;
    engine_options options = ENGINE_OPTIONS_DEFAULTS;
    if (!getenv("CUZK_LOG")) /* a line a job would hide the result */
        cuzk_log_set_level(CUZK_LOG_WARN);
    cuzk_bench_engine *e = (cuzk_bench_engine *)cuzk_calloc(1, sizeof *e);
    if (!e)
        return cuzk_fail(err, CUZK_NOMEM, 0, "bench: no memory");
    CUZK_TRY(cuzk_prover_new(&e->prover, opt, err));
    const engine_backend backend = cuzk_engine_backend_of(e->prover);
    CUZK_TRY(cuzk_engine_new(&e->engine, &options, &backend, err));
    *out = e;
    e = NULL;
out:
    cuzk_bench_engine_free(e);
    return st;
}

/* One caller that waits. */
typedef struct {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t ended;
    bool done;
    cuzk_status st;
    char message[256];
    cuzk_bench_job job;
} waiter;

static cuzk_status status_of(const engine_result *r)
{
    switch (r->outcome) {
    case ENGINE_COMPLETED:
        return CUZK_OK;
    case ENGINE_FAILED:
        return r->error;
    case ENGINE_CANCELLED:
        return CUZK_CANCELLED;
    case ENGINE_TIMEOUT:
        return CUZK_TIMEOUT;
    case ENGINE_SHUTDOWN:
        break;
    }
    return CUZK_UNAVAILABLE;
}

static void on_result(void *ctx, const engine_result *r)
{
    waiter *w = (waiter *)ctx;
    pthread_mutex_lock(&w->lock);
    w->st = status_of(r);
    w->job = (cuzk_bench_job){r->timings.queue_ms, r->timings.total_ms,
                              (unsigned)(r->n_proof_bytes / CUZK_PROOF_BYTES)};
    snprintf(w->message, sizeof w->message, "%.250s", r->error_message ? r->error_message : "");
    w->done = true;
    pthread_cond_signal(&w->ended);
    pthread_mutex_unlock(&w->lock);
}

static cuzk_status wait_for(waiter *w, cuzk_bench_job *out, cuzk_err *err)
{
    pthread_mutex_lock(&w->lock);
    while (!w->done)
        pthread_cond_wait(&w->ended, &w->lock);
    cuzk_status st = w->st;
    pthread_mutex_unlock(&w->lock);
    if (st != CUZK_OK)
        return cuzk_fail(err, st, 0, "%s", w->message[0] ? w->message : cuzk_status_text(st));
    *out = w->job;
    return CUZK_OK;
}

cuzk_status cuzk_bench_engine_prove(cuzk_bench_engine *e, const char *path, cuzk_bench_job *out,
                                    cuzk_err *err)
{
    request_files files;
    waiter w = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};
    cuzk_status st = cuzk_request_files_read(&files, path, err);
    if (st != CUZK_OK)
        return st;
    const engine_request request = {.msg = &files.msg};
    const engine_listener listener = {.fn = on_result, .ctx = &w};
    engine_ticket ticket;
    st = cuzk_engine_submit(e->engine, &request, &listener, &ticket, err);
    cuzk_request_files_fini(&files);
    if (st == CUZK_OK)
        st = wait_for(&w, out, err);
    pthread_cond_destroy(&w.ended);
    pthread_mutex_destroy(&w.lock);
    return st;
}

/* A prover for tests of the engine and the daemon: does what the request tells it to.
 *
 *   vanilla_proof begins with '!'   the parser refuses it
 *   miner_id FAKE_FAIL              fails
 *   miner_id FAKE_WAIT              waits until the gate is opened, or until it is cancelled
 *   miner_id FAKE_STUCK             waits for the gate and ignores cancellation
 *   miner_id FAKE_TURNS             each partition waits for a turn, see fake_give_turn
 *   miner_id FAKE_MEMORY            the same, as one that waits for memory
 *   miner_id FAKE_STATUS + n        fails with status n
 *   partition_index                 number of partitions; 0: one
 *
 * Partition i is 192 bytes, each the low byte of sector_number + i.
 */
#ifndef FAKE_PROVER_H
#define FAKE_PROVER_H

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/trace.h"
#include "engine/engine.h"

enum {
    FAKE_FAIL = 1,
    FAKE_WAIT = 2,
    FAKE_STUCK = 3,
    FAKE_TURNS = 4,
    FAKE_MEMORY = 5,
    FAKE_STATUS = 5000
};

#define FAKE_PROOF_BYTES 192u
#define FAKE_MAX_ORDER   4096u
#define FAKE_SECTORS     64u

typedef struct {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    bool gate_open, fail_all, loading;     /* loading: parameters, at start */
    unsigned n_started, n_parsed, n_freed; /* partitions; requests */
    unsigned n_open, most_open;            /* proofs in work */
    unsigned turns[FAKE_SECTORS];
    uint64_t order[FAKE_MAX_ORDER]; /* sector numbers as partitions were started */
} fake_prover;

static inline void fake_init(fake_prover *f)
{
    memset(f, 0, sizeof *f);
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->changed, NULL);
}

static inline void fake_open_gate(fake_prover *f)
{
    pthread_mutex_lock(&f->lock);
    f->gate_open = true;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

/* One partition of a FAKE_TURNS job may go on. */
static inline void fake_give_turn(fake_prover *f, uint64_t sector)
{
    pthread_mutex_lock(&f->lock);
    f->turns[sector % FAKE_SECTORS]++;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

static inline void fake_wait_started(fake_prover *f, unsigned n)
{
    pthread_mutex_lock(&f->lock);
    while (f->n_started < n)
        pthread_cond_wait(&f->changed, &f->lock);
    pthread_mutex_unlock(&f->lock);
}

static inline cuzk_status fake_parse(void *ctx, proof_request **out, const request_message *msg,
                                     cuzk_err *err)
{
    fake_prover *f = ctx;
    if (msg->vanilla_proof.n && msg->vanilla_proof.data[0] == '!')
        return cuzk_fail(err, CUZK_ENCODING, 0, "vanilla_proof: '!' at byte 0");
    proof_request *req = cuzk_calloc(1, sizeof *req);
    if (!req)
        return cuzk_fail(err, CUZK_NOMEM, 0, "fake");
    req->kind = msg->kind;
    req->miner_id = msg->miner_id;
    req->sector_number = msg->sector_number;
    req->n_partitions = msg->partition_index ? msg->partition_index : 1;
    pthread_mutex_lock(&f->lock);
    f->n_parsed++;
    pthread_mutex_unlock(&f->lock);
    *out = req;
    return CUZK_OK;
}

static inline void fake_request_free(void *ctx, proof_request *req)
{
    fake_prover *f = ctx;
    if (!req)
        return;
    pthread_mutex_lock(&f->lock);
    f->n_freed++;
    pthread_mutex_unlock(&f->lock);
    cuzk_free(req);
}

/* A cancellation is a flag without a wake-up, so who waits looks at it every millisecond. */
static inline void fake_nap(fake_prover *f)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&f->changed, &f->lock, &t);
}

static inline bool fake_wait_gate(fake_prover *f, const atomic_bool *cancel)
{
    while (!f->gate_open && !(cancel && atomic_load(cancel)))
        fake_nap(f);
    return f->gate_open;
}

typedef struct {
    const proof_request *req;
    const cuzk_prove_options *opt;
} fake_job;

static inline cuzk_status fake_open(void *ctx, void **proving, const proof_request *req,
                                    const cuzk_prove_options *opt, cuzk_pool_tenant *tenant,
                                    unsigned *n_partitions, cuzk_err *err)
{
    fake_prover *f = ctx;
    (void)tenant;
    fake_job *j = cuzk_malloc(sizeof *j);
    if (!j)
        return cuzk_fail(err, CUZK_NOMEM, 0, "fake");
    *j = (fake_job){req, opt};
    *proving = j;
    *n_partitions = req->n_partitions;
    pthread_mutex_lock(&f->lock);
    f->n_open++;
    if (f->n_open > f->most_open)
        f->most_open = f->n_open;
    pthread_mutex_unlock(&f->lock);
    return CUZK_OK;
}

/* Waits for one of the turns that the test gives to this sector. */
static inline bool fake_wait_turn(fake_prover *f, const proof_request *req,
                                  const atomic_bool *cancel)
{
    unsigned *turns = &f->turns[req->sector_number % FAKE_SECTORS];
    while (*turns == 0 && !f->gate_open && !atomic_load(cancel))
        fake_nap(f);
    if (*turns > 0)
        --*turns;
    return !atomic_load(cancel);
}

static inline void fake_phase(const fake_job *j, const char *phase, unsigned index)
{
    if (j->opt->progress)
        j->opt->progress(j->opt->progress_ctx, phase, (int)index);
}

static inline cuzk_status fake_prove(void *ctx, void *proving, unsigned index,
                                     uint8_t out[CUZK_PROOF_BYTES], cuzk_err *err)
{
    fake_prover *f = ctx;
    const fake_job *j = proving;
    const proof_request *req = j->req;
    bool done = true;
    fake_phase(j, req->miner_id == FAKE_MEMORY ? "wait_memory" : "witness", index);
    pthread_mutex_lock(&f->lock);
    if (f->n_started < FAKE_MAX_ORDER)
        f->order[f->n_started] = req->sector_number;
    f->n_started++;
    pthread_cond_broadcast(&f->changed);
    if (req->miner_id == FAKE_WAIT)
        done = fake_wait_gate(f, j->opt->cancel);
    if (req->miner_id == FAKE_STUCK)
        done = fake_wait_gate(f, NULL);
    if (req->miner_id == FAKE_TURNS || req->miner_id == FAKE_MEMORY)
        done = fake_wait_turn(f, req, j->opt->cancel);
    bool fail = f->fail_all || req->miner_id == FAKE_FAIL;
    pthread_mutex_unlock(&f->lock);
    if (!done)
        return cuzk_fail(err, CUZK_CANCELLED, 0, "cancelled");
    if (req->miner_id > FAKE_STATUS && req->miner_id < FAKE_STATUS + CUZK_STATUS_COUNT)
        return cuzk_fail(err, (cuzk_status)(req->miner_id - FAKE_STATUS), 0, "fake: as told");
    if (fail)
        return cuzk_fail(err, CUZK_PARAMS, 0, "fake: parameters are missing \x01\xff");
    if (req->miner_id == FAKE_MEMORY)
        fake_phase(j, "witness", index);
    cuzk_span s = cuzk_span_begin(j->opt->trace, "witness", 0);
    memset(out, (int)((req->sector_number + index) & 255), CUZK_PROOF_BYTES);
    cuzk_span_end(&s);
    return CUZK_OK;
}

static inline void fake_close(void *ctx, void *proving)
{
    fake_prover *f = ctx;
    pthread_mutex_lock(&f->lock);
    f->n_open--;
    pthread_mutex_unlock(&f->lock);
    cuzk_free(proving);
}

/* "fail:NAME" fails with that status. */
static inline cuzk_status fake_preload(void *ctx, const char *circuit, bool *already, cuzk_err *err)
{
    (void)ctx;
    *already = strcmp(circuit, "porep-2k") == 0;
    if (*already || strcmp(circuit, "porep-8m") == 0)
        return CUZK_OK;
    for (int st = 1; st < CUZK_STATUS_COUNT; st++) {
        if (strncmp(circuit, "fail:", 5) == 0 &&
            strcmp(circuit + 5, cuzk_status_name((cuzk_status)st)) == 0)
            return cuzk_fail(err, (cuzk_status)st, 0, "fake: as told");
    }
    return cuzk_fail(err, CUZK_INVAL, 0, "unknown circuit ID: %s", circuit);
}

static inline size_t fake_loaded(void *ctx, cuzk_prover_srs_info out[], size_t max)
{
    (void)ctx;
    static const cuzk_prover_srs_info one = {.circuit = "porep-2k", .bytes = 12345, .ref_count = 2};
    if (max)
        out[0] = one;
    return 1;
}

/* porep-2k is in use, porep-8m idle, others are not loaded. */
static inline cuzk_status fake_evict(void *ctx, const char *circuit, cuzk_evict_result *out,
                                     cuzk_err *err)
{
    (void)ctx;
    if (strcmp(circuit, "nope") == 0)
        return cuzk_fail(err, CUZK_INVAL, 0, "unknown circuit ID: %s", circuit);
    if (strcmp(circuit, "porep-2k") == 0)
        *out = (cuzk_evict_result){.was_loaded = true, .busy = true, .ref_count = 2};
    else if (strcmp(circuit, "porep-8m") == 0)
        *out = (cuzk_evict_result){.was_loaded = true, .freed_bytes = 777};
    return CUZK_OK;
}

static inline size_t fake_on_disk(void *ctx, cuzk_prover_srs_info out[], size_t max)
{
    (void)ctx;
    static const cuzk_prover_srs_info one = {.circuit = "porep-8m", .bytes = 777, .tier = SRS_COLD};
    if (max)
        out[0] = one;
    return 1;
}

static inline void fake_preload_report(void *ctx, cuzk_preload_report *out)
{
    fake_prover *f = ctx;
    pthread_mutex_lock(&f->lock);
    *out = (cuzk_preload_report){.n_all = 2, .n_done = f->loading ? 1 : 2};
    pthread_mutex_unlock(&f->lock);
}

static inline void fake_set_loading(fake_prover *f, bool loading)
{
    pthread_mutex_lock(&f->lock);
    f->loading = loading;
    pthread_mutex_unlock(&f->lock);
}

static inline engine_backend fake_backend(fake_prover *f)
{
    return (engine_backend){.ctx = f,
                            .parse = fake_parse,
                            .request_free = fake_request_free,
                            .open = fake_open,
                            .prove = fake_prove,
                            .close = fake_close,
                            .preload = fake_preload,
                            .loaded = fake_loaded,
                            .on_disk = fake_on_disk,
                            .evict = fake_evict,
                            .preload_report = fake_preload_report};
}

#endif

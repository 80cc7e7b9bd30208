#include "rpc/service.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "measure/instruments.h"
#include "rpc/wire.h"
#include "rpc/wire_submit.h"

#define MAX_SRS 64u

#define DEADLINE_FAR_NS ((uint64_t)30 * 86400 * 1000000000u) /* beyond: as good as none */

static void reply(rpc_call *call, const ProtobufCMessage *m)
{
    size_t n;
    uint8_t *bytes = cuzk_wire_pack(m, &n);
    if (bytes)
        cuzk_rpc_reply(call, bytes, n);
    else
        cuzk_rpc_fail(call, CUZK_NOMEM, "no memory for the answer; try again later");
    cuzk_free(bytes);
}

/* False: the call has been answered. */
static bool unpack(wire_message *w, rpc_call *call, const ProtobufCMessageDescriptor *type,
                   const uint8_t *msg, size_t n)
{
    cuzk_err err = {0};
    cuzk_status st = cuzk_wire_unpack(w, type, msg, n, &err);
    if (st != CUZK_OK)
        cuzk_rpc_fail(call, st, err.msg);
    return st == CUZK_OK;
}

/* ---- results ---- */

/* protobuf-c only reads what it packs; its struct lacks the const. */
static char *unconst(const char *s)
{
    union {
        const char *in;
        char *out;
    } u = {s};
    return u.out;
}

static uint8_t *unconst_bytes(const uint8_t *s)
{
    union {
        const uint8_t *in;
        uint8_t *out;
    } u = {s};
    return u.out;
}

static Cuzk__V1__AwaitProofResponse__Status status_of(engine_outcome o)
{
    switch (o) {
    case ENGINE_COMPLETED:
        return CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__COMPLETED;
    case ENGINE_FAILED:
        return CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__FAILED;
    case ENGINE_CANCELLED:
        return CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__CANCELLED;
    case ENGINE_TIMEOUT:
        return CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__TIMEOUT;
    case ENGINE_SHUTDOWN:
        break; /* an error of the call, not a state of the job */
    }
    return CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__UNKNOWN;
}

/* text holds the error message and lives as long as the response. */
static void fill_response(Cuzk__V1__AwaitProofResponse *a, char text[], size_t max,
                          const engine_result *r)
{
    cuzk__v1__await_proof_response__init(a);
    a->job_id = unconst(r->job_id);
    a->status = status_of(r->outcome);
    text[0] = '\0';
    if (r->outcome == ENGINE_FAILED) { /* the status first: a stable reason for programs */
        int n = snprintf(text, max, "%s: ", cuzk_status_name(r->error));
        cuzk_wire_ascii(text + n, max - (size_t)n, r->error_message);
    }
    a->error_message = text;
    if (r->outcome != ENGINE_COMPLETED)
        return;
    a->proof.len = r->n_proof_bytes;
    a->proof.data = unconst_bytes(r->proof);
    a->queue_wait_ms = r->timings.queue_ms;
    a->srs_load_ms = r->timings.srs_load_ms;
    a->synthesis_ms = r->timings.witness_ms;
    a->gpu_compute_ms = r->timings.compute_ms;
    a->total_ms = r->timings.total_ms;
}

static bool failed_by_shutdown(rpc_call *call, const engine_result *r)
{
    if (r->outcome == ENGINE_SHUTDOWN)
        cuzk_rpc_fail(call, CUZK_UNAVAILABLE,
                      "the daemon is shutting down and did not run this job; try again later");
    return r->outcome == ENGINE_SHUTDOWN;
}

/* The two kinds of listener; their ctx is the call. */
static void answer_await(void *ctx, const engine_result *r)
{
    Cuzk__V1__AwaitProofResponse a;
    char text[512];
    if (failed_by_shutdown(ctx, r))
        return;
    fill_response(&a, text, sizeof text, r);
    reply(ctx, &a.base);
}

static void answer_prove(void *ctx, const engine_result *r)
{
    Cuzk__V1__AwaitProofResponse a;
    Cuzk__V1__ProveResponse p = CUZK__V1__PROVE_RESPONSE__INIT;
    char text[512];
    if (failed_by_shutdown(ctx, r))
        return;
    fill_response(&a, text, sizeof text, r);
    p.result = &a;
    reply(ctx, &p.base);
}

/* The job goes on: its result is kept for the client's next try. */
static void client_gone(void *ctx, rpc_call *call, uint64_t token)
{
    if (cuzk_engine_unlisten(ctx, token))
        cuzk_rpc_fail(call, CUZK_CANCELLED, "client has gone");
}

/* ---- submitting ---- */

static uint64_t unix_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void refuse(rpc_call *call, cuzk_status st, const char *why)
{
    cuzk_measure_refusal(cuzk_status_name(st));
    cuzk_rpc_fail(call, st, why);
}

/* When the proof ceases to be of use, on the engine's clock: the request's own deadline or, when
 * the caller waits, his, whichever is first. 0: never. */
static cuzk_status deadline_of(uint64_t *out, const submit_fields *f, const rpc_call *call,
                               bool waits, cuzk_err *err)
{
    uint64_t left = cuzk_rpc_time_left_ns(call), now_ms = unix_now_ms();
    if (left == 0)
        return cuzk_fail(err, CUZK_TIMEOUT, 0, "the deadline of the call has passed");
    if (f->deadline_unix_ms && f->deadline_unix_ms <= now_ms)
        return cuzk_fail(err, CUZK_TIMEOUT, 0,
                         "deadline_unix_ms: %" PRIu64 " has passed, now is %" PRIu64,
                         f->deadline_unix_ms, now_ms);
    uint64_t own_ms = f->deadline_unix_ms ? f->deadline_unix_ms - now_ms : UINT64_MAX;
    uint64_t own = own_ms > DEADLINE_FAR_NS / 1000000u ? UINT64_MAX : own_ms * 1000000u;
    if (!waits || own < left)
        left = own;
    *out = left > DEADLINE_FAR_NS ? 0 : cuzk_now_ns() + left;
    return CUZK_OK;
}

static cuzk_status submit(engine *e, const submit_fields *f, size_t n_bytes, rpc_call *call,
                          const engine_listener *listener, engine_ticket *ticket, cuzk_err *err)
{
    engine_request r = {.request_id = f->request_id,
                        .priority = (int)f->priority,
                        .msg = &f->msg,
                        .n_bytes = n_bytes};
    cuzk_status st = deadline_of(&r.deadline_ns, f, call, listener != NULL, err);
    return st == CUZK_OK ? cuzk_engine_submit(e, &r, listener, ticket, err) : st;
}

static void submit_proof(void *ctx, rpc_call *call, const uint8_t *msg, size_t n)
{
    submit_fields f;
    engine_ticket ticket;
    cuzk_err err = {0};
    cuzk_status st = cuzk_wire_submit(&f, msg, n, &err);
    if (st == CUZK_OK)
        st = submit(ctx, &f, n, call, NULL, &ticket, &err);
    cuzk_wire_submit_fini(&f);
    if (st != CUZK_OK) {
        refuse(call, st, err.msg);
        return;
    }
    Cuzk__V1__SubmitProofResponse out = CUZK__V1__SUBMIT_PROOF_RESPONSE__INIT;
    out.job_id = ticket.job_id;
    out.queue_position = ticket.position;
    reply(call, &out.base);
}

static void prove(void *ctx, rpc_call *call, const uint8_t *msg, size_t n)
{
    submit_fields f;
    engine_ticket ticket;
    cuzk_err err = {0};
    const engine_listener listener = {answer_prove, call, 0};
    cuzk_rpc_hold(call);
    cuzk_status st = cuzk_wire_prove(&f, msg, n, &err);
    if (st == CUZK_OK)
        st = submit(ctx, &f, n, call, &listener, &ticket, &err);
    cuzk_wire_submit_fini(&f);
    if (st != CUZK_OK)
        refuse(call, st, err.msg);
    else if (ticket.token)
        cuzk_rpc_on_gone(call, client_gone, ctx, ticket.token);
    cuzk_rpc_release(call);
}

static void await_proof(void *ctx, rpc_call *call, const uint8_t *msg, size_t n)
{
    wire_message w;
    uint64_t token;
    cuzk_err err = {0};
    if (!unpack(&w, call, &cuzk__v1__await_proof_request__descriptor, msg, n))
        return;
    const Cuzk__V1__AwaitProofRequest *p = (const Cuzk__V1__AwaitProofRequest *)w.message;
    const engine_listener listener = {answer_await, call, p->timeout_ms};
    cuzk_rpc_hold(call);
    cuzk_status st = cuzk_engine_await(ctx, p->job_id, &listener, &token, &err);
    cuzk_wire_fini(&w);
    if (st != CUZK_OK)
        cuzk_rpc_fail(call, st, err.msg);
    else if (token)
        cuzk_rpc_on_gone(call, client_gone, ctx, token);
    cuzk_rpc_release(call);
}

static void cancel_proof(void *ctx, rpc_call *call, const uint8_t *msg, size_t n)
{
    wire_message w;
    if (!unpack(&w, call, &cuzk__v1__cancel_proof_request__descriptor, msg, n))
        return;
    Cuzk__V1__CancelProofResponse out = CUZK__V1__CANCEL_PROOF_RESPONSE__INIT;
    out.was_running =
        cuzk_engine_cancel(ctx, ((const Cuzk__V1__CancelProofRequest *)w.message)->job_id);
    cuzk_wire_fini(&w);
    reply(call, &out.base);
}

/* ---- status ---- */

static Cuzk__V1__SRSStatus__Tier tier_of(srs_tier tier)
{
    switch (tier) {
    case SRS_HOT:
        return CUZK__V1__SRSSTATUS__TIER__HOT;
    case SRS_WARM:
        return CUZK__V1__SRSSTATUS__TIER__WARM;
    case SRS_COLD:
        break;
    }
    return CUZK__V1__SRSSTATUS__TIER__COLD;
}

/* What is loaded first, then what could be. */
static size_t srs_infos(engine *e, cuzk_prover_srs_info info[MAX_SRS])
{
    size_t n = cuzk_engine_loaded(e, info, MAX_SRS);
    n = n < MAX_SRS ? n : MAX_SRS;
    size_t more = cuzk_engine_on_disk(e, info + n, MAX_SRS - n);
    return n + (more < MAX_SRS - n ? more : MAX_SRS - n);
}

static void get_status(void *ctx, rpc_call *call, const uint8_t *msg, size_t n)
{
    (void)msg; /* no fields */
    (void)n;
    engine_stats stats;
    cuzk_prover_srs_info info[MAX_SRS];
    Cuzk__V1__SRSStatus srs[MAX_SRS], *srs_at[MAX_SRS];
    Cuzk__V1__QueueStatus queue[CUZK_KIND_COUNT], *queue_at[CUZK_KIND_COUNT];
    Cuzk__V1__GetStatusResponse out = CUZK__V1__GET_STATUS_RESPONSE__INIT;

    cuzk_engine_stats(ctx, &stats);
    for (size_t k = 0; k < CUZK_KIND_COUNT; k++) {
        cuzk__v1__queue_status__init(&queue[k]);
        queue[k].proof_kind = unconst(cuzk_engine_kind_name((cuzk_kind)k));
        queue[k].pending = stats.kind[k].pending;
        queue[k].in_progress = stats.kind[k].running;
        queue_at[k] = &queue[k];
        out.total_proofs_completed += stats.kind[k].completed;
        out.total_proofs_failed += stats.kind[k].failed;
    }
    size_t n_srs = srs_infos(ctx, info);
    for (size_t i = 0; i < n_srs; i++) {
        cuzk__v1__srsstatus__init(&srs[i]);
        srs[i].circuit_id = info[i].circuit;
        srs[i].size_bytes = info[i].bytes;
        srs[i].ref_count = info[i].ref_count;
        srs[i].tier = tier_of(info[i].tier);
        srs_at[i] = &srs[i];
    }
    out.loaded_srs = srs_at;
    out.n_loaded_srs = n_srs;
    out.queues = queue_at;
    out.n_queues = CUZK_KIND_COUNT;
    out.uptime_seconds = stats.uptime_ns / 1000000000u;
    reply(call, &out.base);
}

static void get_metrics(void *ctx, rpc_call *call, const uint8_t *msg, size_t n)
{
    (void)msg; /* no fields */
    (void)n;
    Cuzk__V1__GetMetricsResponse out = CUZK__V1__GET_METRICS_RESPONSE__INIT;
    char *text = cuzk_service_metrics(ctx);
    if (!text) {
        cuzk_rpc_fail(call, CUZK_NOMEM, "no memory for the metrics");
        return;
    }
    out.prometheus_text = text;
    reply(call, &out.base);
    cuzk_free(text);
}

/* ---- parameters ---- */

static void preload_srs(void *ctx, rpc_call *call, const uint8_t *msg, size_t n)
{
    wire_message w;
    cuzk_err err = {0};
    bool already = false;
    if (!unpack(&w, call, &cuzk__v1__preload_srs_request__descriptor, msg, n))
        return;
    uint64_t begin = cuzk_now_ns();
    cuzk_status st = cuzk_engine_preload(
        ctx, ((const Cuzk__V1__PreloadSrsRequest *)w.message)->circuit_id, &already, &err);
    cuzk_wire_fini(&w);
    if (st != CUZK_OK) {
        cuzk_rpc_fail(call, st, err.msg);
        return;
    }
    Cuzk__V1__PreloadSrsResponse out = CUZK__V1__PRELOAD_SRS_RESPONSE__INIT;
    out.already_loaded = already;
    out.load_time_ms = already ? 0 : (cuzk_now_ns() - begin) / 1000000u;
    reply(call, &out.base);
}

/* In use: nothing is freed, and that is no error (formats.md 1.4). */
static void evict_srs(void *ctx, rpc_call *call, const uint8_t *msg, size_t n)
{
    wire_message w;
    cuzk_err err = {0};
    cuzk_evict_result r = {0};
    if (!unpack(&w, call, &cuzk__v1__evict_srs_request__descriptor, msg, n))
        return;
    cuzk_status st = cuzk_engine_evict(
        ctx, ((const Cuzk__V1__EvictSrsRequest *)w.message)->circuit_id, &r, &err);
    cuzk_wire_fini(&w);
    if (st != CUZK_OK) {
        cuzk_rpc_fail(call, st, err.msg);
        return;
    }
    Cuzk__V1__EvictSrsResponse out = CUZK__V1__EVICT_SRS_RESPONSE__INIT;
    out.was_loaded = r.was_loaded;
    out.freed_bytes = r.freed_bytes;
    reply(call, &out.base);
}

#define METHOD(name) "/cuzk.v1.ProvingEngine/" name

const rpc_method cuzk_service_methods[] = {
    {METHOD("SubmitProof"), RPC_DOOR, submit_proof, NULL},
    {METHOD("Prove"), RPC_DOOR, prove, NULL},
    {METHOD("AwaitProof"), RPC_INLINE, await_proof, NULL},
    {METHOD("CancelProof"), RPC_INLINE, cancel_proof, NULL},
    {METHOD("GetStatus"), RPC_INLINE, get_status, NULL},
    {METHOD("GetMetrics"), RPC_INLINE, get_metrics, NULL},
    {METHOD("PreloadSRS"), RPC_SLOW, preload_srs, NULL},
    {METHOD("EvictSRS"), RPC_SLOW, evict_srs, NULL},
    {"/grpc.health.v1.Health/Check", RPC_INLINE, cuzk_health_check, NULL},
    {"/grpc.health.v1.Health/Watch", RPC_STREAM, cuzk_health_watch, cuzk_health_tick},
    {"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", RPC_STREAM, cuzk_reflection_info,
     NULL},
    {"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", RPC_STREAM,
     cuzk_reflection_info, NULL},
};
const size_t cuzk_service_n_methods = CUZK_ARRAY_LEN(cuzk_service_methods);

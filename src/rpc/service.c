#include "rpc/service.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "rpc/wire.h"

#define MAX_SRS 64u

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

static cuzk_status submit(engine *e, const Cuzk__V1__SubmitProofRequest *p, size_t n_bytes,
                          const engine_listener *listener, engine_ticket *ticket, cuzk_err *err)
{
    request_message msg;
    cuzk_status st = CUZK_OK;
    byte_view *view = CUZK_NEW_ARRAY(byte_view, p->n_vanilla_proofs + 1);
    if (!view)
        return cuzk_fail(err, CUZK_NOMEM, 0, "%zu vanilla proofs", p->n_vanilla_proofs);
    CUZK_TRY(cuzk_wire_request(&msg, view, p, err));
    const engine_request r = {p->request_id, p->priority, &msg, n_bytes, 0};
    CUZK_TRY(cuzk_engine_submit(e, &r, listener, ticket, err));
out:
    cuzk_free(view);
    return st;
}

static void submit_proof(void *ctx, rpc_call *call, const uint8_t *msg, size_t n)
{
    wire_message w;
    engine_ticket ticket;
    cuzk_err err = {0};
    if (!unpack(&w, call, &cuzk__v1__submit_proof_request__descriptor, msg, n))
        return;
    cuzk_status st =
        submit(ctx, (const Cuzk__V1__SubmitProofRequest *)w.message, n, NULL, &ticket, &err);
    cuzk_wire_fini(&w);
    if (st != CUZK_OK) {
        cuzk_rpc_fail(call, st, err.msg);
        return;
    }
    Cuzk__V1__SubmitProofResponse out = CUZK__V1__SUBMIT_PROOF_RESPONSE__INIT;
    out.job_id = ticket.job_id;
    out.queue_position = ticket.position;
    reply(call, &out.base);
}

static void prove(void *ctx, rpc_call *call, const uint8_t *msg, size_t n)
{
    wire_message w;
    engine_ticket ticket;
    cuzk_err err = {0};
    if (!unpack(&w, call, &cuzk__v1__prove_request__descriptor, msg, n))
        return;
    const Cuzk__V1__ProveRequest *p = (const Cuzk__V1__ProveRequest *)w.message;
    const engine_listener listener = {answer_prove, call, 0};
    cuzk_status st = CUZK_INVAL;
    cuzk_rpc_hold(call);
    if (p->submit)
        st = submit(ctx, p->submit, n, &listener, &ticket, &err);
    else
        cuzk_fail(&err, st, 0, "missing submit field");
    cuzk_wire_fini(&w);
    if (st != CUZK_OK)
        cuzk_rpc_fail(call, st, err.msg);
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
    size_t n_srs = cuzk_engine_loaded(ctx, info, MAX_SRS);
    n_srs = n_srs < MAX_SRS ? n_srs : MAX_SRS;
    for (size_t i = 0; i < n_srs; i++) {
        cuzk__v1__srsstatus__init(&srs[i]);
        srs[i].circuit_id = info[i].circuit;
        srs[i].size_bytes = info[i].bytes;
        srs[i].ref_count = info[i].ref_count;
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

static void evict_srs(void *ctx, rpc_call *call, const uint8_t *msg, size_t n)
{
    (void)ctx;
    (void)msg;
    (void)n;
    cuzk_rpc_fail(call, CUZK_UNSUPPORTED, "EvictSRS is not offered yet: parameters stay loaded");
}

#define METHOD(name) "/cuzk.v1.ProvingEngine/" name

const rpc_method cuzk_service_methods[] = {
    {METHOD("SubmitProof"), RPC_DOOR, submit_proof},
    {METHOD("Prove"), RPC_DOOR, prove},
    {METHOD("AwaitProof"), RPC_INLINE, await_proof},
    {METHOD("CancelProof"), RPC_INLINE, cancel_proof},
    {METHOD("GetStatus"), RPC_INLINE, get_status},
    {METHOD("GetMetrics"), RPC_INLINE, get_metrics},
    {METHOD("PreloadSRS"), RPC_SLOW, preload_srs},
    {METHOD("EvictSRS"), RPC_INLINE, evict_srs},
};
const size_t cuzk_service_n_methods = CUZK_ARRAY_LEN(cuzk_service_methods);

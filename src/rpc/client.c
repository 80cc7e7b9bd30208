#include "cuzk/client.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cuzk/daemon.h"
#include "rpc/grpc_client.h"
#include "rpc/wire.h"

struct cuzk_client {
    rpc_channel *channel;
};

#define METHOD(name) "/cuzk.v1.ProvingEngine/" name

cuzk_status cuzk_client_connect_options(cuzk_client **out, const cuzk_client_options *opt,
                                        cuzk_err *err)
{
    cuzk_client *c = cuzk_calloc(1, sizeof *c);
    if (!c)
        return cuzk_fail(err, CUZK_NOMEM, 0, "client");
    const rpc_channel_options o = {
        .address = opt->address ? opt->address : CUZK_DEFAULT_ADDRESS,
        .timeout_ms = opt->timeout_ms,
        .tls = {.ca = opt->tls_ca, .cert = opt->tls_cert, .key = opt->tls_key},
        .token_file = opt->token_file,
    };
    cuzk_status st = cuzk_rpc_channel_open(&c->channel, &o, err);
    if (st != CUZK_OK)
        cuzk_free(c);
    else
        *out = c;
    return st;
}

cuzk_status cuzk_client_connect(cuzk_client **out, const char *address, uint64_t timeout_ms,
                                cuzk_err *err)
{
    cuzk_client_options opt = CUZK_CLIENT_DEFAULTS;
    opt.address = address;
    opt.timeout_ms = timeout_ms;
    return cuzk_client_connect_options(out, &opt, err);
}

void cuzk_client_close(cuzk_client *c)
{
    if (!c)
        return;
    cuzk_rpc_channel_close(c->channel);
    cuzk_free(c);
}

/* Packs, calls, unpacks; w is to be finished by the caller, also on failure. */
static cuzk_status call(cuzk_client *c, const char *path, const ProtobufCMessage *request,
                        const ProtobufCMessageDescriptor *type, uint64_t deadline_ms,
                        wire_message *w, cuzk_err *err)
{
    size_t n, n_response = 0;
    uint8_t *response = NULL, *bytes = cuzk_wire_pack(request, &n);
    cuzk_status st = CUZK_OK;
    if (!bytes)
        return cuzk_fail(err, CUZK_NOMEM, 0, "request of %zu bytes", n);
    CUZK_TRY(cuzk_rpc_unary(c->channel, path, bytes, n, deadline_ms, &response, &n_response, err));
    CUZK_TRY(cuzk_wire_unpack(w, type, response, n_response, err));
out:
    cuzk_free(response);
    cuzk_free(bytes);
    return st;
}

/* protobuf-c only reads what it packs; its struct lacks the const. */
static char *unconst(const char *s)
{
    union {
        const char *in;
        char *out;
    } u = {s ? s : ""};
    return u.out;
}

static ProtobufCBinaryData data_of(cuzk_bytes b)
{
    union {
        const uint8_t *in;
        uint8_t *out;
    } u = {b.data};
    return (ProtobufCBinaryData){b.n, u.out};
}

/* p->vanilla_proofs is to be freed by the caller. */
static cuzk_status fill_submit(Cuzk__V1__SubmitProofRequest *p, const cuzk_client_request *r,
                               cuzk_err *err)
{
    cuzk__v1__submit_proof_request__init(p);
    p->vanilla_proofs = CUZK_NEW_ARRAY(ProtobufCBinaryData, r->n_vanilla_proofs + 1);
    if (!p->vanilla_proofs)
        return cuzk_fail(err, CUZK_NOMEM, 0, "%zu vanilla proofs", r->n_vanilla_proofs);
    p->request_id = unconst(r->request_id);
    p->proof_kind = (Cuzk__V1__ProofKind)r->kind;
    p->priority = (Cuzk__V1__Priority)r->priority;
    p->sector_size = r->sector_size;
    p->registered_proof = r->registered_proof;
    p->sector_number = r->sector_number;
    p->miner_id = r->miner_id;
    p->vanilla_proof = data_of(r->vanilla_proof);
    for (size_t i = 0; i < r->n_vanilla_proofs; i++)
        p->vanilla_proofs[i] = data_of(r->vanilla_proofs[i]);
    p->n_vanilla_proofs = r->n_vanilla_proofs;
    p->randomness = data_of(r->randomness);
    p->partition_index = r->partition_index;
    p->comm_r_old = data_of(r->comm_r_old);
    p->comm_r_new = data_of(r->comm_r_new);
    p->comm_d_new = data_of(r->comm_d_new);
    p->deadline_unix_ms = r->deadline_unix_ms;
    return CUZK_OK;
}

static cuzk_status take_result(cuzk_client_result *r, const Cuzk__V1__AwaitProofResponse *a,
                               cuzk_err *err)
{
    memset(r, 0, sizeof *r);
    if (!a)
        return cuzk_fail(err, CUZK_INTERNAL, 0, "daemon: answer without a result");
    r->proof = cuzk_malloc(a->proof.len + 1);
    if (!r->proof)
        return cuzk_fail(err, CUZK_NOMEM, 0, "proof of %zu bytes", a->proof.len);
    if (a->proof.len)
        memcpy(r->proof, a->proof.data, a->proof.len);
    r->n_proof_bytes = a->proof.len;
    snprintf(r->job_id, sizeof r->job_id, "%s", a->job_id);
    snprintf(r->error_message, sizeof r->error_message, "%s", a->error_message);
    r->status = (cuzk_job_status)a->status;
    r->queue_wait_ms = a->queue_wait_ms;
    r->srs_load_ms = a->srs_load_ms;
    r->synthesis_ms = a->synthesis_ms;
    r->compute_ms = a->gpu_compute_ms;
    r->total_ms = a->total_ms;
    return CUZK_OK;
}

void cuzk_client_result_fini(cuzk_client_result *r)
{
    cuzk_free(r->proof);
    r->proof = NULL;
}

cuzk_status cuzk_client_prove(cuzk_client *c, const cuzk_client_request *r, uint64_t deadline_ms,
                              cuzk_client_result *result, cuzk_err *err)
{
    wire_message w = {0};
    Cuzk__V1__SubmitProofRequest submit = CUZK__V1__SUBMIT_PROOF_REQUEST__INIT;
    Cuzk__V1__ProveRequest p = CUZK__V1__PROVE_REQUEST__INIT;
    cuzk_status st;
    CUZK_TRY(fill_submit(&submit, r, err));
    p.submit = &submit;
    CUZK_TRY(call(c, METHOD("Prove"), &p.base, &cuzk__v1__prove_response__descriptor, deadline_ms,
                  &w, err));
    CUZK_TRY(take_result(result, ((const Cuzk__V1__ProveResponse *)w.message)->result, err));
out:
    cuzk_wire_fini(&w);
    cuzk_free(submit.vanilla_proofs);
    return st;
}

cuzk_status cuzk_client_submit(cuzk_client *c, const cuzk_client_request *r, uint64_t deadline_ms,
                               char job_id[CUZK_JOB_ID_BYTES], uint32_t *queue_position,
                               cuzk_err *err)
{
    wire_message w = {0};
    Cuzk__V1__SubmitProofRequest submit = CUZK__V1__SUBMIT_PROOF_REQUEST__INIT;
    cuzk_status st;
    CUZK_TRY(fill_submit(&submit, r, err));
    CUZK_TRY(call(c, METHOD("SubmitProof"), &submit.base,
                  &cuzk__v1__submit_proof_response__descriptor, deadline_ms, &w, err));
    const Cuzk__V1__SubmitProofResponse *a = (const Cuzk__V1__SubmitProofResponse *)w.message;
    snprintf(job_id, CUZK_JOB_ID_BYTES, "%s", a->job_id);
    *queue_position = a->queue_position;
out:
    cuzk_wire_fini(&w);
    cuzk_free(submit.vanilla_proofs);
    return st;
}

cuzk_status cuzk_client_await(cuzk_client *c, const char *job_id, uint64_t wait_ms,
                              uint64_t deadline_ms, cuzk_client_result *result, cuzk_err *err)
{
    wire_message w = {0};
    Cuzk__V1__AwaitProofRequest p = CUZK__V1__AWAIT_PROOF_REQUEST__INIT;
    p.job_id = unconst(job_id);
    p.timeout_ms = wait_ms;
    cuzk_status st;
    CUZK_TRY(call(c, METHOD("AwaitProof"), &p.base, &cuzk__v1__await_proof_response__descriptor,
                  deadline_ms, &w, err));
    CUZK_TRY(take_result(result, (const Cuzk__V1__AwaitProofResponse *)w.message, err));
out:
    cuzk_wire_fini(&w);
    return st;
}

cuzk_status cuzk_client_cancel(cuzk_client *c, const char *job_id, uint64_t deadline_ms,
                               bool *was_running, cuzk_err *err)
{
    wire_message w = {0};
    Cuzk__V1__CancelProofRequest p = CUZK__V1__CANCEL_PROOF_REQUEST__INIT;
    p.job_id = unconst(job_id);
    cuzk_status st = call(c, METHOD("CancelProof"), &p.base,
                          &cuzk__v1__cancel_proof_response__descriptor, deadline_ms, &w, err);
    if (st == CUZK_OK)
        *was_running = ((const Cuzk__V1__CancelProofResponse *)w.message)->was_running != 0;
    cuzk_wire_fini(&w);
    return st;
}

static void take_status(cuzk_client_status *out, const Cuzk__V1__GetStatusResponse *a)
{
    memset(out, 0, sizeof *out);
    out->completed = a->total_proofs_completed;
    out->failed = a->total_proofs_failed;
    out->uptime_s = a->uptime_seconds;
    for (size_t i = 0; i < a->n_queues && i < CUZK_STATUS_MAX_QUEUES; i++, out->n_queues++) {
        snprintf(out->queue[i].kind, sizeof out->queue[i].kind, "%s", a->queues[i]->proof_kind);
        out->queue[i].pending = a->queues[i]->pending;
        out->queue[i].in_progress = a->queues[i]->in_progress;
    }
    for (size_t i = 0; i < a->n_loaded_srs && i < CUZK_STATUS_MAX_SRS; i++, out->n_srs++) {
        snprintf(out->srs[i].circuit, sizeof out->srs[i].circuit, "%s",
                 a->loaded_srs[i]->circuit_id);
        out->srs[i].bytes = a->loaded_srs[i]->size_bytes;
        out->srs[i].ref_count = a->loaded_srs[i]->ref_count;
        out->srs[i].tier = (cuzk_srs_tier)a->loaded_srs[i]->tier;
    }
}

cuzk_status cuzk_client_get_status(cuzk_client *c, uint64_t deadline_ms, cuzk_client_status *out,
                                   cuzk_err *err)
{
    wire_message w = {0};
    Cuzk__V1__GetStatusRequest p = CUZK__V1__GET_STATUS_REQUEST__INIT;
    cuzk_status st = call(c, METHOD("GetStatus"), &p.base,
                          &cuzk__v1__get_status_response__descriptor, deadline_ms, &w, err);
    if (st == CUZK_OK)
        take_status(out, (const Cuzk__V1__GetStatusResponse *)w.message);
    cuzk_wire_fini(&w);
    return st;
}

cuzk_status cuzk_client_preload(cuzk_client *c, const char *circuit, uint64_t deadline_ms,
                                bool *already_loaded, uint64_t *load_ms, cuzk_err *err)
{
    wire_message w = {0};
    Cuzk__V1__PreloadSrsRequest p = CUZK__V1__PRELOAD_SRS_REQUEST__INIT;
    p.circuit_id = unconst(circuit);
    cuzk_status st = call(c, METHOD("PreloadSRS"), &p.base,
                          &cuzk__v1__preload_srs_response__descriptor, deadline_ms, &w, err);
    if (st == CUZK_OK) {
        const Cuzk__V1__PreloadSrsResponse *a = (const Cuzk__V1__PreloadSrsResponse *)w.message;
        *already_loaded = a->already_loaded != 0;
        *load_ms = a->load_time_ms;
    }
    cuzk_wire_fini(&w);
    return st;
}

cuzk_status cuzk_client_evict(cuzk_client *c, const char *circuit, uint64_t deadline_ms,
                              bool *was_loaded, uint64_t *freed_bytes, cuzk_err *err)
{
    wire_message w = {0};
    Cuzk__V1__EvictSrsRequest p = CUZK__V1__EVICT_SRS_REQUEST__INIT;
    p.circuit_id = unconst(circuit);
    cuzk_status st = call(c, METHOD("EvictSRS"), &p.base, &cuzk__v1__evict_srs_response__descriptor,
                          deadline_ms, &w, err);
    if (st == CUZK_OK) {
        const Cuzk__V1__EvictSrsResponse *a = (const Cuzk__V1__EvictSrsResponse *)w.message;
        *was_loaded = a->was_loaded != 0;
        *freed_bytes = a->freed_bytes;
    }
    cuzk_wire_fini(&w);
    return st;
}

cuzk_status cuzk_client_get_metrics(cuzk_client *c, uint64_t deadline_ms, char **text,
                                    cuzk_err *err)
{
    wire_message w = {0};
    Cuzk__V1__GetMetricsRequest p = CUZK__V1__GET_METRICS_REQUEST__INIT;
    cuzk_status st = call(c, METHOD("GetMetrics"), &p.base,
                          &cuzk__v1__get_metrics_response__descriptor, deadline_ms, &w, err);
    if (st == CUZK_OK) {
        *text = cuzk_strdup(((const Cuzk__V1__GetMetricsResponse *)w.message)->prometheus_text);
        if (!*text)
            st = cuzk_fail(err, CUZK_NOMEM, 0, "metrics");
    }
    cuzk_wire_fini(&w);
    return st;
}

void cuzk_client_free_text(char *text)
{
    cuzk_free(text);
}

/* One proof from request to checked bytes. The stages of a partition run one after another here;
 * each is data-parallel inside on the prover's pool. */
#include "engine/prover.h"

#include <string.h>

#include "base/mem.h"
#include "base/pool.h"
#include "base/switches.h"
#include "base/warm.h"
#include "engine/insecure.h"
#include "engine/params_dir.h"
#include "engine/prover_memory.h"
#include "filecoin/circuits.h"
#include "groth16/groth16.h"

atomic_uint cuzk_prover_spoil_proofs;

struct cuzk_prover {
    char *params_dir;
    cuzk_pool *pool;
    prover_memory *memory;
    bool insecure_test_rs;
};

/* What a caller compiled against an older header does not know gets its default. */
static cuzk_prover_options complete(const cuzk_prover_options *given)
{
    cuzk_prover_options o = CUZK_PROVER_OPTIONS_DEFAULTS;
    memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
    return o;
}

prover_memory *cuzk_prover_memory_of(const cuzk_prover *p)
{
    return p->memory;
}

cuzk_status cuzk_prover_new(cuzk_prover **out, const cuzk_prover_options *given, cuzk_err *err)
{
    cuzk_status st = cuzk_switches_environment_error(err);
    if (st != CUZK_OK)
        return st;
    const cuzk_prover_options whole = complete(given), *opt = &whole;
    cuzk_prover *p = cuzk_calloc(1, sizeof *p);
    if (!p)
        return cuzk_fail(err, CUZK_NOMEM, 0, "prover: no memory");
    p->insecure_test_rs = opt->insecure_test_rs;
    p->params_dir = cuzk_strdup(cuzk_params_dir(opt->params_dir));
    if (!p->params_dir) {
        st = cuzk_fail(err, CUZK_NOMEM, 0, "prover: no memory");
        goto out;
    }
    CUZK_TRY(cuzk_pool_new(&p->pool, opt->n_threads, "cuzk-prove", err));
    CUZK_TRY(cuzk_prover_memory_new(&p->memory, opt, p->params_dir, p->pool, err));
    *out = p;
    return CUZK_OK;
out:
    cuzk_prover_free(p);
    return st;
}

void cuzk_prover_free(cuzk_prover *p)
{
    if (!p)
        return;
    cuzk_prover_memory_free(p->memory);
    cuzk_pool_free(p->pool);
    cuzk_free(p->params_dir);
    cuzk_free(p);
}

const char *cuzk_prover_params_dir(const cuzk_prover *p)
{
    return p->params_dir;
}

void cuzk_bytes_free(uint8_t *bytes)
{
    cuzk_free(bytes);
}

/* What the stages of one job share. */
struct prover_job {
    cuzk_prover *prover;
    const proof_request *req;
    cuzk_prove_options opt;
    circuit_id id;
    unsigned first, n_partitions;
    memory_lease lease;
    mem_warmer warmer;
    cuzk_pool_tenant *tenant, own_tenant;
};

static cuzk_status enter_phase(const prover_job *j, const char *phase, int partition, cuzk_err *err)
{
    if (j->opt.cancel && atomic_load(j->opt.cancel))
        return cuzk_fail(err, CUZK_CANCELLED, 0, "cancelled before phase %s", phase);
    if (j->opt.progress)
        j->opt.progress(j->opt.progress_ctx, phase, partition);
    return CUZK_OK;
}

/* From here to leave_pool the pool works for this job. */
static void enter_pool(prover_job *j, bool exclusive)
{
    j->tenant->exclusive = exclusive;
    cuzk_pool_enter(j->prover->pool, j->tenant);
}

static void leave_pool(prover_job *j)
{
    cuzk_pool_leave(j->prover->pool, j->tenant);
}

static cuzk_status check_content(const prover_job *j, cuzk_err *err)
{
    cuzk_status st = enter_phase(j, "check", CUZK_NO_PARTITION, err);
    if (st != CUZK_OK)
        return st;
    cuzk_span span = cuzk_span_begin(j->opt.trace, "check", CUZK_NO_PARTITION);
    st = cuzk_request_check_on(j->prover->pool, j->req, err);
    cuzk_span_end(&span);
    return st;
}

static cuzk_status self_check(const prover_job *j, unsigned partition, const groth16_proof *proof,
                              cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    size_t n = cuzk_circuit_n_inputs(j->id);
    fr *inputs = CUZK_NEW_ARRAY(fr, n);
    if (!inputs)
        return cuzk_fail(err, CUZK_NOMEM, 0, "self-check: no memory");
    cuzk_span span = cuzk_span_begin(j->opt.trace, "self_check", (int)partition);
    CUZK_TRY(cuzk_request_public_inputs(inputs, j->req, partition, err));
    CUZK_TRY(cuzk_groth16_verify_on(j->prover->pool, &j->lease.srs->vk, proof, inputs, n, err));
out:
    cuzk_span_end(&span);
    cuzk_free(inputs);
    return st;
}

/* Two proofs were rejected: the circuit is run once more in the interpreted reading with every row
 * checked, to tell whose fault it is. */
static cuzk_status explain_rejection(const prover_job *j, const cs_circuit *circuit,
                                     const groth16_prove_options *opt, cuzk_err *err)
{
    groth16_prove_options checked = *opt;
    checked.check_witness = true;
    groth16_proof proof;
    cuzk_status st = cuzk_groth16_prove(&proof, circuit, j->lease.srs, &checked, err);
    if (st == CUZK_OK)
        st = self_check(j, (unsigned)opt->partition, &proof, err);
    if (st == CUZK_OK)
        return cuzk_fail(err, CUZK_DEVICE, 0,
                         "partition %d: two proofs did not verify, and a third, made the slow way, "
                         "does: this machine computes wrong; test its memory and processor",
                         opt->partition);
    if (st != CUZK_REJECTED)
        return st;
    return cuzk_fail(err, CUZK_PARAMS, 0,
                     "partition %d: the witness satisfies the circuit but the proof does not "
                     "verify: the parameters in %s are damaged or belong to another setup; run "
                     "`cuzk params check`",
                     opt->partition, j->prover->params_dir);
}

static void spoil(groth16_proof *proof)
{
    unsigned n = atomic_load(&cuzk_prover_spoil_proofs);
    while (n > 0 && !atomic_compare_exchange_weak(&cuzk_prover_spoil_proofs, &n, n - 1))
        continue;
    if (n > 0)
        proof->a = proof->c;
}

static cuzk_status prove_once(const prover_job *j, groth16_proof *proof, const cs_circuit *circuit,
                              const groth16_prove_options *opt, cuzk_err *err)
{
    cuzk_status st;
    CUZK_TRY(cuzk_groth16_prove(proof, circuit, j->lease.srs, opt, err));
    spoil(proof);
    CUZK_TRY(enter_phase(j, "self_check", opt->partition, err));
    st = self_check(j, (unsigned)opt->partition, proof, err);
out:
    return st;
}

static cuzk_status prove_partition(const prover_job *j, unsigned partition, uint8_t *out,
                                   cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    fr r, s;
    const circuit_instance instance = {j->id, j->req, partition};
    const cs_circuit circuit = cuzk_circuit_of(&instance);
    groth16_prove_options opt = {.pool = j->prover->pool,
                                 .trace = j->opt.trace,
                                 .partition = (int)partition,
                                 .compiled = j->lease.compiled,
                                 .cancel = j->opt.cancel,
                                 .progress = j->opt.progress,
                                 .progress_ctx = j->opt.progress_ctx};
    if (j->prover->insecure_test_rs) {
        cuzk_insecure_proof_rs(&r, &s, partition);
        opt.r = &r;
        opt.s = &s;
    }
    groth16_proof proof;
    st = prove_once(j, &proof, &circuit, &opt, err);
    if (st == CUZK_REJECTED) {
        CUZK_TRY(enter_phase(j, "reprove", (int)partition, err));
        st = prove_once(j, &proof, &circuit, &opt, err);
    }
    if (st == CUZK_REJECTED)
        st = explain_rejection(j, &circuit, &opt, err);
    if (st == CUZK_OK)
        cuzk_proof_write(out, &proof);
out:
    return st;
}

static cuzk_status refuse_test_rs(const prover_job *j, cuzk_err *err)
{
    if (!j->prover->insecure_test_rs || cuzk_insecure_vk(&j->lease.srs->vk))
        return CUZK_OK;
    return cuzk_fail(
        err, CUZK_INVAL, 0,
        "the published r, s may be used only with parameters made by `cuzk params make "
        "--insecure-test-secrets`, and those in %s are not",
        j->prover->params_dir);
}

static void tell_waiting(void *ctx, const char *phase)
{
    enter_phase(ctx, phase, CUZK_NO_PARTITION, NULL);
}

static cuzk_status reserve_memory(prover_job *j, cuzk_err *err)
{
    const lease_wish wish = {.urgency = atomic_load(&j->tenant->urgency),
                             .cancel = j->opt.cancel,
                             .waiting = tell_waiting,
                             .waiting_ctx = j};
    cuzk_span span = cuzk_span_begin(j->opt.trace, "reserve", CUZK_NO_PARTITION);
    cuzk_status st = cuzk_lease_reserve(&j->lease, j->prover->memory, j->id, &wish, err);
    cuzk_span_end(&span);
    const memory_answer *plan = &j->lease.plan;
    if (st == CUZK_OK && j->opt.memory_notice && plan->sentence[0])
        j->opt.memory_notice(j->opt.memory_ctx, plan->sentence, plan->streamed);
    return st;
}

/* The first steps of larger proofs are a small part of them. */
#define WARM_MAX_BYTES ((uint64_t)128 << 20)

static void warm_memory(prover_job *j)
{
    uint64_t bytes = j->lease.plan.partition_bytes, process = memory_of_process(0);
    if (bytes > process && bytes - process <= WARM_MAX_BYTES && cuzk_mem_kept() < bytes - process)
        cuzk_warm_begin(&j->warmer, bytes - process);
}

static cuzk_status prepare(prover_job *j, cuzk_err *err)
{
    cuzk_status st;
    CUZK_TRY(reserve_memory(j, err));
    warm_memory(j);
    CUZK_TRY(check_content(j, err));
    CUZK_TRY(enter_phase(j, "srs_load", CUZK_NO_PARTITION, err));
    CUZK_TRY(cuzk_lease_fill(&j->lease, j->opt.trace, err));
    CUZK_TRY(enter_phase(j, "ready", CUZK_NO_PARTITION, err)); /* it may have waited for them */
    CUZK_TRY(refuse_test_rs(j, err));
out:
    cuzk_warm_stop(&j->warmer);
    return st;
}

cuzk_status cuzk_prover_job_open(prover_job **out, cuzk_prover *p, const proof_request *req,
                                 const cuzk_prove_options *opt, cuzk_pool_tenant *tenant,
                                 cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    prover_job *j = cuzk_calloc(1, sizeof *j);
    if (!j)
        return cuzk_fail(err, CUZK_NOMEM, 0, "prover: no memory for a job");
    j->prover = p;
    j->req = req;
    j->opt = *opt;
    j->id = (circuit_id){req->kind, req->shape};
    CUZK_TRY(cuzk_request_partitions(&j->first, &j->n_partitions, req, opt->partition, err));
    j->own_tenant.cancel = opt->cancel;
    j->tenant = tenant ? tenant : &j->own_tenant;
    enter_pool(j, false);
    st = prepare(j, err);
    leave_pool(j);
    if (st != CUZK_OK)
        goto out;
    *out = j;
    return CUZK_OK;
out:
    cuzk_prover_job_close(j);
    return st;
}

unsigned cuzk_prover_job_partitions(const prover_job *j)
{
    return j->n_partitions;
}

cuzk_status cuzk_prover_job_prove(prover_job *j, unsigned index, uint8_t out[CUZK_PROOF_BYTES],
                                  cuzk_err *err)
{
    enter_pool(j, true);
    cuzk_status st = prove_partition(j, j->first + index, out, err);
    leave_pool(j);
    return st;
}

void cuzk_prover_job_close(prover_job *j)
{
    if (!j)
        return;
    cuzk_warm_end(&j->warmer);
    cuzk_lease_release(&j->lease);
    cuzk_free(j);
}

cuzk_status cuzk_prover_prove(cuzk_prover *p, const cuzk_request *req,
                              const cuzk_prove_options *opt, uint8_t **proof, size_t *n_bytes,
                              cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    prover_job *j = NULL;
    uint8_t *bytes = NULL;
    CUZK_TRY(cuzk_prover_job_open(&j, p, req, opt, NULL, err));
    size_t n = cuzk_prover_job_partitions(j);
    bytes = cuzk_malloc_array(n, CUZK_PROOF_BYTES);
    if (!bytes) {
        st = cuzk_fail(err, CUZK_NOMEM, 0, "prover: no memory for the proof");
        goto out;
    }
    for (unsigned i = 0; i < n; i++)
        CUZK_TRY(cuzk_prover_job_prove(j, i, bytes + (size_t)i * CUZK_PROOF_BYTES, err));
    *proof = bytes;
    *n_bytes = n * CUZK_PROOF_BYTES;
    bytes = NULL;
out:
    cuzk_free(bytes);
    cuzk_prover_job_close(j);
    return st;
}

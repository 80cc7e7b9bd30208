/* The real table of the engine: the request reader and the prover. */
#include "engine/engine_internal.h"
#include "filecoin/circuit_id.h"

static cuzk_status parse(void *ctx, proof_request **out, const request_message *msg, cuzk_err *err)
{
    (void)ctx;
    return cuzk_request_parse(out, msg, err);
}

static void request_free(void *ctx, proof_request *req)
{
    (void)ctx;
    cuzk_request_free(req);
}

static cuzk_status open_job(void *ctx, void **proving, const proof_request *req,
                            const cuzk_prove_options *opt, cuzk_pool_tenant *tenant,
                            unsigned *n_partitions, cuzk_err *err)
{
    prover_job *j = NULL;
    cuzk_status st = cuzk_prover_job_open(&j, ctx, req, opt, tenant, err);
    if (st != CUZK_OK)
        return st;
    *proving = j;
    *n_partitions = cuzk_prover_job_partitions(j);
    return CUZK_OK;
}

static cuzk_status prove(void *ctx, void *proving, unsigned index, uint8_t out[CUZK_PROOF_BYTES],
                         cuzk_err *err)
{
    (void)ctx;
    return cuzk_prover_job_prove(proving, index, out, err);
}

static void close_job(void *ctx, void *proving)
{
    (void)ctx;
    cuzk_prover_job_close(proving);
}

static cuzk_status preload(void *ctx, const char *circuit, bool *already_loaded, cuzk_err *err)
{
    circuit_id id;
    cuzk_status st = cuzk_circuit_id_parse(&id, circuit, err);
    return st == CUZK_OK ? cuzk_prover_preload(ctx, id, already_loaded, NULL, err) : st;
}

static size_t loaded(void *ctx, cuzk_prover_srs_info out[], size_t max)
{
    return cuzk_prover_loaded(ctx, out, max);
}

static size_t on_disk(void *ctx, cuzk_prover_srs_info out[], size_t max)
{
    return cuzk_prover_on_disk(ctx, out, max);
}

static cuzk_status evict(void *ctx, const char *circuit, cuzk_evict_result *out, cuzk_err *err)
{
    circuit_id id;
    cuzk_status st = cuzk_circuit_id_parse(&id, circuit, err);
    return st == CUZK_OK ? cuzk_prover_evict(ctx, id, out, err) : st;
}

static void preload_report(void *ctx, cuzk_preload_report *out)
{
    cuzk_prover_preload_report(ctx, out);
}

static cuzk_status admit(void *ctx, const proof_request *req, cuzk_err *err)
{
    return cuzk_prover_admit(ctx, (circuit_id){req->kind, req->shape}, err);
}

engine_backend cuzk_engine_backend_of(cuzk_prover *p)
{
    return (engine_backend){.ctx = p,
                            .parse = parse,
                            .request_free = request_free,
                            .open = open_job,
                            .prove = prove,
                            .close = close_job,
                            .preload = preload,
                            .loaded = loaded,
                            .admit = admit,
                            .on_disk = on_disk,
                            .evict = evict,
                            .preload_report = preload_report,
                            .budget = cuzk_prover_budget(p)};
}

/* ---- calls that the engine only passes on ---- */

const engine_backend *cuzk_engine_backend(const engine *e)
{
    return &e->backend;
}

cuzk_status cuzk_engine_preload(engine *e, const char *circuit, bool *already_loaded, cuzk_err *err)
{
    const engine_backend *b = cuzk_engine_backend(e);
    return b->preload(b->ctx, circuit, already_loaded, err);
}

cuzk_status cuzk_engine_evict(engine *e, const char *circuit, cuzk_evict_result *out, cuzk_err *err)
{
    const engine_backend *b = cuzk_engine_backend(e);
    *out = (cuzk_evict_result){.was_loaded = false};
    return b->evict ? b->evict(b->ctx, circuit, out, err) : CUZK_OK;
}

size_t cuzk_engine_loaded(engine *e, cuzk_prover_srs_info out[], size_t max)
{
    const engine_backend *b = cuzk_engine_backend(e);
    return b->loaded(b->ctx, out, max);
}

size_t cuzk_engine_on_disk(engine *e, cuzk_prover_srs_info out[], size_t max)
{
    const engine_backend *b = cuzk_engine_backend(e);
    return b->on_disk ? b->on_disk(b->ctx, out, max) : 0;
}

void cuzk_engine_preload_report(engine *e, cuzk_preload_report *out)
{
    const engine_backend *b = cuzk_engine_backend(e);
    *out = (cuzk_preload_report){.n_all = 0};
    if (b->preload_report)
        b->preload_report(b->ctx, out);
}

void cuzk_engine_budget(engine *e, budget_stats *out)
{
    const engine_backend *b = cuzk_engine_backend(e);
    *out = (budget_stats){.total = 0};
    if (b->budget)
        cuzk_budget_stats(b->budget, out);
}

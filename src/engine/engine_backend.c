/* The real table of the engine: the request reader and the prover. */
#include "engine/engine.h"
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

engine_backend cuzk_engine_backend_of(cuzk_prover *p)
{
    return (engine_backend){.ctx = p,
                            .parse = parse,
                            .request_free = request_free,
                            .open = open_job,
                            .prove = prove,
                            .close = close_job,
                            .preload = preload,
                            .loaded = loaded};
}

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

static cuzk_status prove(void *ctx, const proof_request *req, const cuzk_prove_options *opt,
                         uint8_t **proof, size_t *n_bytes, cuzk_err *err)
{
    return cuzk_prover_prove(ctx, req, opt, proof, n_bytes, err);
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
    return (engine_backend){p, parse, request_free, prove, preload, loaded};
}

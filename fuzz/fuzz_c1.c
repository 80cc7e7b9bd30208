/* libFuzzer target: C1 JSON, bare or in its envelope, through the same door as a request.
 * Corpus, build and run: docs/fuzzing.md. */
#include <stddef.h>
#include <stdint.h>

#include "filecoin/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    request_message msg = {.kind = CUZK_KIND_POREP, .miner_id = 1000, .vanilla_proof = {data, n}};
    proof_request *req = NULL;
    cuzk_err err;
    if (cuzk_request_parse(&req, &msg, &err) == CUZK_OK && req->n_partitions == 1)
        cuzk_request_check(req, &err);
    cuzk_request_free(req);
    return 0;
}

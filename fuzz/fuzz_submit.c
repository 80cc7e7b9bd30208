/* libFuzzer target: the bytes of a SubmitProofRequest, or after a byte above 0x7f of a
 * ProveRequest, as the daemon takes them: walked in place, then parsed in place. Corpus, build and
 * run: docs/fuzzing.md. */
#include <stdlib.h>
#include <string.h>

#include "filecoin/request.h"
#include "rpc/wire_submit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    submit_fields f;
    proof_request *req = NULL;
    cuzk_err err;
    bool prove = n && data[0] > 0x7f;
    uint8_t *copy = malloc(n + 1); /* it may be written over */
    if (!copy)
        return 0;
    if (n)
        memcpy(copy, data, n);
    cuzk_status st =
        prove ? cuzk_wire_prove(&f, copy + 1, n - 1, &err) : cuzk_wire_submit(&f, copy, n, &err);
    if (st == CUZK_OK)
        cuzk_request_parse(&req, &f.msg, &err);
    cuzk_request_free(req);
    cuzk_wire_submit_fini(&f);
    free(copy);
    return 0;
}

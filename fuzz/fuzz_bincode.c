/* libFuzzer target: PoSt and update blobs. The first byte picks kind and sector size; the rest is
 * one blob. Seeds: a byte 0x00, 0x05 or 0x0f before a file of tests/data. Build: docs/filecoin.md.
 */
#include <stddef.h>
#include <stdint.h>

#include "filecoin/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const uint8_t element[32] = {1};
    if (n == 0)
        return 0;
    static const cuzk_kind kind[4] = {CUZK_KIND_WINNING, CUZK_KIND_WINDOW, CUZK_KIND_WINDOW,
                                      CUZK_KIND_UPDATE};
    byte_view blob = {data + 1, n - 1}, one = {element, 32};
    unsigned number = data[0] % 20;
    request_message msg = {.kind = kind[number / 5],
                           .registered_proof = number < 15 ? number : number - 15,
                           .vanilla_proofs = &blob,
                           .n_vanilla_proofs = 1,
                           .randomness = one,
                           .comm_r_old = one,
                           .comm_r_new = one,
                           .comm_d_new = one};
    proof_request *req = NULL;
    cuzk_err err;
    if (cuzk_request_parse(&req, &msg, &err) == CUZK_OK)
        cuzk_request_check(req, &err);
    cuzk_request_free(req);
    return 0;
}

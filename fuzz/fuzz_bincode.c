/* libFuzzer target: PoSt and update blobs of every registered type.
 *
 * The first byte picks the type (mod 20: 5 winning, 10 window, 5 update) and, with its top bit,
 * whether the rest is one blob or two of equal length. An update gets the blob once a partition.
 * The message fields are those of the fixtures, so a good blob of tests/data passes the check.
 * Corpus, build and run: docs/fuzzing.md. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "filecoin/request.h"

#define MAX_BLOBS 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* tests/data: winning-2k and window-2k-1; update-2k. */
static const uint8_t randomness[32] = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
                                       3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
static const uint8_t comm_r_old[32] = {
    0x77, 0x42, 0x43, 0x90, 0xb3, 0x6f, 0x74, 0xac, 0xd5, 0x95, 0xc4, 0x0d, 0x0e, 0x34, 0x1f, 0x4f,
    0xbf, 0xf1, 0x86, 0x23, 0xfe, 0xaf, 0x8a, 0xd7, 0x2f, 0xe7, 0x3d, 0x74, 0x90, 0xd0, 0xd6, 0x5c};
static const uint8_t comm_r_new[32] = {
    0xf0, 0x91, 0xf6, 0xe3, 0xa7, 0x55, 0xfa, 0xbd, 0x9f, 0xc9, 0x02, 0x2e, 0x6b, 0xe9, 0xfb, 0x04,
    0x89, 0x03, 0xd6, 0xe6, 0x2f, 0x5e, 0xae, 0x7f, 0x70, 0x94, 0x73, 0x96, 0x00, 0x0e, 0x17, 0x49};
static const uint8_t comm_d_new[32] = {
    0xff, 0xe6, 0x97, 0x08, 0x44, 0x5a, 0x2c, 0xb1, 0xd2, 0x13, 0x3f, 0xb3, 0x70, 0xf6, 0x0b, 0x76,
    0x2f, 0x71, 0x21, 0xff, 0xa4, 0x99, 0xd5, 0xc8, 0x5a, 0xc5, 0xe6, 0x28, 0xdb, 0x44, 0x43, 0x18};

static size_t fill_blobs(byte_view blob[MAX_BLOBS], const request_message *msg, bool two,
                         const uint8_t *data, size_t n)
{
    if (msg->kind != CUZK_KIND_UPDATE) {
        size_t half = two ? n / 2 : n;
        blob[0] = (byte_view){data, half};
        blob[1] = (byte_view){data + half, half};
        return two ? 2 : 1;
    }
    const registered_proof *type = cuzk_registered_by_number(msg->kind, msg->registered_proof);
    for (size_t i = 0; i < MAX_BLOBS; i++)
        blob[i] = (byte_view){data, n};
    return cuzk_registered_partitions(type);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const cuzk_kind kind[4] = {CUZK_KIND_WINNING, CUZK_KIND_WINDOW, CUZK_KIND_WINDOW,
                                      CUZK_KIND_UPDATE};
    byte_view blob[MAX_BLOBS];
    if (n == 0)
        return 0;
    unsigned number = (data[0] & 0x7f) % 20;
    request_message msg = {.kind = kind[number / 5],
                           .registered_proof = number < 15 ? number : number - 15,
                           .vanilla_proofs = blob,
                           .randomness = {randomness, 32},
                           .comm_r_old = {comm_r_old, 32},
                           .comm_r_new = {comm_r_new, 32},
                           .comm_d_new = {comm_d_new, 32}};
    proof_request *req = NULL;
    cuzk_err err;
    msg.n_vanilla_proofs = fill_blobs(blob, &msg, data[0] >> 7, data + 1, n - 1);
    if (cuzk_request_parse(&req, &msg, &err) == CUZK_OK)
        cuzk_request_check(req, &err);
    cuzk_request_free(req);
    return 0;
}

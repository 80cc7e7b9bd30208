/* libFuzzer target: verifying keys, and proofs (192 bytes, shorter than any key).
 * Corpus, build and run: docs/fuzzing.md. */
#include <string.h>

#include "groth16/groth16.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void read_key(const char *path)
{
    groth16_vk vk;
    cuzk_err err;
    if (cuzk_vk_read(&vk, path, &err) == CUZK_OK)
        cuzk_vk_fini(&vk);
}

/* There is one encoding of a proof: what is read comes out the same. */
static void read_proof(const uint8_t *data)
{
    groth16_proof proof;
    uint8_t again[GROTH16_PROOF_BYTES];
    if (cuzk_proof_read(&proof, data, NULL) != CUZK_OK)
        return;
    cuzk_proof_write(again, &proof);
    if (memcmp(again, data, sizeof again) != 0)
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n == GROTH16_PROOF_BYTES)
        read_proof(data);
    else
        with_memory_file(data, n, read_key);
    return 0;
}

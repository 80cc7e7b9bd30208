/* libFuzzer target: parameter files. Corpus, build and run: docs/fuzzing.md. */
#include "groth16/groth16.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void read_params(const char *path)
{
    groth16_srs srs;
    groth16_vk vk;
    groth16_params_info info;
    cuzk_err err;
    cuzk_params_info(&info, path, &err);
    if (cuzk_params_read_vk(&vk, path, &err) == CUZK_OK)
        cuzk_vk_fini(&vk);
    if (cuzk_srs_read(&srs, path, NULL, &err) == CUZK_OK) {
        cuzk_srs_fini(&srs);
        cuzk_params_check(path, NULL, &err); /* slow, so only for what has passed */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    with_memory_file(data, n, read_params);
    return 0;
}

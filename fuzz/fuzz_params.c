/* libFuzzer target: parameter files, verifying keys and proofs. The input is put into a file in
 * memory, since the readers take paths. Seeds: tests/data/vk, golden proofs in tests/data.
 * Build: see docs/groth16.md. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "groth16/groth16.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void read_all(const char *path)
{
    groth16_srs srs;
    groth16_vk vk;
    groth16_params_info info;
    cuzk_err err;
    if (cuzk_vk_read(&vk, path, &err) == CUZK_OK)
        cuzk_vk_fini(&vk);
    if (cuzk_srs_read(&srs, path, NULL, &err) == CUZK_OK)
        cuzk_srs_fini(&srs);
    if (cuzk_params_info(&info, path, &err) == CUZK_OK)
        cuzk_params_check(path, NULL, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char path[64];
    groth16_proof proof;
    if (n == GROTH16_PROOF_BYTES) {
        cuzk_proof_read(&proof, data, NULL);
        return 0;
    }
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0)
        return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (write(fd, data, n) == (ssize_t)n)
        read_all(path);
    close(fd);
    return 0;
}

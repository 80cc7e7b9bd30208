/* libFuzzer target: request.json of a request folder. The folder also holds the files "a" (a few
 * bytes) and "b" (empty), for texts that name them as vanilla proofs.
 * Corpus, build and run: docs/fuzzing.md. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "filecoin/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static char folder[] = "/tmp/cuzk-fuzz-XXXXXX";
static const char *const file[] = {"request.json", "a", "b"};

static void remove_folder(void)
{
    char path[64];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, file[i]);
        unlink(path);
    }
    rmdir(folder);
}

static bool put(const char *name, const void *data, size_t n)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    bool ok = fwrite(data, 1, n, f) == n;
    return fclose(f) == 0 && ok;
}

static bool make_folder(void)
{
    static bool made;
    if (!made && mkdtemp(folder)) {
        atexit(remove_folder);
        made = put("a", "{\"x\":1}", 7) && put("b", "", 0);
    }
    return made;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    proof_request *req = NULL;
    cuzk_err err;
    if (!make_folder() || !put("request.json", data, n))
        return 0;
    if (cuzk_request_load(&req, folder, &err) == CUZK_OK)
        cuzk_request_check(req, &err);
    cuzk_request_free(req);
    return 0;
}

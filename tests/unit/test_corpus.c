/* The fuzzing corpora through the fuzz targets, without libFuzzer (docs/fuzzing.md): whatever once
 * crashed or leaked stays fixed. Each input lies in a block of exactly its size, for the address
 * sanitizer, and goes in whole, cut in the middle, and without its last byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"

#define LLVMFuzzerTestOneInput fuzz_c1
#include "../../fuzz/fuzz_c1.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_bincode
#include "../../fuzz/fuzz_bincode.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_params
#include "../../fuzz/fuzz_params.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_vk
#include "../../fuzz/fuzz_vk.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_request_json
#include "../../fuzz/fuzz_request_json.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_toml
#include "../../fuzz/fuzz_toml.c"
#undef LLVMFuzzerTestOneInput

typedef int (*fuzz_target)(const uint8_t *data, size_t n);

static void feed(fuzz_target target, const char *name, const uint8_t *data, size_t n)
{
    uint64_t before = cuzk_mem_used();
    uint8_t *exact = malloc(n ? n : 1);
    assert_non_null(exact);
    memcpy(exact, data, n);
    target(exact, n);
    free(exact);
    if (cuzk_mem_used() != before)
        fail_msg("%s, %zu bytes: %llu bytes are not given back", name, n,
                 (unsigned long long)(cuzk_mem_used() - before));
}

static void replay(const char *name, fuzz_target target)
{
    char folder[64], path[400];
    unsigned n_files = 0;
    snprintf(folder, sizeof folder, "fuzz/corpus/%s", name);
    DIR *dir = opendir(folder);
    if (!dir)
        fail_msg("no %s", folder);
    for (struct dirent *e; (e = readdir(dir));) {
        uint8_t *data;
        size_t n;
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        assert_int_equal(cuzk_file_read(&data, &n, path, 1 << 20, NULL), CUZK_OK);
        feed(target, path, data, n);
        feed(target, path, data, n / 2);
        feed(target, path, data, n ? n - 1 : 0);
        cuzk_free(data);
        n_files++;
    }
    closedir(dir);
    feed(target, name, (const uint8_t *)"", 0);
    printf("%s: %u files\n", name, n_files);
    assert_true(n_files >= 5);
}

static void c1(void **state)
{
    (void)state;
    replay("c1", fuzz_c1);
}

static void bincode(void **state)
{
    (void)state;
    replay("bincode", fuzz_bincode);
}

static void params(void **state)
{
    (void)state;
    replay("params", fuzz_params);
}

static void vk(void **state)
{
    (void)state;
    replay("vk", fuzz_vk);
}

static void request_json(void **state)
{
    (void)state;
    replay("request_json", fuzz_request_json);
}

static void toml(void **state)
{
    (void)state;
    replay("toml", fuzz_toml);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c1), cmocka_unit_test(bincode),      cmocka_unit_test(params),
        cmocka_unit_test(vk), cmocka_unit_test(request_json), cmocka_unit_test(toml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

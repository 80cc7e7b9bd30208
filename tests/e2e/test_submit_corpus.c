/* Replays fuzz/corpus/submit: messages as the daemon takes them apart. Each whole and cut at every
 * byte, in a block of exactly that size; all memory must come back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>

#include "base/file.h"
#include "base/mem.h"

#define LLVMFuzzerTestOneInput fuzz_submit
#include "../../fuzz/fuzz_submit.c"

static void feed(const uint8_t *data, size_t n)
{
    uint64_t before = cuzk_mem_used();
    uint8_t *exact = malloc(n ? n : 1);
    memcpy(exact, data, n);
    fuzz_submit(exact, n);
    free(exact);
    assert_int_equal(cuzk_mem_used(), before);
}

static void test_submit_corpus(void **state)
{
    (void)state;
    unsigned n_files = 0;
    DIR *dir = opendir("fuzz/corpus/submit");
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        char path[400];
        uint8_t *data;
        size_t n;
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "fuzz/corpus/submit/%s", e->d_name);
        assert_int_equal(cuzk_file_read(&data, &n, path, 1 << 20, NULL), CUZK_OK);
        for (size_t k = 0; k <= n; k += n > 1000 ? 97 : 1)
            feed(data, k);
        cuzk_free(data);
        n_files++;
    }
    closedir(dir);
    printf("%u files\n", n_files);
    assert_true(n_files >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_submit_corpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

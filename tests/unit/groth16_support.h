/* Shared by the tests of src/groth16: temporary files, points, and small parameter files. */
#ifndef CUZK_TEST_GROTH16_SUPPORT_H
#define CUZK_TEST_GROTH16_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hex.h"
#include "base/mem.h"
#include "curve/codec.h"
#include "groth16/groth16.h"

/* A fresh folder for one test program; removed with its files by test_dir_remove. */
static char test_dir[64];

static inline int test_dir_make(void **state)
{
    (void)state;
    strcpy(test_dir, "/tmp/cuzk-test-XXXXXX");
    return mkdtemp(test_dir) ? 0 : -1;
}

static inline int test_dir_remove(void **state)
{
    (void)state;
    DIR *d = opendir(test_dir);
    struct dirent *e;
    while (d && (e = readdir(d))) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", test_dir, e->d_name);
        if (e->d_name[0] != '.')
            unlink(path);
    }
    if (d)
        closedir(d);
    return rmdir(test_dir);
}

/* Static storage: valid until the fourth call from now. */
static inline const char *test_path(const char *name)
{
    static char path[4][512];
    static unsigned next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", test_dir, name);
    return p;
}

/* A file of real data: tests/data/NAME, else $CUZK_SHARED or ../shared, fixtures/FOLDER/NAME; NULL
 * when absent. Static storage: valid until the next call. */
static inline const char *test_data(const char *folder, const char *name)
{
    static char path[1024];
    const char *shared = getenv("CUZK_SHARED");
    snprintf(path, sizeof path, "tests/data/%s", name);
    if (access(path, R_OK) == 0)
        return path;
    snprintf(path, sizeof path, "%s/fixtures/%s/%s", shared ? shared : "../shared", folder, name);
    return access(path, R_OK) == 0 ? path : NULL;
}

/* The tests run in the source folder; elsewhere they have no data. */
static inline bool test_skip_without_data(void)
{
    if (test_data("", "vk"))
        return false;
    print_message("SKIP: tests/data not found; run this from the source folder\n");
    skip();
    return true;
}

static inline uint8_t *test_read_file(const char *path, size_t *n)
{
    uint8_t *bytes = NULL;
    assert_int_equal(cuzk_file_read(&bytes, n, path, (size_t)1 << 30, NULL), CUZK_OK);
    return bytes;
}

static inline void test_write_file(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb"); /* not cuzk_file_write: thousands of fsyncs would be slow */
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

#endif

/* The log: forms of lines, their length, whole lines from many threads while the file is opened
 * anew (G14, C20). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "engine/log.h"

static char folder[64], path[96], moved[96];

static char *read_lines(const char *name)
{
    uint8_t *text;
    size_t n;
    assert_int_equal(cuzk_file_read(&text, &n, name, 64 << 20, NULL), CUZK_OK);
    return (char *)text;
}

static char *one_line(cuzk_log_format format, const char *job, const char *text)
{
    unlink(path);
    cuzk_log_set_format(format);
    assert_int_equal(cuzk_log_open(path, NULL), CUZK_OK);
    cuzk_log_from("/x/src/fake/src/rpc/y.c", CUZK_LOG_WARN, job, "%s", text);
    return read_lines(path);
}

static void test_forms(void **state)
{
    (void)state;
    static const struct {
        cuzk_log_format format;
        const char *job, *text, *want; /* after the time */
    } row[] = {
        {CUZK_LOG_TEXT, NULL, "a \"b\" \\ \n\xc3\xa9", "Z warn a \"b\" \\ \\x0a\\xc3\\xa9\n"},
        {CUZK_LOG_TEXT, "j\"", "a", "Z warn job=\"j\\x22\" a\n"},
        {CUZK_LOG_LOGFMT, NULL, "a \"b\"",
         "Z level=warn component=rpc job=\"\" msg=\"a \\\"b\\\"\"\n"},
        {CUZK_LOG_JSON, "j\\", "\x1b[m",
         "Z\",\"level\":\"warn\",\"component\":\"rpc\",\"job\":\"j\\\\\",\"msg\":\"\\\\x1b[m\"}\n"},
    };
    for (size_t i = 0; i < CUZK_ARRAY_LEN(row); i++) {
        char *line = one_line(row[i].format, row[i].job, row[i].text);
        const char *rest = strchr(line, 'Z');
        assert_non_null(rest);
        assert_string_equal(rest, row[i].want);
        cuzk_free(line);
    }
    char *line = one_line(CUZK_LOG_JSON, NULL, "x");
    assert_memory_equal(line, "{\"time\":\"20", 11);
    cuzk_free(line);
}

/* The worst bytes and lengths: below 4 KiB, and the end of the form is there. */
static void test_long_lines(void **state)
{
    (void)state;
    static const char *const end[] = {"\n", "\"\n", "\"}\n"};
    static const char fill[] = {'\xff', '"', 'a', '\\', '\n'};
    char job[600], text[5000];
    for (unsigned f = 0; f < 3; f++) {
        for (unsigned k = 0; k < sizeof fill; k++) {
            memset(job, fill[k], sizeof job - 1);
            memset(text, fill[k], sizeof text - 1);
            job[sizeof job - 1] = text[sizeof text - 1] = '\0';
            char *line = one_line((cuzk_log_format)f, job, text);
            size_t n = strlen(line);
            assert_true(n < 4096);
            assert_string_equal(line + n - strlen(end[f]), end[f]);
            assert_ptr_equal(strchr(line, '\n'), line + n - 1);
            cuzk_free(line);
        }
    }
}

static void test_levels(void **state)
{
    (void)state;
    unlink(path);
    cuzk_log_set_format(CUZK_LOG_TEXT);
    assert_int_equal(cuzk_log_open(path, NULL), CUZK_OK);
    for (int chosen = CUZK_LOG_OFF; chosen <= CUZK_LOG_DEBUG; chosen++) {
        cuzk_log_set_level((log_level)chosen);
        for (int level = CUZK_LOG_ERROR; level <= CUZK_LOG_DEBUG; level++)
            cuzk_log((log_level)level, NULL, "line");
    }
    char *lines = read_lines(path);
    unsigned n = 0;
    for (const char *p = lines; (p = strchr(p, '\n')) != NULL; p++)
        n++;
    assert_int_equal(n, 0 + 1 + 2 + 3 + 4);
    cuzk_free(lines);
}

enum { N_THREADS = 4, N_LINES = 1000 };

static void *writer(void *arg)
{
    for (unsigned i = 0; i < N_LINES; i++)
        cuzk_log(CUZK_LOG_INFO, arg, "line %04u of a writer with some text behind it", i);
    return NULL;
}

static unsigned count_whole(const char *name)
{
    unsigned n = 0;
    char *lines = read_lines(name);
    for (char *p = lines, *end; (end = strchr(p, '\n')) != NULL; p = end + 1) {
        *end = '\0';
        assert_memory_equal(p, "time=20", 7);
        assert_string_equal(end - 11, " behind it\"");
        n++;
    }
    cuzk_free(lines);
    return n;
}

/* Renaming and reopening in between loses no line and breaks none. */
static void test_reopen(void **state)
{
    (void)state;
    static char job[N_THREADS][8];
    pthread_t t[N_THREADS];
    unsigned n = 0;
    unlink(path);
    cuzk_log_set_format(CUZK_LOG_LOGFMT);
    cuzk_log_set_level(CUZK_LOG_INFO);
    assert_int_equal(cuzk_log_open(path, NULL), CUZK_OK);
    for (unsigned i = 0; i < N_THREADS; i++) {
        snprintf(job[i], sizeof job[i], "job-%u", i);
        assert_int_equal(pthread_create(&t[i], NULL, writer, job[i]), 0);
    }
    for (unsigned i = 0; i < 20; i++) {
        snprintf(moved, sizeof moved, "%s.%u", path, i);
        assert_int_equal(rename(path, moved), 0);
        assert_int_equal(cuzk_log_open(path, NULL), CUZK_OK);
    }
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_join(t[i], NULL);
    for (unsigned i = 0; i < 20; i++) {
        snprintf(moved, sizeof moved, "%s.%u", path, i);
        n += count_whole(moved);
        unlink(moved);
    }
    assert_int_equal(n + count_whole(path), N_THREADS * N_LINES);
}

static void test_open_fails(void **state)
{
    (void)state;
    cuzk_err err = {0};
    assert_int_equal(cuzk_log_open(path, NULL), CUZK_OK);
    assert_int_equal(cuzk_log_open("/proc/nowhere/x", &err), CUZK_IO);
    assert_non_null(strstr(err.msg, "/proc/nowhere/x"));
    unlink(path);
    cuzk_log(CUZK_LOG_ERROR, NULL, "to the file that is still open");
    assert_int_equal(cuzk_log_open("/dev/full", NULL), CUZK_OK);
    cuzk_log(CUZK_LOG_ERROR, NULL, "into a full disk");
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/cuzk-log-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/log", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    cuzk_log_open(NULL, NULL);
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),      cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_levels),     cmocka_unit_test(test_reopen),
        cmocka_unit_test(test_open_fails),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

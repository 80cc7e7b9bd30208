/* Reports of a diagnosis: JSON that parses, one HTML file that loads nothing, plots by gnuplot or a
 * sentence instead of them. gnuplot is a script here, so that the test needs none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <yajl/yajl_tree.h>

#include "base/file.h"
#include "base/mem.h"
#include "unit/diagnose_support.h"

static char dir[] = "/tmp/cuzk-report-XXXXXX";
static char json_path[64], html_path[64], gnuplot_path[64];
static cuzk_diagnosis *diagnosis;

static int setup(void **state)
{
    fake_workload w = {.rng = {4}, .noise = 0.003, .n_effects = 2};
    w.effect[0] = (fake_effect){1u << 0 | 1u << 3, 4, 0.9};
    w.effect[1] = (fake_effect){1u << 1, FAKE_PHASES, 0.2};
    cuzk_diagnose_options o = fake_options(3);
    const cuzk_diagnose_workload workload = {&w, fake_run, NULL};
    (void)state;
    o.workload = "<b>\"R&D\"</b>";
    if (!mkdtemp(dir) || cuzk_diagnose(&diagnosis, &o, &workload, NULL) != CUZK_OK)
        return 1;
    snprintf(json_path, sizeof json_path, "%s/d.json", dir);
    snprintf(html_path, sizeof html_path, "%s/d.html", dir);
    snprintf(gnuplot_path, sizeof gnuplot_path, "%s/gnuplot", dir);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cuzk_diagnosis_free(diagnosis);
    unlink(json_path);
    unlink(html_path);
    unlink(gnuplot_path);
    rmdir(dir);
    return 0;
}

static void test_json(void **state)
{
    uint8_t *text;
    size_t n;
    const char *workload[] = {"workload", NULL}, *verdicts[] = {"verdicts", NULL},
               *name[] = {"name", NULL}, *configs[] = {"configurations", NULL};
    (void)state;
    assert_int_equal(cuzk_diagnosis_write_json(diagnosis, json_path, NULL), CUZK_OK);
    assert_int_equal(cuzk_file_read(&text, &n, json_path, 1 << 20, NULL), CUZK_OK);
    yajl_val v = yajl_tree_parse((char *)text, NULL, 0);
    assert_non_null(v);
    assert_string_equal(yajl_tree_get(v, workload, yajl_t_string)->u.string, "<b>\"R&D\"</b>");
    yajl_val list = yajl_tree_get(v, verdicts, yajl_t_array);
    assert_int_equal(list->u.array.len, 6);
    yajl_val pair = yajl_tree_get(list->u.array.values[5], name, yajl_t_string);
    assert_string_equal(pair->u.string, "A1 + B1");
    assert_int_equal(yajl_tree_get(v, configs, yajl_t_array)->u.array.len, 23);
    yajl_tree_free(v);
    cuzk_free(text);
}

/* The report with this as gnuplot; NULL: without any. cuzk_free. */
static char *html_with(const char *script)
{
    uint8_t *text;
    size_t n;
    unlink(gnuplot_path);
    if (script) {
        FILE *f = fopen(gnuplot_path, "w");
        fprintf(f, "#!/bin/sh\nPATH=/usr/bin:/bin\n%s\n", script);
        fclose(f);
        chmod(gnuplot_path, 0755);
    }
    char *before = cuzk_strdup(getenv("PATH"));
    setenv("PATH", dir, 1);
    assert_int_equal(cuzk_diagnosis_write_html(diagnosis, html_path, NULL), CUZK_OK);
    setenv("PATH", before, 1);
    cuzk_free(before);
    assert_int_equal(cuzk_file_read(&text, &n, html_path, 1 << 20, NULL), CUZK_OK);
    return (char *)text;
}

static void test_html_without_gnuplot(void **state)
{
    static const char *const scripts[] = {NULL, "exit 1", "exit 0", "kill -9 $$"};
    (void)state;
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        char *html = html_with(scripts[i]);
        assert_non_null(strstr(html, "plots are left out"));
        assert_null(strstr(html, "<svg"));
        assert_ptr_equal(strstr(html, "<!doctype html>"), html);
        assert_non_null(strstr(html, "&lt;b&gt;&quot;R&amp;D&quot;&lt;/b&gt;"));
        assert_null(strstr(html, "<b>\"R"));
        assert_non_null(strstr(html, "A1 + B1"));
        assert_non_null(strstr(html, "more memory"));
        assert_non_null(strstr(html, "</html>"));
        cuzk_free(html);
    }
}

/* Nothing is loaded from elsewhere; the colours are the page's; marks of two plots differ. */
static void test_html_with_gnuplot(void **state)
{
    static const char fake[] = "out=$(sed -n 's/^set output \"\\(.*\\)\"/\\1/p' \"$1\")\n"
                               "grep -q '^plot' \"$1\" || exit 1\n"
                               "printf '<?xml?>\\n<svg><path id=\"gpPt5\" stroke=\"rgb( 10,  11,  "
                               "12)\" fill=\"rgb(0,0,177)\""
                               " a=\"rgb(  0,   0, 161)\" b=\"rgb(1,2,3)\"/></svg>\\n' >\"$out\"";
    static const char *const bad[] = {"http:", "https:", "src=",   "@import", "url(",
                                      "<?xml", "gpPt",   "rgb(10", "<script"};
    (void)state;
    char *html = html_with(fake);
    assert_null(strstr(html, "plots are left out"));
    assert_non_null(strstr(html, "id=\"ap5\" stroke=\"var(--fg)\" fill=\"var(--v1)\" "
                                 "a=\"var(--s1)\" b=\"rgb(1,2,3)\""));
    assert_non_null(strstr(html, "id=\"bp5\""));
    assert_non_null(strstr(html, "prefers-color-scheme:dark"));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_null(strstr(html, bad[i]));
    cuzk_free(html);
}

static void test_not_writable(void **state)
{
    cuzk_err err = {0};
    (void)state;
    assert_int_equal(cuzk_diagnosis_write_json(diagnosis, "/nonexistent/x", &err), CUZK_IO);
    assert_non_null(strstr(err.msg, "/nonexistent/x"));
    assert_int_equal(cuzk_diagnosis_write_html(diagnosis, "/nonexistent/x", &err), CUZK_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_html_without_gnuplot),
        cmocka_unit_test(test_html_with_gnuplot),
        cmocka_unit_test(test_not_writable),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

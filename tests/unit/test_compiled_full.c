/* Every registered circuit compiled and compared row by row, and witnesses up to 32 GiB value by
 * value. Minutes; the largest needs 14 GiB of memory. CUZK_CIRCUITS_MAX_ROWS limits it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <dirent.h>

#include "compiled_support.h"
#include "cuzk/synth.h"

static cuzk_pool *pool;

static int make_pool(void **state)
{
    (void)state;
    return cuzk_pool_new(&pool, 0, "test", NULL) == CUZK_OK ? 0 : -1;
}

static int free_pool(void **state)
{
    (void)state;
    cuzk_pool_free(pool);
    return 0;
}

static uint64_t max_rows(void)
{
    const char *text = getenv("CUZK_CIRCUITS_MAX_ROWS");
    return text ? strtoull(text, NULL, 10) : UINT64_MAX;
}

static void structure_of_registered_circuits(void **state)
{
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(registered_circuits); i++) {
        if (registered_circuits[i].rows <= max_rows())
            check_compiled_circuit(registered_circuits[i].name);
    }
}

static bool packed(const char *folder)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/c1.json.xz", folder);
    bool yes = access(path, R_OK) == 0;
    snprintf(path, sizeof path, "%s/vanilla.tar.xz", folder);
    return yes || access(path, R_OK) == 0;
}

static void check_folders(const char *dir)
{
    const char *shared = getenv("CUZK_SHARED");
    char path[512], folder[1024];
    snprintf(path, sizeof path, "%s/fixtures/%s", shared ? shared : "../shared", dir);
    DIR *d = opendir(path);
    if (!d) {
        print_message("SKIP: no fixture requests in %s (set CUZK_SHARED)\n", path);
        skip();
    }
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        snprintf(folder, sizeof folder, "%s/%s", path, e->d_name);
        if (e->d_name[0] == '.')
            continue;
        /* shapes of 32 GiB come from made-up requests, below */
        bool skipped = packed(folder) || strncmp(e->d_name, "window-32g", 10) == 0;
        print_message("%s%s\n", skipped ? "SKIP: " : "", e->d_name);
        if (!skipped)
            check_compiled_folder(folder, pool);
    }
    closedir(d);
}

static void values_of_fixtures(void **state)
{
    (void)state;
    check_folders("requests");
}

static void values_of_large_fixtures(void **state)
{
    (void)state;
    check_folders("requests-full");
}

static void remove_folder(const char *dir)
{
    char path[600];
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (e->d_name[0] != '.')
            unlink(path);
    }
    closedir(d);
    rmdir(dir);
}

/* Partition 0 of a made-up request. */
static void check_synthetic(const char *name)
{
    char dir[] = "/tmp/cuzk-compiled-XXXXXX";
    circuit_id id;
    circuit_counts counts;
    proof_request *req = NULL;
    cuzk_synth_options opt = CUZK_SYNTH_OPTIONS_DEFAULTS;
    cuzk_err err = {0};
    assert_int_equal(cuzk_circuit_id_parse(&id, name, NULL), CUZK_OK);
    assert_true(cuzk_circuit_counts(&counts, id));
    if (counts.n_rows > max_rows())
        return;
    assert_non_null(mkdtemp(dir));
    if (cuzk_synth_request(NULL, name, dir, &opt, &err) != CUZK_OK ||
        cuzk_request_load(&req, dir, &err) != CUZK_OK)
        fail_msg("%s: %s", name, err.msg);
    remove_folder(dir);
    compiled_circuit *k = compile_id(id, name);
    const circuit_instance in = {id, req, 0};
    const cs_circuit circuit = cuzk_circuit_of(&in);
    check_compiled_values(k, &circuit, pool, name);
    print_message("%s: values\n", name);
    cuzk_compiled_free(k);
    cuzk_request_free(req);
}

static void values_of_large_shapes(void **state)
{
    static const char *const name[] = {"winning-32g", "winning-64g", "porep-512m", "snap-512m",
                                       "snap-32g",    "porep-32g",   "wpost-32g"};
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(name); i++)
        check_synthetic(name[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_fixtures),
        cmocka_unit_test(values_of_large_fixtures),
        cmocka_unit_test(values_of_large_shapes),
        cmocka_unit_test(structure_of_registered_circuits),
    };
    return cmocka_run_group_tests(tests, make_pool, free_pool);
}

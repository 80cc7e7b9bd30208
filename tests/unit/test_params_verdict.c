/* Whose parameter file it is and whether it is whole (CASES B02 B04 B05 B09 B12 B13 B14 B16 B19),
 * and the memory of digests. The file is one of wpost-2k; tables made for the tests let it be a
 * published one, or one of a size that matters. */
#include "unit/groth16_support.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "base/hash.h"
#include "cuzk/cuzk.h"
#include "engine/params_dir.h"
#include "engine/srs_load.h"

static circuit_id wpost, winning;
static char params[CUZK_PATH_BYTES], vk[512], wrong_name[512];
static cuzk_pool *pool;
static params_verdicts *verdicts;

/* ---- reads, counted and spoiled ---- */

static atomic_uint_least64_t n_read; /* bytes */
static atomic_uint spoil_every;      /* every so many reads one bit is flipped; 0: never */
static atomic_uint n_reads;

ssize_t pread(int fd, void *out, size_t n, off_t at)
{
    static ssize_t (*real)(int, void *, size_t, off_t);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pread");
    ssize_t got = real(fd, out, n, at);
    unsigned every = atomic_load(&spoil_every);
    if (got > 0)
        atomic_fetch_add(&n_read, (uint64_t)got);
    if (got > 0 && every > 0 && atomic_fetch_add(&n_reads, 1) % every == every - 1)
        ((uint8_t *)out)[got / 2] ^= 1;
    return got;
}

/* ---- tables ---- */

static char real_digest[33], vk_digest[33];
static params_digests row = {"wpost-2k", real_digest, vk_digest};

static const params_digests *one_row(circuit_id id)
{
    return id.kind == wpost.kind ? &row : NULL;
}

static const params_digests *no_row(circuit_id id)
{
    (void)id;
    return NULL;
}

static bool all_real(circuit_id id)
{
    (void)id;
    return true;
}

static void digest_of_file(char out[33], const char *path)
{
    size_t n;
    uint8_t digest[64], *bytes = test_read_file(path, &n);
    cuzk_blake2b512(digest, bytes, n);
    cuzk_hex_encode(out, digest, 16);
    cuzk_free(bytes);
}

static int setup(void **state)
{
    char *p, *v, *w;
    if (test_dir_make(state) != 0 || cuzk_pool_new(&pool, 2, "verdict-test", NULL) != CUZK_OK)
        return -1;
    cuzk_circuit_id_parse(&wpost, "wpost-2k", NULL);
    cuzk_circuit_id_parse(&winning, "winning-2k", NULL);
    if (cuzk_params_make_insecure("wpost-2k", test_dir, 2, NULL, params, NULL) != CUZK_OK)
        return -1;
    p = cuzk_params_path(test_dir, wpost, "params");
    v = cuzk_params_path(test_dir, wpost, "vk");
    w = cuzk_params_path(test_dir, winning, "params");
    snprintf(params, sizeof params, "%s", p);
    snprintf(vk, sizeof vk, "%s", v);
    snprintf(wrong_name, sizeof wrong_name, "%s", w);
    cuzk_free(w);
    cuzk_free(v);
    cuzk_free(p);
    digest_of_file(real_digest, params);
    digest_of_file(vk_digest, vk);
    return cuzk_verdicts_new(&verdicts, "", NULL) == CUZK_OK ? 0 : -1;
}

static int teardown(void **state)
{
    cuzk_verdicts_free(verdicts);
    cuzk_pool_free(pool);
    return test_dir_remove(state);
}

typedef struct {
    bool published, real, allow, streamed;
    params_verdicts *verdicts;
} world;

static cuzk_status load(const world *w, circuit_id id, const char *dir, cuzk_err *err)
{
    groth16_srs srs;
    const srs_watch watch = {NULL, NULL, NULL};
    const srs_loader l = {.params_dir = dir,
                          .pool = pool,
                          .verdicts = w->verdicts ? w->verdicts : verdicts,
                          .allow_insecure = w->allow,
                          .digests = w->published ? one_row : no_row,
                          .is_real = w->real ? all_real : cuzk_params_are_real};
    uint64_t before = cuzk_mem_used();
    cuzk_status st = cuzk_srs_load(&srs, &l, id, w->streamed, &watch, NULL, err);
    if (st == CUZK_OK)
        cuzk_srs_fini(&srs);
    assert_int_equal(cuzk_mem_used(), before);
    return st;
}

static void expect(const world *w, circuit_id id, const char *dir, cuzk_status want,
                   const char *says)
{
    cuzk_err err = {0};
    cuzk_status st = load(w, id, dir, &err);
    if (st != want || !strstr(err.msg, says))
        fail_msg("wants %s '%s': %s: %s", cuzk_status_name(want), says, cuzk_status_name(st),
                 err.msg);
}

/* Inverts one bit; again, and all is as before. The time of change moves on. */
static void flip_bit(const char *path, long at)
{
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    int c = fgetc(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    fputc(c ^ 1, f);
    assert_int_equal(fclose(f), 0);
}

static void set_time(const char *path, time_t s, long ns)
{
    const struct timespec t[2] = {{s, ns}, {s, ns}};
    assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

/* ---- whose ---- */

static void b19_self_made_files_are_for_small_sizes(void **state)
{
    (void)state;
    for (int streamed = 0; streamed < 2; streamed++) {
        const world small = {.streamed = streamed}, real = {.real = true, .streamed = streamed};
        const world allowed = {.real = true, .allow = true, .streamed = streamed};
        expect(&small, wpost, test_dir, CUZK_OK, "");
        expect(&real, wpost, test_dir, CUZK_PARAMS, "is not Filecoin's file for wpost-2k");
        expect(&real, wpost, test_dir, CUZK_PARAMS, "--allow-insecure-params");
        expect(&allowed, wpost, test_dir, CUZK_OK, "");
    }
}

static void published_files_are_accepted(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        const world w = {.published = true, .real = i & 1, .allow = i & 2, .streamed = i & 4};
        expect(&w, wpost, test_dir, CUZK_OK, "");
    }
}

/* B05, B12: the key is the published one, the points are not. The file stays as it is. */
static void b05_b12_a_wrong_digest_names_both(void **state)
{
    (void)state;
    const world real[2] = {{.published = true, .real = true},
                           {.published = true, .real = true, .streamed = true}};
    struct stat before, after;
    char good = real_digest[0];
    real_digest[0] = good == '0' ? '1' : '0';
    assert_int_equal(stat(params, &before), 0);
    for (int i = 0; i < 4; i++) {
        expect(&real[i % 2], wpost, test_dir, CUZK_CORRUPT, "is damaged: its digest is ");
        expect(&real[i % 2], wpost, test_dir, CUZK_CORRUPT, real_digest);
    }
    real_digest[0] = good;
    assert_int_equal(stat(params, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(before.st_size, after.st_size);
    assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof before.st_mtim);
    expect(&real[0], wpost, test_dir, CUZK_OK, "");
}

static void b05_a_flipped_bit_is_found_and_mended(void **state)
{
    (void)state;
    struct stat s;
    const world real = {.published = true, .real = true}, small = {.published = true};
    assert_int_equal(stat(params, &s), 0);
    for (long at = 4000; at < s.st_size; at += s.st_size / 5) {
        flip_bit(params, at);
        expect(&real, wpost, test_dir, CUZK_CORRUPT, "section");
        expect(&small, wpost, test_dir, CUZK_CORRUPT, "point");
        flip_bit(params, at);
        expect(&small, wpost, test_dir, CUZK_OK, "");
    }
    expect(&real, wpost, test_dir, CUZK_OK, "");
}

/* ---- pairs, counts ---- */

static void b02_b04_the_key_beside_it(void **state)
{
    (void)state;
    size_t n;
    const world w = {.real = false};
    uint8_t *bytes = test_read_file(vk, &n);
    test_write_file(vk, bytes, 0);
    expect(&w, wpost, test_dir, CUZK_PARAMS, ".vk is empty; did a download fail?");
    test_write_file(vk, bytes, n - 96);
    expect(&w, wpost, test_dir, CUZK_PARAMS, "not a pair");
    bytes[n - 1] ^= 1;
    test_write_file(vk, bytes, n);
    expect(&w, wpost, test_dir, CUZK_PARAMS, "not a pair");
    bytes[n - 1] ^= 1;
    uint8_t *more = cuzk_calloc(1, 2 * n);
    memcpy(more, bytes, n);
    test_write_file(vk, more, n + 1);
    expect(&w, wpost, test_dir, CUZK_PARAMS, "not a pair");
    assert_int_equal(unlink(vk), 0);
    expect(&w, wpost, test_dir, CUZK_OK, ""); /* only those who verify need it */
    test_write_file(vk, bytes, n);
    expect(&w, wpost, test_dir, CUZK_OK, "");
    cuzk_free(more);
    cuzk_free(bytes);
}

/* B04, B09: the file of one circuit under the name of another. */
static void b04_b09_counts_of_another_circuit(void **state)
{
    (void)state;
    const world w = {.real = false};
    assert_int_equal(link(params, wrong_name), 0);
    expect(&w, winning, test_dir, CUZK_PARAMS,
           "section vk (ic) has 23 points, the circuit "
           "winning-2k needs 133");
    assert_int_equal(unlink(wrong_name), 0);
}

/* ---- folders ---- */

static void b13_b14_what_is_wrong_with_the_folder(void **state)
{
    (void)state;
    const world w = {.real = false};
    char path[600], slash[600];
    snprintf(path, sizeof path, "%s/empty", test_dir);
    assert_int_equal(mkdir(path, 0700), 0);
    expect(&w, wpost, path, CUZK_PARAMS, "does not exist; fetch Filecoin's parameters");
    expect(&w, wpost, path, CUZK_PARAMS, path);
    assert_int_equal(rmdir(path), 0); /* still empty: nothing was generated */
    expect(&w, wpost, path, CUZK_PARAMS, "cannot be used: No such file");
    expect(&w, wpost, "~/params", CUZK_PARAMS, "only a shell expands '~'");
    expect(&w, wpost, vk, CUZK_PARAMS, "is a file");
    snprintf(slash, sizeof slash, "%s///", test_dir);
    expect(&w, wpost, slash, CUZK_OK, "");
    assert_int_equal(symlink(test_dir, path), 0);
    expect(&w, wpost, path, CUZK_OK, "");
    assert_int_equal(unlink(path), 0);
    if (geteuid() != 0) {
        assert_int_equal(mkdir(path, 0), 0);
        expect(&w, wpost, path, CUZK_PARAMS, "cannot be read");
        assert_int_equal(rmdir(path), 0);
    }
}

static void b14_precedence(void **state)
{
    (void)state;
    assert_int_equal(setenv(PARAMS_DIR_ENV, "/from/env", 1), 0);
    assert_string_equal(cuzk_params_dir("relative/"), "relative/");
    assert_string_equal(cuzk_params_dir_source("relative/"), "as configured");
    assert_string_equal(cuzk_params_dir(NULL), "/from/env");
    assert_string_equal(cuzk_params_dir_source(""), "$FIL_PROOFS_PARAMETER_CACHE");
    assert_int_equal(unsetenv(PARAMS_DIR_ENV), 0);
    assert_string_equal(cuzk_params_dir_source(NULL), "default");
}

/* ---- digests that are remembered ---- */

static uint64_t bytes_read(const world *w, cuzk_status want)
{
    uint64_t before = atomic_load(&n_read);
    expect(w, wpost, test_dir, want, "");
    return atomic_load(&n_read) - before;
}

static void a_digest_is_computed_once(void **state)
{
    (void)state;
    struct stat s;
    char folder[600], file[700], text[400];
    size_t n;
    uint64_t once;
    params_verdicts *v;
    snprintf(folder, sizeof folder, "%s/cache/deeper", test_dir);
    snprintf(file, sizeof file, "%s/params-digests", folder);
    assert_int_equal(stat(params, &s), 0);
    const uint64_t size = (uint64_t)s.st_size;
    assert_int_equal(cuzk_verdicts_new(&v, folder, NULL), CUZK_OK);
    world w = {.published = true, .real = true, .streamed = true, .verdicts = v};
    assert_int_equal(access(folder, F_OK), -1);
    assert_in_range(bytes_read(&w, CUZK_OK), size, size + 10000);
    once = bytes_read(&w, CUZK_OK);
    assert_in_range(once, 1, 10000);
    cuzk_verdicts_free(v);

    /* another process */
    assert_int_equal(cuzk_verdicts_new(&v, folder, NULL), CUZK_OK);
    w.verdicts = v;
    assert_int_equal(bytes_read(&w, CUZK_OK), once);
    set_time(params, s.st_mtim.tv_sec, s.st_mtim.tv_nsec ^ 1); /* one nanosecond */
    assert_in_range(bytes_read(&w, CUZK_OK), size, size + 10000);
    set_time(params, s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
    assert_in_range(bytes_read(&w, CUZK_OK), size, size + 10000);
    cuzk_verdicts_free(v);

    /* any change of the line is noticed, and the file read again */
    uint8_t *line = test_read_file(file, &n);
    assert_in_range(n, 60, sizeof text - 1);
    for (size_t i = 0; i < n; i += 7) {
        memcpy(text, line, n);
        text[i] = (char)(text[i] == '7' ? '8' : '7');
        test_write_file(file, text, i % 2 ? n : i + 1);
        assert_int_equal(cuzk_verdicts_new(&v, folder, NULL), CUZK_OK);
        w.verdicts = v;
        assert_in_range(bytes_read(&w, CUZK_OK), size, size + 10000);
        cuzk_verdicts_free(v);
    }
    cuzk_free(line);
    unlink(file);
    rmdir(folder);
    snprintf(folder, sizeof folder, "%s/cache", test_dir);
    rmdir(folder);
}

/* Where nothing can be kept, all goes on. */
static void a_cache_that_cannot_be_written(void **state)
{
    (void)state;
    char folder[600];
    params_verdicts *v;
    snprintf(folder, sizeof folder, "%s/sub", vk); /* below a file */
    assert_int_equal(cuzk_verdicts_new(&v, folder, NULL), CUZK_OK);
    const world w = {.published = true, .real = true, .verdicts = v};
    expect(&w, wpost, test_dir, CUZK_OK, "");
    expect(&w, wpost, test_dir, CUZK_OK, "");
    cuzk_verdicts_free(v);
}

/* B16: what reads differently each time is not called damaged. */
static void b16_unstable_reads(void **state)
{
    (void)state;
    params_verdicts *v;
    assert_int_equal(cuzk_verdicts_new(&v, "", NULL), CUZK_OK);
    const world w = {.published = true, .real = true, .streamed = true, .verdicts = v};
    atomic_store(&n_reads, 0);
    atomic_store(&spoil_every, 10); /* the tenth: in the first reading only */
    expect(&w, wpost, test_dir, CUZK_IO, "unstable reads");
    atomic_store(&spoil_every, 0);
    expect(&w, wpost, test_dir, CUZK_OK, "");
    cuzk_verdicts_free(v);
}

static void a_load_can_be_cancelled_and_watched(void **state)
{
    (void)state;
    cuzk_err err;
    groth16_srs srs;
    atomic_bool cancel = false;
    atomic_uint_least64_t done = 0, all = 0;
    const srs_watch watch = {&done, &all, &cancel};
    params_verdicts *v;
    struct stat s;
    assert_int_equal(stat(params, &s), 0);
    assert_int_equal(cuzk_verdicts_new(&v, "", NULL), CUZK_OK);
    const srs_loader l = {test_dir, pool, v, false, one_row, all_real};
    assert_int_equal(cuzk_srs_load(&srs, &l, wpost, false, &watch, NULL, &err), CUZK_OK);
    assert_int_equal(all, 2 * s.st_size);
    assert_in_range(done, 2 * s.st_size - 10000, 2 * s.st_size);
    cuzk_srs_fini(&srs);
    atomic_store(&cancel, true);
    for (int streamed = 0; streamed < 2; streamed++)
        assert_int_equal(cuzk_srs_load(&srs, &l, wpost, streamed, &watch, NULL, &err),
                         CUZK_CANCELLED);
    cuzk_verdicts_free(v);
}

/* B11, C18: no failed allocation leaves anything behind. */
static void each_allocation_fails_once(void **state)
{
    (void)state;
    unsigned n_failed = 0;
    for (uint64_t nth = 1;; nth++) {
        cuzk_err err = {0};
        params_verdicts *v;
        assert_int_equal(cuzk_verdicts_new(&v, "", NULL), CUZK_OK);
        const world w = {.published = true, .real = true, .verdicts = v};
        cuzk_mem_fail_nth(nth);
        cuzk_status st = load(&w, wpost, test_dir, &err);
        bool armed_still = st == CUZK_OK;
        cuzk_mem_fail_nth(0);
        cuzk_verdicts_free(v);
        if (armed_still)
            break;
        assert_int_equal(st, CUZK_NOMEM);
        n_failed++;
    }
    assert_in_range(n_failed, 8, 60);
}

/* ---- the table ---- */

static void table_is_that_of_parameters_json(void **state)
{
    (void)state;
    size_t n;
    const char *path = test_data("public", "parameters.json");
    if (!path) {
        print_message("SKIP: parameters.json, not found in ../shared\n");
        skip();
    }
    uint8_t *text = test_read_file(path, &n);
    unsigned n_rows = 0;
    for (size_t i = 0;; i++) {
        cuzk_circuit_entry e;
        circuit_id id;
        if (!cuzk_circuit_at(&e, i))
            break;
        assert_int_equal(cuzk_circuit_id_parse(&id, e.name, NULL), CUZK_OK);
        const params_digests *d = cuzk_params_table_find(id);
        assert_non_null(d);
        for (int k = 0; k < 2; k++) {
            char key[300];
            snprintf(key, sizeof key, "\"%s.%s\"", e.stem, k ? "vk" : "params");
            const char *at = strstr((const char *)text, key);
            assert_non_null(at);
            at = strstr(at, "\"digest\": \"") + strlen("\"digest\": \"");
            assert_memory_equal(at, k ? d->vk : d->params, 32);
        }
        n_rows++;
    }
    assert_int_equal(n_rows, 20);
    cuzk_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b19_self_made_files_are_for_small_sizes),
        cmocka_unit_test(published_files_are_accepted),
        cmocka_unit_test(b05_b12_a_wrong_digest_names_both),
        cmocka_unit_test(b05_a_flipped_bit_is_found_and_mended),
        cmocka_unit_test(b02_b04_the_key_beside_it),
        cmocka_unit_test(b04_b09_counts_of_another_circuit),
        cmocka_unit_test(b13_b14_what_is_wrong_with_the_folder),
        cmocka_unit_test(b14_precedence),
        cmocka_unit_test(a_digest_is_computed_once),
        cmocka_unit_test(a_cache_that_cannot_be_written),
        cmocka_unit_test(b16_unstable_reads),
        cmocka_unit_test(a_load_can_be_cancelled_and_watched),
        cmocka_unit_test(each_allocation_fails_once),
        cmocka_unit_test(table_is_that_of_parameters_json),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

/* Making parameters: many at once, killed midway, disks that fail, files that are there already
 * (CASES B10, B11, B12). */
#include "unit/groth16_support.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cuzk/cuzk.h"
#include "engine/params_dir.h"

static const char circuit[] = "wpost-2k";

/* ---- a disk that fails ---- */

static atomic_bool fail_fsync, fail_rename;
static atomic_uint n_made; /* renames */

int fsync(int fd)
{
    (void)fd;
    if (!atomic_load(&fail_fsync))
        return 0;
    errno = EIO;
    return -1;
}

int rename(const char *from, const char *to)
{
    static int (*real)(const char *, const char *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "rename");
    if (atomic_load(&fail_rename)) {
        errno = EIO;
        return -1;
    }
    n_made++;
    return real(from, to);
}

static cuzk_status make(cuzk_err *err)
{
    char path[CUZK_PATH_BYTES];
    return cuzk_params_make_insecure(circuit, test_dir, 1, NULL, path, err);
}

static const char *path_of(const char *ext)
{
    static char path[2][512];
    static unsigned next;
    circuit_id id;
    assert_int_equal(cuzk_circuit_id_parse(&id, circuit, NULL), CUZK_OK);
    char *p = cuzk_params_path(test_dir, id, ext), *out = path[next++ % 2];
    snprintf(out, sizeof path[0], "%s", p);
    cuzk_free(p);
    return out;
}

/* Names in the folder, and how many of them are parts. */
static unsigned count_files(unsigned *n_parts)
{
    unsigned n = 0;
    DIR *d = opendir(test_dir);
    assert_non_null(d);
    *n_parts = 0;
    for (struct dirent *e; (e = readdir(d));) {
        n += e->d_name[0] != '.';
        *n_parts += strstr(e->d_name, ".part-") != NULL;
    }
    closedir(d);
    return n;
}

static void expect_files(unsigned want)
{
    unsigned parts, n = count_files(&parts);
    assert_int_equal(n, want);
    assert_int_equal(parts, 0);
}

static int clear_folder(void **state)
{
    (void)state;
    DIR *d = opendir(test_dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] != '.')
            unlink(test_path(e->d_name));
    }
    if (d)
        closedir(d);
    return 0;
}

/* ---- many at once ---- */

typedef struct {
    cuzk_status st;
    pthread_t thread;
} maker;

static void *make_in_thread(void *ctx)
{
    ((maker *)ctx)->st = make(NULL);
    return NULL;
}

static void b10_five_at_once_make_it_once(void **state)
{
    (void)state;
    maker m[5];
    n_made = 0;
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(pthread_create(&m[i].thread, NULL, make_in_thread, &m[i]), 0);
    for (size_t i = 0; i < 5; i++) {
        pthread_join(m[i].thread, NULL);
        assert_int_equal(m[i].st, CUZK_OK);
    }
    assert_int_equal(n_made, 2); /* .params and .vk */
    expect_files(2);
    assert_int_equal(unlink(path_of("vk")), 0); /* the key is made anew from the other file */
    assert_int_equal(make(NULL), CUZK_OK);
    assert_int_equal(n_made, 3);
    expect_files(2);
}

/* B10: a killed maker leaves no lock and no file under the final name; its part is swept away. */
static void b10_killed_midway(void **state)
{
    (void)state;
    const struct timespec tick = {.tv_nsec = 200000};
    unsigned parts = 0;
    int status;
    pid_t child = fork();
    if (child == 0) {
        make(NULL);
        _exit(0);
    }
    while (parts == 0) {
        count_files(&parts);
        nanosleep(&tick, NULL);
    }
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) { /* else it was faster */
        assert_int_equal(access(path_of("vk"), F_OK), -1);
        assert_int_equal(count_files(&parts), 1);
    }
    assert_int_equal(make(NULL), CUZK_OK);
    expect_files(2);
}

/* ---- disks that fail ---- */

static void b11_nothing_stays_after_a_failure(void **state)
{
    (void)state;
    cuzk_err err;
    struct rlimit before, small;
    atomic_bool *const fault[] = {&fail_fsync, &fail_rename};
    for (size_t i = 0; i < 2; i++) {
        atomic_store(fault[i], true);
        assert_int_equal(make(&err), CUZK_IO);
        assert_int_equal(err.sys, EIO);
        assert_non_null(strstr(err.msg, ".params"));
        atomic_store(fault[i], false);
        expect_files(0);
    }
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    small = before;
    small.rlim_cur = 1 << 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(make(&err), CUZK_IO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(err.sys, EFBIG);
    expect_files(0);
    assert_int_equal(make(NULL), CUZK_OK);
    expect_files(2);
}

/* B11: a disk without room is named before any work, with both numbers. */
static void b11_no_room(void **state)
{
    (void)state;
    cuzk_err err;
    char path[CUZK_PATH_BYTES];
    struct stat s;
    if (stat("/sys/kernel", &s) != 0)
        skip();
    cuzk_status st =
        cuzk_params_make_insecure("porep-2k", "/sys/kernel", 1, NULL, path, &err); /* 0 bytes */
    assert_int_equal(st, CUZK_IO);
    if (err.sys == ENOSPC)
        assert_non_null(strstr(err.msg, "needs 1114707768 bytes, the disk has 0"));
}

/* ---- what is there already ---- */

/* Neither a published file nor a damaged one is overwritten. */
static void b12_other_files_are_left_alone(void **state)
{
    (void)state;
    cuzk_err err;
    struct stat before, after;
    size_t n;
    assert_int_equal(make(NULL), CUZK_OK);
    uint8_t *bytes = test_read_file(path_of("params"), &n);
    for (int i = 0; i < 3; i++) {
        if (i == 0)
            test_write_file(path_of("params"), bytes, n - 1);
        if (i == 1)
            test_write_file(path_of("params"), bytes, 0);
        if (i == 2) {
            memcpy(bytes, bytes + 868, 96); /* another key: alpha is a point of ic */
            test_write_file(path_of("params"), bytes, n);
        }
        assert_int_equal(stat(path_of("params"), &before), 0);
        assert_int_equal(make(&err), CUZK_EXISTS);
        assert_non_null(strstr(err.msg, "does not overwrite"));
        assert_int_equal(stat(path_of("params"), &after), 0);
        assert_int_equal(before.st_ino, after.st_ino);
        assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof before.st_mtim);
    }
    cuzk_free(bytes);
    assert_int_equal(unlink(path_of("params")), 0);
    assert_int_equal(make(&err), CUZK_EXISTS); /* a key without its parameters */
    assert_non_null(strstr(err.msg, ".vk exists"));
}

static void identify_says_whose_it_is(void **state)
{
    (void)state;
    cuzk_params_origin o;
    assert_int_equal(make(NULL), CUZK_OK);
    assert_int_equal(cuzk_params_identify(&o, path_of("params"), NULL), CUZK_OK);
    assert_string_equal(o.circuit, circuit);
    assert_string_equal(o.expected, "7610b9f82bfc88405b7a832b651ce2f6");
    assert_int_equal(strlen(o.digest), 32);
    assert_false(o.published || o.real);
    assert_int_equal(cuzk_params_identify(&o, test_path("absent"), NULL), CUZK_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(b10_five_at_once_make_it_once, clear_folder),
        cmocka_unit_test_teardown(b10_killed_midway, clear_folder),
        cmocka_unit_test_teardown(b11_nothing_stays_after_a_failure, clear_folder),
        cmocka_unit_test(b11_no_room),
        cmocka_unit_test_teardown(b12_other_files_are_left_alone, clear_folder),
        cmocka_unit_test_teardown(identify_says_whose_it_is, clear_folder),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}

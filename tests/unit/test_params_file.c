/* Parameter and key files: what is read, and every kind of damage (CASES B01 to B09). */
#include "unit/params_support.h"

static const char *const vec_names[VEC_COUNT] = {"vk (ic)",   "section h",    "section l",
                                                 "section a", "section b_g1", "section b_g2"};
static const size_t small[VEC_COUNT] = {3, 7, 5, 6, 4, 4};

static params_image image;

static int build_image(void **state)
{
    if (test_dir_make(state) != 0)
        return -1;
    params_image_build(&image, small);
    return 0;
}

static int drop_image(void **state)
{
    cuzk_free(image.bytes);
    return test_dir_remove(state);
}

typedef enum { READ_SRS, READ_VK, CHECK } reader;

static cuzk_status read_as(reader how, const char *path, cuzk_err *err)
{
    groth16_srs srs;
    groth16_vk vk;
    cuzk_status st;
    switch (how) {
    case READ_SRS:
        st = cuzk_srs_read(&srs, path, NULL, err);
        if (st == CUZK_OK)
            cuzk_srs_fini(&srs);
        return st;
    case READ_VK:
        st = cuzk_vk_read(&vk, path, err);
        if (st == CUZK_OK)
            cuzk_vk_fini(&vk);
        return st;
    case CHECK:
        break;
    }
    return cuzk_params_check(path, NULL, err);
}

static void expect_status(cuzk_status want, reader how, const void *bytes, size_t n,
                          const char *part)
{
    cuzk_err err = {0};
    uint64_t before = cuzk_mem_used();
    const char *path = test_path("bad");
    test_write_file(path, bytes, n);
    assert_int_equal(read_as(how, path, &err), want);
    assert_int_equal(err.status, want);
    if (!strstr(err.msg, part) || !strstr(err.msg, path))
        fail_msg("message \"%s\" does not name %s and the file", err.msg, part);
    assert_int_equal(cuzk_mem_used(), before);
}

/* The file is not a parameter file, or not whole. */
static void expect_refused(reader how, const void *bytes, size_t n, const char *part)
{
    expect_status(CUZK_PARAMS, how, bytes, n, part);
}

/* A point in it is damaged. */
static void expect_corrupt(reader how, const void *bytes, size_t n, const char *part)
{
    expect_status(CUZK_CORRUPT, how, bytes, n, part);
}

static void good_file_is_read(void **state)
{
    (void)state;
    groth16_srs srs;
    groth16_params_info info;
    cuzk_pool *pool = NULL;
    uint8_t enc[192];
    assert_int_equal(cuzk_pool_new(&pool, 3, "params-test", NULL), CUZK_OK);
    test_write_file(test_path("good"), image.bytes, image.n_bytes);
    assert_int_equal(cuzk_srs_read(&srs, test_path("good"), pool, NULL), CUZK_OK);
    assert_int_equal(srs.vk.n_ic, 3);
    assert_int_equal(srs.n_h, 7);
    assert_int_equal(srs.n_l, 5);
    assert_int_equal(srs.n_a, 6);
    assert_int_equal(srs.n_b, 4);
    for (size_t i = 0; i < 4; i++) {
        cuzk_g1_write(enc, &srs.b_g1[i]);
        assert_memory_equal(enc, image.bytes + image.vec_at[VEC_B1] + 96 * i, 96);
        cuzk_g2_write(enc, &srs.b_g2[i]);
        assert_memory_equal(enc, image.bytes + image.vec_at[VEC_B2] + 192 * i, 192);
    }
    cuzk_g1_write(enc, &srs.h[6]);
    assert_memory_equal(enc, image.bytes + image.vec_at[VEC_H] + 96 * 6, 96);
    assert_int_equal(cuzk_params_info(&info, test_path("good"), NULL), CUZK_OK);
    assert_int_equal(info.file_bytes, image.n_bytes);
    assert_int_equal(info.n_ic + info.n_h + info.n_l + info.n_a + info.n_b, 3 + 7 + 5 + 6 + 4);
    assert_int_equal(cuzk_params_check(test_path("good"), pool, NULL), CUZK_OK);
    cuzk_srs_fini(&srs);
    cuzk_pool_free(pool);
}

static void key_is_written_as_read(void **state)
{
    (void)state;
    groth16_vk vk;
    size_t n_vk = image.vec_at[VEC_H] - 4, n = 0;
    test_write_file(test_path("a.vk"), image.bytes, n_vk);
    assert_int_equal(cuzk_vk_read(&vk, test_path("a.vk"), NULL), CUZK_OK);
    assert_int_equal(vk.n_ic, 3);
    assert_int_equal(cuzk_vk_write(&vk, test_path("b.vk"), NULL), CUZK_OK);
    cuzk_vk_fini(&vk);
    uint8_t *again = test_read_file(test_path("b.vk"), &n);
    assert_int_equal(n, n_vk);
    assert_memory_equal(again, image.bytes, n);
    cuzk_free(again);
    assert_int_equal(cuzk_vk_read(&vk, test_path("absent.vk"), NULL), CUZK_NOT_FOUND);
    assert_int_equal(cuzk_vk_read(&vk, test_dir, NULL), CUZK_IO);
    assert_int_equal(cuzk_vk_write(&vk, test_path("no/such/dir.vk"), NULL), CUZK_IO);
}

/* Section that holds byte k (or whose count is there). */
static int section_of(size_t k)
{
    int v = 0;
    while (v + 1 < VEC_COUNT && k >= image.vec_at[v + 1] - 4)
        v++;
    return v;
}

static void b02_empty_files(void **state)
{
    (void)state;
    expect_refused(READ_SRS, image.bytes, 0, "is empty");
    expect_refused(READ_VK, image.bytes, 0, "is empty");
}

/* B01: every single length, not just a few. */
static void b01_truncated_anywhere(void **state)
{
    (void)state;
    for (size_t n = 1; n < image.n_bytes; n++)
        expect_refused(READ_SRS, image.bytes, n, vec_names[section_of(n)]);
    for (size_t n = 1; n < image.vec_at[VEC_H] - 4; n += 13)
        expect_refused(READ_VK, image.bytes, n, "vk");
}

static void b01_trailing_and_foreign_bytes(void **state)
{
    (void)state;
    uint8_t *more = cuzk_calloc(1, image.n_bytes + 1);
    memcpy(more, image.bytes, image.n_bytes);
    expect_refused(READ_SRS, more, image.n_bytes + 1, "1 bytes after its last section b_g2");
    expect_refused(READ_VK, image.bytes, image.n_bytes, "after its last section vk");
    memset(more, 'x', image.n_bytes);
    expect_refused(READ_SRS, more, image.n_bytes, "section vk");
    expect_refused(READ_VK, more, image.n_bytes, "section vk");
    cuzk_free(more);
}

/* Writes a point over element i of a vector, expects a refusal that names both, restores. */
static void expect_bad_point(reader how, int v, size_t i, const void *bytes, const char *what)
{
    size_t n = v == VEC_B2 ? 192 : 96;
    uint8_t *at = image.bytes + image.vec_at[v] + i * n, old[192];
    char part[128];
    snprintf(part, sizeof part, "%s, point %zu of %zu %s", vec_names[v], i, small[v], what);
    memcpy(old, at, n);
    memcpy(at, bytes, n);
    expect_corrupt(how, image.bytes, image.n_bytes, part);
    memcpy(at, old, n);
}

/* B05, B07: first, middle and last point of each vector. */
static void b05_b07_bad_points_are_named(void **state)
{
    (void)state;
    for (int v = 0; v < VEC_COUNT; v++) {
        size_t n = v == VEC_B2 ? 192 : 96;
        for (size_t k = 0; k < 3; k++) {
            size_t i = k * (small[v] - 1) / 2;
            uint8_t p[192];
            const uint8_t *good = image.bytes + image.vec_at[v] + i * n;
            memset(p, 0, sizeof p);
            p[0] = 0x40;
            expect_bad_point(READ_SRS, v, i, p, "is the identity");
            memset(p, 0, sizeof p); /* (0, 0), how we keep the identity in memory */
            expect_bad_point(READ_SRS, v, i, p, "is not on the curve");
            for (unsigned flag = 0x20; flag <= 0x80; flag *= 2) {
                memcpy(p, good, n);
                p[0] |= (uint8_t)flag;
                expect_bad_point(READ_SRS, v, i, p, "has flag bits");
            }
            memcpy(p, good, n);
            memset(p + n / 2, 0xff, 48);
            expect_bad_point(READ_SRS, v, i, p, "has a coordinate");
            memcpy(p, good, n);
            p[0] |= 0x1f;
            p[1] |= 0xff;
            expect_bad_point(READ_SRS, v, i, p, "has a coordinate");
        }
    }
}

/* Every bit of the coordinates of one point; the six key points have their own names. */
static void b05_any_flipped_bit_is_noticed(void **state)
{
    (void)state;
    for (size_t bit = 0; bit < 8 * 864; bit += 7) {
        image.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        expect_corrupt(READ_SRS, image.bytes, image.n_bytes, "section vk");
        image.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (int v = 0; v < VEC_COUNT; v++)
        for (size_t bit = 0; bit < 8 * (size_t)(v == VEC_B2 ? 192 : 96); bit += 5) {
            uint8_t *at = image.bytes + image.vec_at[v] + bit / 8;
            *at ^= (uint8_t)(1u << bit % 8);
            expect_corrupt(READ_SRS, image.bytes, image.n_bytes, "point 0 of");
            *at ^= (uint8_t)(1u << bit % 8);
        }
}

/* B06: the fast reader takes them, the checks do not. */
static void b06_points_outside_the_subgroup(void **state)
{
    (void)state;
    g1_affine p;
    g2_affine q;
    uint8_t g1[96], g2[192], old[96];
    off_subgroup_g1(&p);
    off_subgroup_g2(&q);
    cuzk_g1_write(g1, &p);
    cuzk_g2_write(g2, &q);
    for (int v = 0; v < VEC_COUNT; v++)
        expect_bad_point(CHECK, v, small[v] - 1, v == VEC_B2 ? g2 : g1, "is not in the subgroup");
    expect_bad_point(READ_SRS, VEC_IC, 1, g1, "is not in the subgroup");
    memcpy(old, image.bytes, 96);
    memcpy(image.bytes, g1, 96);
    expect_corrupt(READ_VK, image.bytes, image.vec_at[VEC_H] - 4,
                   "alpha_g1 is not in the subgroup");
    memcpy(image.bytes, old, 96);
}

static void expect_bad_counts(const size_t n[VEC_COUNT], const char *part)
{
    params_image im;
    params_image_build(&im, n);
    expect_refused(READ_SRS, im.bytes, im.n_bytes, part);
    cuzk_free(im.bytes);
}

/* B04, B09 */
static void b04_b09_impossible_counts(void **state)
{
    (void)state;
    expect_bad_counts((const size_t[]){3, 6, 5, 6, 4, 4}, "section h has 6 points");
    expect_bad_counts((const size_t[]){3, 8, 5, 6, 4, 4}, "here 7 or 15");
    expect_bad_counts((const size_t[]){3, 7, 5, 6, 4, 3}, "section b_g1 has 4 points");
    expect_bad_counts((const size_t[]){0, 7, 5, 6, 4, 4}, "no points");
    uint8_t *count = image.bytes + 864, old[4];
    memcpy(old, count, 4);
    memset(count, 0xff, 4);
    expect_refused(READ_VK, image.bytes, image.n_bytes, "section vk (ic) needs 412316861");
    memcpy(count, old, 4);
}

static void failed_allocations(void **state)
{
    (void)state;
    test_write_file(test_path("good"), image.bytes, image.n_bytes);
    uint64_t before = cuzk_mem_used();
    for (uint64_t nth = 1; nth <= 6; nth++) {
        groth16_srs srs;
        cuzk_mem_fail_nth(nth);
        assert_int_equal(cuzk_srs_read(&srs, test_path("good"), NULL, NULL), CUZK_NOMEM);
        cuzk_mem_fail_nth(0);
        assert_int_equal(cuzk_mem_used(), before);
    }
}

/* Keys made by the established stack come out byte for byte. */
static void established_keys(void **state)
{
    (void)state;
    if (test_skip_without_data())
        return;
    const char *dir_path = test_data("", "vk");
    DIR *dir = opendir(dir_path);
    assert_non_null(dir);
    size_t n_read = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        char path[1400];
        size_t n, m;
        groth16_vk vk;
        if (!strstr(e->d_name, ".vk"))
            continue;
        snprintf(path, sizeof path, "%s/%s", dir_path, e->d_name);
        assert_int_equal(cuzk_vk_read(&vk, path, NULL), CUZK_OK);
        assert_int_equal(cuzk_vk_write(&vk, test_path("c.vk"), NULL), CUZK_OK);
        cuzk_vk_fini(&vk);
        uint8_t *want = test_read_file(path, &n), *got = test_read_file(test_path("c.vk"), &m);
        assert_int_equal(n, m);
        assert_memory_equal(want, got, n);
        cuzk_free(got);
        cuzk_free(want);
        n_read++;
    }
    closedir(dir);
    assert_true(n_read >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_file_is_read),
        cmocka_unit_test(key_is_written_as_read),
        cmocka_unit_test(b02_empty_files),
        cmocka_unit_test(b01_truncated_anywhere),
        cmocka_unit_test(b01_trailing_and_foreign_bytes),
        cmocka_unit_test(b05_b07_bad_points_are_named),
        cmocka_unit_test(b05_any_flipped_bit_is_noticed),
        cmocka_unit_test(b06_points_outside_the_subgroup),
        cmocka_unit_test(b04_b09_impossible_counts),
        cmocka_unit_test(failed_allocations),
        cmocka_unit_test(established_keys),
    };
    return cmocka_run_group_tests(tests, build_image, drop_image);
}

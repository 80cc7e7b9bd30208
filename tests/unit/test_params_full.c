/* Long tier: the subgroup check by random buckets, which takes over from 40,960 points a section.
 */
#include "unit/params_support.h"

#include "base/clock.h"

enum { MANY = 41000 };

static cuzk_status check(const params_image *im, cuzk_err *err)
{
    cuzk_pool *pool = NULL;
    assert_int_equal(cuzk_pool_new(&pool, 0, "params-test", NULL), CUZK_OK);
    test_write_file(test_path("many"), im->bytes, im->n_bytes);
    uint64_t begin = cuzk_now_ns();
    cuzk_status st = cuzk_params_check(test_path("many"), pool, err);
    print_message("checked in %.1f s\n", (double)(cuzk_now_ns() - begin) * 1e-9);
    cuzk_pool_free(pool);
    return st;
}

static void expect_named(const params_image *im, int vec, size_t i, const void *point, size_t n,
                         const char *part)
{
    cuzk_err err = {0};
    uint8_t old[192], *at = im->bytes + im->vec_at[vec] + i * n;
    memcpy(old, at, n);
    memcpy(at, point, n);
    assert_int_equal(check(im, &err), CUZK_CORRUPT);
    assert_non_null(strstr(err.msg, part));
    memcpy(at, old, n);
}

static void single_bad_points_are_found(void **state)
{
    (void)state;
    const size_t n[VEC_COUNT] = {2, 1, MANY, 3, MANY, MANY};
    params_image im;
    g1_affine p;
    g2_affine q;
    uint8_t g1[96], g2[192];
    off_subgroup_g1(&p);
    off_subgroup_g2(&q);
    cuzk_g1_write(g1, &p);
    cuzk_g2_write(g2, &q);
    params_image_build(&im, n);
    assert_int_equal(check(&im, NULL), CUZK_OK);
    expect_named(&im, VEC_L, 12345, g1, 96, "section l, point 12345 of 41000 is not in the sub");
    expect_named(&im, VEC_B2, MANY - 1, g2, 192, "section b_g2, point 40999 of 41000 is not in");
    cuzk_free(im.bytes);
}

/* Two bad points whose sum is good: every bucket but a shared one betrays them. */
static void cancelling_bad_points_are_found(void **state)
{
    (void)state;
    const size_t n[VEC_COUNT] = {2, 1, MANY, 3, 4, 4};
    params_image im;
    g1_affine p;
    uint8_t g1[96];
    off_subgroup_g1(&p);
    params_image_build(&im, n);
    cuzk_g1_write(im.bytes + im.vec_at[VEC_L] + 96 * 7, &p);
    cuzk_g1_affine_neg(&p, &p);
    cuzk_g1_write(g1, &p);
    expect_named(&im, VEC_L, 8, g1, 96, "section l, point 7 of 41000");
    cuzk_free(im.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_bad_points_are_found),
        cmocka_unit_test(cancelling_bad_points_are_found),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}

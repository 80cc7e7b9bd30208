/* The long ones: 32 and 64 GiB, all partitions, through our own checks; digests of the reference
 * generator's files (spec circuits.md 9.7, Python model). */
#include "unit/synth_support.h"

#include "base/compiler.h"
#include "base/hash.h"

typedef struct {
    const char *circuit;
    uint64_t seed;
    size_t n_sectors;
    const char *file, *sha256; /* NULL: nothing published */
} long_case;

static const long_case long_cases[] = {
    {"porep-32g", 0, 0, "c1.json",
     "e632394c94906ddf146e3926192af0abb1ee514a12b37c398cee3609a78b1bd9"},
    {"porep-32g", 3, 0, NULL, NULL},
    {"porep-64g", 0, 0, NULL, NULL},
    {"porep-64g", 4, 0, NULL, NULL},
    {"snap-512m", 5, 0, NULL, NULL},
    {"snap-32g", 0, 0, "partition-0.vanilla",
     "5ee7ee37965fa663f8a5c704236a4522e45c216e06c8b55abb443345e37f7cb3"},
    {"snap-32g", 0, 0, "partition-15.vanilla",
     "8233c040f14afe16f91cfb13035eaf724496df290b93971cfb11e20da08988fd"},
    {"snap-64g", 6, 0, NULL, NULL},
    {"wpost-32g", 7, 200, NULL, NULL},
    {"wpost-64g", 8, 200, NULL, NULL},
};

static void assert_digest(const char *name, const char *want)
{
    uint8_t *bytes, digest[32];
    char hex[65];
    size_t n;
    assert_int_equal(cuzk_file_read(&bytes, &n, scratch_path(name), 64 << 20, NULL), CUZK_OK);
    cuzk_sha256(digest, bytes, n);
    cuzk_hex_encode(hex, digest, 32);
    cuzk_free(bytes);
    assert_string_equal(hex, want);
}

static void long_requests_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(long_cases); i++) {
        const long_case *c = &long_cases[i];
        cuzk_synth_options opt = CUZK_SYNTH_OPTIONS_DEFAULTS;
        cuzk_err err;
        char file[64];
        opt.seed = c->seed;
        opt.n_sectors = c->n_sectors;
        generate(c->circuit, "made", &opt);
        if (c->file) {
            snprintf(file, sizeof file, "made/%s", c->file);
            assert_digest(file, c->sha256);
        }
        if (check_request("made", &err) != CUZK_OK)
            fail_msg("%s, seed %llu: %s", c->circuit, (unsigned long long)c->seed, err.msg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(long_requests_hold)};
    return cmocka_run_group_tests_name("synth, long", tests, make_scratch, remove_scratch);
}

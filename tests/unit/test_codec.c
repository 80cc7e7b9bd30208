/* Point encodings: round trips, every kind of malformed input, real verifying keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/cpu.h"
#include "base/hex.h"
#include "curve/codec.h"

static const char modulus_hex[] = "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf"
                                  "6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";

static void scalar_from_seed(fr_canon *k, uint64_t i)
{
    fr t;
    cuzk_fr_from_u64(&t, i + 3);
    cuzk_fr_pow_u64(&t, &t, 77);
    cuzk_fr_to_canon(k, &t);
}

static g1_affine g1_sample(uint64_t i)
{
    fr_canon k;
    g1_jac p;
    g1_affine a;
    scalar_from_seed(&k, i);
    cuzk_g1_from_affine(&p, &cuzk_g1_generator);
    cuzk_g1_mul(&p, &p, &k);
    cuzk_g1_to_affine(&a, &p);
    return a;
}

static g2_affine g2_sample(uint64_t i)
{
    fr_canon k;
    g2_jac p;
    g2_affine a;
    scalar_from_seed(&k, i);
    cuzk_g2_from_affine(&p, &cuzk_g2_generator);
    cuzk_g2_mul(&p, &p, &k);
    cuzk_g2_to_affine(&a, &p);
    return a;
}

static void round_trips(void **state)
{
    (void)state;
    int larger = 0;
    for (uint64_t i = 0; i < 20; i++) {
        uint8_t b[192];
        g1_affine p = g1_sample(i), pr;
        g2_affine q = g2_sample(i), qr;
        cuzk_g1_write(b, &p);
        assert_int_equal(cuzk_g1_read(&pr, b), POINT_OK);
        assert_memory_equal(&p, &pr, sizeof p);
        cuzk_g1_write_compressed(b, &p);
        larger += (b[0] & 0x20) != 0;
        assert_int_equal(cuzk_g1_read_compressed_checked(&pr, b), POINT_OK);
        assert_memory_equal(&p, &pr, sizeof p);
        b[0] ^= 0x20; /* the other root */
        assert_int_equal(cuzk_g1_read_compressed_checked(&pr, b), POINT_OK);
        cuzk_g1_affine_neg(&pr, &pr);
        assert_memory_equal(&p, &pr, sizeof p);

        cuzk_g2_write(b, &q);
        assert_int_equal(cuzk_g2_read(&qr, b), POINT_OK);
        assert_memory_equal(&q, &qr, sizeof q);
        cuzk_g2_write_compressed(b, &q);
        assert_int_equal(cuzk_g2_read_compressed_checked(&qr, b), POINT_OK);
        assert_memory_equal(&q, &qr, sizeof q);
        b[0] ^= 0x20;
        assert_int_equal(cuzk_g2_read_compressed_checked(&qr, b), POINT_OK);
        cuzk_g2_affine_neg(&qr, &qr);
        assert_memory_equal(&q, &qr, sizeof q);
    }
    assert_in_range(larger, 1, 19); /* both signs were met */
}

static void identity(void **state)
{
    (void)state;
    static const uint8_t zeros[192];
    uint8_t b[192];
    g1_affine p = {{{0}}, {{0}}}, pr;
    g2_affine q = {{{{0}}, {{0}}}, {{{0}}, {{0}}}}, qr;
    cuzk_g1_write(b, &p);
    assert_int_equal(b[0], 0x40);
    assert_memory_equal(b + 1, zeros, 95);
    assert_int_equal(cuzk_g1_read(&pr, b), POINT_OK);
    assert_true(g1_affine_is_identity(&pr));
    cuzk_g2_write(b, &q);
    assert_int_equal(b[0], 0x40);
    assert_memory_equal(b + 1, zeros, 191);
    assert_int_equal(cuzk_g2_read(&qr, b), POINT_OK);
    assert_true(g2_affine_is_identity(&qr));
    cuzk_g1_write_compressed(b, &p);
    assert_int_equal(b[0], 0xc0);
    assert_memory_equal(b + 1, zeros, 47);
    assert_int_equal(cuzk_g1_read_compressed_checked(&pr, b), POINT_OK);
    assert_true(g1_affine_is_identity(&pr));
    cuzk_g2_write_compressed(b, &q);
    assert_int_equal(b[0], 0xc0);
    assert_memory_equal(b + 1, zeros, 95);
    assert_int_equal(cuzk_g2_read_compressed_checked(&qr, b), POINT_OK);
    assert_true(g2_affine_is_identity(&qr));
}

/* The four readers behind one signature. */
static point_status read_g1(const uint8_t *b)
{
    g1_affine p;
    return cuzk_g1_read(&p, b);
}

static point_status read_g2(const uint8_t *b)
{
    g2_affine p;
    return cuzk_g2_read(&p, b);
}

static point_status read_g1c(const uint8_t *b)
{
    g1_affine p;
    return cuzk_g1_read_compressed_checked(&p, b);
}

static point_status read_g2c(const uint8_t *b)
{
    g2_affine p;
    return cuzk_g2_read_compressed_checked(&p, b);
}

typedef struct {
    size_t n;
    unsigned compressed;
    point_status (*read)(const uint8_t *b);
} codec;

static const codec codecs[] = {
    {96, 0, read_g1}, {192, 0, read_g2}, {48, 0x80, read_g1c}, {96, 0x80, read_g2c}};

static void valid_bytes(uint8_t *b, const codec *c)
{
    g1_affine p = g1_sample(1);
    g2_affine q = g2_sample(1);
    if (c->read == read_g1)
        cuzk_g1_write(b, &p);
    else if (c->read == read_g1c)
        cuzk_g1_write_compressed(b, &p);
    else if (c->read == read_g2)
        cuzk_g2_write(b, &q);
    else
        cuzk_g2_write_compressed(b, &q);
}

static void wrong_flags(void **state)
{
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(codecs); i++) {
        const codec *c = &codecs[i];
        uint8_t b[192];
        valid_bytes(b, c);
        assert_int_equal(c->read(b), POINT_OK);
        b[0] ^= 0x80;
        assert_int_equal(c->read(b), POINT_BAD_FLAGS);
        b[0] ^= 0x80;
        b[0] |= 0x40; /* infinity with a coordinate */
        assert_int_equal(c->read(b), POINT_BAD_FLAGS);
        if (!c->compressed) {
            valid_bytes(b, c);
            b[0] |= 0x20;
            assert_int_equal(c->read(b), POINT_BAD_FLAGS);
        }
        for (size_t j = 0; j < c->n; j++) { /* infinity with one stray bit, the sign included */
            memset(b, 0, c->n);
            b[0] = (uint8_t)(c->compressed | 0x40);
            b[j] |= j ? 1 : 0x20;
            assert_int_equal(c->read(b), POINT_BAD_FLAGS);
        }
    }
}

/* Each coordinate in turn: p, p + its value where that fits, and all ones. */
static void not_canonical(void **state)
{
    (void)state;
    uint8_t modulus[48];
    assert_true(cuzk_hex_decode(modulus, 48, modulus_hex));
    for (size_t i = 0; i < CUZK_ARRAY_LEN(codecs); i++) {
        for (size_t at = 0; at < codecs[i].n; at += 48) {
            uint8_t b[192];
            valid_bytes(b, &codecs[i]);
            memcpy(b + at, modulus, 48);
            b[0] |= (uint8_t)codecs[i].compressed;
            assert_int_equal(codecs[i].read(b), POINT_NOT_CANONICAL);
            memset(b + at, 0xff, 48);
            if (at == 0)
                b[0] = (uint8_t)(codecs[i].compressed | 0x1f);
            assert_int_equal(codecs[i].read(b), POINT_NOT_CANONICAL);
        }
    }
}

static void off_curve(void **state)
{
    (void)state;
    uint8_t b[192];
    for (size_t i = 0; i < 2; i++) {
        valid_bytes(b, &codecs[i]);
        b[codecs[i].n - 1] ^= 1;
        assert_int_equal(codecs[i].read(b), POINT_NOT_ON_CURVE);
        memset(b, 0, sizeof b); /* (0, 0) without the infinity flag */
        assert_int_equal(codecs[i].read(b), POINT_NOT_ON_CURVE);
    }
    /* x = 1 (G1: 1 + 4 = 5 is no square) and some x of G2 */
    memset(b, 0, sizeof b);
    b[0] = 0x80;
    b[47] = 1;
    assert_int_equal(read_g1c(b), POINT_NOT_ON_CURVE);
    int off = 0;
    for (uint8_t x = 0; x < 32; x++) {
        memset(b, 0, sizeof b);
        b[0] = 0x80;
        b[95] = x;
        point_status st = read_g2c(b);
        assert_true(st == POINT_NOT_ON_CURVE || st == POINT_NOT_IN_SUBGROUP);
        off += st == POINT_NOT_ON_CURVE;
    }
    assert_in_range(off, 5, 27);
}

static void outside_subgroup(void **state)
{
    (void)state;
    uint8_t b[96] = {0x80}; /* x = 0: y = 2, a point of order 3 */
    assert_int_equal(read_g1c(b), POINT_NOT_IN_SUBGROUP);
    memset(b, 0, sizeof b);
    b[47] = 0; /* uncompressed: on the curve is enough */
    b[95] = 2;
    assert_int_equal(read_g1(b), POINT_OK);
}

#define N_RUN 35

/* The eight-lane readers: same points, in place and apart; every fault in every position of a group
 * ends the run at the group that has it. */
static void runs_g1(void **state)
{
    (void)state;
    static uint8_t bytes[N_RUN * 96];
    g1_affine want[N_RUN], got[N_RUN];
    size_t full = cuzk_cpu_lanes() ? N_RUN / 8 * 8 : 0;
    for (size_t i = 0; i < N_RUN; i++) {
        want[i] = g1_sample(i);
        cuzk_g1_write(bytes + 96 * i, &want[i]);
    }
    assert_int_equal(cuzk_g1_read_run(got, bytes, N_RUN), full);
    assert_memory_equal(got, want, full * sizeof got[0]);
    memcpy(got, bytes, sizeof got);
    assert_int_equal(cuzk_g1_read_run(got, (const uint8_t *)got, N_RUN), full);
    assert_memory_equal(got, want, full * sizeof got[0]);
    assert_int_equal(cuzk_g1_read_run(got, bytes, 7), 0);
    assert_int_equal(cuzk_g1_read_run(got, bytes, 0), 0);
    for (size_t i = 0; i < full; i++) {
        static const uint8_t flips[][2] = {{0, 0x80},  {0, 0x40}, {0, 0x20},
                                           {48, 0x20}, {95, 1},   {20, 4}};
        for (size_t k = 0; k < CUZK_ARRAY_LEN(flips); k++) {
            uint8_t *at = bytes + 96 * i + flips[k][0];
            *at ^= flips[k][1];
            assert_int_equal(cuzk_g1_read_run(got, bytes, N_RUN), i / 8 * 8);
            *at ^= flips[k][1];
        }
        uint8_t saved[96]; /* infinity, then (0, 0) without the flag, then x + p */
        memcpy(saved, bytes + 96 * i, 96);
        memset(bytes + 96 * i, 0, 96);
        assert_int_equal(cuzk_g1_read_run(got, bytes, N_RUN), i / 8 * 8);
        bytes[96 * i] = 0x40;
        assert_int_equal(cuzk_g1_read_run(got, bytes, N_RUN), i / 8 * 8);
        memcpy(bytes + 96 * i, saved, 96);
        assert_true(cuzk_hex_decode(bytes + 96 * i, 48, modulus_hex));
        unsigned carry = 0;
        for (int j = 47; j >= 0; j--) {
            carry += (unsigned)bytes[96 * i + (size_t)j] + saved[j];
            bytes[96 * i + (size_t)j] = (uint8_t)carry;
            carry >>= 8;
        }
        assert_int_equal(cuzk_g1_read_run(got, bytes, N_RUN), i / 8 * 8);
        memcpy(bytes + 96 * i, saved, 96);
    }
}

static void runs_g2(void **state)
{
    (void)state;
    static uint8_t bytes[N_RUN * 192];
    g2_affine want[N_RUN], got[N_RUN];
    size_t full = cuzk_cpu_lanes() ? N_RUN / 8 * 8 : 0;
    for (size_t i = 0; i < N_RUN; i++) {
        want[i] = g2_sample(i);
        cuzk_g2_write(bytes + 192 * i, &want[i]);
    }
    assert_int_equal(cuzk_g2_read_run(got, bytes, N_RUN), full);
    assert_memory_equal(got, want, full * sizeof got[0]);
    memcpy(got, bytes, sizeof got);
    assert_int_equal(cuzk_g2_read_run(got, (const uint8_t *)got, N_RUN), full);
    assert_memory_equal(got, want, full * sizeof got[0]);
    for (size_t i = 0; i < full; i++) {
        for (size_t at = 192 * i; at < 192 * (i + 1); at += 48) { /* each coordinate: ends, flag */
            bytes[at + 47] ^= 1;
            assert_int_equal(cuzk_g2_read_run(got, bytes, N_RUN), i / 8 * 8);
            bytes[at + 47] ^= 1;
            bytes[at] ^= 0x20;
            assert_int_equal(cuzk_g2_read_run(got, bytes, N_RUN), i / 8 * 8);
            bytes[at] ^= 0x20;
        }
    }
}

static void status_texts(void **state)
{
    (void)state;
    for (int i = POINT_OK; i <= POINT_NOT_IN_SUBGROUP + 1; i++)
        assert_non_null(cuzk_point_status_text((point_status)i));
    assert_string_equal(cuzk_point_status_text(POINT_NOT_ON_CURVE), "is not on the curve");
}

/* Reads points at offsets of a .vk file (formats.md 7.2) and writes them back to the same bytes. */
static void check_vk(const uint8_t *b, size_t n)
{
    static const struct {
        size_t at;
        bool g2;
    } fixed[] = {{0, false}, {96, false}, {192, true}, {384, true}, {576, false}, {672, true}};
    uint8_t back[192];
    g1_affine p;
    g2_affine q;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(fixed); i++) {
        const uint8_t *at = b + fixed[i].at;
        if (fixed[i].g2) {
            assert_int_equal(cuzk_g2_read(&q, at), POINT_OK);
            assert_true(cuzk_g2_affine_in_subgroup(&q));
            cuzk_g2_write(back, &q);
            assert_memory_equal(back, at, 192);
        } else {
            assert_int_equal(cuzk_g1_read(&p, at), POINT_OK);
            assert_true(cuzk_g1_affine_in_subgroup(&p));
            cuzk_g1_write(back, &p);
            assert_memory_equal(back, at, 96);
        }
    }
    for (size_t at = 868; at + 96 <= n && at < 868 + 96 * 200; at += 96) {
        assert_int_equal(cuzk_g1_read(&p, b + at), POINT_OK);
        assert_true(cuzk_g1_affine_in_subgroup(&p));
    }
}

static void real_verifying_keys(void **state)
{
    (void)state;
    static uint8_t b[1 << 16];
    char path[1024];
    const char *shared = getenv("CUZK_SHARED");
    snprintf(path, sizeof path, "%s/fixtures/vk", shared ? shared : "../shared");
    DIR *d = opendir(path);
    if (!d) {
        printf("SKIP: no verifying keys in %s\n", path);
        skip();
    }
    int n_files = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (!strstr(e->d_name, ".vk"))
            continue;
        snprintf(path, sizeof path, "%s/fixtures/vk/%s", shared ? shared : "../shared", e->d_name);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        size_t n = fread(b, 1, sizeof b, f);
        fclose(f);
        assert_true(n >= 868 + 96);
        check_vk(b, n);
        n_files++;
    }
    closedir(d);
    assert_true(n_files > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),  cmocka_unit_test(identity),
        cmocka_unit_test(wrong_flags),  cmocka_unit_test(not_canonical),
        cmocka_unit_test(off_curve),    cmocka_unit_test(outside_subgroup),
        cmocka_unit_test(status_texts), cmocka_unit_test(real_verifying_keys),
        cmocka_unit_test(runs_g1),      cmocka_unit_test(runs_g2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/hex.h"
#include "base/mem.h"
#include "base/pool.h"

static void status_names_and_codes(void **state)
{
    (void)state;
    assert_string_equal(cuzk_status_name(CUZK_INVAL), "INVAL");
    assert_int_equal(cuzk_status_exit_code(CUZK_PARAMS), 4);
    assert_int_equal(cuzk_status_exit_code((cuzk_status)999), 70);
    cuzk_err err;
    assert_int_equal(cuzk_fail(&err, CUZK_INVAL, 0, "x = %d", 7), CUZK_INVAL);
    cuzk_err_prefix(&err, CUZK_INVAL, "file %s", "a");
    assert_string_equal(err.msg, "file a: x = 7");
}

static void hex_round_trip(void **state)
{
    (void)state;
    uint8_t b[3];
    char text[7];
    assert_true(cuzk_hex_decode(b, 3, "00fFa1"));
    cuzk_hex_encode(text, b, 3);
    assert_string_equal(text, "00ffa1");
    assert_false(cuzk_hex_decode(b, 3, "00ffa"));
    assert_false(cuzk_hex_decode(b, 3, "00ffa1b"));
    assert_false(cuzk_hex_decode(b, 3, "00ffg1"));
}

/* FIPS 180-4 and RFC 7693 vectors for "abc". */
static void digests(void **state)
{
    (void)state;
    uint8_t d[64];
    char text[129];
    cuzk_sha256(d, "abc", 3);
    cuzk_hex_encode(text, d, 32);
    assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    cuzk_hash *h = cuzk_hash_new(CUZK_HASH_BLAKE2S256);
    for (int round = 0; round < 2; round++) { /* finish resets */
        cuzk_hash_update(h, "a", 1);
        cuzk_hash_update(h, "bc", 2);
        cuzk_hash_finish(h, d);
        cuzk_hex_encode(text, d, 32);
        assert_string_equal(text,
                            "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982");
    }
    cuzk_hash_free(h);
    cuzk_blake2b512(d, "abc", 3);
    cuzk_hex_encode(text, d, 8);
    assert_string_equal(text, "ba80a53f981c4d0d");
}

typedef struct {
    atomic_int hit[1000];
} counters;

static void count_hit(void *ctx, size_t index, unsigned worker)
{
    (void)worker;
    atomic_fetch_add(&((counters *)ctx)->hit[index], 1);
}

static void pool_runs_each_index_once(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
        cuzk_pool *pool;
        assert_int_equal(cuzk_pool_new(&pool, n_threads, "test", NULL), CUZK_OK);
        counters c;
        memset(&c, 0, sizeof c);
        cuzk_pool_run(pool, 1000, count_hit, &c);
        for (int i = 0; i < 1000; i++)
            assert_int_equal(c.hit[i], 1);
        cuzk_pool_free(pool);
    }
    cuzk_pool *pool;
    cuzk_err err;
    assert_int_equal(cuzk_pool_new(&pool, 1000000, "test", &err), CUZK_INVAL);
}

static void allocation_can_be_told_to_fail(void **state)
{
    (void)state;
    uint64_t before = cuzk_mem_used();
    cuzk_mem_fail_nth(2);
    void *a = cuzk_malloc(10), *b = cuzk_malloc(10), *c = cuzk_malloc((size_t)3 << 20);
    assert_non_null(a);
    assert_null(b);
    assert_non_null(c);
    assert_int_equal(cuzk_mem_used() - before, 10 + ((uint64_t)3 << 20));
    cuzk_free(a);
    cuzk_free(c);
    assert_int_equal(cuzk_mem_used(), before);
    assert_null(cuzk_malloc_array(SIZE_MAX, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_names_and_codes),
        cmocka_unit_test(hex_round_trip),
        cmocka_unit_test(digests),
        cmocka_unit_test(pool_runs_each_index_once),
        cmocka_unit_test(allocation_can_be_told_to_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

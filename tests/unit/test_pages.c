/* Kept page ranges: contents, merging, reuse and return, with a model of who owns which bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "base/pages.h"
#include "base/warm.h"

#define MIB ((size_t)1 << 20)

#ifdef __SANITIZE_ADDRESS__
#define KEEPS false /* freed ranges go back at once, see pages.c */
#else
#define KEEPS true
#endif

static bool all_bytes(const uint8_t *p, size_t n, uint8_t value)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != value)
            return false;
    return true;
}

/* Blocks of many sizes, taken and given in disorder, never overlap and keep their bytes. */
static void blocks_keep_their_bytes(void **state)
{
    (void)state;
    enum { N = 40, STEPS = 2000 };
    uint8_t *p[N] = {NULL};
    size_t size[N] = {0};
    uint32_t seed = 20261129;
    printf("seed %u\n", seed);
    for (unsigned step = 0; step < STEPS; step++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned i = (seed >> 8) % N;
        if (p[i]) {
            assert_true(all_bytes(p[i], size[i], (uint8_t)(i + 1)));
            cuzk_pages_give(p[i], size[i]);
            p[i] = NULL;
            continue;
        }
        bool zero;
        size[i] = PAGES_BYTES * (1 + (seed >> 16) % 100);
        p[i] = cuzk_pages_take(size[i], &zero);
        assert_non_null(p[i]);
        if (zero)
            assert_true(all_bytes(p[i], size[i], 0));
        memset(p[i], (int)(i + 1), size[i]);
    }
    for (unsigned i = 0; i < N; i++)
        if (p[i])
            cuzk_pages_give(p[i], size[i]);
}

/* Three neighbours given in any order make one range again. */
static void neighbours_merge(void **state)
{
    static const unsigned order[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    (void)state;
    for (size_t o = 0; KEEPS && o < CUZK_ARRAY_LEN(order); o++) {
        bool zero;
        uint8_t *all, *again;
        cuzk_pages_trim();
        all = cuzk_pages_take(96 * MIB, &zero);
        assert_true(zero);
        cuzk_pages_give(all, 96 * MIB);
        uint8_t *part[3];
        for (int i = 0; i < 3; i++)
            part[i] = cuzk_pages_take(32 * MIB, &zero);
        assert_false(zero);
        assert_int_equal(cuzk_pages_kept(), 0);
        for (int i = 0; i < 3; i++)
            cuzk_pages_give(part[order[o][i]], 32 * MIB);
        again = cuzk_pages_take(96 * MIB, &zero);
        assert_ptr_equal(all, again);
        cuzk_pages_give(again, 96 * MIB);
    }
}

static void trim_returns_all(void **state)
{
    bool zero;
    (void)state;
    void *p = cuzk_pages_take(3 * MIB, &zero);
    cuzk_pages_give(p, 3 * MIB);
    assert_true(!KEEPS || cuzk_pages_kept() >= 3 * MIB);
    cuzk_pages_trim();
    assert_int_equal(cuzk_pages_kept(), 0);
}

/* calloc is zero on a range that was used before. */
static void calloc_clears(void **state)
{
    (void)state;
    uint8_t *p = cuzk_malloc(5 * MIB);
    memset(p, 0xa5, 5 * MIB);
    cuzk_free(p);
    p = cuzk_calloc(5, MIB);
    assert_true(all_bytes(p, 5 * MIB, 0));
    cuzk_free(p);
}

/* Blocks come from what is made present meanwhile, and are zero; a second time there is nothing to
 * do. */
static void warmed_pages_serve(void **state)
{
    (void)state;
    cuzk_pages_trim();
    mem_warmer w = {.started = false}, again = {.started = false};
    cuzk_warm_begin(&w, 24 * MIB);
    while (cuzk_pages_kept() < 24 * MIB) /* until it is mapped, in one piece */
        cuzk_spin_pause();
    uint8_t *p = cuzk_calloc(8, MIB), *q = cuzk_calloc(15, MIB);
    assert_true(q > p && q < p + 9 * MIB);
    memset(p, 0x5a, 8 * MIB);
    assert_true(all_bytes(q, 15 * MIB, 0));
    cuzk_warm_end(&w);
    assert_true(all_bytes(p, 8 * MIB, 0x5a));
    cuzk_free(p);
    uint64_t kept = cuzk_pages_kept();
    cuzk_warm_begin(&again, 64 * MIB);
    cuzk_warm_end(&again);
    assert_true(!KEEPS || cuzk_pages_kept() == kept);
    cuzk_free(q);
}

static void impossible_sizes(void **state)
{
    bool zero;
    (void)state;
    assert_null(cuzk_pages_take((size_t)1 << 62, &zero));
    assert_null(cuzk_malloc(SIZE_MAX));
    assert_null(cuzk_malloc(SIZE_MAX / 2));
    void *p = cuzk_malloc(MIB); /* and it goes on */
    assert_non_null(p);
    cuzk_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_keep_their_bytes), cmocka_unit_test(neighbours_merge),
        cmocka_unit_test(trim_returns_all),        cmocka_unit_test(calloc_clears),
        cmocka_unit_test(impossible_sizes),        cmocka_unit_test(warmed_pages_serve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

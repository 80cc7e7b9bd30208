/* Shared by test_ntt.c and test_ntt_full.c: random vectors and a plan that must exist. */
#ifndef CUZK_TEST_NTT_SUPPORT_H
#define CUZK_TEST_NTT_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "ntt/ntt.h"

/* SplitMix64 (Steele, Lea, Flood 2014): a fixed seed, so that a failure repeats. */
static inline uint64_t test_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline void test_random_fr(fr *r, uint64_t *seed)
{
    fr_canon c;
    for (int i = 0; i < 4; i++)
        c.l[i] = test_random(seed);
    cuzk_fr_from_canon(r, &c);
}

static inline fr *test_vector(size_t n, uint64_t seed)
{
    fr *x = CUZK_NEW_ARRAY(fr, n);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        test_random_fr(&x[i], &seed);
    return x;
}

static inline ntt_plan *test_plan(unsigned lg_n, cuzk_pool *pool)
{
    ntt_plan *plan = NULL;
    assert_int_equal(cuzk_ntt_plan_new(&plan, lg_n, pool, NULL), CUZK_OK);
    return plan;
}

static inline size_t test_reverse_bits(size_t x, unsigned lg)
{
    size_t r = 0;
    for (unsigned i = 0; i < lg; i++)
        r |= (x >> i & 1) << (lg - 1 - i);
    return r;
}

#endif

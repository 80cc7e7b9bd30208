/* Seeded randomness for the tests of sums. */
#ifndef MSM_RANDOM_H
#define MSM_RANDOM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field/fr.h"

static uint64_t test_seed = 20261129, test_state;

/* CUZK_TEST_SEED in the environment replaces the seed, CUZK_TEST_FILTER selects tests by name. */
static void test_init(void)
{
    const char *text = getenv("CUZK_TEST_SEED");
    if (text)
        test_seed = strtoull(text, NULL, 10);
    cmocka_set_test_filter(getenv("CUZK_TEST_FILTER"));
    test_state = test_seed;
    printf("seed %llu\n", (unsigned long long)test_seed);
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t random_u64(void)
{
    uint64_t z = test_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static fr random_fr(void)
{
    uint8_t b[32];
    fr r;
    for (int i = 0; i < 4; i++) {
        uint64_t x = random_u64();
        memcpy(&b[8 * i], &x, 8);
    }
    cuzk_fr_from_bytes_mod(&r, b);
    return r;
}

static fr_canon random_scalar(void)
{
    fr_canon k;
    fr r = random_fr();
    cuzk_fr_to_canon(&k, &r);
    return k;
}

#endif

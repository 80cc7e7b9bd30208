/* What the tests of sums share: pools, scalars and points of every odd kind. */
#ifndef MSM_COMMON_H
#define MSM_COMMON_H

#include "unit/msm_random.h"

#include "base/mem.h"
#include "msm/msm.h"
#include "msm/msm_plan.h"

static fr_canon *random_scalars(size_t n)
{
    fr_canon *k = calloc(n + 1, sizeof *k);
    for (size_t i = 0; i < n; i++)
        k[i] = random_scalar();
    return k;
}

static cuzk_pool *test_pool[4];

static cuzk_pool *pool_of(unsigned threads)
{
    if (!test_pool[threads])
        assert_int_equal(cuzk_pool_new(&test_pool[threads], threads, "test", NULL), CUZK_OK);
    return test_pool[threads];
}

static int free_pools(void **state)
{
    (void)state;
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(test_pool); i++)
        cuzk_pool_free(test_pool[i]);
    return 0;
}

/* 2^bit + delta mod r */
static fr_canon power_plus(unsigned bit, int delta)
{
    fr x = cuzk_fr_one, d;
    fr_canon k;
    for (unsigned i = 0; i < bit; i++)
        fr_dbl(&x, &x);
    cuzk_fr_from_u64(&d, (uint64_t)(delta < 0 ? -delta : delta));
    if (delta < 0)
        fr_sub(&x, &x, &d);
    else
        fr_add(&x, &x, &d);
    cuzk_fr_to_canon(&k, &x);
    return k;
}

static fr_canon half_r(int delta)
{
    fr half, d;
    fr_canon k;
    cuzk_fr_from_u64(&half, 2);
    cuzk_fr_inv_vartime(&half, &half); /* (r + 1) / 2 */
    cuzk_fr_from_u64(&d, (uint64_t)-delta);
    fr_sub(&half, &half, &d);
    cuzk_fr_to_canon(&k, &half);
    return k;
}

/* Around 0, r, r/2, all powers of two and their windows' boundaries; all patterns of one digit. */
static fr_canon *edge_scalars(size_t *n)
{
    fr_canon *k = calloc(2000, sizeof *k);
    size_t m = 0;
    for (int i = -4; i <= 4; i++) {
        fr x;
        cuzk_fr_from_u64(&x, (uint64_t)abs(i));
        if (i < 0)
            fr_neg(&x, &x);
        cuzk_fr_to_canon(&k[m++], &x);
    }
    for (int i = -3; i <= 0; i++)
        k[m++] = half_r(i);
    for (unsigned bit = 1; bit < 255; bit++)
        for (int delta = -1; delta <= 1; delta++)
            k[m++] = power_plus(bit, delta);
    for (unsigned c = MSM_MIN_WINDOW; c <= 17; c++) { /* every digit 2^(c-1), or one less */
        uint64_t bias[4];
        cuzk_msm_bias(bias, c, (FR_BITS + c - 1) / c);
        memcpy(k[m].l, bias, sizeof bias);
        k[m + 1] = k[m];
        k[m + 1].l[0] -= 1; /* the lowest limb is at least 2 */
        m += 2;
    }
    *n = m;
    return k;
}

enum {
    UNIFORM,
    ALL_ZERO,
    ALL_ONE,
    ALL_MINUS_ONE,
    ALL_EQUAL,
    MOSTLY_ZERO,
    MOSTLY_ONE,
    LAST_ONLY,
    SMALL,
    N_DISTRIBUTIONS
};

static const char *const distribution_name[] = {
    "uniform", "all 0",  "all 1",     "all r - 1", "all equal",
    "90 % 0",  "90 % 1", "last only", "16 bits",
};

static fr_canon *distributed_scalars(int kind, size_t n)
{
    fr_canon *k = random_scalars(n), one = {{1}}, zero = {{0}}, minus_one = power_plus(0, -2);
    fr_canon equal = random_scalar();
    for (size_t i = 0; i < n; i++) {
        bool most = random_u64() % 10 != 0;
        if (kind == ALL_ZERO || (kind == MOSTLY_ZERO && most) || (kind == LAST_ONLY && i + 1 < n))
            k[i] = zero;
        if (kind == ALL_ONE || (kind == MOSTLY_ONE && most))
            k[i] = one;
        if (kind == ALL_MINUS_ONE)
            k[i] = minus_one;
        if (kind == ALL_EQUAL)
            k[i] = equal;
        if (kind == SMALL)
            k[i] = (fr_canon){{k[i].l[0] & 0xffff}};
    }
    return k;
}

enum {
    SOME_IDENTITY,
    ALL_IDENTITY,
    ALTERNATING,
    LAST_IDENTITY,
    FIRST_IDENTITY,
    SAME_POINT,
    OPPOSITE_PAIRS,
    N_STRANGE
};

static const char *const strange_name[] = {
    "some points 0", "all points 0",   "every other point 0", "last point 0",
    "first point 0", "the same point", "opposite pairs",
};

static bool is_identity_place(int kind, size_t i, size_t n)
{
    return kind == ALL_IDENTITY || (kind == SOME_IDENTITY && i % 7 == 3) ||
           (kind == ALTERNATING && i % 2) || (kind == LAST_IDENTITY && i + 5 >= n) ||
           (kind == FIRST_IDENTITY && i == 0);
}

#endif

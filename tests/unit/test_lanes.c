/* The arithmetic of msm/lanes.h against the scalar field, at the ends of its ranges. */
#include "unit/msm_random.h"

#include "base/cpu.h"
#include "msm/lanes.h"

#if CUZK_HAVE_IFMA

#define N_VALUES 40u

/* Values below 2p as six words: small ones, ones around p, p/2 and 2p, random ones. */
static size_t values_below_2p(fp v[N_VALUES])
{
    fp p, zero = {{0}};
    size_t n = 0;
    memcpy(p.l, cuzk_fp_modulus, sizeof p.l);
    for (uint64_t i = 0; i < 3; i++) {
        v[n] = zero;
        v[n++].l[0] = i;
        v[n] = p;
        v[n++].l[0] += i;
        v[n] = p;
        v[n++].l[0] -= i + 1;
        v[n] = zero;
        v[n++].l[5] = p.l[5] - i; /* the top word of p alone: what the top limb cannot tell */
        v[n] = p;
        v[n++].l[5] += p.l[5] - 1 - i;
        v[n] = p;
        v[n++].l[3] += i + 1;
    }
    memset(&v[n], 0xff, sizeof v[n]); /* limbs of all ones */
    v[n++].l[5] = 2 * p.l[5] - 1;
    while (n < N_VALUES) {
        for (int i = 0; i < 6; i++)
            v[n].l[i] = random_u64();
        v[n].l[5] %= 2 * p.l[5];
        n++;
    }
    return n;
}

static void reduce(fp *r, const fp *a)
{
    limbs_reduce_once(r->l, a->l, 0, cuzk_fp_modulus, 6);
}

/* One operand in all lanes, the other varied over eight of the list. */
CUZK_TARGET_IFMA static void lanes_of(fp8 *r, const fp v[], size_t first)
{
    const fp *at[8];
    for (size_t i = 0; i < 8; i++)
        at[i] = &v[(first + i) % N_VALUES];
    fp8_load_from(r, at);
}

CUZK_TARGET_IFMA static void run_sub_canon(fp got[8], const fp v[], size_t i, size_t j, int row)
{
    fp8 a, b;
    lanes_of(&a, v, i);
    fp8_broadcast(&b, &v[j]);
    fp8_sub_canon(&a, &a, &b, row);
    fp8_store(got, sizeof got[0], &a);
}

/* a - b + k p for a < 2p and b < k p. */
static void differences(void **state)
{
    (void)state;
    fp v[N_VALUES], got[8], a, b, want;
    size_t n = values_below_2p(v);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            bool below_p = limbs_lt(v[j].l, cuzk_fp_modulus, 6);
            run_sub_canon(got, v, i, j, below_p ? FP8_P : FP8_2P);
            for (size_t k = 0; k < 8; k++) {
                reduce(&a, &v[(i + k) % N_VALUES]);
                reduce(&b, &v[j]);
                fp_sub(&want, &a, &b);
                assert_memory_equal(&got[k], &want, sizeof want);
            }
        }
    }
}

CUZK_TARGET_IFMA static void run_negated(fp got[8], const fp v[], size_t i, size_t j)
{
    fp8 a, b;
    lanes_of(&a, v, i);
    fp8_broadcast(&b, &v[j]);
    fp8_negate_limbs(&b, 0x55); /* even lanes: a + b */
    fp8_sub_canon(&a, &a, &b, FP8_P);
    fp8_store(got, sizeof got[0], &a);
}

static void signed_limbs(void **state)
{
    (void)state;
    fp v[N_VALUES], got[8], a, b, want;
    size_t n = values_below_2p(v);
    for (size_t j = 0; j < n; j++) {
        if (!limbs_lt(v[j].l, cuzk_fp_modulus, 6))
            continue;
        for (size_t i = 0; i < n; i++) {
            run_negated(got, v, i, j);
            for (size_t k = 0; k < 8; k++) {
                reduce(&a, &v[(i + k) % N_VALUES]);
                b = v[j];
                if (k % 2 == 0)
                    fp_add(&want, &a, &b);
                else
                    fp_sub(&want, &a, &b);
                assert_memory_equal(&got[k], &want, sizeof want);
            }
        }
    }
}

CUZK_TARGET_IFMA static void run_div(fp got[8], const fp v[], size_t i)
{
    fp8 a;
    lanes_of(&a, v, i);
    fp8_div_2_32(&a, &a);
    fp8_canon(&a, &a);
    fp8_store(got, sizeof got[0], &a);
}

static void division_by_2_32(void **state)
{
    (void)state;
    fp v[N_VALUES], got[8], a, want;
    size_t n = values_below_2p(v);
    for (size_t i = 0; i < n; i++) {
        run_div(got, v, i);
        for (size_t k = 0; k < 8; k++) {
            reduce(&a, &v[(i + k) % N_VALUES]);
            fp_mul(&want, &a, &cuzk_fp_simd_leave);
            assert_memory_equal(&got[k], &want, sizeof want);
        }
    }
}

/* a + 64p n, below 2^52 limb by limb. */
CUZK_TARGET_IFMA static void lift(fp8 *a, unsigned n)
{
    fp8 zero;
    fp8_set_zero(&zero);
    for (unsigned i = 0; i < n; i++)
        fp8_sub(a, a, &zero);
}

/* Operands of products of eight lanes, and which of them the result takes the place of. */
enum { AS_THEY_ARE, NEAR_BOUNDS, N_SIZES };
enum { APART, ON_A, ON_B, CROSSWISE, N_PLACES };

/* Near their bounds: a raised by 31 64p, of 2^11 p; b as 64p - b. */
CUZK_TARGET_IFMA static void operands(fp8 *a, fp8 *b, const fp v[], size_t i, size_t j, int size)
{
    lanes_of(a, v, i);
    fp8_broadcast(b, &v[j % N_VALUES]);
    if (size == NEAR_BOUNDS) {
        lift(a, 31);
        fp8_neg(b, b);
    }
}

/* Squares come with limbs that are not carried. */
CUZK_TARGET_IFMA static void canonical(fp got[8], const fp8 *r)
{
    fp8 t;
    ifma_normalize(t.l, r->l, 8);
    fp8_canon(&t, &t);
    fp8_store(got, sizeof got[0], &t);
}

CUZK_TARGET_IFMA static void run_pair(fp got[2][8], const fp v[], size_t i, size_t j, int size,
                                      int place)
{
    lane1 a[2], b[2], r[2];
    lane1 *to[N_PLACES][2] = {{&r[0], &r[1]}, {&a[0], &a[1]}, {&b[0], &b[1]}, {&b[1], &a[0]}};
    operands(&a[0], &b[0], v, i, j, size);
    operands(&a[1], &b[1], v, i + 3, j + 5, size);
    lane1_mul2(to[place][0], &a[0], &b[0], to[place][1], &a[1], &b[1]);
    canonical(got[0], to[place][0]);
    canonical(got[1], to[place][1]);
}

/* fp_mul divides by 2^384, the lanes by 2^416. */
static void expect_pair(const fp got[8], const fp v[], size_t i, size_t j, bool negative)
{
    for (size_t k = 0; k < 8; k++) {
        fp x, y, want;
        reduce(&x, &v[(i + k) % N_VALUES]);
        reduce(&y, &v[j % N_VALUES]);
        if (negative)
            fp_neg(&y, &y);
        fp_mul(&want, &x, &y);
        fp_mul(&want, &want, &cuzk_fp_simd_leave);
        assert_memory_equal(&got[k], &want, sizeof want);
    }
}

static void pairs_of_products(void **state)
{
    (void)state;
    fp v[N_VALUES], got[2][8];
    size_t n = values_below_2p(v);
    for (size_t i = 0; i < n * n; i++) {
        for (int way = 0; way < N_SIZES * N_PLACES; way++) {
            int size = way / N_PLACES;
            run_pair(got, v, i / n, i % n, size, way % N_PLACES);
            expect_pair(got[0], v, i / n, i % n, size == NEAR_BOUNDS);
            expect_pair(got[1], v, i / n + 3, i % n + 5, size == NEAR_BOUNDS);
        }
    }
}

/* Squares of v, v + 1, ... and of v + 5, ..., in place or not, raised by 64p times lifts. */
CUZK_TARGET_IFMA static void run_squares(fp got[2][8], const fp v[], size_t i, unsigned lifts,
                                         int place)
{
    lane1 a[2], r[2];
    lane1 *to[][2] = {{&r[0], &r[1]}, {&a[0], &a[1]}, {&a[1], &a[0]}};
    lanes_of(&a[0], v, i);
    lanes_of(&a[1], v, i + 5);
    lift(&a[0], lifts);
    lift(&a[1], lifts);
    lane1_sqr2(to[place][0], &a[0], to[place][1], &a[1]);
    canonical(got[0], to[place][0]);
    canonical(got[1], to[place][1]);
}

static void expect_squares(const fp got[8], const fp v[], size_t i)
{
    for (size_t k = 0; k < 8; k++) {
        fp x, want;
        reduce(&x, &v[(i + k) % N_VALUES]);
        fp_sqr(&want, &x);
        fp_mul(&want, &want, &cuzk_fp_simd_leave);
        fp_mul(&want, &want, &cuzk_fp_simd_leave);
        assert_memory_equal(&got[k], &want, sizeof want);
    }
}

static void pairs_of_squares(void **state)
{
    (void)state;
    fp v[N_VALUES], got[2][8];
    size_t n = values_below_2p(v);
    for (size_t i = 0; i < n; i++) {
        for (int way = 0; way < 6; way++) {
            run_squares(got, v, i, way < 3 ? 0 : 7, way % 3);
            expect_squares(got[0], v, i);
            expect_squares(got[1], v, i + 5);
        }
    }
}

/* (a + c u) (b + d u) */
CUZK_TARGET_IFMA static void run_mul2(fp got[2][8], const fp v[], size_t i, size_t j, int size,
                                      int place)
{
    lane2 a, b, r;
    lane2 *to[] = {&r, &a, &b};
    operands(&a.c0, &b.c0, v, i, j, size);
    operands(&a.c1, &b.c1, v, i + 3, j + 5, size);
    lane2_mul(to[place], &a, &b);
    canonical(got[0], &to[place]->c0);
    canonical(got[1], &to[place]->c1);
}

/* fp_mul divides by 2^384, the lanes by 2^416. */
static void expect_product(const fp got[2][8], const fp v[], size_t i, size_t j, bool negative)
{
    for (size_t k = 0; k < 8; k++) {
        fp2 x, y, want;
        reduce(&x.c0, &v[(i + k) % N_VALUES]);
        reduce(&x.c1, &v[(i + 3 + k) % N_VALUES]);
        reduce(&y.c0, &v[j]);
        reduce(&y.c1, &v[(j + 5) % N_VALUES]);
        if (negative)
            fp2_neg(&y, &y);
        fp2_mul(&want, &x, &y);
        fp_mul(&want.c0, &want.c0, &cuzk_fp_simd_leave);
        fp_mul(&want.c1, &want.c1, &cuzk_fp_simd_leave);
        assert_memory_equal(&got[0][k], &want.c0, sizeof want.c0);
        assert_memory_equal(&got[1][k], &want.c1, sizeof want.c1);
    }
}

static void products_of_fp2(void **state)
{
    (void)state;
    fp v[N_VALUES], got[2][8];
    size_t n = values_below_2p(v);
    for (size_t i = 0; i < n * n; i++) {
        for (int way = 0; way < N_SIZES * CROSSWISE; way++) {
            int size = way / CROSSWISE;
            run_mul2(got, v, i / n, i % n, size, way % CROSSWISE);
            expect_product((const fp(*)[8])got, v, i / n, i % n, size == NEAR_BOUNDS);
        }
    }
}

/* (a + c u)^2; near the bound with 64p - a and 64p - c. */
CUZK_TARGET_IFMA static void run_sqr2(fp got[2][8], const fp v[], size_t i, size_t j, int way)
{
    lane2 a, r;
    lane2 *to = way % 2 ? &a : &r;
    lanes_of(&a.c0, v, i);
    fp8_broadcast(&a.c1, &v[j]);
    if (way / 2) {
        fp8_neg(&a.c0, &a.c0);
        fp8_neg(&a.c1, &a.c1);
    }
    lane2_sqr(to, &a);
    canonical(got[0], &to->c0);
    canonical(got[1], &to->c1);
}

static void expect_square_of_fp2(const fp got[2][8], const fp v[], size_t i, size_t j)
{
    for (size_t k = 0; k < 8; k++) {
        fp2 x;
        reduce(&x.c0, &v[(i + k) % N_VALUES]);
        reduce(&x.c1, &v[j]);
        fp2_sqr(&x, &x);
        for (int times = 0; times < 2; times++) {
            fp_mul(&x.c0, &x.c0, &cuzk_fp_simd_leave);
            fp_mul(&x.c1, &x.c1, &cuzk_fp_simd_leave);
        }
        assert_memory_equal(&got[0][k], &x.c0, sizeof x.c0);
        assert_memory_equal(&got[1][k], &x.c1, sizeof x.c1);
    }
}

static void squares_of_fp2(void **state)
{
    (void)state;
    fp v[N_VALUES], got[2][8];
    size_t n = values_below_2p(v);
    for (size_t i = 0; i < n * n; i++) {
        for (int way = 0; way < 4; way++) {
            run_sqr2(got, v, i / n, i % n, way);
            expect_square_of_fp2((const fp(*)[8])got, v, i / n, i % n);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences),      cmocka_unit_test(signed_limbs),
        cmocka_unit_test(division_by_2_32), cmocka_unit_test(pairs_of_products),
        cmocka_unit_test(pairs_of_squares), cmocka_unit_test(products_of_fp2),
        cmocka_unit_test(squares_of_fp2),
    };
    test_init();
    if (!cuzk_cpu_has(CUZK_CPU_IFMA)) {
        printf("SKIP: lanes: no AVX-512 IFMA here\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    printf("SKIP: lanes: not x86-64\n");
    return 0;
}

#endif

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

/* (a + c u) (b + d u), and with operands near the ends of their ranges: a and c raised by 64p, b
 * and d as 64p - (64p - b). */
CUZK_TARGET_IFMA static void run_mul2(fp got[2][8], const fp v[], size_t i, size_t j, bool large)
{
    lane2 a, b;
    fp8 zero;
    lanes_of(&a.c0, v, i);
    lanes_of(&a.c1, v, i + 3);
    fp8_broadcast(&b.c0, &v[j]);
    fp8_broadcast(&b.c1, &v[(j + 5) % N_VALUES]);
    if (large) {
        fp8_set_zero(&zero);
        lane2_sub(&a, &a, &(lane2){zero, zero});
        fp8_neg(&b.c0, &b.c0);
        fp8_neg(&b.c1, &b.c1);
    }
    lane2_mul(&b, &a, &b);
    lane2_canon(&b, &b);
    fp8_store(got[0], sizeof got[0][0], &b.c0);
    fp8_store(got[1], sizeof got[1][0], &b.c1);
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
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            for (int large = 0; large < 2; large++) {
                run_mul2(got, v, i, j, large);
                expect_product((const fp(*)[8])got, v, i, j, large);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences),
        cmocka_unit_test(signed_limbs),
        cmocka_unit_test(division_by_2_32),
        cmocka_unit_test(products_of_fp2),
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

/* Fr, Fp, Fp2: every fast path against the portable one, algebra, conversions, inversion, roots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cpu.h"
#include "base/hex.h"
#include "field/fp2.h"
#include "field/fr.h"
#ifdef __x86_64__
#include "field/x86/adx.h"
#endif

static uint64_t rng_state = 0xbb67ae8584caa73bu;

static uint64_t rng(void) /* splitmix64 */
{
    uint64_t x = rng_state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Operands that reach the corners: 0, 1, 2, m - 1, m - 2, (m - 1)/2, single limbs of all ones, all
 * ones below the top limb, single bits; then random values. Indices from 0; reduced below m. */
#define N_EDGE 24
static void operand(uint64_t *r, unsigned i, const uint64_t *m, int n)
{
    memset(r, 0, 8 * (size_t)n);
    if (i < 3) {
        r[0] = i;
    } else if (i < 6) { /* m - 1, m - 2, m - 3; m is odd and its low limb is not small in both */
        uint64_t borrow = 0;
        r[0] = limb_sbb(m[0], i - 2, &borrow);
        for (int j = 1; j < n; j++)
            r[j] = limb_sbb(m[j], 0, &borrow);
    } else if (i == 6) {
        for (int j = 0; j < n; j++)
            r[j] = m[j] >> 1 | (j + 1 < n ? m[j + 1] << 63 : 0);
    } else if (i < 12) {
        r[(i - 7) % (unsigned)(n - 1)] = ~(uint64_t)0;
    } else if (i == 12) {
        for (int j = 0; j + 1 < n; j++)
            r[j] = ~(uint64_t)0;
    } else if (i == 13) { /* the largest with all lower limbs ones */
        for (int j = 0; j + 1 < n; j++)
            r[j] = ~(uint64_t)0;
        r[n - 1] = m[n - 1] - 1;
    } else if (i == 14) {
        r[n - 1] = m[n - 1];
    } else if (i < N_EDGE) {
        r[(i * 5) % (unsigned)(n - 1)] = (uint64_t)1 << (i * 13 % 64);
        r[n - 1] = (uint64_t)1 << (i * 7 % 60);
    } else {
        for (int j = 0; j < n; j++)
            r[j] = rng();
    }
    while (!limbs_lt(r, m, n)) /* random values and single bits: halve until below */
        r[n - 1] >>= 1;
}

static fp fp_operand(unsigned i)
{
    fp a;
    operand(a.l, i, cuzk_fp_modulus, 6);
    return a;
}

static fr fr_operand(unsigned i)
{
    fr a;
    operand(a.l, i, cuzk_fr_modulus, 4);
    return a;
}

static void check_fp_ops(const fp_ops *ops)
{
    for (unsigned i = 0; i < N_EDGE + 200; i++) {
        fp a = fp_operand(i), want, got;
        cuzk_fp_generic.sqr(&want, &a);
        ops->sqr(&got, &a);
        assert_memory_equal(&want, &got, sizeof got);
        got = a;
        ops->sqr(&got, &got);
        assert_memory_equal(&want, &got, sizeof got);
        for (unsigned j = 0; j < N_EDGE + 20; j++) {
            fp b = fp_operand(j);
            cuzk_fp_generic.mul(&want, &a, &b);
            assert_true(limbs_lt(want.l, cuzk_fp_modulus, 6));
            ops->mul(&got, &a, &b);
            assert_memory_equal(&want, &got, sizeof got);
            got = a;
            ops->mul(&got, &got, &b);
            assert_memory_equal(&want, &got, sizeof got);
            got = b;
            ops->mul(&got, &a, &got);
            assert_memory_equal(&want, &got, sizeof got);
        }
    }
}

static void check_fr_ops(const fr_ops *ops)
{
    for (unsigned i = 0; i < N_EDGE + 200; i++) {
        fr a = fr_operand(i), want, got;
        cuzk_fr_generic.sqr(&want, &a);
        ops->sqr(&got, &a);
        assert_memory_equal(&want, &got, sizeof got);
        got = a;
        ops->sqr(&got, &got);
        assert_memory_equal(&want, &got, sizeof got);
        for (unsigned j = 0; j < N_EDGE + 20; j++) {
            fr b = fr_operand(j);
            cuzk_fr_generic.mul(&want, &a, &b);
            assert_true(limbs_lt(want.l, cuzk_fr_modulus, 4));
            ops->mul(&got, &a, &b);
            assert_memory_equal(&want, &got, sizeof got);
            got = a;
            ops->mul(&got, &got, &b);
            assert_memory_equal(&want, &got, sizeof got);
            got = b;
            ops->mul(&got, &a, &got);
            assert_memory_equal(&want, &got, sizeof got);
        }
    }
}

static void active_path_equals_generic(void **state)
{
    (void)state;
    check_fp_ops(&cuzk_fp_ops);
    check_fr_ops(&cuzk_fr_ops);
}

static void adx_equals_generic(void **state)
{
    (void)state;
#ifdef __x86_64__
    if (cuzk_cpu_has(CUZK_CPU_ADX)) {
        check_fp_ops(&(fp_ops){cuzk_fp_mul_adx, cuzk_fp_sqr_adx});
        check_fr_ops(&(fr_ops){cuzk_fr_mul_adx, cuzk_fr_sqr_adx});
        return;
    }
#endif
    printf("SKIP: no ADX on this machine\n");
    skip();
}

static void additions(void **state)
{
    (void)state;
    for (unsigned i = 0; i < N_EDGE + 50; i++) {
        for (unsigned j = 0; j < N_EDGE + 50; j++) {
            fp a = fp_operand(i), b = fp_operand(j), want, got;
            mod_add_c(want.l, a.l, b.l, cuzk_fp_modulus, 6);
            fp_add(&got, &a, &b);
            assert_memory_equal(&want, &got, sizeof got);
            mod_sub_c(want.l, a.l, b.l, cuzk_fp_modulus, 6);
            fp_sub(&got, &a, &b);
            assert_memory_equal(&want, &got, sizeof got);
            fp_add(&got, &got, &b);
            assert_memory_equal(&a, &got, sizeof got);
            fp_sub(&got, &got, &a);
            assert_true(fp_is_zero(&got));

            fr c = fr_operand(i), d = fr_operand(j), want4, got4;
            mod_add_c(want4.l, c.l, d.l, cuzk_fr_modulus, 4);
            fr_add(&got4, &c, &d);
            assert_memory_equal(&want4, &got4, sizeof got4);
            mod_sub_c(want4.l, c.l, d.l, cuzk_fr_modulus, 4);
            fr_sub(&got4, &c, &d);
            assert_memory_equal(&want4, &got4, sizeof got4);
            fr_add(&got4, &got4, &d);
            assert_memory_equal(&c, &got4, sizeof got4);
            fr_sub(&got4, &got4, &c);
            assert_true(fr_is_zero(&got4));
        }
        fp a = fp_operand(i), n;
        fr c = fr_operand(i), k;
        fp_neg(&n, &a);
        fp_add(&n, &n, &a);
        assert_true(fp_is_zero(&n));
        fr_neg(&k, &c);
        fr_add(&k, &k, &c);
        assert_true(fr_is_zero(&k));
    }
}

static void ring_laws(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        fp a = fp_operand(i), b = fp_operand(i * 7 % 101), c = fp_operand(N_EDGE), x, y, z;
        fp_mul(&x, &a, &b);
        fp_mul(&x, &x, &c);
        fp_mul(&y, &b, &c);
        fp_mul(&y, &a, &y);
        assert_true(fp_eq(&x, &y));
        fp_add(&x, &a, &b);
        fp_mul(&x, &x, &c);
        fp_mul(&y, &a, &c);
        fp_mul(&z, &b, &c);
        fp_add(&y, &y, &z);
        assert_true(fp_eq(&x, &y));
        fp_mul(&x, &a, &cuzk_fp_one);
        assert_true(fp_eq(&x, &a));
    }
}

/* Values from Python integers: (3^200 mod m)^2 mod m, in the byte order of each field. */
static void known_products(void **state)
{
    (void)state;
    char text[97];
    uint8_t b[48];
    fp p;
    fr s;
    cuzk_fp_from_u64(&p, 3);
    cuzk_fp_pow(&p, &p, (uint64_t[6]){200});
    fp_sqr(&p, &p);
    cuzk_fp_to_bytes(b, &p);
    cuzk_hex_encode(text, b, 48);
    assert_string_equal(text, "0c0f1257cff438087412a850dcc45ea7092642c84410dfe3"
                              "d6110f2a9e88188692af6b34bd9f3b7af8891aa1e266b600");
    cuzk_fr_from_u64(&s, 3);
    cuzk_fr_pow_u64(&s, &s, 200);
    fr_sqr(&s, &s);
    cuzk_fr_to_bytes(b, &s);
    cuzk_hex_encode(text, b, 32);
    assert_string_equal(text, "a140bf1e3589c4c9e6fad6611ced0ab31754c384dc4dec1cd994338114b9806d");
}

static void conversions(void **state)
{
    (void)state;
    uint8_t b[48], back[48];
    for (unsigned i = 0; i < N_EDGE + 50; i++) {
        fp a = fp_operand(i), a2;
        cuzk_fp_to_bytes(b, &a);
        assert_true(cuzk_fp_from_bytes(&a2, b));
        assert_true(fp_eq(&a, &a2));
        fr c = fr_operand(i), c2;
        cuzk_fr_to_bytes(b, &c);
        assert_true(cuzk_fr_from_bytes(&c2, b));
        assert_true(fr_eq(&c, &c2));
        fr_canon k;
        cuzk_fr_to_canon(&k, &c);
        assert_true(limbs_lt(k.l, cuzk_fr_modulus, 4));
        cuzk_fr_from_canon(&c2, &k);
        assert_true(fr_eq(&c, &c2));
    }
    fr m = {{0}}, c2; /* the modulus: refused, and reduced to 0 */
    memcpy(b, cuzk_fr_modulus, 32);
    assert_false(cuzk_fr_from_bytes(&c2, b));
    cuzk_fr_from_bytes_mod(&c2, b);
    assert_true(fr_eq(&m, &c2));
    memset(b, 0xff, 32); /* 2^256 - 1 = 2^256 - 1 mod r */
    cuzk_fr_from_bytes_mod(&c2, b);
    cuzk_fr_to_bytes(back, &c2);
    fr two, want;
    cuzk_fr_from_u64(&two, 2);
    cuzk_fr_pow_u64(&want, &two, 256);
    fr_sub(&want, &want, &cuzk_fr_one);
    assert_true(fr_eq(&want, &c2));
    fp a;
    for (int i = 0; i < 48; i++) /* p, big-endian */
        b[47 - i] = (uint8_t)(cuzk_fp_modulus[i / 8] >> (8 * (i % 8)));
    assert_false(cuzk_fp_from_bytes(&a, b));
    b[47]--;
    assert_true(cuzk_fp_from_bytes(&a, b));
    fp_add(&a, &a, &cuzk_fp_one);
    assert_true(fp_is_zero(&a));
}

static void constants(void **state)
{
    (void)state;
    fr t, w = cuzk_fr_root_of_unity, minus_one;
    uint64_t e[4]; /* (r - 1) / 2^32 */
    for (int j = 0; j < 4; j++)
        e[j] = cuzk_fr_modulus[j] >> 32 | (j < 3 ? cuzk_fr_modulus[j + 1] << 32 : 0);
    cuzk_fr_from_u64(&t, FR_GENERATOR);
    cuzk_fr_pow(&t, &t, e);
    assert_true(fr_eq(&t, &w));
    for (int i = 0; i < FR_TWO_ADICITY - 1; i++)
        fr_sqr(&w, &w);
    fr_neg(&minus_one, &cuzk_fr_one);
    assert_true(fr_eq(&w, &minus_one));
    fr_sqr(&w, &w);
    assert_true(fr_is_one(&w));
}

/* The fast inverses against Fermat's a^(m - 2). */
static void inverses(void **state)
{
    (void)state;
    uint64_t ep[6], er[4];
    memcpy(ep, cuzk_fp_modulus, sizeof ep);
    memcpy(er, cuzk_fr_modulus, sizeof er);
    ep[0] -= 2;
    uint64_t borrow = 0; /* the low word of r is 1 */
    er[0] = limb_sbb(er[0], 2, &borrow);
    er[1] -= borrow;
    for (unsigned i = 0; i < N_EDGE + 1000; i++) {
        fp a = fp_operand(i), want, got;
        cuzk_fp_pow(&want, &a, ep);
        cuzk_fp_inv_vartime(&got, &a);
        assert_memory_equal(&want, &got, sizeof got);
        cuzk_fp_inv_vartime(&a, &a);
        assert_memory_equal(&want, &a, sizeof a);
        fr c = fr_operand(i), want4, got4;
        cuzk_fr_pow(&want4, &c, er);
        cuzk_fr_inv_vartime(&got4, &c);
        assert_memory_equal(&want4, &got4, sizeof got4);
        cuzk_fr_inv_vartime(&c, &c);
        assert_memory_equal(&want4, &c, sizeof c);
    }
}

static void batch_inverses(void **state)
{
    (void)state;
    fp a[70], b[70], sp[70];
    fr c[70], d[70], sr[70];
    fp2 e[70], f[70], s2[70];
    for (unsigned i = 0; i < 70; i++) {
        a[i] = b[i] = fp_operand(i);
        c[i] = d[i] = fr_operand(i);
        e[i].c0 = fp_operand(i);
        e[i].c1 = fp_operand(i % 9);
        f[i] = e[i];
    }
    cuzk_fp_batch_inv_vartime(a, 70, sp);
    cuzk_fr_batch_inv_vartime(c, 70, sr);
    cuzk_fp2_batch_inv_vartime(e, 70, s2);
    for (unsigned i = 0; i < 70; i++) {
        cuzk_fp_inv_vartime(&b[i], &b[i]);
        assert_memory_equal(&a[i], &b[i], sizeof a[i]);
        cuzk_fr_inv_vartime(&d[i], &d[i]);
        assert_memory_equal(&c[i], &d[i], sizeof c[i]);
        cuzk_fp2_inv_vartime(&f[i], &f[i]);
        assert_memory_equal(&e[i], &f[i], sizeof e[i]);
    }
    cuzk_fp_batch_inv_vartime(a, 0, sp);
}

static void square_roots(void **state)
{
    (void)state;
    int squares = 0, squares2 = 0;
    for (unsigned i = 0; i < 120; i++) {
        fp a = fp_operand(i), r, t;
        fp_sqr(&t, &a);
        assert_true(cuzk_fp_sqrt_vartime(&r, &t));
        fp_sqr(&r, &r);
        assert_true(fp_eq(&r, &t));
        if (cuzk_fp_sqrt_vartime(&r, &a)) {
            squares++;
            fp_sqr(&r, &r);
            assert_true(fp_eq(&r, &a));
        }
        fp2 x = {a, fp_operand(i * 11 % 120)}, y, z;
        if (i % 4 == 1)
            memset(&x.c1, 0, sizeof x.c1);
        if (i % 4 == 2)
            memset(&x.c0, 0, sizeof x.c0);
        fp2_sqr(&z, &x);
        y = z;
        assert_true(cuzk_fp2_sqrt_vartime(&y, &y));
        fp2_sqr(&y, &y);
        assert_true(fp2_eq(&y, &z));
        if (cuzk_fp2_sqrt_vartime(&y, &x)) {
            squares2++;
            fp2_sqr(&y, &y);
            assert_true(fp2_eq(&y, &x));
        }
    }
    assert_in_range(squares, 30, 90);
    assert_in_range(squares2, 40, 110); /* all of Fp are squares in Fp2 */
}

static void fp2_products(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 200; i++) {
        fp2 a = {fp_operand(i), fp_operand(i * 3 % 200)},
            b = {fp_operand(i * 5 % 200), fp_operand(i * 7 % 200)};
        fp2 want, got;
        fp t;
        fp_mul(&want.c0, &a.c0, &b.c0); /* schoolbook */
        fp_mul(&t, &a.c1, &b.c1);
        fp_sub(&want.c0, &want.c0, &t);
        fp_mul(&want.c1, &a.c0, &b.c1);
        fp_mul(&t, &a.c1, &b.c0);
        fp_add(&want.c1, &want.c1, &t);
        fp2_mul(&got, &a, &b);
        assert_true(fp2_eq(&want, &got));
        fp2_mul(&want, &a, &a);
        fp2_sqr(&got, &a);
        assert_true(fp2_eq(&want, &got));
        fp2 xi = {cuzk_fp_one, cuzk_fp_one};
        fp2_mul(&want, &a, &xi);
        fp2_mul_xi(&got, &a);
        assert_true(fp2_eq(&want, &got));
        got = b;
        fp2_mul(&want, &a, &b);
        fp2_mul(&got, &a, &got);
        assert_true(fp2_eq(&want, &got));
        fp2_mul_fp(&got, &a, &b.c0);
        fp2 base = {b.c0, {{0}}};
        fp2_mul(&want, &a, &base);
        assert_true(fp2_eq(&want, &got));
    }
}

static void larger_roots(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        fp a = fp_operand(i), n;
        fp_neg(&n, &a);
        bool zero = fp_is_zero(&a);
        assert_int_equal(cuzk_fp_is_larger_root(&a) + cuzk_fp_is_larger_root(&n), zero ? 0 : 1);
        fp2 x = {a, fp_operand(i % 3)}, m;
        fp2_neg(&m, &x);
        zero = fp2_is_zero(&x);
        assert_int_equal(cuzk_fp2_is_larger_root(&x) + cuzk_fp2_is_larger_root(&m), zero ? 0 : 1);
    }
    fp two;
    cuzk_fp_from_u64(&two, 2);
    assert_false(cuzk_fp_is_larger_root(&two));
    fp_neg(&two, &two);
    assert_true(cuzk_fp_is_larger_root(&two));
    fp2 x = {two, cuzk_fp_one}; /* c1 decides */
    assert_false(cuzk_fp2_is_larger_root(&x));
}

static void cpu_path(void **state)
{
    (void)state;
    cuzk_cpu_path path = cuzk_cpu_active();
    assert_true(cuzk_cpu_has(path));
    assert_true(cuzk_cpu_has(CUZK_CPU_GENERIC));
    const char *wish = getenv("CUZK_CPU");
    printf("path %s\n", cuzk_cpu_path_name(path));
    for (int i = CUZK_CPU_GENERIC; wish && i <= CUZK_CPU_IFMA; i++)
        if (strcmp(wish, cuzk_cpu_path_name((cuzk_cpu_path)i)) == 0)
            assert_true(path == (cuzk_cpu_path)i || !cuzk_cpu_has((cuzk_cpu_path)i));
    assert_string_equal(cuzk_cpu_path_name((cuzk_cpu_path)7), "unknown");
    assert_true((cuzk_fp_ops.mul == cuzk_fp_generic.mul) == (path == CUZK_CPU_GENERIC));
}

/* Runs this program as `path` under CUZK_CPU=wish and wants a path and a number of warnings. */
static void expect_path(const char *wish, cuzk_cpu_path want, int want_warnings)
{
    char command[128], line[256], path[256] = "";
    int n_warnings = 0;
    snprintf(command, sizeof command, "CUZK_CPU=%s /proc/%d/exe path 2>&1", wish, (int)getpid());
    FILE *f = popen(command, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, "cuzk: CUZK_CPU=", 15) == 0)
            n_warnings++;
        else
            memcpy(path, line, sizeof path);
    }
    assert_int_equal(pclose(f), 0);
    path[strcspn(path, "\n")] = 0;
    assert_string_equal(path, cuzk_cpu_path_name(want));
    assert_int_equal(n_warnings, want_warnings);
}

static void environment_forces_path(void **state)
{
    (void)state;
    cuzk_cpu_path best = CUZK_CPU_GENERIC;
    for (int i = CUZK_CPU_GENERIC; i <= CUZK_CPU_IFMA; i++)
        if (cuzk_cpu_has((cuzk_cpu_path)i))
            best = (cuzk_cpu_path)i;
    for (int i = CUZK_CPU_GENERIC; i <= CUZK_CPU_IFMA; i++) {
        bool has = cuzk_cpu_has((cuzk_cpu_path)i);
        expect_path(cuzk_cpu_path_name((cuzk_cpu_path)i), has ? (cuzk_cpu_path)i : best, !has);
    }
    expect_path("", best, 0);
    expect_path("avx9", best, 1);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "path") == 0) {
        printf("%s\n", cuzk_cpu_path_name(cuzk_cpu_active()));
        return 0;
    }
    printf("seed %#llx\n", (unsigned long long)rng_state);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_path),     cmocka_unit_test(active_path_equals_generic),
        cmocka_unit_test(additions),    cmocka_unit_test(adx_equals_generic),
        cmocka_unit_test(ring_laws),    cmocka_unit_test(known_products),
        cmocka_unit_test(conversions),  cmocka_unit_test(constants),
        cmocka_unit_test(inverses),     cmocka_unit_test(batch_inverses),
        cmocka_unit_test(square_roots), cmocka_unit_test(fp2_products),
        cmocka_unit_test(larger_roots), cmocka_unit_test(environment_forces_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

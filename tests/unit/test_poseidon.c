#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/hex.h"
#include "base/cpu.h"
#include "circuit/poseidon_lanes.h"

/* gadgets.md 9.4: SHA-256 over 32-byte little-endian values; they matched supra_seal's files. */
static const struct {
    poseidon_kind kind;
    const char *rc, *c, *m, *pre, *sparse;
} constant_digests[] = {
    {POSEIDON_2, "cf4dfb7448132022e22b32e3dce6b125cb06329448f9e8d8fe53a71c73cbe6d4",
     "b768b730ce5198394d948d76421ab53b08cc16ec1ac082cf503f370192253e16",
     "b55e71db69c416c830c28ca9871f933b6c27220eae309801c981ee3b0885ee51",
     "13d6e8e5ba45b0d2096617d055499f36adad1aab6853de143ed42b14eea9a0f6",
     "a2fe507a83bddb8d57e5a00e7e58e79800c272b0db7dd4141943f6e567e99138"},
    {POSEIDON_4, "91e463d6553415b3901b9f26b2ad53e6298ac3e5ab0ef260d397bafe8bdde98e",
     "3e4ec19ded2c86a89f3d6bddc13d9571a0cc5473e7207cfbaf6a8169a69f5709",
     "42a9ccbf22e42dc598fbe106f6b5019b46d545a725eb7538ba6bcf3765b350ab",
     "aee67dfb1ae8c43eca89f5742a745c6309f2d302ab741b75d2641b7025d87413",
     "f1c3c3a9fe9ea4a3c38c91971e5f379da38123fe1dcf960b461d84c5ba759f2b"},
    {POSEIDON_8, "9a4a743575f0eaf285c93d73f8adaf4e7ef4042c2445b42bddaf1a64e5face72",
     "f5a94aea73a583d080abdf7d71259fab9107f5523a4a1eddc41468f94564dd16",
     "82d366586a4b49ae74f4c5bbc94bbed0a0eb064584097367d926ae1f11e30894",
     "dcfbdaea3eb7e347664c8f881c5443b1895f10c85cab0878022eb287defa8587",
     "3f823785875d8cc161c963d2a62d103a3fefab30eb4244cef877d8e624fb79f4"},
    {POSEIDON_11, "479dc0d71d694cd50d853dec0c94aeb37df2a69929eaa23b545a52b1226aec06",
     "2d7c0e4e9b98eda82102b69f1a964ae59ccf98b0008b6d3d632d86f4fea79d1d",
     "7ef350e5db367cae7828071ca354fefd25c59fe77e31261d27fb2ce8f14ff956",
     "f2a7353f0ce5ad724a7a58bf2db0e37f7c5662f064a6c97466021af83279a96e",
     "810a4d7f126f6e5fb3eb1980b57c70f90bb835219373d955726e30b3ca931556"},
};

static void put(cuzk_hash *h, const fr x[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t b[32];
        cuzk_fr_to_bytes(b, &x[i]);
        cuzk_hash_update(h, b, 32);
    }
}

static void expect(cuzk_hash *h, const char *hex)
{
    uint8_t d[32];
    char text[65];
    cuzk_hash_finish(h, d);
    cuzk_hex_encode(text, d, 32);
    assert_string_equal(text, hex);
}

static void put_matrix(cuzk_hash *h, const poseidon_matrix *m, unsigned t)
{
    for (unsigned i = 0; i < t; i++)
        put(h, m->at[i], t);
}

static void constants(void **state)
{
    (void)state;
    static fr rc[POSEIDON_MAX_ROUND_CONSTANTS];
    cuzk_hash *h = cuzk_hash_new(CUZK_HASH_SHA256);
    for (size_t i = 0; i < sizeof constant_digests / sizeof constant_digests[0]; i++) {
        const poseidon_constants *k = cuzk_poseidon_constants(constant_digests[i].kind);
        put(h, rc, cuzk_poseidon_round_constants(rc, constant_digests[i].kind));
        expect(h, constant_digests[i].rc);
        put(h, k->key, k->n_keys);
        expect(h, constant_digests[i].c);
        put_matrix(h, &k->mds, k->width);
        expect(h, constant_digests[i].m);
        put_matrix(h, &k->pre_sparse, k->width);
        expect(h, constant_digests[i].pre);
        for (unsigned q = 0; q < k->n_partial; q++) {
            put(h, k->w_hat[q], k->width);
            put(h, k->v_rest[q], k->width - 1);
        }
        expect(h, constant_digests[i].sparse);
    }
    cuzk_hash_free(h);
}

/* Big-endian integers as printed in gadgets.md 9.7: neptune's own test values for inputs 0, 1, ..;
 * rust-fil-proofs' H(1, 0); the model's for inputs 1, 2, ... */
static const struct {
    poseidon_kind kind;
    unsigned first;
    const char *digest;
} digests[] = {
    {POSEIDON_2, 0, "396508d75e76a56b739e0fd902efe161a6fba9339d05a69d2e203c369a02e7ff"},
    {POSEIDON_4, 0, "58a54b10a9e5848a00db3c6579229399fb6b4605bf1327ec019814ff6662075d"},
    {POSEIDON_8, 0, "2394611da3a5de5512010042116770774b682e9d9cc4aed92a9934f56d38a5e6"},
    {POSEIDON_11, 0, "0c0fc1b2e5227f286ca537e232ebe87a09f3dcd8ccb08fc1cee3bbc32b693163"},
    {POSEIDON_2, 1, "6d6f8106657f1f4d7babcbaf436a9d7669c04e726e5896d89317d9833e5fa9be"},
    {POSEIDON_2_GEN, 1, "702c879bafdb05ab3018f4fbc1d4c74854af845cdbb6bb53e40d5f9cb5e92f3c"},
    /* circuits.md 11.2 gives these two little-endian */
    {POSEIDON_8, 1, "04edd42e8fc4e07643d1f36a1129c4e83ecaefec78e2ee10b834a106c1e1c07e"},
    {POSEIDON_11, 1, "04817ecd0e80961686791eaf49dabcca4c6f52adad43dff41c611158e92280bd"},
};

static void expect_element(const fr *x, const char *big_endian)
{
    uint8_t b[32], r[32];
    char text[65];
    cuzk_fr_to_bytes(b, x);
    for (int i = 0; i < 32; i++)
        r[i] = b[31 - i];
    cuzk_hex_encode(text, r, 32);
    assert_string_equal(text, big_endian);
}

static void known_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof digests / sizeof digests[0]; i++) {
        fr in[POSEIDON_MAX_WIDTH];
        for (unsigned k = 0; k < cuzk_poseidon_arity(digests[i].kind); k++)
            cuzk_fr_from_u64(&in[k], digests[i].first + k);
        cuzk_poseidon_hash(&in[0], digests[i].kind, in); /* aliases */
        expect_element(&in[0], digests[i].digest);
    }
}

/* rust-fil-proofs: the binary tree over leaves 1, 0, 0, 1. */
static void small_tree(void **state)
{
    (void)state;
    fr leaf[4], node[2], root;
    for (unsigned i = 0; i < 4; i++)
        cuzk_fr_from_u64(&leaf[i], i == 0 || i == 3);
    cuzk_poseidon_hash(&node[0], POSEIDON_2, leaf);
    expect_element(&node[0], "042f94ffbe786bc393c003cc74a24f26ec5907b3dc3094afb339ff6079800b5e");
    cuzk_poseidon_hash(&node[1], POSEIDON_2, leaf + 2);
    cuzk_poseidon_hash(&root, POSEIDON_2, node);
    expect_element(&root, "1effebb7b26ad9eb30eb6385ae6b74ae77cc72b8cb2b5ad2efbb8be3e291e671");
}

/* The definition (gadgets.md 9.3): Grain constants and M in every round. */
static void plain_hash(fr *out, poseidon_kind kind, const fr in[])
{
    static fr rc[POSEIDON_MAX_ROUND_CONSTANTS];
    const poseidon_constants *k = cuzk_poseidon_constants(kind);
    unsigned t = k->width;
    fr s[POSEIDON_MAX_WIDTH];
    cuzk_poseidon_round_constants(rc, kind);
    cuzk_poseidon_tag(&s[0], kind);
    memcpy(s + 1, in, (t - 1) * sizeof *s);
    for (unsigned j = 0; j < 8 + k->n_partial; j++) {
        bool full = j < 4 || j >= 4 + k->n_partial;
        for (unsigned i = 0; i < t; i++) {
            fr_add(&s[i], &s[i], &rc[j * t + i]);
            if (full || i == 0)
                cuzk_fr_pow_u64(&s[i], &s[i], 5);
        }
        cuzk_poseidon_dense(s, &k->mds, t); /* M is symmetric */
    }
    *out = s[1];
}

static void agrees_with_definition(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < POSEIDON_KIND_COUNT; kind++) {
        fr in[POSEIDON_MAX_WIDTH], a, b;
        for (unsigned round = 0; round < 3; round++) {
            for (unsigned i = 0; i < POSEIDON_MAX_WIDTH; i++) {
                uint8_t seed[3] = {(uint8_t)kind, (uint8_t)round, (uint8_t)i}, h[32];
                cuzk_sha256(h, seed, sizeof seed);
                cuzk_fr_from_bytes_mod(&in[i], h);
            }
            cuzk_poseidon_hash(&a, (poseidon_kind)kind, in);
            plain_hash(&b, (poseidon_kind)kind, in);
            assert_true(fr_eq(&a, &b));
        }
    }
}

static void arities(void **state)
{
    (void)state;
    for (unsigned arity = 0; arity < 14; arity++) {
        poseidon_kind kind = cuzk_poseidon_kind_of_arity(arity);
        if (arity == 2 || arity == 4 || arity == 8 || arity == 11)
            assert_int_equal(cuzk_poseidon_arity(kind), arity);
        else
            assert_int_equal(kind, POSEIDON_KIND_COUNT);
    }
    assert_int_equal(cuzk_poseidon_arity(POSEIDON_2_GEN), 2);
}

static void *hash_in_thread(void *out)
{
    fr in[2] = {{{0}}, {{0}}};
    cuzk_poseidon_hash((fr *)out, POSEIDON_2, in);
    return NULL;
}

/* Run first: the constants are made under contention. */
static void first_use_in_threads(void **state)
{
    (void)state;
    enum { N = 8 };
    pthread_t thread[N];
    fr out[N];
    for (unsigned i = 0; i < N; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, hash_in_thread, &out[i]), 0);
    for (unsigned i = 0; i < N; i++)
        pthread_join(thread[i], NULL);
    for (unsigned i = 1; i < N; i++)
        assert_true(fr_eq(&out[0], &out[i]));
}

/* ---- eight lanes against the formulas of 9.5 ---- */

static fr random_element(uint64_t *x)
{
    fr r;
    uint8_t b[32];
    for (unsigned i = 0; i < 32; i++) {
        *x = *x * 6364136223846793005u + 1442695040888963407u;
        b[i] = (uint8_t)(*x >> 56);
    }
    cuzk_fr_from_bytes_mod(&r, b);
    return r;
}

/* Values as stored: 0, 1, r - 1 and random ones. */
static void fill_state(fr state[POSEIDON_LANES_WIDTH], unsigned round, uint64_t *x)
{
    fr largest = {{cuzk_fr_modulus[0] - 1, cuzk_fr_modulus[1], cuzk_fr_modulus[2],
                   cuzk_fr_modulus[3]}};
    for (unsigned i = 0; i < POSEIDON_LANES_WIDTH; i++) {
        state[i] = random_element(x);
        if (round == 0 || (round > 2 && round < 12 && i == round - 3))
            state[i] = largest;
        if (round == 1)
            memset(&state[i], 0, sizeof state[i]);
        if (round == 2)
            state[i] = (fr){{1, 0, 0, 0}};
    }
}

static void dense_by_formula(fr out[], const fr in[], const poseidon_matrix *m)
{
    for (unsigned j = 0; j < POSEIDON_LANES_WIDTH; j++) {
        fr sum = {{0}}, t;
        for (unsigned i = 0; i < POSEIDON_LANES_WIDTH; i++) {
            fr_mul(&t, &in[i], &m->at[i][j]);
            fr_add(&sum, &sum, &t);
        }
        out[j] = sum;
    }
}

static void sparse_by_formula(fr out[], const fr in[], const poseidon_constants *k, unsigned q)
{
    fr t;
    fr_mul(&out[0], &in[0], &k->w_hat[q][0]);
    for (unsigned j = 1; j < POSEIDON_LANES_WIDTH; j++) {
        fr_mul(&t, &in[j], &k->w_hat[q][j]);
        fr_add(&out[0], &out[0], &t);
        fr_mul(&t, &in[0], &k->v_rest[q][j - 1]);
        fr_add(&out[j], &in[j], &t);
    }
}

static void lanes_equal_formulas(void **state)
{
    (void)state;
    const poseidon_constants *k = cuzk_poseidon_constants(POSEIDON_8);
    uint64_t x = 20261129;
    if (!cuzk_cpu_lanes()) {
        print_message("SKIP: no eight lanes here\n");
        skip();
    }
    print_message("seed %llu\n", (unsigned long long)x);
    for (unsigned round = 0; round < 2000; round++) {
        fr in[POSEIDON_LANES_WIDTH], want[POSEIDON_LANES_WIDTH], have[POSEIDON_LANES_WIDTH];
        const poseidon_matrix *m = round % 2 ? &k->mds : &k->pre_sparse;
        unsigned q = round % k->n_partial;
        fill_state(in, round, &x);
        memcpy(have, in, sizeof in);
        dense_by_formula(want, in, m);
        assert_true(cuzk_poseidon_lanes_dense(have, m));
        assert_memory_equal(have, want, sizeof want);
        memcpy(have, in, sizeof in);
        sparse_by_formula(want, in, k, q);
        assert_true(cuzk_poseidon_lanes_sparse(have, k, q));
        assert_memory_equal(have, want, sizeof want);
    }
    poseidon_matrix other = k->mds; /* not a table of ours */
    fr s[POSEIDON_LANES_WIDTH] = {{{0}}};
    assert_false(cuzk_poseidon_lanes_dense(s, &other));
    assert_false(cuzk_poseidon_lanes_sparse(s, cuzk_poseidon_constants(POSEIDON_2), 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_use_in_threads), cmocka_unit_test(constants),
        cmocka_unit_test(known_answers),        cmocka_unit_test(small_tree),
        cmocka_unit_test(agrees_with_definition), cmocka_unit_test(arities),
        cmocka_unit_test(lanes_equal_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

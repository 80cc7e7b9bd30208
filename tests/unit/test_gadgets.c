/* Mini circuits with the R1CS digests of gadgets.md section 13, satisfied by their own witness. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/hex.h"
#include "circuit/insertion.h"
#include "circuit/poseidon_gadget.h"
#include "circuit/readings.h"
#include "circuit/sha256_gadget.h"

/* Values are pseudo-random; structure must not depend on them. */
static uint64_t random_state;

static uint64_t random_u64(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state >> 32 ^ random_state << 32;
}

static bool random_bit(void)
{
    return random_u64() >> 20 & 1;
}

static num random_num(cs *c)
{
    fr_canon x = {{random_u64(), random_u64(), random_u64(), random_u64()}};
    fr v;
    cuzk_fr_from_canon(&v, &x);
    return cuzk_num_alloc(c, &v);
}

static void random_bits(cs *c, boolean out[], unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = cuzk_bool_alloc(c, random_bit());
}

typedef void mini(cs *c, unsigned k);

static void mini_to_bits(cs *c, unsigned k)
{
    (void)k;
    boolean bits[NUM_BITS];
    num n = random_num(c);
    cuzk_num_to_bits(c, bits, &n);
}

static void mini_strict(cs *c, unsigned k)
{
    (void)k;
    boolean bits[NUM_BITS];
    num n = random_num(c);
    cuzk_num_to_bits_strict(c, bits, &n);
}

static void mini_pack_bits(cs *c, unsigned k)
{
    (void)k;
    boolean bits[256];
    random_bits(c, bits, 256);
    cuzk_pack_bits(c, bits, 256);
}

static void mini_pack_into_inputs(cs *c, unsigned k)
{
    (void)k;
    boolean bits[300];
    random_bits(c, bits, 300);
    cuzk_pack_into_inputs(c, bits, 300);
}

static void mini_pack(cs *c, unsigned k)
{
    (void)k;
    boolean bits[600];
    random_bits(c, bits, 600);
    cuzk_pack_into_inputs(c, bits, 600);
    u64_bits x = cuzk_u64_alloc(c, random_u64());
    cuzk_u64_pack_into_input(c, &x);
    for (unsigned i = 0; i < 400; i++)
        cuzk_bool_xor(c, bits[100 + i], bits[i % 256]);
}

static void mini_nums(cs *c, unsigned k)
{
    (void)k;
    boolean bits[NUM_BITS];
    num a = random_num(c), x, y;
    cuzk_num_to_bits_strict(c, bits, &a);
    cuzk_num_inputize(c, &a);
    num b = random_num(c);
    num product = cuzk_num_mul(c, &a, &b);
    cuzk_num_square(c, &product);
    boolean bit = cuzk_bool_alloc(c, random_bit());
    cuzk_num_conditionally_reverse(c, &x, &y, &a, &b, bool_not(bit));
    cuzk_num_add(c, &a, &b);
    cuzk_num_sub(c, &a, &b);
    cuzk_num_equal(c, &a, &a);
}

static void mini_insert(cs *c, unsigned size)
{
    num out[INSERT_MAX], other[INSERT_MAX], element = random_num(c);
    boolean bits[4];
    unsigned at = 0;
    random_bits(c, bits, cuzk_lg_ceil(size));
    for (unsigned i = 0; i + 1 < size; i++)
        other[i] = random_num(c);
    cuzk_insert(c, out, &element, bits, other, size);
    for (unsigned i = 0; i < cuzk_lg_ceil(size); i++)
        at |= (unsigned)bits[i].value << i;
    for (unsigned i = 0; i < size; i++) {
        const num *want = i == at ? &element : i < at ? &other[i] : &other[i - 1];
        assert_true(fr_eq(&out[i].value, &want->value));
    }
}

static void mini_select(cs *c, unsigned k)
{
    (void)k;
    num from[8], copy[8];
    boolean bits[3];
    for (unsigned i = 0; i < 8; i++)
        copy[i] = from[i] = random_num(c);
    random_bits(c, bits, 3);
    num x = cuzk_select(c, from, bits, 3);
    unsigned at = (unsigned)(bits[0].value | bits[1].value << 1 | bits[2].value << 2);
    assert_true(fr_eq(&x.value, &copy[at].value));
}

static boolean kind_of(unsigned kind, boolean x)
{
    return kind < 2 ? bool_const(kind) : kind == 2 ? x : bool_not(x);
}

static void check_bool(boolean b, unsigned want)
{
    assert_int_equal(b.value, want);
}

static void mini_ch_maj(cs *c, unsigned k)
{
    (void)k;
    boolean x[3];
    random_bits(c, x, 3);
    for (unsigned i = 0; i < 64; i++) {
        boolean p = kind_of(i / 16, x[0]), q = kind_of(i / 4 % 4, x[1]), r = kind_of(i % 4, x[2]);
        check_bool(cuzk_bool_sha256_ch(c, p, q, r), p.value ? q.value : r.value);
        check_bool(cuzk_bool_sha256_maj(c, p, q, r), p.value + q.value + r.value >= 2);
        if (i % 4 == 0) {
            check_bool(cuzk_bool_xor(c, p, q), p.value ^ q.value);
            check_bool(cuzk_bool_and(c, p, q), p.value & q.value);
            if (!bool_is_const(p) || !bool_is_const(q))
                cuzk_bool_enforce_equal(c, p, q);
        }
    }
}

static uint32_t u32_value(const u32_bits *x)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < 32; i++)
        v |= (uint32_t)x->bit[i].value << i;
    return v;
}

static void mini_addmany(cs *c, unsigned k)
{
    (void)k;
    u32_bits a = cuzk_u32_alloc(c, (uint32_t)random_u64());
    u32_bits b = cuzk_u32_alloc(c, (uint32_t)random_u64());
    u32_bits constant = cuzk_u32_const(0xdeadbeef);
    const u32_bits *op[] = {&a, &b, &constant};
    multieq m;
    cuzk_multieq_init(&m, c);
    u32_bits s = cuzk_u32_addmany(&m, op, 2);
    assert_int_equal(u32_value(&s), u32_value(&a) + u32_value(&b));
    s = cuzk_u32_addmany(&m, op, 3);
    assert_int_equal(u32_value(&s), u32_value(&a) + u32_value(&b) + 0xdeadbeef);
    cuzk_multieq_end(&m);
}

static void mini_compress(cs *c, unsigned variable)
{
    boolean block[SHA256_BLOCK_BITS];
    sha256_state s;
    random_bits(c, block, SHA256_BLOCK_BITS);
    cuzk_sha256_gadget_iv(&s);
    for (unsigned i = 0; variable && i < 8; i++)
        s.h[i] = cuzk_u32_alloc(c, (uint32_t)random_u64());
    cuzk_sha256_gadget_compress(c, &s, block, block + SHA256_HALF_BITS);
}

static void check_sha256(const boolean out[256], const boolean bits[], size_t n)
{
    uint8_t message[256] = {0}, digest[32], got[32] = {0};
    for (size_t i = 0; i < n; i++)
        message[i / 8] |= (uint8_t)(bits[i].value << (7 - i % 8));
    for (size_t i = 0; i < 256; i++)
        got[i / 8] |= (uint8_t)(out[i].value << (7 - i % 8));
    cuzk_sha256(digest, message, n / 8);
    assert_memory_equal(got, digest, 32);
}

static void mini_sha256(cs *c, unsigned n)
{
    boolean bits[1024], out[256];
    random_bits(c, bits, n);
    cuzk_sha256_gadget(c, out, bits, n);
    check_sha256(out, bits, n);
}

static void mini_sha256_mix(cs *c, unsigned k)
{
    (void)k;
    boolean q[384], bits[448], out[256];
    random_bits(c, q, 384);
    for (unsigned i = 0; i < 448; i++) {
        bits[i] = q[i % 384];
        if (i % 7 == 3)
            bits[i] = bool_const(i / 7 % 2 == 0);
        else if (i % 5 == 1)
            bits[i] = bool_not(bits[i]);
    }
    cuzk_sha256_gadget(c, out, bits, 448);
    check_sha256(out, bits, 448);
}

static void mini_node(cs *c, unsigned k)
{
    (void)k;
    uint8_t bytes[64], digest[32];
    num a = random_num(c), b = random_num(c), n = cuzk_sha256_node(c, &a, &b);
    cuzk_fr_to_bytes(bytes, &a.value);
    cuzk_fr_to_bytes(bytes + 32, &b.value);
    cuzk_sha256(digest, bytes, 64);
    digest[31] &= 0x3f;
    cuzk_fr_to_bytes(bytes, &n.value);
    assert_memory_equal(bytes, digest, 32);
}

/* The native label: circuits.md 5.4. */
static void check_label(const num *label, const fr *id, uint32_t layer, uint64_t node,
                        const fr parent[], unsigned n)
{
    uint8_t message[39 * 32] = {0}, digest[32], got[32];
    cuzk_fr_to_bytes(message, id);
    for (unsigned i = 0; i < 4; i++)
        message[32 + i] = (uint8_t)(layer >> (24 - 8 * i));
    for (unsigned i = 0; i < 8; i++)
        message[36 + i] = (uint8_t)(node >> (56 - 8 * i));
    for (unsigned i = 0; i < 37; i++)
        cuzk_fr_to_bytes(message + 64 + 32 * i, &parent[i % n]);
    cuzk_sha256(digest, message, sizeof message);
    digest[31] &= 0x3f;
    cuzk_fr_to_bytes(got, &label->value);
    assert_memory_equal(got, digest, 32);
}

static void mini_label(cs *c, unsigned layer)
{
    static boolean parent[14][NODE_BITS];
    const boolean *order[14];
    boolean bits[NUM_BITS], id_bits[NODE_BITS];
    fr parent_value[14];
    unsigned n = layer == 1 ? 6 : 14;
    num id = random_num(c);
    cuzk_num_to_bits(c, bits, &id);
    cuzk_byte_order(id_bits, bits, NUM_BITS);
    uint64_t node_value = random_u64();
    u64_bits node = cuzk_u64_alloc(c, node_value);
    for (unsigned i = 0; i < n; i++) {
        num p = random_num(c);
        cuzk_num_to_bits(c, bits, &p);
        cuzk_byte_order(parent[i], bits, NUM_BITS);
        order[i] = parent[i];
        parent_value[i] = p.value;
    }
    num label = cuzk_sha256_label(c, id_bits, layer, &node, order, n);
    check_label(&label, &id.value, layer, node_value, parent_value, n);
}

static void mini_poseidon(cs *c, unsigned kind)
{
    num in[POSEIDON_MAX_WIDTH];
    fr value[POSEIDON_MAX_WIDTH], native;
    for (unsigned i = 0; i < cuzk_poseidon_arity((poseidon_kind)kind); i++) {
        in[i] = random_num(c);
        value[i] = in[i].value;
    }
    num out = cuzk_poseidon_gadget(c, (poseidon_kind)kind, in);
    cuzk_poseidon_hash(&native, (poseidon_kind)kind, value);
    assert_true(fr_eq(&native, &out.value));
}

typedef struct {
    const char *name;
    mini *run;
    unsigned k;
    unsigned inputs, aux, rows;
    const char *digest;
    bool structure_only; /* its rows contradict each other */
} mini_circuit;

static const mini_circuit minis[] = {
    {"to_bits_le", mini_to_bits, 0, 1, 256, 256,
     "fe8f60dff8688ec7c39a8ebb4750cc381c306c9f430d43e0fcf0ca5a23025477", false},
    {"to_bits_le_strict", mini_strict, 0, 1, 388, 388,
     "cab777ba3bc05615d11c5753689206f2dda4a032e308fff584a43514a8053303", false},
    {"pack_bits", mini_pack_bits, 0, 1, 257, 257,
     "352e627baa52141b1b050a580cc100fa43bd7814771139498ec702c79200e941", false},
    {"pack_into_inputs", mini_pack_into_inputs, 0, 3, 300, 302,
     "eb5c5885192eeac7598afd7dae124c8f65e2fc606b868a4a99ae0fdd4f9f6aa5", false},
    {"pack", mini_pack, 0, 5, 1064, 1068,
     "80245cb6461961e47430b2f17b63c65f4e403bcea1ad2368db1c87909dab76ce", false},
    {"nums", mini_nums, 0, 2, 396, 397,
     "7fafc8f3af7bc6049d99eab5cf40beda1e75ef535d2c623e94feadf0df084ead", false},
    {"insert 2", mini_insert, 2, 1, 5, 3,
     "82c023e06614e98ea7c276fdb9fe7a756bd3f7bd064d54df4bb919aaa9e3d62e", false},
    {"insert 4", mini_insert, 4, 1, 14, 10,
     "f17eed7b87158455ecd1851388db6d1de1498c170e1b1a855c2949ef64af717e", false},
    {"insert 8", mini_insert, 8, 1, 33, 25,
     "393a19b029a34f2ab275a6bdec18b8aa306a9ce353209262944e3be6ec1180a6", false},
    {"insert 16", mini_insert, 16, 1, 260, 244,
     "9954eb6e0939e6b16f601f54f11713064861b4b0f40b212eb75cd1250864c78f", false},
    {"select 8", mini_select, 0, 1, 18, 10,
     "947ef30b1c67bfdbbabf8c7f14efcbb1f4d43a41877d4ab403f8eb925d186587", false},
    {"ch, maj", mini_ch_maj, 0, 1, 79, 91,
     "eb7fbafe269cc85d53f51d4d5b4105c588ed82f654027bd1e30bb3515a329a88", true},
    {"addmany", mini_addmany, 0, 1, 131, 132,
     "13bfd45c1baf663be2f3813f31826db43282575535e1cd26c90b2257d7ad9457", false},
    {"compress", mini_compress, 0, 1, 26326, 26352,
     "a91be46c89fe4cb18f85d99956bf9b1afe0a96d1b6c960a30d4e9dcafcf501ba", false},
    {"compress var", mini_compress, 1, 1, 26934, 26960,
     "f1f4b8dd8fc68a4e0201c4e7c36f2b25548421084be3998f6699acaa67072000", false},
    {"sha256 of 512 bits", mini_sha256, 512, 1, 45340, 45386,
     "39b920088193af138e8d3494179b1d9a20442bb23e28e65028b068c6a9e48771", false},
    {"sha256 mix", mini_sha256_mix, 0, 1, 44810, 44856,
     "ca80937a56f853d38ffa870229d484ac2aade99eda3f0d5e04a33304628c2c70", false},
    {"tree-D node", mini_node, 0, 1, 45333, 45379,
     "17fd4b5ddd5b8fe8759308f1b1b019e3a9e00d179d227b5e64580e48a233b91e", false},
    {"label, layer 1", mini_label, 1, 1, 523605, 524125,
     "f7b4e330cfae19d7d55dc37c96ed31c479813f060bd53b28097c06f17eb9d97e", false},
    {"label, layer 2", mini_label, 2, 1, 525653, 526173,
     "1adbb0a987c8166d016056473a2f3371baca64ab4ab8671fda472ba6e96d290f", false},
    {"label, layer 11", mini_label, 11, 1, 525653, 526173,
     "ff1733281bac9e8484017999298f47981562d40d5959c31bad9a144dc349acf6", false},
    {"Poseidon 2", mini_poseidon, POSEIDON_2, 1, 313, 311,
     "658f013f99360e164ad8e7f96290944601cc064f93c153d9ea7ac1275927175f", false},
    {"Poseidon 2, tag 2^40", mini_poseidon, POSEIDON_2_GEN, 1, 313, 311,
     "9675551c881122d99caf9a20a4bf87878e1863c432265a33e98e1c1a74e246a8", false},
    {"Poseidon 4", mini_poseidon, POSEIDON_4, 1, 381, 377,
     "2360602a7c4555d454b46891236273f4ae308090bc916fdcef1fb81d00ebbe70", false},
    {"Poseidon 8", mini_poseidon, POSEIDON_8, 1, 513, 505,
     "ab50aeda63344f7125999ef5c4af7777380b9015ec82ad48bac2213e9353b163", false},
    {"Poseidon 11", mini_poseidon, POSEIDON_11, 1, 609, 598,
     "e94a28106cbb9a718e525f0f2593ce3b138350047854ebcc3c83472ed482a6f6", false},
};

static void run_mini(const void *ctx, cs *c)
{
    const mini_circuit *m = (const mini_circuit *)ctx;
    m->run(c, m->k);
}

static void digests(void **state)
{
    (void)state;
    random_state = 1;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(minis); i++) {
        const mini_circuit *m = &minis[i];
        cs_circuit circuit = {run_mini, m};
        circuit_summary s;
        char text[65];
        assert_int_equal(cuzk_circuit_summarize(&s, &circuit, NULL, NULL), CUZK_OK);
        cuzk_hex_encode(text, s.digest, 32);
        if (strcmp(text, m->digest) != 0)
            fail_msg("%s: %s", m->name, text);
        assert_int_equal(s.n_inputs, m->inputs);
        assert_int_equal(s.n_aux, m->aux);
        assert_int_equal(s.n_rows, m->rows);
    }
}

static void witnesses(void **state)
{
    (void)state;
    random_state = 77;
    print_message("seed 77\n");
    for (size_t i = 0; i < CUZK_ARRAY_LEN(minis); i++) {
        const mini_circuit *m = &minis[i];
        cs_circuit circuit = {run_mini, m};
        for (unsigned k = 0; k < (m->aux < 2000 ? 20 : 1); k++) {
            witness_summary w;
            assert_int_equal(cuzk_witness_summarize(&w, &circuit, NULL, NULL), CUZK_OK);
            if (!m->structure_only && !w.satisfied)
                fail_msg("%s: row %llu", m->name, (unsigned long long)w.first_bad_row);
        }
    }
}

/* gadgets.md 9.6: non-zeros of the Poseidon instances. */
static void poseidon_nonzeros(void **state)
{
    (void)state;
    static const struct {
        unsigned kind, a, b, c, longest;
    } want[] = {{POSEIDON_2, 2119, 313, 386, 58},
                {POSEIDON_4, 2573, 381, 467, 61},
                {POSEIDON_8, 3598, 513, 624, 66},
                {POSEIDON_11, 4462, 609, 738, 69}};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(want); i++) {
        mini_circuit m = {.run = mini_poseidon, .k = want[i].kind};
        cs_circuit circuit = {run_mini, &m};
        circuit_summary s;
        assert_int_equal(cuzk_circuit_summarize(&s, &circuit, NULL, NULL), CUZK_OK);
        assert_int_equal(s.nnz_a, want[i].a);
        assert_int_equal(s.nnz_b, want[i].b);
        assert_int_equal(s.nnz_c, want[i].c);
        assert_int_equal(s.longest_a, want[i].longest);
        assert_int_equal(s.density_b_inputs, 1);
    }
}

/* Every padding length; constants only, so that no row appears. */
static void sha256_constant(const void *ctx, cs *c)
{
    boolean bits[1024], out[256];
    size_t n = *(const size_t *)ctx;
    for (size_t i = 0; i < n; i++)
        bits[i] = bool_const(random_bit());
    cuzk_sha256_gadget(c, out, bits, n);
    check_sha256(out, bits, n);
}

static void sha256_of_constants(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 1024; n += 8) {
        cs_circuit circuit = {sha256_constant, &n};
        circuit_summary s;
        assert_int_equal(cuzk_circuit_summarize(&s, &circuit, NULL, NULL), CUZK_OK);
        assert_int_equal(s.n_rows, 0);
        assert_int_equal(s.n_aux, 0);
    }
}

static void sha256_of_variables(void **state)
{
    (void)state;
    static const unsigned sizes[] = {8, 256, 440, 448, 504, 1024};
    random_state = 5;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(sizes); i++) {
        mini_circuit m = {.run = mini_sha256, .k = sizes[i]};
        cs_circuit circuit = {run_mini, &m};
        witness_summary w;
        assert_int_equal(cuzk_witness_summarize(&w, &circuit, NULL, NULL), CUZK_OK);
        assert_true(w.satisfied);
    }
}

/* Row 2 says 3 * x = 4 x of an x that is not 0. */
static void bad_row(const void *ctx, cs *c)
{
    (void)ctx;
    num x = random_num(c);
    cuzk_num_equal(c, &x, &x);
    cuzk_num_square(c, &x);
    cs_row r;
    cs_row_begin(c, &r);
    cs_lc_add(&r.a, CS_ONE, COEFF_ONE);
    cs_lc_add(&r.a, CS_ONE, COEFF_TWO);
    cs_lc_add(&r.b, x.var, COEFF_ONE);
    cs_lc_add(&r.c, x.var, &cuzk_pow2[2]);
    cs_row_end(c, &r);
    cuzk_num_equal(c, &x, &x);
}

static void bad_row_is_found(void **state)
{
    (void)state;
    cs_circuit circuit = {bad_row, NULL};
    witness_summary w;
    assert_int_equal(cuzk_witness_summarize(&w, &circuit, NULL, NULL), CUZK_OK);
    assert_false(w.satisfied);
    assert_int_equal(w.first_bad_row, 2);
    assert_int_equal(w.n_rows, 4);
    assert_int_equal(w.n_aux, 2);
}

static void nonzero(const void *ctx, cs *c)
{
    num x = cuzk_num_alloc(c, &cuzk_fr_bit[*(const unsigned *)ctx]);
    cuzk_num_assert_nonzero(c, &x);
}

static void assert_nonzero_row(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        cs_circuit circuit = {nonzero, &k};
        witness_summary w;
        assert_int_equal(cuzk_witness_summarize(&w, &circuit, NULL, NULL), CUZK_OK);
        assert_int_equal(w.satisfied, k);
    }
}

static void different_constants(const void *ctx, cs *c)
{
    (void)ctx;
    cuzk_bool_enforce_equal(c, bool_const(true), bool_const(true));
    assert_int_equal(c->st, CUZK_OK);
    cuzk_bool_enforce_equal(c, bool_const(true), bool_const(false));
}

static void constants_that_differ_fail(void **state)
{
    (void)state;
    cs_circuit circuit = {different_constants, NULL};
    circuit_summary s;
    witness_summary w;
    cuzk_err err;
    assert_int_equal(cuzk_circuit_summarize(&s, &circuit, NULL, &err), CUZK_UNSATISFIED);
    assert_int_equal(err.status, CUZK_UNSATISFIED);
    assert_int_equal(cuzk_witness_summarize(&w, &circuit, NULL, &err), CUZK_UNSATISFIED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests),
        cmocka_unit_test(witnesses),
        cmocka_unit_test(poseidon_nonzeros),
        cmocka_unit_test(sha256_of_constants),
        cmocka_unit_test(sha256_of_variables),
        cmocka_unit_test(bad_row_is_found),
        cmocka_unit_test(assert_nonzero_row),
        cmocka_unit_test(constants_that_differ_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Known answers: spec circuits.md 11.2. Those of synthetic challenges and of update challenges come
 * from the Rust tests of storage-proofs-porep and storage-proofs-update; graph, replica_id, PoSt
 * and seal vectors from the independent model that the specification was checked with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "base/hex.h"
#include "circuit/poseidon.h"
#include "filecoin/chacha.h"
#include "filecoin/challenges.h"
#include "filecoin/graph.h"

static void bytes_of(uint8_t out[32], const char *hex)
{
    assert_true(cuzk_hex_decode(out, 32, hex));
}

/* RFC 8439 section 2.3.2. */
static void chacha20_block(void **state)
{
    (void)state;
    uint8_t key[32], out[64];
    char hex[129];
    for (int i = 0; i < 32; i++)
        key[i] = (uint8_t)i;
    cuzk_chacha_block(out, key, (uint32_t[4]){1, 0x09000000, 0x4a000000, 0}, 20);
    cuzk_hex_encode(hex, out, 64);
    assert_string_equal(hex, "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
                             "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e");
}

static void prover_ids(void **state)
{
    (void)state;
    static const struct {
        uint64_t miner;
        uint8_t bytes[10];
    } row[] = {{0, {0}},          {1, {1}},
               {127, {0x7f}},     {128, {0x80, 1}},
               {1000, {0xe8, 7}}, {UINT64_MAX, {255, 255, 255, 255, 255, 255, 255, 255, 255, 1}}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        uint8_t id[32], want[32] = {0};
        memcpy(want, row[i].bytes, 10);
        cuzk_prover_id(id, row[i].miner);
        assert_memory_equal(id, want, 32);
    }
}

typedef struct {
    uint32_t number;
    unsigned lg_nodes;
    uint32_t node;
    uint32_t drg[DRG_PARENTS], exp[EXP_PARENTS];
} graph_row;

#define NONE UINT32_MAX /* in the first place: no vector for this half */

static void graph_parents(void **state)
{
    (void)state;
    static const graph_row row[] = {
        {5, 6, 63, {62, 15, 42, 62, 61, 62}, {0, 15, 30, 30, 28, 42, 49, 38}},
        {5, 6, 2, {1, 1, 1, 0, 1, 0}, {NONE}},
        {0, 6, 63, {62, 61, 56, 62, 37, 62}, {49, 37, 35, 41, 52, 50, 54, 5}},
        {0, 6, 2, {0, 1, 1, 1, 1, 1}, {NONE}},
        {8,
         30,
         (1u << 30) - 1,
         {1073741822, 1073258530, 440642413, 663190843, 1073741654, 1073741786},
         {NONE}},
        {8,
         30,
         1,
         {0, 0, 0, 0, 0, 0},
         {702693034, 366772265, 26763858, 547315823, 59704098, 413126652, 762902885, 978177250}},
        {3,
         30,
         1,
         {0, 0, 0, 0, 0, 0},
         {13536482, 408931302, 20901127, 516736204, 364188542, 199756244, 229243375, 461736401}},
        {3,
         30,
         1u << 29,
         {536870904, 536864250, 486065916, 536870244, 425441937, 536870911},
         {NONE}},
        {9,
         31,
         1,
         {0, 0, 0, 0, 0, 0},
         {1036111275, 1117977879, 2077086148, 488497543, 535064180, 1682488147, 675821115,
          1625113434}},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const registered_proof *type = cuzk_registered_by_number(CUZK_KIND_POREP, row[i].number);
        uint32_t drg[DRG_PARENTS], exp[EXP_PARENTS];
        uint8_t porep_id[32];
        porep_graph g;
        cuzk_porep_id(porep_id, type);
        cuzk_graph_init(&g, row[i].lg_nodes, type->api, porep_id);
        cuzk_graph_drg_parents(drg, &g, row[i].node);
        cuzk_graph_exp_parents(exp, &g, row[i].node);
        assert_memory_equal(drg, row[i].drg, sizeof drg);
        if (row[i].exp[0] != NONE)
            assert_memory_equal(exp, row[i].exp, sizeof exp);
    }
}

/* Every node is a parent exactly eight times: the expander is a permutation of node slots. */
static void expander_is_a_permutation(void **state)
{
    (void)state;
    for (unsigned lg = 5; lg <= 9; lg++) {
        porep_graph g;
        unsigned count[512] = {0};
        cuzk_graph_init(&g, lg, API_1_1_0, (const uint8_t[32]){(uint8_t)lg});
        for (uint32_t v = 0; v < 1u << lg; v++) {
            uint32_t exp[EXP_PARENTS], drg[DRG_PARENTS];
            cuzk_graph_exp_parents(exp, &g, v);
            cuzk_graph_drg_parents(drg, &g, v);
            for (int i = 0; i < EXP_PARENTS; i++)
                count[exp[i]]++;
            for (int i = 0; i < DRG_PARENTS; i++)
                assert_true(v < 2 ? drg[i] == 0 : drg[i] < v);
        }
        for (uint32_t v = 0; v < 1u << lg; v++)
            assert_int_equal(count[v], EXP_PARENTS);
    }
}

/* Seal vectors A (number 5) and B (number 0): miner 1000, sector 1, ticket 01.., zero data. */
static void replica_ids(void **state)
{
    (void)state;
    static const struct {
        uint32_t number;
        const char *replica_id;
    } row[] = {{5, "3e75e87332cd5d60132c1f9f9a8362e2e4cf190b46f4fd636fd8864b842d170b"},
               {0, "833e3d0ec6313d5110118382a53eadc8851b3bdc3c64d9d0a9515f36d630ee22"}};
    uint8_t prover_id[32], ticket[32], comm_d[32], porep_id[32], id[32], want[32];
    cuzk_prover_id(prover_id, 1000);
    memset(ticket, 1, 32);
    bytes_of(comm_d, "fc7e928296e516faade986b28f92d44a4f24b935485223376a799027bc18f833");
    for (size_t i = 0; i < 2; i++) {
        cuzk_porep_id(porep_id, cuzk_registered_by_number(CUZK_KIND_POREP, row[i].number));
        cuzk_replica_id(id, prover_id, 1, ticket, comm_d, porep_id);
        bytes_of(want, row[i].replica_id);
        assert_memory_equal(id, want, 32);
    }
}

static porep_challenge_input vector_a(uint32_t number)
{
    porep_challenge_input in = {.type = cuzk_registered_by_number(CUZK_KIND_POREP, number)};
    bytes_of(in.replica_id, "3e75e87332cd5d60132c1f9f9a8362e2e4cf190b46f4fd636fd8864b842d170b");
    bytes_of(in.comm_r, "77424390b36f74acd595c40d0e341f4fbff18623feaf8ad72fe73d7490d0d65c");
    memset(in.seed, 2, 32);
    return in;
}

static void porep_challenges(void **state)
{
    (void)state;
    static const struct {
        uint32_t number;
        unsigned partition;
        uint64_t node[2];
    } row[] = {{5, 0, {28, 27}}, {15, 0, {63, 37}}, {15, 12, {56, 11}}, {10, 0, {50, 14}}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        porep_challenge_input in = vector_a(row[i].number);
        uint64_t node[MAX_CHALLENGES];
        cuzk_porep_challenges(node, &in, row[i].partition);
        assert_memory_equal(node, row[i].node, sizeof row[i].node);
    }
    porep_challenge_input in = vector_a(10);
    static const uint64_t first[] = {50, 35, 10, 33};
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(cuzk_synthetic_candidate(&in, 6, i), first[i]);
    assert_int_equal(cuzk_synthetic_selection(&in, 64, 0), 59);
    assert_int_equal(cuzk_synthetic_selection(&in, 64, 1), 4);
}

static void porep_challenges_32g(void **state)
{
    (void)state;
    porep_challenge_input in = {.type = cuzk_registered_by_number(CUZK_KIND_POREP, 8)};
    static const uint64_t first[] = {499046160, 712603008, 754804829, 576280792};
    uint64_t node[MAX_CHALLENGES];
    bytes_of(in.replica_id, "811d73e7ee9eafa5bc99ab8fe59db4df58732314297c036a8b4f8a571b48a119");
    memset(in.seed, 2, 32);
    cuzk_porep_challenges(node, &in, 0);
    assert_memory_equal(node, first, sizeof first);
    cuzk_porep_challenges(node, &in, 9);
    assert_int_equal(node[16], 478256732);
    assert_int_equal(node[17], 427533063);
}

/* The Rust test: 2^10 nodes, 21 candidates. */
static void synthetic_set(void **state)
{
    (void)state;
    static const uint64_t candidate[21] = {178, 297, 869, 211, 875, 477, 94,  781, 124, 332, 856,
                                           801, 176, 692, 429, 691, 290, 204, 986, 210, 973};
    static const uint64_t challenge[10] = {176, 781, 801, 986, 290, 211, 692, 856, 986, 332};
    porep_challenge_input in = {.replica_id = {55}, .comm_r = {101}};
    memset(in.seed, 1, 32);
    for (uint64_t i = 0; i < 21; i++)
        assert_int_equal(cuzk_synthetic_candidate(&in, 10, i), candidate[i]);
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(candidate[cuzk_synthetic_selection(&in, 21, i)], challenge[i]);
}

static void post_challenges(void **state)
{
    (void)state;
    static const uint64_t small[10] = {15, 30, 60, 40, 31, 45, 14, 18, 34, 2};
    static const uint64_t large[4] = {1009488335, 1019538142, 665567932, 939642216};
    /* postpub.json of Curio: randomness zero, sector 1 */
    static const uint64_t real[3] = {707914199, 439148358, 967788220};
    uint8_t randomness[32], zero[32] = {0};
    memset(randomness, 3, 32);
    for (uint64_t x = 0; x < 10; x++)
        assert_int_equal(cuzk_post_challenge(randomness, 1, x, 6), small[x]);
    for (uint64_t x = 0; x < 4; x++)
        assert_int_equal(cuzk_post_challenge(randomness, 1, x, 30), large[x]);
    for (uint64_t x = 0; x < 3; x++)
        assert_int_equal(cuzk_post_challenge(zero, 1, x, 30), real[x]);
}

static void post_challenge_indices(void **state)
{
    (void)state;
    const registered_proof *v1 = cuzk_registered_by_number(CUZK_KIND_WINDOW, 8);
    const registered_proof *v1_1 = cuzk_registered_by_number(CUZK_KIND_WINDOW, 13);
    const registered_proof *winning = cuzk_registered_by_number(CUZK_KIND_WINNING, 3);
    assert_int_equal(cuzk_post_challenge_index(v1, 7, 3), 73);
    assert_int_equal(cuzk_post_challenge_index(v1_1, 7, 3), 3);
    assert_int_equal(cuzk_post_challenge_index(winning, 0, 65), 65);
}

static void update_challenges(void **state)
{
    (void)state;
    static const struct {
        const char *size;
        unsigned partition;
        uint64_t node[5];
    } row[] = {
        {"2k", 0, {53, 51, 56, 3, 0}},
        {"16k", 1, {286, 308, 493, 510, 508}},
        {"8m", 1, {78878, 130797, 112892, 93994, 78379}},
        {"512m", 15, {16388544, 15794686, 16637142, 16319148, 16328348}},
        {"32g", 0, {1019125, 27985696, 15282860, 11586600, 44651330}},
        {"32g", 15, {1038629497, 1053983614, 1030421316, 1027373887, 1068685433}},
        {"64g", 15, {2045262457, 2036941247, 2136653521, 2091356007, 2147167623}},
    };
    uint8_t big_endian[32], b[32];
    fr comm_r_new;
    bytes_of(big_endian, "6c0740d6edb22eb13054f4587d6d2dcbc688f796c303c7044f60429c4bbe1c10");
    for (int i = 0; i < 32; i++)
        b[i] = big_endian[31 - i];
    assert_true(cuzk_fr_from_bytes(&comm_r_new, b));
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const sector_shape *s = cuzk_shape_by_name(row[i].size);
        uint64_t node[86];
        cuzk_update_challenges(node, s, &comm_r_new, row[i].partition);
        assert_memory_equal(node, row[i].node, sizeof row[i].node);
        for (unsigned k = 0; k < s->update_challenges; k++)
            assert_int_equal(node[k] * s->update_partitions >> s->lg_nodes, row[i].partition);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chacha20_block),       cmocka_unit_test(prover_ids),
        cmocka_unit_test(graph_parents),        cmocka_unit_test(expander_is_a_permutation),
        cmocka_unit_test(replica_ids),          cmocka_unit_test(porep_challenges),
        cmocka_unit_test(porep_challenges_32g), cmocka_unit_test(synthetic_set),
        cmocka_unit_test(post_challenges),      cmocka_unit_test(post_challenge_indices),
        cmocka_unit_test(update_challenges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

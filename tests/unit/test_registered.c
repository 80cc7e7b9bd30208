#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "filecoin/circuit_id.h"
#include "filecoin/registered.h"

/* Hash part of the published file names and sizes of the .vk files: the parameter manifest of
 * rust-fil-proofs (parameters.json), tabulated in spec formats.md 7.6. A .vk has one IC point of
 * 96 bytes per public input and ONE after 868 bytes. */
static const struct {
    const char *id, *hash;
    size_t vk_bytes;
} manifest[] = {
    {"porep-2k", "032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f", 4708},
    {"wpost-2k", "0170db1f394b35d995252228ee359194b13199d259380541dc529fb0099096b0", 3076},
    {"winning-2k", "3ea05428c9d11689f23529cde32fd30aabd50f7d2c93657c1d3650bca3e8ea9e", 13636},
    {"snap-2k", "fb9e095bebdd77511c0269b967b4d87ba8b8a525edaa0e165de23ba454510194", 1348},
    {"porep-8m", "ecd683648512ab1765faa2a5f14bab48f676e633467f0aa8aad4b55dcb0652bb", 4708},
    {"wpost-8m", "5294475db5237a2e83c3e52fd6c2b03859a1831d45ed08c4f35dbf9a803165a9", 3076},
    {"winning-8m", "50c7368dea9593ed0989e70974d28024efa9d156d585b7eea1be22b2e753f331", 13636},
    {"snap-8m", "92180959e1918d26350b8e6cfe217bbdd0a2d8de51ebec269078b364b715ad63", 1348},
    {"porep-512m", "6babf46ce344ae495d558e7770a585b2382d54f225af8ed0397b8be7c3fcd472", 4708},
    {"wpost-512m", "0cfb4f178bbb71cf2ecfcd42accce558b27199ab4fb59cb78f2483fe21ef36d9", 3076},
    {"winning-512m", "7d739b8cf60f1b0709eeebee7730e297683552e4b69cab6984ec0285663c5781", 13636},
    {"snap-512m", "61fa69f38b9cc771ba27b670124714b4ea77fbeae05e377fb859c4a43b73a30c", 1348},
    {"porep-32g", "82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820", 32356},
    {"wpost-32g", "0377ded656c6f524f1618760bffe4e0a1c51d5a70c4509eedae8a27555733edc", 2481508},
    {"winning-32g", "559e581f022bb4e4ec6e719e563bf0e026ad6de42e56c18714a2c692b1b88d7e", 13636},
    {"snap-32g", "3b7f44a9362e3985369454947bc94022e118211e49fd672d52bec1cbfd599d18", 1348},
    {"porep-64g", "96f1b4a04c5c51e4759bbf224bbc2ef5a42c7100f16ec0637123f16a845ddfb2", 32356},
    {"wpost-64g", "2627e4006b67f99cef990c0a47d5426cb7ab0a0ad58fc1061547bf2d28b09def", 2429764},
    {"winning-64g", "b62098629d07946e9028127e70295ed996fe3ed25b0f9f88eb610a0ab4385a3c", 13636},
    {"snap-64g", "102e1444a7e9a97ebf1e3d6855dcc77e66c011ea66f936d9b2c508f87f2f83a7", 1348},
};

static const char *tree_of(const char *size)
{
    return strcmp(size, "32g") == 0 ? "8-8-0" : strcmp(size, "64g") == 0 ? "8-8-2" : "8-0-0";
}

static void file_stems_are_the_published_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof manifest / sizeof manifest[0]; i++) {
        circuit_id id;
        char stem[CIRCUIT_STEM_BYTES], want[CIRCUIT_STEM_BYTES], name[24];
        assert_int_equal(cuzk_circuit_id_parse(&id, manifest[i].id, NULL), CUZK_OK);
        cuzk_circuit_id_format(name, id);
        assert_string_equal(name, manifest[i].id);
        const char *prefix = strncmp(name, "porep", 5) == 0  ? "stacked-proof-of-replication"
                             : strncmp(name, "snap", 4) == 0 ? "empty-sector-update"
                                                             : "proof-of-spacetime-fallback";
        snprintf(want, sizeof want, "v28-%s-merkletree-poseidon_hasher-%s%s-%s", prefix,
                 tree_of(strchr(name, '-') + 1),
                 strncmp(name, "porep", 5) == 0 ? "-sha256_hasher" : "", manifest[i].hash);
        cuzk_circuit_stem(stem, id);
        assert_string_equal(stem, want);
        assert_int_equal(868 + 96 * (cuzk_circuit_n_inputs(id) + 1), manifest[i].vk_bytes);
    }
}

static void circuit_names(void **state)
{
    (void)state;
    static const char *const good[] = {"porep-4k", "wpost-32k", "winning-1g", "snap-1k", "snap-8k"};
    static const char *const bad[] = {"",         "porep",     "porep-",    "porep-3k",  "porep-1k",
                                      "snap-1g",  "wpost-8k",  "window-2k", "porep-2k ", "-2k",
                                      "PoRep-2k", "porepx-2k", "porep-2kx", "winning-1k"};
    circuit_id id;
    cuzk_err err;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_int_equal(cuzk_circuit_id_parse(&id, good[i], NULL), CUZK_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(cuzk_circuit_id_parse(&id, bad[i], &err), CUZK_INVAL);
        assert_non_null(strstr(err.msg, "wpost-SIZE"));
        assert_non_null(strstr(err.msg, "512m"));
    }
}

/* go-state-types abi/sector.go and filecoin-proofs-api, through spec circuits.md 1.3-1.5. */
static void numbers_and_names(void **state)
{
    (void)state;
    static const struct {
        cuzk_kind kind;
        uint32_t number;
        const char *name;
        const char *size;
        api_version api;
        porep_mode mode;
        unsigned partitions;
    } row[] = {
        {CUZK_KIND_POREP, 0, "StackedDrg2KiBV1", "2k", API_1_0_0, POREP_INTERACTIVE, 1},
        {CUZK_KIND_POREP, 4, "StackedDrg64GiBV1", "64g", API_1_0_0, POREP_INTERACTIVE, 10},
        {CUZK_KIND_POREP, 8, "StackedDrg32GiBV1_1", "32g", API_1_1_0, POREP_INTERACTIVE, 10},
        {CUZK_KIND_POREP, 11, "StackedDrg8MiBV1_1_Feat_SyntheticPoRep", "8m", API_1_2_0,
         POREP_SYNTHETIC, 1},
        {CUZK_KIND_POREP, 15, "StackedDrg2KiBV1_2_Feat_NonInteractivePoRep", "2k", API_1_2_0,
         POREP_NON_INTERACTIVE, 13},
        {CUZK_KIND_POREP, 19, "StackedDrg64GiBV1_2_Feat_NonInteractivePoRep", "64g", API_1_2_0,
         POREP_NON_INTERACTIVE, 126},
        {CUZK_KIND_WINNING, 3, "StackedDrgWinning32GiBV1", "32g", API_1_0_0, 0, 1},
        {CUZK_KIND_WINDOW, 7, "StackedDrgWindow512MiBV1", "512m", API_1_0_0, 0, 1},
        {CUZK_KIND_WINDOW, 13, "StackedDrgWindow32GiBV1_2", "32g", API_1_2_0, 0, 1},
        {CUZK_KIND_UPDATE, 0, "StackedDrg2KiBV1", "2k", API_1_2_0, 0, 1},
        {CUZK_KIND_UPDATE, 1, "StackedDrg8MiBV1", "8m", API_1_2_0, 0, 4},
        {CUZK_KIND_UPDATE, 4, "StackedDrg64GiBV1", "64g", API_1_2_0, 0, 16},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const registered_proof *p = cuzk_registered_by_number(row[i].kind, row[i].number);
        assert_non_null(p);
        assert_string_equal(p->name, row[i].name);
        assert_string_equal(p->shape->name, row[i].size);
        assert_true(p->api == row[i].api && p->mode == row[i].mode);
        assert_int_equal(cuzk_registered_partitions(p), row[i].partitions);
        assert_ptr_equal(cuzk_registered_by_name(row[i].kind, row[i].name), p);
    }
    const registered_proof *go =
        cuzk_registered_by_name(CUZK_KIND_POREP, "StackedDrg32GiBV1_2_Feat_NiPoRep");
    assert_ptr_equal(go, cuzk_registered_by_number(CUZK_KIND_POREP, 18));
    go = cuzk_registered_by_name(CUZK_KIND_WINDOW, "StackedDrgWindow2KiBV1_1");
    assert_ptr_equal(go, cuzk_registered_by_number(CUZK_KIND_WINDOW, 10));
}

static void the_table_is_consistent(void **state)
{
    (void)state;
    size_t n = 0, n_kind[CUZK_KIND_COUNT] = {0};
    for (const registered_proof *p; (p = cuzk_registered_at(n)) != NULL; n++) {
        n_kind[p->kind]++;
        assert_true(p->shape->registered);
        assert_non_null(strstr(p->name, p->shape->rust_name));
        assert_ptr_equal(cuzk_registered_by_number(p->kind, p->number), p);
        assert_ptr_equal(cuzk_registered_by_name(p->kind, p->name), p);
    }
    assert_int_equal(n_kind[CUZK_KIND_POREP], 20);
    assert_int_equal(n_kind[CUZK_KIND_WINNING], 5);
    assert_int_equal(n_kind[CUZK_KIND_WINDOW], 10);
    assert_int_equal(n_kind[CUZK_KIND_UPDATE], 5);
    assert_int_equal(n, 40);
}

/* CASES A06: 2^32 + 5 must not become 5. */
static void unknown_numbers_and_names(void **state)
{
    (void)state;
    static const uint64_t bad[] = {20, 99, (uint64_t)1 << 31, ((uint64_t)1 << 32) + 5, UINT64_MAX};
    for (unsigned k = 0; k < CUZK_KIND_COUNT; k++) {
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
            assert_null(cuzk_registered_by_number((cuzk_kind)k, bad[i]));
        assert_null(cuzk_registered_by_name((cuzk_kind)k, ""));
        assert_null(cuzk_registered_by_name((cuzk_kind)k, "StackedDrg2KiBV2"));
        assert_null(cuzk_registered_by_name((cuzk_kind)k, "StackedDrg4KiBV1"));
    }
    assert_null(cuzk_registered_by_number(CUZK_KIND_WINNING, 5));
    assert_null(cuzk_registered_by_number(CUZK_KIND_WINDOW, 4));
    assert_null(cuzk_registered_by_number(CUZK_KIND_UPDATE, 5));
    assert_null(cuzk_registered_by_name(CUZK_KIND_POREP, "StackedDrgWinning2KiBV1"));
}

static void porep_id_bytes(void **state)
{
    (void)state;
    uint8_t id[32], want[32] = {13};
    cuzk_porep_id(id, cuzk_registered_by_number(CUZK_KIND_POREP, 13));
    assert_memory_equal(id, want, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_stems_are_the_published_ones),
        cmocka_unit_test(circuit_names),
        cmocka_unit_test(numbers_and_names),
        cmocka_unit_test(the_table_is_consistent),
        cmocka_unit_test(unknown_numbers_and_names),
        cmocka_unit_test(porep_id_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

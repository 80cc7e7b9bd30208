/* Requests without a sealed sector: published values, the reference generator's files byte for
 * byte, our own checks on every kind, and what must be refused. Values: spec circuits.md
 * sections 9.7 and 11.3, made by its Python model and accepted by the established verifier. */
#include "unit/synth_support.h"

#include <dirent.h>

#include "base/compiler.h"
#include "filecoin/synth/synth_tree.h"
#include "filecoin/vanilla_check.h"

/* ---- published values ---- */

static void assert_hex(const char *what, const uint8_t got[32], const char *want)
{
    char hex[65];
    if (!want)
        return;
    cuzk_hex_encode(hex, got, 32);
    if (strcmp(hex, want) != 0)
        fail_msg("%s is %s, not %s", what, hex, want);
}

static void prf_vector(void **state)
{
    (void)state;
    uint8_t out[32], other[32];
    const uint64_t arg[] = {1, 5};
    cuzk_synth_prf(out, 0, "label", 2, arg);
    assert_hex("prf", out, "ae4c944b0a4d1c513bbc36915887a1e3ee57016c25c547f1aadffd784193df0f");
    cuzk_synth_prf(other, 1, "label", 2, arg);
    assert_memory_not_equal(out, other, 32);
}

typedef struct {
    const char *circuit;
    size_t n_sectors;
    unsigned n_partitions;
    int lg_pieces, lg8_period;
    const char *comm_d, *comm_c, *comm_r_last, *comm_r;
    const char *in_request; /* further text that request.json must contain */
} published;

static const published published_values[] = {
    {"winning-32g", 0, 0, -1, -1, NULL,
     "14ab550ce3d2c446c4cb98f9897525dac992bb257142da11f011fdf087afcf30",
     "46fe58fc5ec2d2a3de2932993e5149bb34739a07b7ab282790f6a14379c66c6f",
     "90b0913cea8e4861b9f4e836b94e4e45633227c8e1bedb583da2658db04bdd5d", "\"id\": 1"},
    {"wpost-32g", 1, 0, -1, -1, NULL,
     "14ab550ce3d2c446c4cb98f9897525dac992bb257142da11f011fdf087afcf30",
     "2b0a9eba79dac5f7e86998dbabb644d1c167ca0f3d3ac8bc7ad735836d585201",
     "afa3bce047bd03588cc6b3a6317893a23cabb539adbeb125e67ddbf180f7295a", "Window32GiBV1_2"},
    {"porep-32g", 0, 1, -1, -1, "077e5fde35c50a9303a55009e3498a4ebedff39c42b710b730d8ec7ac7afa63e",
     "a635b354c420375f5d3ca1629ac1701f634ad763fc9aff94ea9f9dbe23f88b26",
     "960d15dc8f866a08886b45e4b09c337ec95ff7fbd12d9f354bde43901dde4301",
     "f5d1af880e389fc741c205dc43e16f6e038998a9099f54e06eda6505f9206a23",
     "811d73e7ee9eafa5bc99ab8fe59db4df58732314297c036a8b4f8a571b48a119" /* replica_id */},
    {"snap-32g", 0, 1, 10, 0, "d43aa12a452f6072a4e5f5ed01eae47d80d72d43ccf895916c0a5228e0407d1f",
     "228e972b3e6d64be54e37b00b95f8e66c338fa1189b000a78b3426b9d2b6f523",
     "aeb147cbad18a87cd9b52f634a93d461e17acc8f1dc5e3d45dcd4d72fe151b0c",
     "01d20c7b2e6a8940eff61e96c1187636fb90df0a8b29ed6ab800b2e83bbc8d6b",
     "5f5f5ef18f2173b1561b0adc8a0bbe145fe6ee64507314b4259b96ae4ef28c56" /* comm_r_old */},
};

static void assert_file_contains(const char *path, const char *text)
{
    uint8_t *bytes;
    size_t n;
    assert_int_equal(cuzk_file_read(&bytes, &n, path, 1 << 20, NULL), CUZK_OK);
    if (!strstr((const char *)bytes, text))
        fail_msg("%s does not contain %s", path, text);
    cuzk_free(bytes);
}

static void reference_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(published_values); i++) {
        const published *p = &published_values[i];
        cuzk_synth_options opt = CUZK_SYNTH_OPTIONS_DEFAULTS;
        opt.n_sectors = p->n_sectors;
        opt.n_partitions = p->n_partitions;
        opt.lg_pieces = p->lg_pieces;
        opt.lg8_period = p->lg8_period;
        cuzk_synth_result r = generate(p->circuit, "reference", &opt);
        assert_hex("comm_d", r.comm_d, p->comm_d);
        assert_hex("comm_c", r.comm_c, p->comm_c);
        assert_hex("comm_r_last", r.comm_r_last, p->comm_r_last);
        assert_hex("comm_r", r.comm_r, p->comm_r);
        assert_file_contains(scratch_path("reference/request.json"), p->in_request);
    }
}

/* ---- the reference generator's files ---- */

static void assert_same_file(const char *a, const char *b)
{
    uint8_t *x = NULL, *y = NULL;
    size_t n = 0, m = 0;
    cuzk_err err = {0};
    if (cuzk_file_read(&x, &n, a, 64 << 20, &err) != CUZK_OK ||
        cuzk_file_read(&y, &m, b, 64 << 20, &err) != CUZK_OK)
        fail_msg("%s", err.msg);
    if (n != m || memcmp(x, y, n) != 0)
        fail_msg("%s and %s differ", a, b);
    cuzk_free(x);
    cuzk_free(y);
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Compares the request files of a fixture folder with those in scratch/made; returns how many. */
static unsigned compare_with(const char *folder)
{
    unsigned n = 0;
    struct dirent *e;
    DIR *d = opendir(folder);
    assert_non_null(d);
    while ((e = readdir(d)) != NULL) {
        char want[1024], made[512];
        if (!ends_with(e->d_name, ".json") && !ends_with(e->d_name, ".vanilla"))
            continue;
        snprintf(want, sizeof want, "%s/%s", folder, e->d_name);
        snprintf(made, sizeof made, "made/%s", e->d_name);
        assert_same_file(scratch_path(made), want);
        n++;
    }
    closedir(d);
    return n;
}

static void reference_files(void **state)
{
    (void)state;
    static const uint64_t three[] = {1, 2, 7};
    static uint8_t fours[32];
    static const struct {
        const char *folder, *circuit;
        size_t n_sectors;
        const uint64_t *ids;
        unsigned n_files;
    } table[] = {
        {"winning-512m", "winning-512m", 0, NULL, 2}, {"winning-32g", "winning-32g", 0, NULL, 2},
        {"winning-64g", "winning-64g", 0, NULL, 2},   {"window-512m", "wpost-512m", 1, NULL, 2},
        {"window-32g-1", "wpost-32g", 1, NULL, 2},    {"window-32g-3", "wpost-32g", 3, three, 4},
        {"porep-512m", "porep-512m", 0, NULL, 2},
    };
    const char *shared = getenv("CUZK_SHARED");
    char folder[512];
    snprintf(folder, sizeof folder, "%s/fixtures/requests-full", shared ? shared : "../shared");
    if (access(folder, R_OK) != 0) {
        printf("SKIP: %s is not here\n", folder);
        skip();
    }
    memset(fours, 4, sizeof fours);
    for (size_t i = 0; i < CUZK_ARRAY_LEN(table); i++) {
        cuzk_synth_options opt = CUZK_SYNTH_OPTIONS_DEFAULTS;
        opt.n_sectors = table[i].n_sectors;
        opt.sector_ids = table[i].ids;
        opt.randomness = table[i].ids ? fours : NULL;
        generate(table[i].circuit, "made", &opt);
        snprintf(folder, sizeof folder, "%s/fixtures/requests-full/%s",
                 shared ? shared : "../shared", table[i].folder);
        assert_int_equal(compare_with(folder), table[i].n_files);
    }
}

/* ---- our own reader and checks ---- */

static void assert_holds(const char *circuit, const cuzk_synth_options *opt)
{
    cuzk_err err;
    generate(circuit, "made", opt);
    if (check_request("made", &err) != CUZK_OK)
        fail_msg("%s, seed %llu: %s", circuit, (unsigned long long)opt->seed, err.msg);
}

static void every_kind_holds(void **state)
{
    (void)state;
    static const char *const circuit[] = {
        "porep-2k", "winning-2k", "wpost-2k", "snap-2k", "porep-8m", "winning-8m", "wpost-8m",
        "porep-512m", "winning-512m", "wpost-512m", "winning-32g", "winning-64g", "snap-8m",
    };
    for (size_t i = 0; i < CUZK_ARRAY_LEN(circuit); i++) {
        cuzk_synth_options opt = CUZK_SYNTH_OPTIONS_DEFAULTS;
        opt.seed = i % 2 ? UINT64_MAX - i : 0;
        assert_holds(circuit[i], &opt);
    }
}

/* Old types, other sectors and miners, data that is not zero, partitions that are not full. */
static void variants_hold(void **state)
{
    (void)state;
    cuzk_synth_options opt = CUZK_SYNTH_OPTIONS_DEFAULTS;
    opt.registered_proof = "StackedDrg2KiBV1";
    opt.lg_data_period = 4;
    opt.sector = ((uint64_t)1 << 33) + 7;
    opt.miner = 1u << 20;
    assert_holds("porep-2k", &opt);
    opt.registered_proof = NULL;
    opt.lg_data_period = 6;
    assert_holds("porep-2k", &opt);
    opt.registered_proof = "StackedDrgWindow2KiBV1";
    opt.n_sectors = 5; /* of two a partition; V1 challenges depend on the position */
    assert_holds("wpost-2k", &opt);
    opt.registered_proof = NULL;
    opt.n_sectors = 0;
    opt.n_partitions = 3;
    assert_holds("wpost-8m", &opt);
    opt.n_partitions = 0;
    opt.n_sectors = 3;
    assert_holds("wpost-64g", &opt);
    opt.n_sectors = 0;
    opt.lg_pieces = 1;
    opt.lg8_period = 0;
    assert_holds("snap-2k", &opt);
    opt.lg_pieces = 10;
    opt.lg8_period = 1;
    assert_holds("snap-8m", &opt);
}

static void damage_is_found(void **state)
{
    (void)state;
    cuzk_synth_options opt = CUZK_SYNTH_OPTIONS_DEFAULTS;
    cuzk_err err;
    uint8_t *bytes;
    size_t n;
    generate("winning-2k", "made", &opt);
    const char *path = scratch_path("made/sector-1.vanilla");
    assert_int_equal(cuzk_file_read(&bytes, &n, path, 1 << 20, NULL), CUZK_OK);
    bytes[n / 2] ^= 1;
    assert_int_equal(cuzk_file_write(path, bytes, n, NULL), CUZK_OK);
    cuzk_free(bytes);
    assert_int_not_equal(check_request("made", &err), CUZK_OK);
}

static void same_bytes_for_any_threads(void **state)
{
    (void)state;
    static const struct {
        const char *circuit, *file;
    } table[] = {{"porep-8m", "c1.json"}, {"wpost-2k", "sector-2.vanilla"},
                 {"snap-2k", "partition-0.vanilla"}};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(table); i++) {
        char one[64], three[64], other[64];
        cuzk_synth_options opt = CUZK_SYNTH_OPTIONS_DEFAULTS;
        cuzk_synth_result r[3];
        opt.seed = 77;
        opt.n_threads = 1;
        r[0] = generate(table[i].circuit, "one", &opt);
        opt.n_threads = 3;
        r[1] = generate(table[i].circuit, "three", &opt);
        opt.seed = 78;
        r[2] = generate(table[i].circuit, "other", &opt);
        snprintf(one, sizeof one, "one/%s", table[i].file);
        snprintf(three, sizeof three, "three/%s", table[i].file);
        snprintf(other, sizeof other, "other/%s", table[i].file);
        assert_same_file(scratch_path(one), scratch_path(three));
        assert_same_file(scratch_path("one/request.json"), scratch_path("three/request.json"));
        assert_memory_equal(r[0].comm_r, r[1].comm_r, 32);
        assert_memory_not_equal(r[0].comm_r, r[2].comm_r, 32);
        assert_memory_not_equal(r[0].comm_c, r[2].comm_c, 32);
    }
}

/* ---- refusals ---- */

static void refuse(const char *circuit, const cuzk_synth_options *opt, cuzk_status want,
                   const char *text)
{
    cuzk_err err = {0};
    cuzk_status st = cuzk_synth_request(NULL, circuit, scratch_path("refused"), opt, &err);
    if (st != want || !strstr(err.msg, text))
        fail_msg("%s: %s \"%s\", not %s \"%s\"", circuit, cuzk_status_name(st), err.msg,
                 cuzk_status_name(want), text);
    assert_int_not_equal(access(scratch_path("refused/request.json"), F_OK), 0);
}

static void options_out_of_range(void **state)
{
    (void)state;
    static const uint64_t falling[] = {3, 3};
    static const uint8_t zeros[32];
    uint8_t ones[32];
    memset(ones, 0xff, sizeof ones);
#define REFUSE(circuit, status, text, ...)                                                         \
    do {                                                                                           \
        cuzk_synth_options o = CUZK_SYNTH_OPTIONS_DEFAULTS;                                        \
        __VA_ARGS__;                                                                               \
        refuse(circuit, &o, status, text);                                                         \
    } while (0)
    REFUSE("porep-3k", CUZK_INVAL, "porep-3k", (void)o);
    REFUSE("porep-4k", CUZK_INVAL, "no registered proof", (void)o);
    REFUSE("porep-2k", CUZK_INVAL, "has 1", o.n_partitions = 2);
    REFUSE("snap-8m", CUZK_INVAL, "has 4", o.n_partitions = 5);
    REFUSE("winning-2k", CUZK_INVAL, "only Window", o.n_sectors = 2);
    REFUSE("porep-2k", CUZK_INVAL, "only Window", o.sector_ids = falling);
    REFUSE("wpost-2k", CUZK_INVAL, "not both", o.n_sectors = 2, o.n_partitions = 1);
    REFUSE("wpost-2k", CUZK_INVAL, "without their number", o.sector_ids = falling);
    REFUSE("wpost-2k", CUZK_INVAL, "ascend", o.sector_ids = falling, o.n_sectors = 2);
    REFUSE("wpost-2k", CUZK_INVAL, "limit", o.n_sectors = 300001);
    REFUSE("wpost-32g", CUZK_INVAL, "limit", o.n_partitions = 0xffffffffu);
    REFUSE("wpost-2k", CUZK_INVAL, "64 bits", o.n_sectors = 2, o.sector = UINT64_MAX);
    REFUSE("wpost-2k", CUZK_INVAL, "modulus", o.randomness = ones);
    REFUSE("porep-2k", CUZK_INVAL, "zeros", o.challenge_seed = zeros);
    REFUSE("porep-2k", CUZK_INVAL, "not a registered porep",
           o.registered_proof = "StackedDrg8MiBV1_1");
    REFUSE("snap-2k", CUZK_INVAL, "not a registered update", o.registered_proof = "nonsense");
    REFUSE("porep-2k", CUZK_UNSUPPORTED, "sealed sector",
           o.registered_proof = "StackedDrg2KiBV1_1_Feat_SyntheticPoRep");
    REFUSE("porep-2k", CUZK_UNSUPPORTED, "take it instead",
           o.registered_proof = "StackedDrg2KiBV1_2_Feat_NonInteractivePoRep");
    REFUSE("porep-2k", CUZK_INVAL, "data period", o.lg_data_period = 7);
    REFUSE("porep-32g", CUZK_INVAL, "data period", o.lg_data_period = 21);
    REFUSE("snap-8m", CUZK_INVAL, "at least 2^10 and at most 2^15", o.lg_pieces = 9);
    REFUSE("snap-8m", CUZK_INVAL, "pieces", o.lg_pieces = 16);
    REFUSE("snap-2k", CUZK_INVAL, "pieces", o.lg8_period = 2);
    REFUSE("snap-2k", CUZK_INVAL, "pieces", o.lg8_period = 1 << 30);
    REFUSE("snap-32g", CUZK_INVAL, "pieces", o.lg_pieces = 23, o.lg8_period = 0);
    REFUSE("porep-2k", CUZK_INVAL, "cuzk_synth_options", o.size--);
#undef REFUSE
}

static void folders_that_do_not_work(void **state)
{
    (void)state;
    cuzk_synth_options opt = CUZK_SYNTH_OPTIONS_DEFAULTS;
    cuzk_err err = {0};
    generate("winning-2k", "made", &opt);
    assert_int_equal(cuzk_synth_request(NULL, "wpost-2k", scratch_path("made"), &opt, &err),
                     CUZK_EXISTS);
    assert_non_null(strstr(err.msg, "made/request.json"));
    assert_int_equal(cuzk_synth_request(NULL, "winning-2k", scratch_path("made/request.json/x"),
                                        &opt, &err), CUZK_IO);
    /* a folder in the place of a file, met only when the file is complete */
    char blocked[512];
    snprintf(blocked, sizeof blocked, "%s", scratch_path("blocked/sector-1.vanilla"));
    assert_int_equal(cuzk_make_dirs(blocked, NULL), CUZK_OK);
    assert_int_equal(cuzk_synth_request(NULL, "wpost-2k", scratch_path("blocked"), &opt, &err),
                     CUZK_IO);
    assert_non_null(strstr(err.msg, "sector-1.vanilla"));
    assert_int_not_equal(access(scratch_path("blocked/request.json"), F_OK), 0);
}

static void out_of_memory(void **state)
{
    (void)state;
    static const char *const circuit[] = {"porep-2k", "wpost-2k", "snap-2k"};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(circuit); i++) {
        cuzk_synth_options opt = CUZK_SYNTH_OPTIONS_DEFAULTS;
        cuzk_status st = CUZK_NOMEM;
        uint64_t n = 0;
        opt.n_threads = 1;
        while (st != CUZK_OK) {
            cuzk_err err = {0};
            remove_tree(scratch_path("made"));
            uint64_t used = cuzk_mem_used();
            cuzk_mem_fail_nth(++n);
            st = cuzk_synth_request(NULL, circuit[i], scratch_path("made"), &opt, &err);
            cuzk_mem_fail_nth(0);
            assert_int_equal(cuzk_mem_used(), used);
            if (st != CUZK_OK && (st != CUZK_NOMEM || !err.msg[0]))
                fail_msg("%s, allocation %llu: %s", circuit[i], (unsigned long long)n, err.msg);
        }
        assert_true(n > 10);
    }
}

/* ---- trees ---- */

/* All nodes of a Poseidon tree, the slow way: level l starts at row[l]. */
typedef struct {
    fr *node, *row[MAX_TREE_LEVELS];
} full_tree;

static full_tree full_tree_of(const fr leaf[], size_t n, const uint8_t arity[], unsigned n_levels)
{
    full_tree t = {.node = CUZK_NEW_ARRAY(fr, 2 * n)};
    assert_non_null(t.node);
    memcpy(t.node, leaf, n * sizeof *leaf);
    t.row[0] = t.node;
    for (unsigned l = 0; l < n_levels; l++) {
        t.row[l + 1] = t.row[l] + n;
        n /= arity[l];
        for (size_t i = 0; i < n; i++)
            cuzk_synth_hash_poseidon(&t.row[l + 1][i], &t.row[l][i * arity[l]], arity[l]);
    }
    return t;
}

static void assert_path_holds(const synth_tree *t, uint64_t leaf, const fr *value)
{
    merkle_proof p;
    fr sibling[SYNTH_MAX_SIBLINGS], top;
    cuzk_synth_path(&p, sibling, t, leaf);
    assert_int_equal(cuzk_merkle_proof_index(&p), leaf);
    assert_true(fr_eq(&p.leaf, value));
    cuzk_merkle_climb(&top, &p, p.n_levels, TREE_POSEIDON);
    assert_true(fr_eq(&top, &t->root));
}

static void fill(fr leaf[], size_t n, uint64_t seed)
{
    for (uint64_t i = 0; i < n; i++)
        cuzk_synth_prf_fr(&leaf[i], seed, "test", 1, &i);
}

static void assert_same_nodes(const synth_tree *t, const full_tree *full, size_t n)
{
    fr node;
    for (unsigned l = 0; l <= t->n_levels; l++) {
        for (size_t i = 0; i < n; i++) {
            t->node(&node, t, l, i);
            assert_true(fr_eq(&node, &full->row[l][i]));
        }
        n = l < t->n_levels ? n / t->arity[l] : 0;
    }
}

/* Every way to cut small sectors into regions with a period, against the whole tree. */
static void piecewise_equals_full(void **state)
{
    (void)state;
    static const char *const shape[] = {"2k", "4k", "16k", "32k"};
    static fr leaf[1024], piece[1024];
    for (size_t s = 0; s < CUZK_ARRAY_LEN(shape); s++) {
        const sector_shape *sh = cuzk_shape_by_name(shape[s]);
        unsigned lg = sh->lg_nodes;
        uint8_t arity[MAX_TREE_LEVELS];
        unsigned n_levels = cuzk_shape_tree_arities(sh, arity);
        for (unsigned q = 0; q <= lg; q++) {
            for (unsigned lg_period = 0; q + lg_period <= lg; lg_period += 1 + (lg > 7)) {
                synth_piecewise_tree t;
                size_t n = (size_t)1 << lg, period = (size_t)1 << lg_period, width = n >> q;
                fill(piece, period << q, 100 * q + lg_period + 1);
                for (size_t i = 0; i < n; i++)
                    leaf[i] = piece[i / width * period + i % width % period];
                full_tree full = full_tree_of(leaf, n, arity, n_levels);
                assert_int_equal(cuzk_synth_piecewise_build(&t, arity, n_levels,
                                                            cuzk_synth_hash_poseidon, lg,
                                                            (uint64_t)1 << q, period, piece, NULL,
                                                            NULL), CUZK_OK);
                assert_same_nodes(&t.tree, &full, n);
                assert_path_holds(&t.tree, n - 3, &leaf[n - 3]);
                cuzk_synth_piecewise_fini(&t);
                cuzk_free(full.node);
            }
        }
    }
}

static void sparse_equals_full(void **state)
{
    (void)state;
    static fr leaf[1024];
    static uint64_t index[1024];
    uint8_t arity[MAX_TREE_LEVELS];
    const sector_shape *sh = cuzk_shape_by_name("32k");
    unsigned n_levels = cuzk_shape_tree_arities(sh, arity);
    synth_node_prf none = {.tag = "none"};
    synth_sparse_tree t;
    fill(leaf, 1024, 5);
    for (uint64_t i = 0; i < 1024; i++)
        index[i] = i;
    full_tree full = full_tree_of(leaf, 1024, arity, n_levels);
    assert_int_equal(cuzk_synth_sparse_build(&t, sh, &none, index, leaf, 1024, NULL, NULL),
                     CUZK_OK);
    assert_same_nodes(&t.tree, &full, 1024);
    cuzk_synth_sparse_fini(&t);
    /* only the first and the last leaf: paths hold, all else is the function's */
    index[1] = 1023;
    leaf[1] = leaf[1023];
    assert_int_equal(cuzk_synth_sparse_build(&t, sh, &none, index, leaf, 2, NULL, NULL), CUZK_OK);
    assert_path_holds(&t.tree, 0, &leaf[0]);
    assert_path_holds(&t.tree, 1023, &leaf[1]);
    assert_false(fr_eq(&t.tree.root, &full.row[n_levels][0]));
    fr got, want;
    t.tree.node(&got, &t.tree, 1, 64);
    cuzk_synth_node(&want, &none, 1, 64);
    assert_true(fr_eq(&got, &want));
    cuzk_synth_sparse_fini(&t);
    cuzk_free(full.node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prf_vector),
        cmocka_unit_test(piecewise_equals_full),
        cmocka_unit_test(sparse_equals_full),
        cmocka_unit_test(reference_values),
        cmocka_unit_test(reference_files),
        cmocka_unit_test(every_kind_holds),
        cmocka_unit_test(variants_hold),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(same_bytes_for_any_threads),
        cmocka_unit_test(options_out_of_range),
        cmocka_unit_test(folders_that_do_not_work),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests_name("synth", tests, make_scratch, remove_scratch);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "circuit/por.h"
#include "circuit_support.h"

static void registered_small(void **state)
{
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(registered_circuits); i++) {
        const registered_circuit *r = &registered_circuits[i];
        if (r->rows < 2800000)
            check_registered(r, NULL, NULL);
    }
}

/* Counts of circuits.md section 2, inputs and aux and core rows; 1 and 8 KiB: section 11.1. */
static const struct {
    const char *name;
    uint64_t inputs, aux, rows;
} counts[] = {
    {"porep-4k", 40, 2786423, 2788733},     {"porep-16k", 40, 2974867, 2977173},
    {"porep-32k", 40, 3075617, 3077985},    {"porep-8m", 40, 3842449, 3844929},
    {"porep-16m", 40, 3943199, 3945741},    {"porep-512m", 40, 4420837, 4423433},
    {"porep-1g", 40, 4521587, 4524245},     {"snap-4k", 5, 2163189, 2165109},
    {"snap-16k", 5, 6293944, 6300021},      {"snap-32k", 5, 6753564, 6760091},
    {"snap-8m", 5, 9998039, 10007503},      {"snap-16m", 5, 10457659, 10467573},
    {"snap-1k", 5, 0, 1248389},             {"snap-8k", 5, 0, 2620359},
    {"winning-4k", 133, 112464, 111474},    {"winning-16k", 133, 127116, 125730},
    {"winning-32k", 133, 147906, 146454},   {"winning-16m", 133, 254232, 251394},
    {"winning-1g", 133, 325116, 321354},    {"wpost-4k", 23, 28428, 28146},
    {"wpost-16k", 23, 32868, 32466},        {"wpost-32k", 23, 39168, 38746},
    {"wpost-16m", 23, 71388, 70546},        {"wpost-1g", 23, 92868, 91746},
};

static circuit_id id_of(cuzk_kind kind, const sector_shape *s)
{
    return (circuit_id){kind, s};
}

static circuit_id id_named(const char *name)
{
    static const struct {
        const char *word;
        cuzk_kind kind;
    } kinds[] = {{"porep", CUZK_KIND_POREP}, {"winning", CUZK_KIND_WINNING},
                 {"wpost", CUZK_KIND_WINDOW}, {"snap", CUZK_KIND_UPDATE}};
    const char *dash = strchr(name, '-');
    for (size_t i = 0; i < CUZK_ARRAY_LEN(kinds); i++) {
        if (strncmp(name, kinds[i].word, (size_t)(dash - name)) == 0)
            return id_of(kinds[i].kind, cuzk_shape_by_name(dash + 1));
    }
    fail();
    return (circuit_id){0};
}

static void small_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(counts); i++) {
        circuit_instance in = {.id = id_named(counts[i].name)};
        cs_circuit circuit = cuzk_circuit_of(&in);
        cs c = count_circuit(&circuit);
        assert_int_equal(c.st, CUZK_OK);
        if (c.n_rows != counts[i].rows)
            fail_msg("%s: %llu rows", counts[i].name, (unsigned long long)c.n_rows);
        assert_int_equal(c.n_inputs, counts[i].inputs);
        if (counts[i].aux)
            assert_int_equal(c.n_aux, counts[i].aux);
    }
}

/* circuits.md section 2, Winning and Window; nnz A there includes the input rows. */
static const struct {
    const char *name;
    uint64_t a_aux, b_aux, nnz_a, nnz_b, nnz_c;
} densities[] = {
    {"winning-4k", 84942, 82302, 762301, 112926, 139392},
    {"winning-32k", 111804, 107976, 1003201, 148500, 183348},
    {"winning-64g", 299838, 287694, 2689501, 397518, 491040},
    {"wpost-2k", 16770, 16028, 150285, 22230, 27456},
    {"wpost-4k", 21510, 20728, 192805, 28550, 35256},
    {"wpost-16k", 24910, 23808, 223285, 33010, 40776},
    {"wpost-32k", 29650, 28508, 265805, 39330, 48576},
    {"wpost-512m", 65610, 62708, 588285, 86910, 107376},
};

static void densities_and_terms(void **state)
{
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(densities); i++) {
        circuit_summary s = summarize(id_named(densities[i].name), NULL);
        assert_int_equal(s.density_a_aux, densities[i].a_aux);
        assert_int_equal(s.density_b_aux, densities[i].b_aux);
        assert_int_equal(s.density_b_inputs, 1);
        assert_int_equal(s.nnz_a + s.n_inputs, densities[i].nnz_a);
        assert_int_equal(s.nnz_b, densities[i].nnz_b);
        assert_int_equal(s.nnz_c, densities[i].nnz_c);
    }
}

/* Made-up shapes of Rust tests (circuits.md 11.1): stacked_circuit.rs with one challenge, two
 * layers and eight nodes per base tree; and R11 of 11.3, one sector of a 32 GiB Window. */
static void shapes_of_upstream_tests(void **state)
{
    (void)state;
    static const struct {
        unsigned arity[3], base_levels, lg_nodes, rows;
    } stacked[] = {
        {{2, 0, 0}, 3, 3, 1206212},
        {{8, 0, 0}, 1, 3, 1199620},
        {{8, 4, 0}, 1, 5, 1296576},
        {{8, 4, 2}, 1, 6, 1346982},
    };
    for (size_t i = 0; i < CUZK_ARRAY_LEN(stacked); i++) {
        sector_shape s = *cuzk_shape_by_name("2k");
        memcpy(s.arity, stacked[i].arity, sizeof s.arity);
        s.base_levels = stacked[i].base_levels;
        s.lg_nodes = stacked[i].lg_nodes;
        s.porep_challenges = 1;
        circuit_instance in = {.id = id_of(CUZK_KIND_POREP, &s)};
        cs_circuit circuit = cuzk_circuit_of(&in);
        cs c = count_circuit(&circuit);
        assert_int_equal(c.n_rows, stacked[i].rows);
        assert_int_equal(c.n_inputs, 22);
    }
    sector_shape one = *cuzk_shape_by_name("32g");
    one.window_sectors = 1;
    circuit_summary s = summarize(id_of(CUZK_KIND_WINDOW, &one), NULL);
    assert_digest("R11", s.digest,
                  "968589037c1d354c4343a4aa9420877d57795335b069bc024547067884795960");
}

/* core tests/por_circuit.rs, private root, 64 leaves per base tree (circuits.md 11.1). */
typedef struct {
    node_hash hash;
    unsigned n_levels;
    uint8_t arity[8];
    unsigned rows;
} por_case;

static void synthesize_por(const void *ctx, cs *c)
{
    const por_case *p = (const por_case *)ctx;
    por_path path = {.n_levels = p->n_levels, .arity = p->arity};
    num leaf = cuzk_num_alloc(c, &cuzk_fr_one), root = cuzk_num_alloc(c, &cuzk_fr_one);
    cuzk_por_with_input(c, p->hash, &leaf, &root, &path);
}

static void merkle_paths(void **state)
{
    (void)state;
    static const por_case cases[] = {
        {NODE_POSEIDON, 6, {2, 2, 2, 2, 2, 2}, 1886}, {NODE_POSEIDON, 3, {4, 4, 4}, 1163},
        {NODE_POSEIDON, 2, {8, 8}, 1062},             {NODE_POSEIDON, 3, {8, 8, 2}, 1376},
        {NODE_POSEIDON, 4, {8, 8, 4, 2}, 1763},       {NODE_POSEIDON, 3, {8, 8, 8}, 1592},
        {NODE_POSEIDON, 4, {8, 8, 8, 2}, 1906},       {NODE_POSEIDON, 4, {8, 8, 2, 4}, 1763},
        {NODE_SHA256, 6, {2, 2, 2, 2, 2, 2}, 272294},
    };
    for (size_t i = 0; i < CUZK_ARRAY_LEN(cases); i++) {
        cs_circuit circuit = {synthesize_por, &cases[i]};
        cs c = count_circuit(&circuit);
        assert_int_equal(c.st, CUZK_OK);
        assert_int_equal(c.n_rows, cases[i].rows);
        assert_int_equal(c.n_inputs, 2);
    }
    static const por_case bad = {NODE_SHA256, 1, {8}, 0};
    cs_circuit circuit = {synthesize_por, &bad};
    assert_int_equal(count_circuit(&circuit).st, CUZK_INTERNAL);
}

/* circuits.md 11.3, R5-R7: trees of three, two and four levels with a sub and a top level. */
static const struct {
    const char *shape, *comm_r[2], *r1cs, *inputs, *aux;
} windows[] = {
    {"4k",
     {"32e237d1bcd8edd57f5a315278f632c77809088c14ef40aebab76882823d0d39",
      "a5446694c38b621327e98aed85d287f83ab4800ff2e8cba5da10f9949feeff48"},
     "5b7fa4aca3b7ea9abd3c67ccb313ad3a79fe423ec5eabfb2731ee671f6d4fa46",
     "d9b14709017d2659ad3a6838850b8e41dd3384ea98d4f8653f9ad759427e7955",
     "b55221a463fdc0d0145e38508538c6935e83d21ebab7d93f894a2ce784a083b6"},
    {"16k",
     {"3bc37a6ea6c29ed6b8e276de61f54edfa88518429e0cfdf14e7e17a838104e44",
      "5bb41efbb062cbb78701475dd38fd7c74be26fbb5cf9624c049aa94b25ba9722"},
     "f107e04651b668b96f7337f7867f43c94e1e795cdc5f4eb586600f6a987abbab",
     "84c237473a6963e3978e9de487bfbaab763fe9b158c48e12b4f893a4faa89c37",
     "5361b1df354fd8eb1f0eab3ee32759863e12a63a61668f6035bf21909aa06486"},
    {"32k",
     {"68942fff8c86e3bdad4592031b81cb57007eb3765e3ce31bd18ec1ad7d6abb32",
      "2566f9e661c42386430f26056fbad520730ec486d07e62c46ab11fe1576c605a"},
     "a5355fd4db825440d37d7290f1c3242934a1dc30ff6035b1e2929333a17ce90b",
     "97601e6719b20e857ed3b99e56962a64f83dd6ce3b53ff8c35b1f735174dc72e",
     "67e357a4a21902cbb9373ec7772f36c5bf46bf90134d461d01f601b8a0ebeb61"},
};

static void windows_of_other_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(windows); i++) {
        const sector_shape *shape = cuzk_shape_by_name(windows[i].shape);
        proof_request req;
        uint8_t bytes[32];
        window_request(&req, shape);
        for (unsigned k = 0; k < 2; k++) {
            cuzk_fr_to_bytes(bytes, &req.sector[k].comm_r);
            assert_digest("comm_r", bytes, windows[i].comm_r[k]);
        }
        circuit_summary s = summarize(id_of(CUZK_KIND_WINDOW, shape), NULL);
        assert_digest(windows[i].shape, s.digest, windows[i].r1cs);
        witness_summary w = summarize_witness(&req, 0, NULL);
        assert_true(w.satisfied);
        assert_digest("inputs", w.inputs_sha256, windows[i].inputs);
        assert_digest("aux", w.aux_sha256, windows[i].aux);
        request_fini(&req);
    }
}

/* One sector fills the partition like two copies of it. */
static void window_padding(void **state)
{
    (void)state;
    proof_request req;
    window_request(&req, cuzk_shape_by_name("4k"));
    post_sector last = req.sector[1];
    req.n_sectors = 1;
    witness_summary one = summarize_witness(&req, 0, NULL);
    req.n_sectors = 2;
    req.sector[1] = req.sector[0];
    witness_summary two = summarize_witness(&req, 0, NULL);
    assert_memory_equal(one.aux_sha256, two.aux_sha256, 32);
    assert_memory_equal(one.inputs_sha256, two.inputs_sha256, 32);

    post_sector three[3] = {req.sector[0], last, last}; /* the second partition: sector 2 twice */
    req.sector = three;
    req.n_sectors = 3;
    witness_summary second = summarize_witness(&req, 1, NULL);
    req.sector = three + 1;
    req.n_sectors = 1;
    witness_summary alone = summarize_witness(&req, 0, NULL);
    assert_memory_equal(second.aux_sha256, alone.aux_sha256, 32);
    request_fini(&req);
}

/* A wrong value anywhere makes some row fail. */
static void wrong_values_do_not_satisfy(void **state)
{
    (void)state;
    proof_request req;
    window_request(&req, cuzk_shape_by_name("4k"));
    post_sector *s = &req.sector[1];
    fr *victims[] = {&s->comm_r, &s->comm_c, &s->comm_r_last, &s->proof[3].leaf};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(victims); i++) {
        fr keep = *victims[i];
        fr_add(victims[i], victims[i], &cuzk_fr_one);
        assert_false(summarize_witness(&req, 0, NULL).satisfied);
        *victims[i] = keep;
    }
    s->proof[9].index[1] ^= 1;
    assert_false(summarize_witness(&req, 0, NULL).satisfied);
    s->proof[9].index[1] ^= 1;
    assert_true(summarize_witness(&req, 0, NULL).satisfied);
    request_fini(&req);
}

/* Structure never follows values: a proof of another shape is refused. */
static void other_shapes_are_refused(void **state)
{
    (void)state;
    proof_request req;
    window_request(&req, cuzk_shape_by_name("4k"));
    circuit_instance in = {{CUZK_KIND_WINDOW, cuzk_shape_by_name("16k")}, &req, 0};
    cs_circuit circuit = cuzk_circuit_of(&in);
    assert_int_equal(count_circuit(&circuit).st, CUZK_INVAL);
    in.id.shape = req.shape;
    req.sector[0].n_proofs = 9;
    assert_int_equal(count_circuit(&circuit).st, CUZK_INVAL);
    req.n_sectors = 0;
    assert_int_equal(count_circuit(&circuit).st, CUZK_INVAL);
    request_fini(&req);

    static const struct {
        cuzk_kind kind;
        const char *shape;
    } none[] = {{CUZK_KIND_POREP, "1k"}, {CUZK_KIND_WINDOW, "8k"}, {CUZK_KIND_UPDATE, "1g"}};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(none); i++) {
        circuit_instance no = {.id = id_of(none[i].kind, cuzk_shape_by_name(none[i].shape))};
        circuit = cuzk_circuit_of(&no);
        assert_int_equal(count_circuit(&circuit).st, CUZK_INVAL);
    }
}

/* Real requests made with filecoin-proofs-api 19.1.0 and their witness digests. */
static void witnesses_of_requests(void **state)
{
    (void)state;
    check_witness_folder("tests/data/porep-2k-a");
    check_witness_folder("tests/data/winning-2k");
    check_witness_folder("tests/data/window-2k-1");
    check_witness_folder("tests/data/window-2k-3-v1");
    check_witness_folder("tests/data/update-2k");
}

/* Each allocation fails once: the right status, and nothing stays allocated. */
static void out_of_memory(void **state)
{
    (void)state;
    proof_request req;
    window_request(&req, cuzk_shape_by_name("4k"));
    circuit_instance in = {{CUZK_KIND_WINDOW, req.shape}, &req, 0};
    cs_circuit circuit = cuzk_circuit_of(&in);
    uint64_t used = cuzk_mem_used();
    for (uint64_t n = 1; n < 40; n++) {
        circuit_summary s;
        witness_summary w;
        cuzk_err err = {0};
        cuzk_mem_fail_nth(n);
        cuzk_status st = cuzk_circuit_summarize(&s, &circuit, NULL, &err);
        assert_true(st == CUZK_NOMEM && err.status == CUZK_NOMEM);
        assert_int_equal(cuzk_mem_used(), used);
        cuzk_mem_fail_nth(n);
        st = cuzk_witness_summarize(&w, &circuit, NULL, &err);
        cuzk_mem_fail_nth(0);
        assert_true(st == CUZK_NOMEM && err.status == CUZK_NOMEM);
        assert_int_equal(cuzk_mem_used(), used);
    }
    request_fini(&req);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registered_small),
        cmocka_unit_test(small_shapes),
        cmocka_unit_test(densities_and_terms),
        cmocka_unit_test(shapes_of_upstream_tests),
        cmocka_unit_test(merkle_paths),
        cmocka_unit_test(windows_of_other_shapes),
        cmocka_unit_test(window_padding),
        cmocka_unit_test(wrong_values_do_not_satisfy),
        cmocka_unit_test(other_shapes_are_refused),
        cmocka_unit_test(witnesses_of_requests),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

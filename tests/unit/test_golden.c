/* The smallest real circuit end to end below the engine: WindowPoSt of 2 KiB sectors. Parameters
 * and proofs must be the bytes that the established stack makes from the same secrets, r and s. */
#include "unit/groth16_support.h"

#include "base/hash.h"
#include "engine/insecure.h"
#include "filecoin/circuits.h"

static const char circuit_name[] = "wpost-2k";

/* SHA-256 of the files that bellperson 0.27.0 made. */
static const struct {
    const char *name, *sha256;
} made_files[] = {
    {"w.params", "e1e41eca16e571d69e9e55827325c53d4da5f673a4bcfc75bbcf2c42583dd8ec"},
    {"w.vk", "5b884ddb0c6cdb610e818167d3fddc14e897f558cb0fed99a71973880ccfbf39"},
};

static cuzk_pool *pool;

static int make_params(void **state)
{
    circuit_instance blank = {{0}, NULL, 0};
    groth16_secrets secrets;
    if (test_dir_make(state) != 0 || cuzk_pool_new(&pool, 0, "golden-test", NULL) != CUZK_OK ||
        cuzk_circuit_id_parse(&blank.id, circuit_name, NULL) != CUZK_OK)
        return -1;
    const cs_circuit circuit = cuzk_circuit_of(&blank);
    cuzk_insecure_secrets(&secrets);
    return cuzk_groth16_setup(&circuit, &secrets, test_path("w.params"), test_path("w.vk"), pool,
                              NULL, NULL) == CUZK_OK
               ? 0
               : -1;
}

static int drop_params(void **state)
{
    cuzk_pool_free(pool);
    return test_dir_remove(state);
}

static void parameters_equal_the_established_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(made_files); i++) {
        size_t n;
        uint8_t *bytes = test_read_file(test_path(made_files[i].name), &n), digest[32];
        char text[65];
        cuzk_sha256(digest, bytes, n);
        cuzk_hex_encode(text, digest, sizeof digest);
        assert_string_equal(text, made_files[i].sha256);
        cuzk_free(bytes);
    }
}

/* With the circuit interpreted (and every row checked), then compiled. */
static void check_request(const groth16_srs *srs, const char *name, const compiled_circuit *k)
{
    circuit_instance instance = {{0}, NULL, 0};
    proof_request *req = NULL;
    char file[64];
    assert_int_equal(cuzk_circuit_id_parse(&instance.id, circuit_name, NULL), CUZK_OK);
    assert_int_equal(cuzk_request_load(&req, test_data("requests", name), NULL), CUZK_OK);
    instance.req = req;
    for (; instance.partition < req->n_partitions; instance.partition++) {
        const cs_circuit circuit = cuzk_circuit_of(&instance);
        fr r, s;
        groth16_proof proof;
        const groth16_prove_options opt = {
            .pool = pool, .r = &r, .s = &s, .compiled = k, .check_witness = !k};
        uint8_t bytes[GROTH16_PROOF_BYTES];
        size_t n;
        cuzk_insecure_proof_rs(&r, &s, instance.partition);
        assert_int_equal(cuzk_groth16_prove(&proof, &circuit, srs, &opt, NULL), CUZK_OK);
        cuzk_proof_write(bytes, &proof);
        snprintf(file, sizeof file, "%s/golden-%u.proof", name, instance.partition);
        uint8_t *golden = test_read_file(test_data("requests", file), &n);
        assert_int_equal(n, sizeof bytes);
        assert_memory_equal(bytes, golden, n);
        cuzk_free(golden);
    }
    cuzk_request_free(req);
}

static void proofs_equal_the_established_ones(void **state)
{
    (void)state;
    groth16_srs srs;
    if (test_skip_without_data())
        return;
    assert_int_equal(cuzk_srs_read(&srs, test_path("w.params"), pool, NULL), CUZK_OK);
    circuit_instance blank = {{0}, NULL, 0};
    compiled_circuit *k = NULL;
    assert_int_equal(cuzk_circuit_id_parse(&blank.id, circuit_name, NULL), CUZK_OK);
    const cs_circuit circuit = cuzk_circuit_of(&blank);
    assert_int_equal(cuzk_compile(&k, &circuit, NULL), CUZK_OK);
    check_request(&srs, "window-2k-1", NULL);
    check_request(&srs, "window-2k-3-v1", NULL);
    check_request(&srs, "window-2k-1", k);
    check_request(&srs, "window-2k-3-v1", k);
    cuzk_compiled_free(k);
    cuzk_srs_fini(&srs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_equal_the_established_ones),
        cmocka_unit_test(proofs_equal_the_established_ones),
    };
    return cmocka_run_group_tests(tests, make_params, drop_params);
}

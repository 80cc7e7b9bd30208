/* The vanilla proof of a real 32 GiB sector (tests/data/window-32g-real): accepted by the check,
 * and its witness has the published digests. The circuit is that of one sector instead of 2,349, as
 * in circuits.md 11.3 R11, so that the test takes a second.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/hex.h"
#include "circuit/readings.h"
#include "filecoin/circuits.h"

static proof_request *load(void)
{
    proof_request *req = NULL;
    cuzk_err err;
    if (cuzk_request_load(&req, "tests/data/window-32g-real", &err) != CUZK_OK)
        fail_msg("%s", err.msg);
    return req;
}

static void the_vanilla_proof_holds(void **state)
{
    (void)state;
    cuzk_err err = {0};
    proof_request *req = load();
    if (cuzk_request_check(req, &err) != CUZK_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(req->n_partitions, 1);
    cuzk_request_free(req);
}

static void assert_hex(const uint8_t digest[32], const char *want)
{
    char text[65];
    cuzk_hex_encode(text, digest, 32);
    assert_string_equal(text, want);
}

static void its_witness_has_the_published_digests(void **state)
{
    (void)state;
    proof_request *req = load();
    sector_shape one_sector = *req->shape;
    one_sector.window_sectors = 1;
    req->shape = &one_sector;
    const circuit_instance instance = {{CUZK_KIND_WINDOW, &one_sector}, req, 0};
    const cs_circuit circuit = cuzk_circuit_of(&instance);
    witness_summary w;
    cuzk_err err = {0};
    if (cuzk_witness_summarize(&w, &circuit, NULL, &err) != CUZK_OK)
        fail_msg("%s", err.msg);
    assert_true(w.satisfied);
    assert_int_equal(w.n_inputs, 12);
    assert_int_equal(w.n_rows, 53333);
    assert_int_equal(w.n_aux, 54024);
    assert_hex(w.inputs_sha256, "ba218c57fc56d7f71fc2410bb06c7e5e63adcb6c4660e37ad07038238adfff2a");
    assert_hex(w.aux_sha256, "4f4f31c877663379b288d3d57d14c997e5f2679ddf31d4b14e531c288f6f775e");
    cuzk_request_free(req);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vanilla_proof_holds),
        cmocka_unit_test(its_witness_has_the_published_digests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

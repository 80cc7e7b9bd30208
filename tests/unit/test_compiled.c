/* The compiled circuit and witness: equal to the interpreted ones row by row and value by value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "compiled_support.h"

#include "circuit/sha256_gadget.h"

static cuzk_pool *pool;

static int make_pool(void **state)
{
    (void)state;
    return cuzk_pool_new(&pool, 3, "test", NULL) == CUZK_OK ? 0 : -1;
}

static int free_pool(void **state)
{
    (void)state;
    cuzk_pool_free(pool);
    return 0;
}

static void structure_of_small_circuits(void **state)
{
    static const char *const name[] = {"porep-2k", "winning-2k", "wpost-2k", "snap-2k",
                                       "winning-32g", "wpost-512m"};
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(name); i++)
        check_compiled_circuit(name[i]);
}

static void values_of_requests(void **state)
{
    static const char *const folder[] = {"winning-2k", "window-2k-1", "window-2k-3-v1",
                                         "porep-2k-a", "update-2k"};
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(folder); i++) {
        char path[256];
        snprintf(path, sizeof path, "tests/data/%s", folder[i]);
        check_compiled_folder(path, pool);
    }
}

/* ---- SHA-256 over operands of every kind ---- */

typedef struct {
    uint64_t seed;
    bool blank;
    unsigned n_halves;
    unsigned kinds; /* 0: variables; 1: all kinds; 2: constants; 3: negations and variables */
} sha_mix;

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x * 0x2545f4914f6cdd1du;
}

static boolean mixed_bit(cs *c, const sha_mix *m, uint64_t *kind_seed, uint64_t *value_seed)
{
    unsigned draw = (unsigned)(next_random(kind_seed) >> 40);
    bool value = (next_random(value_seed) >> 40 & 1) && !m->blank;
    if (m->kinds == 2 || (m->kinds == 1 && draw % 3 == 0))
        return bool_const(draw >> 4 & 1);
    boolean b = cuzk_bool_alloc(c, value);
    return m->kinds && (draw >> 5 & 1) ? bool_not(b) : b;
}

static void mixed_hash(const void *ctx, cs *c)
{
    const sha_mix *m = (const sha_mix *)ctx;
    boolean bits[4][SHA256_HALF_BITS], digest[SHA256_HALF_BITS];
    const boolean *half[4] = {bits[0], bits[1], bits[2], bits[3]};
    uint64_t kind_seed = m->seed, value_seed = m->seed + 77;
    for (unsigned i = 0; i < m->n_halves * SHA256_HALF_BITS; i++)
        bits[i / 256][i % 256] = mixed_bit(c, m, &kind_seed, &value_seed);
    for (unsigned i = 0; i < 2; i++)
        cuzk_sha256_gadget_halves(c, digest, half, m->n_halves);
    cuzk_sha256_pack_digest(c, digest);
}

static void sha256_of_any_operands(void **state)
{
    (void)state;
    for (unsigned kinds = 0; kinds < 4; kinds++) {
        for (unsigned n = 0; n < 5; n++) {
            char name[64];
            const sha_mix blank = {99 + n, true, n, kinds}, values = {99 + n, false, n, kinds};
            const cs_circuit b = {mixed_hash, &blank}, v = {mixed_hash, &values};
            compiled_circuit *k = NULL;
            snprintf(name, sizeof name, "sha256 of %u halves, kinds %u", n, kinds);
            assert_int_equal(cuzk_compile(&k, &b, NULL), CUZK_OK);
            check_compiled_structure(k, &b, name);
            check_compiled_values(k, &v, pool, name);
            cuzk_compiled_free(k);
        }
    }
}

/* ---- failures ---- */

static proof_request *load_window(void)
{
    proof_request *req = NULL;
    assert_int_equal(cuzk_request_load(&req, "tests/data/window-2k-1", NULL), CUZK_OK);
    return req;
}

/* The comparison itself must be able to fail, and the check must see any wrong value. */
static void wrong_values_are_found(void **state)
{
    (void)state;
    proof_request *req = load_window();
    const circuit_instance in = {{req->kind, req->shape}, req, 0};
    const cs_circuit circuit = cuzk_circuit_of(&in);
    compiled_circuit *k = compile_id(in.id, "window");
    compiled_info info;
    compiled_witness w;
    cuzk_err err = {0};
    cuzk_compiled_info(&info, k);
    assert_int_equal(cuzk_compiled_witness_new(&w, k, &err), CUZK_OK);
    assert_int_equal(cuzk_compiled_fill(&w, k, &circuit, NULL, &err), CUZK_OK);
    assert_int_equal(cuzk_compiled_check(k, &w, &err), CUZK_OK);
    for (size_t i = 0; i < w.n_fields; i += w.n_fields / 7) {
        fr good = w.field[i];
        fr_add(&w.field[i], &w.field[i], &cuzk_fr_one);
        assert_int_equal(cuzk_compiled_check(k, &w, &err), CUZK_UNSATISFIED);
        w.field[i] = good;
    }
    uint32_t bit = 0;
    while (cuzk_compiled_is_field(k)[bit / 64] >> (bit % 64) & 1)
        bit++;
    w.bits[bit / 64] ^= (uint64_t)1 << (bit % 64);
    assert_int_equal(cuzk_compiled_check(k, &w, &err), CUZK_UNSATISFIED);
    cuzk_compiled_witness_fini(&w);
    cuzk_compiled_free(k);
    cuzk_request_free(req);
}

static void any_thread_count_same_witness(void **state)
{
    (void)state;
    proof_request *req = load_window();
    const circuit_instance in = {{req->kind, req->shape}, req, 0};
    const cs_circuit circuit = cuzk_circuit_of(&in);
    compiled_circuit *k = compile_id(in.id, "window");
    compiled_witness one, three;
    assert_int_equal(cuzk_compiled_witness_new(&one, k, NULL), CUZK_OK);
    assert_int_equal(cuzk_compiled_witness_new(&three, k, NULL), CUZK_OK);
    assert_int_equal(cuzk_compiled_fill(&one, k, &circuit, NULL, NULL), CUZK_OK);
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(cuzk_compiled_fill(&three, k, &circuit, pool, NULL), CUZK_OK);
        assert_memory_equal(one.bits, three.bits, one.n_aux / 8);
        assert_memory_equal(one.field, three.field, one.n_fields * sizeof(fr));
        assert_memory_equal(one.input, three.input, one.n_inputs * sizeof(fr));
    }
    cuzk_compiled_witness_fini(&three);
    cuzk_compiled_witness_fini(&one);
    cuzk_compiled_free(k);
    cuzk_request_free(req);
}

/* A request of one circuit never fills the witness of another. */
static void other_circuits_are_refused(void **state)
{
    static const char *const name[] = {"wpost-8m", "winning-2k", "porep-2k", "snap-2k"};
    (void)state;
    proof_request *req = load_window();
    const circuit_instance in = {{req->kind, req->shape}, req, 0};
    const cs_circuit circuit = cuzk_circuit_of(&in);
    for (size_t i = 0; i < CUZK_ARRAY_LEN(name); i++) {
        circuit_id id;
        compiled_witness w;
        cuzk_err err = {0};
        assert_int_equal(cuzk_circuit_id_parse(&id, name[i], NULL), CUZK_OK);
        compiled_circuit *k = compile_id(id, name[i]);
        assert_int_equal(cuzk_compiled_witness_new(&w, k, NULL), CUZK_OK);
        assert_int_equal(cuzk_compiled_fill(&w, k, &circuit, pool, &err), CUZK_INTERNAL);
        assert_true(err.msg[0] != 0);
        cuzk_compiled_witness_fini(&w);
        cuzk_compiled_free(k);
    }
    cuzk_request_free(req);
}

static cuzk_status whole_run(const circuit_instance *in)
{
    const circuit_instance blank = {in->id, NULL, 0};
    const cs_circuit b = cuzk_circuit_of(&blank), circuit = cuzk_circuit_of(in);
    compiled_circuit *k = NULL;
    compiled_witness w = {0};
    cuzk_status st = CUZK_OK;
    fr *row[2] = {CUZK_NEW_ARRAY(fr, 22000), CUZK_NEW_ARRAY(fr, 22000)};
    if (!row[0] || !row[1]) {
        st = CUZK_NOMEM;
        goto out;
    }
    CUZK_TRY(cuzk_compile(&k, &b, NULL));
    CUZK_TRY(cuzk_compiled_witness_new(&w, k, NULL));
    CUZK_TRY(cuzk_compiled_fill(&w, k, &circuit, pool, NULL));
    CUZK_TRY(cuzk_compiled_evaluate(row[0], row[1], k, &w, pool, NULL));
out:
    cuzk_compiled_witness_fini(&w);
    cuzk_compiled_free(k);
    cuzk_free(row[1]);
    cuzk_free(row[0]);
    return st;
}

/* Each allocation in turn fails: the right status, no leak. */
static void failed_allocations(void **state)
{
    (void)state;
    proof_request *req = load_window();
    const circuit_instance in = {{req->kind, req->shape}, req, 0};
    uint64_t before = cuzk_mem_used(), nth = 0;
    cuzk_status st = CUZK_NOMEM;
    while (st == CUZK_NOMEM) {
        cuzk_mem_fail_nth(++nth);
        st = whole_run(&in);
        cuzk_mem_fail_nth(0);
        assert_int_equal(cuzk_mem_used(), before);
        assert_true(nth < 2000);
    }
    assert_int_equal(st, CUZK_OK);
    assert_true(nth > 30);
    cuzk_request_free(req);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structure_of_small_circuits),
        cmocka_unit_test(values_of_requests),
        cmocka_unit_test(sha256_of_any_operands),
        cmocka_unit_test(wrong_values_are_found),
        cmocka_unit_test(any_thread_count_same_witness),
        cmocka_unit_test(other_circuits_are_refused),
        cmocka_unit_test(failed_allocations),
    };
    return cmocka_run_group_tests(tests, make_pool, free_pool);
}

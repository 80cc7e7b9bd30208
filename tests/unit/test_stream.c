/* Proofs with the proving key streamed from its file: the same bytes as with the key in memory, and
 * the loader's errors. The memory that a proof states beforehand against what it took. */
#include "unit/groth16_support.h"

#include <sys/stat.h>

#include "engine/insecure.h"
#include "engine/memory_plan.h"
#include "filecoin/circuits.h"
#include "groth16/points.h"

static const char circuit_name[] = "wpost-2k";
static const char request_name[] = "window-2k-1";

static cuzk_pool *pool;
static circuit_instance instance;
static proof_request *request;

static int make_params(void **state)
{
    groth16_secrets secrets;
    if (test_dir_make(state) != 0 || cuzk_pool_new(&pool, 2, "stream-test", NULL) != CUZK_OK ||
        cuzk_circuit_id_parse(&instance.id, circuit_name, NULL) != CUZK_OK)
        return -1;
    const cs_circuit circuit = cuzk_circuit_of(&instance);
    cuzk_insecure_secrets(&secrets);
    return cuzk_groth16_setup(&circuit, &secrets, test_path("w.params"), test_path("w.vk"), pool,
                              NULL, NULL) == CUZK_OK
               ? 0
               : -1;
}

static int drop_params(void **state)
{
    cuzk_request_free(request);
    cuzk_pool_free(pool);
    return test_dir_remove(state);
}

/* False, visibly, when there is no request. */
static bool have_request(void)
{
    if (test_skip_without_data())
        return false;
    if (!request)
        assert_int_equal(cuzk_request_load(&request, test_data("requests", request_name), NULL),
                         CUZK_OK);
    instance.req = request;
    return true;
}

static cuzk_status prove_with(uint8_t bytes[GROTH16_PROOF_BYTES], const groth16_srs *srs,
                              const compiled_circuit *k, cuzk_err *err)
{
    const cs_circuit circuit = cuzk_circuit_of(&instance);
    groth16_proof proof;
    fr r, s;
    cuzk_insecure_proof_rs(&r, &s, 0);
    const groth16_prove_options opt = {.pool = pool, .r = &r, .s = &s, .compiled = k};
    cuzk_status st = cuzk_groth16_prove(&proof, &circuit, srs, &opt, err);
    if (st == CUZK_OK)
        cuzk_proof_write(bytes, &proof);
    return st;
}

static compiled_circuit *compile(void)
{
    circuit_instance blank = {.id = instance.id};
    const cs_circuit circuit = cuzk_circuit_of(&blank);
    compiled_circuit *k = NULL;
    assert_int_equal(cuzk_compile(&k, &circuit, NULL), CUZK_OK);
    return k;
}

/* ---- the same bytes ---- */

static void check_golden(const uint8_t bytes[GROTH16_PROOF_BYTES])
{
    size_t n;
    char file[64];
    snprintf(file, sizeof file, "%s/golden-0.proof", request_name);
    uint8_t *golden = test_read_file(test_data("requests", file), &n);
    assert_int_equal(n, GROTH16_PROOF_BYTES);
    assert_memory_equal(bytes, golden, n);
    cuzk_free(golden);
}

/* Sections have 16,029 to 32,767 points: one to 33 chunks, the last one whole, partial or of one
 * point. */
static void any_chunk_gives_the_golden_bytes(void **state)
{
    static const size_t chunk[] = {0, 32766, 16029, 1000};
    (void)state;
    uint8_t bytes[GROTH16_PROOF_BYTES];
    groth16_srs srs;
    if (!have_request())
        return;
    compiled_circuit *k = compile();
    assert_int_equal(cuzk_srs_open(&srs, test_path("w.params"), NULL), CUZK_OK);
    assert_null(srs.h);
    for (size_t i = 0; i < CUZK_ARRAY_LEN(chunk); i++) {
        cuzk_points_forced_chunk = chunk[i];
        assert_int_equal(prove_with(bytes, &srs, k, NULL), CUZK_OK);
        check_golden(bytes);
    }
    assert_int_equal(prove_with(bytes, &srs, NULL, NULL), CUZK_OK); /* interpreted */
    check_golden(bytes);
    cuzk_points_forced_chunk = 0;
    cuzk_srs_fini(&srs);
    cuzk_compiled_free(k);
}

/* Nothing but the chunk is kept: every point of every section passes through once, in order. */
typedef struct {
    const uint8_t *want;
    size_t next, point_bytes, n_calls;
} walk;

static cuzk_status walk_chunk(void *ctx, const void *p, size_t begin, size_t n, cuzk_err *err)
{
    walk *w = ctx;
    (void)err;
    assert_int_equal(begin, w->next);
    assert_memory_equal(p, w->want + begin * w->point_bytes, n * w->point_bytes);
    w->next += n;
    w->n_calls++;
    return CUZK_OK;
}

static void every_section_is_visited_once(void **state)
{
    (void)state;
    groth16_srs whole, streamed;
    assert_int_equal(cuzk_srs_read(&whole, test_path("w.params"), pool, NULL), CUZK_OK);
    assert_int_equal(cuzk_srs_open(&streamed, test_path("w.params"), NULL), CUZK_OK);
    const void *section[] = {NULL, whole.h, whole.l, whole.a, whole.b_g1, whole.b_g2};
    const size_t n[] = {0, whole.n_h, whole.n_l, whole.n_a, whole.n_b, whole.n_b};
    cuzk_points_forced_chunk = 5000;
    for (params_section s = SECTION_H; s < SECTION_COUNT; s++) {
        walk w = {section[s], 0, cuzk_section_point_bytes(s), 0};
        assert_int_equal(cuzk_points_visit(&streamed, s, pool, walk_chunk, &w, NULL), CUZK_OK);
        assert_int_equal(w.next, n[s]);
        assert_int_equal(w.n_calls, (n[s] + 4999) / 5000);
        w.next = w.n_calls = 0;
        assert_int_equal(cuzk_points_visit(&whole, s, pool, walk_chunk, &w, NULL), CUZK_OK);
        assert_int_equal(w.next, n[s]);
        assert_int_equal(w.n_calls, 1);
    }
    cuzk_points_forced_chunk = 0;
    cuzk_srs_fini(&streamed);
    cuzk_srs_fini(&whole);
}

/* ---- damage ---- */

typedef struct {
    uint8_t *bytes;
    size_t n;
    section_span span[SECTION_COUNT];
} image;

static image read_image(void)
{
    image im;
    params_file f;
    im.bytes = test_read_file(test_path("w.params"), &im.n);
    assert_int_equal(cuzk_params_open(&f, test_path("w.params"), SECTION_COUNT, NULL), CUZK_OK);
    memcpy(im.span, f.section, sizeof im.span);
    cuzk_params_close(&f);
    return im;
}

/* A flipped bit: the proof fails with the very message that the loader gives. */
static void damage_gives_the_error_of_the_loader(void **state)
{
    static const struct {
        params_section s;
        size_t point; /* SIZE_MAX: the last one */
        const char *says;
    } row[] = {
        {SECTION_H, 0, "section h, point 0 of 32767"},
        {SECTION_L, 12345, "section l, point 12345 of 22128"},
        {SECTION_A, 9999, "section a, point 9999 of 16793"},
        {SECTION_B_G1, 10000, "section b_g1, point 10000 of 16029"},
        {SECTION_B_G2, SIZE_MAX, "section b_g2, point 16028 of 16029"},
    };
    (void)state;
    if (!have_request())
        return;
    image im = read_image();
    compiled_circuit *k = compile();
    cuzk_points_forced_chunk = 5000;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(row); i++) {
        section_span span = im.span[row[i].s];
        size_t point = row[i].point < span.n ? row[i].point : span.n - 1;
        size_t at = span.offset + point * cuzk_section_point_bytes(row[i].s) + 60;
        groth16_srs srs, loaded;
        uint8_t bytes[GROTH16_PROOF_BYTES];
        cuzk_err streaming = {0}, loading = {0};
        im.bytes[at] ^= 4;
        test_write_file(test_path("bad.params"), im.bytes, im.n);
        im.bytes[at] ^= 4;
        assert_int_equal(cuzk_srs_open(&srs, test_path("bad.params"), NULL), CUZK_OK);
        assert_int_equal(prove_with(bytes, &srs, k, &streaming), CUZK_CORRUPT);
        assert_non_null(strstr(streaming.msg, row[i].says));
        assert_int_equal(cuzk_srs_read(&loaded, test_path("bad.params"), pool, &loading),
                         CUZK_CORRUPT);
        assert_string_equal(streaming.msg, loading.msg);
        cuzk_srs_fini(&srs);
    }
    cuzk_points_forced_chunk = 0;
    cuzk_compiled_free(k);
    cuzk_free(im.bytes);
}

static void a_truncated_file_is_refused_at_once(void **state)
{
    (void)state;
    image im = read_image();
    groth16_srs srs;
    cuzk_err err = {0};
    test_write_file(test_path("bad.params"), im.bytes, im.n - 1);
    assert_int_equal(cuzk_srs_open(&srs, test_path("bad.params"), &err), CUZK_PARAMS);
    assert_non_null(strstr(err.msg, "section b_g2"));
    assert_int_equal(cuzk_srs_open(&srs, test_path("absent.params"), &err), CUZK_NOT_FOUND);
    cuzk_free(im.bytes);
}

/* The file is shortened between opening and proving: an error, not a signal. Replaced by another
 * under its name: the open one is read on. */
static void a_file_that_changes_is_no_harm(void **state)
{
    (void)state;
    if (!have_request())
        return;
    image im = read_image();
    groth16_srs srs;
    uint8_t bytes[GROTH16_PROOF_BYTES];
    cuzk_err err = {0};
    test_write_file(test_path("bad.params"), im.bytes, im.n);
    assert_int_equal(cuzk_srs_open(&srs, test_path("bad.params"), NULL), CUZK_OK);
    assert_int_equal(unlink(test_path("bad.params")), 0);
    test_write_file(test_path("bad.params"), "other", 5);
    assert_int_equal(prove_with(bytes, &srs, NULL, NULL), CUZK_OK);
    check_golden(bytes);
    cuzk_srs_fini(&srs);

    test_write_file(test_path("bad.params"), im.bytes, im.n);
    assert_int_equal(cuzk_srs_open(&srs, test_path("bad.params"), NULL), CUZK_OK);
    assert_int_equal(truncate(test_path("bad.params"), (off_t)im.span[SECTION_A].offset + 1000), 0);
    assert_int_equal(prove_with(bytes, &srs, NULL, &err), CUZK_IO);
    assert_non_null(strstr(err.msg, "shrank while it was read"));
    cuzk_srs_fini(&srs);
    cuzk_free(im.bytes);
}

/* Each allocation fails once. */
static void no_memory_is_a_status(void **state)
{
    (void)state;
    groth16_srs srs;
    for (uint64_t i = 1;; i++) {
        uint64_t before = cuzk_mem_used();
        cuzk_mem_fail_nth(i);
        cuzk_status st = cuzk_srs_open(&srs, test_path("w.params"), NULL);
        cuzk_mem_fail_nth(0);
        if (st == CUZK_OK) {
            assert_true(i > 3);
            cuzk_srs_fini(&srs);
            break;
        }
        assert_int_equal(st, CUZK_NOMEM);
        assert_int_equal(cuzk_mem_used(), before);
    }
}

/* ---- stated memory ---- */

static circuit_id circuit_of(const char *name)
{
    circuit_id id;
    assert_int_equal(cuzk_circuit_id_parse(&id, name, NULL), CUZK_OK);
    return id;
}

/* From here on, growth of the peak is what is used beyond now. Release with cuzk_free. */
static void *level_peak(void)
{
    return cuzk_malloc(cuzk_mem_peak() - cuzk_mem_used() + 1);
}

/* Loading, compiling and proving together. */
static uint64_t measured(const char *params, bool streamed, bool compiled)
{
    uint8_t bytes[GROTH16_PROOF_BYTES];
    groth16_srs srs;
    void *level = level_peak();
    uint64_t before = cuzk_mem_used();
    if (streamed)
        assert_int_equal(cuzk_srs_open(&srs, params, NULL), CUZK_OK);
    else
        assert_int_equal(cuzk_srs_read(&srs, params, pool, NULL), CUZK_OK);
    compiled_circuit *k = compiled ? compile() : NULL;
    assert_int_equal(prove_with(bytes, &srs, k, NULL), CUZK_OK);
    uint64_t taken = cuzk_mem_peak() - before;
    cuzk_compiled_free(k);
    cuzk_srs_fini(&srs);
    cuzk_free(level);
    return taken;
}

/* Cases: bit 0 streamed, bit 1 compiled. */
static void check_stated(const char *circuit, const char *params, unsigned step)
{
    for (unsigned i = 0; i < 4; i += step) {
        bool streamed = i & 1, compiled = i & 2;
        prove_sizes sizes;
        prove_memory need;
        assert_true(cuzk_memory_sizes(&sizes, circuit_of(circuit), compiled));
        cuzk_prove_memory(&need, &sizes, cuzk_pool_size(pool), streamed);
        uint64_t took = measured(params, streamed, compiled);
        print_message("%s %s, %s: stated %.2f MiB, took %.2f MiB\n", circuit,
                      streamed ? "streamed" : "resident", compiled ? "compiled" : "interpreted",
                      (double)need.total / 1048576, (double)took / 1048576);
        assert_true(took <= need.total);
        assert_true(need.total <= took + took / 2);
    }
}

static void stated_memory_is_a_close_bound(void **state)
{
    (void)state;
    if (!have_request())
        return;
    cuzk_points_forced_chunk = 8192;
    check_stated("wpost-2k", test_path("w.params"), 1);
    circuit_instance window = instance;
    groth16_secrets secrets;
    instance = (circuit_instance){.id = circuit_of("winning-2k")};
    const cs_circuit circuit = cuzk_circuit_of(&instance);
    cuzk_insecure_secrets(&secrets);
    assert_int_equal(cuzk_groth16_setup(&circuit, &secrets, test_path("x.params"),
                                        test_path("x.vk"), pool, NULL, NULL),
                     CUZK_OK);
    proof_request *winning = NULL;
    assert_int_equal(cuzk_request_load(&winning, test_data("requests", "winning-2k"), NULL),
                     CUZK_OK);
    instance.req = winning;
    check_stated("winning-2k", test_path("x.params"), 3);
    cuzk_request_free(winning);
    instance = window;
    cuzk_points_forced_chunk = 0;
}

/* What the counts do not say is taken from the compiled circuits. */
static void assumed_shares_hold(void **state)
{
    static const char *const name[] = {"porep-2k", "porep-512m", "snap-2k", "wpost-2k",
                                       "winning-32g"};
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(name); i++) {
        circuit_instance blank = {.id = circuit_of(name[i])};
        const cs_circuit circuit = cuzk_circuit_of(&blank);
        compiled_circuit *k;
        compiled_info info;
        prove_sizes sizes;
        prove_memory need;
        assert_int_equal(cuzk_compile(&k, &circuit, NULL), CUZK_OK);
        cuzk_compiled_info(&info, k);
        assert_true(cuzk_memory_sizes(&sizes, blank.id, true));
        cuzk_prove_memory(&need, &sizes, 1, true);
        assert_true(info.n_fields <= sizes.n_fields);
        assert_true(info.bytes <= need.circuit);
        assert_int_equal(sizes.n_a, info.n_inputs + info.n_a_aux);
        assert_int_equal(sizes.n_b, info.n_b_input + info.n_b_aux);
        cuzk_compiled_free(k);
    }
}

/* ---- resident, streamed, or not at all ---- */

static void plan_follows_mode_and_memory(void **state)
{
    const circuit_id id = circuit_of("porep-512m");
    prove_sizes sizes;
    prove_memory resident, streamed;
    (void)state;
    assert_true(cuzk_memory_sizes(&sizes, id, true));
    cuzk_prove_memory(&resident, &sizes, 2, false);
    cuzk_prove_memory(&streamed, &sizes, 2, true);
    const uint64_t in_memory = memory_of_process(resident.total);
    const uint64_t from_disk = memory_of_process(streamed.total);
    assert_true(from_disk < in_memory);
    const struct {
        cuzk_srs_mode mode;
        bool loaded;
        uint64_t memory;  /* available; then the budget */
        cuzk_status want; /* CUZK_BUDGET becomes CUZK_MEMORY */
        bool want_streamed;
    } row[] = {
        {CUZK_SRS_AUTO, false, in_memory, CUZK_OK, false},
        {CUZK_SRS_AUTO, false, in_memory - 1, CUZK_OK, true},
        {CUZK_SRS_AUTO, false, from_disk, CUZK_OK, true},
        {CUZK_SRS_AUTO, false, from_disk - 1, CUZK_BUDGET, false},
        {CUZK_SRS_RESIDENT, false, in_memory, CUZK_OK, false},
        {CUZK_SRS_RESIDENT, false, in_memory - 1, CUZK_BUDGET, false},
        {CUZK_SRS_RESIDENT, true, in_memory - resident.srs, CUZK_OK, false},
        {CUZK_SRS_RESIDENT, true, in_memory - resident.srs - 1, CUZK_BUDGET, false},
        {CUZK_SRS_STREAMED, false, UINT64_MAX, CUZK_OK, true},
        {CUZK_SRS_STREAMED, false, from_disk - 1, CUZK_BUDGET, false},
    };
    for (size_t i = 0; i < 2 * CUZK_ARRAY_LEN(row); i++) {
        size_t k = i / 2;
        bool total = i % 2;
        const memory_question q = {.mode = row[k].mode,
                                   .loaded = row[k].loaded,
                                   .compiled = true,
                                   .n_threads = 2,
                                   .available = total ? UINT64_MAX : row[k].memory,
                                   .total = total ? row[k].memory : UINT64_MAX};
        cuzk_status want = total && row[k].want == CUZK_BUDGET ? CUZK_MEMORY : row[k].want;
        memory_answer a;
        cuzk_err err = {0};
        assert_int_equal(cuzk_memory_plan(&a, id, &q, &err), want);
        if (want == CUZK_OK) {
            assert_int_equal(a.streamed, row[k].want_streamed);
            assert_non_null(strstr(a.sentence, "available"));
            assert_int_equal(a.srs_bytes + a.circuit_bytes + a.partition_bytes,
                             a.streamed ? from_disk : in_memory);
        } else {
            assert_non_null(strstr(err.msg, total ? "are the memory budget" : "are available"));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_chunk_gives_the_golden_bytes),
        cmocka_unit_test(every_section_is_visited_once),
        cmocka_unit_test(damage_gives_the_error_of_the_loader),
        cmocka_unit_test(a_truncated_file_is_refused_at_once),
        cmocka_unit_test(a_file_that_changes_is_no_harm),
        cmocka_unit_test(no_memory_is_a_status),
        cmocka_unit_test(stated_memory_is_a_close_bound),
        cmocka_unit_test(assumed_shares_hold),
        cmocka_unit_test(plan_follows_mode_and_memory),
    };
    return cmocka_run_group_tests(tests, make_params, drop_params);
}

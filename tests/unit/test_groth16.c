/* The verifier and the proof codec against proofs of the established stack. */
#include "unit/groth16_support.h"

/* ---- golden proofs ---- */

typedef struct {
    const char *folder, *request;
    int partition;
    const char *vk; /* distinctive part of the file name: formats.md 7.6 */
} golden;

#define VK_POREP   "sha256_hasher-032d3138"
#define VK_WINNING "3ea05428"
#define VK_WINDOW  "0170db1f"
#define VK_UPDATE  "fb9e095b"

/* The first six are in tests/data; the others need ../shared. */
enum { IN_TESTS_DATA = 6 };
static const golden goldens[] = {
    {"requests", "winning-2k", 0, VK_WINNING},
    {"requests", "window-2k-1", 0, VK_WINDOW},
    {"requests", "window-2k-3-v1", 0, VK_WINDOW},
    {"requests", "window-2k-3-v1", 1, VK_WINDOW},
    {"requests", "porep-2k-a", 0, VK_POREP},
    {"requests", "update-2k", 0, VK_UPDATE},
    {"requests", "porep-2k-b", 0, VK_POREP},
    {"requests", "porep-2k-c", 0, VK_POREP},
    {"requests", "porep-2k-v1", 0, VK_POREP},
    {"requests", "porep-2k-synthetic", 0, VK_POREP},
    {"requests", "porep-2k-ni", 0, VK_POREP},
    {"requests", "porep-2k-ni", 1, VK_POREP},
    {"requests", "window-2k-2", 0, VK_WINDOW},
    {"requests", "window-2k-5", 0, VK_WINDOW},
    {"requests", "window-2k-5", 1, VK_WINDOW},
    {"requests", "window-2k-5", 2, VK_WINDOW},
    {"requests-full", "winning-32g", 0, "559e581f"},
};

static void read_golden_vk(groth16_vk *vk, const char *part)
{
    char path[1400] = "";
    const char *dir_path = test_data("", "vk");
    DIR *dir = opendir(dir_path);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));)
        if (strstr(e->d_name, part))
            snprintf(path, sizeof path, "%s/%s", dir_path, e->d_name);
    closedir(dir);
    assert_int_equal(cuzk_vk_read(vk, path, NULL), CUZK_OK);
}

static fr *read_inputs(const char *path, size_t *n)
{
    char line[128];
    uint8_t b[32];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    fr *x = cuzk_calloc(40000, sizeof *x);
    *n = 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        assert_true(cuzk_hex_decode(b, 32, line));
        assert_true(cuzk_fr_from_bytes(&x[(*n)++], b));
    }
    fclose(f);
    return x;
}

typedef struct {
    groth16_vk vk;
    uint8_t bytes[GROTH16_PROOF_BYTES];
    groth16_proof proof;
    fr *inputs;
    size_t n_inputs;
} golden_data;

/* False when the data is not there. */
static bool golden_load(golden_data *d, const golden *g)
{
    char name[128];
    size_t n;
    snprintf(name, sizeof name, "%s/golden-%d.proof", g->request, g->partition);
    const char *path = test_data(g->folder, name);
    if (!path)
        return false;
    uint8_t *bytes = test_read_file(path, &n);
    assert_int_equal(n, GROTH16_PROOF_BYTES);
    memcpy(d->bytes, bytes, n);
    cuzk_free(bytes);
    assert_int_equal(cuzk_proof_read(&d->proof, d->bytes, NULL), CUZK_OK);
    snprintf(name, sizeof name, "%s/inputs-%d.txt", g->request, g->partition);
    path = test_data(g->folder, name);
    assert_non_null(path);
    d->inputs = read_inputs(path, &d->n_inputs);
    read_golden_vk(&d->vk, g->vk);
    return true;
}

static void golden_free(golden_data *d)
{
    cuzk_free(d->inputs);
    cuzk_vk_fini(&d->vk);
}

static void golden_proofs_verify(void **state)
{
    (void)state;
    if (test_skip_without_data())
        return;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(goldens); i++) {
        golden_data d;
        uint8_t again[GROTH16_PROOF_BYTES];
        if (!golden_load(&d, &goldens[i])) {
            assert_true(i >= IN_TESTS_DATA);
            print_message("SKIP: %s, not found in ../shared\n", goldens[i].request);
            continue;
        }
        cuzk_status st = cuzk_groth16_verify(&d.vk, &d.proof, d.inputs, d.n_inputs, NULL);
        if (st != CUZK_OK)
            fail_msg("%s partition %d: %s", goldens[i].request, goldens[i].partition,
                     cuzk_status_name(st));
        cuzk_proof_write(again, &d.proof);
        assert_memory_equal(again, d.bytes, sizeof again);
        fr_add(&d.inputs[i % d.n_inputs], &d.inputs[i % d.n_inputs], &cuzk_fr_one);
        assert_int_equal(cuzk_groth16_verify(&d.vk, &d.proof, d.inputs, d.n_inputs, NULL),
                         CUZK_REJECTED);
        golden_free(&d);
    }
}

/* A12: no silent truncation, no crash. */
static void wrong_input_counts_are_refused(void **state)
{
    (void)state;
    if (test_skip_without_data())
        return;
    golden_data d;
    assert_true(golden_load(&d, &goldens[0]));
    const size_t counts[] = {0, d.n_inputs - 1, d.n_inputs + 1};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(counts); i++) {
        cuzk_err err;
        assert_int_equal(cuzk_groth16_verify(&d.vk, &d.proof, d.inputs, counts[i], &err),
                         CUZK_INVAL);
        const fr *rows[1] = {d.inputs};
        assert_int_equal(cuzk_groth16_verify_batch(&d.vk, &d.proof, rows, counts[i], 1, &err),
                         CUZK_INVAL);
    }
    golden_free(&d);
}

/* A14, and every element of a proof swapped for the identity or another point of the group. */
static void other_points_are_rejected(void **state)
{
    (void)state;
    if (test_skip_without_data())
        return;
    golden_data d;
    assert_true(golden_load(&d, &goldens[0]));
    for (int k = 0; k < 6; k++) {
        groth16_proof p = d.proof;
        if (k == 0)
            memset(&p.a, 0, sizeof p.a);
        if (k == 1)
            memset(&p.b, 0, sizeof p.b);
        if (k == 2)
            memset(&p.c, 0, sizeof p.c);
        if (k == 3)
            cuzk_g1_affine_neg(&p.a, &p.a);
        if (k == 4)
            p.b = cuzk_g2_generator;
        if (k == 5)
            p.c = p.a;
        const fr *rows[1] = {d.inputs};
        assert_int_equal(cuzk_groth16_verify(&d.vk, &p, d.inputs, d.n_inputs, NULL), CUZK_REJECTED);
        assert_int_equal(cuzk_groth16_verify_batch(&d.vk, &p, rows, d.n_inputs, 1, NULL),
                         CUZK_REJECTED);
    }
    golden_free(&d);
}

/* Each of the 1536 bits: refused by the decoder, or decoded and rejected. */
static void any_flipped_bit_is_rejected(void **state)
{
    (void)state;
    if (test_skip_without_data())
        return;
    golden_data d;
    assert_true(golden_load(&d, &goldens[0]));
    size_t n_decoded = 0;
    for (size_t bit = 0; bit < 8 * GROTH16_PROOF_BYTES; bit++) {
        groth16_proof p;
        cuzk_err err;
        d.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        cuzk_status st = cuzk_proof_read(&p, d.bytes, &err);
        if (st == CUZK_OK) {
            n_decoded++;
            st = cuzk_groth16_verify(&d.vk, &p, d.inputs, d.n_inputs, NULL);
            assert_int_equal(st, CUZK_REJECTED);
        } else {
            const char *name = bit < 384 ? "element A" : bit < 1152 ? "element B" : "element C";
            assert_int_equal(st, CUZK_ENCODING);
            assert_non_null(strstr(err.msg, name));
        }
        d.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(n_decoded >= 3); /* at least the three sign flags */
    golden_free(&d);
}

static void batches(void **state)
{
    (void)state;
    if (test_skip_without_data())
        return;
    enum { FIRST = 1, N = 3 }; /* the window proofs share a key */
    golden_data d[N];
    groth16_proof proof[N];
    const fr *rows[N];
    for (size_t i = 0; i < N; i++) {
        assert_true(golden_load(&d[i], &goldens[FIRST + i]));
        proof[i] = d[i].proof;
        rows[i] = d[i].inputs;
    }
    size_t n_inputs = d[0].n_inputs;
    for (size_t n = 1; n <= N; n++)
        assert_int_equal(cuzk_groth16_verify_batch(&d[0].vk, proof, rows, n_inputs, n, NULL),
                         CUZK_OK);
    assert_int_equal(cuzk_groth16_verify_batch(&d[0].vk, proof, rows, n_inputs, 0, NULL),
                     CUZK_INVAL);
    for (size_t i = 0; i < N; i++) {
        proof[i] = d[(i + 1) % N].proof;
        assert_int_equal(cuzk_groth16_verify_batch(&d[0].vk, proof, rows, n_inputs, N, NULL),
                         CUZK_REJECTED);
        proof[i] = d[i].proof;
    }
    /* two wrongs that would cancel without random coefficients */
    fr_add(&d[0].inputs[3], &d[0].inputs[3], &cuzk_fr_one);
    fr_sub(&d[1].inputs[3], &d[1].inputs[3], &cuzk_fr_one);
    assert_int_equal(cuzk_groth16_verify_batch(&d[0].vk, proof, rows, n_inputs, N, NULL),
                     CUZK_REJECTED);
    for (size_t i = 0; i < N; i++)
        golden_free(&d[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_proofs_verify),
        cmocka_unit_test(wrong_input_counts_are_refused),
        cmocka_unit_test(other_points_are_rejected),
        cmocka_unit_test(any_flipped_bit_is_rejected),
        cmocka_unit_test(batches),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}

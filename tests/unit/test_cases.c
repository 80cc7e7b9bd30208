/* What section A of the list of public bug reports asks for and no other test has (docs/fuzzing.md
 * says which test has which row): A06, A09, A10, A11, A14, A15, A16, A18, A22, A23. */
#include "unit/groth16_support.h"

#include <sys/stat.h>

#include "cuzk/cuzk.h"
#include "filecoin/request.h"

/* The message of a fixture, with room for other blobs. */
typedef struct {
    request_files files;
    request_message msg;
    byte_view blob[8];
} loaded;

static void open_folder(loaded *l, const char *folder)
{
    cuzk_err err;
    if (cuzk_request_files_read(&l->files, folder, &err) != CUZK_OK)
        fail_msg("%s", err.msg);
    l->msg = l->files.msg;
    assert_true(l->msg.n_vanilla_proofs < CUZK_ARRAY_LEN(l->blob));
    for (size_t i = 0; i < l->msg.n_vanilla_proofs; i++)
        l->blob[i] = l->msg.vanilla_proofs[i];
    l->msg.vanilla_proofs = l->blob;
}

static void close_folder(loaded *l)
{
    cuzk_request_files_fini(&l->files);
}

static void expect(const request_message *msg, cuzk_status want, const char *says)
{
    proof_request *req = NULL;
    cuzk_err err = {0};
    cuzk_status st = cuzk_request_parse(&req, msg, &err);
    if (st == CUZK_OK)
        st = cuzk_request_check(req, &err);
    cuzk_request_free(req);
    if (st != want || !strstr(err.msg, says))
        fail_msg("wants %s '%s': %s: %s", cuzk_status_name(want), says, cuzk_status_name(st),
                 err.msg);
}

/* A18: a length costs nothing but its eight bytes. First test, while the peak is still low. */
static void length_bombs(void **state)
{
    (void)state;
    static const uint64_t bomb[] = {UINT64_MAX, (uint64_t)1 << 40, (uint64_t)1 << 32, 0};
    static const struct {
        cuzk_kind kind;
        uint64_t number;
        size_t at, n; /* of the length in the blob, of the blob */
        const char *says;
    } row[] = {{CUZK_KIND_WINDOW, 13, 40, 48, "sectors: "},
               {CUZK_KIND_WINDOW, 14, 48, 56, "inclusion_proofs: "},
               {CUZK_KIND_WINNING, 3, 48, 5000, "inclusion_proofs: "},
               {CUZK_KIND_UPDATE, 0, 32, 40, "apex_leafs: "},
               {CUZK_KIND_UPDATE, 0, 40 + 8 * 32, 5000, "challenge_proofs: "}};
    static uint8_t blob[5000];
    static const uint8_t one[32] = {1};
    uint64_t peak = cuzk_mem_peak();
    for (size_t i = 0; i < CUZK_ARRAY_LEN(row) * CUZK_ARRAY_LEN(bomb); i++) {
        size_t k = i / CUZK_ARRAY_LEN(bomb);
        byte_view v = {blob, row[k].n}, element = {one, 32};
        request_message msg = {.kind = row[k].kind,
                               .registered_proof = row[k].number,
                               .vanilla_proofs = &v,
                               .n_vanilla_proofs = 1,
                               .randomness = element,
                               .comm_r_old = element,
                               .comm_r_new = element,
                               .comm_d_new = element};
        memset(blob, 0, sizeof blob);
        blob[8] = 1; /* comm_r of a sector, not zero */
        blob[40] = 1;
        blob[32] = row[k].kind == CUZK_KIND_UPDATE ? 8 : 0;
        for (unsigned b = 0; b < 8; b++)
            blob[row[k].at + b] = (uint8_t)(bomb[i % CUZK_ARRAY_LEN(bomb)] >> (8 * b));
        expect(&msg, CUZK_ENCODING, row[k].says);
    }
    assert_in_range(cuzk_mem_peak() - peak, 0, (uint64_t)4 << 20);
}

/* A06: 64-bit numbers, looked up as such. */
static void registered_proof_numbers(void **state)
{
    (void)state;
    static const char *const folder[] = {"tests/data/porep-2k-a", "tests/data/winning-2k",
                                         "tests/data/window-2k-1", "tests/data/update-2k"};
    static const uint64_t number[] = {15,         20,        99,        (uint64_t)1 << 31,
                                      UINT32_MAX, INT64_MAX, UINT64_MAX};
    for (size_t f = 0; f < CUZK_ARRAY_LEN(folder); f++) {
        loaded l;
        char says[64];
        open_folder(&l, folder[f]);
        uint64_t good = l.msg.registered_proof;
        for (size_t i = 0; i <= CUZK_ARRAY_LEN(number); i++) {
            uint64_t v = i < CUZK_ARRAY_LEN(number) ? number[i] : ((uint64_t)1 << 32) + good;
            if (v == 15 && f == 0)
                v = 1000; /* a seal type has the number 15 */
            l.msg.registered_proof = v;
            snprintf(says, sizeof says, "type number %llu", (unsigned long long)v);
            expect(&l.msg, CUZK_INVAL, says);
        }
        close_folder(&l);
    }
}

/* A15, A16: sizes of the 32-byte fields. */
static void field_sizes(void **state)
{
    (void)state;
    static const uint8_t bytes[64] =
        "bagboea4b5abcb4rxs2u3vpabkhtzvmxnmxeqmu7xzu7rbjj6gejcwezwbiwkof";
    loaded l;
    open_folder(&l, "tests/data/update-2k");
    byte_view *field[] = {&l.msg.comm_r_old, &l.msg.comm_r_new, &l.msg.comm_d_new};
    static const char *const name[] = {"comm_r_old must be", "comm_r_new must be",
                                       "comm_d_new must be"};
    static const size_t size[] = {0, 1, 31, 33, 38, 39, 40, 41, 64};
    for (size_t f = 0; f < 3; f++) {
        byte_view good = *field[f];
        for (size_t i = 0; i < CUZK_ARRAY_LEN(size); i++) {
            *field[f] = (byte_view){bytes, size[i]}; /* the text of a CID, cut */
            expect(&l.msg, CUZK_INVAL, name[f]);
        }
        *field[f] = good;
    }
    close_folder(&l);
    open_folder(&l, "tests/data/window-2k-1");
    for (size_t i = 0; i < CUZK_ARRAY_LEN(size); i++) {
        l.msg.randomness = (byte_view){bytes, size[i]};
        expect(&l.msg, CUZK_INVAL, "randomness must be exactly 32 bytes");
    }
    close_folder(&l);
}

/* A22, A23: what pairs sectors with a partition. V1 challenges depend on the position. */
static void partition_and_sectors(void **state)
{
    (void)state;
    loaded l;
    open_folder(&l, "tests/data/window-2k-3-v1");
    for (uint32_t k = 1; k < 4; k++) {
        l.msg.partition_index = k;
        expect(&l.msg, CUZK_UNSATISFIED, "faulty_sectors=[10,13,16] (3 of 3)");
    }
    l.msg.partition_index = 0;
    l.msg.n_vanilla_proofs = 2; /* a prefix is a good request of its own */
    expect(&l.msg, CUZK_OK, "");
    l.msg.n_vanilla_proofs = 1; /* half a partition */
    expect(&l.msg, CUZK_OK, "");
    l.blob[0] = l.blob[1]; /* the right sector in the wrong place */
    expect(&l.msg, CUZK_UNSATISFIED, "faulty_sectors=[13] (1 of 1)");
    close_folder(&l);
}

/* A11: as many update proofs as partitions, each its own. */
static void update_partitions(void **state)
{
    (void)state;
    const char *folder = test_data("requests", "update-8m");
    loaded l;
    if (!folder) {
        print_message("SKIP: update-8m, not found in ../shared\n");
        skip();
    }
    open_folder(&l, folder);
    assert_int_equal(l.msg.n_vanilla_proofs, 4);
    expect(&l.msg, CUZK_OK, "");
    l.blob[4] = l.blob[3];
    for (size_t n = 1; n < 6; n += n == 3 ? 2 : 1) {
        char says[64];
        snprintf(says, sizeof says, "vanilla_proofs: %zu, expected 4", n);
        l.msg.n_vanilla_proofs = n;
        expect(&l.msg, CUZK_INVAL, says);
    }
    l.msg.n_vanilla_proofs = 4;
    byte_view last = l.blob[3];
    l.blob[3] = l.blob[2];
    expect(&l.msg, CUZK_UNSATISFIED, "partition 3: challenge 0");
    l.blob[2] = last;
    expect(&l.msg, CUZK_UNSATISFIED, "partition 2: challenge 0");
    close_folder(&l);
}

/* ---- proofs -------------------------------------------------------------------------------- */

#define PROOF CUZK_PROOF_BYTES

static cuzk_status verify(const cuzk_request *req, const uint8_t *proof, size_t n, int partition,
                          cuzk_err *err)
{
    return cuzk_verify(req, proof, n, partition, "tests/data/vk", err);
}

static void read_golden(uint8_t out[PROOF], const char *path)
{
    size_t n;
    uint8_t *bytes = test_read_file(path, &n);
    assert_int_equal(n, PROOF);
    memcpy(out, bytes, n);
    cuzk_free(bytes);
}

/* A09, A10: the proof of all partitions, whole and in order, and nothing else. */
static void proofs_of_several_partitions(void **state)
{
    (void)state;
    uint8_t proof[2 * PROOF + 1] = {0}, other[2 * PROOF];
    cuzk_request *req;
    cuzk_err err;
    static const size_t wrong[] = {0, 1, PROOF - 1, PROOF, PROOF + 1, 2 * PROOF - 1, 2 * PROOF + 1};
    assert_int_equal(cuzk_request_open(&req, "tests/data/window-2k-3-v1", NULL), CUZK_OK);
    read_golden(proof, "tests/data/window-2k-3-v1/golden-0.proof");
    read_golden(proof + PROOF, "tests/data/window-2k-3-v1/golden-1.proof");
    if (verify(req, proof, 2 * PROOF, CUZK_ALL_PARTITIONS, &err) != CUZK_OK)
        fail_msg("%s", err.msg);
    for (size_t i = 0; i < CUZK_ARRAY_LEN(wrong); i++) {
        assert_int_equal(verify(req, proof, wrong[i], CUZK_ALL_PARTITIONS, &err), CUZK_ENCODING);
        assert_non_null(strstr(err.msg, "2 partitions need exactly 384"));
    }
    for (int swapped = 0; swapped < 2; swapped++) {
        memcpy(other, swapped ? proof + PROOF : proof, PROOF);
        memcpy(other + PROOF, proof, PROOF);
        assert_int_equal(verify(req, other, 2 * PROOF, CUZK_ALL_PARTITIONS, &err), CUZK_REJECTED);
        assert_non_null(strstr(err.msg, swapped ? "partition 0" : "partition 1"));
    }
    assert_int_equal(verify(req, proof + PROOF, PROOF, 1, &err), CUZK_OK);
    assert_int_equal(verify(req, proof + PROOF, PROOF, 0, &err), CUZK_REJECTED);
    assert_int_equal(verify(req, proof, PROOF, 2, &err), CUZK_INVAL);
    assert_int_equal(verify(req, proof, 0, 0, &err), CUZK_ENCODING);
    assert_int_equal(verify(req, proof, 2 * PROOF, 0, &err), CUZK_ENCODING);
    cuzk_request_close(req);
}

/* A14: identities, and points of the curve outside the subgroup. */
static void points_of_a_proof(void **state)
{
    (void)state;
    static const struct {
        size_t at, n;
        const char *name;
    } element[] = {{0, 48, "element A"}, {48, 96, "element B"}, {144, 48, "element C"}};
    uint8_t proof[PROOF], bad[PROOF];
    cuzk_request *req;
    assert_int_equal(cuzk_request_open(&req, "tests/data/window-2k-1", NULL), CUZK_OK);
    read_golden(proof, "tests/data/window-2k-1/golden-0.proof");
    assert_int_equal(verify(req, proof, PROOF, CUZK_ALL_PARTITIONS, NULL), CUZK_OK);
    for (size_t e = 0; e < 3; e++) {
        cuzk_err err;
        unsigned n_outside = 0;
        memcpy(bad, proof, PROOF);
        memset(bad + element[e].at, 0, element[e].n);
        bad[element[e].at] = 0xc0;
        assert_int_equal(verify(req, bad, PROOF, 0, &err), CUZK_ENCODING);
        assert_non_null(strstr(err.msg, element[e].name));
        assert_non_null(strstr(err.msg, "is the identity"));
        bad[element[e].at] = 0x80;
        for (unsigned x = 0; x < 32; x++) { /* half of them are coordinates of a point */
            bad[element[e].at + element[e].n - 1] = (uint8_t)x;
            assert_int_equal(verify(req, bad, PROOF, 0, &err), CUZK_ENCODING);
            assert_non_null(strstr(err.msg, element[e].name));
            n_outside += strstr(err.msg, "subgroup") != NULL;
        }
        assert_in_range(n_outside, 4, 28);
    }
    cuzk_request_close(req);
}

/* ---- files --------------------------------------------------------------------------------- */

/* What is not a file is refused, and a FIFO is not waited for. */
static void things_that_are_no_files(void **state)
{
    (void)state;
    cuzk_request *req;
    groth16_vk vk;
    groth16_srs srs;
    cuzk_err err;
    const char *fifo = test_path("request.json");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    for (int i = 0; i < 2; i++) { /* by folder, by name */
        assert_int_equal(cuzk_request_open(&req, i ? fifo : test_dir, &err), CUZK_IO);
        assert_non_null(strstr(err.msg, "request.json is not a regular file"));
    }
    assert_int_equal(cuzk_vk_read(&vk, fifo, &err), CUZK_IO);
    assert_int_equal(cuzk_srs_read(&srs, fifo, NULL, &err), CUZK_IO);
    assert_int_equal(cuzk_srs_read(&srs, test_dir, NULL, &err), CUZK_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(length_bombs),      cmocka_unit_test(registered_proof_numbers),
        cmocka_unit_test(field_sizes),       cmocka_unit_test(partition_and_sectors),
        cmocka_unit_test(update_partitions), cmocka_unit_test(proofs_of_several_partitions),
        cmocka_unit_test(points_of_a_proof), cmocka_unit_test(things_that_are_no_files),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}

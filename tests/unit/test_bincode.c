/* PoSt and update blobs against what senders get wrong (CASES A09, A16, A18, A20, A22, A26):
 * counts, ranges, lengths, and random damage. Offsets in a 2 KiB Window blob: spec formats.md 6.3.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "filecoin/request.h"

typedef struct {
    request_files files;
    request_message msg;
    byte_view blob[16];
} loaded;

/* The message of a fixture with its first blob copied to *copy, which may be changed. */
static void open_fixture(loaded *l, const char *folder, uint8_t **copy)
{
    cuzk_err err;
    if (cuzk_request_files_read(&l->files, folder, &err) != CUZK_OK)
        fail_msg("%s", err.msg);
    l->msg = l->files.msg;
    memcpy(l->blob, l->msg.vanilla_proofs, l->msg.n_vanilla_proofs * sizeof l->blob[0]);
    l->msg.vanilla_proofs = l->blob;
    *copy = malloc(l->blob[0].n);
    assert_non_null(*copy);
    memcpy(*copy, l->blob[0].data, l->blob[0].n);
    l->blob[0].data = *copy;
}

static void close_fixture(loaded *l, uint8_t *copy)
{
    free(copy);
    cuzk_request_files_fini(&l->files);
}

static cuzk_status parse_and_check(const request_message *msg, cuzk_err *err)
{
    proof_request *req = NULL;
    *err = (cuzk_err){0};
    cuzk_status st = cuzk_request_parse(&req, msg, err);
    if (st == CUZK_OK)
        st = cuzk_request_check(req, err);
    cuzk_request_free(req);
    return st;
}

static void assert_refused(const request_message *msg, const char *says)
{
    cuzk_err err;
    cuzk_status st = parse_and_check(msg, &err);
    if ((st != CUZK_ENCODING && st != CUZK_INVAL) || !strstr(err.msg, says))
        fail_msg("wants '%s': %s: %s", says, cuzk_status_name(st), err.msg);
}

/* Where the numbers stand in a 2 KiB blob: two levels of seven siblings and an index. */
enum {
    N_SECTORS = 40,
    N_PROOFS = 48,
    TAG = 56,
    ROOT = 60,
    LEAF = 92,
    N_PATH = 124,
    N_HASHES = 132,
    HASHES = 140,
    INDEX = HASHES + 7 * 32,
    PROOF_BYTES = 556,
    SECOND = TAG + PROOF_BYTES
};

static void numbers_in_a_blob(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint64_t value;
        unsigned n;
        const char *says;
    } row[] = {
        {N_SECTORS, 0, 8, "vanilla_proofs[0]: sectors: 0 elements, expected 1 (byte 40)"},
        {N_SECTORS, 2, 8, "sectors: 2 elements, expected 1"},
        {N_PROOFS, UINT64_MAX, 8, "inclusion_proofs: 18446744073709551615 elements, expected 10"},
        {N_PROOFS, (uint64_t)1 << 40, 8, "inclusion_proofs: 1099511627776 elements"},
        {N_PROOFS, 66, 8, "inclusion_proofs: 66 elements, expected 10"},
        {N_PROOFS, 0, 8, "inclusion_proofs: 0 elements, expected 10"},
        {TAG, 1, 4, "inclusion_proofs[0]: tag: 1 where a 2KiB sector has 0, Single (byte 56)"},
        {TAG, 77, 4, "tag: 77 where"},
        {SECOND, 2, 4, "inclusion_proofs[1]: tag: 2 where"},
        {N_PATH, 3, 8, "inclusion_proofs[0]: path: 3 elements, expected 2 (byte 124)"},
        {N_PATH, 1, 8, "path: 1 elements, expected 2"},
        {N_PATH, UINT64_MAX, 8, "path: 18446744073709551615 elements"},
        {N_HASHES, 8, 8, "path element 0: hashes: 8 elements, expected 7 (byte 132)"},
        {N_HASHES, 1, 8, "path element 0: hashes: 1 elements, expected 7"},
        {INDEX, 8, 8,
         "inclusion_proofs[0]: path element 0: index: 8 is not below the arity 8 (byte "
         "364)"},
        {INDEX, (uint64_t)1 << 32, 8, "index: 4294967296 is not below the arity 8"},
        {ROOT + 24, UINT64_MAX, 8, "root: not a field element (not below the modulus; byte 60)"},
        {LEAF + 24, UINT64_MAX, 8, "leaf: not a field element"},
        {HASHES + 24, UINT64_MAX, 8, "hashes: not a field element"},
        {8 + 24, UINT64_MAX, 8, "vanilla_proofs[0]: comm_r: not a field element"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        loaded l;
        uint8_t *copy;
        open_fixture(&l, "tests/data/window-2k-1", &copy);
        for (unsigned k = 0; k < row[i].n; k++)
            copy[row[i].at + k] = (uint8_t)(row[i].value >> (8 * k));
        assert_refused(&l.msg, row[i].says);
        close_fixture(&l, copy);
    }
}

/* Cut at every length, in a block of exactly that size for the address sanitizer. */
static void cut_blobs(void **state)
{
    (void)state;
    static const char *const folder[] = {"tests/data/window-2k-1", "tests/data/update-2k"};
    for (int f = 0; f < 2; f++) {
        loaded l;
        uint8_t *copy;
        open_fixture(&l, folder[f], &copy);
        size_t whole = l.blob[0].n;
        for (size_t n = 0; n < whole; n += n < 800 ? 1 : 97) {
            uint8_t *part = malloc(n + 1);
            memcpy(part, copy, n);
            l.blob[0] = (byte_view){part, n};
            assert_refused(&l.msg, "ends at byte");
            free(part);
        }
        uint8_t *more = calloc(1, whole + 1);
        memcpy(more, copy, whole);
        l.blob[0] = (byte_view){more, whole + 1};
        assert_refused(&l.msg, "1 bytes too many");
        free(more);
        close_fixture(&l, copy);
    }
}

/* Every byte of a blob matters: whatever bit is flipped, nobody proves it. */
static void flipped_bits(void **state)
{
    (void)state;
    static const struct {
        const char *folder;
        int n;
    } row[] = {{"tests/data/window-2k-1", 500}, {"tests/data/update-2k", 150}};
    unsigned seed = 20240917;
    printf("seed %u\n", seed);
    for (size_t f = 0; f < 2; f++) {
        loaded l;
        uint8_t *copy;
        cuzk_err err;
        open_fixture(&l, row[f].folder, &copy);
        assert_int_equal(parse_and_check(&l.msg, &err), CUZK_OK);
        for (int i = 0; i < row[f].n; i++) {
            seed = seed * 1664525 + 1013904223;
            size_t at = (seed >> 8) % l.blob[0].n;
            copy[at] ^= (uint8_t)(1u << (seed >> 5 & 7));
            cuzk_status st = parse_and_check(&l.msg, &err);
            if (st != CUZK_ENCODING && st != CUZK_INVAL && st != CUZK_UNSATISFIED)
                fail_msg("bit at byte %zu: %s", at, cuzk_status_name(st));
            copy[at] ^= (uint8_t)(1u << (seed >> 5 & 7));
        }
        close_fixture(&l, copy);
    }
}

static void counts_of_blobs(void **state)
{
    (void)state;
    loaded l;
    uint8_t *copy;
    open_fixture(&l, "tests/data/winning-2k", &copy);
    l.blob[1] = l.blob[0];
    l.msg.n_vanilla_proofs = 2;
    assert_refused(&l.msg, "vanilla_proofs: 2 where a winning proof has 1");
    l.msg.n_vanilla_proofs = 0;
    assert_refused(&l.msg, "vanilla_proofs: empty");
    l.msg.n_vanilla_proofs = 1;
    l.msg.kind = CUZK_KIND_WINDOW;
    assert_refused(&l.msg, "there is no window type number 0");
    l.msg.registered_proof = 10;
    assert_refused(&l.msg, "inclusion_proofs: 66 elements, expected 10");
    close_fixture(&l, copy);
    open_fixture(&l, "tests/data/window-2k-1", &copy);
    l.msg.kind = CUZK_KIND_WINNING;
    l.msg.registered_proof = 0;
    assert_refused(&l.msg, "inclusion_proofs: 10 elements, expected 66");
    l.msg.vanilla_proof = l.blob[0];
    assert_refused(&l.msg, "vanilla_proof: not used by winning");
    close_fixture(&l, copy);
    open_fixture(&l, "tests/data/update-2k", &copy);
    l.blob[1] = l.blob[0];
    l.msg.n_vanilla_proofs = 2;
    assert_refused(&l.msg, "vanilla_proofs: 2, expected 1, one a partition");
    l.msg.n_vanilla_proofs = 1;
    l.msg.registered_proof = 1;
    l.msg.sector_size = 0;
    assert_refused(&l.msg, "vanilla_proofs: 1, expected 4");
    close_fixture(&l, copy);
}

static void order_of_sectors(void **state)
{
    (void)state;
    loaded l;
    uint8_t *copy;
    open_fixture(&l, "tests/data/window-2k-3-v1", &copy);
    byte_view first = l.blob[0];
    l.blob[0] = l.blob[1];
    l.blob[1] = first;
    assert_refused(&l.msg, "vanilla_proofs[1]: sector 10 comes after sector 13; they must be in "
                           "ascending order");
    l.blob[0] = first;
    assert_refused(&l.msg, "vanilla_proofs[1]: sector 10 is there twice");
    close_fixture(&l, copy);
}

static void fields_of_post(void **state)
{
    (void)state;
    loaded l;
    uint8_t *copy, big[32];
    cuzk_err err;
    open_fixture(&l, "tests/data/window-2k-1", &copy);
    byte_view good = l.msg.randomness;
    memset(big, 0xff, sizeof big);
    l.msg.randomness = (byte_view){big, 31};
    assert_refused(&l.msg, "randomness must be exactly 32 bytes, got 31");
    l.msg.randomness = (byte_view){NULL, 0};
    assert_refused(&l.msg, "randomness must be exactly 32 bytes, got 0");
    l.msg.randomness = (byte_view){big, 32};
    assert_refused(&l.msg, "randomness: not below the modulus");
    memset(big, 0, sizeof big); /* legal, but not what these proofs answer */
    assert_int_equal(parse_and_check(&l.msg, &err), CUZK_UNSATISFIED);
    l.msg.randomness = good;
    l.msg.sector_size = 4096;
    assert_refused(&l.msg, "sector_size is 4096 but StackedDrgWindow2KiBV1_2");
    l.msg.sector_size = 0;
    l.msg.partition_index = UINT32_MAX;
    assert_refused(&l.msg, "partition_index: 4294967295 is not below 3000");
    l.msg.partition_index = 0;
    l.msg.registered_proof = 3;
    assert_refused(&l.msg, "there is no window type number 3");
    l.msg.registered_proof = 13;
    assert_refused(&l.msg, "tag: 0 where a 32GiB sector has 1, Sub");
    l.msg.registered_proof = 10;
    assert_int_equal(parse_and_check(&l.msg, &err), CUZK_OK);
    close_fixture(&l, copy);
}

/* CASES A15: 32 bytes or the CID of the right role. */
static void commitments_of_updates(void **state)
{
    (void)state;
    static const uint8_t sealed[] = {0x01, 0x82, 0xe2, 0x03, 0x81, 0xe8, 0x02, 0x20};
    static const uint8_t unsealed[] = {0x01, 0x81, 0xe2, 0x03, 0x92, 0x20, 0x20};
    loaded l;
    uint8_t *copy, cid[40], zero[32] = {0}, big[32];
    cuzk_err err;
    open_fixture(&l, "tests/data/update-2k", &copy);
    byte_view old = l.msg.comm_r_old, new = l.msg.comm_r_new, d = l.msg.comm_d_new;
    memcpy(cid, sealed, 8);
    memcpy(cid + 8, old.data, 32);
    l.msg.comm_r_old = (byte_view){cid, 40};
    assert_int_equal(parse_and_check(&l.msg, &err), CUZK_OK);
    l.msg.comm_r_old = (byte_view){cid, 39};
    assert_refused(&l.msg, "comm_r_old must be exactly 32 bytes");
    l.msg.comm_r_old = old;
    memcpy(cid, unsealed, 7);
    memcpy(cid + 7, d.data, 32);
    l.msg.comm_d_new = (byte_view){cid, 39};
    assert_int_equal(parse_and_check(&l.msg, &err), CUZK_OK);
    l.msg.comm_r_new = (byte_view){cid, 39}; /* wrong role */
    assert_refused(&l.msg, "comm_r_new must be exactly 32 bytes (or the binary CID of a sealed");
    l.msg.comm_d_new = d;
    l.msg.comm_r_new = (byte_view){zero, 32};
    assert_refused(&l.msg, "comm_r_new: all bytes are zero");
    memset(big, 0xff, 32);
    l.msg.comm_r_new = (byte_view){big, 32};
    assert_refused(&l.msg, "comm_r_new: not a field element");
    l.msg.comm_r_new = (byte_view){new.data, 31};
    assert_refused(&l.msg, "got 31");
    l.msg.comm_r_new = old;
    l.msg.comm_r_old = new; /* swapped: seen by the check, before any proving */
    assert_int_equal(parse_and_check(&l.msg, &err), CUZK_UNSATISFIED);
    close_fixture(&l, copy);
}

static void out_of_memory(void **state)
{
    (void)state;
    loaded l;
    uint8_t *copy;
    cuzk_err err;
    open_fixture(&l, "tests/data/update-2k", &copy);
    uint64_t before = cuzk_mem_used();
    for (uint64_t n = 1;; n++) {
        cuzk_mem_fail_nth(n);
        cuzk_status st = parse_and_check(&l.msg, &err);
        cuzk_mem_fail_nth(0);
        assert_int_equal(cuzk_mem_used(), before);
        if (st == CUZK_OK)
            break;
        assert_true(st == CUZK_NOMEM || st == CUZK_BUDGET);
    }
    close_fixture(&l, copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_in_a_blob),      cmocka_unit_test(cut_blobs),
        cmocka_unit_test(flipped_bits),           cmocka_unit_test(counts_of_blobs),
        cmocka_unit_test(order_of_sectors),       cmocka_unit_test(fields_of_post),
        cmocka_unit_test(commitments_of_updates), cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

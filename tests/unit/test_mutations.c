/* Random damage to vanilla proofs of each kind (CASES A20, A02, A16; circuits.md 5.7, 6.5, 7.5).
 *
 * A mutated proof must be refused with words. If it is accepted, the damage hit something that
 * nothing reads, which is shown, not assumed: the circuit runs over the mutated request, every row
 * must hold, and its inputs must be those that the verifier derives from the undamaged request. So
 * the proof made from it would verify. Fixtures: tests/data, real seals of 2 KiB sectors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "circuit/readings.h"
#include "filecoin/circuits.h"
#include "filecoin/request.h"

#define N_MUTATIONS 1000
#define MAX_BLOBS   4
#define MAX_CHANGES 3 /* in one mutation */
#define SEED        UINT64_C(20261129)

/* ---- random numbers: splitmix64 ------------------------------------------------------------ */

static uint64_t rng_state;

static uint64_t random_u64(void)
{
    uint64_t z = rng_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* 0 when n is 0. */
static size_t random_below(size_t n)
{
    return n ? (size_t)(random_u64() % n) : 0;
}

/* ---- mutations ----------------------------------------------------------------------------- */

typedef struct {
    uint8_t *data; /* malloc: exactly as long as the text, for the address sanitizer */
    size_t n;
} text;

typedef void (*mutation)(text *t);

static void splice(text *t, size_t at, size_t n_old, const uint8_t *new, size_t n_new)
{
    size_t n = t->n - n_old + n_new;
    uint8_t *data = malloc(n ? n : 1);
    assert_non_null(data);
    memcpy(data, t->data, at);
    memcpy(data + at, new, n_new);
    memcpy(data + at + n_new, t->data + at + n_old, t->n - at - n_old);
    free(t->data);
    *t = (text){data, n};
}

static void set_byte(text *t)
{
    uint8_t b = (uint8_t)random_u64();
    if (t->n)
        t->data[random_below(t->n)] = b;
}

static void flip_bit(text *t)
{
    uint8_t bit = (uint8_t)(1u << random_below(8));
    if (t->n)
        t->data[random_below(t->n)] ^= bit;
}

/* Mostly short pieces, so that what follows is reached. */
static size_t piece(size_t most)
{
    size_t n = random_below(4) ? 1 + random_below(40) : 1 + random_below(5000);
    return n < most ? n : most;
}

static void delete_range(text *t)
{
    size_t at = random_below(t->n);
    splice(t, at, piece(t->n - at), t->data, 0);
}

static void insert_bytes(text *t)
{
    uint8_t bytes[40];
    size_t at = random_below(t->n + 1), n = 1 + random_below(sizeof bytes);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)random_u64();
    splice(t, at, 0, bytes, n);
}

static void repeat_range(text *t)
{
    uint8_t bytes[5000];
    size_t from = random_below(t->n), n = piece(t->n - from);
    memcpy(bytes, t->data + from, n);
    splice(t, random_below(t->n + 1), 0, bytes, n);
}

static void truncate_text(text *t)
{
    size_t n = random_below(t->n);
    splice(t, n, t->n - n, t->data, 0);
}

/* Two field elements of a blob change places, when both positions are those of elements. */
static void swap_blocks(text *t)
{
    uint8_t block[32];
    if (t->n < 96)
        return;
    size_t a = random_below((t->n - 32) / 4) * 4, b = a % 32 + random_below(t->n / 32 - 1) * 32;
    if (b + 32 > t->n || (a < b ? b - a : a - b) < 32)
        return;
    memcpy(block, t->data + a, 32);
    memcpy(t->data + a, t->data + b, 32);
    memcpy(t->data + b, block, 32);
}

/* An element becomes 0, 1, r - 1, r, or all bits. */
static void edge_element(text *t)
{
    static const uint8_t r[32] = {0x01, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xfe, 0x5b, 0xfe,
                                  0xff, 0x02, 0xa4, 0xbd, 0x53, 0x05, 0xd8, 0xa1, 0x09, 0x08, 0xd8,
                                  0x39, 0x33, 0x48, 0x7d, 0x9d, 0x29, 0x53, 0xa7, 0xed, 0x73};
    uint8_t block[32] = {0};
    size_t which = random_below(5);
    if (t->n < 36)
        return;
    if (which == 1)
        block[0] = 1;
    else if (which < 4)
        memcpy(block, r, 32);
    else
        memset(block, 0xff, 32);
    if (which == 2)
        block[0] = 0;
    if (which != 0 || random_below(2))
        memcpy(t->data + random_below((t->n - 32) / 4) * 4, block, 32);
}

/* A count or an index becomes a number that hurts. */
static void edge_number(text *t)
{
    static const uint64_t number[] = {0,
                                      1,
                                      2,
                                      7,
                                      8,
                                      UINT32_MAX,
                                      (uint64_t)1 << 32,
                                      (uint64_t)1 << 40,
                                      INT64_MAX,
                                      UINT64_MAX,
                                      UINT64_MAX - 7};
    if (t->n < 12)
        return;
    uint64_t v = number[random_below(sizeof number / sizeof number[0])];
    uint8_t *at = t->data + random_below((t->n - 8) / 4) * 4;
    for (unsigned i = 0; i < 8; i++)
        at[i] = (uint8_t)(v >> (8 * i));
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* Start of some number in JSON; n when the search meets none. */
static size_t find_digit(const text *t)
{
    size_t at = random_below(t->n);
    while (at < t->n && !is_digit(t->data[at]))
        at++;
    return at;
}

/* The text stays JSON, and mostly within bytes. */
static void change_digit(text *t)
{
    size_t at = find_digit(t);
    if (at < t->n)
        t->data[at] = (uint8_t)('0' + random_below(10));
}

static void other_value(text *t)
{
    static const char *const value[] = {
        "0",    "255", "256", "-1",    "1e0", "0.5", "4294967296", "18446744073709551616",
        "null", "[]",  "{}",  "\"1\"", "true"};
    size_t at = find_digit(t), n = 0;
    const char *v = value[random_below(sizeof value / sizeof value[0])];
    while (at > 0 && at < t->n && is_digit(t->data[at - 1]))
        at--;
    while (at + n < t->n && is_digit(t->data[at + n]))
        n++;
    splice(t, at, n, (const uint8_t *)v, strlen(v));
}

static const mutation of_blobs[] = {set_byte,      flip_bit,    delete_range, insert_bytes,
                                    repeat_range,  swap_blocks, edge_element, edge_number,
                                    truncate_text, swap_blocks, flip_bit};
static const mutation of_json[] = {set_byte,     flip_bit,      change_digit, change_digit,
                                   change_digit, other_value,   delete_range, insert_bytes,
                                   repeat_range, truncate_text, change_digit};

static void mutate(text *t, bool json)
{
    size_t n = 1 + random_below(MAX_CHANGES);
    if (random_below(2)) /* half of them in one place only */
        n = 1;
    while (n-- > 0 && t->n > 0) {
        if (json)
            of_json[random_below(sizeof of_json / sizeof of_json[0])](t);
        else
            of_blobs[random_below(sizeof of_blobs / sizeof of_blobs[0])](t);
    }
}

/* ---- the undamaged request ----------------------------------------------------------------- */

typedef struct {
    request_files files;
    request_message msg; /* its views point at blob */
    byte_view blob[MAX_BLOBS], *one;
    size_t n_blobs;
    unsigned n_partitions;
    uint8_t inputs_sha256[MAX_BLOBS][32]; /* ONE and the public inputs, a partition each */
} subject;

static void hash_inputs(uint8_t out[32], const proof_request *req, unsigned partition)
{
    size_t n = cuzk_circuit_n_inputs((circuit_id){req->kind, req->shape});
    fr *input = CUZK_NEW_ARRAY(fr, n + 1);
    uint8_t *bytes = CUZK_NEW_ARRAY(uint8_t, 32 * (n + 1));
    assert_true(input && bytes);
    cuzk_fr_from_u64(&input[0], 1);
    assert_int_equal(cuzk_request_public_inputs(input + 1, req, partition, NULL), CUZK_OK);
    for (size_t i = 0; i <= n; i++)
        cuzk_fr_to_bytes(bytes + 32 * i, &input[i]);
    cuzk_sha256(out, bytes, 32 * (n + 1));
    cuzk_free(bytes);
    cuzk_free(input);
}

static void subject_open(subject *s, const char *folder)
{
    cuzk_err err;
    proof_request *req = NULL;
    memset(s, 0, sizeof *s);
    if (cuzk_request_files_read(&s->files, folder, &err) != CUZK_OK)
        fail_msg("%s: %s", folder, err.msg);
    s->msg = s->files.msg;
    s->one = s->msg.kind == CUZK_KIND_POREP ? &s->msg.vanilla_proof : s->blob;
    s->n_blobs = s->msg.kind == CUZK_KIND_POREP ? 1 : s->msg.n_vanilla_proofs;
    assert_in_range(s->n_blobs, 1, MAX_BLOBS);
    if (s->one == s->blob) {
        memcpy(s->blob, s->msg.vanilla_proofs, s->n_blobs * sizeof s->blob[0]);
        s->msg.vanilla_proofs = s->blob;
    }
    if (cuzk_request_parse(&req, &s->msg, &err) != CUZK_OK ||
        cuzk_request_check(req, &err) != CUZK_OK)
        fail_msg("%s: %s", folder, err.msg);
    s->n_partitions = req->n_partitions;
    assert_in_range(s->n_partitions, 1, MAX_BLOBS);
    for (unsigned k = 0; k < s->n_partitions; k++)
        hash_inputs(s->inputs_sha256[k], req, k);
    cuzk_request_free(req);
}

static void subject_close(subject *s)
{
    cuzk_request_files_fini(&s->files);
}

/* ---- judging ------------------------------------------------------------------------------- */

typedef struct {
    unsigned parse, check, survived;
} tally;

typedef enum { VERIFIES, BAD_ROW, OTHER_INPUTS } verdict;

/* What a verifier who knows the undamaged request says of a proof made from req. */
static verdict prove(const subject *s, const proof_request *req)
{
    assert_int_equal(req->n_partitions, s->n_partitions);
    for (unsigned k = 0; k < s->n_partitions; k++) {
        circuit_instance in = {{req->kind, req->shape}, req, k};
        cs_circuit circuit = cuzk_circuit_of(&in);
        witness_summary w = {0};
        cuzk_err err;
        if (cuzk_witness_summarize(&w, &circuit, NULL, &err) != CUZK_OK)
            fail_msg("partition %u: %s", k, err.msg);
        if (!w.satisfied)
            return BAD_ROW;
        if (memcmp(w.inputs_sha256, s->inputs_sha256[k], 32) != 0)
            return OTHER_INPUTS;
    }
    return VERIFIES;
}

/* Refused with words: of the form, or of the content with the sector. */
static void assert_refusal(cuzk_status st, const cuzk_err *err, unsigned number)
{
    if (st != CUZK_ENCODING && st != CUZK_INVAL && st != CUZK_UNSATISFIED)
        fail_msg("mutation %u: status %s: %s", number, cuzk_status_name(st), err->msg);
    if (err->msg[0] == '\0' || err->status != st)
        fail_msg("mutation %u: refused without a message", number);
    if (st == CUZK_UNSATISFIED && !strstr(err->msg, "sector "))
        fail_msg("mutation %u: no sector is named: %s", number, err->msg);
}

static void judge(const subject *s, unsigned number, tally *t)
{
    proof_request *req = NULL;
    cuzk_err err = {0};
    uint64_t before = cuzk_mem_used();
    cuzk_status st = cuzk_request_parse(&req, &s->msg, &err);
    if (st != CUZK_OK) {
        assert_refusal(st, &err, number);
        t->parse++;
        return;
    }
    st = cuzk_request_check(req, &err);
    if (st != CUZK_OK) {
        assert_refusal(st, &err, number);
        t->check++;
    } else {
        static const char *const why[] = {"", "a row does not hold", "it has other inputs"};
        verdict v = prove(s, req);
        if (v != VERIFIES)
            fail_msg("mutation %u was accepted, but %s", number, why[v]);
        t->survived++;
    }
    cuzk_request_free(req);
    assert_int_equal(cuzk_mem_used(), before);
}

static text copy_of(byte_view v)
{
    text t = {malloc(v.n), v.n};
    assert_non_null(t.data);
    memcpy(t.data, v.data, v.n);
    return t;
}

static void mutate_and_judge(subject *s, unsigned number, tally *t)
{
    byte_view *v = &s->one[random_below(s->n_blobs)], good = *v;
    text bad = copy_of(good);
    while (bad.n == good.n && memcmp(bad.data, good.data, good.n) == 0)
        mutate(&bad, s->msg.kind == CUZK_KIND_POREP);
    *v = (byte_view){bad.data, bad.n};
    judge(s, number, t);
    *v = good;
    free(bad.data);
}

static tally run(const char *folder, const char *what, unsigned n)
{
    subject s;
    tally t = {0};
    rng_state = SEED;
    subject_open(&s, folder);
    for (unsigned i = 0; i < n; i++)
        mutate_and_judge(&s, i, &t);
    printf("%s: seed %llu, %u mutations: %u refused by the reader, %u by the check, %u survived\n",
           what, (unsigned long long)SEED, n, t.parse, t.check, t.survived);
    assert_true(t.parse > n / 10 && t.check > n / 20); /* both doors were tried */
    subject_close(&s);
    return t;
}

/* ---- tests --------------------------------------------------------------------------------- */

static void c1_json(void **state)
{
    (void)state;
    run("tests/data/porep-2k-a", "porep, C1 JSON", N_MUTATIONS);
}

/* Damage below the base64 text of the envelope, and to the envelope. */
static void c1_in_its_envelope(void **state)
{
    (void)state;
    subject s;
    tally t = {0};
    uint8_t *wrapped;
    size_t n;
    rng_state = SEED;
    subject_open(&s, "tests/data/porep-2k-a");
    assert_int_equal(
        cuzk_file_read(&wrapped, &n, "tests/data/porep-2k-a/c1-wrapped.json", 1 << 20, NULL),
        CUZK_OK);
    *s.one = (byte_view){wrapped, n};
    for (unsigned i = 0; i < N_MUTATIONS / 4; i++)
        mutate_and_judge(&s, i, &t);
    printf("porep, envelope: %u refused by the reader, %u by the check, %u survived\n", t.parse,
           t.check, t.survived);
    cuzk_free(wrapped);
    subject_close(&s);
}

static void winning(void **state)
{
    (void)state;
    tally t = run("tests/data/winning-2k", "winning", N_MUTATIONS);
    assert_int_equal(t.survived, 0); /* every byte of a PoSt blob is read and bound */
}

static void window(void **state)
{
    (void)state;
    tally t = run("tests/data/window-2k-3-v1", "window", N_MUTATIONS);
    assert_int_equal(t.survived, 0);
}

static void update(void **state)
{
    (void)state;
    tally t = run("tests/data/update-2k", "update", N_MUTATIONS);
    assert_int_equal(t.survived, 0);
}

/* The one number of a C1 that nothing reads: the established verifier passes over it, too. */
static void column_index_does_not_matter(void **state)
{
    (void)state;
    static const char key[] = "\"column\":{\"index\":", other[] = "4294967295,\"was\":";
    subject s;
    tally t = {0};
    subject_open(&s, "tests/data/porep-2k-a");
    text bad = copy_of(*s.one);
    uint8_t *at = memmem(bad.data, bad.n, key, sizeof key - 1);
    assert_non_null(at);
    splice(&bad, (size_t)(at - bad.data) + sizeof key - 1, 0, (const uint8_t *)other,
           sizeof other - 1);
    *s.one = (byte_view){bad.data, bad.n};
    judge(&s, 0, &t);
    assert_int_equal(t.survived, 1);
    free(bad.data);
    subject_close(&s);
}

/* Each bit of what the message says beside the proofs is bound by them. */
static void message_fields(void **state)
{
    (void)state;
    static const char *const folder[] = {"tests/data/winning-2k", "tests/data/window-2k-1",
                                         "tests/data/update-2k"};
    for (size_t f = 0; f < 3; f++) {
        subject s;
        tally t = {0};
        subject_open(&s, folder[f]);
        byte_view *field[] = {&s.msg.randomness, &s.msg.comm_r_old, &s.msg.comm_r_new,
                              &s.msg.comm_d_new};
        for (unsigned i = 0; i < 4 * 256; i++) {
            byte_view *v = field[i / 256], good = *v;
            if (good.n == 0)
                continue;
            text bad = copy_of(good);
            bad.data[i % 256 / 8] ^= (uint8_t)(1u << i % 8);
            *v = (byte_view){bad.data, bad.n};
            judge(&s, i, &t);
            *v = good;
            free(bad.data);
        }
        assert_int_equal(t.survived, 0);
        assert_int_equal(t.parse + t.check, f < 2 ? 256 : 3 * 256);
        subject_close(&s);
    }
}

/* The judge can say no: what the check refuses would not have given a proof that verifies, but for
 * the copies (stored roots) that the check compares and the circuit does without. */
static void refused_proofs_would_not_verify(void **state)
{
    (void)state;
    subject s;
    unsigned n[3] = {0};
    rng_state = SEED;
    subject_open(&s, "tests/data/window-2k-1");
    byte_view good = *s.one;
    for (unsigned i = 0; i < 100; i++) {
        proof_request *req = NULL;
        text bad = copy_of(good);
        bad.data[random_below(bad.n)] ^= 1;
        *s.one = (byte_view){bad.data, bad.n};
        if (cuzk_request_parse(&req, &s.msg, NULL) == CUZK_OK) {
            assert_int_equal(cuzk_request_check(req, NULL), CUZK_UNSATISFIED);
            n[prove(&s, req)]++;
        }
        cuzk_request_free(req);
        free(bad.data);
    }
    printf("window, refused by the check: %u would verify, %u not satisfied, %u other inputs\n",
           n[VERIFIES], n[BAD_ROW], n[OTHER_INPUTS]);
    assert_true(n[BAD_ROW] > 10 * n[VERIFIES] && n[BAD_ROW] > 50);
    subject_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c1_json),        cmocka_unit_test(c1_in_its_envelope),
        cmocka_unit_test(winning),        cmocka_unit_test(window),
        cmocka_unit_test(update),         cmocka_unit_test(column_index_does_not_matter),
        cmocka_unit_test(message_fields), cmocka_unit_test(refused_proofs_would_not_verify),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

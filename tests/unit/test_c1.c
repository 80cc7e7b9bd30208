/* The C1 reader against what senders get wrong (CASES A01-A05). Every case is an edit of the real
 * C1 in tests/data/porep-2k-a; the message must name the place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/file.h"
#include "base/mem.h"
#include "filecoin/request.h"

static char *c1, *wrapped; /* the fixtures as text */
static size_t n_c1, n_wrapped;

static int read_fixtures(void **state)
{
    (void)state;
    uint8_t *a, *b;
    if (cuzk_file_read(&a, &n_c1, "tests/data/porep-2k-a/c1.json", 1 << 20, NULL) != CUZK_OK ||
        cuzk_file_read(&b, &n_wrapped, "tests/data/porep-2k-a/c1-wrapped.json", 1 << 20, NULL) !=
            CUZK_OK)
        return -1;
    c1 = (char *)a;
    wrapped = (char *)b;
    return 0;
}

static int free_fixtures(void **state)
{
    (void)state;
    cuzk_free(c1);
    cuzk_free(wrapped);
    return 0;
}

static request_message message_of(const char *text, size_t n)
{
    return (request_message){.kind = CUZK_KIND_POREP,
                             .sector_size = 2048,
                             .registered_proof = 5,
                             .has_registered_proof = true,
                             .sector_number = 1,
                             .miner_id = 1000,
                             .vanilla_proof = {(const uint8_t *)text, n}};
}

static cuzk_status parse_once(const request_message *msg, cuzk_err *err)
{
    proof_request *req = NULL;
    *err = (cuzk_err){0};
    cuzk_status st = cuzk_request_parse(&req, msg, err);
    if (st == CUZK_OK)
        st = cuzk_request_check(req, err);
    cuzk_request_free(req);
    return st;
}

/* A copy that may be written over, in a block of exactly its size, must give the same. */
static cuzk_status parse(const char *text, size_t n, cuzk_err *err)
{
    request_message msg = message_of(text, n);
    cuzk_err again;
    cuzk_status st = parse_once(&msg, err);
    char *copy = malloc(n);
    memcpy(copy, text, n);
    msg = message_of(copy, n);
    msg.may_overwrite = true;
    assert_int_equal(parse_once(&msg, &again), st);
    assert_string_equal(again.msg, err->msg);
    free(copy);
    return st;
}

static void assert_accepted(const char *text, size_t n)
{
    cuzk_err err;
    if (parse(text, n, &err) != CUZK_OK)
        fail_msg("%s", err.msg);
}

static void assert_refused(const char *text, size_t n, const char *says, const char *what)
{
    cuzk_err err;
    cuzk_status st = parse(text, n, &err);
    if (st != CUZK_ENCODING && st != CUZK_INVAL)
        fail_msg("%s: status %s", what, cuzk_status_name(st));
    if (!strstr(err.msg, says))
        fail_msg("%s: %s", what, err.msg);
}

/* text with its k-th occurrence of `old` replaced. Free with free(). */
static char *edited_at(const char *text, const char *old, const char *new, int k)
{
    const char *at = strstr(text, old);
    while (at && k-- > 0)
        at = strstr(at + 1, old);
    assert_non_null(at);
    size_t before = (size_t)(at - text), n = strlen(text) + strlen(new) + 1;
    char *out = malloc(n);
    assert_non_null(out);
    snprintf(out, n, "%.*s%s%s", (int)before, text, new, at + strlen(old));
    return out;
}

static char *edited(const char *text, const char *old, const char *new)
{
    return edited_at(text, old, new, 0);
}

static void both_forms_are_accepted(void **state)
{
    (void)state;
    assert_accepted(c1, n_c1);
    assert_accepted(wrapped, n_wrapped);
}

static void what_follows(void **state)
{
    (void)state;
    static const struct {
        const char *tail;
        size_t n;
        int at; /* of the byte that is wrong, after the C1; -1: accepted */
    } row[] = {{"\n", 1, -1}, {" \r\n\t ", 5, -1}, {"}", 1, 0}, {"{}", 2, 0}, {"\0", 1, 0},
               {"\n}", 2, 1}, {",", 1, 0},         {"x", 1, 0}, {"\n[", 2, 1}};
    char *text = malloc(n_c1 + 8), place[32];
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        memcpy(text, c1, n_c1);
        memcpy(text + n_c1, row[i].tail, row[i].n);
        if (row[i].at < 0) {
            assert_accepted(text, n_c1 + row[i].n);
            continue;
        }
        snprintf(place, sizeof place, "(byte %zu)", n_c1 + (size_t)row[i].at);
        assert_refused(text, n_c1 + row[i].n, place, row[i].tail);
    }
    free(text);
}

static void truncated(void **state)
{
    (void)state;
    for (size_t i = 0; i < 16; i++) {
        size_t n = n_c1 * i / 16;
        char *part = malloc(n + 1), place[32]; /* exactly as long, for the address sanitizer */
        memcpy(part, c1, n);
        snprintf(place, sizeof place, "(byte %zu)", n);
        assert_refused(part, n, n ? place : "empty", "truncated");
        free(part);
    }
    for (size_t n = 1; n < 300; n++)
        assert_refused(c1, n, "byte", "short");
    for (size_t n = n_c1 - 300; n < n_c1; n++)
        assert_refused(c1, n, "byte", "nearly whole");
}

static void missing_keys(void **state)
{
    (void)state;
    static const char *const key[] = {"registered_proof",
                                      "vanilla_proofs",
                                      "comm_r",
                                      "comm_d",
                                      "replica_id",
                                      "seed",
                                      "ticket",
                                      "comm_d_proofs",
                                      "comm_r_last_proof",
                                      "replica_column_proofs",
                                      "labeling_proofs",
                                      "encoding_proof",
                                      "c_x",
                                      "drg_parents",
                                      "exp_parents",
                                      "column",
                                      "inclusion_proof",
                                      "rows",
                                      "_h",
                                      "data",
                                      "root",
                                      "leaf",
                                      "path",
                                      "hashes",
                                      "index",
                                      "parents",
                                      "layer_index",
                                      "node"};
    for (size_t i = 0; i < sizeof key / sizeof key[0]; i++) {
        char old[40], says[64];
        snprintf(old, sizeof old, "\"%s\":", key[i]);
        snprintf(says, sizeof says, "the key \"%s\" is missing", key[i]);
        char *text = edited(c1, old, "\"elsewhere\":");
        assert_refused(text, strlen(text), says, key[i]);
        free(text);
    }
}

#define PROOF0 "C1: vanilla_proofs.StackedDrg2KiBV1[0][0]"

static void edits(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new, *says;
        int k;
    } row[] = {
        /* integers */
        {"\"index\":", "\"index\":2,\"x\":",
         "C1: vanilla_proofs.StackedDrg2KiBV1[0][0].comm_d_proofs"
         ".data.Single.path.path[0].index: 2 is not below the arity 2 (byte ",
         0},
        {"\"index\":", "\"index\":-1,\"x\":", "index: -1 is not an integer from 0", 0},
        {"\"index\":", "\"index\":1.0,\"x\":", "index: 1.0 is not an integer", 0},
        {"\"index\":", "\"index\":1e0,\"x\":", "index: 1e0 is not an integer", 0},
        {"\"index\":", "\"index\":18446744073709551616,\"x\":", "18446744073709551616 is not an",
         0},
        {"\"index\":", "\"index\":\"1\",\"x\":", "index: a string where an integer is expected", 0},
        {"\"index\":", "\"index\":null,\"x\":", "index: null where an integer is expected", 0},
        {"\"index\":", "\"index\":true,\"x\":", "index: true where an integer is expected", 0},
        {"\"index\":", "\"index\":[1],\"x\":", "index: an array where an integer is expected", 0},
        {"\"layer_index\":", "\"layer_index\":4294967296,\"x\":", "4294967296 is not below 2^32",
         0},
        {"\"node\":", "\"node\":18446744073709551616,\"x\":", PROOF0 ".labeling_proofs[0].node", 0},
        {"\"column\":{\"index\":", "\"column\":{\"index\":4294967296,\"x\":", "c_x.column.index",
         0},
        /* bytes */
        {"\"leaf\":[0", "\"leaf\":[256",
         PROOF0 ".comm_d_proofs.data.Single.leaf[0]: 256 is not a "
                "byte",
         0},
        {"\"leaf\":[0", "\"leaf\":[-1", "leaf[0]: -1 is not a byte", 0},
        {"\"leaf\":[0", "\"leaf\":[0.0", "leaf[0]: 0.0 is not a byte", 0},
        {"\"leaf\":[0", "\"leaf\":[null", "leaf[0]: a byte (0 to 255) is expected", 0},
        {"\"leaf\":[0", "\"leaf\":[[]", "leaf[0]: a byte (0 to 255) is expected", 0},
        {"\"leaf\":[0,", "\"leaf\":[", "leaf: 31 bytes instead of 32", 0},
        {"\"leaf\":[0,", "\"leaf\":[0,0,", "leaf: more than 32 bytes", 0},
        {"\"leaf\":[", "\"leaf\":\"AA\",\"x\":[", "leaf: a string where an array of 32 bytes", 0},
        {"\"ticket\":[1,", "\"ticket\":[", "C1: ticket: 31 bytes instead of 32", 0},
        /* counts */
        {"\"hashes\":[", "\"hashes\":[],\"x\":[", "path[0].hashes: 0 elements instead of 1", 0},
        {"\"rows\":[", "\"rows\":[],\"x\":[", "c_x.column.rows: 0 elements instead of 2", 0},
        {"\"drg_parents\":[", "\"drg_parents\":[],\"x\":[", "drg_parents: 0 elements instead of 6",
         0},
        {"\"exp_parents\":[", "\"exp_parents\":[],\"x\":[", "exp_parents: 0 elements instead of 8",
         0},
        {"\"labeling_proofs\":[", "\"labeling_proofs\":[],\"x\":[",
         "labeling_proofs: 0 elements "
         "instead of 2",
         0},
        {"\"parents\":[", "\"parents\":[],\"x\":[",
         "labeling_proofs[0].parents: 0 elements instead "
         "of 37",
         0},
        {"\"StackedDrg2KiBV1\":[", "\"StackedDrg2KiBV1\":[],\"x\":[", "a second key after the only",
         0},
        {"\"StackedDrg2KiBV1\":[[", "\"StackedDrg2KiBV1\":[[],[", "V1[0]: 0 elements instead of 2",
         0},
        /* tags, types, names */
        {"\"Single\":", "\"Sub\":", "Sub: the tree of a 2KiB sector has the form Single", 0},
        {"\"Single\":", "\"single\":", "unknown alternative 'single'", 0},
        {"\"data\":{", "\"data\":{},\"x\":{", "data: no key in an object of one key", 0},
        {"{\"StackedDrg2KiBV1\"", "{\"StackedDrg8MiBV1\"", "path: 6 elements instead of 18", 0},
        {"{\"StackedDrg2KiBV1\"", "{\"StackedDrg2KiBV1_1\"", "unknown alternative", 0},
        {"\"StackedDrg2KiBV1_1\"", "\"StackedDrg8MiBV1_1\"",
         "registered_proof is StackedDrg8MiBV1_1 "
         "but vanilla_proofs holds StackedDrg2KiBV1",
         0},
        {"\"StackedDrg2KiBV1_1\"", "\"StackedDrg2KiBV1\"",
         "registered_proof is 5 but the C1 holds "
         "StackedDrg2KiBV1, number 0",
         0},
        {"\"StackedDrg2KiBV1_1\"", "\"StackedDrg2KiBV9\"",
         "C1: registered_proof: no PoRep type is "
         "called 'StackedDrg2KiBV9'",
         0},
        {"\"StackedDrg2KiBV1_1\"", "\"StackedDrgWinning2KiBV1\"", "no PoRep type is called", 0},
        {"\"StackedDrg2KiBV1_1\"", "\"StackedDrg2KiBV1_2_Feat_NonInteractivePoRep\"",
         "1 partitions where StackedDrg2KiBV1_2_Feat_NonInteractivePoRep has 13", 0},
        {"\"StackedDrg2KiBV1_1\"", "5", "a number where a string is expected", 0},
        {"\"vanilla_proofs\":{", "\"vanilla_proofs\":[],\"x\":{",
         "C1: vanilla_proofs: an array where "
         "an object with one key is expected",
         0},
        /* twice */
        {"\"comm_r\":", "\"comm_r\":[1],\"comm_r\":", "comm_r: 1 bytes instead of 32", 0},
        {"\"_h\":null", "\"_h\":null,\"_h\":null", "_h: the key is there twice", 0},
        {"\"node\":", "\"node\":1,\"node\":", "node: the key is there twice", 0},
        /* text */
        {"{\"registered_proof\"", "\xef\xbb\xbf{\"registered_proof\"", "(byte 0)", 0},
        {"{\"registered_proof\"", "{\"\\ud800\":1,\"registered_proof\"",
         "half a surrogate pair (byte "
         "2)",
         0},
        {"{\"registered_proof\"", "{\"\\udc00\":1,\"registered_proof\"", "half a surrogate pair",
         0},
        {"{\"registered_proof\"", "{\"\\ud800\\u0041\":1,\"registered_proof\"", "half a surrogate",
         0},
        {"{\"registered_proof\"", "{'a':1,\"registered_proof\"", "lexical error", 0},
        {"{\"registered_proof\"", "{,\"registered_proof\"", "(byte 1)", 0},
        {"{\"registered_proof\"", "{\"a\":01,\"registered_proof\"", "parse error", 0},
        {"{\"registered_proof\"", "{\"a\":NaN,\"registered_proof\"", "lexical error", 0},
        {"{\"registered_proof\"", "{/*x*/\"registered_proof\"", "lexical error", 0},
        {"{\"registered_proof\"", "[{\"registered_proof\"", "C1: an array where an object", 0},
        {"{\"registered_proof\"", "{\"\xff\":1,\"registered_proof\"", "UTF8", 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char *text = edited_at(c1, row[i].old, row[i].new, row[i].k);
        assert_refused(text, strlen(text), row[i].says, row[i].new);
        free(text);
    }
}

/* Elements must be below r; ticket and seed are raw bytes. */
static void ranges(void **state)
{
    (void)state;
    static const char *const element[] = {"root", "leaf", "comm_r", "comm_d", "replica_id"};
    char big[160] = "[255";
    for (int i = 1; i < 32; i++)
        strcat(big, ",255");
    strcat(big, "]");
    for (size_t i = 0; i < sizeof element / sizeof element[0]; i++) {
        char old[40], new[256], says[80];
        snprintf(old, sizeof old, "\"%s\":", element[i]);
        snprintf(new, sizeof new, "\"%s\":%s,\"x\":", element[i], big);
        snprintf(says, sizeof says, "%s: not a field element (not below the modulus)", element[i]);
        char *text = edited(c1, old, new);
        assert_refused(text, strlen(text), says, element[i]);
        free(text);
    }
    static const char *const raw[] = {"seed", "ticket"};
    for (int i = 0; i < 2; i++) {
        char old[40], new[256];
        cuzk_err err;
        snprintf(old, sizeof old, "\"%s\":", raw[i]);
        snprintf(new, sizeof new, "\"%s\":%s,\"x\":", raw[i], big);
        char *text = edited(c1, old, new);
        assert_int_equal(parse(text, strlen(text), &err), CUZK_UNSATISFIED); /* read, but untrue */
        free(text);
    }
}

static void all_zero(void **state)
{
    (void)state;
    static const char *const name[] = {"comm_r", "comm_d", "seed"};
    char zero[80] = "[0";
    for (int i = 1; i < 32; i++)
        strcat(zero, ",0");
    strcat(zero, "]");
    for (int i = 0; i < 3; i++) {
        char old[40], new[160], says[64];
        snprintf(old, sizeof old, "\"%s\":", name[i]);
        snprintf(new, sizeof new, "\"%s\":%s,\"x\":", name[i], zero);
        snprintf(says, sizeof says, "C1: %s: all bytes are zero", name[i]);
        char *text = edited(c1, old, new);
        assert_refused(text, strlen(text), says, name[i]);
        free(text);
    }
}

/* Go writes the keys in alphabetical order: the type comes after some commitments. */
static void order_of_keys_and_unknown_keys(void **state)
{
    (void)state;
    char *a = edited(c1, "\"registered_proof\":\"StackedDrg2KiBV1_1\",", "");
    a[strlen(a) - 1] = '\0'; /* the closing brace */
    size_t n = strlen(a) + 200;
    char *b = malloc(n);
    snprintf(b, n,
             "%s,\"registered_proof\":\"StackedDrg2KiBV1_1\",\"more\":{\"a\":[1,{\"b\":[]}]},"
             "\"more\":[null,true,-1.5e9,\"\\u00e9\\ud83d\\ude00\"]}",
             a);
    assert_accepted(b, strlen(b));
    free(a);
    a = edited(c1, "\"root\":", "\"new\":[[[256]]],\"ro\\u006ft\":"); /* an escaped key is a key */
    assert_accepted(a, strlen(a));
    free(a);
    free(b);
}

/* More partitions than any type of the size has, which storage is not made for. */
static void too_many_partitions(void **state)
{
    (void)state;
    const char *begin = strstr(c1, "V1\":[[") + 5, *end = strstr(c1, "]]},\"comm_r\"") + 1;
    int head = (int)(begin - c1), part = (int)(end - begin);
    for (int n = 1; n <= 14; n++) {
        char says[80], *text = malloc(n_c1 + (size_t)n * ((size_t)part + 1));
        int at = sprintf(text, "%.*s", head, c1);
        for (int i = 0; i < n; i++)
            at += sprintf(text + at, "%s%.*s", i ? "," : "", part, begin);
        at += sprintf(text + at, "%s", end);
        snprintf(says, sizeof says, "%d partitions where StackedDrg2KiBV1_1 has 1", n);
        if (n > 13)
            strcpy(says, "[13]: no 2KiB type has more than 13 partitions");
        if (n == 1)
            assert_accepted(text, (size_t)at);
        else
            assert_refused(text, (size_t)at, says, "partitions");
        free(text);
    }
}

static void nesting(void **state)
{
    (void)state;
    char *text = malloc(40000);
    size_t n = (size_t)sprintf(text, "{\"x\":");
    memset(text + n, '[', 10000);
    assert_refused(text, n + 10000, "nested deeper than 32 levels (byte 36)", "unclosed");
    n += 10000;
    memset(text + n, ']', 10000);
    n += 10000;
    n += (size_t)sprintf(text + n, "}");
    assert_refused(text, n, "nested deeper than 32 levels", "closed");
    free(text);
}

static void decoded_forms(void **state)
{
    (void)state;
    const char *phase1 = strstr(wrapped, "\"Phase1Out\":\"") + 13;
    size_t n = strcspn(phase1, "\"");
    char *text = malloc(2 * n_wrapped + 64);
    size_t at = (size_t)sprintf(text, "{\"Phase1Out\":\"");
    for (size_t i = 0; i < n;
         i += 76) /* without padding, in lines, with escapes, other key order */
        at += (size_t)sprintf(text + at, "%.*s\\r\\n", (int)(n - i < 76 ? n - i : 76), phase1 + i);
    for (size_t i = 0; i < at; i++)
        text[i] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
    sprintf(text + at, "\",\"SectorSize\":2048,\"SectorNum\":1}");
    assert_accepted(text, strlen(text));
    free(text);
}

static void envelope_edits(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new, *says;
    } row[] = {
        {"\"SectorNum\":1", "\"SectorNum\":-1", "C1: SectorNum: -1 is not an integer from 0"},
        {"\"SectorNum\":1", "\"SectorNum\":1.5", "C1: SectorNum: 1.5 is not an integer"},
        {"\"SectorNum\":1", "\"SectorNum\":\"1\"", "C1: SectorNum: a string"},
        {"\"SectorNum\":1", "\"SectorNum\":9223372036854775808",
         "sector_number is 1 but SectorNum of the C1 is 9223372036854775808"},
        {"\"SectorNum\":1", "\"SectorNum\":2", "sector_number is 1 but SectorNum of the C1 is 2"},
        {"\"SectorNum\":1,", "", "the key \"SectorNum\" is missing"},
        {"\"SectorNum\":1", "\"SectorNum\":1,\"SectorNum\":1", "SectorNum: the key is there twice"},
        {"\"SectorSize\":2048", "\"SectorSize\":4096",
         "SectorSize is 4096 but StackedDrg2KiBV1_1 has "
         "sectors of 2048"},
        {"\"SectorSize\":2048", "\"x\":1", "the key \"SectorSize\" is missing"},
        {"\"Phase1Out\":\"", "\"Phase1Out\":\" ",
         "Phase1Out: base64 has a character that is not "
         "base64 at character 0"},
        {"\"Phase1Out\":\"", "\"Phase1Out\":{},\"x\":\"", "Phase1Out: an object where a string"},
        {"\"Phase1Out\":\"", "\"Phase1Out\":\"\",\"x\":\"", "Phase1Out: base64 has no characters"},
        {"\"Phase1Out\":\"eyJy", "\"Phase1Out\":\"e", "base64 has "},
        {"\"Phase1Out\":\"eyJy", "\"Phase1Out\":\"eyJ5",
         "C1: decoded Phase1Out: the key "
         "\"registered_proof\" is missing"},
        {"\"SectorNum\"", "\"seed\":[],\"SectorNum\"", "seed: 0 bytes"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char *text = edited(wrapped, row[i].old, row[i].new);
        assert_refused(text, strlen(text), row[i].says, row[i].new);
        free(text);
    }
}

static void envelope_in_envelope(void **state)
{
    (void)state;
    size_t n = CUZK_BASE64_ENCODED(n_wrapped);
    char *text = malloc(n + 100);
    size_t at = (size_t)sprintf(text, "{\"SectorNum\":1,\"SectorSize\":2048,\"Phase1Out\":\"");
    cuzk_base64_encode(text + at, (const uint8_t *)wrapped, n_wrapped);
    sprintf(text + at + n, "\"}");
    assert_refused(text, strlen(text), "an envelope inside the envelope", "nested");
    free(text);
    text = edited(c1, "{\"registered_proof\"", "{\"Phase1Out\":\"e30=\",\"registered_proof\"");
    assert_refused(text, strlen(text), "both an envelope and a C1", "both");
    free(text);
}

/* Fields of the message against the C1 (CASES A05, A06, A09). */
static void message_fields(void **state)
{
    (void)state;
    static const struct {
        request_message msg;
        const char *says;
    } row[] = {
        {{.has_registered_proof = true, .registered_proof = 20}, "no porep type number 20"},
        {{.has_registered_proof = true, .registered_proof = ((uint64_t)1 << 32) + 5},
         "no porep type number 4294967301"},
        {{.has_registered_proof = true, .registered_proof = 0}, "registered_proof is 0 but the C1"},
        {{.sector_size = 4096}, "sector_size is 4096 but"},
        {{.kind = (cuzk_kind)99}, "kind: 99 is none of"},
        {{.n_vanilla_proofs = 1}, "not used by PoRep"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        request_message msg = row[i].msg;
        proof_request *req = NULL;
        cuzk_err err = {0};
        msg.vanilla_proof = (byte_view){(const uint8_t *)c1, n_c1};
        assert_int_equal(cuzk_request_parse(&req, &msg, &err), CUZK_INVAL);
        if (!strstr(err.msg, row[i].says))
            fail_msg("%s", err.msg);
    }
    request_message empty = {.kind = CUZK_KIND_POREP};
    proof_request *req = NULL;
    assert_int_equal(cuzk_request_parse(&req, &empty, NULL), CUZK_INVAL);
    /* 0 means not given: the number in the envelope counts then */
    request_message bare = {.kind = CUZK_KIND_POREP,
                            .miner_id = 1000,
                            .vanilla_proof = {(const uint8_t *)wrapped, n_wrapped}};
    assert_int_equal(cuzk_request_parse(&req, &bare, NULL), CUZK_OK);
    assert_int_equal(req->sector_number, 1);
    assert_int_equal(cuzk_request_check(req, NULL), CUZK_OK);
    cuzk_request_free(req);
}

/* Each allocation of the way fails once: the right status, nothing leaks, the next one works. */
static void out_of_memory(void **state)
{
    (void)state;
    uint64_t before = cuzk_mem_used();
    char *escaped = edited(wrapped, "\"Phase1Out\":\"", "\"Phase1Out\":\"\\r\\n");
    cuzk_err err;
    int n = 0;
    for (;; n++) {
        cuzk_mem_fail_nth((uint64_t)n + 1);
        request_message msg = message_of(escaped, strlen(escaped));
        cuzk_status st = parse_once(&msg, &err);
        cuzk_mem_fail_nth(0);
        assert_int_equal(cuzk_mem_used(), before);
        if (st == CUZK_OK)
            break;
        assert_true(st == CUZK_NOMEM || st == CUZK_BUDGET);
    }
    assert_true(n >= 4); /* scratch of the string, decoded text, arena, lists */
    free(escaped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_are_accepted),
        cmocka_unit_test(what_follows),
        cmocka_unit_test(truncated),
        cmocka_unit_test(missing_keys),
        cmocka_unit_test(edits),
        cmocka_unit_test(ranges),
        cmocka_unit_test(all_zero),
        cmocka_unit_test(order_of_keys_and_unknown_keys),
        cmocka_unit_test(nesting),
        cmocka_unit_test(too_many_partitions),
        cmocka_unit_test(decoded_forms),
        cmocka_unit_test(envelope_edits),
        cmocka_unit_test(envelope_in_envelope),
        cmocka_unit_test(message_fields),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, read_fixtures, free_fixtures);
}

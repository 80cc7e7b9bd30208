/* Errors by cause, deadlines, streams at the end of the server. */
#include "e2e/rpc_fixture.h"

#include <time.h>

#include "rpc/grpc_client.h"

/* Every status that a handler can meet reaches the client as itself. */
static void test_g20_statuses_of_calls(void **state)
{
    (void)state;
    fixture f;
    start(&f, 0);
    for (int st = 1; st < CUZK_STATUS_COUNT; st++) {
        char circuit[40];
        bool already;
        uint64_t ms;
        cuzk_err err = {0};
        snprintf(circuit, sizeof circuit, "fail:%s", cuzk_status_name((cuzk_status)st));
        assert_int_equal(cuzk_client_preload(f.c, circuit, CALL_MS, &already, &ms, &err), st);
        assert_non_null(strstr(err.msg, "fake: as told"));
    }
    finish(&f);
}

/* A job that fails is no failed call; its message begins with the status. */
static void test_g20_statuses_of_jobs(void **state)
{
    (void)state;
    fixture f;
    start(&f, 0);
    for (int st = 1; st < CUZK_STATUS_COUNT; st++) {
        char want[64];
        cuzk_client_result out;
        cuzk_client_request r = request(NULL, FAKE_STATUS + (uint64_t)st, 1);
        assert_int_equal(cuzk_client_prove(f.c, &r, CALL_MS, &out, NULL), CUZK_OK);
        if (st != CUZK_CANCELLED) {
            snprintf(want, sizeof want, "%s: fake: as told", cuzk_status_name((cuzk_status)st));
            assert_int_equal(out.status, CUZK_JOB_FAILED);
            assert_string_equal(out.error_message, want);
        }
        cuzk_client_result_fini(&out);
    }
    finish(&f);
}

/* Admission by count (C13): what is too much is refused with the limit, what was taken is done. */
static void test_c13_too_many_jobs(void **state)
{
    (void)state;
    fixture f;
    start_options(&f, (fixture_options){.max_jobs = 3});
    char id[CUZK_JOB_ID_BYTES];
    uint32_t position;
    unsigned n_ok = 0, n_refused = 0;
    for (unsigned i = 0; i < 20; i++) {
        cuzk_client_request r = request(NULL, FAKE_WAIT, i);
        cuzk_err err = {0};
        cuzk_status st = cuzk_client_submit(f.c, &r, CALL_MS, id, &position, &err);
        n_ok += st == CUZK_OK;
        n_refused += st == CUZK_BUDGET;
        if (st != CUZK_OK)
            assert_non_null(strstr(err.msg, "3"));
    }
    assert_int_equal(n_ok, 3);
    assert_int_equal(n_refused, 17);
    finish(&f);
}

static uint64_t unix_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void test_d11_deadlines(void **state)
{
    (void)state;
    fixture f;
    start(&f, 0);
    const struct {
        uint64_t deadline;
        cuzk_status st;
    } c[] = {{unix_ms() - 1, CUZK_TIMEOUT},
             {1, CUZK_TIMEOUT},
             {0, CUZK_OK},
             {unix_ms() + 60000, CUZK_OK},
             {(uint64_t)1 << 63, CUZK_OK},
             {UINT64_MAX, CUZK_OK}};
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(c); i++) {
        char id[CUZK_JOB_ID_BYTES];
        uint32_t position;
        cuzk_client_result out = {0};
        cuzk_err err = {0};
        cuzk_client_request r = request(NULL, 0, i);
        r.deadline_unix_ms = c[i].deadline;
        assert_int_equal(cuzk_client_submit(f.c, &r, CALL_MS, id, &position, &err), c[i].st);
        if (c[i].st != CUZK_OK)
            assert_non_null(strstr(err.msg, "deadline_unix_ms"));
        assert_int_equal(cuzk_client_prove(f.c, &r, CALL_MS, &out, &err), c[i].st);
        cuzk_client_result_fini(&out);
    }
    assert_int_equal(f.fake.n_started, 8); /* the refused ones were not begun */
    finish(&f);
}

/* Bytes of the message itself: fields in odd forms (A08 and the like). */
static void test_a08_raw_fields(void **state)
{
    (void)state;
    fixture f;
    start(&f, 0);
    rpc_channel *ch;
    const rpc_channel_options co = {.address = f.address, .timeout_ms = 5000};
    assert_int_equal(cuzk_rpc_channel_open(&ch, &co, NULL), CUZK_OK);
#define BYTES(s) (const uint8_t *)(s), sizeof(s) - 1
    const struct {
        const uint8_t *bytes;
        size_t n;
        cuzk_status st;
        const char *text;
    } c[] = {
        {BYTES("\x10\x01\x52\x01x"), CUZK_OK, ""},
        {BYTES("\x52\x01x\x10\x04\x10\x01"), CUZK_OK, ""},       /* the last one counts */
        {BYTES("\x10\x01\x52\x01x\xba\x3e\x02zz"), CUZK_OK, ""}, /* unknown field 999 */
        {BYTES("\x10\x81\x80\x80\x80\x10"), CUZK_INVAL, "proof_kind: 4294967297"},
        {BYTES("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), CUZK_INVAL, "proof_kind: -1"},
        {BYTES("\x10\x01\x28\x81\x80\x80\x80\x10"), CUZK_INVAL, "priority: 4294967297"},
        {BYTES("\x10\x03\xb8\x01\x80\x80\x80\x80\x10"), CUZK_INVAL, "partition_index"},
        {BYTES("\x12\x01x"), CUZK_ENCODING, "proof_kind: wire type 2"},
        {BYTES("\x50\x01"), CUZK_ENCODING, "vanilla_proof: wire type 0"},
        {BYTES("\x10\x01\x52\x05x"), CUZK_ENCODING, "at byte 2"}, /* beyond the end */
        {BYTES("\x10"), CUZK_ENCODING, "at byte 0"},
        {BYTES("\x00\x01"), CUZK_ENCODING, "at byte 0"}, /* field 0 */
        {BYTES("\x0b"), CUZK_ENCODING, "at byte 0"},     /* a group */
        {BYTES("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), CUZK_ENCODING, "at byte 0"},
        {BYTES("\x52\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), CUZK_ENCODING, "at byte 0"},
        {BYTES("\x10\x01\x0a\x03"
               "a\0b"),
         CUZK_INVAL, "request_id: control"},
        {BYTES("\x10\x01\x0a\x02\xc3\x28"), CUZK_INVAL, "request_id: not UTF-8"},
    };
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(c); i++) {
        uint8_t *out = NULL;
        size_t n;
        cuzk_err err = {0};
        cuzk_status st = cuzk_rpc_unary(ch, "/cuzk.v1.ProvingEngine/SubmitProof", c[i].bytes,
                                        c[i].n, CALL_MS, &out, &n, &err);
        if (st != c[i].st || !strstr(err.msg, c[i].text))
            fail_msg("case %u: status %s, %s", i, cuzk_status_name(st), err.msg);
        cuzk_free(out);
    }
    cuzk_rpc_channel_close(ch);
    finish(&f);
}

static void assert_health(rpc_channel *ch, uint8_t want)
{
    uint8_t *out = NULL;
    size_t n = 0;
    cuzk_err err = {0};
    if (cuzk_rpc_unary(ch, "/grpc.health.v1.Health/Check", NULL, 0, CALL_MS, &out, &n, &err))
        fail_msg("%s", err.msg);
    assert_int_equal(n, 2); /* field 1, a number */
    assert_int_equal(out[0], 0x08);
    assert_int_equal(out[1], want);
    cuzk_free(out);
}

static void test_g16_health(void **state)
{
    (void)state;
    fixture f;
    start(&f, 0);
    rpc_channel *ch;
    const rpc_channel_options co = {.address = f.address, .timeout_ms = 5000};
    assert_int_equal(cuzk_rpc_channel_open(&ch, &co, NULL), CUZK_OK);
    assert_health(ch, 1);
    fake_set_loading(&f.fake, true);
    assert_health(ch, 2); /* not serving */
    fake_set_loading(&f.fake, false);
    assert_health(ch, 1);
    cuzk_engine_drain(f.e, false);
    assert_health(ch, 2);
    cuzk_rpc_channel_close(ch);
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_g20_statuses_of_calls), cmocka_unit_test(test_g20_statuses_of_jobs),
        cmocka_unit_test(test_c13_too_many_jobs),     cmocka_unit_test(test_d11_deadlines),
        cmocka_unit_test(test_a08_raw_fields),        cmocka_unit_test(test_g16_health),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

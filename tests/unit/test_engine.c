/* Engine: order, idempotency, kept results, listeners, limits, cancellation, drain. The prover is a
 * fake (tests/e2e/fake_prover.h) that waits at a gate, so every race is arranged and none is slept
 * through. */
#include <stdlib.h>

#include "unit/engine_support.h"

/* A job that lets no other one start until the gate opens. */
static void block_worker(fixture *f)
{
    ask a = {.id = "blocker", .priority = PRIORITY_CRITICAL, .miner = FAKE_WAIT, .sector = 1000};
    assert_int_equal(submit(f, a, false, NULL, NULL), CUZK_OK);
    fake_wait_started(&f->fake, 1);
}

static void test_order(void **state)
{
    (void)state;
    fixture f;
    start_default(&f);
    block_worker(&f);
    const ask asks[] = {
        {"a", CUZK_KIND_POREP, PRIORITY_LOW, 0, 1, NULL, 0, 0},
        {"b", CUZK_KIND_POREP, 0, 0, 2, NULL, 0, 0},
        {"c", CUZK_KIND_UPDATE, 0, 0, 3, NULL, 0, 0},
        {"d", CUZK_KIND_WINDOW, 0, 0, 4, NULL, 0, 0},
        {"e", CUZK_KIND_WINNING, 0, 0, 5, NULL, 0, 0},
        {"f", CUZK_KIND_POREP, PRIORITY_CRITICAL, 0, 6, NULL, 0, 0},
        {"g", CUZK_KIND_WINNING, PRIORITY_LOW, 0, 7, NULL, 0, 0},
    };
    const uint64_t expected[] = {1000, 5, 6, 4, 2, 3, 1, 7};
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(asks); i++) {
        engine_ticket t;
        assert_int_equal(submit(&f, asks[i], true, &t, NULL), CUZK_OK);
        assert_int_equal(t.position, i);
        assert_string_equal(t.job_id, asks[i].id);
    }
    fake_open_gate(&f.fake);
    wait_heard(&f.ear, CUZK_ARRAY_LEN(asks));
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(expected); i++)
        assert_int_equal(f.fake.order[i], expected[i]);
    finish(&f);
}

static void test_refusals(void **state)
{
    (void)state;
    fixture f;
    start_default(&f);
    char long_id[260];
    memset(long_id, 'a', sizeof long_id);
    long_id[257] = '\0';
    const struct {
        ask a;
        cuzk_status st;
        const char *text;
    } c[] = {
        {{"a", CUZK_KIND_POREP, 77, 0, 0, NULL, 0, 0}, CUZK_INVAL, "priority: 77"},
        {{"a", CUZK_KIND_POREP, -1, 0, 0, NULL, 0, 0}, CUZK_INVAL, "priority: -1"},
        {{"a", CUZK_KIND_POREP, 5, 0, 0, NULL, 0, 0}, CUZK_INVAL, "priority: 5"},
        {{"a", (cuzk_kind)99, 0, 0, 0, NULL, 0, 0}, CUZK_INVAL, "proof_kind"},
        {{"a", CUZK_KIND_POREP, 0, 0, 0, "!bad", 0, 0}, CUZK_ENCODING, "'!' at byte 0"},
        {{"a\nb", CUZK_KIND_POREP, 0, 0, 0, NULL, 0, 0}, CUZK_INVAL, "control character at byte 1"},
        {{"a\x7f", CUZK_KIND_POREP, 0, 0, 0, NULL, 0, 0},
         CUZK_INVAL,
         "control character at byte 1"},
        {{"\xc2\x85", CUZK_KIND_POREP, 0, 0, 0, NULL, 0, 0},
         CUZK_INVAL,
         "control character at byte 0"},
        {{"ab\xff", CUZK_KIND_POREP, 0, 0, 0, NULL, 0, 0}, CUZK_INVAL, "not UTF-8 at byte 2"},
        {{"\xed\xa0\x80", CUZK_KIND_POREP, 0, 0, 0, NULL, 0, 0}, CUZK_INVAL, "not UTF-8 at byte 0"},
        {{"\xe2\x82", CUZK_KIND_POREP, 0, 0, 0, NULL, 0, 0}, CUZK_INVAL, "not UTF-8 at byte 0"},
        {{long_id, CUZK_KIND_POREP, 0, 0, 0, NULL, 0, 0}, CUZK_INVAL, "257 bytes"},
    };
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(c); i++) {
        cuzk_err err = {0};
        assert_int_equal(submit(&f, c[i].a, true, NULL, &err), c[i].st);
        if (!strstr(err.msg, c[i].text))
            fail_msg("case %u: \"%s\" lacks \"%s\"", i, err.msg, c[i].text);
    }
    assert_int_equal(f.ear.n, 0);
    engine_stats s;
    cuzk_engine_stats(f.e, &s);
    assert_int_equal(s.bytes, 0);
    const char *fine[] = {"wdpost-1000-0-[1 2 3]",
                          "\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"};
    for (unsigned i = 0; i < 2; i++) {
        ask a = {.id = fine[i]};
        assert_int_equal(submit(&f, a, true, NULL, NULL), CUZK_OK);
    }
    wait_heard(&f.ear, 2);
    finish(&f);
}

static void test_uuid(void **state)
{
    (void)state;
    fixture f;
    start_default(&f);
    engine_ticket t, u;
    ask a = {.id = ""};
    assert_int_equal(submit(&f, a, true, &t, NULL), CUZK_OK);
    a.id = NULL;
    assert_int_equal(submit(&f, a, true, &u, NULL), CUZK_OK);
    assert_int_equal(strlen(t.job_id), 36);
    assert_int_equal(t.job_id[14], '4');
    assert_non_null(strchr("89ab", t.job_id[19]));
    for (unsigned i = 0; i < 36; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        assert_non_null(strchr(dash ? "-" : "0123456789abcdef", t.job_id[i]));
    }
    assert_string_not_equal(t.job_id, u.job_id);
    wait_heard(&f.ear, 2);
    finish(&f);
}

static void d01_same_request_is_one_job(void **state)
{
    (void)state;
    fixture f;
    engine_ticket t;
    start_default(&f);
    ask a = {.id = "same", .miner = FAKE_WAIT, .sector = 7};
    assert_int_equal(submit(&f, a, true, &t, NULL), CUZK_OK);
    assert_false(t.attached);
    fake_wait_started(&f.fake, 1);
    assert_int_equal(submit(&f, a, true, &t, NULL), CUZK_OK); /* running */
    assert_true(t.attached);
    assert_int_not_equal(t.token, 0);
    ask b = {.id = "next", .sector = 8};
    assert_int_equal(submit(&f, b, true, &t, NULL), CUZK_OK);
    assert_int_equal(submit(&f, b, true, &t, NULL), CUZK_OK); /* waiting */
    assert_true(t.attached);
    fake_open_gate(&f.fake);
    wait_heard(&f.ear, 4);
    unsigned sum = 0; /* the two jobs' listeners may be told in any order */
    for (unsigned i = 0; i < 4; i++)
        sum += f.ear.first_byte[i] == 7 ? 1 : f.ear.first_byte[i] == 8 ? 100 : 10000;
    assert_int_equal(sum, 202);
    assert_int_equal(submit(&f, a, true, &t, NULL), CUZK_OK); /* completed: called before return */
    assert_int_equal(f.ear.n, 5);
    assert_int_equal(f.ear.first_byte[4], 7);
    assert_int_equal(t.token, 0);
    assert_int_equal(f.fake.n_started, 2);
    finish(&f);
}

static void d02_same_id_other_content(void **state)
{
    (void)state;
    fixture f;
    engine_ticket t;
    cuzk_err err = {0};
    start_default(&f);
    ask a = {.id = "id", .miner = FAKE_WAIT, .sector = 1, .parts = 4};
    ask b = {.id = "id", .sector = 2, .parts = 4};
    ask c = a, d = a, g = a;
    c.vanilla = "y";
    d.priority = PRIORITY_LOW;
    g.priority = PRIORITY_NORMAL;
    assert_int_equal(submit(&f, a, true, &t, NULL), CUZK_OK);
    fake_wait_started(&f.fake, 1);
    assert_int_equal(submit(&f, b, true, &t, &err), CUZK_EXISTS);
    assert_non_null(strstr(err.msg, "running"));
    assert_int_equal(submit(&f, c, true, &t, NULL), CUZK_EXISTS);
    assert_int_equal(submit(&f, d, true, &t, NULL), CUZK_EXISTS);
    assert_int_equal(submit(&f, g, false, &t, NULL), CUZK_OK); /* the default, spelled out */
    assert_true(t.attached);
    fake_open_gate(&f.fake);
    wait_heard(&f.ear, 1);
    assert_int_equal(submit(&f, b, true, &t, NULL), CUZK_OK); /* ended: a new job takes the id */
    assert_false(t.attached);
    wait_heard(&f.ear, 2);
    assert_int_equal(f.ear.first_byte[1], 2);
    assert_int_equal(f.ear.last_byte, 5); /* all partitions are its own */
    uint64_t token;
    engine_listener l = {hear, &f.ear, 0};
    assert_int_equal(cuzk_engine_await(f.e, "id", &l, &token, NULL), CUZK_OK);
    assert_int_equal(f.ear.first_byte[2], 2);
    finish(&f);
}

static void d03_retry_after_failure(void **state)
{
    (void)state;
    fixture f;
    engine_ticket t;
    start_default(&f);
    f.fake.fail_all = true;
    ask a = {.id = "id", .sector = 3};
    assert_int_equal(submit(&f, a, true, &t, NULL), CUZK_OK);
    wait_heard(&f.ear, 1);
    assert_int_equal(f.ear.outcome[0], ENGINE_FAILED);
    assert_non_null(strstr(f.ear.error, "parameters are missing"));
    f.fake.fail_all = false;
    assert_int_equal(submit(&f, a, true, &t, NULL), CUZK_OK);
    assert_false(t.attached);
    wait_heard(&f.ear, 2);
    assert_int_equal(f.ear.outcome[1], ENGINE_COMPLETED);
    engine_stats s;
    cuzk_engine_stats(f.e, &s);
    assert_int_equal(s.kind[CUZK_KIND_POREP].completed, 1);
    assert_int_equal(s.kind[CUZK_KIND_POREP].failed, 1);
    assert_int_equal(s.kind[CUZK_KIND_POREP].pending, 0);
    assert_int_equal(s.kind[CUZK_KIND_POREP].running, 0);
    assert_int_equal(s.n_results, 1);
    finish(&f);
}

static void test_result_ttl_and_cap(void **state)
{
    (void)state;
    fixture f;
    engine_options o = ENGINE_OPTIONS_DEFAULTS;
    o.now_ns = fake_clock;
    o.max_results = 2;
    o.result_ttl_ns = 1000;
    fake_now = 1000000;
    start(&f, &o);
    const char *id[] = {"a", "b", "c"};
    engine_listener l = {hear, &f.ear, 0};
    uint64_t token;
    for (unsigned i = 0; i < 3; i++) {
        ask a = {.id = id[i], .sector = i};
        assert_int_equal(submit(&f, a, true, NULL, NULL), CUZK_OK);
        wait_heard(&f.ear, i + 1);
    }
    cuzk_err err = {0};
    assert_int_equal(cuzk_engine_await(f.e, "a", &l, &token, &err), CUZK_NOT_FOUND); /* cap */
    assert_string_equal(err.msg, "job not found: a");
    assert_int_equal(cuzk_engine_await(f.e, "b", &l, &token, NULL), CUZK_OK);
    fake_now += 1000;
    assert_int_equal(cuzk_engine_await(f.e, "c", &l, &token, NULL), CUZK_OK);
    fake_now += 1;
    assert_int_equal(cuzk_engine_await(f.e, "c", &l, &token, NULL), CUZK_NOT_FOUND); /* ttl */
    engine_ticket t;
    ask a = {.id = "c", .sector = 2};
    assert_int_equal(submit(&f, a, true, &t, NULL), CUZK_OK); /* so it is computed again */
    assert_false(t.attached);
    wait_heard(&f.ear, 6);
    engine_stats s;
    cuzk_engine_stats(f.e, &s);
    assert_int_equal(s.n_results, 1);
    finish(&f);
}

static void d05_memory_is_flat(void **state)
{
    (void)state;
    fixture f;
    engine_options o = ENGINE_OPTIONS_DEFAULTS;
    o.max_results = 10;
    start(&f, &o);
    uint64_t after_some = 0;
    const char *n_jobs = getenv("CUZK_D05_JOBS"); /* ./check --full: 101,000 */
    unsigned n = n_jobs ? (unsigned)strtoul(n_jobs, NULL, 10) : 20000;
    for (unsigned i = 0; i < n; i++) {
        char id[16];
        snprintf(id, sizeof id, "%u", i);
        ask a = {.id = id, .miner = i % 100 ? FAKE_FAIL : 0, .parts = 1 + i % 4};
        assert_int_equal(submit(&f, a, true, NULL, NULL), CUZK_OK);
        wait_heard(&f.ear, i + 1);
        if (i == 500)
            after_some = cuzk_mem_used();
    }
    assert_true(cuzk_mem_used() < after_some + 65536);
    finish(&f);
}

static void test_admission(void **state)
{
    (void)state;
    fixture f;
    cuzk_err err = {0};
    engine_options o = ENGINE_OPTIONS_DEFAULTS;
    o.max_jobs = 3;
    start(&f, &o);
    block_worker(&f);
    ask a = {.id = "a"}, b = {.id = "b"}, c = {.id = "c"};
    assert_int_equal(submit(&f, a, true, NULL, NULL), CUZK_OK);
    assert_int_equal(submit(&f, b, true, NULL, NULL), CUZK_OK);
    assert_int_equal(submit(&f, c, true, NULL, &err), CUZK_BUDGET);
    assert_non_null(strstr(err.msg, "3 jobs"));
    assert_int_equal(submit(&f, b, true, NULL, NULL), CUZK_OK); /* joining costs nothing */
    fake_open_gate(&f.fake);
    wait_heard(&f.ear, 3);
    assert_int_equal(submit(&f, c, true, NULL, NULL), CUZK_OK);
    finish(&f);

    o.max_jobs = 100;
    o.max_bytes = 250; /* requests have 100 */
    start(&f, &o);
    block_worker(&f);
    assert_int_equal(submit(&f, a, true, NULL, NULL), CUZK_OK);
    assert_int_equal(submit(&f, b, true, NULL, &err), CUZK_BUDGET);
    assert_non_null(strstr(err.msg, "limit is 250"));
    finish(&f);
}

static void test_await(void **state)
{
    (void)state;
    fixture f;
    start_default(&f);
    block_worker(&f);
    uint64_t token;
    cuzk_err err = {0};
    engine_listener l = {hear, &f.ear, 20};
    assert_int_equal(cuzk_engine_await(f.e, "nobody", &l, &token, &err), CUZK_NOT_FOUND);
    assert_string_equal(err.msg, "job not found: nobody");
    assert_int_equal(cuzk_engine_await(f.e, "blocker", &l, &token, NULL), CUZK_OK);
    wait_heard(&f.ear, 1); /* by the keeper, after 20 ms */
    assert_int_equal(f.ear.outcome[0], ENGINE_TIMEOUT);
    assert_false(cuzk_engine_unlisten(f.e, token));
    l.timeout_ms = 0;
    assert_int_equal(cuzk_engine_await(f.e, "blocker", &l, &token, NULL), CUZK_OK);
    assert_true(cuzk_engine_unlisten(f.e, token));
    assert_false(cuzk_engine_unlisten(f.e, token));
    l.timeout_ms = UINT64_MAX; /* more than the clock can hold: for ever */
    assert_int_equal(cuzk_engine_await(f.e, "blocker", &l, &token, NULL), CUZK_OK);
    fake_open_gate(&f.fake);
    wait_heard(&f.ear, 2);
    assert_int_equal(f.ear.outcome[1], ENGINE_COMPLETED);
    finish(&f);
    assert_int_equal(f.ear.n, 2); /* the forgotten listener was not called */
}

static void test_timeout_by_clock(void **state)
{
    (void)state;
    fixture f;
    engine_options o = ENGINE_OPTIONS_DEFAULTS;
    o.now_ns = fake_clock;
    fake_now = 5000000;
    start(&f, &o);
    block_worker(&f);
    uint64_t token;
    engine_listener l = {hear, &f.ear, 10};
    assert_int_equal(cuzk_engine_await(f.e, "blocker", &l, &token, NULL), CUZK_OK);
    fake_now += 9999999;
    cuzk_engine_tick(f.e);
    assert_int_equal(f.ear.n, 0);
    fake_now += 1;
    cuzk_engine_tick(f.e);
    assert_int_equal(f.ear.n, 1);
    assert_int_equal(f.ear.outcome[0], ENGINE_TIMEOUT);
    finish(&f);
}

static void test_cancel(void **state)
{
    (void)state;
    fixture f;
    engine_ticket t;
    start_default(&f);
    ask run = {.id = "run", .miner = FAKE_WAIT, .sector = 1},
        queued = {.id = "queued", .sector = 2};
    assert_int_equal(submit(&f, run, true, NULL, NULL), CUZK_OK);
    fake_wait_started(&f.fake, 1);
    assert_int_equal(submit(&f, queued, true, NULL, NULL), CUZK_OK);
    assert_false(cuzk_engine_cancel(f.e, "queued"));
    assert_int_equal(f.ear.n, 1); /* told at once */
    assert_int_equal(f.ear.outcome[0], ENGINE_CANCELLED);
    assert_false(cuzk_engine_cancel(f.e, "queued"));
    assert_false(cuzk_engine_cancel(f.e, "unknown"));
    assert_true(cuzk_engine_cancel(f.e, "run"));
    wait_heard(&f.ear, 2);
    assert_int_equal(f.ear.outcome[1], ENGINE_CANCELLED);
    assert_false(cuzk_engine_cancel(f.e, "run"));
    assert_int_equal(submit(&f, queued, true, &t, NULL), CUZK_OK); /* new work */
    assert_false(t.attached);
    wait_heard(&f.ear, 3);
    assert_int_equal(f.ear.outcome[2], ENGINE_COMPLETED);
    engine_stats s;
    cuzk_engine_stats(f.e, &s);
    assert_int_equal(s.kind[CUZK_KIND_POREP].cancelled, 2);
    assert_int_equal(s.kind[CUZK_KIND_POREP].pending, 0);
    assert_int_equal(s.bytes, 0);
    finish(&f);
}

/* A job that was told to stop but has not yet: its id is free for a new run of the same request. */
static void test_resubmit_while_stopping(void **state)
{
    (void)state;
    fixture f;
    engine_ticket t;
    start_default(&f);
    ask a = {.id = "id", .miner = FAKE_STUCK, .sector = 9};
    assert_int_equal(submit(&f, a, true, NULL, NULL), CUZK_OK);
    fake_wait_started(&f.fake, 1);
    assert_true(cuzk_engine_cancel(f.e, "id"));
    assert_int_equal(submit(&f, a, true, &t, NULL), CUZK_OK);
    assert_false(t.attached);
    fake_open_gate(&f.fake);
    wait_heard(&f.ear, 2);
    assert_int_equal(f.fake.n_started, 2);
    engine_stats s;
    cuzk_engine_stats(f.e, &s);
    assert_int_equal(s.n_results, 1);
    finish(&f);
}

static void test_drain(void **state)
{
    (void)state;
    fixture f;
    cuzk_err err = {0};
    start_default(&f);
    ask run = {.id = "run", .miner = FAKE_WAIT, .sector = 5};
    assert_int_equal(submit(&f, run, true, NULL, NULL), CUZK_OK);
    fake_wait_started(&f.fake, 1);
    ask q[] = {{.id = "q1"}, {.id = "q2"}, {.id = "q3"}};
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(submit(&f, q[i], true, NULL, NULL), CUZK_OK);
    cuzk_engine_drain(f.e, false);
    assert_int_equal(f.ear.n, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(f.ear.outcome[i], ENGINE_SHUTDOWN);
    assert_int_equal(f.n_idle, 0);
    assert_int_equal(submit(&f, q[0], true, NULL, &err), CUZK_UNAVAILABLE);
    assert_non_null(strstr(err.msg, "shutting down"));
    fake_open_gate(&f.fake);
    wait_heard(&f.ear, 4);
    assert_int_equal(f.ear.outcome[3], ENGINE_COMPLETED);
    finish(&f);
    assert_int_equal(f.n_idle, 1);
}

static void test_drain_stops_running(void **state)
{
    (void)state;
    fixture f;
    start_default(&f);
    ask run = {.id = "run", .miner = FAKE_WAIT};
    assert_int_equal(submit(&f, run, true, NULL, NULL), CUZK_OK);
    fake_wait_started(&f.fake, 1);
    cuzk_engine_free(f.e); /* stops it; the gate is shut */
    assert_int_equal(f.ear.n, 1);
    assert_int_equal(f.ear.outcome[0], ENGINE_SHUTDOWN);
    assert_int_equal(f.n_idle, 1);
    assert_int_equal(f.fake.n_parsed, f.fake.n_freed);
}

static void test_timings(void **state)
{
    (void)state;
    fixture f;
    start_default(&f);
    ask a = {.id = "a"};
    assert_int_equal(submit(&f, a, true, NULL, NULL), CUZK_OK);
    wait_heard(&f.ear, 1);
    const engine_timings *t = &f.ear.timings;
    assert_true(t->total_ms >= t->queue_ms);
    assert_true(t->total_ms >= t->compute_ms);
    finish(&f);
}

/* Every allocation of a submission fails once: an error, nothing leaked, the next one works. */
static void test_out_of_memory(void **state)
{
    (void)state;
    fixture f;
    start_default(&f);
    block_worker(&f); /* so that the worker does not allocate */
    unsigned n = 1;
    for (;; n++) {
        ask a = {.id = "a", .sector = n};
        cuzk_mem_fail_nth(n);
        cuzk_status st = submit(&f, a, true, NULL, NULL);
        cuzk_mem_fail_nth(0);
        if (st == CUZK_OK)
            break;
        assert_int_equal(st, CUZK_NOMEM);
        assert_true(n < 50);
    }
    assert_true(n > 3);
    fake_open_gate(&f.fake);
    wait_heard(&f.ear, 1);
    finish(&f);
}

static void test_log_escape(void **state)
{
    (void)state;
    char out[16];
    assert_int_equal(cuzk_log_escape(out, sizeof out, "a\n\"\x80"), 13);
    assert_string_equal(out, "a\\x0a\\x22\\x80");
    assert_int_equal(cuzk_log_escape(out, 8, "abcd\ne"), 4);
    assert_string_equal(out, "abcd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_uuid),
        cmocka_unit_test(d01_same_request_is_one_job),
        cmocka_unit_test(d02_same_id_other_content),
        cmocka_unit_test(d03_retry_after_failure),
        cmocka_unit_test(test_result_ttl_and_cap),
        cmocka_unit_test(d05_memory_is_flat),
        cmocka_unit_test(test_admission),
        cmocka_unit_test(test_await),
        cmocka_unit_test(test_timeout_by_clock),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_resubmit_while_stopping),
        cmocka_unit_test(test_drain),
        cmocka_unit_test(test_drain_stops_running),
        cmocka_unit_test(test_timings),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_log_escape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

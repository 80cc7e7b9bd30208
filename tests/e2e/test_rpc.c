/* Service and client over real sockets, in one process, with the fake prover. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <sys/socket.h>
#include <sys/un.h>

#include "e2e/rpc_fixture.h"
#include "rpc/grpc_client.h"
#include "rpc/listen_address.h"

static void test_prove(void **state)
{
    (void)state;
    fixture f;
    start(&f, 0);
    struct stat sb;
    assert_int_equal(stat(f.path, &sb), 0);
    assert_int_equal(sb.st_mode & 07777, 0600);

    cuzk_client_request r = request("porep-1000-5", 0, 5);
    cuzk_client_result out;
    cuzk_err err = {0};
    if (cuzk_client_prove(f.c, &r, CALL_MS, &out, &err) != CUZK_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(out.status, CUZK_JOB_COMPLETED);
    assert_string_equal(out.job_id, "porep-1000-5");
    assert_int_equal(out.n_proof_bytes, FAKE_PROOF_BYTES);
    assert_int_equal(out.proof[191], 5);
    cuzk_client_result_fini(&out);

    r = request(NULL, FAKE_FAIL, 6); /* a failed job is no failed call */
    assert_int_equal(cuzk_client_prove(f.c, &r, CALL_MS, &out, &err), CUZK_OK);
    assert_int_equal(out.status, CUZK_JOB_FAILED);
    assert_string_equal(out.error_message, "PARAMS: fake: parameters are missing ??");
    assert_int_equal(strlen(out.job_id), 36);
    assert_int_equal(out.n_proof_bytes, 0);
    cuzk_client_result_fini(&out);
    finish(&f);
}

static void test_tcp(void **state)
{
    (void)state;
    fixture f;
    start(&f, 0);
    const char *address = cuzk_rpc_server_address(f.s, 1);
    assert_int_equal(strncmp(address, "127.0.0.1:", 10), 0);
    assert_string_not_equal(address, "127.0.0.1:0");
    assert_null(cuzk_rpc_server_address(f.s, 2));
    cuzk_client *c;
    cuzk_client_status st;
    cuzk_err err = {0};
    if (cuzk_client_connect(&c, address, 5000, &err) != CUZK_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(cuzk_client_get_status(c, CALL_MS, &st, NULL), CUZK_OK);
    cuzk_client_close(c);
    /* a second server must not share the port */
    rpc_server_options so = RPC_SERVER_DEFAULTS;
    rpc_server *s2;
    assert_int_equal(cuzk_rpc_server_new(&s2, &so, NULL), CUZK_OK);
    assert_int_equal(cuzk_rpc_server_listen(s2, address, &err), CUZK_IO);
    assert_non_null(strstr(err.msg, "in use"));
    cuzk_rpc_server_free(s2);
    finish(&f);
}

static void test_errors(void **state)
{
    (void)state;
    fixture f;
    start(&f, 0);
    char id[CUZK_JOB_ID_BYTES];
    uint32_t position;
    cuzk_client_result out;
    struct {
        cuzk_client_request r;
        cuzk_status st;
        const char *text;
    } c[6];
    for (unsigned i = 0; i < 6; i++)
        c[i].r = request("id", 0, 1);
    c[0].r.kind = 0, c[0].text = "invalid proof_kind: 0";
    c[1].r.kind = 99, c[1].text = "invalid proof_kind: 99";
    c[2].r.kind = -1, c[2].text = "invalid proof_kind: -1";
    c[3].r.priority = 77, c[3].text = "priority: 77";
    c[4].r.request_id = "a\tb", c[4].text = "control character";
    c[5].r.vanilla_proof.data = (const uint8_t *)"!", c[5].text = "vanilla_proof: '!' at byte 0";
    for (unsigned i = 0; i < 6; i++) {
        cuzk_err err = {0};
        cuzk_status want = i == 5 ? CUZK_ENCODING : CUZK_INVAL;
        assert_int_equal(cuzk_client_submit(f.c, &c[i].r, CALL_MS, id, &position, &err), want);
        if (!strstr(err.msg, c[i].text))
            fail_msg("case %u: %s", i, err.msg);
        assert_int_equal(cuzk_client_prove(f.c, &c[i].r, CALL_MS, &out, &err), want);
    }
    cuzk_err err = {0};
    assert_int_equal(cuzk_client_await(f.c, "nobody", 0, CALL_MS, &out, &err), CUZK_NOT_FOUND);
    assert_non_null(strstr(err.msg, "job not found: nobody"));
    finish(&f);
}

/* Raw bytes: what no generated client would send. */
static void test_raw(void **state)
{
    (void)state;
    fixture f;
    start(&f, 0);
    rpc_channel *ch;
    const rpc_channel_options co = {.address = f.address, .timeout_ms = 5000};
    assert_int_equal(cuzk_rpc_channel_open(&ch, &co, NULL), CUZK_OK);
    static uint8_t bomb[3 << 20]; /* a million empty vanilla_proofs: field 11, length 0 */
    for (size_t i = 0; i < sizeof bomb; i += 2)
        bomb[i] = 0x5a;
    const struct {
        const char *path;
        const uint8_t *bytes;
        size_t n;
        cuzk_status st;
        const char *text;
    } c[] = {
        {"/cuzk.v1.ProvingEngine/Nothing", NULL, 0, CUZK_UNSUPPORTED, "unknown method"},
        {"/grpc.health.v1.Health/Check", (const uint8_t *)"\x0a\x01x", 3, CUZK_NOT_FOUND,
         "service not known"},
        {"/cuzk.v1.ProvingEngine/Prove", NULL, 0, CUZK_INVAL, "missing submit field"},
        {"/cuzk.v1.ProvingEngine/Prove", (const uint8_t *)"\x0a\xff", 2, CUZK_ENCODING,
         "do not decode"},
        {"/cuzk.v1.ProvingEngine/SubmitProof", bomb, sizeof bomb, CUZK_INVAL,
         "vanilla_proofs: more than"},
    };
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(c); i++) {
        uint8_t *out;
        size_t n;
        cuzk_err err = {0};
        cuzk_status st = cuzk_rpc_unary(ch, c[i].path, c[i].bytes, c[i].n, CALL_MS, &out, &n, &err);
        if (st != c[i].st || !strstr(err.msg, c[i].text))
            fail_msg("case %u: status %d, %s", i, st, err.msg);
    }
    cuzk_rpc_channel_close(ch);
    finish(&f);
}

static void test_c10_message_limit(void **state)
{
    (void)state;
    fixture f;
    size_t limit = 5u << 20;
    start(&f, limit);
    uint8_t *big = cuzk_calloc(1, 11u << 20);
    assert_non_null(big);
    const struct {
        size_t n;
        cuzk_status st;
        const char *text;
    } c[] = {{limit - 64, CUZK_OK, ""},
             {limit + 64, CUZK_BUDGET, "(5242964 vs. 5242880)"}, /* size, limit: libgrpc's words */
             {11u << 20, CUZK_BUDGET, "vs. 5242880)"}};
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(c); i++) {
        cuzk_client_request r = request("big", 0, 1);
        cuzk_client_result out = {0};
        cuzk_err err = {0};
        r.vanilla_proof = (cuzk_bytes){big, c[i].n};
        cuzk_status st = cuzk_client_prove(f.c, &r, CALL_MS, &out, &err);
        cuzk_client_result_fini(&out);
        assert_int_equal(st, c[i].st);
        assert_non_null(strstr(err.msg, c[i].text));
    }
    cuzk_free(big);
    finish(&f);
}

static void test_await_and_cancel(void **state)
{
    (void)state;
    fixture f;
    start(&f, 0);
    char id[CUZK_JOB_ID_BYTES];
    uint32_t position;
    bool was_running = false;
    cuzk_client_result out;
    cuzk_err err = {0};
    cuzk_client_request r = request("run", FAKE_WAIT, 3), q = request("queued", 0, 4);
    assert_int_equal(cuzk_client_submit(f.c, &r, CALL_MS, id, &position, NULL), CUZK_OK);
    assert_string_equal(id, "run");
    fake_wait_started(&f.fake, 1);
    assert_int_equal(cuzk_client_submit(f.c, &q, CALL_MS, id, &position, NULL), CUZK_OK);
    r.sector_number = 99; /* the same id for something else */
    assert_int_equal(cuzk_client_submit(f.c, &r, CALL_MS, id, &position, NULL), CUZK_EXISTS);

    assert_int_equal(cuzk_client_await(f.c, "run", 30, CALL_MS, &out, NULL), CUZK_OK);
    assert_int_equal(out.status, CUZK_JOB_TIMEOUT);
    cuzk_client_result_fini(&out);
    assert_int_equal(cuzk_client_await(f.c, "run", 0, 30, &out, &err), CUZK_TIMEOUT); /* gRPC's */

    assert_int_equal(cuzk_client_cancel(f.c, "queued", CALL_MS, &was_running, NULL), CUZK_OK);
    assert_false(was_running);
    assert_int_equal(cuzk_client_await(f.c, "queued", 0, CALL_MS, &out, NULL), CUZK_OK);
    assert_int_equal(out.status, CUZK_JOB_CANCELLED);
    cuzk_client_result_fini(&out);
    assert_int_equal(cuzk_client_cancel(f.c, "run", CALL_MS, &was_running, NULL), CUZK_OK);
    assert_true(was_running);
    assert_int_equal(cuzk_client_await(f.c, "run", 0, CALL_MS, &out, NULL), CUZK_OK);
    assert_int_equal(out.status, CUZK_JOB_CANCELLED);
    cuzk_client_result_fini(&out);
    assert_int_equal(cuzk_client_cancel(f.c, "unknown", CALL_MS, &was_running, NULL), CUZK_OK);
    assert_false(was_running);
    finish(&f);
}

static void wait_listeners(const fixture *f, size_t n)
{
    for (engine_stats s = {.n_listeners = SIZE_MAX}; s.n_listeners != n;) {
        cuzk_engine_stats(f->e, &s);
        usleep(1000); /* a client's going is seen by the server in its own time */
    }
}

/* The client goes in the middle of a proof: the listener is dropped, the job goes on, and the retry
 * gets its one result. */
static void test_c07_client_gone(void **state)
{
    (void)state;
    fixture f;
    start(&f, 0);
    cuzk_client *c;
    cuzk_client_result out;
    cuzk_err err = {0};
    cuzk_client_request r = request("run", FAKE_WAIT, 3);
    assert_int_equal(cuzk_client_connect(&c, f.address, 5000, NULL), CUZK_OK);
    assert_int_equal(cuzk_client_prove(c, &r, 50, &out, &err), CUZK_TIMEOUT);
    cuzk_client_close(c);
    wait_listeners(&f, 0);
    cuzk_client_status s;
    assert_int_equal(cuzk_client_get_status(f.c, CALL_MS, &s, NULL), CUZK_OK);
    assert_int_equal(s.queue[0].in_progress, 1);
    fake_open_gate(&f.fake);
    assert_int_equal(cuzk_client_prove(f.c, &r, CALL_MS, &out, NULL), CUZK_OK);
    assert_int_equal(out.status, CUZK_JOB_COMPLETED);
    assert_int_equal(out.proof[0], 3);
    cuzk_client_result_fini(&out);
    assert_int_equal(f.fake.n_started, 1);
    finish(&f);
}

static void test_status_and_metrics(void **state)
{
    (void)state;
    fixture f;
    start(&f, 0);
    char id[CUZK_JOB_ID_BYTES];
    uint32_t position;
    cuzk_client_request r = request("run", FAKE_WAIT, 3), q = request("q", 0, 4);
    q.kind = CUZK_PROOF_WINNING;
    q.priority = 1; /* LOW, so that it waits */
    assert_int_equal(cuzk_client_submit(f.c, &r, CALL_MS, id, &position, NULL), CUZK_OK);
    fake_wait_started(&f.fake, 1);
    assert_int_equal(cuzk_client_submit(f.c, &q, CALL_MS, id, &position, NULL), CUZK_OK);
    cuzk_client_status s;
    assert_int_equal(cuzk_client_get_status(f.c, CALL_MS, &s, NULL), CUZK_OK);
    assert_int_equal(s.n_queues, 4);
    for (size_t i = 0; i < 4; i++) {
        bool porep = strcmp(s.queue[i].kind, "porep-c2") == 0;
        bool winning = strcmp(s.queue[i].kind, "winning-post") == 0;
        assert_int_equal(s.queue[i].pending, winning);
        assert_int_equal(s.queue[i].in_progress, porep);
    }
    assert_int_equal(s.n_srs, 2);
    assert_int_equal(s.srs[0].tier, CUZK_TIER_HOT);
    assert_string_equal(s.srs[1].circuit, "porep-8m");
    assert_int_equal(s.srs[1].tier, CUZK_TIER_COLD);
    assert_string_equal(s.srs[0].circuit, "porep-2k");
    assert_int_equal(s.srs[0].bytes, 12345);
    assert_int_equal(s.srs[0].ref_count, 2);
    char *text;
    assert_int_equal(cuzk_client_get_metrics(f.c, CALL_MS, &text, NULL), CUZK_OK);
    assert_non_null(strstr(text, "# TYPE cuzk_queue_depth gauge\ncuzk_queue_depth 1\n"));
    assert_non_null(strstr(text, "\ncuzk_proofs_completed{proof_kind=\"snap_update\"} 0\n"));
    assert_non_null(strstr(text, "\ncuzk_running_jobs 1\n"));
    const char last[] = "\ncuzk_waiting_calls 0\n";
    assert_string_equal(text + strlen(text) - strlen(last), last);
    cuzk_client_free_text(text);

    bool already;
    uint64_t ms;
    cuzk_err err = {0};
    assert_int_equal(cuzk_client_preload(f.c, "porep-2k", CALL_MS, &already, &ms, NULL), CUZK_OK);
    assert_true(already);
    assert_int_equal(cuzk_client_preload(f.c, "porep-8m", CALL_MS, &already, &ms, NULL), CUZK_OK);
    assert_false(already);
    assert_int_equal(cuzk_client_preload(f.c, "nope", CALL_MS, &already, &ms, &err), CUZK_INVAL);
    assert_non_null(strstr(err.msg, "unknown circuit ID: nope"));
    finish(&f);
}

static void test_e05_evict(void **state) /* E05, the wire's side */
{
    (void)state;
    fixture f;
    start(&f, 0);
    const struct {
        const char *circuit;
        cuzk_status st;
        bool was_loaded;
        uint64_t freed;
    } c[] = {
        {"porep-2k", CUZK_OK, true, 0}, /* in use */
        {"porep-8m", CUZK_OK, true, 777},
        {"snap-32g", CUZK_OK, false, 0},
        {"nope", CUZK_INVAL, false, 0},
    };
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(c); i++) {
        bool was_loaded = false;
        uint64_t freed = 0;
        cuzk_err err = {0};
        assert_int_equal(cuzk_client_evict(f.c, c[i].circuit, CALL_MS, &was_loaded, &freed, &err),
                         c[i].st);
        assert_int_equal(was_loaded, c[i].was_loaded);
        assert_int_equal(freed, c[i].freed);
    }
    finish(&f);
}

static void test_addresses(void **state)
{
    (void)state;
    const struct {
        const char *in, *text; /* NULL: refused */
        bool loopback;
    } c[] = {
        {"127.0.0.1:9820", "127.0.0.1:9820", true},
        {"127.5.0.1:0", "127.5.0.1:0", true},
        {"[::1]:0", "[::1]:0", true},
        {"localhost:1", "localhost:1", true},
        {"0.0.0.0:9820", "0.0.0.0:9820", false},
        {"[::]:9820", "[::]:9820", false},
        {"example.org:80", "example.org:80", false},
        {"localhost.example.org:80", "localhost.example.org:80", false},
        {"unix:///run/a.sock", "unix:///run/a.sock", true},
        {"unix:/run/a.sock", "unix:///run/a.sock", true},
        {"unix:a.sock", "unix:a.sock", true},
        {"127.0.0.1:70000", NULL, false},
        {"127.0.0.1:", NULL, false},
        {"127.0.0.1", NULL, false},
        {"127.0.0.1:1x", NULL, false},
        {"::1:80", NULL, false},
        {"[::1]80", NULL, false},
        {":80", NULL, false},
        {"", NULL, false},
        {"tcp://", NULL, false},
        {"dns:///a:80", NULL, false},
        {"unix:", NULL, false},
        {"unix://", NULL, false},
        {"unix://relative.sock", NULL, false},
    };
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(c); i++) {
        rpc_address a;
        cuzk_err err = {0};
        cuzk_status st = cuzk_address_parse(&a, c[i].in, &err);
        if ((st == CUZK_OK) != (c[i].text != NULL))
            fail_msg("\"%s\": %s", c[i].in, cuzk_status_name(st));
        if (st != CUZK_OK)
            continue;
        assert_string_equal(a.text, c[i].text);
        assert_int_equal(a.is_loopback, c[i].loopback);
    }
    char longest[200] = "unix:/", too_long[200];
    memset(longest + 6, 'a', SOCKET_PATH_MAX - 1);
    longest[5 + SOCKET_PATH_MAX] = '\0';
    snprintf(too_long, sizeof too_long, "%sa", longest);
    rpc_address a;
    cuzk_err err = {0};
    assert_int_equal(cuzk_address_parse(&a, longest, NULL), CUZK_OK);
    assert_int_equal(cuzk_address_parse(&a, too_long, &err), CUZK_INVAL);
    assert_non_null(strstr(err.msg, "108 bytes"));
}

static cuzk_status try_listen(const char *address, cuzk_err *err)
{
    rpc_server_options so = RPC_SERVER_DEFAULTS;
    rpc_server *s;
    assert_int_equal(cuzk_rpc_server_new(&s, &so, NULL), CUZK_OK);
    cuzk_status st = cuzk_rpc_server_listen(s, address, err);
    cuzk_rpc_server_free(s);
    return st;
}

static void test_g15_exposed_tcp_is_refused(void **state)
{
    (void)state;
    cuzk_err err = {0};
    assert_int_equal(try_listen("0.0.0.0:0", &err), CUZK_INVAL);
    assert_non_null(strstr(err.msg, "--insecure"));
    assert_int_equal(try_listen("[::]:0", &err), CUZK_INVAL);
    rpc_server_options so = RPC_SERVER_DEFAULTS;
    rpc_server *s;
    so.insecure = true;
    assert_int_equal(cuzk_rpc_server_new(&s, &so, NULL), CUZK_OK);
    assert_int_equal(cuzk_rpc_server_listen(s, "0.0.0.0:0", &err), CUZK_OK);
    cuzk_rpc_server_free(s);
}

static int raw_listener(const char *path, bool keep_open)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    snprintf(sa.sun_path, sizeof sa.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&sa, sizeof sa), 0);
    assert_int_equal(listen(fd, 0), 0);
    if (!keep_open)
        close(fd);
    return fd;
}

static void test_c05_socket_path(void **state)
{
    (void)state;
    char dir[] = "/tmp/cuzk-sock-XXXXXX", path[64], other[64], address[80];
    cuzk_err err = {0};
    struct stat sb;
    cuzk_log_set_level(CUZK_LOG_OFF);
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/s", dir);
    snprintf(other, sizeof other, "%s/other", dir);
    snprintf(address, sizeof address, "unix://%s", path);

    FILE *file = fopen(path, "w"); /* a regular file */
    assert_non_null(file);
    fclose(file);
    assert_int_equal(try_listen(address, &err), CUZK_EXISTS);
    assert_non_null(strstr(err.msg, "a regular file"));
    assert_int_equal(stat(path, &sb), 0);
    assert_int_equal(rename(path, other), 0);

    assert_int_equal(symlink(other, path), 0); /* a link to it */
    assert_int_equal(try_listen(address, &err), CUZK_EXISTS);
    assert_non_null(strstr(err.msg, "a symbolic link"));
    assert_int_equal(unlink(other), 0); /* a dangling link */
    assert_int_equal(try_listen(address, &err), CUZK_EXISTS);
    assert_int_equal(lstat(path, &sb), 0);
    assert_int_equal(unlink(path), 0);

    assert_int_equal(mkdir(path, 0700), 0); /* a folder */
    assert_int_equal(try_listen(address, &err), CUZK_EXISTS);
    assert_non_null(strstr(err.msg, "a folder"));
    assert_int_equal(rmdir(path), 0);

    int fd = raw_listener(path, true); /* somebody listens, and never accepts */
    for (unsigned i = 0; i < 5; i++) { /* also when the backlog is full */
        assert_int_equal(try_listen(address, &err), CUZK_EXISTS);
        assert_non_null(strstr(err.msg, "already running"));
        int busy = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        struct sockaddr_un sa = {.sun_family = AF_UNIX};
        snprintf(sa.sun_path, sizeof sa.sun_path, "%s", path);
        (void)!connect(busy, (const struct sockaddr *)&sa, sizeof sa);
        close(busy);
    }
    close(fd); /* now it is stale */
    assert_int_equal(lstat(path, &sb), 0);
    assert_int_equal(try_listen(address, &err), CUZK_OK);
    assert_int_equal(lstat(path, &sb), -1); /* removed by the server's end */

    snprintf(address, sizeof address, "unix://%s/none/s", dir); /* no parent, not below /run */
    assert_int_equal(try_listen(address, &err), CUZK_IO);
    assert_non_null(strstr(err.msg, "/none"));
    assert_int_equal(rmdir(dir), 0);
}

static void test_c06_socket_mode(void **state)
{
    (void)state;
    const mode_t mask[] = {0, 022, 077};
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(mask); i++) {
        fixture f;
        struct stat sb;
        mode_t old = umask(mask[i]);
        start(&f, 0);
        umask(old);
        assert_int_equal(stat(f.path, &sb), 0);
        assert_int_equal(sb.st_mode & 07777, 0600);
        finish(&f);
    }
}

static void test_no_daemon(void **state)
{
    (void)state;
    cuzk_client *c;
    cuzk_err err = {0};
    assert_int_equal(cuzk_client_connect(&c, "unix:///tmp/cuzk-nobody.sock", 3000, &err),
                     CUZK_UNAVAILABLE);
    assert_non_null(strstr(err.msg, "no daemon at unix:///tmp/cuzk-nobody.sock"));
    assert_non_null(strstr(err.msg, "cuzk serve"));
    assert_int_equal(cuzk_client_connect(&c, "tcp://", 3000, &err), CUZK_INVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_prove),
        cmocka_unit_test(test_tcp),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_raw),
        cmocka_unit_test(test_c10_message_limit),
        cmocka_unit_test(test_await_and_cancel),
        cmocka_unit_test(test_c07_client_gone),
        cmocka_unit_test(test_status_and_metrics),
        cmocka_unit_test(test_e05_evict),
        cmocka_unit_test(test_g15_exposed_tcp_is_refused),
        cmocka_unit_test(test_c05_socket_path),
        cmocka_unit_test(test_c06_socket_mode),
        cmocka_unit_test(test_no_daemon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The HTTP side of the daemon with a fake prover: methods, paths, limits, readiness, the status
 * document, status while proofs run (C14, G13), addresses, no descriptor left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "e2e/fake_prover.h"
#include "engine/log.h"
#include "http/http_bind.h"
#include "http/http_pages.h"
#include "measure/instruments.h"

#define ANSWER_MAX ((size_t)1 << 20)

typedef struct {
    fake_prover fake;
    engine *e;
    http_server *http;
    unsigned port;
    char answer[ANSWER_MAX];
} fixture;

static fixture *start(unsigned max_connections)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    engine_options eo = ENGINE_OPTIONS_DEFAULTS;
    http_options ho = HTTP_DEFAULTS;
    fake_init(&f->fake);
    engine_backend backend = fake_backend(&f->fake);
    assert_int_equal(cuzk_engine_new(&f->e, &eo, &backend, NULL), CUZK_OK);
    ho.listen = "127.0.0.1:0";
    ho.pages = cuzk_http_pages;
    ho.n_pages = cuzk_http_n_pages;
    ho.ctx = f->e;
    ho.timeout_s = 1;
    if (max_connections)
        ho.max_connections = max_connections;
    assert_int_equal(cuzk_http_start(&f->http, &ho, NULL), CUZK_OK);
    f->port = (unsigned)atoi(strrchr(cuzk_http_address(f->http), ':') + 1);
    assert_int_not_equal(f->port, 0);
    return f;
}

static void finish(fixture *f)
{
    fake_open_gate(&f->fake);
    cuzk_http_stop(f->http);
    cuzk_engine_free(f->e);
    free(f);
}

static int dial(const fixture *f)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)f->port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

/* All bytes until the server closes, or nothing comes for 5 s. */
static size_t read_all(int fd, char *out, size_t max)
{
    size_t n = 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (n < max - 1 && poll(&p, 1, 5000) > 0) {
        ssize_t k = read(fd, out + n, max - 1 - n);
        if (k <= 0)
            break;
        n += (size_t)k;
    }
    out[n] = '\0';
    return n;
}

/* The status of the answer, which is in f->answer; 0 when there was none. */
static int ask(fixture *f, const char *request, size_t n)
{
    int fd = dial(f), status = 0;
    ssize_t k = send(fd, request, n, MSG_NOSIGNAL);
    (void)k; /* a server that refuses may close before it has read all */
    read_all(fd, f->answer, sizeof f->answer);
    close(fd);
    sscanf(f->answer, "HTTP/1.%*d %d", &status);
    return status;
}

static int get(fixture *f, const char *path)
{
    char request[512];
    int n = snprintf(request, sizeof request,
                     "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path);
    return ask(f, request, (size_t)n);
}

static const char *body(const fixture *f)
{
    const char *at = strstr(f->answer, "\r\n\r\n");
    return at ? at + 4 : "";
}

/* ---- methods and paths ---- */

static void test_requests(void **state)
{
    (void)state;
    static const struct {
        const char *request;
        int status;
        const char *has; /* in the whole answer */
    } c[] = {
        {"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 200, "\r\n\r\nok\n"},
        {"GET /healthz HTTP/1.0\r\n\r\n", 200, "ok\n"},
        {"GET /healthz?a=b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 200, "ok\n"},
        {"GET /metrics HTTP/1.0\r\n\r\n", 200, "text/plain; version=0.0.4; charset=utf-8"},
        {"GET /status HTTP/1.0\r\n\r\n", 200, "Content-Type: application/json"},
        {"GET /status HTTP/1.0\r\n\r\n", 200, "Access-Control-Allow-Origin: *"},
        {"GET /trace HTTP/1.0\r\n\r\n", 200, "\"traceEvents\":["},
        {"HEAD /healthz HTTP/1.0\r\n\r\n", 200, "Content-Length: 3"},
        {"HEAD /nope HTTP/1.0\r\n\r\n", 404, ""},
        {"GET / HTTP/1.0\r\n\r\n", 404, "404 Not Found\n"},
        {"GET /statusfoo HTTP/1.0\r\n\r\n", 404, ""},
        {"GET /status/ HTTP/1.0\r\n\r\n", 404, ""},
        {"GET /../etc/passwd HTTP/1.0\r\n\r\n", 404, ""},
        {"GET /%2e%2e/status HTTP/1.0\r\n\r\n", 404, ""},
        {"POST /metrics HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc", 405, "Allow: GET, HEAD"},
        {"POST /metrics HTTP/1.0\r\nContent-Length: 9999999\r\n\r\nabc", 405, ""},
        {"PUT /status HTTP/1.0\r\nContent-Length: 0\r\n\r\n", 405, ""},
        {"DELETE /status HTTP/1.0\r\n\r\n", 405, ""},
        {"OPTIONS /status HTTP/1.0\r\n\r\n", 405, ""},
        {"BREW /status HTTP/1.0\r\n\r\n", 405, ""},
    };
    fixture *f = start(0);
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        int status = ask(f, c[i].request, strlen(c[i].request));
        if (status != c[i].status || !strstr(f->answer, c[i].has))
            fail_msg("%s: %d, %s", c[i].request, status, f->answer);
    }
    assert_int_equal(ask(f, "HEAD /metrics HTTP/1.0\r\n\r\n", 26), 200);
    assert_string_equal(body(f), ""); /* the length is told, the body is not sent */
    finish(f);
}

/* Several requests on one connection. */
static void test_keep_alive(void **state)
{
    (void)state;
    static const char two[] = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
                              "GET /nope HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    fixture *f = start(0);
    assert_int_equal(ask(f, two, sizeof two - 1), 200);
    assert_non_null(strstr(f->answer, "HTTP/1.1 404"));
    finish(f);
}

/* ---- what hostile clients try ---- */

static void test_hostile(void **state)
{
    (void)state;
    fixture *f = start(0);
    size_t n = (size_t)1 << 20;
    char *big = malloc(n);
    assert_non_null(big);
    memset(big, 'a', n);
    memcpy(big, "GET /", 5);
    int status = ask(f, big, n); /* a path without an end */
    assert_true(status == 0 || status == 414 || status == 431 || status == 413);
    memcpy(big, "GET /healthz HTTP/1.1\r\nHost: x\r\nX: ", 36);
    status = ask(f, big, n); /* a header without an end */
    assert_true(status == 0 || status == 431 || status == 413);
    static const char tls[] = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";
    ask(f, tls, sizeof tls - 1);
    static const char h2[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    ask(f, h2, sizeof h2 - 1);
    ask(f, "\0\0\0\0\r\n\r\n", 8);
    assert_int_equal(get(f, "/healthz"), 200); /* and it goes on */
    free(big);
    finish(f);
}

/* 1 s without a request ends a connection; beyond the limit new ones are closed, and served again
 * once there is room. */
static void test_connections(void **state)
{
    (void)state;
    fixture *f = start(8);
    int fd[40];
    char byte;
    for (size_t i = 0; i < 40; i++) {
        fd[i] = dial(f);
        assert_int_equal(send(fd[i], "GET /hea", 8, MSG_NOSIGNAL), 8);
    }
    uint64_t begin = cuzk_now_ns();
    for (size_t i = 0; i < 40; i++) {
        struct pollfd p = {.fd = fd[i], .events = POLLIN};
        assert_true(poll(&p, 1, 10000) > 0); /* each is ended by the server */
        while (read(fd[i], &byte, 1) > 0)
            continue;
        close(fd[i]);
    }
    assert_true(cuzk_now_ns() - begin < (uint64_t)10 * 1000000000u);
    int status = 0;
    for (int i = 0; i < 50 && status != 200; i++)
        status = get(f, "/healthz");
    assert_int_equal(status, 200);
    finish(f);
}

static unsigned count_fds(void)
{
    DIR *d = opendir("/proc/self/fd");
    unsigned n = 0;
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static void test_no_descriptors_left(void **state)
{
    (void)state;
    finish(start(0)); /* what is made once */
    unsigned before = count_fds();
    for (int i = 0; i < 5; i++) {
        fixture *f = start(0);
        for (int k = 0; k < 20; k++)
            assert_int_equal(get(f, "/metrics"), 200);
        finish(f);
    }
    assert_int_equal(count_fds(), before);
}

/* ---- addresses ---- */

static void test_addresses(void **state)
{
    (void)state;
    static const struct {
        const char *listen;
        bool insecure;
        cuzk_status want;
        const char *says;
    } c[] = {
        {"127.0.0.1:0", false, CUZK_OK, NULL},
        {"localhost:0", false, CUZK_OK, NULL},
        {"[::1]:0", false, CUZK_OK, NULL},
        {"0.0.0.0:0", false, CUZK_INVAL, "other machines"},
        {"[::]:0", false, CUZK_INVAL, "insecure"},
        {"0.0.0.0:0", true, CUZK_OK, NULL},
        {"127.0.0.1", false, CUZK_INVAL, "there is no port"},
        {"127.0.0.1:", false, CUZK_INVAL, "port"},
        {"127.0.0.1:70000", false, CUZK_INVAL, "65535"},
        {"127.0.0.1:-1", false, CUZK_INVAL, "65535"},
        {"127.0.0.1:http", false, CUZK_INVAL, "number"},
        {":9821", false, CUZK_INVAL, "there is no host"},
        {"::1:9821", false, CUZK_INVAL, "brackets"},
        {"[::1]9821", false, CUZK_INVAL, "port"},
        {"unix:///tmp/x", false, CUZK_INVAL, "port"},
        {"", false, CUZK_INVAL, "port"},
    };
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        cuzk_err err = {0};
        cuzk_status st = cuzk_http_resolve(c[i].listen, c[i].insecure, &err);
        if (st != c[i].want || (c[i].says && !strstr(err.msg, c[i].says)))
            fail_msg("%s: %s, %s", c[i].listen, cuzk_status_name(st), err.msg);
    }
    fixture *f = start(0); /* a port that is taken is another matter: CUZK_IO */
    http_options ho = HTTP_DEFAULTS;
    http_server *second;
    ho.listen = cuzk_http_address(f->http);
    assert_int_equal(cuzk_http_start(&second, &ho, NULL), CUZK_IO);
    finish(f);
}

/* ---- ready, status ---- */

static void submit(fixture *f, const char *id, cuzk_kind kind, uint64_t miner)
{
    const uint8_t byte = 1;
    request_message msg = {.kind = kind, .vanilla_proof = {&byte, 1}, .miner_id = miner};
    const engine_request r = {.request_id = id, .msg = &msg, .n_bytes = 1};
    assert_int_equal(cuzk_engine_submit(f->e, &r, NULL, NULL, NULL), CUZK_OK);
}

static void test_ready(void **state)
{
    (void)state;
    fixture *f = start(0);
    assert_int_equal(get(f, "/readyz"), 200);
    assert_string_equal(body(f), "ready\n");
    submit(f, "run", CUZK_KIND_POREP, FAKE_WAIT);
    fake_wait_started(&f->fake, 1);
    assert_int_equal(get(f, "/readyz"), 200); /* busy is ready */
    cuzk_engine_drain(f->e, false);
    assert_int_equal(get(f, "/readyz"), 503);
    assert_non_null(strstr(body(f), "draining"));
    assert_int_equal(get(f, "/healthz"), 200);
    finish(f);
}

static void check_json(const fixture *f, const char *rules)
{
    char path[] = "/tmp/cuzk-http-XXXXXX", command[4096];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, body(f), strlen(body(f))), (ssize_t)strlen(body(f)));
    close(fd);
    snprintf(command, sizeof command,
             "python3 - %s <<'P'\nimport json,sys\n"
             "d=json.load(open(sys.argv[1]))\n%s\nP\n",
             path, rules);
    int rc = system(command);
    unlink(path);
    assert_int_equal(rc, 0);
}

/* formats.md 3: keys, their order, their types */
static const char schema[] =
    "assert list(d)[:8]==['uptime_secs','memory','synthesis','pipelines','gpu_workers',"
    "'allocations','counters','buffers'],list(d)\n"
    "assert isinstance(d['uptime_secs'],float)\n"
    "assert list(d['memory'])==['total_bytes','used_bytes','available_bytes']\n"
    "assert list(d['synthesis'])==['max_concurrent','active']\n"
    "assert list(d['allocations'])==['srs','pce']\n"
    "assert list(d['counters'])==['total_completed','total_failed','completed_by_kind',"
    "'failed_by_kind','queue_depth']\n"
    "assert list(d['buffers'])==['synth_in_flight','provers_in_flight','aux_in_flight',"
    "'shells_in_flight','pending_handles']\n"
    "for s in d['allocations']['srs']:\n"
    "    assert list(s)[:4]==['circuit_id','bytes','last_used_secs_ago','evictable']\n"
    "    assert isinstance(s['last_used_secs_ago'],float)\n"
    "for p in d['pipelines']:\n"
    "    assert list(p)[:6]==['job_id','proof_kind','started_secs_ago','total_partitions',"
    "'partitions_done','partitions'],list(p)\n"
    "    assert isinstance(p['started_secs_ago'],float)\n"
    "    for q in p['partitions']:\n"
    "        assert list(q)==['index','state','synth_ms','gpu_ms']\n"
    "        assert q['state'] in('pending','synthesizing','synth_done','gpu','done','failed')\n";

static void expect_status(fixture *f, const char *rules)
{
    char all[3500];
    assert_int_equal(get(f, "/status"), 200);
    snprintf(all, sizeof all, "%s%s", schema, rules);
    check_json(f, all);
}

static void wait_idle(fixture *f)
{
    engine_stats s;
    unsigned left = 1;
    while (left) {
        cuzk_engine_stats(f->e, &s);
        left = 0;
        for (size_t k = 0; k < CUZK_KIND_COUNT; k++)
            left += s.kind[k].pending + s.kind[k].running;
    }
}

static void test_status_document(void **state)
{
    (void)state;
    fixture *f = start(0);
    cuzk_measure_start();
    expect_status(f, "assert d['pipelines']==[] and d['counters']['total_completed']==0\n"
                     "assert d['allocations']['srs'][0]['circuit_id']=='porep-2k'\n"
                     "assert d['ready'] is True\n");
    submit(f, "a \"b\" \\ \xc3\xa9 {c}", CUZK_KIND_POREP, FAKE_WAIT);
    fake_wait_started(&f->fake, 1);
    submit(f, "next", CUZK_KIND_UPDATE, 1000);
    expect_status(f, "p,=d['pipelines']\n"
                     "assert p['job_id']=='a \"b\" \\\\ \\u00e9 {c}' and "
                     "p['proof_kind']=='porep-c2'\n"
                     "assert p['state'] in('running','waiting') and p['device']=='cpu'\n"
                     "assert d['counters']['queue_depth']==1\n"
                     "assert [q['job_id'] for q in d['queue']] in([],['next'])\n");
    fake_open_gate(&f->fake);
    submit(f, "bad", CUZK_KIND_WINDOW, FAKE_FAIL);
    wait_idle(f);
    expect_status(f, "c=d['counters']\n"
                     "assert (c['total_completed'],c['total_failed'])==(2,1),c\n"
                     "assert c['failed_by_kind']['window-post']==1\n"
                     "assert c['completed_by_kind']=={'porep-c2':1,'winning-post':0,"
                     "'window-post':0,'snap-update':1}\n"
                     "p={x['job_id']:x for x in d['pipelines']}\n" /* ended within 30 s */
                     "assert p['next']['state']=='completed' and p['bad']['state']=='failed'\n"
                     "assert p['bad']['proof_kind']=='window-post'\n"
                     "assert p['next']['ended_secs_ago']<30\n");
    finish(f);
}

/* C14: pages are answered while a proof stands still and everything waits behind it. */
static void test_c14_never_behind_a_proof(void **state)
{
    (void)state;
    static const char *const path[] = {"/status", "/metrics", "/healthz", "/readyz", "/trace"};
    fixture *f = start(0);
    uint64_t worst = 0;
    submit(f, "stuck", CUZK_KIND_POREP, FAKE_STUCK);
    fake_wait_started(&f->fake, 1);
    for (int i = 0; i < 100; i++) {
        uint64_t begin = cuzk_now_ns();
        assert_int_equal(get(f, path[i % 5]), 200);
        uint64_t ns = cuzk_now_ns() - begin;
        worst = ns > worst ? ns : worst;
    }
    print_message("slowest of 100 answers: %.1f ms\n", (double)worst / 1e6);
    assert_true(worst < (uint64_t)2000000000u);
    finish(f);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    cuzk_log_set_level(CUZK_LOG_ERROR);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_keep_alive),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_connections),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_ready),
        cmocka_unit_test(test_status_document),
        cmocka_unit_test(test_c14_never_behind_a_proof),
        cmocka_unit_test(test_no_descriptors_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Peers that are broken or mean (C11): the daemon serves the others meanwhile. */
#include "e2e/rpc_fixture.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/clock.h"

static int dial(const fixture *f)
{
    struct sockaddr_in sa = {.sin_family = AF_INET};
    const char *address = cuzk_rpc_server_address(f->s, 1);
    sa.sin_port = htons((uint16_t)strtoul(strrchr(address, ':') + 1, NULL, 10));
    sa.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&sa, sizeof sa), 0);
    return fd;
}

static void put(int fd, const void *bytes, size_t n)
{
    assert_int_equal(send(fd, bytes, n, MSG_NOSIGNAL), n);
}

static void assert_served(const fixture *f)
{
    cuzk_client_status s;
    uint64_t begin = cuzk_now_ns();
    cuzk_err err = {0};
    if (cuzk_client_get_status(f->c, CALL_MS, &s, &err) != CUZK_OK)
        fail_msg("%s", err.msg);
    assert_true(cuzk_now_ns() - begin < (uint64_t)2000000000u);
}

static void test_c11_not_grpc(void **state)
{
    (void)state;
    fixture f;
    start(&f, 0);
    static const char http1[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    static const char tls[] = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";
    char garbage[4096];
    for (size_t i = 0; i < sizeof garbage; i++)
        garbage[i] = (char)(i * 131 + 7);
    int fd[3] = {dial(&f), dial(&f), dial(&f)};
    put(fd[0], http1, sizeof http1 - 1);
    put(fd[1], tls, sizeof tls - 1);
    put(fd[2], garbage, sizeof garbage);
    for (unsigned i = 0; i < 3; i++) {
        char sink[4096]; /* the server says goodbye, if anything, and hangs up */
        struct pollfd p = {fd[i], POLLIN, 0};
        ssize_t n = 1;
        while (i != 1 && n > 0 && poll(&p, 1, 15000) == 1)
            n = recv(fd[i], sink, sizeof sink, 0);
        assert_true(i == 1 || n <= 0);
        close(fd[i]);
    }
    assert_served(&f);
    finish(&f);
}

static void test_c11_idle_connections(void **state)
{
    (void)state;
    enum { N = 200 };
    fixture f;
    int fd[N];
    start(&f, 0);
    for (unsigned i = 0; i < N; i++)
        fd[i] = dial(&f);
    assert_served(&f);
    for (unsigned i = 0; i < N; i++)
        close(fd[i]);
    assert_served(&f);
    finish(&f);
}

/* HTTP/2 by hand: frames of length (24 bits), type, flags, stream (32 bits) [RFC 9113 4.1]. */
static void put_frame(int fd, uint8_t type, uint8_t flags, uint32_t stream, const void *body,
                      size_t n)
{
    uint8_t head[9] = {(uint8_t)(n >> 16),
                       (uint8_t)(n >> 8),
                       (uint8_t)n,
                       type,
                       flags,
                       (uint8_t)(stream >> 24),
                       (uint8_t)(stream >> 16),
                       (uint8_t)(stream >> 8),
                       (uint8_t)stream};
    put(fd, head, sizeof head);
    if (n)
        put(fd, body, n);
}

static size_t put_literal(uint8_t *out, const char *name, const char *value)
{
    size_t k = 0;
    out[k++] = 0; /* never indexed, the name in full [RFC 7541 6.2.2] */
    out[k++] = (uint8_t)strlen(name);
    memcpy(out + k, name, strlen(name));
    k += strlen(name);
    out[k++] = (uint8_t)strlen(value);
    memcpy(out + k, value, strlen(value));
    return k + strlen(value);
}

static void begin_call(int fd, uint32_t stream, const char *path)
{
    uint8_t h[512];
    size_t n = 0;
    n += put_literal(h + n, ":method", "POST");
    n += put_literal(h + n, ":scheme", "http");
    n += put_literal(h + n, ":path", path);
    n += put_literal(h + n, ":authority", "localhost");
    n += put_literal(h + n, "content-type", "application/grpc");
    n += put_literal(h + n, "te", "trailers");
    put_frame(fd, 1, 4, stream, h, n); /* HEADERS, END_HEADERS */
}

static void begin_prove(int fd, uint32_t stream)
{
    begin_call(fd, stream, "/cuzk.v1.ProvingEngine/Prove");
}

/* True when the stream is reset or the connection ends before ms pass. */
static bool is_cut(int fd, uint32_t stream, int ms)
{
    uint8_t in[16384];
    size_t n = 0;
    uint64_t end = cuzk_now_ns() + (uint64_t)ms * 1000000u;
    while (cuzk_now_ns() < end) {
        struct pollfd p = {fd, POLLIN, 0};
        if (poll(&p, 1, 100) != 1)
            continue;
        ssize_t k = recv(fd, in + n, sizeof in - n, 0);
        if (k <= 0)
            return true;
        n += (size_t)k;
        while (n >= 9) {
            size_t body = (size_t)in[0] << 16 | (size_t)in[1] << 8 | in[2];
            if (n < 9 + body)
                break;
            if (in[3] == 3 && in[8] == stream) /* RST_STREAM */
                return true;
            memmove(in, in + 9 + body, n - 9 - body);
            n -= 9 + body;
        }
    }
    return false;
}

/* A message of 50 MB whose bytes come one at a time, or not at all. */
static void test_c11_slow_upload(void **state)
{
    (void)state;
    fixture f;
    start_options(&f, (fixture_options){.read_timeout_s = 1});
    static const uint8_t head[] = {0, 3, 0, 0, 0, 'x'}; /* gRPC's prefix: 48 MiB follow */
    int fd = dial(&f);
    put(fd, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
    put_frame(fd, 4, 0, 0, NULL, 0); /* SETTINGS */
    begin_prove(fd, 1);
    put_frame(fd, 0, 0, 1, head, sizeof head); /* DATA */
    begin_prove(fd, 3);                        /* and one that sends nothing */
    assert_served(&f);
    assert_true(is_cut(fd, 1, 10000));
    assert_served(&f);
    close(fd);
    finish(&f);
}

/* Many streams, each reset at once. */
static void test_c11_resets(void **state)
{
    (void)state;
    fixture f;
    start(&f, 0);
    static const uint8_t cancel[4] = {0, 0, 0, 8};
    int fd = dial(&f);
    put(fd, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
    put_frame(fd, 4, 0, 0, NULL, 0);
    for (uint32_t i = 0; i < 2000; i++) {
        begin_prove(fd, 2 * i + 1);
        put_frame(fd, 3, 0, 2 * i + 1, cancel, 4);
    }
    assert_served(&f);
    close(fd);
    finish(&f);
}

static size_t resident_kb(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[128];
    size_t kb = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "VmRSS:", 6) == 0)
            kb = strtoul(line + 6, NULL, 10);
    fclose(f);
    return kb;
}

/* Calls whose answers have no window to go to, and that nobody reads. */
static void test_c11_no_window(void **state)
{
    (void)state;
    fixture f;
    start(&f, 0);
    static const uint8_t no_window[6] = {0, 4, 0, 0, 0, 0}; /* SETTINGS_INITIAL_WINDOW_SIZE 0 */
    static const uint8_t empty[5] = {0};                    /* an empty gRPC message */
    size_t before = resident_kb();
    int fd = dial(&f);
    put(fd, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
    put_frame(fd, 4, 0, 0, no_window, sizeof no_window);
    for (uint32_t i = 0; i < 200; i++) {
        begin_call(fd, 2 * i + 1, "/cuzk.v1.ProvingEngine/GetMetrics");
        put_frame(fd, 0, 1, 2 * i + 1, empty, sizeof empty); /* DATA, END_STREAM */
    }
    for (unsigned i = 0; i < 5; i++)
        assert_served(&f);
    assert_true(resident_kb() < before + 64 * 1024);
    close(fd);
    assert_served(&f);
    finish(&f);
}

/* PING and SETTINGS without end, and nobody reads the answers that they call for. The server takes
 * in 40 to 80 MiB before it hangs up, however long the client goes on. */
static void test_c11_flood(void **state)
{
    (void)state;
    fixture f;
    start(&f, 0);
    static const uint8_t ping[17] = {0, 0, 8, 6}, settings[9] = {0, 0, 0, 4};
    size_t before = resident_kb();
    for (unsigned kind = 0; kind < 2; kind++) {
        int fd = dial(&f);
        put(fd, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
        put_frame(fd, 4, 0, 0, NULL, 0);
        uint64_t end = cuzk_now_ns() + (uint64_t)500000000u;
        /* until the server hangs up or stops reading, or half a second is over */
        while (cuzk_now_ns() < end &&
               send(fd, kind ? settings : ping, kind ? sizeof settings : sizeof ping,
                    MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
            ;
        assert_served(&f);
        close(fd);
    }
    assert_true(resident_kb() < before + 160 * 1024);
    assert_served(&f);
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c11_not_grpc),    cmocka_unit_test(test_c11_idle_connections),
        cmocka_unit_test(test_c11_slow_upload), cmocka_unit_test(test_c11_resets),
        cmocka_unit_test(test_c11_no_window),   cmocka_unit_test(test_c11_flood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

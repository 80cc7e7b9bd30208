/* Who may call over TCP: TLS, client certificates, tokens (G15). */
#include "e2e/rpc_fixture.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "rpc/credentials.h"

typedef struct {
    char dir[64];
    char cert[96], key[96], other_cert[96], other_key[96], token[96], wrong[96];
} files;

static void write_text(const char *path, const char *text, mode_t mode)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(chmod(path, mode), 0);
}

/* A certificate that signs itself, for localhost. */
static void make_certificate(const char *cert_path, const char *key_path)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *x = X509_new();
    assert_non_null(key);
    assert_non_null(x);
    X509_set_version(x, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
    X509_gmtime_adj(X509_getm_notBefore(x), -60);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_set_pubkey(x, key);
    X509_NAME *name = X509_get_subject_name(x);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"localhost", -1, -1,
                               0);
    X509_set_issuer_name(x, name);
    X509_EXTENSION *alt =
        X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
    X509_add_ext(x, alt, -1);
    X509_EXTENSION_free(alt);
    assert_true(X509_sign(x, key, EVP_sha256()) > 0);
    FILE *f = fopen(cert_path, "w");
    assert_int_equal(PEM_write_X509(f, x), 1);
    fclose(f);
    f = fopen(key_path, "w");
    assert_int_equal(PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL), 1);
    fclose(f);
    X509_free(x);
    EVP_PKEY_free(key);
}

static void make_files(files *p)
{
    snprintf(p->dir, sizeof p->dir, "/tmp/cuzk-tls-XXXXXX");
    assert_non_null(mkdtemp(p->dir));
    snprintf(p->cert, sizeof p->cert, "%s/cert", p->dir);
    snprintf(p->key, sizeof p->key, "%s/key", p->dir);
    snprintf(p->other_cert, sizeof p->other_cert, "%s/cert2", p->dir);
    snprintf(p->other_key, sizeof p->other_key, "%s/key2", p->dir);
    snprintf(p->token, sizeof p->token, "%s/token", p->dir);
    snprintf(p->wrong, sizeof p->wrong, "%s/wrong", p->dir);
    make_certificate(p->cert, p->key);
    make_certificate(p->other_cert, p->other_key);
    write_text(p->token, "0123456789abcdef0123456789abcdef\n", 0600);
    write_text(p->wrong, "0123456789abcdef0123456789abcdeF\n", 0600);
}

static void remove_files(const files *p)
{
    const char *const path[] = {p->cert, p->key, p->other_cert, p->other_key, p->token, p->wrong};
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(unlink(path[i]), 0);
    assert_int_equal(rmdir(p->dir), 0);
}

typedef struct {
    fake_prover fake;
    engine *e;
    rpc_server *s;
    char unix_address[96];
} guarded;

static void start_guarded(guarded *g, const files *p, bool tls, const char *client_ca,
                          const char *token)
{
    cuzk_err err = {0};
    cuzk_log_set_level(CUZK_LOG_OFF);
    memset(g, 0, sizeof *g);
    snprintf(g->unix_address, sizeof g->unix_address, "unix://%s/s", p->dir);
    fake_init(&g->fake);
    engine_options eo = ENGINE_OPTIONS_DEFAULTS;
    engine_backend b = fake_backend(&g->fake);
    assert_int_equal(cuzk_engine_new(&g->e, &eo, &b, NULL), CUZK_OK);
    rpc_server_options so = RPC_SERVER_DEFAULTS;
    so.methods = cuzk_service_methods;
    so.n_methods = cuzk_service_n_methods;
    so.ctx = g->e;
    so.tls = tls ? (rpc_tls_files){client_ca, p->cert, p->key} : (rpc_tls_files){0};
    so.token_file = token;
    assert_int_equal(cuzk_rpc_server_new(&g->s, &so, &err), CUZK_OK);
    /* not loopback: TLS or a token makes that possible */
    if (cuzk_rpc_server_listen(g->s, "0.0.0.0:0", &err) != CUZK_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(cuzk_rpc_server_listen(g->s, g->unix_address, &err), CUZK_OK);
    assert_int_equal(cuzk_rpc_server_start(g->s, &err), CUZK_OK);
}

static void finish_guarded(guarded *g)
{
    cuzk_rpc_server_free(g->s);
    cuzk_engine_free(g->e);
}

/* Connects and asks for the status. */
static cuzk_status ask(const guarded *g, cuzk_client_options o, bool over_unix, cuzk_err *err)
{
    char address[64];
    cuzk_client *c = NULL;
    cuzk_client_status s;
    snprintf(address, sizeof address, "localhost%s",
             strrchr(cuzk_rpc_server_address(g->s, 0), ':'));
    o.address = over_unix ? g->unix_address : address;
    o.timeout_ms = 3000;
    cuzk_status st = cuzk_client_connect_options(&c, &o, err);
    if (st == CUZK_OK)
        st = cuzk_client_get_status(c, CALL_MS, &s, err);
    cuzk_client_close(c);
    return st;
}

static void test_g15_tls_and_token(void **state)
{
    (void)state;
    files p;
    guarded g;
    make_files(&p);
    start_guarded(&g, &p, true, NULL, p.token);
    const struct {
        cuzk_client_options o;
        bool over_unix;
        cuzk_status st;
    } c[] = {
        {{.tls_ca = p.cert, .token_file = p.token}, false, CUZK_OK},
        {{.tls_ca = p.cert, .token_file = p.wrong}, false, CUZK_UNAUTHENTICATED},
        {{.tls_ca = p.cert}, false, CUZK_UNAUTHENTICATED},
        {{.tls_ca = p.other_cert, .token_file = p.token}, false, CUZK_UNAVAILABLE},
        {{.token_file = p.token}, false, CUZK_UNAVAILABLE}, /* plain text where TLS is spoken */
        {{.size = 0}, true, CUZK_OK},                       /* the socket's mode guards it */
    };
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(c); i++) {
        cuzk_err err = {0};
        cuzk_status st = ask(&g, c[i].o, c[i].over_unix, &err);
        if (st != c[i].st)
            fail_msg("case %u: %s, %s", i, cuzk_status_name(st), err.msg);
    }
    finish_guarded(&g);
    remove_files(&p);
}

static void test_g15_token_alone(void **state)
{
    (void)state;
    files p;
    guarded g;
    cuzk_err err = {0};
    make_files(&p);
    start_guarded(&g, &p, false, NULL, p.token);
    assert_int_equal(ask(&g, (cuzk_client_options){.token_file = p.token}, false, &err), CUZK_OK);
    assert_int_equal(ask(&g, (cuzk_client_options){.size = 0}, false, &err), CUZK_UNAUTHENTICATED);
    assert_non_null(strstr(err.msg, "Bearer"));
    finish_guarded(&g);
    remove_files(&p);
}

static void test_g15_client_certificates(void **state)
{
    (void)state;
    files p;
    guarded g;
    make_files(&p);
    start_guarded(&g, &p, true, p.other_cert, NULL);
    const struct {
        cuzk_client_options o;
        cuzk_status st;
    } c[] = {
        {{.tls_ca = p.cert, .tls_cert = p.other_cert, .tls_key = p.other_key}, CUZK_OK},
        {{.tls_ca = p.cert}, CUZK_UNAVAILABLE},
        {{.tls_ca = p.cert, .tls_cert = p.cert, .tls_key = p.key}, CUZK_UNAVAILABLE},
        {{.tls_ca = p.cert, .tls_cert = p.other_cert}, CUZK_INVAL},
        {{.tls_cert = p.other_cert, .tls_key = p.other_key}, CUZK_INVAL},
        {{.tls_ca = "/nonexistent"}, CUZK_NOT_FOUND},
        {{.tls_ca = p.token}, CUZK_INVAL},
    };
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(c); i++) {
        cuzk_err err = {0};
        cuzk_status st = ask(&g, c[i].o, false, &err);
        if (st != c[i].st)
            fail_msg("case %u: %s, %s", i, cuzk_status_name(st), err.msg);
    }
    finish_guarded(&g);
    remove_files(&p);
}

static cuzk_status make_server(const rpc_tls_files *tls, const char *token, const char *address,
                               cuzk_err *err)
{
    rpc_server_options so = RPC_SERVER_DEFAULTS;
    rpc_server *s = NULL;
    so.tls = *tls;
    so.token_file = token;
    cuzk_status st = cuzk_rpc_server_new(&s, &so, err);
    if (st == CUZK_OK) {
        st = cuzk_rpc_server_listen(s, address, err);
        cuzk_rpc_server_free(s);
    }
    return st;
}

/* What is given must be good: a daemon that starts without its guard would be worse. */
static void test_g15_bad_files(void **state)
{
    (void)state;
    files p;
    char bad[96];
    make_files(&p);
    snprintf(bad, sizeof bad, "%s/bad", p.dir);
    const struct {
        rpc_tls_files tls;
        const char *token; /* content of the token file */
        mode_t mode;
        const char *text;
    } c[] = {
        {{NULL, p.cert, NULL}, NULL, 0, "together"},
        {{NULL, NULL, p.key}, NULL, 0, "together"},
        {{p.cert, NULL, NULL}, NULL, 0, "needs a certificate"},
        {{NULL, p.cert, p.other_key}, NULL, 0, "no certificate and its key"},
        {{NULL, "/nonexistent", p.key}, NULL, 0, "/nonexistent"},
        {{NULL, p.token, p.key}, NULL, 0, "no PEM block"},
        {{NULL, NULL, NULL}, "short\n", 0600, "16 to 512"},
        {{NULL, NULL, NULL}, "", 0600, "16 to 512"},
        {{NULL, NULL, NULL}, "with spaces in the token\n", 0600, "16 to 512"},
        {{NULL, NULL, NULL}, "0123456789abcdef0123456789abcdef", 0644, "others may read"},
    };
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(c); i++) {
        cuzk_err err = {0};
        if (c[i].token)
            write_text(bad, c[i].token, c[i].mode);
        cuzk_status st = make_server(&c[i].tls, c[i].token ? bad : NULL, "127.0.0.1:0", &err);
        if (st == CUZK_OK || !strstr(err.msg, c[i].text))
            fail_msg("case %u: %s, %s", i, cuzk_status_name(st), err.msg);
        if (c[i].token)
            unlink(bad);
    }
    remove_files(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_g15_tls_and_token),
        cmocka_unit_test(test_g15_token_alone),
        cmocka_unit_test(test_g15_client_certificates),
        cmocka_unit_test(test_g15_bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "rpc/credentials.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"

#define PEM_MAX ((size_t)1 << 20)

typedef struct {
    char *ca, *cert, *key;
} pem_texts;

static cuzk_status read_pem(char **out, const char *path, const char *what, cuzk_err *err)
{
    size_t n = 0;
    uint8_t *text = NULL;
    cuzk_status st = path ? cuzk_file_read(&text, &n, path, PEM_MAX, err) : CUZK_OK;
    *out = (char *)text;
    if (st != CUZK_OK)
        return cuzk_err_prefix(err, st, "TLS %s", what);
    if (text && !strstr(*out, "-----BEGIN "))
        return cuzk_fail(err, CUZK_INVAL, 0, "TLS %s: %s holds no PEM block", what, path);
    return CUZK_OK;
}

static void pem_fini(pem_texts *p)
{
    if (p->key)
        cuzk_wipe(p->key, strlen(p->key));
    cuzk_free(p->ca);
    cuzk_free(p->cert);
    cuzk_free(p->key);
}

static cuzk_status pem_read(pem_texts *p, const rpc_tls_files *f, cuzk_err *err)
{
    cuzk_status st;
    if (!f->cert != !f->key)
        return cuzk_fail(err, CUZK_INVAL, 0, "TLS: certificate and key are needed together");
    CUZK_TRY(read_pem(&p->ca, f->ca, "authority", err));
    CUZK_TRY(read_pem(&p->cert, f->cert, "certificate", err));
    CUZK_TRY(read_pem(&p->key, f->key, "key", err));
out:
    return st;
}

cuzk_status cuzk_rpc_server_credentials(grpc_server_credentials **out, const rpc_tls_files *f,
                                        cuzk_err *err)
{
    pem_texts p = {0};
    cuzk_status st = CUZK_OK;
    if (!f->cert && !f->key && !f->ca) {
        *out = grpc_insecure_server_credentials_create();
        return CUZK_OK;
    }
    CUZK_TRY(pem_read(&p, f, err));
    if (!p.cert)
        CUZK_TRY(cuzk_fail(err, CUZK_INVAL, 0, "TLS: an authority needs a certificate and key"));
    grpc_ssl_pem_key_cert_pair pair = {p.key, p.cert};
    *out = grpc_ssl_server_credentials_create_ex(
        p.ca, &pair, 1,
        p.ca ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
             : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE,
        NULL);
    if (!*out)
        st = cuzk_fail(err, CUZK_INVAL, 0, "TLS: %s and %s are not accepted", f->cert, f->key);
out:
    pem_fini(&p);
    return st;
}

cuzk_status cuzk_rpc_channel_credentials(grpc_channel_credentials **out, const rpc_tls_files *f,
                                         cuzk_err *err)
{
    pem_texts p = {0};
    cuzk_status st = CUZK_OK;
    if (!f->ca) {
        if (f->cert || f->key)
            return cuzk_fail(err, CUZK_INVAL, 0, "TLS: whom to believe is not given (ca)");
        *out = grpc_insecure_credentials_create();
        return CUZK_OK;
    }
    CUZK_TRY(pem_read(&p, f, err));
    grpc_ssl_pem_key_cert_pair pair = {p.key, p.cert};
    *out = grpc_ssl_credentials_create_ex(p.ca, p.cert ? &pair : NULL, NULL, NULL);
    if (!*out)
        st = cuzk_fail(err, CUZK_INVAL, 0, "TLS: %s is not accepted", f->ca);
out:
    pem_fini(&p);
    return st;
}

/* ---- token ---- */

static cuzk_status check_mode(const char *path, cuzk_err *err)
{
    struct stat sb;
    if (stat(path, &sb) != 0)
        return cuzk_fail(err, errno == ENOENT ? CUZK_NOT_FOUND : CUZK_IO, errno, "token file %s",
                         path);
    if (sb.st_mode & 0007)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "token file %s: others may read or write it; chmod o=", path);
    return CUZK_OK;
}

cuzk_status cuzk_rpc_read_token(char out[RPC_TOKEN_MAX + 8], const char *path, cuzk_err *err)
{
    static const char scheme[] = "Bearer ";
    uint8_t *text = NULL;
    size_t n = 0, k = 0;
    cuzk_status st;
    CUZK_TRY(check_mode(path, err));
    CUZK_TRY(cuzk_file_read(&text, &n, path, 4096, err));
    while (k < n && text[k] > 0x20 && text[k] < 0x7f)
        k++;
    bool clean = k == n || text[k] == '\n' || text[k] == '\r';
    if (!clean || k < RPC_TOKEN_MIN || k > RPC_TOKEN_MAX)
        CUZK_TRY(cuzk_fail(err, CUZK_INVAL, 0,
                           "token file %s: its first line must hold %u to %u visible ASCII "
                           "characters, as `openssl rand -hex 32` makes them",
                           path, RPC_TOKEN_MIN, RPC_TOKEN_MAX));
    memcpy(out, scheme, sizeof scheme - 1);
    memcpy(out + sizeof scheme - 1, text, k);
    out[sizeof scheme - 1 + k] = '\0';
out:
    if (text)
        cuzk_wipe(text, n);
    cuzk_free(text);
    return st;
}

bool cuzk_rpc_token_equal(const char *expected, const uint8_t *given, size_t n)
{
    size_t m = strlen(expected);
    unsigned differ = m != n;
    for (size_t i = 0; i < n; i++)
        differ |= (unsigned)(given[i] ^ (uint8_t)expected[m ? i % m : 0]);
    return differ == 0;
}

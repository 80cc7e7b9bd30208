/* Thin wrappers around EVP. libcrypto can only fail here for lack of memory or a build without the
 * algorithm; both end the process with a message, since no caller could go on without a digest. */
#include "base/hash.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

struct cuzk_hash {
    EVP_MD_CTX *ctx;
    const EVP_MD *md;
};

static const EVP_MD *md_of(cuzk_hash_kind kind)
{
    switch (kind) {
    case CUZK_HASH_BLAKE2S256:
        return EVP_blake2s256();
    case CUZK_HASH_BLAKE2B512:
        return EVP_blake2b512();
    case CUZK_HASH_SHA256:
        break;
    }
    return EVP_sha256();
}

static void must(int ok, const char *what)
{
    if (ok == 1)
        return;
    fprintf(stderr, "cuzk: libcrypto failed in %s; is it built without BLAKE2 or SHA-2?\n", what);
    _Exit(70);
}

cuzk_hash *cuzk_hash_new(cuzk_hash_kind kind)
{
    cuzk_hash *h = cuzk_malloc(sizeof *h);
    if (!h)
        return NULL;
    h->ctx = EVP_MD_CTX_new();
    h->md = md_of(kind);
    if (!h->ctx) {
        cuzk_free(h);
        return NULL;
    }
    must(EVP_DigestInit_ex(h->ctx, h->md, NULL), "EVP_DigestInit_ex");
    return h;
}

void cuzk_hash_free(cuzk_hash *h)
{
    if (!h)
        return;
    EVP_MD_CTX_free(h->ctx);
    cuzk_free(h);
}

void cuzk_hash_update(cuzk_hash *h, const void *data, size_t n)
{
    must(EVP_DigestUpdate(h->ctx, data, n), "EVP_DigestUpdate");
}

void cuzk_hash_finish(cuzk_hash *h, uint8_t *out)
{
    must(EVP_DigestFinal_ex(h->ctx, out, NULL), "EVP_DigestFinal_ex");
    must(EVP_DigestInit_ex(h->ctx, h->md, NULL), "EVP_DigestInit_ex");
}

void cuzk_sha256(uint8_t out[32], const void *data, size_t n)
{
    must(EVP_Digest(data, n, out, NULL, EVP_sha256(), NULL), "EVP_Digest");
}

void cuzk_blake2b512(uint8_t out[64], const void *data, size_t n)
{
    must(EVP_Digest(data, n, out, NULL, EVP_blake2b512(), NULL), "EVP_Digest");
}

void cuzk_blake2b256_keyed(uint8_t out[32], const void *key, size_t key_bytes, const void *data,
                           size_t n)
{
    size_t size = 32;
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
                            OSSL_PARAM_construct_end()};
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "BLAKE2BMAC", NULL);
    EVP_MAC_CTX *ctx = mac ? EVP_MAC_CTX_new(mac) : NULL;
    must(ctx != NULL, "EVP_MAC_CTX_new");
    must(EVP_MAC_init(ctx, key, key_bytes, params), "EVP_MAC_init");
    must(EVP_MAC_update(ctx, data, n), "EVP_MAC_update");
    must(EVP_MAC_final(ctx, out, &size, 32), "EVP_MAC_final");
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(mac);
}

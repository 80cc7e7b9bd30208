/* SHA-256, BLAKE2s-256 and keyed BLAKE2b through OpenSSL's libcrypto. */
#ifndef CUZK_BASE_HASH_H
#define CUZK_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef enum { CUZK_HASH_SHA256, CUZK_HASH_BLAKE2S256, CUZK_HASH_BLAKE2B512 } cuzk_hash_kind;

#define CUZK_HASH_MAX_BYTES 64u

typedef struct cuzk_hash cuzk_hash;

/* Streaming. new returns NULL only when out of memory. finish writes 32 bytes (64 for BLAKE2B512)
 * and resets the state, so the object can be used again. */
cuzk_hash *cuzk_hash_new(cuzk_hash_kind kind);
void cuzk_hash_free(cuzk_hash *h);
void cuzk_hash_update(cuzk_hash *h, const void *data, size_t n);
void cuzk_hash_finish(cuzk_hash *h, uint8_t *out);

void cuzk_sha256(uint8_t out[32], const void *data, size_t n);
void cuzk_blake2b512(uint8_t out[64], const void *data, size_t n); /* unkeyed */
/* Keyed mode, no salt or personalisation; key_bytes <= 64. */
void cuzk_blake2b256_keyed(uint8_t out[32], const void *key, size_t key_bytes, const void *data,
                           size_t n);

#endif

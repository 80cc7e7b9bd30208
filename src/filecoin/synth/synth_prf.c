#include "filecoin/synth/synth_prf.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "filecoin/bytes.h"

#define MAX_TAG 16

void cuzk_synth_prf(uint8_t out[32], uint64_t seed, const char *tag, unsigned n_args,
                    const uint64_t arg[])
{
    uint8_t text[MAX_TAG + 8 * (SYNTH_PRF_MAX_ARGS + 1)];
    size_t n = strlen(tag);
    CUZK_DASSERT(n <= MAX_TAG && n_args <= SYNTH_PRF_MAX_ARGS);
    memcpy(text, tag, n);
    for (unsigned i = 0; i < n_args; i++, n += 8)
        store_u64_le(text + n, arg[i]);
    if (seed != 0) {
        store_u64_le(text + n, seed);
        n += 8;
    }
    cuzk_sha256(out, text, n);
    out[31] &= 0x3f; /* below 2^254, which is below the modulus */
}

void cuzk_synth_prf_fr(fr *out, uint64_t seed, const char *tag, unsigned n_args,
                       const uint64_t arg[])
{
    uint8_t bytes[32];
    cuzk_synth_prf(bytes, seed, tag, n_args, arg);
    cuzk_fr_from_bytes_mod(out, bytes);
}

void cuzk_synth_node(fr *out, const synth_node_prf *f, unsigned level, uint64_t index)
{
    uint64_t arg[SYNTH_PRF_MAX_ARGS];
    unsigned n = 0;
    if (f->per_sector)
        arg[n++] = f->sector;
    arg[n++] = level;
    arg[n++] = index;
    cuzk_synth_prf_fr(out, f->seed, f->tag, n, arg);
}

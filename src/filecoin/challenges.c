#include "filecoin/challenges.h"

#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "circuit/poseidon.h"
#include "filecoin/bytes.h"
#include "filecoin/chacha.h"

#define MAX_SYNTHETIC ((uint64_t)1 << 18)

void cuzk_prover_id(uint8_t out[32], uint64_t miner_id)
{
    memset(out, 0, 32);
    for (unsigned i = 0;; i++) {
        out[i] = (uint8_t)(miner_id & 0x7f);
        miner_id >>= 7;
        if (miner_id == 0)
            return;
        out[i] |= 0x80;
    }
}

void cuzk_replica_id(uint8_t out[32], const uint8_t prover_id[32], uint64_t sector_number,
                     const uint8_t ticket[32], const uint8_t comm_d[32], const uint8_t porep_id[32])
{
    uint8_t text[4 * 32 + 8];
    memcpy(text, prover_id, 32);
    store_u64_be(text + 32, sector_number);
    memcpy(text + 40, ticket, 32);
    memcpy(text + 72, comm_d, 32);
    memcpy(text + 104, porep_id, 32);
    cuzk_sha256(out, text, sizeof text);
    out[31] &= 0x3f;
}

/* A 256-bit little-endian number to a node in [1, nodes): node 0 is never challenged. */
static uint64_t to_node(const uint8_t h[32], unsigned lg_nodes)
{
    uint64_t m = ((uint64_t)1 << lg_nodes) - 1, rest = 0;
    for (int i = 3; i >= 0; i--)
        rest = (uint64_t)(((cuzk_u128)rest << 64 | load_u64_le(h + 8 * i)) % m);
    return rest + 1;
}

static void interactive(uint8_t h[32], const porep_challenge_input *in, uint32_t j)
{
    uint8_t text[68];
    memcpy(text, in->replica_id, 32);
    memcpy(text + 32, in->seed, 32);
    store_u32_le(text + 64, j);
    cuzk_sha256(h, text, sizeof text);
}

static void non_interactive(uint8_t h[32], const porep_challenge_input *in, uint32_t j)
{
    static const char tag[] = "filecoin.io|PoRep|1|NonInteractive|1";
    uint8_t text[sizeof tag - 1 + 68];
    memcpy(text, tag, sizeof tag - 1);
    memcpy(text + sizeof tag - 1, in->replica_id, 32);
    memcpy(text + sizeof tag - 1 + 32, in->comm_r, 32);
    store_u32_le(text + sizeof tag - 1 + 64, j);
    cuzk_sha256(h, text, sizeof text);
}

/* n bytes (n divides 64) at offset of the key stream that belongs to tag over replica_id and more.
 */
static void synthetic_stream(uint8_t *out, unsigned n, uint64_t at, const char *tag,
                             const porep_challenge_input *in, const uint8_t more[32])
{
    static const uint8_t nonce[12] = "synth-porep";
    uint8_t key[32], text[64], block[64];
    memcpy(text, in->replica_id, 32);
    memcpy(text + 32, more, 32);
    cuzk_blake2b256_keyed(key, tag, strlen(tag), text, sizeof text);
    uint32_t tail[4] = {(uint32_t)(at / 64), load_u32_le(nonce), load_u32_le(nonce + 4),
                        load_u32_le(nonce + 8)};
    cuzk_chacha_block(block, key, tail, 20);
    memcpy(out, block + at % 64, n);
}

uint64_t cuzk_synthetic_candidate(const porep_challenge_input *in, unsigned lg_nodes, uint64_t i)
{
    uint8_t h[32];
    synthetic_stream(h, 32, 32 * i, "filecoin.io|PoRep|1|Synthetic|1|Generation", in, in->comm_r);
    return to_node(h, lg_nodes);
}

uint64_t cuzk_synthetic_selection(const porep_challenge_input *in, uint64_t n_candidates,
                                  uint64_t k)
{
    uint8_t word[4];
    synthetic_stream(word, 4, 4 * k, "filecoin.io|PoRep|1|Synthetic|1|Selection", in, in->seed);
    return load_u32_le(word) % n_candidates;
}

static uint64_t synthetic(const porep_challenge_input *in, uint64_t j)
{
    unsigned lg_nodes = in->type->shape->lg_nodes;
    uint64_t nodes = (uint64_t)1 << lg_nodes, set = nodes < MAX_SYNTHETIC ? nodes : MAX_SYNTHETIC;
    return cuzk_synthetic_candidate(in, lg_nodes, cuzk_synthetic_selection(in, set, j));
}

void cuzk_porep_challenges(uint64_t out[], const porep_challenge_input *in, unsigned partition)
{
    const sector_shape *s = in->type->shape;
    for (uint32_t i = 0; i < s->porep_challenges; i++) {
        uint8_t h[32];
        uint32_t j = partition * s->porep_challenges + i;
        if (in->type->mode == POREP_SYNTHETIC) {
            out[i] = synthetic(in, j);
            continue;
        }
        if (in->type->mode == POREP_NON_INTERACTIVE)
            non_interactive(h, in, j);
        else
            interactive(h, in, j);
        out[i] = to_node(h, s->lg_nodes);
    }
}

uint64_t cuzk_post_challenge(const uint8_t randomness[32], uint64_t sector_id, uint64_t x,
                             unsigned lg_nodes)
{
    uint8_t text[48], digest[32];
    memcpy(text, randomness, 32);
    store_u64_le(text + 32, sector_id);
    store_u64_le(text + 40, x);
    cuzk_sha256(digest, text, sizeof text);
    return load_u64_le(digest) & (((uint64_t)1 << lg_nodes) - 1);
}

uint64_t cuzk_post_challenge_index(const registered_proof *type, uint64_t position, unsigned n)
{
    if (type->kind == CUZK_KIND_WINNING || type->api == API_1_2_0)
        return n;
    return position * WINDOW_CHALLENGES + n;
}

/* n <= 63 bits of a 256-bit number. */
static uint64_t bits_at(const fr_canon *v, unsigned at, unsigned n)
{
    unsigned limb = at / 64, shift = at % 64;
    uint64_t x = v->l[limb] >> shift;
    if (shift + n > 64)
        x |= v->l[limb + 1] << (64 - shift);
    return x & (((uint64_t)1 << n) - 1);
}

void cuzk_update_challenges(uint64_t out[], const sector_shape *s, const fr *comm_r_new,
                            unsigned partition)
{
    unsigned bits = s->lg_nodes - cuzk_lg_ceil(s->update_partitions);
    unsigned per_digest = (FR_BITS - 1) / bits;
    unsigned n_digests = (s->update_challenges + per_digest - 1) / per_digest;
    fr_canon v = {{0}};
    for (unsigned i = 0; i < s->update_challenges; i++) {
        fr in[2] = {*comm_r_new}, digest;
        if (i % per_digest == 0) {
            cuzk_fr_from_u64(&in[1], (uint64_t)partition * n_digests + i / per_digest);
            cuzk_poseidon_hash(&digest, POSEIDON_2_GEN, in);
            cuzk_fr_to_canon(&v, &digest);
        }
        out[i] = bits_at(&v, i % per_digest * bits, bits) | (uint64_t)partition << bits;
    }
}

#include "filecoin/graph.h"

#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "filecoin/bytes.h"
#include "filecoin/chacha.h"

static void tagged_sha256(uint8_t out[32], const char *tag, const uint8_t porep_id[32])
{
    uint8_t text[64];
    size_t n = strlen(tag);
    memcpy(text, tag, n);
    memcpy(text + n, porep_id, 32);
    cuzk_sha256(out, text, n + 32);
}

void cuzk_graph_init(porep_graph *g, unsigned lg_nodes, api_version api, const uint8_t porep_id[32])
{
    uint8_t digest[32];
    g->lg_nodes = lg_nodes;
    g->api = api;
    tagged_sha256(digest, "Filecoin_DRSample", porep_id);
    memcpy(g->drg_seed, digest, sizeof g->drg_seed);
    tagged_sha256(digest, "Filecoin_Feistel", porep_id);
    for (int i = 0; i < 3; i++) /* the fourth word of the digest is not used */
        g->feistel_key[i] = load_u64_le(digest + 8 * i);
}

/* The u64 words of a ChaCha8 stream; ten are needed, so two blocks are enough. */
static void drg_random(uint64_t out[10], const porep_graph *g, uint32_t node)
{
    uint8_t key[32], stream[128];
    memcpy(key, g->drg_seed, 28);
    store_u32_le(key + 28, node);
    for (uint32_t block = 0; block < 2; block++)
        cuzk_chacha_block(stream + 64 * block, key, (uint32_t[4]){block, 0, 0, 0}, 8);
    for (int i = 0; i < 10; i++)
        out[i] = load_u64_le(stream + 8 * i);
}

void cuzk_graph_drg_parents(uint32_t out[DRG_PARENTS], const porep_graph *g, uint32_t node)
{
    if (node < 2) {
        memset(out, 0, DRG_PARENTS * sizeof out[0]);
        return;
    }
    uint64_t random[10], m = (uint64_t)(DRG_PARENTS - 1) * node;
    unsigned buckets = cuzk_lg_ceil(m);
    bool old = g->api == API_1_0_0;
    uint32_t *p = old ? out : out + 1; /* the five sampled ones */
    out[old ? DRG_PARENTS - 1 : 0] = node - 1;
    drg_random(random, g, node);
    for (int t = 0; t < DRG_PARENTS - 1; t++) {
        uint64_t high = (uint64_t)1 << (random[2 * t] % buckets + 1);
        high = high < m ? high : m;
        uint64_t low = high >> 1 > 2 ? high >> 1 : 2;
        uint64_t distance = low + random[2 * t + 1] % (high - low + 1);
        p[t] = (uint32_t)((m - distance) / (DRG_PARENTS - 1));
        if (p[t] == node)
            p[t] = node - 1;
    }
}

static uint64_t feistel_round(uint64_t x, uint64_t key)
{
    uint8_t text[16], digest[64];
    store_u64_be(text, x);
    store_u64_be(text + 8, key);
    cuzk_blake2b512(digest, text, sizeof text);
    return load_u64_be(digest);
}

/* A permutation of [0, n), n = 8 * nodes: cycle walking over the next power of four. */
static uint64_t permute(const porep_graph *g, uint64_t u)
{
    unsigned lg_n = g->lg_nodes + 3, half = (lg_n + 1) / 2;
    uint64_t mask = ((uint64_t)1 << half) - 1;
    do {
        uint64_t left = u >> half & mask, right = u & mask;
        for (int k = 0; k < 3; k++) {
            uint64_t next = left ^ (feistel_round(right, g->feistel_key[k]) & mask);
            left = right;
            right = next;
        }
        u = left << half | right;
    } while (u >> lg_n != 0);
    return u;
}

void cuzk_graph_exp_parents(uint32_t out[EXP_PARENTS], const porep_graph *g, uint32_t node)
{
    for (unsigned i = 0; i < EXP_PARENTS; i++) {
        uint64_t u = permute(g, (uint64_t)EXP_PARENTS * node + i);
        if (g->api == API_1_0_0)
            u = (uint32_t)u; /* historical truncation, kept for old sectors of 32 and 64 GiB */
        out[i] = (uint32_t)(u / EXP_PARENTS);
    }
}

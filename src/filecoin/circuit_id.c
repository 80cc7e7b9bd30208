/* Names and identifiers: spec formats.md 7.5, checked against 7.6. */
#include "filecoin/circuit_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/hex.h"

static const char *const kind_word[CUZK_KIND_COUNT] = {"porep", "winning", "wpost", "snap"};

bool cuzk_circuit_exists(circuit_id id)
{
    const sector_shape *s = id.shape;
    switch (id.kind) {
    case CUZK_KIND_POREP:
        return s->porep_partitions != 0;
    case CUZK_KIND_WINNING:
    case CUZK_KIND_WINDOW:
        return s->window_sectors != 0;
    case CUZK_KIND_UPDATE:
        return s->update_partitions != 0;
    default:
        return false;
    }
}

static cuzk_status unknown(const char *name, cuzk_err *err)
{
    char sizes[128] = "";
    size_t n = 0;
    for (size_t i = 0; i < cuzk_n_shapes && n < sizeof sizes; i++)
        n += (size_t)snprintf(sizes + n, sizeof sizes - n, " %s", cuzk_shapes[i].name);
    return cuzk_fail(err, CUZK_INVAL, 0,
                     "there is no circuit '%.40s'; names are porep-SIZE, winning-SIZE, wpost-SIZE "
                     "and snap-SIZE with SIZE one of%s (1k and 8k: snap only; 1g: not snap)",
                     name, sizes);
}

cuzk_status cuzk_circuit_id_parse(circuit_id *out, const char *name, cuzk_err *err)
{
    const char *dash = strchr(name, '-');
    for (unsigned k = 0; dash && k < CUZK_KIND_COUNT; k++) {
        size_t n = strlen(kind_word[k]);
        if ((size_t)(dash - name) != n || memcmp(name, kind_word[k], n) != 0)
            continue;
        circuit_id id = {(cuzk_kind)k, cuzk_shape_by_name(dash + 1)};
        if (!id.shape || !cuzk_circuit_exists(id))
            break;
        *out = id;
        return CUZK_OK;
    }
    return unknown(name, err);
}

void cuzk_circuit_id_format(char out[24], circuit_id id)
{
    snprintf(out, 24, "%s-%s", kind_word[id.kind], id.shape->name);
}

/* The text whose SHA-256 is part of the file name. */
static void identifier(char *out, size_t n, circuit_id id, const char *tree)
{
    const sector_shape *s = id.shape;
    uint64_t nodes = (uint64_t)1 << s->lg_nodes;
    bool winning = id.kind == CUZK_KIND_WINNING;
    switch (id.kind) {
    case CUZK_KIND_POREP:
        snprintf(out, n,
                 "layered_drgporep::PublicParams{ graph: stacked_graph::StackedGraph"
                 "{expansion_degree: %d base_graph: drgraph::BucketGraph{size: %" PRIu64
                 "; degree: %d; hasher: poseidon_hasher} }, challenges: LayerChallenges "
                 "{ layers: %u, max_count: %u }, tree: %s }",
                 EXP_PARENTS, nodes, DRG_PARENTS, s->layers, s->porep_challenges, tree);
        break;
    case CUZK_KIND_UPDATE:
        snprintf(out, n, "empty_sector_update::PublicParams{ sector_nodes: %" PRIu64 " }", nodes);
        break;
    default:
        snprintf(out, n,
                 "FallbackPoSt::PublicParams{sector_size: %" PRIu64
                 ", challenge_count: %u, sector_count: %u}",
                 s->sector_bytes, winning ? 1u : WINDOW_CHALLENGES,
                 winning ? (unsigned)WINNING_CHALLENGES : s->window_sectors);
    }
}

void cuzk_circuit_stem(char out[CIRCUIT_STEM_BYTES], circuit_id id)
{
    static const char *const prefix[CUZK_KIND_COUNT] = {
        "stacked-proof-of-replication", "proof-of-spacetime-fallback",
        "proof-of-spacetime-fallback", "empty-sector-update"};
    char tree[64], text[384], hex[65];
    uint8_t digest[32];
    const unsigned *a = id.shape->arity;
    snprintf(tree, sizeof tree, "merkletree-poseidon_hasher-%u-%u-%u", a[0], a[1], a[2]);
    identifier(text, sizeof text, id, tree);
    cuzk_sha256(digest, text, strlen(text));
    cuzk_hex_encode(hex, digest, 32);
    snprintf(out, CIRCUIT_STEM_BYTES, "v28-%s-%s%s-%s", prefix[id.kind], tree,
             id.kind == CUZK_KIND_POREP ? "-sha256_hasher" : "", hex);
}

size_t cuzk_circuit_n_inputs(circuit_id id)
{
    switch (id.kind) {
    case CUZK_KIND_POREP: /* per challenge: tree D, 14 parents, number, tree R, tree C */
        return 3 + (size_t)(COLUMN_PARENTS + 4) * id.shape->porep_challenges;
    case CUZK_KIND_WINNING:
        return 2 * (size_t)WINNING_CHALLENGES;
    case CUZK_KIND_WINDOW:
        return (size_t)(1 + WINDOW_CHALLENGES) * id.shape->window_sectors;
    default:
        return 4;
    }
}

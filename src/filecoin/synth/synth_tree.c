#include "filecoin/synth/synth_tree.h"

#include <string.h>

#include "base/mem.h"
#include "circuit/poseidon.h"
#include "filecoin/vanilla_check.h"

#define MAX_ARITY 8
#define MIN_CHUNK 16 /* nodes a task hashes: a Poseidon node takes about 10 us */

void cuzk_synth_hash_poseidon(fr *out, const fr child[], unsigned arity)
{
    cuzk_poseidon_hash(out, cuzk_poseidon_kind_of_arity(arity), child);
}

void cuzk_synth_hash_tree_d(fr *out, const fr child[], unsigned arity)
{
    CUZK_DASSERT(arity == 2);
    (void)arity;
    cuzk_tree_d_node(out, &child[0], &child[1]);
}

void cuzk_synth_path(merkle_proof *p, fr sibling[SYNTH_MAX_SIBLINGS], const synth_tree *t,
                     uint64_t leaf)
{
    uint64_t own = leaf;
    p->n_levels = t->n_levels;
    p->root = t->root;
    p->sibling = sibling;
    t->node(&p->leaf, t, 0, leaf);
    for (unsigned l = 0; l < t->n_levels; l++) {
        unsigned arity = t->arity[l];
        uint64_t first = own - own % arity;
        p->arity[l] = t->arity[l];
        p->index[l] = (uint8_t)(own % arity);
        for (unsigned j = 0; j < arity; j++) {
            if (first + j != own)
                t->node(sibling++, t, l, first + j);
        }
        own /= arity;
    }
}

/* ---- sparse ---- */

size_t cuzk_synth_find(const uint64_t index[], size_t n, uint64_t wanted)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void sparse_node(fr *out, const synth_tree *tree, unsigned level, uint64_t index)
{
    const synth_sparse_tree *t = (const synth_sparse_tree *)tree;
    size_t k = cuzk_synth_find(t->index[level], t->n[level], index);
    if (k < t->n[level] && t->index[level][k] == index)
        *out = t->value[level][k];
    else
        cuzk_synth_node(out, &t->off_path, level, index);
}

typedef struct {
    synth_sparse_tree *tree;
    unsigned level; /* of the nodes to compute, >= 1 */
} sparse_row;

static void hash_sparse_row(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const sparse_row *row = ctx;
    synth_sparse_tree *t = row->tree;
    unsigned below = row->level - 1, arity = t->tree.arity[below];
    fr child[MAX_ARITY];
    (void)worker;
    for (size_t k = begin; k < end; k++) {
        uint64_t first = t->index[row->level][k] * arity;
        for (unsigned j = 0; j < arity; j++)
            sparse_node(&child[j], &t->tree, below, first + j);
        cuzk_synth_hash_poseidon(&t->value[row->level][k], child, arity);
    }
}

/* The distinct parents of the nodes one level below. */
static void find_parents(synth_sparse_tree *t, unsigned level)
{
    unsigned below = level - 1;
    size_t n = 0;
    for (size_t k = 0; k < t->n[below]; k++) {
        uint64_t parent = t->index[below][k] / t->tree.arity[below];
        if (n == 0 || t->index[level][n - 1] != parent)
            t->index[level][n++] = parent;
    }
    t->n[level] = n;
}

cuzk_status cuzk_synth_sparse_build(synth_sparse_tree *t, const sector_shape *shape,
                                    const synth_node_prf *off_path, const uint64_t index[],
                                    const fr leaf[], size_t n, cuzk_pool *pool, cuzk_err *err)
{
    memset(t, 0, sizeof *t);
    t->off_path = *off_path;
    t->tree.node = sparse_node;
    t->tree.n_levels = cuzk_shape_tree_arities(shape, t->tree.arity);
    size_t n_nodes = n * (t->tree.n_levels + 1);
    uint64_t *indices = CUZK_NEW_ARRAY(uint64_t, n_nodes);
    fr *values = CUZK_NEW_ARRAY(fr, n_nodes);
    t->owned_index = indices;
    t->owned_value = values;
    if (!indices || !values) {
        cuzk_synth_sparse_fini(t);
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for a tree of %zu nodes", n_nodes);
    }
    for (unsigned l = 0; l <= t->tree.n_levels; l++) {
        t->index[l] = indices + l * n;
        t->value[l] = values + l * n;
    }
    t->n[0] = n;
    memcpy(t->index[0], index, n * sizeof index[0]);
    memcpy(t->value[0], leaf, n * sizeof leaf[0]);
    for (unsigned l = 1; l <= t->tree.n_levels; l++) {
        sparse_row row = {t, l};
        find_parents(t, l);
        cuzk_pool_for(pool, t->n[l], MIN_CHUNK, hash_sparse_row, &row);
    }
    t->tree.root = t->value[t->tree.n_levels][0];
    return CUZK_OK;
}

void cuzk_synth_sparse_fini(synth_sparse_tree *t)
{
    cuzk_free(t->owned_value);
    cuzk_free(t->owned_index);
    memset(t, 0, sizeof *t);
}

/* ---- piecewise ---- */

static const fr *piece_value(const synth_pieces *p, uint64_t index)
{
    uint64_t region = index / p->width, position = index % p->width;
    return &p->value[region * p->period + position % p->period];
}

static void piecewise_node(fr *out, const synth_tree *tree, unsigned level, uint64_t index)
{
    const synth_piecewise_tree *t = (const synth_piecewise_tree *)tree;
    *out = *piece_value(&t->level[level], index);
}

typedef struct {
    const synth_pieces *below;
    const synth_pieces *row;
    synth_hash_fn hash;
    unsigned arity;
} piece_row;

/* Tasks run over the distinct values of the row, regions one after another. */
static void hash_piece_row(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const piece_row *r = ctx;
    fr child[MAX_ARITY];
    (void)worker;
    for (size_t k = begin; k < end; k++) {
        uint64_t region = k / r->row->period, position = k % r->row->period;
        uint64_t node = region * r->row->width + position;
        for (unsigned j = 0; j < r->arity; j++)
            child[j] = *piece_value(r->below, node * r->arity + j);
        r->hash(&r->row->value[k], child, r->arity);
    }
}

/* Regions stay apart as long as no node spans two of them; from there on the row is one region with
 * all of its nodes. */
static void next_pieces(synth_pieces *row, const synth_pieces *below, unsigned arity)
{
    *row = *below;
    if (below->width % arity != 0) {
        row->width = below->n_regions * below->width;
        row->period = row->width;
        row->n_regions = 1;
    }
    row->width /= arity;
    row->period = row->period < arity ? 1 : row->period / arity;
}

static cuzk_status new_pieces(synth_pieces *p, cuzk_err *err)
{
    p->value = CUZK_NEW_ARRAY(fr, p->n_regions * p->period);
    if (!p->value)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for a row of %llu tree nodes",
                         (unsigned long long)(p->n_regions * p->period));
    return CUZK_OK;
}

cuzk_status cuzk_synth_piecewise_build(synth_piecewise_tree *t, const uint8_t arity[],
                                       unsigned n_levels, synth_hash_fn hash, unsigned lg_nodes,
                                       uint64_t n_regions, uint64_t period, const fr leaf[],
                                       cuzk_pool *pool, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    memset(t, 0, sizeof *t);
    t->tree.node = piecewise_node;
    t->tree.n_levels = n_levels;
    memcpy(t->tree.arity, arity, n_levels);
    t->hash = hash;
    t->level[0] = (synth_pieces){n_regions, ((uint64_t)1 << lg_nodes) / n_regions, period, NULL};
    CUZK_TRY(new_pieces(&t->level[0], err));
    memcpy(t->level[0].value, leaf, n_regions * period * sizeof leaf[0]);
    for (unsigned l = 1; l <= n_levels; l++) {
        piece_row row = {&t->level[l - 1], &t->level[l], hash, arity[l - 1]};
        next_pieces(&t->level[l], &t->level[l - 1], arity[l - 1]);
        t->level[l].value = NULL; /* not the lower row's: fini frees each once */
        CUZK_TRY(new_pieces(&t->level[l], err));
        cuzk_pool_for(pool, t->level[l].n_regions * t->level[l].period, MIN_CHUNK, hash_piece_row,
                      &row);
    }
    t->tree.root = t->level[n_levels].value[0];
out:
    if (st != CUZK_OK)
        cuzk_synth_piecewise_fini(t);
    return st;
}

void cuzk_synth_piecewise_fini(synth_piecewise_tree *t)
{
    for (unsigned l = 0; l < MAX_TREE_LEVELS; l++)
        cuzk_free(t->level[l].value);
    memset(t, 0, sizeof *t);
}

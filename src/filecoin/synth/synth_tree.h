/* Merkle trees of full size that fit into little memory (spec circuits.md 9.2, 9.5).
 *
 * A sparse tree holds the nodes on the paths of a few leaves; all others are pseudo-random,
 * which nothing can tell from roots of real subtrees. A piecewise tree knows every leaf: it is
 * cut into equal regions and in each the leaves repeat with a short period. Both answer for any
 * node on a path, and after building they are read-only, so threads may share them.
 */
#ifndef CUZK_FILECOIN_SYNTH_TREE_H
#define CUZK_FILECOIN_SYNTH_TREE_H

#include "base/error.h"
#include "base/pool.h"
#include "filecoin/synth/synth_prf.h"
#include "filecoin/vanilla.h"

typedef struct synth_tree synth_tree;
struct synth_tree {
    unsigned n_levels; /* of hashing; level 0 is the leaves */
    uint8_t arity[MAX_TREE_LEVELS];
    fr root;
    void (*node)(fr *out, const synth_tree *t, unsigned level, uint64_t index);
};

/* 10 levels of 7 and one of 1 are the most that any shape has. */
#define SYNTH_MAX_SIBLINGS 72

/* The proof of one leaf, with leaf and root; its siblings are kept in sibling[]. In a sparse
 * tree: one of the leaves it was built for. */
void cuzk_synth_path(merkle_proof *p, fr sibling[SYNTH_MAX_SIBLINGS], const synth_tree *t,
                     uint64_t leaf);

/* Hash of a node's children. */
typedef void (*synth_hash_fn)(fr *out, const fr child[], unsigned arity);
void cuzk_synth_hash_poseidon(fr *out, const fr child[], unsigned arity);
void cuzk_synth_hash_tree_d(fr *out, const fr child[], unsigned arity); /* arity 2 */

/* Position of the first element >= wanted of an ascending list; n when there is none. */
size_t cuzk_synth_find(const uint64_t index[], size_t n, uint64_t wanted);

typedef struct {
    synth_tree tree; /* first: node() casts */
    synth_node_prf off_path;
    size_t n[MAX_TREE_LEVELS]; /* nodes held on each level */
    uint64_t *index[MAX_TREE_LEVELS]; /* ascending */
    fr *value[MAX_TREE_LEVELS];
    void *owned_index, *owned_value;
} synth_sparse_tree;

/* Poseidon tree of the shape over the n leaves leaf[i] at index[i], ascending and distinct. pool
 * may be NULL. On failure nothing is held. */
cuzk_status cuzk_synth_sparse_build(synth_sparse_tree *t, const sector_shape *shape,
                                    const synth_node_prf *off_path, const uint64_t index[],
                                    const fr leaf[], size_t n, cuzk_pool *pool, cuzk_err *err);
void cuzk_synth_sparse_fini(synth_sparse_tree *t);

typedef struct {
    uint64_t n_regions;
    uint64_t width; /* nodes of a region on this level */
    uint64_t period; /* of its values; divides width */
    fr *value;      /* n_regions * period */
} synth_pieces;

typedef struct {
    synth_tree tree; /* first: node() casts */
    synth_hash_fn hash;
    synth_pieces level[MAX_TREE_LEVELS];
} synth_piecewise_tree;

/* lg_nodes leaves in n_regions regions; leaf: n_regions * period values, copied. period and the
 * region's width are powers of two. */
cuzk_status cuzk_synth_piecewise_build(synth_piecewise_tree *t, const uint8_t arity[],
                                       unsigned n_levels, synth_hash_fn hash, unsigned lg_nodes,
                                       uint64_t n_regions, uint64_t period, const fr leaf[],
                                       cuzk_pool *pool, cuzk_err *err);
void cuzk_synth_piecewise_fini(synth_piecewise_tree *t);

#endif

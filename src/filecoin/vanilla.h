/* Vanilla proofs after parsing: what readers fill, checks read and circuits consume.
 *
 * Every field element is canonical on the wire and held in Montgomery form here. All arrays live in
 * the arena of the request that owns the proof. Field order and meaning: spec formats.md sections
 * 5.2, 6.3, 6.6; shapes are checked against shape.h by the reader, so consumers index freely.
 */
#ifndef CUZK_FILECOIN_VANILLA_H
#define CUZK_FILECOIN_VANILLA_H

#include "field/fr.h"
#include "filecoin/shape.h"

typedef struct {
    fr leaf, root; /* as stored in the proof */
    unsigned n_levels;
    uint8_t arity[MAX_TREE_LEVELS]; /* leaf side first: base levels, sub, top */
    uint8_t index[MAX_TREE_LEVELS]; /* position of the own node, < arity */
    const fr *sibling;              /* arity - 1 per level, levels one after another */
} merkle_proof;

typedef struct {
    uint32_t index;         /* node number as stored; nothing may rely on it */
    const fr *rows;         /* one per layer, layer 1 first */
    merkle_proof inclusion; /* tree C */
} column_proof;

typedef struct {
    const fr *parents; /* LABEL_PARENTS */
    uint32_t layer_index;
    uint64_t node;
} labeling_proof;

typedef struct {
    merkle_proof comm_d, comm_r_last;
    column_proof c_x, drg[DRG_PARENTS], exp[EXP_PARENTS];
    labeling_proof *labeling; /* one per layer */
    labeling_proof encoding;
} porep_proof;

typedef struct {
    size_t n_proofs; /* challenges of the partition */
    porep_proof *proof;
} porep_partition;

/* FallbackPoSt: one sector with its inclusion proofs in tree R. */
typedef struct {
    uint64_t sector_id;
    fr comm_r, comm_c, comm_r_last;
    size_t n_proofs; /* 10 Window, 66 Winning */
    merkle_proof *proof;
} post_sector;

typedef struct {
    merkle_proof r_old, d_new, r_new;
} update_challenge;

typedef struct {
    fr comm_c;
    size_t n_apex_leaves, n_challenges;
    fr *apex_leaf;
    update_challenge *challenge;
} update_partition;

/* The node number that the path indices spell, low digits first. */
uint64_t cuzk_merkle_proof_index(const merkle_proof *p);

#endif

/* The one table of sector shapes and everything that a size decides (spec circuits.md section 1).
 *
 * Nothing about a size is written anywhere else.
 */
#ifndef CUZK_FILECOIN_SHAPE_H
#define CUZK_FILECOIN_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DRG_PARENTS        6
#define EXP_PARENTS        8
#define COLUMN_PARENTS     (DRG_PARENTS + EXP_PARENTS)
#define LABEL_PARENTS      37
#define MAX_LAYERS         11
#define MAX_TREE_LEVELS    32 /* binary tree D of 64 GiB has 31 */
#define MAX_CHALLENGES     18 /* of one PoRep partition */
#define NODE_BYTES         32
#define WINNING_CHALLENGES 66
#define WINDOW_CHALLENGES  10

typedef enum {
    CUZK_KIND_POREP,
    CUZK_KIND_WINNING,
    CUZK_KIND_WINDOW,
    CUZK_KIND_UPDATE,
    CUZK_KIND_COUNT
} cuzk_kind;

typedef struct {
    const char *name;      /* "2k", "32g": used in circuit ids */
    const char *rust_name; /* "2KiB", "32GiB": used in registered-proof names */
    uint64_t sector_bytes;
    unsigned lg_nodes;
    unsigned arity[3];    /* base, sub, top; 0 = level absent */
    unsigned base_levels; /* levels of one base tree */
    unsigned layers;
    bool registered; /* one of the five sizes with registered proofs and published parameters */
    unsigned porep_partitions, porep_challenges;   /* interactive and synthetic; 0 = no PoRep */
    unsigned porep_ni_partitions;                  /* non-interactive; same challenges */
    unsigned window_sectors;                       /* a partition; 0 = no PoSt */
    unsigned update_partitions, update_challenges; /* challenges a partition; 0 = no update */
    unsigned update_apex_leaves;                   /* a partition */
    unsigned update_h[6];
    unsigned update_h_select; /* index into update_h of the one in use */
} sector_shape;

extern const sector_shape cuzk_shapes[];
extern const size_t cuzk_n_shapes;

const sector_shape *cuzk_shape_by_bytes(uint64_t sector_bytes); /* NULL when unknown */
const sector_shape *cuzk_shape_by_name(const char *name);       /* "2k"; NULL when unknown */

/* Levels of a tree-C or tree-R path, leaf side first: base levels, then sub, then top. Writes the
 * arity of each level to arity[] (MAX_TREE_LEVELS) and returns how many there are. */
unsigned cuzk_shape_tree_arities(const sector_shape *s, uint8_t arity[]);

#endif

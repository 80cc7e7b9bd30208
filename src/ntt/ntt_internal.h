/* Inside of the transform, shared by ntt.c, ntt_tile.c and quotient.c.
 *
 * The polynomial view: a vector of n coefficients is a residue mod X^n - 1. One level splits every
 * block, a residue mod X^(2h) - W^2, into residues mod X^h - W and X^h + W:
 *     split  (a, b) -> (a + bW, a - bW)           natural order in, bit-reversed out
 *     merge  (a, b) -> (a + b, (a - b) W)         its mirror image, bit-reversed in, natural out
 * so all butterflies of a block share one W. Block t of level d (2^d blocks) has
 *     W = root[t] = exp(2 pi i brv_d(t) / 2^(d+1)),
 * which does not depend on n: one table, read front to back, serves all levels and all sizes.
 *
 * The inverse direction needs 1/W. For t with top bit 2^(d-1), brv_d(t) is odd, and its negative
 * mod 2^d has all bits but the lowest flipped; hence 1/root[t] = -root[t ^ (2^(d-1) - 1)].
 */
#ifndef CUZK_NTT_NTT_INTERNAL_H
#define CUZK_NTT_NTT_INTERNAL_H

#include "ntt/ntt.h"

/* A tile is what one task works on at a time: 2^10 elements, 32 KiB, so that it stays in L1. */
#define NTT_LG_TILE 10
/* Levels of a strided pass. 2^7 rows leave 8 columns, 256 contiguous bytes a row. */
#define NTT_LG_STRIDED 7

struct ntt_plan {
    unsigned lg_n;
    size_t n;
    bool simd; /* eight lanes at a time (ntt_ifma.c); then root[] is in the SIMD radix */
    fr n_inv;
    fr *root; /* max(n/2, 1) entries */
};

/* cuzk_ntt_plan_new with the choice made by the caller, for tests that compare the paths. simd is
 * ignored where it is not possible: below 2^NTT_LG_TILE, or without the instructions. */
cuzk_status cuzk_ntt_plan_new_on(ntt_plan **out, unsigned lg_n, bool simd, cuzk_pool *pool,
                                 cuzk_err *err);

/* ---- portable tiles ---- */

/* Several levels on one tile: 2^lg_rows rows of n_cols elements, row-major, in place. The rows are
 * one block of the level where the tile begins (for merge: ends), with index block. */
typedef struct {
    const fr *root;
    bool inverse;
} ntt_dir;
void cuzk_ntt_tile_split(const ntt_dir *dir, fr x[], unsigned lg_rows, size_t n_cols, size_t block);
void cuzk_ntt_tile_merge(const ntt_dir *dir, fr x[], unsigned lg_rows, size_t n_cols, size_t block);

/* ---- passes ---- */

/* Levels [level, level + lg_rows) of a transform. A block of the first of them is a matrix of
 * 2^lg_rows rows and 2^lg_stride columns, of which a tile takes 2^lg_cols. */
typedef struct {
    fr *x;
    ntt_dir dir;
    unsigned level, lg_rows, lg_stride, lg_cols;
    bool merge;
    bool last;       /* simd: leaves canonical values; earlier passes leave values below 2^256 */
    const fr *scale; /* simd, last: NULL, or a factor (in the SIMD radix) for every value */
} ntt_pass;

/* ntt_ifma.c: one tile of a pass, read from and written to x. Only when cuzk_cpu_active() says so.
 */
void cuzk_ntt_ifma_strided(const ntt_pass *p, size_t index);
void cuzk_ntt_ifma_contiguous(const ntt_pass *p, size_t index); /* lg_rows == NTT_LG_TILE */
/* out[i] = step * in[i], i < n, n a multiple of eight; step and in[] in the SIMD radix. */
void cuzk_ntt_ifma_scale(fr out[], const fr in[], size_t n, const fr *step);

/* First row and column of a strided tile. */
CUZK_INLINE fr *ntt_tile_origin(const ntt_pass *p, size_t index, size_t *block)
{
    unsigned lg_tiles = p->lg_stride - p->lg_cols; /* tiles of a block */
    *block = index >> lg_tiles;
    size_t column = (index & (((size_t)1 << lg_tiles) - 1)) << p->lg_cols;
    return p->x + (*block << (p->lg_rows + p->lg_stride)) + column;
}

/* Index of the table entry whose negative is 1/root[t]; t >= 1. */
CUZK_INLINE size_t ntt_mirror(size_t t)
{
    return t ^ (((size_t)1 << (63 - cuzk_clz64(t))) - 1);
}

/* Like the functions of ntt.h without the factor 1/n. */
void cuzk_ntt_inverse_nr_unscaled(const ntt_plan *plan, fr x[], cuzk_pool *pool);

#endif

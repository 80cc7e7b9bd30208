/* Butterflies on a tile that fits in L1: the portable reference. */
#include "ntt/ntt_internal.h"

/* W of block t: root[t], or 1/root[t] = -root[mirror] for the inverse direction. */
static void twiddle(fr *w, const ntt_dir *dir, size_t t)
{
    if (dir->inverse && t > 0)
        fr_neg(w, &dir->root[ntt_mirror(t)]);
    else
        *w = dir->root[t];
}

static void split_block(fr *a, fr *b, size_t n, const fr *w)
{
    for (size_t i = 0; i < n; i++) {
        fr t;
        fr_mul(&t, &b[i], w);
        fr_sub(&b[i], &a[i], &t);
        fr_add(&a[i], &a[i], &t);
    }
}

static void merge_block(fr *a, fr *b, size_t n, const fr *w)
{
    for (size_t i = 0; i < n; i++) {
        fr t;
        fr_sub(&t, &a[i], &b[i]);
        fr_add(&a[i], &a[i], &b[i]);
        fr_mul(&b[i], &t, w);
    }
}

void cuzk_ntt_tile_split(const ntt_dir *dir, fr x[], unsigned lg_rows, size_t n_cols, size_t block)
{
    for (unsigned level = 0; level < lg_rows; level++) {
        size_t half = (n_cols << lg_rows) >> (level + 1);
        for (size_t i = 0; i < (size_t)1 << level; i++) {
            fr w;
            twiddle(&w, dir, (block << level) + i);
            split_block(x + 2 * i * half, x + (2 * i + 1) * half, half, &w);
        }
    }
}

void cuzk_ntt_tile_merge(const ntt_dir *dir, fr x[], unsigned lg_rows, size_t n_cols, size_t block)
{
    for (unsigned level = lg_rows; level-- > 0;) {
        size_t half = (n_cols << lg_rows) >> (level + 1);
        for (size_t i = 0; i < (size_t)1 << level; i++) {
            fr w;
            twiddle(&w, dir, (block << level) + i);
            merge_block(x + 2 * i * half, x + (2 * i + 1) * half, half, &w);
        }
    }
}

/* Twiddles for eight lanes, shared by ntt_ifma.c and quotient_ifma.c. */
#ifndef CUZK_NTT_NTT_IFMA_H
#define CUZK_NTT_NTT_IFMA_H

#include "field/simd.h"

#if CUZK_HAVE_IFMA

#include "ntt/ntt_internal.h"

#define NTT_LANES 8u

/* W of block t in the SIMD radix; for the inverse direction -1/W. */
static inline fr twiddle_at(const ntt_dir *dir, size_t t)
{
    fr w = dir->root[0];
    if (!dir->inverse)
        return dir->root[t];
    if (t > 0)
        return dir->root[ntt_mirror(t)];
    fr_neg(&w, &w);
    return w;
}

/* The same for all lanes. */
IFMA_INLINE void twiddle(fr8 *w, const ntt_dir *dir, size_t t)
{
    fr one = twiddle_at(dir, t);
    fr8_broadcast(w, &one);
}

/* Lane i: t + i * stride; t is below stride modulo 8 * stride. */
CUZK_TARGET_IFMA static inline void twiddles(fr8 *w, const ntt_dir *dir, size_t t, size_t stride)
{
    const __m512i backwards = _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    if (!dir->inverse) {
        fr8_load_stride(w, &dir->root[t], stride);
        return;
    }
    if (t < NTT_LANES * stride) { /* the top bit differs between lanes */
        fr some[NTT_LANES];
        for (size_t i = 0; i < NTT_LANES; i++)
            some[i] = twiddle_at(dir, t + i * stride);
        fr8_load(w, some);
        return;
    }
    fr8_load_stride(w, &dir->root[ntt_mirror(t + (NTT_LANES - 1) * stride)], stride);
    for (int i = 0; i < 5; i++)
        w->l[i] = _mm512_permutexvar_epi64(backwards, w->l[i]);
}

#endif
#endif

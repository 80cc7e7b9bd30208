/* Schedule of a multi-scalar multiplication: pure functions of the number of points, so that the
 * work is cut in the same way whatever the number of threads.
 *
 * A scalar k is replaced by min(k, r - k) (the point is negated for the latter) and written with
 * signed digits of c bits; digit d of window w puts the point, with d's sign, in bucket |d|.
 * Buckets of a group of windows are numbered through: key = window * 2^(c-1) + |d| - 1.
 * Keys are cut in segments of equal size, the sorted entries of a segment in pieces of bounded
 * length: a piece is what one task reduces inside its L2 cache.
 */
#ifndef CUZK_MSM_MSM_PLAN_H
#define CUZK_MSM_MSM_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "field/fr.h"

#define MSM_MIN_WINDOW  2u
#define MSM_MAX_WINDOW  20u
#define MSM_MAX_WINDOWS 128u /* ceil(255 / MSM_MIN_WINDOW) */

/* A reference to a point: an index below 2^31 and, in the top bit, "take the negative". */
#define MSM_REF_NEG   0x80000000u
#define MSM_REF_INDEX 0x7fffffffu

/* Points of a range, log2: an entry is 32 bits, of which the key within the segment and a sign take
 * 12. */
#define MSM_RANGE_LG 20u

/* Entries a piece may have, and keys a segment may have: together they bound a task's scratch. */
#define MSM_PIECE    16384u
#define MSM_SEG_KEYS 2048u
_Static_assert(MSM_SEG_KEYS <= 1u << (31 - MSM_RANGE_LG), "a key fits between point and sign");

typedef struct {
    unsigned c, n_windows;
    unsigned group;  /* windows sorted and summed at a time */
    unsigned lg_top; /* digits of the top window are at most 2^lg_top */
    unsigned lg_seg; /* keys a segment: 2^lg_seg <= MSM_SEG_KEYS */
    size_t range;    /* points that one sorting task reads */
    size_t n_ranges;
} msm_plan;

/* For n >= 1 points. */
void cuzk_msm_plan_make(msm_plan *plan, size_t n);

/* Test and benchmark hook: a window to use instead of the table's (0: the table's). Not for use
 * while sums are running. */
extern unsigned cuzk_msm_forced_window;

/* A scalar prepared for digit extraction. */
typedef struct {
    uint64_t l[5]; /* l[4] == 0, so that a digit may straddle the top limb */
    uint32_t neg;  /* MSM_REF_NEG when the point is to be negated, else 0 */
} msm_digits;

/* Constant that makes all digits but the top one signed: see msm_plan.c. */
void cuzk_msm_bias(uint64_t bias[4], unsigned c, unsigned n_windows);

/* d <- k, an integer < r. Branch-free: half of all scalars are replaced by r - k, which no branch
 * predictor guesses. */
CUZK_INLINE void msm_recode(msm_digits *d, const fr_canon *k, const uint64_t bias[4])
{
    uint64_t m[4], borrow = 0, flip = 0, carry = 0;
    for (int i = 0; i < 4; i++)
        m[i] = limb_sbb(cuzk_fr_modulus[i], k->l[i], &borrow);
    for (int i = 0; i < 4; i++)
        (void)limb_sbb(m[i], k->l[i], &flip);
    for (int i = 0; i < 4; i++)
        d->l[i] = limb_adc(k->l[i] ^ ((k->l[i] ^ m[i]) & (0 - flip)), bias[i], &carry);
    d->l[4] = 0;
    d->neg = (uint32_t)flip << 31;
}

/* The same for callers outside of inner loops. */
void cuzk_msm_recode(msm_digits *d, const fr_canon *k, const uint64_t bias[4]);

/* Digit of window w, in [-2^(c-1), 2^(c-1)]. */
CUZK_INLINE int32_t msm_digit(const msm_digits *d, unsigned c, unsigned n_windows, unsigned w)
{
    unsigned bit = c * w, limb = bit / 64, shift = bit % 64;
    uint64_t v = d->l[limb] >> shift | d->l[limb + 1] << 1 << (63 - shift);
    int32_t raw = (int32_t)(v & (((uint64_t)1 << c) - 1));
    return w + 1 == n_windows ? raw : raw - (1 << (c - 1));
}

#endif

/* Schedule and digits of the multi-scalar multiplication (Pippenger's method, signed digits).
 *
 * Digits: with b = 2^(c-1) * (1 + 2^c + ... + 2^(c(W-2))) the windows of k + b, taken as plain
 * integers, are the signed digits of k plus 2^(c-1), except for the top window, which has no bias.
 * So each digit is a shift and a mask, without a carry from window to window.
 * Range: k <= (r-1)/2 < 2^254 and cW >= 255. The top window of k is below 2^(254-c(W-1)) <= 2^(c-1)
 * and the windows below carry at most 1 into it, so the top digit is at most 2^(c-1);
 * b < 2^(c(W-1)) <= 2^254, so k + b < 2^255 fits four limbs.
 */
#include "msm/msm_plan.h"

#include "base/switches.h"

/* Expected entries in a segment: small enough for half of them, as points, to stay in L2. */
#define SEG_ENTRIES 8192u
/* Entries sorted at a time (4 bytes each): bounds the memory of large sums. More at a time means
 * fewer passes over the scalars: 2^22, 2^23, 2^24 make it 1357, 1318, 1276 ns a point (2^22). */
#define GROUP_ENTRIES ((size_t)1 << 24)
/* Buckets at a time: not more than points, or these. Sums of 2^17 points would take 72 MiB of fresh
 * memory otherwise, which costs more than the second pass over the scalars. */
#define BUCKETS_MIN   ((size_t)3 << 14)
#define RANGE_MIN   1024u
#define RANGES      64u /* fewer for few points, more for many */

/* Switch D4 off. */
#define FIXED_WINDOW_BITS 12u

unsigned cuzk_msm_forced_window;

/* Window sizes: the row with the largest min_n <= n. Measured with bench_msm g1 on two Zen 5 cores
 * (eight lanes), 2^4 ... 2^20 points, three or four windows each; docs/msm.md has the figures. Both
 * groups: an addition and the reduction of a bucket cost in the same ratio in G2. */
typedef struct {
    size_t min_n;
    unsigned c;
} window_row;

static const window_row windows[] = {
    {0, 4},      {128, 5},    {200, 6},    {350, 7},     {500, 8},     {1800, 9},     {2800, 10},
    {10000, 11}, {18000, 12}, {34000, 13}, {200000, 15}, {400000, 16}, {4194304, 17},
};

static unsigned window_for(size_t n, const window_row *row, size_t n_rows)
{
    size_t i = n_rows - 1;
    while (row[i].min_n > n)
        i--;
    return row[i].c;
}

static unsigned min_u(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Most keys a segment can have so that about SEG_ENTRIES entries are expected in it. */
static unsigned segment_lg(size_t n, unsigned lg_buckets, unsigned group)
{
    unsigned lg_n = cuzk_lg_ceil(n), lg_entries = cuzk_lg_ceil(SEG_ENTRIES);
    unsigned lg_all = cuzk_lg_ceil((uint64_t)group << lg_buckets);
    unsigned lg = lg_entries + lg_buckets > lg_n ? lg_entries + lg_buckets - lg_n : 0;
    return min_u(min_u(lg, lg_all), cuzk_lg_ceil(MSM_SEG_KEYS));
}

void cuzk_msm_plan_make(msm_plan *plan, size_t n)
{
    unsigned c = cuzk_msm_forced_window;
    if (c == 0)
        c = cuzk_switch_on(CUZK_SWITCH_D4) ? window_for(n, windows, CUZK_ARRAY_LEN(windows))
                                           : FIXED_WINDOW_BITS;
    plan->c = c;
    plan->n_windows = (FR_BITS + c - 1) / c;
    plan->lg_top = FR_BITS - 1 - c * (plan->n_windows - 1);
    size_t at_once = GROUP_ENTRIES / n, buckets = n / 4 > BUCKETS_MIN ? n / 4 : BUCKETS_MIN;
    if (at_once > buckets >> (c - 1))
        at_once = buckets >> (c - 1);
    if (at_once == 0)
        at_once = 1;
    unsigned group = at_once < plan->n_windows ? (unsigned)at_once : plan->n_windows;
    unsigned n_groups = (plan->n_windows + group - 1) / group;
    plan->group = (plan->n_windows + n_groups - 1) / n_groups;
    plan->lg_seg = segment_lg(n, c - 1, plan->group);
    plan->range = (n + RANGES - 1) / RANGES;
    if (plan->range < RANGE_MIN)
        plan->range = RANGE_MIN;
    if (plan->range > (size_t)1 << MSM_RANGE_LG)
        plan->range = (size_t)1 << MSM_RANGE_LG;
    plan->n_ranges = (n + plan->range - 1) / plan->range;
}

void cuzk_msm_bias(uint64_t bias[4], unsigned c, unsigned n_windows)
{
    for (int i = 0; i < 4; i++)
        bias[i] = 0;
    for (unsigned w = 0; w + 1 < n_windows; w++) {
        unsigned bit = c * w + c - 1;
        bias[bit / 64] |= (uint64_t)1 << (bit % 64);
    }
}

void cuzk_msm_recode(msm_digits *d, const fr_canon *k, const uint64_t bias[4])
{
    msm_recode(d, k, bias);
}

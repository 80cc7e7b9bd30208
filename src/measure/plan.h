/* Which runs are made, in which order.
 *
 * A configuration says which of the named switches are on (bit i: switch i). All configurations
 * once, in an order of its own, make a block; blocks follow each other until enough is known. What
 * drifts slowly (temperature, frequency, neighbours) so moves all configurations of a block alike,
 * and its differences stay. The second run with nothing on ("A/A") tells what no difference looks
 * like.
 */
#ifndef CUZK_MEASURE_PLAN_H
#define CUZK_MEASURE_PLAN_H

#include <stdint.h>

#include "base/error.h"

#define PLAN_MAX_SWITCHES 12u
/* none twice, all, one alone and all but one, pairs */
#define PLAN_MAX_CONFIGS                                                                           \
    (3u + 2u * PLAN_MAX_SWITCHES + PLAN_MAX_SWITCHES * (PLAN_MAX_SWITCHES - 1u) / 2u)
/* Up to so many switches, pairs are run as well. With more they are told by "all but one" alone,
 * less surely. */
#define PLAN_MAX_WITH_PAIRS 6u

typedef struct {
    unsigned n_switches, n_configs;
    uint32_t mask[PLAN_MAX_CONFIGS]; /* [0] and [1]: 0, the baseline and its twin; [2]: all */
    uint64_t seed;
} measure_plan;

/* CUZK_INVAL: not 1 to PLAN_MAX_SWITCHES switches. */
cuzk_status cuzk_plan_make(measure_plan *p, unsigned n_switches, uint64_t seed, cuzk_err *err);
/* The order of a block: configurations by index. Depends on seed and block alone. */
void cuzk_plan_block(const measure_plan *p, uint64_t block, uint16_t order[]);

#endif

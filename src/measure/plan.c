#include "measure/plan.h"

#include "measure/stats.h"

static void add(measure_plan *p, uint32_t mask)
{
    for (unsigned i = 0; i < p->n_configs; i++) {
        if (p->mask[i] == mask)
            return;
    }
    p->mask[p->n_configs++] = mask;
}

static void add_pairs(measure_plan *p)
{
    for (unsigned i = 0; i < p->n_switches; i++) {
        for (unsigned k = i + 1; k < p->n_switches; k++)
            add(p, UINT32_C(1) << i | UINT32_C(1) << k);
    }
}

cuzk_status cuzk_plan_make(measure_plan *p, unsigned n_switches, uint64_t seed, cuzk_err *err)
{
    if (n_switches == 0 || n_switches > PLAN_MAX_SWITCHES)
        return cuzk_fail(err, CUZK_INVAL, 0, "%u switches: 1 to %u can be told apart", n_switches,
                         PLAN_MAX_SWITCHES);
    *p = (measure_plan){.n_switches = n_switches, .n_configs = 2, .seed = seed};
    uint32_t all = (UINT32_C(1) << n_switches) - 1;
    add(p, all);
    for (unsigned i = 0; i < n_switches; i++)
        add(p, UINT32_C(1) << i);
    for (unsigned i = 0; i < n_switches; i++)
        add(p, all & ~(UINT32_C(1) << i));
    if (n_switches <= PLAN_MAX_WITH_PAIRS)
        add_pairs(p);
    return CUZK_OK;
}

void cuzk_plan_block(const measure_plan *p, uint64_t block, uint16_t order[])
{
    stats_rng rng = {p->seed};
    rng.state = cuzk_stats_next(&rng) + block; /* streams of neighbours do not overlap */
    rng.state = cuzk_stats_next(&rng);
    for (unsigned i = 0; i < p->n_configs; i++)
        order[i] = (uint16_t)i;
    cuzk_stats_shuffle(&rng, order, p->n_configs);
}

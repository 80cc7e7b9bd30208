#include "groth16/prove_memory.h"

#include "groth16/points.h"
#include "msm/msm.h"
#include "msm/msm_plan.h"

#define SUM_FOLD           1024u /* a sum of ones keeps one point of so many */

/* Templates of the compiled circuits (docs/compiled.md): SHA-256 has most. */
#define TEMPLATE_BYTES ((uint64_t)20 << 20)

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What msm_run and the largest group of windows allocate. */
static uint64_t msm_bytes(uint64_t n, uint64_t point_bytes, unsigned n_threads)
{
    msm_plan plan;
    if (n == 0)
        return 0;
    cuzk_msm_plan_make(&plan, n);
    uint64_t n_entries = plan.group * n, n_keys = (uint64_t)plan.group << (plan.c - 1);
    uint64_t n_segs = ((n_keys - 1) >> plan.lg_seg) + 1, n_pieces = n_segs + n_entries / MSM_PIECE;
    uint64_t extra = n_entries / MSM_PIECE << plan.lg_seg;
    uint64_t worker =
        point_bytes == G1_FILE_BYTES ? cuzk_msm_g1_worker_bytes : cuzk_msm_g2_worker_bytes;
    return 4 * n_entries + 4 * plan.n_ranges * n_segs + 20 * (n_pieces + 1) +
           ((n_segs << plan.lg_seg) + extra) * point_bytes + worker * n_threads;
}

static uint64_t chunk_bytes(params_section section, uint64_t n, bool streamed)
{
    return streamed ? cuzk_points_chunk(section, n, true) * cuzk_section_point_bytes(section) : 0;
}

/* A query over n points of which at most n_rest have scalars other than 0 and 1. */
static uint64_t query_bytes(params_section section, uint64_t n, uint64_t n_rest, unsigned n_threads,
                            bool streamed)
{
    uint64_t point_bytes = cuzk_section_point_bytes(section);
    uint64_t here = cuzk_points_chunk(section, n, streamed);
    uint64_t scratch = max_u64(msm_bytes(min_u64(here, n_rest), point_bytes, n_threads),
                               here / SUM_FOLD * point_bytes);
    return 4 * n + (4 + sizeof(fr_canon)) * n_rest + scratch + chunk_bytes(section, n, streamed);
}

static uint64_t h_bytes(uint64_t domain, unsigned n_threads, bool streamed)
{
    uint64_t here = cuzk_points_chunk(SECTION_H, domain - 1, streamed);
    return domain * sizeof(fr_canon) + msm_bytes(here, G1_FILE_BYTES, n_threads) +
           chunk_bytes(SECTION_H, domain - 1, streamed);
}

/* Beside the witness, which is freed before the sums over b begin. */
static uint64_t sums_bytes(const prove_sizes *s, uint64_t domain, uint64_t witness,
                           unsigned n_threads, bool streamed)
{
    bool apart = cuzk_switch_on(CUZK_SWITCH_ONES_APART);
    uint64_t rest = apart ? s->n_inputs + s->n_fields : UINT64_MAX;
    uint64_t n = h_bytes(domain, n_threads, streamed);
    n = max_u64(n, query_bytes(SECTION_L, s->n_aux, min_u64(rest, s->n_aux), n_threads, streamed));
    n = max_u64(n, query_bytes(SECTION_A, s->n_a, min_u64(rest, s->n_a), n_threads, streamed));
    uint64_t b = query_bytes(SECTION_B_G2, s->n_b, min_u64(rest, s->n_b), n_threads, streamed);
    return max_u64(n, b - min_u64(b, witness));
}

/* Either way there are bitmaps of the densities of a and b; compiled, of the kinds as well. */
static uint64_t witness_bytes(const prove_sizes *s)
{
    uint64_t input = s->n_inputs * sizeof(fr), bitmap = s->n_aux / 8 + 64;
    return s->compiled ? input + s->n_fields * sizeof(fr) + bitmap
                       : input + s->n_aux * sizeof(fr) + 2 * bitmap;
}

static uint64_t circuit_bytes(const prove_sizes *s)
{
    uint64_t bitmaps = 3 * (s->n_aux / 8 + 64);
    if (!s->compiled)
        return 0;
    return bitmaps + s->n_aux / 4 + min_u64(TEMPLATE_BYTES, 16 * s->n_aux);
}

void cuzk_prove_memory(prove_memory *out, const prove_sizes *s, unsigned n_threads, bool streamed)
{
    uint64_t domain = (uint64_t)1 << cuzk_lg_ceil(s->n_rows + s->n_inputs);
    prove_memory m = {.srs = s->n_inputs * sizeof(g1_affine)};
    if (!streamed)
        m.srs +=
            (domain + s->n_aux + s->n_a + s->n_b) * sizeof(g1_affine) + s->n_b * sizeof(g2_affine);
    m.circuit = circuit_bytes(s);
    m.witness = witness_bytes(s);
    m.rows = 3 * domain * sizeof(fr) + domain / 2 * sizeof(fr);
    m.sums = sums_bytes(s, domain, m.witness, n_threads, streamed);
    m.total = m.srs + m.circuit + m.witness + max_u64(m.rows, m.sums);
    *out = m;
}

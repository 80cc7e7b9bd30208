/* Transform: passes over memory, each of several levels on tiles that stay in L1.
 *
 * A pass takes levels [level, level + lg_rows). A block of its first level is a matrix of 2^lg_rows
 * rows and `stride` columns; a tile is a few adjacent columns of it, copied to the stack
 * (power-of-2 strides would otherwise fall into a handful of cache sets), transformed and copied
 * back. In the last pass stride is 1 and the tile, one block, is transformed where it lies. 2^22
 * takes 3 passes. merge runs the passes of split backwards.
 */
#include "ntt/ntt.h"

#include <string.h>

#include "base/cpu.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/switches.h"
#include "field/simd.h"
#include "ntt/ntt_internal.h"

#define MIN_CHUNK 4096 /* elements for one task of a simple loop */

/* ---- plan ---- */

#define ROOT_BLOCK ((size_t)512) /* roots of one task */

typedef struct {
    fr *root;
    size_t half;
    fr step;
    bool simd;
} root_run;

/* root[half + q] = exp(2 pi i / (4 half)) * root[q], see ntt_internal.h. */
static void fill_roots(void *ctx, size_t index, unsigned worker)
{
    const root_run *r = ctx;
    (void)worker;
    size_t begin = index * ROOT_BLOCK;
    size_t end = r->half < begin + ROOT_BLOCK ? r->half : begin + ROOT_BLOCK;
#if CUZK_HAVE_IFMA
    if (r->simd && r->half >= ROOT_BLOCK) {
        cuzk_ntt_ifma_scale(r->root + r->half + begin, r->root + begin, end - begin, &r->step);
        return;
    }
#endif
    for (size_t q = begin; q < end; q++)
        fr_mul(&r->root[r->half + q], &r->step, &r->root[q]);
}

/* Root of unity of order 2^lg. */
static void root_of_order(fr *r, unsigned lg)
{
    *r = cuzk_fr_root_of_unity;
    for (unsigned i = lg; i < FR_TWO_ADICITY; i++)
        fr_sqr(r, r);
}

static bool simd_possible(unsigned lg_n)
{
    return CUZK_HAVE_IFMA && lg_n >= NTT_LG_TILE && cuzk_cpu_lanes();
}

/* root[0], which the rest is made from. */
static fr first_root(bool simd)
{
#if CUZK_HAVE_IFMA
    if (simd)
        return cuzk_fr_simd_enter; /* one, in the SIMD radix */
#endif
    (void)simd;
    return cuzk_fr_one;
}

cuzk_status cuzk_ntt_plan_new(ntt_plan **out, unsigned lg_n, cuzk_pool *pool, cuzk_err *err)
{
    return cuzk_ntt_plan_new_on(out, lg_n, true, pool, err);
}

cuzk_status cuzk_ntt_plan_new_on(ntt_plan **out, unsigned lg_n, bool simd, cuzk_pool *pool,
                                 cuzk_err *err)
{
    if (lg_n > NTT_MAX_LG)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "polynomial degree 2^%u is too large (maximum 2^%d in this build, 2^%d in "
                         "this field)",
                         lg_n, NTT_MAX_LG, FR_TWO_ADICITY);
    ntt_plan *plan = cuzk_calloc(1, sizeof *plan);
    size_t n = (size_t)1 << lg_n, n_roots = n < 2 ? 1 : n / 2;
    fr *root = CUZK_NEW_ARRAY(fr, n_roots);
    if (!plan || !root) {
        cuzk_free(root);
        cuzk_free(plan);
        return cuzk_fail(err, CUZK_NOMEM, 0, "ntt: no memory for %zu roots of degree 2^%u", n_roots,
                         lg_n);
    }
    plan->lg_n = lg_n;
    plan->n = n;
    plan->root = root;
    plan->simd = simd && simd_possible(lg_n);
    cuzk_fr_from_u64(&plan->n_inv, n);
    cuzk_fr_inv_vartime(&plan->n_inv, &plan->n_inv);
    root[0] = first_root(plan->simd);
    for (unsigned d = 0; (size_t)1 << d < n_roots; d++) {
        root_run r = {root, (size_t)1 << d, {{0}}, plan->simd};
        root_of_order(&r.step, d + 2);
        if (r.simd && r.half >= ROOT_BLOCK)
            fr_mul(&r.step, &r.step, &root[0]); /* both factors in the SIMD radix */
        cuzk_pool_run(pool, (r.half + ROOT_BLOCK - 1) / ROOT_BLOCK, fill_roots, &r);
    }
    *out = plan;
    return CUZK_OK;
}

void cuzk_ntt_plan_free(ntt_plan *plan)
{
    if (!plan)
        return;
    cuzk_free(plan->root);
    cuzk_free(plan);
}

/* ---- passes ---- */

/* At most 28 - 10 strided passes (switch fused-ntt off; else ceil(18 / 7)) and the contiguous one.
 */
#define MAX_PASSES 19

static size_t plan_passes(ntt_pass p[MAX_PASSES], unsigned lg_n)
{
    unsigned lg_last = lg_n < NTT_LG_TILE ? lg_n : NTT_LG_TILE;
    unsigned rest = lg_n - lg_last, level = 0;
    unsigned most = cuzk_switch_on(CUZK_SWITCH_FUSED_NTT) ? NTT_LG_STRIDED : 1;
    size_t n_passes = (rest + most - 1) / most;
    for (size_t i = 0; i < n_passes; i++) {
        unsigned left = (unsigned)(n_passes - i); /* share the levels out evenly */
        unsigned lg_rows = (rest - level + left - 1) / left;
        p[i] = (ntt_pass){.level = level, .lg_rows = lg_rows, .lg_cols = NTT_LG_TILE - lg_rows};
        level += lg_rows;
        p[i].lg_stride = lg_n - level; /* >= NTT_LG_TILE: there are enough columns */
    }
    p[n_passes] = (ntt_pass){.level = level, .lg_rows = lg_last};
    return n_passes + 1;
}

static void transform_tile(const ntt_pass *p, fr *tile, size_t n_cols, size_t block)
{
    if (p->merge)
        cuzk_ntt_tile_merge(&p->dir, tile, p->lg_rows, n_cols, block);
    else
        cuzk_ntt_tile_split(&p->dir, tile, p->lg_rows, n_cols, block);
}

static void contiguous_tile(void *ctx, size_t index, unsigned worker)
{
    const ntt_pass *p = ctx;
    (void)worker;
    transform_tile(p, p->x + (index << p->lg_rows), 1, index);
}

static void strided_tile(void *ctx, size_t index, unsigned worker)
{
    const ntt_pass *p = ctx;
    (void)worker;
    fr tile[(size_t)1 << NTT_LG_TILE];
    size_t block, n_rows = (size_t)1 << p->lg_rows, row_bytes = sizeof(fr) << p->lg_cols;
    fr *x = ntt_tile_origin(p, index, &block);
    for (size_t i = 0; i < n_rows; i++)
        memcpy(tile + (i << p->lg_cols), x + (i << p->lg_stride), row_bytes);
    transform_tile(p, tile, (size_t)1 << p->lg_cols, block);
    for (size_t i = 0; i < n_rows; i++)
        memcpy(x + (i << p->lg_stride), tile + (i << p->lg_cols), row_bytes);
}

#if CUZK_HAVE_IFMA
static void contiguous_tile_simd(void *ctx, size_t index, unsigned worker)
{
    (void)worker;
    cuzk_ntt_ifma_contiguous(ctx, index);
}

static void strided_tile_simd(void *ctx, size_t index, unsigned worker)
{
    (void)worker;
    cuzk_ntt_ifma_strided(ctx, index);
}
#endif

static void run_pass(const ntt_plan *plan, ntt_pass *p, cuzk_pool *pool)
{
    cuzk_task_fn fn = p->lg_stride == 0 ? contiguous_tile : strided_tile;
#if CUZK_HAVE_IFMA
    if (plan->simd)
        fn = p->lg_stride == 0 ? contiguous_tile_simd : strided_tile_simd;
#endif
    /* cut short, the values are anything: the caller sees its cancel flag before it uses them */
    (void)cuzk_pool_try(pool, plan->n >> (p->lg_rows + p->lg_cols), fn, p);
}

typedef struct {
    fr *x;
    fr factor;
} scale_run;

static void scale_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const scale_run *r = ctx;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        fr_mul(&r->x[i], &r->x[i], &r->factor);
}

enum { FORWARD = 0, INVERSE = 1, MERGE = 2, SCALED = 4 };

static void transform(const ntt_plan *plan, fr x[], unsigned how, cuzk_pool *pool)
{
    ntt_pass p[MAX_PASSES];
    size_t n_passes = plan_passes(p, plan->lg_n);
    bool merge = how & MERGE;
    scale_run scale = {x, plan->n_inv};
    if (plan->simd)
        fr_mul(&scale.factor, &scale.factor, &plan->root[0]);
    for (size_t i = 0; i < n_passes; i++) {
        ntt_pass *next = &p[merge ? n_passes - 1 - i : i];
        next->x = x;
        next->dir = (ntt_dir){plan->root, how & INVERSE};
        next->merge = merge;
        next->last = i + 1 == n_passes;
        next->scale = next->last && (how & SCALED) ? &scale.factor : NULL;
        run_pass(plan, next, pool);
    }
    if (!plan->simd && (how & SCALED))
        cuzk_pool_for(pool, plan->n, MIN_CHUNK, scale_range, &scale);
}

/* ---- entry points ---- */

void cuzk_ntt_forward_nr(const ntt_plan *plan, fr x[], cuzk_pool *pool)
{
    transform(plan, x, FORWARD, pool);
}

void cuzk_ntt_forward_rn(const ntt_plan *plan, fr x[], cuzk_pool *pool)
{
    transform(plan, x, MERGE, pool);
}

void cuzk_ntt_inverse_nr_unscaled(const ntt_plan *plan, fr x[], cuzk_pool *pool)
{
    transform(plan, x, INVERSE, pool);
}

void cuzk_ntt_inverse_nr(const ntt_plan *plan, fr x[], cuzk_pool *pool)
{
    transform(plan, x, INVERSE | SCALED, pool);
}

void cuzk_ntt_inverse_rn(const ntt_plan *plan, fr x[], cuzk_pool *pool)
{
    transform(plan, x, INVERSE | SCALED | MERGE, pool);
}

/* ---- bit reversal ---- */

/* Index bits are high (LG_LINE), middle, low (LG_LINE). Middles m and brv(m) swap 8 x 8 elements
 * that lie in 2 x 8 runs of 256 bytes: whole cache lines, few enough to stay in their L1 sets. */
#define LG_LINE 3

static size_t reverse_bits(size_t x, unsigned lg)
{
    size_t r = 0;
    for (unsigned i = 0; i < lg; i++)
        r |= (x >> i & 1) << (lg - 1 - i);
    return r;
}

static void swap_fr(fr *a, fr *b)
{
    fr t = *a;
    *a = *b;
    *b = t;
}

typedef struct {
    fr *x;
    unsigned lg_n;
} reverse_run;

static void reverse_middles(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const reverse_run *r = ctx;
    (void)worker;
    unsigned lg_middle = r->lg_n - 2 * LG_LINE, lg_high = r->lg_n - LG_LINE;
    for (size_t m = begin; m < end; m++) {
        size_t mirror = reverse_bits(m, lg_middle);
        if (mirror < m)
            continue;
        for (size_t k = 0; k < (size_t)1 << (2 * LG_LINE); k++) {
            size_t high = k >> LG_LINE, low = k & ((1u << LG_LINE) - 1);
            size_t i = high << lg_high | m << LG_LINE | low;
            size_t j = reverse_bits(low, LG_LINE) << lg_high | mirror << LG_LINE |
                       reverse_bits(high, LG_LINE);
            if (mirror != m || i < j)
                swap_fr(&r->x[i], &r->x[j]);
        }
    }
}

void cuzk_ntt_bit_reverse(const ntt_plan *plan, fr x[], cuzk_pool *pool)
{
    if (plan->lg_n >= 2 * LG_LINE) {
        reverse_run r = {x, plan->lg_n};
        cuzk_pool_for(pool, plan->n >> (2 * LG_LINE), MIN_CHUNK >> (2 * LG_LINE), reverse_middles,
                      &r);
        return;
    }
    for (size_t i = 0; i < plan->n; i++) {
        size_t j = reverse_bits(i, plan->lg_n);
        if (i < j)
            swap_fr(&x[i], &x[j]);
    }
}

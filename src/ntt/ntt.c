/* Transform: passes over memory, each of several levels on tiles that stay in L1.
 *
 * A pass takes levels [level, level + lg_rows). A block of its first level is a matrix of 2^lg_rows
 * rows and `stride` columns; a tile is a few adjacent columns of it, copied to the stack (power-of-2
 * strides would otherwise fall into a handful of cache sets), transformed and copied back. In the
 * last pass stride is 1 and the tile, one block, is transformed where it lies. 2^22 takes 3 passes.
 * merge runs the passes of split backwards.
 */
#include "ntt/ntt.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "ntt/ntt_internal.h"

#define MIN_CHUNK 4096 /* elements for one task of a simple loop */

/* ---- plan ---- */

typedef struct {
    fr *root;
    size_t half;
    fr step;
} root_run;

/* root[half + q] = exp(2 pi i / (4 half)) * root[q], see ntt_internal.h. */
static void fill_roots(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const root_run *r = ctx;
    (void)worker;
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

cuzk_status cuzk_ntt_plan_new(ntt_plan **out, unsigned lg_n, cuzk_pool *pool, cuzk_err *err)
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
    cuzk_fr_from_u64(&plan->n_inv, n);
    cuzk_fr_inv_vartime(&plan->n_inv, &plan->n_inv);
    root[0] = cuzk_fr_one;
    for (unsigned d = 0; (size_t)1 << d < n_roots; d++) {
        root_run r = {root, (size_t)1 << d, {{0}}};
        root_of_order(&r.step, d + 2);
        cuzk_pool_for(pool, r.half, MIN_CHUNK, fill_roots, &r);
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

typedef struct {
    unsigned level, lg_rows;
} pass;

/* At most ceil((28 - 10) / 7) strided passes and the contiguous one. */
#define MAX_PASSES 4

static size_t plan_passes(pass p[MAX_PASSES], unsigned lg_n)
{
    unsigned lg_last = lg_n < NTT_LG_TILE ? lg_n : NTT_LG_TILE;
    unsigned rest = lg_n - lg_last, level = 0;
    size_t n_passes = (rest + NTT_LG_STRIDED - 1) / NTT_LG_STRIDED;
    for (size_t i = 0; i < n_passes; i++) {
        unsigned left = (unsigned)(n_passes - i); /* share the levels out evenly */
        p[i] = (pass){level, (rest - level + left - 1) / left};
        level += p[i].lg_rows;
    }
    p[n_passes] = (pass){level, lg_last};
    return n_passes + 1;
}

typedef struct {
    fr *x;
    ntt_dir dir;
    pass p;
    bool merge;
    unsigned lg_stride, lg_cols; /* columns of a block, of a tile */
} pass_run;

static void transform_tile(const pass_run *r, fr *tile, size_t n_cols, size_t block)
{
    if (r->merge)
        cuzk_ntt_tile_merge(&r->dir, tile, r->p.lg_rows, n_cols, block);
    else
        cuzk_ntt_tile_split(&r->dir, tile, r->p.lg_rows, n_cols, block);
}

static void contiguous_tile(void *ctx, size_t index, unsigned worker)
{
    const pass_run *r = ctx;
    (void)worker;
    transform_tile(r, r->x + (index << r->p.lg_rows), 1, index);
}

static void strided_tile(void *ctx, size_t index, unsigned worker)
{
    const pass_run *r = ctx;
    (void)worker;
    fr tile[(size_t)1 << NTT_LG_TILE];
    unsigned lg_tiles = r->lg_stride - r->lg_cols; /* tiles of a block */
    size_t block = index >> lg_tiles, n_cols = (size_t)1 << r->lg_cols;
    size_t column = (index & (((size_t)1 << lg_tiles) - 1)) << r->lg_cols;
    size_t n_rows = (size_t)1 << r->p.lg_rows;
    fr *x = r->x + (block << (r->p.lg_rows + r->lg_stride)) + column;

    for (size_t i = 0; i < n_rows; i++)
        memcpy(tile + (i << r->lg_cols), x + (i << r->lg_stride), n_cols * sizeof(fr));
    transform_tile(r, tile, n_cols, block);
    for (size_t i = 0; i < n_rows; i++)
        memcpy(x + (i << r->lg_stride), tile + (i << r->lg_cols), n_cols * sizeof(fr));
}

static void run_pass(const ntt_plan *plan, pass_run *r, cuzk_pool *pool)
{
    r->lg_stride = plan->lg_n - r->p.level - r->p.lg_rows;
    if (r->lg_stride == 0) {
        cuzk_pool_run(pool, plan->n >> r->p.lg_rows, contiguous_tile, r);
        return;
    }
    /* lg_stride >= NTT_LG_TILE here, so there are enough columns */
    r->lg_cols = NTT_LG_TILE - r->p.lg_rows;
    cuzk_pool_run(pool, plan->n >> NTT_LG_TILE, strided_tile, r);
}

static void transform(const ntt_plan *plan, fr x[], bool merge, bool inverse, cuzk_pool *pool)
{
    pass p[MAX_PASSES];
    size_t n_passes = plan_passes(p, plan->lg_n);
    pass_run r = {x, {plan->root, inverse}, {0, 0}, merge, 0, 0};
    for (size_t i = 0; i < n_passes; i++) {
        r.p = p[merge ? n_passes - 1 - i : i];
        run_pass(plan, &r, pool);
    }
}

/* ---- entry points ---- */

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

static void scale(const ntt_plan *plan, fr x[], cuzk_pool *pool)
{
    scale_run r = {x, plan->n_inv};
    cuzk_pool_for(pool, plan->n, MIN_CHUNK, scale_range, &r);
}

void cuzk_ntt_forward_nr(const ntt_plan *plan, fr x[], cuzk_pool *pool)
{
    transform(plan, x, false, false, pool);
}

void cuzk_ntt_forward_rn(const ntt_plan *plan, fr x[], cuzk_pool *pool)
{
    transform(plan, x, true, false, pool);
}

void cuzk_ntt_inverse_nr_unscaled(const ntt_plan *plan, fr x[], cuzk_pool *pool)
{
    transform(plan, x, false, true, pool);
}

void cuzk_ntt_inverse_nr(const ntt_plan *plan, fr x[], cuzk_pool *pool)
{
    transform(plan, x, false, true, pool);
    scale(plan, x, pool);
}

void cuzk_ntt_inverse_rn(const ntt_plan *plan, fr x[], cuzk_pool *pool)
{
    transform(plan, x, true, true, pool);
    scale(plan, x, pool);
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

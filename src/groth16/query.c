#include "groth16/query.h"

#include "base/mem.h"
#include "base/switches.h"
#include "msm/msm.h"

/* Values are sorted in blocks, side by side: counted, then written to their places. */
#define BLOCK_VALUES 16384u /* a multiple of 64 */

/* Counts of a block, and the place of the next of each kind. */
typedef struct {
    size_t point, one, rest;
    const fr *field; /* of a compiled witness: the next, selected or not */
} query_place;

typedef struct {
    const query_part *part;
    size_t begin, end; /* values */
    const fr *field;   /* that of the first of them */
    query_place at;
} query_block;

typedef struct {
    query *q;
    query_block *block;
    bool write; /* else count */
} query_sort;

/* Those of the 64 values from i on that are selected; i is a multiple of 64. */
static uint64_t selected_word(const query_part *p, size_t i)
{
    size_t left = p->n - i;
    uint64_t mask = left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX;
    return p->density ? p->density[i / 64] & mask : mask;
}

static void take_one(const query_sort *s, query_place *at, size_t point)
{
    if (!s->q->apart) {
        if (s->write) {
            s->q->rest[at->rest] = (uint32_t)point;
            s->q->k[at->rest] = (fr_canon){{1}};
        }
        at->rest++;
        return;
    }
    if (s->write)
        s->q->ones[at->one] = (uint32_t)point;
    at->one++;
}

static void take_field(const query_sort *s, query_place *at, const fr *x, size_t point)
{
    if (fr_is_zero(x))
        return;
    if (fr_is_one(x)) {
        take_one(s, at, point);
        return;
    }
    if (s->write) {
        s->q->rest[at->rest] = (uint32_t)point;
        cuzk_fr_to_canon(&s->q->k[at->rest], x);
    }
    at->rest++;
}

static void take_packed(const query_sort *s, query_place *at, const query_part *p, size_t i)
{
    uint64_t selected = selected_word(p, i), is_field = p->is_field[i / 64];
    for (uint64_t m = selected & (p->bits[i / 64] | is_field); m; m &= m - 1) {
        uint64_t bit = m & -m;
        size_t point = at->point + cuzk_popcount64(selected & (bit - 1));
        if (is_field & bit)
            take_field(s, at, at->field + cuzk_popcount64(is_field & (bit - 1)), point);
        else
            take_one(s, at, point);
    }
    at->field += cuzk_popcount64(is_field);
    at->point += cuzk_popcount64(selected);
}

static void take_plain(const query_sort *s, query_place *at, const query_part *p, size_t i)
{
    for (uint64_t m = selected_word(p, i), bit; m; m &= m - 1) {
        bit = m & -m;
        take_field(s, at, &p->value[i + cuzk_popcount64(bit - 1)], at->point++);
    }
}

static void sort_block(void *ctx, size_t index, unsigned worker)
{
    const query_sort *s = ctx;
    query_block *b = &s->block[index];
    query_place at = b->at; /* of its own: blocks stand side by side in memory */
    (void)worker;
    at.field = b->field;
    for (size_t i = b->begin; i < b->end; i += 64) {
        if (b->part->value)
            take_plain(s, &at, b->part, i);
        else
            take_packed(s, &at, b->part, i);
    }
    b->at = at;
}

/* block == NULL: only their number. */
static size_t cut_blocks(query_block *block, const query_part part[], size_t n_parts)
{
    size_t n = 0;
    for (size_t k = 0; k < n_parts; k++) {
        const fr *field = part[k].field;
        for (size_t i = 0, end; i < part[k].n; i = end, n++) {
            end = part[k].n - i < BLOCK_VALUES ? part[k].n : i + BLOCK_VALUES;
            if (!block)
                continue;
            block[n] = (query_block){.part = &part[k], .begin = i, .end = end, .field = field};
            for (size_t w = i / 64; !part[k].value && w < (end + 63) / 64; w++)
                field += cuzk_popcount64(part[k].is_field[w]);
        }
    }
    return n;
}

/* Counts become places. */
static void place_blocks(query *q, query_block *block, size_t n)
{
    query_place next = {0};
    for (size_t i = 0; i < n; i++) {
        query_place *at = &block[i].at, count = *at;
        *at = next;
        next.point += count.point;
        next.one += count.one;
        next.rest += count.rest;
    }
    q->n_ones = next.one;
    q->n_rest = next.rest;
}

static cuzk_status no_memory(const query *q, cuzk_err *err)
{
    return cuzk_fail(err, CUZK_NOMEM, 0, "prove: no memory for %zu scalars", q->n_rest);
}

static cuzk_status sort_blocks(query_sort *s, size_t n, cuzk_pool *pool, cuzk_err *err)
{
    if (cuzk_pool_try(pool, n, sort_block, s))
        return CUZK_OK;
    return cuzk_fail(err, CUZK_CANCELLED, 0, "prove: cancelled while sorting the witness");
}

static cuzk_status new_lists(query *q, cuzk_err *err)
{
    q->ones = CUZK_NEW_ARRAY(uint32_t, q->n_ones + 1);
    q->rest = CUZK_NEW_ARRAY(uint32_t, q->n_rest + 1);
    q->k = CUZK_NEW_ARRAY(fr_canon, q->n_rest + 1);
    return q->ones && q->rest && q->k ? CUZK_OK : no_memory(q, err);
}

cuzk_status cuzk_query_new(query *out, const query_part part[], size_t n_parts, cuzk_pool *pool,
                           cuzk_err *err)
{
    cuzk_status st;
    query q = {.apart = cuzk_switch_on(CUZK_SWITCH_ONES_APART)};
    size_t n = cut_blocks(NULL, part, n_parts);
    query_sort s = {&q, CUZK_NEW_ARRAY(query_block, n + 1), false};
    if (!s.block)
        return no_memory(&q, err);
    cut_blocks(s.block, part, n_parts);
    CUZK_TRY(sort_blocks(&s, n, pool, err));
    place_blocks(&q, s.block, n);
    CUZK_TRY(new_lists(&q, err));
    s.write = true;
    CUZK_TRY(sort_blocks(&s, n, pool, err));
    *out = q;
    q = (query){0};
out:
    cuzk_query_fini(&q);
    cuzk_free(s.block);
    return st;
}

void cuzk_query_fini(query *q)
{
    cuzk_free(q->k);
    cuzk_free(q->rest);
    cuzk_free(q->ones);
    *q = (query){0};
}

/* ---- sums ---- */

/* The part of a query that falls into one chunk of points. */
typedef struct {
    uint32_t *ones, *rest;
    const fr_canon *k;
    size_t n_ones, n_rest;
} query_cut;

typedef struct {
    query *q;
    size_t next_one, next_rest; /* chunks come in order */
    cuzk_pool *pool;
    g1_jac *g1;
    g2_jac *g2;
} query_sum;

static size_t count_below(const uint32_t x[], size_t n, size_t end)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (x[mid] < end)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static query_cut cut_before(query_sum *s, size_t end)
{
    query *q = s->q;
    query_cut c = {&q->ones[s->next_one], &q->rest[s->next_rest], &q->k[s->next_rest], 0, 0};
    c.n_ones = count_below(c.ones, q->n_ones - s->next_one, end);
    c.n_rest = count_below(c.rest, q->n_rest - s->next_rest, end);
    s->next_one += c.n_ones;
    s->next_rest += c.n_rest;
    return c;
}

/* Indices of the key become indices of the chunk: the sums take no base. By 0: nothing to do. */
static void shift_down(uint32_t x[], size_t n, size_t by)
{
    for (size_t i = 0; by != 0 && i < n; i++)
        x[i] -= (uint32_t)by;
}

static void shift_up(uint32_t x[], size_t n, size_t by)
{
    for (size_t i = 0; by != 0 && i < n; i++)
        x[i] += (uint32_t)by;
}

static cuzk_status cut_g1(const query_sum *s, const query_cut *c, const g1_affine p[],
                          cuzk_err *err)
{
    g1_jac sum;
    cuzk_status st;
    CUZK_TRY(cuzk_sum_g1(s->pool, &sum, p, c->ones, c->n_ones, err));
    cuzk_g1_add(s->g1, s->g1, &sum);
    CUZK_TRY(cuzk_msm_g1(s->pool, &sum, p, c->rest, c->k, c->n_rest, err));
    cuzk_g1_add(s->g1, s->g1, &sum);
out:
    return st;
}

static cuzk_status cut_g2(const query_sum *s, const query_cut *c, const g2_affine p[],
                          cuzk_err *err)
{
    g2_jac sum;
    cuzk_status st;
    CUZK_TRY(cuzk_sum_g2(s->pool, &sum, p, c->ones, c->n_ones, err));
    cuzk_g2_add(s->g2, s->g2, &sum);
    CUZK_TRY(cuzk_msm_g2(s->pool, &sum, p, c->rest, c->k, c->n_rest, err));
    cuzk_g2_add(s->g2, s->g2, &sum);
out:
    return st;
}

static cuzk_status visit_chunk(void *ctx, const void *p, size_t begin, size_t n, cuzk_err *err)
{
    query_sum *s = ctx;
    query_cut c = cut_before(s, begin + n);
    shift_down(c.ones, c.n_ones, begin);
    shift_down(c.rest, c.n_rest, begin);
    cuzk_status st = s->g1 ? cut_g1(s, &c, p, err) : cut_g2(s, &c, p, err);
    shift_up(c.ones, c.n_ones, begin);
    shift_up(c.rest, c.n_rest, begin);
    return st;
}

cuzk_status cuzk_query_g1(g1_jac *out, query *q, const groth16_srs *srs, params_section s,
                          cuzk_pool *pool, cuzk_err *err)
{
    query_sum sum = {.q = q, .pool = pool, .g1 = out};
    cuzk_g1_set_identity(out);
    return cuzk_points_visit(srs, s, pool, visit_chunk, &sum, err);
}

cuzk_status cuzk_query_g2(g2_jac *out, query *q, const groth16_srs *srs, params_section s,
                          cuzk_pool *pool, cuzk_err *err)
{
    query_sum sum = {.q = q, .pool = cuzk_switch_on(CUZK_SWITCH_A4) ? pool : NULL, .g2 = out};
    cuzk_g2_set_identity(out);
    return cuzk_points_visit(srs, s, pool, visit_chunk, &sum, err);
}

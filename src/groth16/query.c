#include "groth16/query.h"

#include "base/mem.h"
#include "msm/msm.h"

static bool selected(const query_part *p, size_t i)
{
    return !p->density || density_get(p->density, i);
}

/* The selected values of word i, also the last one. */
static uint64_t selected_word(const query_part *p, size_t i)
{
    size_t left = p->n - 64 * i;
    uint64_t mask = left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX;
    return p->density ? p->density[i] & mask : mask;
}

/* Field elements are counted as the rest, zeros and ones among them too: an upper bound. */
static void count_packed(query *q, const query_part *p)
{
    for (size_t i = 0; 64 * i < p->n; i++) {
        uint64_t s = selected_word(p, i), not_zero = s & (p->bits[i] | p->is_field[i]);
        q->n_ones += q->apart ? cuzk_popcount64(not_zero) : 0;
        q->n_rest += cuzk_popcount64(q->apart ? s & p->is_field[i] : not_zero);
    }
}

static void count_kinds(query *q, const query_part *p)
{
    if (!p->value) {
        count_packed(q, p);
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        if (!selected(p, i) || fr_is_zero(&p->value[i]))
            continue;
        if (q->apart && fr_is_one(&p->value[i]))
            q->n_ones++;
        else
            q->n_rest++;
    }
}

static void fill_one(query *q, size_t point)
{
    if (q->apart) {
        q->ones[q->n_ones++] = (uint32_t)point;
        return;
    }
    q->rest[q->n_rest] = (uint32_t)point;
    q->k[q->n_rest++] = (fr_canon){{1}};
}

static void fill_field(query *q, const fr *x, size_t point)
{
    if (fr_is_one(x)) {
        fill_one(q, point);
    } else if (!fr_is_zero(x)) {
        q->rest[q->n_rest] = (uint32_t)point;
        cuzk_fr_to_canon(&q->k[q->n_rest++], x);
    }
}

static size_t fill_packed(query *q, const query_part *p, size_t point)
{
    size_t begin = point;
    const fr *field = p->field;
    for (size_t i = 0; 64 * i < p->n; i++) {
        uint64_t s = selected_word(p, i), is_field = p->is_field[i];
        for (uint64_t m = s & (p->bits[i] | is_field); m; m &= m - 1) {
            uint64_t bit = m & -m;
            size_t at = point + cuzk_popcount64(s & (bit - 1));
            if (is_field & bit)
                fill_field(q, field + cuzk_popcount64(is_field & (bit - 1)), at);
            else
                fill_one(q, at);
        }
        field += cuzk_popcount64(is_field);
        point += cuzk_popcount64(s);
    }
    return point - begin;
}

/* Appends; returns the number of points of this part. */
static size_t fill(query *q, const query_part *p, size_t point)
{
    size_t begin = point;
    if (!p->value)
        return fill_packed(q, p, point);
    for (size_t i = 0; i < p->n; i++) {
        if (!selected(p, i))
            continue;
        fill_field(q, &p->value[i], point);
        point++;
    }
    return point - begin;
}

cuzk_status cuzk_query_new(query *out, const query_part part[], size_t n_parts, cuzk_err *err)
{
    query q = {.apart = cuzk_switch_on(CUZK_SWITCH_ONES_APART)};
    size_t point = 0;
    for (size_t i = 0; i < n_parts; i++)
        count_kinds(&q, &part[i]);
    q.ones = CUZK_NEW_ARRAY(uint32_t, q.n_ones + 1);
    q.rest = CUZK_NEW_ARRAY(uint32_t, q.n_rest + 1);
    q.k = CUZK_NEW_ARRAY(fr_canon, q.n_rest + 1);
    if (!q.ones || !q.rest || !q.k) {
        cuzk_status st =
            cuzk_fail(err, CUZK_NOMEM, 0, "prove: no memory for %zu scalars", q.n_rest);
        cuzk_query_fini(&q);
        return st;
    }
    q.n_ones = q.n_rest = 0;
    for (size_t i = 0; i < n_parts; i++)
        point += fill(&q, &part[i], point);
    *out = q;
    return CUZK_OK;
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

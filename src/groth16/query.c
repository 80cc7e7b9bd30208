#include "groth16/query.h"

#include "base/mem.h"
#include "msm/msm.h"

static bool selected(const query_part *p, size_t i)
{
    return !p->density || density_get(p->density, i);
}

static void count_kinds(query *q, const query_part *p)
{
    for (size_t i = 0; i < p->n; i++) {
        if (!selected(p, i) || fr_is_zero(&p->value[i]))
            continue;
        if (fr_is_one(&p->value[i]))
            q->n_ones++;
        else
            q->n_rest++;
    }
}

/* Appends; returns the number of points of this part. */
static size_t fill(query *q, const query_part *p, size_t point)
{
    size_t begin = point;
    for (size_t i = 0; i < p->n; i++) {
        if (!selected(p, i))
            continue;
        if (fr_is_one(&p->value[i])) {
            q->ones[q->n_ones++] = (uint32_t)point;
        } else if (!fr_is_zero(&p->value[i])) {
            q->rest[q->n_rest] = (uint32_t)point;
            cuzk_fr_to_canon(&q->k[q->n_rest++], &p->value[i]);
        }
        point++;
    }
    return point - begin;
}

cuzk_status cuzk_query_new(query *out, const query_part part[], size_t n_parts, cuzk_err *err)
{
    query q = {0};
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

cuzk_status cuzk_query_g1(g1_jac *out, const query *q, const g1_affine p[], cuzk_pool *pool,
                          cuzk_err *err)
{
    g1_jac ones;
    cuzk_status st;
    CUZK_TRY(cuzk_sum_g1(pool, &ones, p, q->ones, q->n_ones, err));
    CUZK_TRY(cuzk_msm_g1(pool, out, p, q->rest, q->k, q->n_rest, err));
    cuzk_g1_add(out, out, &ones);
out:
    return st;
}

cuzk_status cuzk_query_g2(g2_jac *out, const query *q, const g2_affine p[], cuzk_pool *pool,
                          cuzk_err *err)
{
    g2_jac ones;
    cuzk_status st;
    CUZK_TRY(cuzk_sum_g2(pool, &ones, p, q->ones, q->n_ones, err));
    CUZK_TRY(cuzk_msm_g2(pool, out, p, q->rest, q->k, q->n_rest, err));
    cuzk_g2_add(out, out, &ones);
out:
    return st;
}

/* Sums of points: Pippenger for scalars, batched affine additions for 0/1 scalars, fixed-base
 * tables.
 *
 * Deterministic: the schedule depends on the input only, never on the number of threads, and
 * outputs are compared as points, so the encoded bytes are the same for any pool. Points are
 * affine, on the curve and in the subgroup (not checked here); the identity (0,0), equal and
 * opposite points are all handled. Scalars are canonical integers < r (not checked). Scratch is
 * allocated inside (CUZK_NOMEM) and freed before return. pool may be NULL.
 */
#ifndef CUZK_MSM_MSM_H
#define CUZK_MSM_MSM_H

#include "base/error.h"
#include "base/pool.h"
#include "curve/g1.h"
#include "curve/g2.h"

/* out = sum_i k[i] * p[idx ? idx[i] : i], 0 <= n < 2^31; n == 0 gives the identity. idx[i] < 2^31.
 * Signed digits, batched-affine buckets, window from a measured table. */
cuzk_status cuzk_msm_g1(cuzk_pool *pool, g1_jac *out, const g1_affine p[], const uint32_t idx[],
                        const fr_canon k[], size_t n, cuzk_err *err);
cuzk_status cuzk_msm_g2(cuzk_pool *pool, g2_jac *out, const g2_affine p[], const uint32_t idx[],
                        const fr_canon k[], size_t n, cuzk_err *err);

/* What a thread holds while it sums, in bytes; only a part of it is touched if points are few. */
extern const size_t cuzk_msm_g1_worker_bytes, cuzk_msm_g2_worker_bytes;

/* out = sum_i p[idx ? idx[i] : i]: a tree of batched affine additions, no buckets. */
cuzk_status cuzk_sum_g1(cuzk_pool *pool, g1_jac *out, const g1_affine p[], const uint32_t idx[],
                        size_t n, cuzk_err *err);
cuzk_status cuzk_sum_g2(cuzk_pool *pool, g2_jac *out, const g2_affine p[], const uint32_t idx[],
                        size_t n, cuzk_err *err);

/* Fixed base: many multiples of one point. The table is shared and immutable after init. */
typedef struct g1_fixed_base g1_fixed_base;
typedef struct g2_fixed_base g2_fixed_base;
cuzk_status cuzk_g1_fixed_base_new(g1_fixed_base **out, const g1_affine *base, cuzk_pool *pool,
                                   cuzk_err *err);
cuzk_status cuzk_g2_fixed_base_new(g2_fixed_base **out, const g2_affine *base, cuzk_pool *pool,
                                   cuzk_err *err);
void cuzk_g1_fixed_base_free(g1_fixed_base *t);
void cuzk_g2_fixed_base_free(g2_fixed_base *t);
/* out[i] = k[i] * base, affine; k[i] == 0 gives the identity. */
cuzk_status cuzk_g1_fixed_base_mul(const g1_fixed_base *t, cuzk_pool *pool, g1_affine out[],
                                   const fr_canon k[], size_t n, cuzk_err *err);
cuzk_status cuzk_g2_fixed_base_mul(const g2_fixed_base *t, cuzk_pool *pool, g2_affine out[],
                                   const fr_canon k[], size_t n, cuzk_err *err);

#endif

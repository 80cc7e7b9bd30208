/* A small parameter file built point by point, for test_params_file.c and test_params_full.c. */
#ifndef CUZK_TEST_PARAMS_SUPPORT_H
#define CUZK_TEST_PARAMS_SUPPORT_H

#include "unit/groth16_support.h"

enum { VEC_IC, VEC_H, VEC_L, VEC_A, VEC_B1, VEC_B2, VEC_COUNT };

typedef struct {
    uint8_t *bytes;
    size_t n_bytes;
    size_t vec_at[VEC_COUNT]; /* offset of the first point */
    size_t vec_n[VEC_COUNT];
} params_image;

/* Encodes k G, (k + 1) G, ... */
static inline void put_g1(uint8_t *at, size_t n, unsigned k)
{
    g1_jac sum, *p = CUZK_NEW_ARRAY(g1_jac, n + 1);
    g1_affine *q = CUZK_NEW_ARRAY(g1_affine, n + 1);
    fp *scratch = CUZK_NEW_ARRAY(fp, 2 * n + 2);
    cuzk_g1_set_identity(&sum);
    for (unsigned i = 0; i < k; i++)
        cuzk_g1_add_affine(&sum, &sum, &cuzk_g1_generator);
    for (size_t i = 0; i < n; i++) {
        p[i] = sum;
        cuzk_g1_add_affine(&sum, &sum, &cuzk_g1_generator);
    }
    cuzk_g1_batch_to_affine(q, p, n, scratch);
    for (size_t i = 0; i < n; i++)
        cuzk_g1_write(at + 96 * i, &q[i]);
    cuzk_free(scratch);
    cuzk_free(q);
    cuzk_free(p);
}

static inline void put_g2(uint8_t *at, size_t n, unsigned k)
{
    g2_jac sum;
    g2_affine q;
    cuzk_g2_set_identity(&sum);
    for (unsigned i = 0; i < k; i++)
        cuzk_g2_add_affine(&sum, &sum, &cuzk_g2_generator);
    for (size_t i = 0; i < n; i++) {
        cuzk_g2_to_affine(&q, &sum);
        cuzk_g2_write(at + 192 * i, &q);
        cuzk_g2_add_affine(&sum, &sum, &cuzk_g2_generator);
    }
}

static inline void params_image_build(params_image *im, const size_t n[VEC_COUNT])
{
    size_t at = 864;
    for (int v = 0; v < VEC_COUNT; v++) {
        im->vec_at[v] = at + 4;
        im->vec_n[v] = n[v];
        at = im->vec_at[v] + n[v] * (v == VEC_B2 ? 192 : 96);
    }
    im->n_bytes = at;
    im->bytes = cuzk_malloc(at);
    put_g1(im->bytes, 2, 3);
    put_g2(im->bytes + 192, 2, 5);
    put_g1(im->bytes + 576, 1, 7);
    put_g2(im->bytes + 672, 1, 7);
    for (int v = 0; v < VEC_COUNT; v++) {
        uint8_t *p = im->bytes + im->vec_at[v];
        for (int i = 0; i < 4; i++)
            p[i - 4] = (uint8_t)(n[v] >> (24 - 8 * i));
        if (v == VEC_B2)
            put_g2(p, n[v], 2);
        else
            put_g1(p, n[v], 11 + (unsigned)v);
    }
}

/* On the curve, outside the subgroup: the first x = 1, 2, ... that has a root (cofactor > 2^125).
 */
static inline void off_subgroup_g1(g1_affine *p)
{
    fp four, t;
    cuzk_fp_from_u64(&four, 4);
    for (uint64_t x = 1;; x++) {
        cuzk_fp_from_u64(&p->x, x);
        fp_sqr(&t, &p->x);
        fp_mul(&t, &t, &p->x);
        fp_add(&t, &t, &four);
        if (cuzk_fp_sqrt_vartime(&p->y, &t) && !cuzk_g1_affine_in_subgroup(p))
            return;
    }
}

static inline void off_subgroup_g2(g2_affine *p)
{
    fp2 b, t;
    cuzk_fp_from_u64(&b.c0, 4);
    b.c1 = b.c0;
    for (uint64_t x = 1;; x++) {
        memset(&p->x, 0, sizeof p->x);
        cuzk_fp_from_u64(&p->x.c0, x);
        fp2_sqr(&t, &p->x);
        fp2_mul(&t, &t, &p->x);
        fp2_add(&t, &t, &b);
        if (cuzk_fp2_sqrt_vartime(&p->y, &t) && !cuzk_g2_affine_in_subgroup(p))
            return;
    }
}

#endif

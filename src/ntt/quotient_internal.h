/* Inside of quotient.c: the pointwise steps, which exist twice. */
#ifndef CUZK_NTT_QUOTIENT_INTERNAL_H
#define CUZK_NTT_QUOTIENT_INTERNAL_H

#include "ntt/ntt_internal.h"

typedef struct {
    const ntt_plan *plan;
    fr *a, *b, *h;
    bool c_given;  /* h holds c at the start, else a b is put there */
    bool plain;    /* h leaves Montgomery form */
    fr g;          /* exp(2 pi i / 2n); simd: in the SIMD radix */
    fr c_scale;    /* 1 / (2n) */
    fr d_scale[2]; /* 1 / (2n^3) for the first half of the coefficients; times 1/g for the second */
} quotient;

/* Elements [begin, end) of a step; simd: multiples of eight, all on one side of n/2. The products
 * that quotient_ifma.c stores are 2^-4 times the true ones (the SIMD radix is 2^260); c_scale and
 * d_scale make up for it. */
typedef void (*quotient_step)(const quotient *q, size_t begin, size_t end);

void cuzk_quotient_ifma_multiply(const quotient *q, size_t begin, size_t end);
void cuzk_quotient_ifma_shift(const quotient *q, size_t begin, size_t end);
void cuzk_quotient_ifma_multiply_coset(const quotient *q, size_t begin, size_t end);
void cuzk_quotient_ifma_combine(const quotient *q, size_t begin, size_t end);

#endif

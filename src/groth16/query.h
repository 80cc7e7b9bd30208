/* A sum over part of a proving key: sum_i z_i P_i with the z sorted by kind.
 *
 * In PoRep 99 % of the values are 0 or 1. Zeros are dropped, points of ones are added up without
 * any multiplication, and only the rest goes through Pippenger.
 */
#ifndef CUZK_GROTH16_QUERY_H
#define CUZK_GROTH16_QUERY_H

#include "groth16/assignment.h"
#include "groth16/points.h"

typedef struct {
    bool apart; /* switch ones-apart; off: ones are among the rest */
    size_t n_ones, n_rest;
    uint32_t *ones; /* points whose scalar is 1, ascending */
    uint32_t *rest; /* points of the scalars k, ascending */
    fr_canon *k;
} query;

/* Value i belongs to point first + (number of set bits of density below i); density NULL: all. */
typedef struct {
    const fr *value; /* NULL: the values are those of a compiled witness */
    size_t n;
    const uint64_t *density;
    const uint64_t *bits, *is_field; /* one bit a value, as in compiled.h */
    const fr *field;
} query_part;

/* The parts' points follow each other from point 0 on. Release with cuzk_query_fini. */
cuzk_status cuzk_query_new(query *out, const query_part part[], size_t n_parts, cuzk_pool *pool,
                           cuzk_err *err);
void cuzk_query_fini(query *q);

/* The sum over a section of the key. q is as before afterwards, but not during the call. */
cuzk_status cuzk_query_g1(g1_jac *out, query *q, const groth16_srs *srs, params_section s,
                          cuzk_pool *pool, cuzk_err *err);
cuzk_status cuzk_query_g2(g2_jac *out, query *q, const groth16_srs *srs, params_section s,
                          cuzk_pool *pool, cuzk_err *err);

#endif

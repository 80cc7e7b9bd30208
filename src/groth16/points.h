/* Where the points of a proving key are: in memory, or in a file that is read as sums need them.
 *
 * Every sum over the key goes through cuzk_points_visit. A resident section is visited as one
 * chunk, a streamed one as chunks of bounded size, in order; partial sums are added up by the
 * visitor. Since sums are exact, the proof is the same.
 */
#ifndef CUZK_GROTH16_POINTS_H
#define CUZK_GROTH16_POINTS_H

#include "groth16/params_layout.h"

/* Buffer of a streamed section: 2^20 points of G1, 2^19 of G2. Twice as many take 3 % longer each
 * (less of the scratch stays in the caches) and a third more memory; reducing the buckets (16
 * windows of 2^15, two additions each) is 6 % of the additions. */
#define POINTS_CHUNK_BYTES ((size_t)96 << 20)

/* Test hook: points a chunk instead (0: by bytes). Not for use while proofs are running. */
extern size_t cuzk_points_forced_chunk;

/* Points of a section of n points that are in memory at a time. */
size_t cuzk_points_chunk(params_section s, size_t n, bool streamed);

/* p: points [begin, begin + n) of the section, g1_affine or (b_g2) g2_affine. */
typedef cuzk_status (*points_visit_fn)(void *ctx, const void *p, size_t begin, size_t n,
                                       cuzk_err *err);

/* Streamed points pass every check of cuzk_srs_read, with its errors. Stops at the first failure.
 */
cuzk_status cuzk_points_visit(const groth16_srs *srs, params_section s, cuzk_pool *pool,
                              points_visit_fn visit, void *ctx, cuzk_err *err);

/* Only the vk and the counts are read now; the descriptor of f goes over to the key. */
cuzk_status cuzk_points_stream(groth16_srs *out, params_file *f, cuzk_pool *pool, cuzk_err *err);

void cuzk_srs_file_close(srs_file *f); /* accepts NULL */

#endif

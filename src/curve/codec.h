/* Point encodings of BLS12-381 (spec formats.md section 7.1).
 *
 * Uncompressed G1 96 bytes x || y, G2 192 bytes x.c1 || x.c0 || y.c1 || y.c0, big-endian;
 * compressed 48 and 96 bytes with the flags 0x80 (compressed), 0x40 (infinity), 0x20 (larger root).
 */
#ifndef CUZK_CURVE_CODEC_H
#define CUZK_CURVE_CODEC_H

#include "curve/g1.h"
#include "curve/g2.h"

typedef enum {
    POINT_OK,
    POINT_BAD_FLAGS,     /* compression, infinity or sign flag not as this encoding wants it */
    POINT_NOT_CANONICAL, /* a coordinate is not below p */
    POINT_NOT_ON_CURVE,
    POINT_NOT_IN_SUBGROUP, /* only from the *_checked readers */
} point_status;

const char *cuzk_point_status_text(point_status st); /* "is not on the curve"; static */

void cuzk_g1_write(uint8_t out[96], const g1_affine *p);
void cuzk_g2_write(uint8_t out[192], const g2_affine *p);
void cuzk_g1_write_compressed(uint8_t out[48], const g1_affine *p);
void cuzk_g2_write_compressed(uint8_t out[96], const g2_affine *p);

/* The identity decodes as (0, 0): callers that refuse it test for it. No subgroup check unless
 * named so. On failure *r is unspecified. */
point_status cuzk_g1_read(g1_affine *r, const uint8_t in[96]);
point_status cuzk_g2_read(g2_affine *r, const uint8_t in[192]);
point_status cuzk_g1_read_compressed_checked(g1_affine *r, const uint8_t in[48]);
point_status cuzk_g2_read_compressed_checked(g2_affine *r, const uint8_t in[96]);

/* The fast way through long arrays of uncompressed points: decodes the longest prefix of groups of
 * eight finite points that the plain readers accept, and returns its length, a multiple of 8; 0
 * where the machine has no such path. The caller reads the next point with cuzk_g1_read, which says
 * what is the matter with it if anything is, and comes back. in may be r: points decode where they
 * lie. */
size_t cuzk_g1_read_run(g1_affine r[], const uint8_t *in, size_t n);
size_t cuzk_g2_read_run(g2_affine r[], const uint8_t *in, size_t n);

#endif

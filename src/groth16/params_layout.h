/* Where things are in a .params or .vk file (spec formats.md 7.2, 7.3), shared by the readers.
 *
 * Both begin with six points and the vector ic. A .params file goes on with h, l, a, b_g1, b_g2.
 * Each vector is a big-endian u32 count and that many uncompressed points. Files are read with
 * pread: a mapping of a file that another process truncates would kill us.
 */
#ifndef CUZK_GROTH16_PARAMS_LAYOUT_H
#define CUZK_GROTH16_PARAMS_LAYOUT_H

#include "groth16/groth16.h"

#define G1_FILE_BYTES ((size_t)96)
#define G2_FILE_BYTES ((size_t)192)
/* alpha_g1, beta_g1, beta_g2, gamma_g2, delta_g1, delta_g2 */
#define VK_POINTS_BYTES (3 * G1_FILE_BYTES + 3 * G2_FILE_BYTES)

typedef enum {
    SECTION_IC,
    SECTION_H,
    SECTION_L,
    SECTION_A,
    SECTION_B_G1,
    SECTION_B_G2,
    SECTION_COUNT
} params_section;

/* "vk (ic)", "h", ...; static. */
const char *cuzk_section_name(params_section s);
size_t cuzk_section_point_bytes(params_section s);

typedef struct {
    uint64_t offset; /* of the first point */
    size_t n;
} section_span;

typedef struct {
    int fd; /* -1: closed */
    const char *path;
    uint64_t file_bytes;
    section_span section[SECTION_COUNT];
    /* For whoever watches a long read; NULL after opening. */
    atomic_uint_least64_t *done; /* bytes read are added */
    const atomic_bool *cancel;   /* set: reading fails with CUZK_CANCELLED */
} params_file;

/* Opens path and walks the counts of the first n_sections vectors, which must fill the file
 * exactly. path must outlive *f. CUZK_NOT_FOUND, CUZK_IO, CUZK_PARAMS. On failure nothing is held.
 */
cuzk_status cuzk_params_open(params_file *f, const char *path, size_t n_sections, cuzk_err *err);
void cuzk_params_close(params_file *f);

cuzk_status cuzk_params_pread(const params_file *f, void *out, uint64_t offset, size_t n,
                              cuzk_err *err);

/* Decodes points [begin, begin + n) of a section, in parallel: canonical, on the curve, no
 * identity. out receives n g1_affine, or g2_affine for SECTION_B_G2. subgroup: also tests every
 * single point (slow; meant for ic). Errors name file, section and the first bad index. */
cuzk_status cuzk_params_decode(const params_file *f, params_section s, size_t begin, size_t n,
                               void *out, bool subgroup, cuzk_pool *pool, cuzk_err *err);

/* The vk at the start of either kind of file, every point checked for its subgroup. */
cuzk_status cuzk_params_decode_vk(groth16_vk *out, const params_file *f, cuzk_pool *pool,
                                  cuzk_err *err);

/* The key of an open file: points in memory, or (streamed) read from it later. Resident, f stays
 * the caller's to close; streamed, the key takes the descriptor over. */
cuzk_status cuzk_srs_of_file(groth16_srs *out, params_file *f, bool streamed, cuzk_pool *pool,
                             cuzk_err *err);

/* First bytes of either kind of file: VK_POINTS_BYTES. */
void cuzk_vk_encode_points(uint8_t out[VK_POINTS_BYTES], const groth16_vk *vk);
void cuzk_store_be32(uint8_t out[4], uint32_t x);

#endif

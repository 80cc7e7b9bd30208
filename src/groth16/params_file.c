/* Decoding parameter files: points into Montgomery form, in parallel and in place.
 *
 * A point takes as many bytes in memory as in the file (96 and 192), so a chunk is read straight
 * into the array and each point decoded where it lies: no buffers. The first bad point is reported
 * whatever the number of threads.
 */
#include <stdatomic.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "curve/codec.h"
#include "groth16/points.h"

_Static_assert(sizeof(g1_affine) == 96 && sizeof(g2_affine) == 192, "decoded in place");

/* Points a task: 384 KiB of G1 a read is big enough for disks, small enough for L2. Small sections
 * are cut finer, so that no thread waits long for the last task; and a test for the subgroup takes
 * as long as decoding 100 points. */
#define CHUNK_MAX      4096u
#define CHUNK_MIN      512u
#define CHUNK_SUBGROUP 8u
#define TASKS          16u

/* What can be wrong with a point, beyond point_status. */
enum { FAULT_IDENTITY = 64, FAULT_IO };

typedef struct {
    const params_file *file;
    params_section section;
    size_t begin, n, chunk;
    uint8_t *out;
    bool subgroup;
    atomic_uint_least64_t fault; /* index << 8 | what, the least index wins; UINT64_MAX: none */
    cuzk_err io_err;             /* written by whoever sets io_failed first */
    atomic_bool io_failed;
} decode_run;

static unsigned decode_g1(const decode_run *r, uint8_t *at)
{
    g1_affine p;
    point_status st = cuzk_g1_read(&p, at);
    if (st != POINT_OK)
        return (unsigned)st;
    if (g1_affine_is_identity(&p))
        return FAULT_IDENTITY;
    if (r->subgroup && !cuzk_g1_affine_in_subgroup(&p))
        return POINT_NOT_IN_SUBGROUP;
    memcpy(at, &p, sizeof p);
    return POINT_OK;
}

static unsigned decode_g2(const decode_run *r, uint8_t *at)
{
    g2_affine p;
    point_status st = cuzk_g2_read(&p, at);
    if (st != POINT_OK)
        return (unsigned)st;
    if (g2_affine_is_identity(&p))
        return FAULT_IDENTITY;
    if (r->subgroup && !cuzk_g2_affine_in_subgroup(&p))
        return POINT_NOT_IN_SUBGROUP;
    memcpy(at, &p, sizeof p);
    return POINT_OK;
}

/* The prefix of n points that decodes eight at a time; never with a test of the subgroup. */
static size_t decode_many(const decode_run *r, uint8_t *at, size_t n)
{
    if (r->subgroup)
        return 0;
    if (r->section == SECTION_B_G2)
        return cuzk_g2_read_run((g2_affine *)(void *)at, at, n);
    return cuzk_g1_read_run((g1_affine *)(void *)at, at, n);
}

static void report(decode_run *r, size_t index, unsigned what)
{
    uint64_t mine = (uint64_t)index << 8 | what, seen = atomic_load(&r->fault);
    while (mine < seen && !atomic_compare_exchange_weak(&r->fault, &seen, mine))
        ;
}

static void report_io(decode_run *r, size_t index, const cuzk_err *err)
{
    if (!atomic_exchange(&r->io_failed, true))
        r->io_err = *err;
    report(r, index, FAULT_IO);
}

static size_t chunk_of(size_t n, bool subgroup)
{
    size_t chunk = (n / TASKS + 7) & ~(size_t)7; /* eight are decoded together */
    if (subgroup)
        return CHUNK_SUBGROUP;
    return chunk < CHUNK_MIN ? CHUNK_MIN : chunk > CHUNK_MAX ? CHUNK_MAX : chunk;
}

static void decode_chunk(void *ctx, size_t index, unsigned worker)
{
    decode_run *r = ctx;
    (void)worker;
    size_t first = index * r->chunk, point_bytes = cuzk_section_point_bytes(r->section);
    size_t n = r->n - first < r->chunk ? r->n - first : r->chunk;
    uint8_t *at = r->out + first * point_bytes;
    if (atomic_load(&r->fault) >> 8 < r->begin + first)
        return; /* an earlier point is bad already */
    cuzk_err err;
    uint64_t offset = r->file->section[r->section].offset + (r->begin + first) * point_bytes;
    if (cuzk_params_pread(r->file, at, offset, n * point_bytes, &err) != CUZK_OK) {
        report_io(r, r->begin + first, &err);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        i += decode_many(r, at + i * point_bytes, n - i);
        if (i == n)
            break;
        uint8_t *p = at + i * point_bytes;
        unsigned what = r->section == SECTION_B_G2 ? decode_g2(r, p) : decode_g1(r, p);
        if (what != POINT_OK) {
            report(r, r->begin + first + i, what);
            return;
        }
    }
}

static cuzk_status decode_failed(const decode_run *r, uint64_t fault, cuzk_err *err)
{
    unsigned what = (unsigned)(fault & 0xff);
    if (atomic_load(&r->io_failed)) {
        if (err)
            *err = r->io_err;
        return r->io_err.status;
    }
    return cuzk_fail(
        err, CUZK_CORRUPT, 0, "%s: section %s, point %zu of %zu %s", r->file->path,
        cuzk_section_name(r->section), (size_t)(fault >> 8), r->file->section[r->section].n,
        what == FAULT_IDENTITY ? "is the identity" : cuzk_point_status_text((point_status)what));
}

cuzk_status cuzk_params_decode(const params_file *f, params_section s, size_t begin, size_t n,
                               void *out, bool subgroup, cuzk_pool *pool, cuzk_err *err)
{
    decode_run r = {
        .file = f, .section = s, .begin = begin, .n = n, .out = out, .subgroup = subgroup};
    r.chunk = chunk_of(n, subgroup);
    atomic_init(&r.fault, UINT64_MAX);
    if (!cuzk_pool_try(pool, (n + r.chunk - 1) / r.chunk, decode_chunk, &r))
        return cuzk_fail(err, CUZK_CANCELLED, 0, "%s: cancelled while section %s was read", f->path,
                         cuzk_section_name(s));
    uint64_t fault = atomic_load(&r.fault);
    return fault == UINT64_MAX ? CUZK_OK : decode_failed(&r, fault, err);
}

/* ---- verifying key ---- */

typedef struct {
    const params_file *file;
    const uint8_t *at; /* next encoded point */
    cuzk_err *err;
} key_reader;

static cuzk_status bad_key_point(const key_reader *r, const char *name, const char *what)
{
    return cuzk_fail(r->err, CUZK_CORRUPT, 0, "%s: section vk, %s %s", r->file->path, name, what);
}

static cuzk_status key_g1(key_reader *r, g1_affine *p, const char *name)
{
    point_status st = cuzk_g1_read(p, r->at);
    if (st == POINT_OK && !cuzk_g1_affine_in_subgroup(p))
        st = POINT_NOT_IN_SUBGROUP;
    r->at += G1_FILE_BYTES;
    if (st != POINT_OK)
        return bad_key_point(r, name, cuzk_point_status_text(st));
    return g1_affine_is_identity(p) ? bad_key_point(r, name, "is the identity") : CUZK_OK;
}

static cuzk_status key_g2(key_reader *r, g2_affine *p, const char *name)
{
    point_status st = cuzk_g2_read(p, r->at);
    if (st == POINT_OK && !cuzk_g2_affine_in_subgroup(p))
        st = POINT_NOT_IN_SUBGROUP;
    r->at += G2_FILE_BYTES;
    if (st != POINT_OK)
        return bad_key_point(r, name, cuzk_point_status_text(st));
    return g2_affine_is_identity(p) ? bad_key_point(r, name, "is the identity") : CUZK_OK;
}

static cuzk_status decode_key_points(groth16_vk *vk, const params_file *f, cuzk_err *err)
{
    uint8_t bytes[VK_POINTS_BYTES];
    key_reader r = {f, bytes, err};
    cuzk_status st;
    CUZK_TRY(cuzk_params_pread(f, bytes, 0, sizeof bytes, err));
    CUZK_TRY(key_g1(&r, &vk->alpha_g1, "alpha_g1"));
    CUZK_TRY(key_g1(&r, &vk->beta_g1, "beta_g1"));
    CUZK_TRY(key_g2(&r, &vk->beta_g2, "beta_g2"));
    CUZK_TRY(key_g2(&r, &vk->gamma_g2, "gamma_g2"));
    CUZK_TRY(key_g1(&r, &vk->delta_g1, "delta_g1"));
    CUZK_TRY(key_g2(&r, &vk->delta_g2, "delta_g2"));
out:
    return st;
}

/* Allocates and decodes a whole section. *points (g1_affine or g2_affine) is the caller's to free.
 */
static cuzk_status load_section(void **points, size_t *n_points, const params_file *f,
                                params_section s, bool subgroup, cuzk_pool *pool, cuzk_err *err)
{
    size_t n = f->section[s].n;
    void *p = cuzk_malloc_array(n ? n : 1, cuzk_section_point_bytes(s));
    if (!p)
        return cuzk_fail(err, CUZK_NOMEM, 0, "%s: no memory for the %zu points of section %s",
                         f->path, n, cuzk_section_name(s));
    cuzk_status st = cuzk_params_decode(f, s, 0, n, p, subgroup, pool, err);
    if (st != CUZK_OK) {
        cuzk_free(p);
        return st;
    }
    *points = p;
    *n_points = n;
    return CUZK_OK;
}

cuzk_status cuzk_params_decode_vk(groth16_vk *out, const params_file *f, cuzk_pool *pool,
                                  cuzk_err *err)
{
    groth16_vk vk = {0};
    void *ic = NULL;
    cuzk_status st;
    CUZK_TRY(decode_key_points(&vk, f, err));
    CUZK_TRY(load_section(&ic, &vk.n_ic, f, SECTION_IC, true, pool, err));
    vk.ic = ic;
    *out = vk;
out:
    return st;
}

static cuzk_status read_vk(groth16_vk *out, const char *path, size_t n_sections, cuzk_err *err)
{
    params_file f;
    cuzk_status st = cuzk_params_open(&f, path, n_sections, err);
    if (st != CUZK_OK)
        return st;
    st = cuzk_params_decode_vk(out, &f, NULL, err);
    cuzk_params_close(&f);
    return st;
}

cuzk_status cuzk_vk_read(groth16_vk *out, const char *path, cuzk_err *err)
{
    return read_vk(out, path, SECTION_IC + 1, err);
}

cuzk_status cuzk_params_read_vk(groth16_vk *out, const char *path, cuzk_err *err)
{
    return read_vk(out, path, SECTION_COUNT, err);
}

void cuzk_vk_fini(groth16_vk *vk)
{
    cuzk_free(vk->ic);
    *vk = (groth16_vk){0};
}

void cuzk_store_be32(uint8_t out[4], uint32_t x)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(x >> (24 - 8 * i));
}

void cuzk_vk_encode_points(uint8_t out[VK_POINTS_BYTES], const groth16_vk *vk)
{
    cuzk_g1_write(out, &vk->alpha_g1);
    cuzk_g1_write(out + 96, &vk->beta_g1);
    cuzk_g2_write(out + 192, &vk->beta_g2);
    cuzk_g2_write(out + 384, &vk->gamma_g2);
    cuzk_g1_write(out + 576, &vk->delta_g1);
    cuzk_g2_write(out + 672, &vk->delta_g2);
}

cuzk_status cuzk_vk_write(const groth16_vk *vk, const char *path, cuzk_err *err)
{
    size_t n = VK_POINTS_BYTES + 4 + vk->n_ic * G1_FILE_BYTES;
    if (vk->n_ic > UINT32_MAX)
        return cuzk_fail(err, CUZK_INVAL, 0, "%s: %zu ic points do not fit a u32 count", path,
                         vk->n_ic);
    uint8_t *bytes = cuzk_malloc(n);
    if (!bytes)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for the %zu bytes of %s", n, path);
    cuzk_vk_encode_points(bytes, vk);
    cuzk_store_be32(bytes + VK_POINTS_BYTES, (uint32_t)vk->n_ic);
    for (size_t i = 0; i < vk->n_ic; i++)
        cuzk_g1_write(bytes + VK_POINTS_BYTES + 4 + i * G1_FILE_BYTES, &vk->ic[i]);
    cuzk_status st = cuzk_file_write(path, bytes, n, err);
    cuzk_free(bytes);
    return st;
}

/* ---- proving key ---- */

static cuzk_status load_all(groth16_srs *srs, const params_file *f, cuzk_pool *pool, cuzk_err *err)
{
    void *p[SECTION_COUNT] = {NULL};
    size_t n[SECTION_COUNT] = {0};
    cuzk_status st;
    CUZK_TRY(cuzk_params_decode_vk(&srs->vk, f, pool, err));
    for (params_section s = SECTION_H; s < SECTION_COUNT; s++)
        CUZK_TRY(load_section(&p[s], &n[s], f, s, false, pool, err));
out:
    srs->h = p[SECTION_H];
    srs->l = p[SECTION_L];
    srs->a = p[SECTION_A];
    srs->b_g1 = p[SECTION_B_G1];
    srs->b_g2 = p[SECTION_B_G2];
    srs->n_h = n[SECTION_H];
    srs->n_l = n[SECTION_L];
    srs->n_a = n[SECTION_A];
    srs->n_b = n[SECTION_B_G1];
    return st;
}

static cuzk_status read_points(groth16_srs *out, const params_file *f, cuzk_pool *pool,
                               cuzk_err *err)
{
    groth16_srs srs = {0};
    cuzk_status st = load_all(&srs, f, pool, err);
    if (st == CUZK_OK)
        *out = srs;
    else
        cuzk_srs_fini(&srs);
    return st;
}

cuzk_status cuzk_srs_of_file(groth16_srs *out, params_file *f, bool streamed, cuzk_pool *pool,
                             cuzk_err *err)
{
    return streamed ? cuzk_points_stream(out, f, pool, err) : read_points(out, f, pool, err);
}

static cuzk_status read_path(groth16_srs *out, const char *path, bool streamed, cuzk_pool *pool,
                             cuzk_err *err)
{
    params_file f;
    cuzk_status st = cuzk_params_open(&f, path, SECTION_COUNT, err);
    if (st != CUZK_OK)
        return st;
    st = cuzk_srs_of_file(out, &f, streamed, pool, err);
    cuzk_params_close(&f);
    return st;
}

cuzk_status cuzk_srs_read(groth16_srs *out, const char *path, cuzk_pool *pool, cuzk_err *err)
{
    return read_path(out, path, false, pool, err);
}

cuzk_status cuzk_srs_open(groth16_srs *out, const char *path, cuzk_err *err)
{
    return read_path(out, path, true, NULL, err);
}

void cuzk_srs_fini(groth16_srs *srs)
{
    cuzk_free(srs->b_g2);
    cuzk_free(srs->b_g1);
    cuzk_free(srs->a);
    cuzk_free(srs->l);
    cuzk_free(srs->h);
    cuzk_srs_file_close(srs->file);
    cuzk_vk_fini(&srs->vk);
    *srs = (groth16_srs){0};
}

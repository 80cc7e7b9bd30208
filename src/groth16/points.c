/* Resident and streamed proving keys: see points.h. */
#include "groth16/points.h"

#include <fcntl.h>

#include "base/mem.h"

size_t cuzk_points_forced_chunk;

struct srs_file {
    params_file file;
    char *path; /* file.path points here */
};

void cuzk_srs_file_close(srs_file *f)
{
    if (!f)
        return;
    cuzk_params_close(&f->file);
    cuzk_free(f->path);
    cuzk_free(f);
}

static cuzk_status take_file(srs_file **out, params_file *from, cuzk_err *err)
{
    srs_file *f = (srs_file *)cuzk_calloc(1, sizeof *f);
    char *copy = cuzk_strdup(from->path);
    if (!f || !copy) {
        cuzk_free(copy);
        cuzk_free(f);
        return cuzk_fail(err, CUZK_NOMEM, 0, "%s: no memory to open it", from->path);
    }
    f->file = *from;
    f->file.path = f->path = copy;
    f->file.done = NULL;
    f->file.cancel = NULL;
    from->fd = -1;
    *out = f;
    return CUZK_OK;
}

cuzk_status cuzk_points_stream(groth16_srs *out, params_file *f, cuzk_pool *pool, cuzk_err *err)
{
    groth16_srs srs = {0};
    cuzk_status st = cuzk_params_decode_vk(&srs.vk, f, pool, err);
    if (st != CUZK_OK)
        return st;
    srs.n_h = f->section[SECTION_H].n;
    srs.n_l = f->section[SECTION_L].n;
    srs.n_a = f->section[SECTION_A].n;
    srs.n_b = f->section[SECTION_B_G1].n;
    st = take_file(&srs.file, f, err);
    if (st == CUZK_OK)
        *out = srs;
    else
        cuzk_srs_fini(&srs);
    return st;
}

static const void *resident(const groth16_srs *srs, params_section s, size_t *n)
{
    switch (s) {
    case SECTION_H:
        *n = srs->n_h;
        return srs->h;
    case SECTION_L:
        *n = srs->n_l;
        return srs->l;
    case SECTION_A:
        *n = srs->n_a;
        return srs->a;
    case SECTION_B_G1:
        *n = srs->n_b;
        return srs->b_g1;
    case SECTION_B_G2:
        *n = srs->n_b;
        return srs->b_g2;
    case SECTION_IC:
    case SECTION_COUNT:
        break;
    }
    *n = srs->vk.n_ic;
    return srs->vk.ic;
}

size_t cuzk_points_chunk(params_section s, size_t n, bool streamed)
{
    size_t chunk = cuzk_points_forced_chunk;
    if (chunk == 0)
        chunk = POINTS_CHUNK_BYTES / cuzk_section_point_bytes(s);
    return streamed && chunk < n ? chunk : n;
}

/* Asks the kernel to read the next points while these are summed. Only advice: no error. */
static void read_ahead(const params_file *f, params_section s, size_t begin, size_t n)
{
    size_t left = f->section[s].n - begin, bytes = cuzk_section_point_bytes(s);
    if (left > 0)
        posix_fadvise(f->fd, (off_t)(f->section[s].offset + begin * bytes),
                      (off_t)((left < n ? left : n) * bytes), POSIX_FADV_WILLNEED);
}

static cuzk_status visit_file(const params_file *f, params_section s, cuzk_pool *pool,
                              points_visit_fn visit, void *ctx, cuzk_err *err)
{
    size_t all = f->section[s].n, chunk = cuzk_points_chunk(s, all, true);
    cuzk_status st = CUZK_OK;
    void *p = cuzk_malloc_array(chunk ? chunk : 1, cuzk_section_point_bytes(s));
    if (!p)
        return cuzk_fail(err, CUZK_NOMEM, 0, "%s: no memory for %zu points of section %s", f->path,
                         chunk, cuzk_section_name(s));
    for (size_t begin = 0, n; begin < all; begin += n) {
        n = all - begin < chunk ? all - begin : chunk;
        CUZK_TRY(cuzk_params_decode(f, s, begin, n, p, false, pool, err));
        read_ahead(f, s, begin + n, chunk);
        CUZK_TRY(visit(ctx, p, begin, n, err));
    }
out:
    cuzk_free(p);
    return st;
}

cuzk_status cuzk_points_visit(const groth16_srs *srs, params_section s, cuzk_pool *pool,
                              points_visit_fn visit, void *ctx, cuzk_err *err)
{
    size_t n;
    if (srs->file)
        return visit_file(&srs->file->file, s, pool, visit, ctx, err);
    const void *p = resident(srs, s, &n);
    return visit(ctx, p, 0, n, err);
}

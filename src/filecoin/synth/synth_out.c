#include "filecoin/synth/synth_out.h"

#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "filecoin/bytes.h"

void cuzk_synth_out_open(synth_out *o, const char *dir, const char *name, cuzk_err *err)
{
    memset(o, 0, sizeof *o);
    o->err = err;
    char *path = cuzk_path_join(dir, name);
    if (path)
        o->st = cuzk_file_writer_open(&o->file, path, err);
    else
        o->st = cuzk_fail(err, CUZK_NOMEM, 0, "no memory for a path");
    o->file.no_sync = true; /* thousands of files, and the same options make them again */
    cuzk_free(path);
}

void cuzk_synth_out_put(synth_out *o, const void *data, size_t n)
{
    if (o->st != CUZK_OK)
        return;
    o->st = cuzk_file_writer_put(&o->file, data, n, o->err);
    o->n_bytes += n;
}

void cuzk_synth_out_printf(synth_out *o, const char *fmt, ...)
{
    char text[512]; /* longer than any line of a request */
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof text) {
        if (o->st == CUZK_OK)
            o->st = cuzk_fail(o->err, CUZK_INTERNAL, 0, "a line of a request is too long");
        return;
    }
    cuzk_synth_out_put(o, text, (size_t)n);
}

cuzk_status cuzk_synth_out_close(synth_out *o)
{
    if (o->st == CUZK_OK)
        o->st = cuzk_file_writer_commit(&o->file, o->err);
    else
        cuzk_file_writer_abort(&o->file);
    return o->st;
}

void cuzk_synth_bin_u64(synth_out *o, uint64_t v)
{
    uint8_t b[8];
    store_u64_le(b, v);
    cuzk_synth_out_put(o, b, sizeof b);
}

void cuzk_synth_bin_fr(synth_out *o, const fr *v)
{
    uint8_t b[32];
    cuzk_fr_to_bytes(b, v);
    cuzk_synth_out_put(o, b, sizeof b);
}

/* Levels [begin, end) of a proof whose siblings of level begin start at *sibling, which moves
 * on. */
static void bin_levels(synth_out *o, const merkle_proof *p, unsigned begin, unsigned end,
                       const fr **sibling)
{
    cuzk_synth_bin_u64(o, end - begin);
    for (unsigned l = begin; l < end; l++) {
        unsigned n = p->arity[l] - 1u;
        cuzk_synth_bin_u64(o, n);
        for (unsigned i = 0; i < n; i++)
            cuzk_synth_bin_fr(o, (*sibling)++);
        cuzk_synth_bin_u64(o, p->index[l]);
    }
}

void cuzk_synth_bin_proof(synth_out *o, const sector_shape *s, const merkle_proof *p, bool binary)
{
    /* The variant: how many levels lie above the base tree. */
    unsigned above = binary ? 0 : p->n_levels - s->base_levels;
    const fr *sibling = p->sibling;
    uint8_t tag[4];
    store_u32_le(tag, above);
    cuzk_synth_out_put(o, tag, sizeof tag);
    if (above == 0) { /* the only variant with root and leaf in front */
        cuzk_synth_bin_fr(o, &p->root);
        cuzk_synth_bin_fr(o, &p->leaf);
        bin_levels(o, p, 0, p->n_levels, &sibling);
        return;
    }
    bin_levels(o, p, 0, s->base_levels, &sibling);
    for (unsigned l = s->base_levels; l < p->n_levels; l++)
        bin_levels(o, p, l, l + 1, &sibling);
    cuzk_synth_bin_fr(o, &p->root);
    cuzk_synth_bin_fr(o, &p->leaf);
}

/* The JSON half of synth_out.h. Most of a C1 is byte arrays, so those are written by hand. */
#include <string.h>

#include "filecoin/synth/synth_out.h"

static void text(synth_out *o, const char *s)
{
    cuzk_synth_out_put(o, s, strlen(s));
}

/* Decimal digits of v at p; returns the end. */
static char *put_byte(char *p, unsigned v)
{
    if (v >= 100)
        *p++ = (char)('0' + v / 100);
    if (v >= 10)
        *p++ = (char)('0' + v / 10 % 10);
    *p++ = (char)('0' + v % 10);
    return p;
}

void cuzk_synth_json_bytes(synth_out *o, const uint8_t b[32])
{
    char out[32 * 4 + 1], *p = out;
    for (unsigned i = 0; i < 32; i++) {
        *p++ = i == 0 ? '[' : ',';
        p = put_byte(p, b[i]);
    }
    *p++ = ']';
    cuzk_synth_out_put(o, out, (size_t)(p - out));
}

void cuzk_synth_json_fr(synth_out *o, const fr *v)
{
    uint8_t b[32];
    cuzk_fr_to_bytes(b, v);
    cuzk_synth_json_bytes(o, b);
}

static void json_frs(synth_out *o, const fr v[], size_t n)
{
    text(o, "[");
    for (size_t i = 0; i < n; i++) {
        if (i)
            text(o, ",");
        cuzk_synth_json_fr(o, &v[i]);
    }
    text(o, "]");
}

static void json_levels(synth_out *o, const merkle_proof *p, unsigned begin, unsigned end,
                        const fr **sibling)
{
    text(o, "{\"path\":[");
    for (unsigned l = begin; l < end; l++) {
        unsigned n = p->arity[l] - 1u;
        text(o, l == begin ? "{\"hashes\":" : ",{\"hashes\":");
        json_frs(o, *sibling, n);
        *sibling += n;
        cuzk_synth_out_printf(o, ",\"index\":%u}", p->index[l]);
    }
    text(o, "]}");
}

static void json_root_leaf(synth_out *o, const merkle_proof *p)
{
    text(o, "\"root\":");
    cuzk_synth_json_fr(o, &p->root);
    text(o, ",\"leaf\":");
    cuzk_synth_json_fr(o, &p->leaf);
}

void cuzk_synth_json_proof(synth_out *o, const sector_shape *s, const merkle_proof *p, bool binary)
{
    unsigned base = binary ? p->n_levels : s->base_levels, above = p->n_levels - base;
    const fr *sibling = p->sibling;
    if (above == 0) {
        text(o, "{\"data\":{\"Single\":{");
        json_root_leaf(o, p);
        text(o, ",\"path\":");
        json_levels(o, p, 0, base, &sibling);
        text(o, "}}}");
        return;
    }
    text(o, above == 1 ? "{\"data\":{\"Sub\":{" : "{\"data\":{\"Top\":{");
    text(o, "\"base_proof\":");
    json_levels(o, p, 0, base, &sibling);
    text(o, ",\"sub_proof\":");
    json_levels(o, p, base, base + 1, &sibling);
    if (above == 2) {
        text(o, ",\"top_proof\":");
        json_levels(o, p, base + 1, base + 2, &sibling);
    }
    text(o, ",");
    json_root_leaf(o, p);
    text(o, "}}}");
}

void cuzk_synth_json_column(synth_out *o, const sector_shape *s, const column_proof *c)
{
    cuzk_synth_out_printf(o, "{\"column\":{\"index\":%u,\"rows\":", c->index);
    json_frs(o, c->rows, s->layers);
    text(o, ",\"_h\":null},\"inclusion_proof\":");
    cuzk_synth_json_proof(o, s, &c->inclusion, false);
    text(o, "}");
}

void cuzk_synth_json_labeling(synth_out *o, const labeling_proof *l)
{
    text(o, "{\"parents\":");
    json_frs(o, l->parents, LABEL_PARENTS);
    cuzk_synth_out_printf(o, ",\"layer_index\":%u,\"node\":%llu}", l->layer_index,
                          (unsigned long long)l->node);
}

static void json_columns(synth_out *o, const sector_shape *s, const column_proof c[], unsigned n)
{
    text(o, "[");
    for (unsigned i = 0; i < n; i++) {
        if (i)
            text(o, ",");
        cuzk_synth_json_column(o, s, &c[i]);
    }
    text(o, "]");
}

void cuzk_synth_json_porep(synth_out *o, const sector_shape *s, const porep_proof *p)
{
    text(o, "{\"comm_d_proofs\":");
    cuzk_synth_json_proof(o, s, &p->comm_d, true);
    text(o, ",\"comm_r_last_proof\":");
    cuzk_synth_json_proof(o, s, &p->comm_r_last, false);
    text(o, ",\"replica_column_proofs\":{\"c_x\":");
    cuzk_synth_json_column(o, s, &p->c_x);
    text(o, ",\"drg_parents\":");
    json_columns(o, s, p->drg, DRG_PARENTS);
    text(o, ",\"exp_parents\":");
    json_columns(o, s, p->exp, EXP_PARENTS);
    text(o, "},\"labeling_proofs\":[");
    for (unsigned l = 0; l < s->layers; l++) {
        if (l)
            text(o, ",");
        cuzk_synth_json_labeling(o, &p->labeling[l]);
    }
    text(o, "],\"encoding_proof\":");
    cuzk_synth_json_labeling(o, &p->encoding);
    text(o, "}");
}

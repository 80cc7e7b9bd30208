/* Point encodings, spec formats.md section 7.1. */
#include "curve/codec.h"

#define FLAG_COMPRESSED 0x80u
#define FLAG_INFINITY   0x40u
#define FLAG_LARGER     0x20u
#define FLAGS           0xe0u

/* 4 and 4 (1 + u), built from small integers so that no constant is written twice. */
static void curve_b_g1(fp *b)
{
    cuzk_fp_from_u64(b, 4);
}

static void curve_b_g2(fp2 *b)
{
    cuzk_fp_from_u64(&b->c0, 4);
    b->c1 = b->c0;
}

const char *cuzk_point_status_text(point_status st)
{
    switch (st) {
    case POINT_OK:
        return "is a valid point";
    case POINT_BAD_FLAGS:
        return "has flag bits that do not fit its encoding";
    case POINT_NOT_CANONICAL:
        return "has a coordinate that is not below the field modulus";
    case POINT_NOT_ON_CURVE:
        return "is not on the curve";
    case POINT_NOT_IN_SUBGROUP:
        return "is not in the subgroup of prime order";
    }
    return "has an unknown point status";
}

static void write_fp2(uint8_t out[96], const fp2 *a)
{
    cuzk_fp_to_bytes(out, &a->c1);
    cuzk_fp_to_bytes(out + 48, &a->c0);
}

static bool read_fp2(fp2 *r, const uint8_t in[96])
{
    return cuzk_fp_from_bytes(&r->c1, in) && cuzk_fp_from_bytes(&r->c0, in + 48);
}

static void write_infinity(uint8_t *out, size_t n, unsigned flags)
{
    memset(out, 0, n);
    out[0] = (uint8_t)(flags | FLAG_INFINITY);
}

void cuzk_g1_write(uint8_t out[96], const g1_affine *p)
{
    if (g1_affine_is_identity(p)) {
        write_infinity(out, 96, 0);
        return;
    }
    cuzk_fp_to_bytes(out, &p->x);
    cuzk_fp_to_bytes(out + 48, &p->y);
}

void cuzk_g2_write(uint8_t out[192], const g2_affine *p)
{
    if (g2_affine_is_identity(p)) {
        write_infinity(out, 192, 0);
        return;
    }
    write_fp2(out, &p->x);
    write_fp2(out + 96, &p->y);
}

void cuzk_g1_write_compressed(uint8_t out[48], const g1_affine *p)
{
    if (g1_affine_is_identity(p)) {
        write_infinity(out, 48, FLAG_COMPRESSED);
        return;
    }
    cuzk_fp_to_bytes(out, &p->x);
    out[0] |= (uint8_t)(FLAG_COMPRESSED | (cuzk_fp_is_larger_root(&p->y) ? FLAG_LARGER : 0));
}

void cuzk_g2_write_compressed(uint8_t out[96], const g2_affine *p)
{
    if (g2_affine_is_identity(p)) {
        write_infinity(out, 96, FLAG_COMPRESSED);
        return;
    }
    write_fp2(out, &p->x);
    out[0] |= (uint8_t)(FLAG_COMPRESSED | (cuzk_fp2_is_larger_root(&p->y) ? FLAG_LARGER : 0));
}

typedef enum { FORM_BAD, FORM_IDENTITY, FORM_FINITE } form;

/* Looks at the flags alone; `want` is FLAG_COMPRESSED or 0. */
static form classify(const uint8_t *in, size_t n, unsigned want)
{
    if ((in[0] & FLAG_COMPRESSED) != want)
        return FORM_BAD;
    if (!(in[0] & FLAG_INFINITY))
        return !want && (in[0] & FLAG_LARGER) ? FORM_BAD : FORM_FINITE;
    uint8_t rest = in[0] & (uint8_t) ~(FLAG_COMPRESSED | FLAG_INFINITY);
    for (size_t i = 1; i < n; i++)
        rest |= in[i];
    return rest ? FORM_BAD : FORM_IDENTITY;
}

point_status cuzk_g1_read(g1_affine *r, const uint8_t in[96])
{
    form f = classify(in, 96, 0);
    memset(r, 0, sizeof *r);
    if (f != FORM_FINITE)
        return f == FORM_IDENTITY ? POINT_OK : POINT_BAD_FLAGS;
    if (!cuzk_fp_from_bytes(&r->x, in) || !cuzk_fp_from_bytes(&r->y, in + 48))
        return POINT_NOT_CANONICAL;
    /* (0, 0) is our identity but no point of the curve */
    if (g1_affine_is_identity(r) || !cuzk_g1_affine_is_on_curve(r))
        return POINT_NOT_ON_CURVE;
    return POINT_OK;
}

point_status cuzk_g2_read(g2_affine *r, const uint8_t in[192])
{
    form f = classify(in, 192, 0);
    memset(r, 0, sizeof *r);
    if (f != FORM_FINITE)
        return f == FORM_IDENTITY ? POINT_OK : POINT_BAD_FLAGS;
    if (!read_fp2(&r->x, in) || !read_fp2(&r->y, in + 96))
        return POINT_NOT_CANONICAL;
    if (g2_affine_is_identity(r) || !cuzk_g2_affine_is_on_curve(r))
        return POINT_NOT_ON_CURVE;
    return POINT_OK;
}

point_status cuzk_g1_read_compressed_checked(g1_affine *r, const uint8_t in[48])
{
    uint8_t x[48];
    fp t, b;
    form f = classify(in, 48, FLAG_COMPRESSED);
    memset(r, 0, sizeof *r);
    if (f != FORM_FINITE)
        return f == FORM_IDENTITY ? POINT_OK : POINT_BAD_FLAGS;
    memcpy(x, in, sizeof x);
    x[0] &= (uint8_t)~FLAGS;
    if (!cuzk_fp_from_bytes(&r->x, x))
        return POINT_NOT_CANONICAL;
    curve_b_g1(&b);
    fp_sqr(&t, &r->x);
    fp_mul(&t, &t, &r->x);
    fp_add(&t, &t, &b);
    if (!cuzk_fp_sqrt_vartime(&r->y, &t))
        return POINT_NOT_ON_CURVE;
    if (cuzk_fp_is_larger_root(&r->y) != ((in[0] & FLAG_LARGER) != 0))
        fp_neg(&r->y, &r->y);
    return cuzk_g1_affine_in_subgroup(r) ? POINT_OK : POINT_NOT_IN_SUBGROUP;
}

point_status cuzk_g2_read_compressed_checked(g2_affine *r, const uint8_t in[96])
{
    uint8_t x[96];
    fp2 t, b;
    form f = classify(in, 96, FLAG_COMPRESSED);
    memset(r, 0, sizeof *r);
    if (f != FORM_FINITE)
        return f == FORM_IDENTITY ? POINT_OK : POINT_BAD_FLAGS;
    memcpy(x, in, sizeof x);
    x[0] &= (uint8_t)~FLAGS;
    if (!read_fp2(&r->x, x))
        return POINT_NOT_CANONICAL;
    curve_b_g2(&b);
    fp2_sqr(&t, &r->x);
    fp2_mul(&t, &t, &r->x);
    fp2_add(&t, &t, &b);
    if (!cuzk_fp2_sqrt_vartime(&r->y, &t))
        return POINT_NOT_ON_CURVE;
    if (cuzk_fp2_is_larger_root(&r->y) != ((in[0] & FLAG_LARGER) != 0))
        fp2_neg(&r->y, &r->y);
    return cuzk_g2_affine_in_subgroup(r) ? POINT_OK : POINT_NOT_IN_SUBGROUP;
}

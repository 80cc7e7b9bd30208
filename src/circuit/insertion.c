#include "circuit/insertion.h"

num cuzk_pick(cs *c, boolean cond, const num *a, const num *b)
{
    num x = cuzk_num_alloc(c, cond.value ? &a->value : &b->value);
    cs_row r;
    cs_row_begin(c, &r);
    cs_lc_add(&r.a, b->var, COEFF_ONE);
    cs_lc_add(&r.a, a->var, COEFF_MINUS_ONE);
    cuzk_bool_add_to(&r.b, cond, 0);
    cs_lc_add(&r.c, b->var, COEFF_ONE);
    cs_lc_add(&r.c, x.var, COEFF_MINUS_ONE);
    cs_row_end(c, &r);
    return x;
}

num cuzk_select(cs *c, num from[], const boolean bits[], unsigned n_bits)
{
    while (n_bits-- > 0) {
        size_t half = (size_t)1 << n_bits;
        for (size_t j = 0; j < half; j++)
            from[j] = cuzk_pick(c, bits[n_bits], &from[half + j], &from[j]);
    }
    return from[0];
}

static void insert2(cs *c, num out[], const num *a, const boolean s[], const num o[])
{
    out[0] = cuzk_pick(c, s[0], &o[0], a);
    out[1] = cuzk_pick(c, s[0], a, &o[0]);
}

static void insert4(cs *c, num out[], const num *a, const boolean s[], const num o[])
{
    const num *b = &o[0], *d = &o[2];
    num t = cuzk_pick(c, s[0], b, a);
    out[0] = cuzk_pick(c, s[1], b, &t);
    t = cuzk_pick(c, s[0], a, b);
    out[1] = cuzk_pick(c, s[1], &o[1], &t);
    t = cuzk_pick(c, s[0], d, a);
    out[2] = cuzk_pick(c, s[1], &t, &o[1]);
    t = cuzk_pick(c, s[0], a, d);
    out[3] = cuzk_pick(c, s[1], &t, d);
}

/* The first four and the last four outputs mirror each other: o[0..2] and o[4..6] are the siblings
 * next to the element, o[3] is the one in between. */
static void insert8(cs *c, num out[], const num *a, const boolean s[], const num o[])
{
    boolean nor = cuzk_bool_nor(c, s[0], s[1]);
    boolean both = cuzk_bool_and(c, s[0], s[1]);
    num t = cuzk_pick(c, nor, a, &o[0]);
    out[0] = cuzk_pick(c, s[2], &o[0], &t);
    t = cuzk_pick(c, s[0], a, &o[0]);
    t = cuzk_pick(c, s[1], &o[1], &t);
    out[1] = cuzk_pick(c, s[2], &o[1], &t);
    t = cuzk_pick(c, s[0], &o[2], a);
    t = cuzk_pick(c, s[1], &t, &o[1]);
    out[2] = cuzk_pick(c, s[2], &o[2], &t);
    t = cuzk_pick(c, both, a, &o[2]);
    out[3] = cuzk_pick(c, s[2], &o[3], &t);
    t = cuzk_pick(c, nor, a, &o[4]);
    out[4] = cuzk_pick(c, s[2], &t, &o[3]);
    t = cuzk_pick(c, s[0], a, &o[4]);
    t = cuzk_pick(c, s[1], &o[5], &t);
    out[5] = cuzk_pick(c, s[2], &t, &o[4]);
    t = cuzk_pick(c, s[0], &o[6], a);
    t = cuzk_pick(c, s[1], &t, &o[5]);
    out[6] = cuzk_pick(c, s[2], &t, &o[5]);
    t = cuzk_pick(c, both, a, &o[6]);
    out[7] = cuzk_pick(c, s[2], &t, &o[6]);
}

/* What stands at place p when the element is inserted at place n. */
static num candidate(const num *element, const num other[], unsigned p, unsigned n)
{
    return p == n ? *element : p < n ? other[p] : other[p - 1];
}

static void insert_general(cs *c, num out[], const num *element, const boolean bits[],
                           const num other[], unsigned size)
{
    for (unsigned p = 0; p < size; p++) {
        num column[INSERT_MAX];
        for (unsigned n = 0; n < size; n++)
            column[n] = candidate(element, other, p, n);
        out[p] = cuzk_select(c, column, bits, cuzk_lg_ceil(size));
    }
}

void cuzk_insert(cs *c, num out[], const num *element, const boolean bits[], const num other[],
                 unsigned size)
{
    if (size == 2)
        insert2(c, out, element, bits, other);
    else if (size == 4)
        insert4(c, out, element, bits, other);
    else if (size == 8)
        insert8(c, out, element, bits, other);
    else if (size == INSERT_MAX)
        insert_general(c, out, element, bits, other, size);
    else
        cs_fail(c, CUZK_INTERNAL, "circuit: insertion into %u places", size);
}

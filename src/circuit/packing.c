#include "circuit/packing.h"

#include "circuit/scope.h"

/* The integer that n <= 254 bits spell. */
static void bits_value(fr *out, const boolean bits[], size_t n)
{
    fr_canon v = {{0, 0, 0, 0}};
    for (size_t i = 0; i < n; i++)
        v.l[i / 64] |= (uint64_t)bits[i].value << (i % 64);
    cuzk_fr_from_canon(out, &v);
}

/* < sum 2^i b_i ; 1 ; x > */
static void pack_row(cs *c, const boolean bits[], size_t n, cs_var x)
{
    cs_row r;
    if (!cs_wants_rows(c))
        return;
    cs_row_begin(c, &r);
    for (unsigned i = 0; i < n; i++)
        cuzk_bool_add_to(&r.a, bits[i], i);
    cs_lc_add(&r.b, CS_ONE, COEFF_ONE);
    cs_lc_add(&r.c, x, COEFF_ONE);
    cs_row_end(c, &r);
}

num cuzk_pack_bits(cs *c, const boolean bits[], size_t n)
{
    size_t used = n < PACK_BITS ? n : PACK_BITS;
    fr value;
    num x = {{{0}}, 0};
    const cs_scope scope = {SCOPE_PACK, 0, {{bits, NULL, (unsigned)used}}, {{NULL, &x, 1}}};
    if (cs_scope_begin(c, &scope))
        return x;
    bits_value(&value, bits, used);
    x = cuzk_num_alloc(c, &value);
    pack_row(c, bits, used, x.var);
    cs_scope_end(c, &scope);
    return x;
}

void cuzk_pack_into_inputs(cs *c, const boolean bits[], size_t n)
{
    for (size_t i = 0; i < n; i += PACK_BITS) {
        size_t len = n - i < PACK_BITS ? n - i : PACK_BITS;
        fr value;
        bits_value(&value, bits + i, len);
        cs_var x = cs_alloc_input(c, &value);
        pack_row(c, bits + i, len, x);
    }
}

void cuzk_byte_order(boolean out[NODE_BITS], const boolean in[], unsigned n)
{
    for (unsigned i = 0; i < NODE_BITS; i++) {
        unsigned from = (i & ~7u) + 7 - i % 8;
        out[i] = from < n ? in[from] : bool_const(false);
    }
}

u64_bits cuzk_u64_alloc(cs *c, uint64_t value)
{
    u64_bits x;
    cuzk_bits_alloc_u64(c, x.bit, value, 64);
    return x;
}

void cuzk_u64_pack_into_input(cs *c, const u64_bits *x)
{
    cuzk_pack_into_inputs(c, x->bit, 64);
}

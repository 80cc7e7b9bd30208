#include "circuit/boolean.h"

static cs_var alloc_bit(cs *c, bool value)
{
    return cs_alloc_bit(c, value);
}

void cuzk_bool_add_to(cs_lc *lc, boolean b, unsigned lg)
{
    if (CUZK_LIKELY(b.kind == BOOL_IS)) {
        cs_lc_add(lc, b.var, &cuzk_pow2[lg]);
    } else if (b.kind == BOOL_NOT) {
        cs_lc_add(lc, CS_ONE, &cuzk_pow2[lg]);
        cs_lc_add(lc, b.var, &cuzk_neg_pow2[lg]);
    } else if (b.value) {
        cs_lc_add(lc, CS_ONE, &cuzk_pow2[lg]);
    }
}

void cuzk_bool_sub_from(cs_lc *lc, boolean b, unsigned lg)
{
    if (CUZK_LIKELY(b.kind == BOOL_IS)) {
        cs_lc_add(lc, b.var, &cuzk_neg_pow2[lg]);
    } else if (b.kind == BOOL_NOT) {
        cs_lc_add(lc, CS_ONE, &cuzk_neg_pow2[lg]);
        cs_lc_add(lc, b.var, &cuzk_pow2[lg]);
    } else if (b.value) {
        cs_lc_add(lc, CS_ONE, &cuzk_neg_pow2[lg]);
    }
}

boolean cuzk_bool_alloc(cs *c, bool value)
{
    cs_var x = alloc_bit(c, value);
    cs_row r;
    cs_row_begin(c, &r);
    cs_lc_add(&r.a, CS_ONE, COEFF_ONE);
    cs_lc_add(&r.a, x, COEFF_MINUS_ONE);
    cs_lc_add(&r.b, x, COEFF_ONE);
    cs_row_end(c, &r);
    return (boolean){x, BOOL_IS, value};
}

boolean cuzk_bool_alloc_conditionally(cs *c, bool value, boolean f)
{
    cs_var x = alloc_bit(c, value);
    cs_row r;
    cs_row_begin(c, &r);
    cs_lc_add(&r.a, CS_ONE, COEFF_ONE);
    cuzk_bool_sub_from(&r.a, f, 0);
    cs_lc_add(&r.a, x, COEFF_MINUS_ONE);
    cs_lc_add(&r.b, x, COEFF_ONE);
    cs_row_end(c, &r);
    return (boolean){x, BOOL_IS, value};
}

/* x = p xor q over variables: < 2p ; q ; p + q - x >. */
static cs_var xor_vars(cs *c, cs_var p, cs_var q, bool value)
{
    cs_var x = alloc_bit(c, value);
    cs_row r;
    cs_row_begin(c, &r);
    cs_lc_add(&r.a, p, COEFF_TWO);
    cs_lc_add(&r.b, q, COEFF_ONE);
    cs_lc_add(&r.c, p, COEFF_ONE);
    cs_lc_add(&r.c, q, COEFF_ONE);
    cs_lc_add(&r.c, x, COEFF_MINUS_ONE);
    cs_row_end(c, &r);
    return x;
}

boolean cuzk_bool_xor(cs *c, boolean a, boolean b)
{
    bool value = a.value ^ b.value;
    if (bool_is_const(a))
        return a.value ? bool_not(b) : b;
    if (bool_is_const(b))
        return b.value ? bool_not(a) : a;
    if (a.kind == b.kind)
        return (boolean){xor_vars(c, a.var, b.var, value), BOOL_IS, value};
    /* the variable of the Is operand stands on the A side, whichever came first */
    cs_var is = a.kind == BOOL_IS ? a.var : b.var, no = a.kind == BOOL_IS ? b.var : a.var;
    return (boolean){xor_vars(c, is, no, !value), BOOL_NOT, value};
}

/* x = p * q, each operand a variable or one minus a variable: < lc(p) ; lc(q) ; x >. */
static boolean product(cs *c, boolean p, boolean q)
{
    bool value = p.value & q.value;
    cs_var x = alloc_bit(c, value);
    cs_row r;
    cs_row_begin(c, &r);
    cuzk_bool_add_to(&r.a, p, 0);
    cuzk_bool_add_to(&r.b, q, 0);
    cs_lc_add(&r.c, x, COEFF_ONE);
    cs_row_end(c, &r);
    return (boolean){x, BOOL_IS, value};
}

boolean cuzk_bool_and(cs *c, boolean a, boolean b)
{
    if (bool_is_const(a))
        return a.value ? b : bool_const(false);
    if (bool_is_const(b))
        return b.value ? a : bool_const(false);
    if (a.kind == BOOL_NOT && b.kind == BOOL_IS)
        return product(c, b, a); /* Is on the A side */
    return product(c, a, b);
}

boolean cuzk_bool_nor(cs *c, boolean a, boolean b)
{
    return product(c, bool_not(a), bool_not(b));
}

static bool const_value(boolean b, bool value)
{
    return bool_is_const(b) && b.value == value;
}

static boolean general_ch(cs *c, boolean x, boolean y, boolean z)
{
    bool value = x.value ? y.value : z.value;
    cs_var v = alloc_bit(c, value);
    cs_row r;
    cs_row_begin(c, &r);
    cuzk_bool_add_to(&r.a, y, 0);
    cuzk_bool_sub_from(&r.a, z, 0);
    cuzk_bool_add_to(&r.b, x, 0);
    cs_lc_add(&r.c, v, COEFF_ONE);
    cuzk_bool_sub_from(&r.c, z, 0);
    cs_row_end(c, &r);
    return (boolean){v, BOOL_IS, value};
}

/* The order of the cases matters: see gadgets.md 2.3. */
boolean cuzk_bool_sha256_ch(cs *c, boolean x, boolean y, boolean z)
{
    if (bool_is_const(x) && bool_is_const(y) && bool_is_const(z))
        return bool_const(x.value ? y.value : z.value);
    if (const_value(x, false))
        return z;
    if (const_value(y, false))
        return cuzk_bool_and(c, bool_not(x), z);
    if (const_value(z, false))
        return cuzk_bool_and(c, x, y);
    if (const_value(z, true))
        return bool_not(cuzk_bool_and(c, x, bool_not(y)));
    if (const_value(y, true))
        return bool_not(cuzk_bool_and(c, bool_not(x), bool_not(z)));
    return general_ch(c, x, y, z);
}

static bool majority(boolean x, boolean y, boolean z)
{
    return x.value + y.value + z.value >= 2;
}

/* maj is allocated before y & z, but the row of y & z comes first. */
static boolean general_maj(cs *c, boolean x, boolean y, boolean z)
{
    bool value = majority(x, y, z);
    cs_var v = alloc_bit(c, value);
    boolean yz = cuzk_bool_and(c, y, z);
    cs_row r;
    cs_row_begin(c, &r);
    cuzk_bool_add_to(&r.a, yz, 1);
    cuzk_bool_sub_from(&r.a, y, 0);
    cuzk_bool_sub_from(&r.a, z, 0);
    cuzk_bool_add_to(&r.b, x, 0);
    cuzk_bool_add_to(&r.c, yz, 0);
    cs_lc_add(&r.c, v, COEFF_MINUS_ONE);
    cs_row_end(c, &r);
    return (boolean){v, BOOL_IS, value};
}

boolean cuzk_bool_sha256_maj(cs *c, boolean x, boolean y, boolean z)
{
    if (bool_is_const(x) && bool_is_const(y) && bool_is_const(z))
        return bool_const(majority(x, y, z));
    if (const_value(x, false))
        return cuzk_bool_and(c, y, z);
    if (const_value(y, false))
        return cuzk_bool_and(c, x, z);
    if (const_value(z, false))
        return cuzk_bool_and(c, x, y);
    if (const_value(z, true))
        return bool_not(cuzk_bool_and(c, bool_not(x), bool_not(y)));
    if (const_value(y, true))
        return bool_not(cuzk_bool_and(c, bool_not(x), bool_not(z)));
    if (const_value(x, true))
        return bool_not(cuzk_bool_and(c, bool_not(y), bool_not(z)));
    return general_maj(c, x, y, z);
}

void cuzk_bool_enforce_equal(cs *c, boolean a, boolean b)
{
    if (bool_is_const(a) && bool_is_const(b)) {
        if (a.value != b.value)
            cs_fail(c, CUZK_UNSATISFIED, "circuit: two different constants are to be equal");
        return;
    }
    if (bool_is_const(a) && !a.value) { /* < 0 ; 0 ; b >, not its negation */
        boolean t = a;
        a = b;
        b = t;
    } else if (const_value(b, true)) {
        boolean t = a;
        a = b;
        b = t;
    }
    cs_row r;
    cs_row_begin(c, &r);
    cuzk_bool_add_to(&r.c, a, 0);
    cuzk_bool_sub_from(&r.c, b, 0);
    cs_row_end(c, &r);
}

/* The bits alone, when nobody wants their rows. */
static void bits_without_rows(cs *c, boolean out[], const uint64_t word[], unsigned n)
{
    cs_var first = cs_alloc_bits(c, word, n);
    for (unsigned i = 0; i < n; i++)
        out[i] = (boolean){first + i, BOOL_IS, word[i / 64] >> (i % 64) & 1};
}

void cuzk_bits_alloc(cs *c, boolean out[], const fr *x, unsigned n)
{
    fr_canon v;
    cuzk_fr_to_canon(&v, x);
    if (!cs_wants_rows(c)) {
        bits_without_rows(c, out, v.l, n);
        return;
    }
    for (unsigned i = 0; i < n; i++)
        out[i] = cuzk_bool_alloc(c, v.l[i / 64] >> (i % 64) & 1);
}

void cuzk_bits_alloc_u64(cs *c, boolean out[], uint64_t x, unsigned n)
{
    if (!cs_wants_rows(c)) {
        const uint64_t word[4] = {x, 0, 0, 0};
        bits_without_rows(c, out, word, n);
        return;
    }
    for (unsigned i = 0; i < n; i++)
        out[i] = cuzk_bool_alloc(c, i < 64 && (x >> i & 1));
}

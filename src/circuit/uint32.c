#include "circuit/uint32.h"

void cuzk_multieq_init(multieq *m, cs *c)
{
    m->c = c;
    m->used = 0;
    cs_lc_begin(c, &m->lhs);
    cs_lc_begin(c, &m->rhs);
}

static void flush(multieq *m)
{
    cs_lc one;
    cs_lc_begin(m->c, &one);
    cs_lc_add(&one, CS_ONE, COEFF_ONE);
    cs_enforce(m->c, &m->lhs, &one, &m->rhs);
    cs_lc_fini(&one);
    cs_lc_clear(&m->lhs);
    cs_lc_clear(&m->rhs);
    m->used = 0;
}

void cuzk_multieq_end(multieq *m)
{
    if (m->used)
        flush(m);
    cs_lc_fini(&m->lhs);
    cs_lc_fini(&m->rhs);
}

u32_bits cuzk_u32_const(uint32_t value)
{
    u32_bits r;
    for (unsigned i = 0; i < 32; i++)
        r.bit[i] = bool_const(value >> i & 1);
    return r;
}

u32_bits cuzk_u32_alloc(cs *c, uint32_t value)
{
    u32_bits r;
    cuzk_bits_alloc_u64(c, r.bit, value, 32);
    return r;
}

u32_bits cuzk_u32_from_bits_be(const boolean bits[32])
{
    u32_bits r;
    for (unsigned i = 0; i < 32; i++)
        r.bit[i] = bits[31 - i];
    return r;
}

u32_bits cuzk_u32_rotr(const u32_bits *a, unsigned k)
{
    u32_bits r;
    for (unsigned i = 0; i < 32; i++)
        r.bit[i] = a->bit[(i + k) % 32];
    return r;
}

u32_bits cuzk_u32_shr(const u32_bits *a, unsigned k)
{
    u32_bits r;
    for (unsigned i = 0; i < 32; i++)
        r.bit[i] = i + k < 32 ? a->bit[i + k] : bool_const(false);
    return r;
}

u32_bits cuzk_u32_xor(cs *c, const u32_bits *a, const u32_bits *b)
{
    u32_bits r;
    for (unsigned i = 0; i < 32; i++)
        r.bit[i] = cuzk_bool_xor(c, a->bit[i], b->bit[i]);
    return r;
}

u32_bits cuzk_u32_sha256_ch(cs *c, const u32_bits *x, const u32_bits *y, const u32_bits *z)
{
    u32_bits r;
    for (unsigned i = 0; i < 32; i++)
        r.bit[i] = cuzk_bool_sha256_ch(c, x->bit[i], y->bit[i], z->bit[i]);
    return r;
}

u32_bits cuzk_u32_sha256_maj(cs *c, const u32_bits *x, const u32_bits *y, const u32_bits *z)
{
    u32_bits r;
    for (unsigned i = 0; i < 32; i++)
        r.bit[i] = cuzk_bool_sha256_maj(c, x->bit[i], y->bit[i], z->bit[i]);
    return r;
}

/* Sum of the words' values; *constant tells whether all bits of all words are constants. */
static uint64_t sum_of(const u32_bits *const op[], unsigned n_ops, bool *constant)
{
    uint64_t sum = 0;
    *constant = true;
    for (unsigned k = 0; k < n_ops; k++) {
        for (unsigned i = 0; i < 32; i++) {
            sum += (uint64_t)op[k]->bit[i].value << i;
            *constant &= bool_is_const(op[k]->bit[i]);
        }
    }
    return sum;
}

/* lc += 2^shift * (sum of the words). Constant parts, those of Nots included, go into one term. */
static void add_words(cs_lc *lc, const u32_bits *const op[], unsigned n_ops, unsigned shift)
{
    uint64_t constant = 0;
    for (unsigned k = 0; k < n_ops; k++) {
        for (unsigned i = 0; i < 32; i++) {
            boolean b = op[k]->bit[i];
            if (b.kind == BOOL_IS) {
                cs_lc_add(lc, b.var, &cuzk_pow2[shift + i]);
                continue;
            }
            if (b.kind == BOOL_NOT)
                cs_lc_add(lc, b.var, &cuzk_neg_pow2[shift + i]);
            if (b.kind == BOOL_NOT || b.value)
                constant += (uint64_t)1 << i;
        }
    }
    if (constant) {
        fr k;
        cuzk_fr_from_u64(&k, constant);
        fr_mul(&k, &k, &cuzk_pow2[shift]);
        cs_lc_add(lc, CS_ONE, &k);
    }
}

u32_bits cuzk_u32_addmany(multieq *m, const u32_bits *const op[], unsigned n_ops)
{
    bool constant;
    uint64_t sum = sum_of(op, n_ops, &constant);
    if (constant)
        return cuzk_u32_const((uint32_t)sum);

    /* bits of the largest possible sum: depends on the number of words, constants included */
    unsigned n_bits = 64 - cuzk_clz64((uint64_t)n_ops * UINT32_MAX);
    boolean bit[40];
    CUZK_DASSERT(2 <= n_ops && n_ops <= ADDMANY_MAX);
    cuzk_bits_alloc_u64(m->c, bit, sum, n_bits);
    if (m->used + n_bits >= 254)
        flush(m);
    add_words(&m->lhs, op, n_ops, m->used);
    for (unsigned i = 0; i < n_bits; i++)
        cs_lc_add(&m->rhs, bit[i].var, &cuzk_pow2[m->used + i]);
    m->used += n_bits;

    u32_bits r;
    memcpy(r.bit, bit, sizeof r.bit);
    return r;
}

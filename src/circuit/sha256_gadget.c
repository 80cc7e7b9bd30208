#include "circuit/sha256_gadget.h"

#include "circuit/scope.h"

/* FIPS 180-4 */
const uint32_t cuzk_sha256_round_const[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

void cuzk_sha256_gadget_iv(sha256_state *s)
{
    for (unsigned i = 0; i < 8; i++)
        s->h[i] = cuzk_u32_const(initial[i]);
}

/* rotr a ^ rotr b ^ (rotr c, or shr c when shift) */
static u32_bits sigma(cs *c, const u32_bits *x, unsigned r1, unsigned r2, unsigned r3, bool shift)
{
    u32_bits a = cuzk_u32_rotr(x, r1), b = cuzk_u32_rotr(x, r2);
    u32_bits t = cuzk_u32_xor(c, &a, &b);
    u32_bits d = shift ? cuzk_u32_shr(x, r3) : cuzk_u32_rotr(x, r3);
    return cuzk_u32_xor(c, &t, &d);
}

static void message_schedule(multieq *m, u32_bits w[64])
{
    for (unsigned i = 16; i < 64; i++) {
        u32_bits s0 = sigma(m->c, &w[i - 15], 7, 18, 3, true);
        u32_bits s1 = sigma(m->c, &w[i - 2], 17, 19, 10, true);
        const u32_bits *op[] = {&w[i - 16], &s0, &w[i - 7], &s1};
        w[i] = cuzk_u32_addmany(m, op, 4);
    }
}

/* The working variables. The new e and a of a round stay lists of operands until they are used,
 * one round later, since the last ones take the old state as one more operand. */
typedef struct {
    u32_bits a, b, c, d, e, f, g, h;
    u32_bits temp1[5], d_old, s0, maj; /* e: temp1 + d_old; a: temp1 + s0 + maj */
} working;

static u32_bits add_e(multieq *m, const working *v, const u32_bits *more)
{
    const u32_bits *op[7] = {&v->temp1[0], &v->temp1[1], &v->temp1[2],
                             &v->temp1[3], &v->temp1[4], &v->d_old, more};
    return cuzk_u32_addmany(m, op, more ? 7 : 6);
}

static u32_bits add_a(multieq *m, const working *v, const u32_bits *more)
{
    const u32_bits *op[8] = {&v->temp1[0], &v->temp1[1], &v->temp1[2], &v->temp1[3],
                             &v->temp1[4], &v->s0,       &v->maj,      more};
    return cuzk_u32_addmany(m, op, more ? 8 : 7);
}

static void one_round(multieq *m, working *v, unsigned i, const u32_bits *w)
{
    u32_bits temp1[5];
    if (i > 0)
        v->e = add_e(m, v, NULL);
    temp1[0] = v->h;
    temp1[1] = sigma(m->c, &v->e, 6, 11, 25, false);
    temp1[2] = cuzk_u32_sha256_ch(m->c, &v->e, &v->f, &v->g);
    temp1[3] = cuzk_u32_const(cuzk_sha256_round_const[i]);
    temp1[4] = *w;
    if (i > 0)
        v->a = add_a(m, v, NULL);
    v->s0 = sigma(m->c, &v->a, 2, 13, 22, false);
    v->maj = cuzk_u32_sha256_maj(m->c, &v->a, &v->b, &v->c);
    memcpy(v->temp1, temp1, sizeof temp1);
    v->d_old = v->d;
    v->h = v->g;
    v->g = v->f;
    v->f = v->e;
    v->d = v->c;
    v->c = v->b;
    v->b = v->a;
}

static u32_bits add2(multieq *m, const u32_bits *x, const u32_bits *y)
{
    const u32_bits *op[] = {x, y};
    return cuzk_u32_addmany(m, op, 2);
}

static void finish(multieq *m, sha256_state *s, const working *v)
{
    s->h[0] = add_a(m, v, &s->h[0]);
    s->h[1] = add2(m, &s->h[1], &v->b);
    s->h[2] = add2(m, &s->h[2], &v->c);
    s->h[3] = add2(m, &s->h[3], &v->d);
    s->h[4] = add_e(m, v, &s->h[4]);
    s->h[5] = add2(m, &s->h[5], &v->f);
    s->h[6] = add2(m, &s->h[6], &v->g);
    s->h[7] = add2(m, &s->h[7], &v->h);
}

static void compress(cs *c, sha256_state *s, const boolean lo[SHA256_HALF_BITS],
                     const boolean hi[SHA256_HALF_BITS])
{
    u32_bits w[64];
    working v = {.a = s->h[0], .b = s->h[1], .c = s->h[2], .d = s->h[3],
                 .e = s->h[4], .f = s->h[5], .g = s->h[6], .h = s->h[7]};
    multieq m;
    for (unsigned i = 0; i < 8; i++) {
        w[i] = cuzk_u32_from_bits_be(lo + 32 * i);
        w[8 + i] = cuzk_u32_from_bits_be(hi + 32 * i);
    }
    cuzk_multieq_init(&m, c);
    message_schedule(&m, w);
    for (unsigned i = 0; i < 64; i++)
        one_round(&m, &v, i, &w[i]);
    finish(&m, s, &v);
    cuzk_multieq_end(&m);
}

void cuzk_sha256_gadget_compress(cs *c, sha256_state *s, const boolean lo[SHA256_HALF_BITS],
                                 const boolean hi[SHA256_HALF_BITS])
{
    boolean *state = s->h[0].bit; /* the eight words follow each other */
    const cs_scope scope = {SCOPE_SHA256,
                            0,
                            {{lo, NULL, SHA256_HALF_BITS},
                             {hi, NULL, SHA256_HALF_BITS},
                             {state, NULL, SHA256_HALF_BITS}},
                            {{state, NULL, SHA256_HALF_BITS}}};
    _Static_assert(sizeof(sha256_state) == SHA256_HALF_BITS * sizeof(boolean), "no padding");
    if (cs_scope_begin(c, &scope))
        return;
    compress(c, s, lo, hi);
    cs_scope_end(c, &scope);
}

void cuzk_sha256_gadget_digest(boolean out[SHA256_HALF_BITS], const sha256_state *s)
{
    for (unsigned i = 0; i < SHA256_HALF_BITS; i++)
        out[i] = s->h[i / 32].bit[31 - i % 32];
}

/* Bits n_bits.. of the padded message that end the last block: one, zeros, the length. */
static boolean padding_bit(size_t at, size_t n_bits, size_t end)
{
    if (at < end - 64)
        return bool_const(at == n_bits);
    return bool_const((uint64_t)n_bits >> (end - 1 - at) & 1);
}

void cuzk_sha256_gadget(cs *c, boolean out[SHA256_HALF_BITS], const boolean bits[], size_t n)
{
    size_t end = (n + 1 + 64 + SHA256_BLOCK_BITS - 1) / SHA256_BLOCK_BITS * SHA256_BLOCK_BITS;
    sha256_state s;
    CUZK_DASSERT(n % 8 == 0);
    cuzk_sha256_gadget_iv(&s);
    for (size_t at = 0; at < end; at += SHA256_BLOCK_BITS) {
        boolean block[SHA256_BLOCK_BITS];
        for (size_t i = 0; i < SHA256_BLOCK_BITS; i++)
            block[i] = at + i < n ? bits[at + i] : padding_bit(at + i, n, end);
        cuzk_sha256_gadget_compress(c, &s, block, block + SHA256_HALF_BITS);
    }
    cuzk_sha256_gadget_digest(out, &s);
}

void cuzk_sha256_gadget_halves(cs *c, boolean out[SHA256_HALF_BITS], const boolean *const half[],
                               unsigned n_halves)
{
    unsigned end = (n_halves + 2) / 2 * 2; /* the padding needs 65 bits: one more half */
    size_t n = (size_t)n_halves * SHA256_HALF_BITS, n_padded = (size_t)end * SHA256_HALF_BITS;
    boolean pad[2][SHA256_HALF_BITS];
    sha256_state s;
    for (unsigned k = 0; k < end - n_halves; k++) {
        for (unsigned i = 0; i < SHA256_HALF_BITS; i++)
            pad[k][i] = padding_bit(n + k * SHA256_HALF_BITS + i, n, n_padded);
    }
    cuzk_sha256_gadget_iv(&s);
    for (unsigned k = 0; k < end; k += 2) {
        const boolean *lo = k < n_halves ? half[k] : pad[k - n_halves];
        const boolean *hi = k + 1 < n_halves ? half[k + 1] : pad[k + 1 - n_halves];
        cuzk_sha256_gadget_compress(c, &s, lo, hi);
    }
    cuzk_sha256_gadget_digest(out, &s);
}

num cuzk_sha256_pack_digest(cs *c, const boolean digest[SHA256_HALF_BITS])
{
    boolean le[NODE_BITS];
    cuzk_byte_order(le, digest, NODE_BITS);
    return cuzk_pack_bits(c, le, PACK_BITS);
}

static num node(cs *c, const num *left, const num *right)
{
    boolean bits[NUM_BITS], child[2][NODE_BITS], digest[SHA256_HALF_BITS];
    const boolean *half[] = {child[0], child[1]};
    cuzk_num_to_bits(c, bits, left);
    cuzk_byte_order(child[0], bits, NUM_BITS);
    cuzk_num_to_bits(c, bits, right);
    cuzk_byte_order(child[1], bits, NUM_BITS);
    cuzk_sha256_gadget_halves(c, digest, half, 2);
    return cuzk_sha256_pack_digest(c, digest);
}

num cuzk_sha256_node(cs *c, const num *left, const num *right)
{
    num x = {{{0}}, 0};
    const cs_scope scope = {
        SCOPE_SHA256_NODE, 0, {{NULL, left, 1}, {NULL, right, 1}}, {{NULL, &x, 1}}};
    if (cs_scope_begin(c, &scope))
        return x;
    x = node(c, left, right);
    cs_scope_end(c, &scope);
    return x;
}

#define LABEL_PARENT_SLOTS 37

num cuzk_sha256_label(cs *c, const boolean id[NODE_BITS], uint32_t layer, const u64_bits *node,
                      const boolean *const parent[], unsigned n_parents)
{
    boolean position[SHA256_HALF_BITS], digest[SHA256_HALF_BITS];
    const boolean *half[2 + LABEL_PARENT_SLOTS] = {id, position};
    for (unsigned i = 0; i < SHA256_HALF_BITS; i++) {
        if (i < 32)
            position[i] = bool_const(layer >> (31 - i) & 1);
        else
            position[i] = i < 96 ? node->bit[95 - i] : bool_const(false);
    }
    for (unsigned i = 0; i < LABEL_PARENT_SLOTS; i++)
        half[2 + i] = parent[i % n_parents];
    cuzk_sha256_gadget_halves(c, digest, half, 2 + LABEL_PARENT_SLOTS);
    return cuzk_sha256_pack_digest(c, digest);
}

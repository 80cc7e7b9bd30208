/* The bits of one compression from its operand words (sha_shape.h). */
#include "compiled/sha_shape.h"

CUZK_INLINE uint32_t rotr(uint32_t x, unsigned k)
{
    return x >> k | x << (32 - k);
}

/* Bit i goes to bit 2 i. */
CUZK_INLINE uint64_t spread(uint32_t v)
{
    uint64_t x = v;
    x = (x | x << 16) & 0x0000ffff0000ffffu;
    x = (x | x << 8) & 0x00ff00ff00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x << 2) & 0x3333333333333333u;
    return (x | x << 1) & 0x5555555555555555u;
}

/* The bits of x under the mask, moved together. */
static uint64_t extract(uint64_t x, uint64_t mask)
{
    uint64_t r = 0;
    for (unsigned n = 0; mask; mask &= mask - 1, n++)
        r |= (x >> cuzk_ctz64(mask) & 1) << n;
    return r;
}

typedef struct {
    bit_writer *w;
    const sha_word *word;
} emitter;

CUZK_INLINE void emit(emitter *e, uint64_t value)
{
    const sha_word *k = e->word++;
    value ^= k->negated;
    if (CUZK_LIKELY(k->full))
        put_bits(e->w, value & k->mask, k->n);
    else if (k->mask)
        put_bits(e->w, extract(value, k->mask), k->n);
}

CUZK_INLINE uint32_t sigma(emitter *e, uint32_t x, unsigned r1, unsigned r2, uint32_t last)
{
    uint32_t t = rotr(x, r1) ^ rotr(x, r2);
    emit(e, t);
    emit(e, t ^ last);
    return t ^ last;
}

/* The new e and a are sums whose emission waits one round, as in the gadget. */
typedef struct {
    uint32_t v[8];
    uint64_t e_sum, a_sum;
} fill_state;

CUZK_INLINE void fill_round(emitter *e, fill_state *s, unsigned i, uint32_t w)
{
    uint32_t *v = s->v;
    if (i) {
        emit(e, s->e_sum);
        v[4] = (uint32_t)s->e_sum;
    }
    uint32_t s1 = sigma(e, v[4], 6, 11, rotr(v[4], 25));
    uint32_t ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
    emit(e, ch);
    uint64_t temp = (uint64_t)v[7] + s1 + ch + cuzk_sha256_round_const[i] + w;
    if (i) {
        emit(e, s->a_sum);
        v[0] = (uint32_t)s->a_sum;
    }
    uint32_t s0 = sigma(e, v[0], 2, 13, rotr(v[0], 22));
    uint32_t bc = v[1] & v[2], maj = bc | (v[0] & (v[1] ^ v[2]));
    emit(e, spread(maj) | spread(bc) << 1);
    s->e_sum = temp + v[3];
    s->a_sum = temp + s0 + maj;
    for (unsigned k = 7; k > 0; k--)
        v[k] = v[k - 1];
}

void cuzk_sha_fill(bit_writer *out, const sha_shape *shape, uint32_t value[24])
{
    bit_writer writer = *out; /* in registers */
    emitter e = {&writer, shape->word};
    fill_state s;
    uint32_t w[64], *old = value + 16;
    memcpy(w, value, 16 * sizeof *w);
    for (unsigned i = 16; i < 64; i++) {
        uint32_t s0 = sigma(&e, w[i - 15], 7, 18, w[i - 15] >> 3);
        uint32_t s1 = sigma(&e, w[i - 2], 17, 19, w[i - 2] >> 10);
        uint64_t sum = (uint64_t)w[i - 16] + s0 + w[i - 7] + s1;
        emit(&e, sum);
        w[i] = (uint32_t)sum;
    }
    memcpy(s.v, old, sizeof s.v);
    for (unsigned i = 0; i < 64; i++)
        fill_round(&e, &s, i, w[i]);
    for (unsigned i = 0; i < 8; i++) {
        uint64_t sum = old[i] + (i == 0 ? s.a_sum : i == 4 ? s.e_sum : s.v[i]);
        emit(&e, sum);
        old[i] = (uint32_t)sum;
    }
    *out = writer;
}

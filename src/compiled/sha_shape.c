/* Shapes are found by running the gadget's own operations bit by bit and seeing what they allocate.
 */
#include "compiled/sha_shape.h"

void cuzk_sha_operands(sha_key *key, uint32_t value[24], const boolean lo[], const boolean hi[],
                       const boolean state[])
{
    for (unsigned k = 0; k < 24; k++) {
        const boolean *bit = (k < 8 ? lo : k < 16 ? hi : state) + 32 * (k % 8);
        unsigned flip = k < 16 ? 31 : 0; /* message bits come from the most significant end */
        uint32_t v = 0, constant = 0, negated = 0;
        for (unsigned i = 0; i < 32; i++) {
            boolean b = bit[i ^ flip];
            v |= (uint32_t)b.value << i;
            constant |= (uint32_t)(b.kind == BOOL_CONST) << i;
            negated |= (uint32_t)(b.kind == BOOL_NOT) << i;
        }
        value[k] = v;
        key->constant[k] = constant;
        key->value[k] = v & constant;
        key->negated[k] = negated;
    }
}

bool cuzk_sha_key_equal(const sha_key *a, const sha_key *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* ---- making a shape ---- */

typedef struct {
    cs c;
    multieq m;
    sha_shape *out;
    unsigned at;
    bool ok;
} maker;

static cuzk_status ignore_value(void *self, const fr *value, cuzk_err *err)
{
    (void)self, (void)value, (void)err;
    return CUZK_OK;
}

static cuzk_status ignore_row(void *self, cs_lc *a, cs_lc *b, cs_lc *c, cuzk_err *err)
{
    (void)self, (void)a, (void)b, (void)c, (void)err;
    return CUZK_OK;
}

static void end_word(maker *k, uint64_t mask, uint64_t negated)
{
    sha_word *w = &k->out->word[k->at++];
    w->mask = mask;
    w->negated = negated;
    w->n = (uint8_t)cuzk_popcount64(mask);
    w->full = mask != 0 && (mask & (mask + 1)) == 0;
}

static u32_bits make_xor(maker *k, const u32_bits *x, const u32_bits *y)
{
    u32_bits r;
    uint64_t mask = 0, negated = 0;
    for (unsigned i = 0; i < 32; i++) {
        uint32_t before = k->c.n_aux;
        r.bit[i] = cuzk_bool_xor(&k->c, x->bit[i], y->bit[i]);
        mask |= (uint64_t)(k->c.n_aux - before) << i;
        negated |= (uint64_t)(k->c.n_aux != before && r.bit[i].kind == BOOL_NOT) << i;
    }
    end_word(k, mask, negated);
    return r;
}

static u32_bits make_sigma(maker *k, const u32_bits *x, unsigned r1, unsigned r2, unsigned r3,
                           bool shift)
{
    u32_bits a = cuzk_u32_rotr(x, r1), b = cuzk_u32_rotr(x, r2);
    u32_bits t = make_xor(k, &a, &b);
    u32_bits d = shift ? cuzk_u32_shr(x, r3) : cuzk_u32_rotr(x, r3);
    return make_xor(k, &t, &d);
}

static u32_bits make_ch(maker *k, const u32_bits *x, const u32_bits *y, const u32_bits *z)
{
    u32_bits r;
    uint64_t mask = 0, negated = 0;
    for (unsigned i = 0; i < 32; i++) {
        uint32_t before = k->c.n_aux;
        r.bit[i] = cuzk_bool_sha256_ch(&k->c, x->bit[i], y->bit[i], z->bit[i]);
        mask |= (uint64_t)(k->c.n_aux - before) << i;
        negated |= (uint64_t)(k->c.n_aux != before && r.bit[i].kind == BOOL_NOT) << i;
    }
    end_word(k, mask, negated);
    return r;
}

/* Bit 2 i: the majority of bits i (in folded forms: what stands for it); bit 2 i + 1: y & z. */
static u32_bits make_maj(maker *k, const u32_bits *x, const u32_bits *y, const u32_bits *z)
{
    static const uint64_t by_count[] = {0, 1, 3};
    u32_bits r;
    uint64_t mask = 0, negated = 0;
    for (unsigned i = 0; i < 32; i++) {
        uint32_t before = k->c.n_aux;
        r.bit[i] = cuzk_bool_sha256_maj(&k->c, x->bit[i], y->bit[i], z->bit[i]);
        mask |= by_count[k->c.n_aux - before] << (2 * i);
        negated |= (uint64_t)(k->c.n_aux != before && r.bit[i].kind == BOOL_NOT) << (2 * i);
    }
    end_word(k, mask, negated);
    return r;
}

static u32_bits make_sum(maker *k, const u32_bits *const op[], unsigned n)
{
    uint32_t before = k->c.n_aux;
    u32_bits r = cuzk_u32_addmany(&k->m, op, n);
    k->ok &= k->c.n_aux != before || k->at < 48 * 5; /* constants only in the schedule */
    end_word(k, ((uint64_t)1 << (k->c.n_aux - before)) - 1, 0);
    return r;
}

typedef struct {
    u32_bits v[8]; /* a to h */
    u32_bits temp[5], d_old, s0, maj;
} make_state;

static u32_bits make_e(maker *k, const make_state *s, const u32_bits *more)
{
    const u32_bits *op[] = {&s->temp[0], &s->temp[1], &s->temp[2], &s->temp[3],
                            &s->temp[4], &s->d_old,   more};
    return make_sum(k, op, more ? 7 : 6);
}

static u32_bits make_a(maker *k, const make_state *s, const u32_bits *more)
{
    const u32_bits *op[] = {&s->temp[0], &s->temp[1], &s->temp[2], &s->temp[3],
                            &s->temp[4], &s->s0,      &s->maj,     more};
    return make_sum(k, op, more ? 8 : 7);
}

static void make_round(maker *k, make_state *s, unsigned i, const u32_bits *w)
{
    u32_bits temp[5], *v = s->v;
    if (i)
        v[4] = make_e(k, s, NULL);
    temp[0] = v[7];
    temp[1] = make_sigma(k, &v[4], 6, 11, 25, false);
    temp[2] = make_ch(k, &v[4], &v[5], &v[6]);
    temp[3] = cuzk_u32_const(cuzk_sha256_round_const[i]);
    temp[4] = *w;
    if (i)
        v[0] = make_a(k, s, NULL);
    s->s0 = make_sigma(k, &v[0], 2, 13, 22, false);
    s->maj = make_maj(k, &v[0], &v[1], &v[2]);
    memcpy(s->temp, temp, sizeof temp);
    s->d_old = v[3];
    memmove(v + 1, v, 7 * sizeof *v); /* the new a and e replace v[0] and v[4] later */
}

static void make_schedule(maker *k, u32_bits w[64])
{
    for (unsigned i = 16; i < 64; i++) {
        u32_bits s0 = make_sigma(k, &w[i - 15], 7, 18, 3, true);
        u32_bits s1 = make_sigma(k, &w[i - 2], 17, 19, 10, true);
        const u32_bits *op[] = {&w[i - 16], &s0, &w[i - 7], &s1};
        w[i] = make_sum(k, op, 4);
    }
}

static void make_end(maker *k, make_state *s, const u32_bits old[8])
{
    for (unsigned i = 0; i < 8; i++) {
        const u32_bits *op[] = {&old[i], &s->v[i]};
        k->out->out_at[i] = k->c.n_aux;
        if (i == 0)
            make_a(k, s, &old[0]);
        else if (i == 4)
            make_e(k, s, &old[4]);
        else
            make_sum(k, op, 2);
    }
}

bool cuzk_sha_shape_make(sha_shape *out, const boolean lo[], const boolean hi[],
                         const boolean state[])
{
    static const cs_sink_ops ops = {ignore_value, ignore_value, ignore_row};
    maker k = {.out = out, .ok = true};
    make_state s;
    u32_bits w[64], old[8];
    uint32_t value[24];
    memset(out, 0, sizeof *out);
    cuzk_sha_operands(&out->key, value, lo, hi, state);
    for (unsigned i = 0; i < 8; i++) {
        w[i] = cuzk_u32_from_bits_be(lo + 32 * i);
        w[8 + i] = cuzk_u32_from_bits_be(hi + 32 * i);
        memcpy(old[i].bit, state + 32 * i, sizeof old[i].bit);
    }
    cs_init(&k.c, &ops, NULL);
    cuzk_multieq_init(&k.m, &k.c);
    memcpy(s.v, old, sizeof old);
    make_schedule(&k, w);
    for (unsigned i = 0; i < 64; i++)
        make_round(&k, &s, i, &w[i]);
    make_end(&k, &s, old);
    cuzk_multieq_end(&k.m);
    out->n_aux = k.c.n_aux;
    CUZK_DASSERT(k.at == SHA_TRACE_WORDS);
    return k.ok && k.c.st == CUZK_OK;
}

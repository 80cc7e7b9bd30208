#include "circuit/poseidon_constants.h"

#include <pthread.h>
#include <stdatomic.h>

#include "circuit/coeff.h"
#include "circuit/poseidon_lanes.h"

static const struct {
    unsigned arity, n_partial, set, lg_tag; /* tag: 2^lg_tag, or 2^arity - 1 when 0 */
} kinds[POSEIDON_KIND_COUNT] = {
    [POSEIDON_2] = {2, 55, 0, 0}, [POSEIDON_2_GEN] = {2, 55, 0, 40}, [POSEIDON_4] = {4, 56, 1, 0},
    [POSEIDON_8] = {8, 57, 2, 0}, [POSEIDON_11] = {11, 57, 3, 0},
};

#define N_SETS 4
typedef struct {
    poseidon_constants k; /* written once, under making, before made */
    atomic_bool made;
} constants_set;
static constants_set sets[N_SETS];
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

typedef poseidon_matrix matrix;

/* What is kept of four pairs of bits, the first pair on top. */
typedef struct {
    uint8_t bits, n;
} grain_kept;

/* 80-bit linear feedback register; s0 is bit 79. Bits that are ready wait in out. */
typedef struct {
    cuzk_u128 s;
    cuzk_u128 out;
    unsigned n_out;
    grain_kept kept[256];
} grain;

/* Sixteen clocks at once: no tap is among the last sixteen bits. The first is the top bit. */
static unsigned grain_clock_16(grain *g)
{
    static const unsigned taps[] = {62, 51, 38, 23, 13, 0};
    unsigned bits = 0;
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(taps); i++)
        bits ^= (unsigned)(g->s >> (80 - 16 - taps[i])) & 0xffff;
    g->s = (g->s << 16 | bits) & (((cuzk_u128)1 << 80) - 1);
    return bits;
}

static void grain_put(grain *g, uint64_t value, unsigned n_bits)
{
    g->s = g->s << n_bits | value;
}

/* Self-shrinking: of each pair the second bit counts if the first is 1. */
static void grain_init_kept(grain *g)
{
    for (unsigned byte = 0; byte < 256; byte++) {
        grain_kept *k = &g->kept[byte];
        for (int pair = 6; pair >= 0; pair -= 2) {
            unsigned keep = byte >> (pair + 1) & 1;
            k->bits = (uint8_t)(k->bits << keep | (byte >> pair & keep));
            k->n = (uint8_t)(k->n + keep);
        }
    }
}

static void grain_init(grain *g, unsigned width, unsigned n_partial)
{
    memset(g, 0, sizeof *g);
    grain_init_kept(g);
    grain_put(g, 1, 2); /* prime field */
    grain_put(g, 1, 4); /* x^5, as this implementation numbers it */
    grain_put(g, FR_BITS, 12);
    grain_put(g, width, 12);
    grain_put(g, POSEIDON_FULL_ROUNDS, 10);
    grain_put(g, n_partial, 10);
    grain_put(g, ((uint64_t)1 << 30) - 1, 30);
    for (unsigned i = 0; i < 160 / 16; i++)
        grain_clock_16(g);
}

/* n_bits <= 64: out has room for the eight that may come with the last. */
static uint64_t grain_bits(grain *g, unsigned n_bits)
{
    while (g->n_out < n_bits) {
        unsigned bits = grain_clock_16(g);
        const grain_kept *a = &g->kept[bits >> 8], *b = &g->kept[bits & 0xff];
        g->out = g->out << (a->n + b->n) | (unsigned)(a->bits << b->n | b->bits);
        g->n_out += a->n + b->n;
    }
    g->n_out -= n_bits;
    return (uint64_t)(g->out >> g->n_out) & (UINT64_MAX >> (64 - n_bits));
}

static void grain_element(grain *g, fr *out)
{
    fr_canon x;
    do {
        x.l[3] = grain_bits(g, FR_BITS - 192);
        for (int i = 2; i >= 0; i--)
            x.l[i] = grain_bits(g, 64);
    } while (!limbs_lt(x.l, cuzk_fr_modulus, 4));
    cuzk_fr_from_canon(out, &x);
}

unsigned cuzk_poseidon_round_constants(fr out[POSEIDON_MAX_ROUND_CONSTANTS], poseidon_kind kind)
{
    unsigned width = kinds[kind].arity + 1, n_partial = kinds[kind].n_partial;
    unsigned n = width * (POSEIDON_FULL_ROUNDS + n_partial);
    grain g;
    grain_init(&g, width, n_partial);
    for (unsigned i = 0; i < n; i++)
        grain_element(&g, &out[i]);
    return n;
}

/* out = vec * m (row vector from the left); out may alias vec. */
static void vec_mat(fr out[], const fr vec[], const matrix *m, unsigned n)
{
    fr t, r[POSEIDON_MAX_WIDTH];
    for (unsigned j = 0; j < n; j++) {
        r[j] = cuzk_fr_bit[0];
        for (unsigned i = 0; i < n; i++) {
            fr_mul(&t, &vec[i], &m->at[i][j]);
            fr_add(&r[j], &r[j], &t);
        }
    }
    memcpy(out, r, n * sizeof *out);
}

/* out = a * b; out may alias a. */
static void mat_mul(matrix *out, const matrix *a, const matrix *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        vec_mat(out->at[i], a->at[i], b, n);
}

/* Gauss-Jordan. The matrices here are minors of Cauchy matrices: every pivot is non-zero. */
static void mat_inverse(matrix *out, const matrix *in, unsigned n)
{
    matrix a = *in;
    fr k, t;
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < n; i++)
        out->at[i][i] = cuzk_fr_one;
    for (unsigned p = 0; p < n; p++) {
        cuzk_fr_inv_vartime(&k, &a.at[p][p]);
        for (unsigned j = 0; j < n; j++) {
            fr_mul(&a.at[p][j], &a.at[p][j], &k);
            fr_mul(&out->at[p][j], &out->at[p][j], &k);
        }
        for (unsigned i = 0; i < n; i++) {
            if (i == p)
                continue;
            k = a.at[i][p];
            for (unsigned j = 0; j < n; j++) {
                fr_mul(&t, &k, &a.at[p][j]);
                fr_sub(&a.at[i][j], &a.at[i][j], &t);
                fr_mul(&t, &k, &out->at[p][j]);
                fr_sub(&out->at[i][j], &out->at[i][j], &t);
            }
        }
    }
}

/* M[i][j] = 1 / (i + j + t): symmetric. */
static void make_mds(matrix *m, unsigned t)
{
    for (unsigned k = 0; k < 2 * t - 1; k++) {
        fr x;
        cuzk_fr_from_u64(&x, k + t);
        cuzk_fr_inv_vartime(&x, &x);
        for (unsigned i = k < t ? 0 : k - t + 1; i < t && i <= k; i++)
            m->at[i][k - i] = x;
    }
}

/* Moves the keys through the inverse matrices so that each partial round needs one key only. */
static void make_keys(poseidon_constants *p, poseidon_kind kind)
{
    fr rc[POSEIDON_MAX_ROUND_CONSTANTS], acc[POSEIDON_MAX_WIDTH];
    matrix inv;
    unsigned t = p->width, rp = p->n_partial;
    cuzk_poseidon_round_constants(rc, kind);
    mat_inverse(&inv, &p->mds, t);

    memcpy(p->key, rc, t * sizeof *rc);
    for (unsigned i = 1; i < 4; i++)
        vec_mat(p->key + i * t, rc + i * t, &inv, t); /* M is symmetric: so is its inverse */
    memcpy(acc, rc + (4 + rp) * t, t * sizeof *rc);
    for (unsigned i = 0; i < rp; i++) {
        vec_mat(acc, acc, &inv, t);
        p->key[5 * t + rp - 1 - i] = acc[0];
        acc[0] = cuzk_fr_bit[0];
        for (unsigned j = 0; j < t; j++)
            fr_add(&acc[j], &acc[j], &rc[(4 + rp - 1 - i) * t + j]);
    }
    vec_mat(p->key + 4 * t, acc, &inv, t);
    for (unsigned i = 1; i < 4; i++)
        vec_mat(p->key + 5 * t + rp + (i - 1) * t, rc + (4 + rp + i) * t, &inv, t);
    p->n_keys = POSEIDON_FULL_ROUNDS * t + rp;
}

/* With M = [[m, v], [w, H]]: factor s has w_hat = [m, H^-(s+1) w], v_rest = v H^s, and what is left
 * after all of them is [[m, v H^R_P], [w, H^(R_P+1)]]. Factors are used last first. */
static void make_sparse(poseidon_constants *p)
{
    unsigned t = p->width, n = t - 1, rp = p->n_partial;
    matrix minor, inv;
    fr v[POSEIDON_MAX_WIDTH], x[POSEIDON_MAX_WIDTH];
    memset(&minor, 0, sizeof minor);
    for (unsigned i = 0; i < n; i++) {
        memcpy(minor.at[i], &p->mds.at[i + 1][1], n * sizeof(fr));
        v[i] = x[i] = p->mds.at[0][i + 1]; /* v = w: M is symmetric */
    }
    mat_inverse(&inv, &minor, n);
    for (unsigned s = 0; s < rp; s++) {
        unsigned q = rp - 1 - s;
        vec_mat(x, x, &inv, n); /* the minor is symmetric: left and right products agree */
        p->w_hat[q][0] = p->mds.at[0][0];
        memcpy(&p->w_hat[q][1], x, n * sizeof *x);
        memcpy(p->v_rest[q], v, n * sizeof *v);
        vec_mat(v, v, &minor, n);
    }
    p->pre_sparse = p->mds;
    memcpy(&p->pre_sparse.at[0][1], v, n * sizeof *v);
    matrix left = minor; /* H^(R_P+1): left takes the factors H^(2^k) that are wanted */
    for (unsigned e = rp; e > 0; e >>= 1) {
        const matrix square = minor;
        if (e & 1)
            mat_mul(&left, &left, &square, n);
        mat_mul(&minor, &minor, &square, n);
    }
    for (unsigned i = 0; i < n; i++)
        memcpy(&p->pre_sparse.at[i + 1][1], left.at[i], n * sizeof(fr));
}

const poseidon_constants *cuzk_poseidon_constants(poseidon_kind kind)
{
    constants_set *set = &sets[kinds[kind].set];
    if (CUZK_LIKELY(atomic_load_explicit(&set->made, memory_order_acquire)))
        return &set->k;
    pthread_mutex_lock(&making);
    poseidon_constants *p = &set->k;
    if (!atomic_load(&set->made)) {
        p->width = kinds[kind].arity + 1;
        p->n_partial = kinds[kind].n_partial;
        make_mds(&p->mds, p->width);
        make_keys(p, kind);
        make_sparse(p);
        if (p->width == POSEIDON_LANES_WIDTH)
            cuzk_poseidon_lanes_init(p);
        atomic_store_explicit(&set->made, true, memory_order_release);
    }
    pthread_mutex_unlock(&making);
    return p;
}

void cuzk_poseidon_tag(fr *out, poseidon_kind kind)
{
    unsigned lg = kinds[kind].lg_tag;
    if (lg)
        *out = cuzk_pow2[lg];
    else
        cuzk_fr_from_u64(out, ((uint64_t)1 << kinds[kind].arity) - 1);
}

unsigned cuzk_poseidon_arity(poseidon_kind kind)
{
    return kinds[kind].arity;
}

poseidon_kind cuzk_poseidon_kind_of_arity(unsigned arity)
{
    switch (arity) {
    case 2:
        return POSEIDON_2;
    case 4:
        return POSEIDON_4;
    case 8:
        return POSEIDON_8;
    case 11:
        return POSEIDON_11;
    default:
        return POSEIDON_KIND_COUNT; /* no such node */
    }
}

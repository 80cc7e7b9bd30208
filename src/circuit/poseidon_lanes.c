/* Constants are kept in the SIMD radix, so that a product with one has the form of the state. Sums
 * of up to nine products are reduced once: 9 r^2 is within the bound of fr8_mul (field/simd.h). */
#include "circuit/poseidon_lanes.h"

#include "base/cpu.h"
#include "field/simd.h"

#if CUZK_HAVE_IFMA

#define LANES    8
#define PARTIALS 57 /* of width 9 */

typedef struct {
    _Alignas(64) uint64_t l[5][LANES]; /* limbs of 52 bits */
} lane_constant;

typedef struct {
    lane_constant row[POSEIDON_LANES_WIDTH]; /* row i, columns 1 to 8 */
    lane_constant column;                    /* column 0, rows 1 to 8 */
} lane_matrix;

static struct {
    const poseidon_constants *source; /* NULL: not in use */
    lane_matrix mds, pre_sparse;
    lane_constant w[PARTIALS], v[PARTIALS];
} tables; /* written by init only */

static void enter(lane_constant *out, const fr x[], size_t stride)
{
    const uint64_t mask = ((uint64_t)1 << 52) - 1;
    for (unsigned j = 0; j < LANES; j++) {
        fr y;
        fr_mul(&y, &x[j * stride], &cuzk_fr_simd_enter);
        out->l[0][j] = y.l[0] & mask;
        out->l[1][j] = (y.l[0] >> 52 | y.l[1] << 12) & mask;
        out->l[2][j] = (y.l[1] >> 40 | y.l[2] << 24) & mask;
        out->l[3][j] = (y.l[2] >> 28 | y.l[3] << 36) & mask;
        out->l[4][j] = y.l[3] >> 16;
    }
}

static void enter_matrix(lane_matrix *out, const poseidon_matrix *m)
{
    for (unsigned i = 0; i < POSEIDON_LANES_WIDTH; i++)
        enter(&out->row[i], &m->at[i][1], 1);
    enter(&out->column, &m->at[1][0], POSEIDON_MAX_WIDTH);
}

void cuzk_poseidon_lanes_init(const poseidon_constants *k)
{
    if (cuzk_cpu_active() != CUZK_CPU_IFMA || k->n_partial != PARTIALS)
        return;
    enter_matrix(&tables.mds, &k->mds);
    enter_matrix(&tables.pre_sparse, &k->pre_sparse);
    for (unsigned q = 0; q < PARTIALS; q++) {
        enter(&tables.w[q], &k->w_hat[q][1], 1);
        enter(&tables.v[q], &k->v_rest[q][0], 1);
    }
    tables.source = k;
}

IFMA_INLINE void load_constant(fr8 *r, const lane_constant *c)
{
    for (int i = 0; i < 5; i++)
        r->l[i] = _mm512_load_si512(c->l[i]);
}

/* c += a b, not reduced */
IFMA_INLINE void add_rows(__m512i c[10], const fr8 *a, const fr8 *b)
{
    for (int i = 0; i < 5; i++)
        ifma_row(c + i, a->l[i], b->l, 5);
}

/* Below 2r. Limbs of c: at most 9 * 10 products of 52 bits, below 2^59. */
IFMA_INLINE void reduce_rows(fr8 *r, __m512i c[10])
{
    fr8 m;
    fr8_constant(&m, FR8_R);
    for (int i = 0; i < 5; i++)
        ifma_redc_step(c + i, m.l, ifma_set1(IFMA_FR_INV), 5);
    ifma_normalize(r->l, c + 5, 5);
}

/* The sum of eight lanes below 2r, canonical. The sum v is below 16 r < 2^259; r = 28.98 * 2^250
 * and 2261 / 2^16 is just below 1 / 28.98, so q is v / r or one less. */
IFMA_INLINE void sum_lanes(fr *out, const fr8 *a)
{
    uint64_t l[5], w[5], t[4];
    for (int i = 0; i < 5; i++)
        l[i] = (uint64_t)_mm512_reduce_add_epi64(a->l[i]);
    for (int i = 0; i < 4; i++) { /* carried limbs: what follows shifts them together */
        l[i + 1] += l[i] >> 52;
        l[i] &= IFMA_MASK;
    }
    w[0] = l[0] | l[1] << 52;
    w[1] = l[1] >> 12 | l[2] << 40;
    w[2] = l[2] >> 24 | l[3] << 28;
    w[3] = l[3] >> 36 | l[4] << 16;
    w[4] = l[4] >> 48;
    uint64_t q = (w[4] << 6 | w[3] >> 58) * 2261 >> 16, borrow = 0, carry = 0;
    for (int i = 0; i < 4; i++) {
        cuzk_u128 p = (cuzk_u128)q * cuzk_fr_modulus[i] + carry;
        carry = (uint64_t)(p >> 64);
        cuzk_u128 d = (cuzk_u128)w[i] - (uint64_t)p - borrow;
        w[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    borrow = 0;
    for (int i = 0; i < 4; i++) {
        cuzk_u128 d = (cuzk_u128)w[i] - cuzk_fr_modulus[i] - borrow;
        t[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    for (int i = 0; i < 4; i++)
        out->l[i] = borrow ? w[i] : t[i];
}

/* out = x y + sum of the lanes of a b; a below 2r, b a constant below r */
IFMA_INLINE void dot(fr *out, const fr *x, const fr *y, const fr8 *a, const lane_constant *b)
{
    fr8 k, p;
    fr first;
    load_constant(&k, b);
    fr8_mul(&p, a, &k);
    fr_mul(&first, x, y);
    sum_lanes(out, &p);
    fr_add(out, out, &first);
}

CUZK_TARGET_IFMA static void dense(fr state[], const poseidon_matrix *m, const lane_matrix *lanes)
{
    __m512i c[10];
    fr8 rest, x, k;
    fr first;
    fr8_load(&rest, state + 1);
    dot(&first, &state[0], &m->at[0][0], &rest, &lanes->column);
    for (int i = 0; i < 10; i++)
        c[i] = _mm512_setzero_si512();
    for (unsigned i = 0; i < POSEIDON_LANES_WIDTH; i++) {
        fr8_broadcast(&x, &state[i]);
        load_constant(&k, &lanes->row[i]);
        add_rows(c, &x, &k);
    }
    reduce_rows(&x, c);
    fr8_subtract_if(&x, &x, FR8_R);
    fr8_store(state + 1, &x);
    state[0] = first;
}

CUZK_TARGET_IFMA static void sparse(fr state[], const fr *w0, const lane_constant *w,
                                    const lane_constant *v)
{
    fr8 rest, x, k;
    fr first;
    fr8_load(&rest, state + 1);
    dot(&first, &state[0], w0, &rest, w);
    fr8_broadcast(&x, &state[0]);
    load_constant(&k, v);
    fr8_mul(&x, &x, &k);
    fr8_add(&x, &x, &rest); /* below 3r */
    fr8_canon(&x, &x);
    fr8_store(state + 1, &x);
    state[0] = first;
}

bool cuzk_poseidon_lanes_dense(fr state[], const poseidon_matrix *m)
{
    const poseidon_constants *k = tables.source;
    if (!k || (m != &k->mds && m != &k->pre_sparse) || !cuzk_switch_on(CUZK_SWITCH_IFMA))
        return false;
    dense(state, m, m == &k->mds ? &tables.mds : &tables.pre_sparse);
    return true;
}

bool cuzk_poseidon_lanes_sparse(fr state[], const poseidon_constants *k, unsigned partial_round)
{
    if (!k || k != tables.source || !cuzk_switch_on(CUZK_SWITCH_IFMA))
        return false;
    sparse(state, &k->w_hat[partial_round][0], &tables.w[partial_round], &tables.v[partial_round]);
    return true;
}

#else

void cuzk_poseidon_lanes_init(const poseidon_constants *k)
{
    (void)k;
}

bool cuzk_poseidon_lanes_dense(fr state[], const poseidon_matrix *m)
{
    (void)state, (void)m;
    return false;
}

bool cuzk_poseidon_lanes_sparse(fr state[], const poseidon_constants *k, unsigned partial_round)
{
    (void)state, (void)k, (void)partial_round;
    return false;
}

#endif

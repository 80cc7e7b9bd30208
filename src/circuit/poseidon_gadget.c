/* Between two S-box layers a state element is a linear combination of the outputs of earlier
 * S-boxes; before its own S-box it gets a variable of its own ("ensure" row). All combinations of
 * one arity are the same in every instance: their coefficients are worked out once, as dense
 * vectors over a growing base of variables, and copied into the rows from then on. The values need
 * none of that: the native hash passes through exactly the values that the combinations have.
 *
 * Base: the outputs of the last full layer (for round 1: ONE and the outputs of round 0, whose
 * first S-box is folded into the constant kappa), then one output of each partial round so far.
 */
#include "circuit/poseidon_gadget.h"

#include <pthread.h>
#include <stdatomic.h>

#include "circuit/poseidon_constants.h"
#include "circuit/scope.h"

#define MAX_BASE (POSEIDON_MAX_WIDTH + POSEIDON_MAX_PARTIAL)

/* Terms of all ensure rows: gadgets.md 9.6, nnz A less the S-box rows, is below these. */
#define MAX_ENSURE_TERMS 4096

typedef struct {
    fr kappa;
    unsigned n_terms;
    fr term[MAX_ENSURE_TERMS]; /* in order of use; the length of each is known from its place */
} ensure_rows;

/* Made at the first use of its kind, under making, before made; then read-only. */
static struct {
    ensure_rows rows;
    atomic_bool made;
} tables[POSEIDON_KIND_COUNT];
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static void put_terms(ensure_rows *e, const fr coeff[], unsigned n)
{
    CUZK_DASSERT(e->n_terms + n <= MAX_ENSURE_TERMS);
    memcpy(e->term + e->n_terms, coeff, n * sizeof *coeff);
    e->n_terms += n;
}

/* Element j after a dense layer over fresh variables: column j. */
static void put_column(ensure_rows *e, const poseidon_matrix *m, unsigned width, unsigned j)
{
    fr column[POSEIDON_MAX_WIDTH];
    for (unsigned i = 0; i < width; i++)
        column[i] = m->at[i][j];
    put_terms(e, column, width);
}

static void put_columns(ensure_rows *e, const poseidon_matrix *m, unsigned width)
{
    for (unsigned j = 0; j < width; j++)
        put_column(e, m, width, j);
}

/* row += k * from, over n base variables */
static void add_scaled(fr row[], const fr from[], const fr *k, unsigned n)
{
    fr t;
    for (unsigned i = 0; i < n; i++) {
        fr_mul(&t, &from[i], k);
        fr_add(&row[i], &row[i], &t);
    }
}

/* One partial round on the combinations state[j] (n terms in use): element 0 becomes the new base
 * variable n, then the sparse layer mixes. */
static void mix_partial(fr state[][MAX_BASE], const poseidon_constants *k, unsigned q, unsigned n)
{
    memset(state[0], 0, sizeof state[0]);
    for (unsigned j = 1; j < k->width; j++)
        add_scaled(state[0], state[j], &k->w_hat[q][j], n);
    state[0][n] = k->w_hat[q][0];
    for (unsigned j = 1; j < k->width; j++)
        state[j][n] = k->v_rest[q][j - 1];
}

static void make_kappa(fr *out, const poseidon_constants *k, poseidon_kind kind)
{
    cuzk_poseidon_tag(out, kind);
    fr_add(out, out, &k->key[0]);
    cuzk_poseidon_quintic(out);
    fr_add(out, out, &k->key[k->width]);
}

static void make_table(ensure_rows *e, poseidon_kind kind)
{
    const poseidon_constants *k = cuzk_poseidon_constants(kind);
    fr state[POSEIDON_MAX_WIDTH][MAX_BASE];
    unsigned t = k->width, n = t;
    make_kappa(&e->kappa, k, kind);
    put_columns(e, &k->mds, t); /* into round 1 */
    for (unsigned j = 0; j < t; j++)
        fr_mul(&e->term[j * t], &e->term[j * t], &e->kappa);
    put_columns(e, &k->mds, t);
    put_columns(e, &k->mds, t);

    memset(state, 0, sizeof state);
    for (unsigned j = 0; j < t; j++) {
        for (unsigned i = 0; i < t; i++)
            state[j][i] = k->pre_sparse.at[i][j];
    }
    for (unsigned q = 0; q < k->n_partial; q++, n++) {
        put_terms(e, state[0], n);
        mix_partial(state, k, q, n);
    }
    for (unsigned j = 0; j < t; j++)
        put_terms(e, state[j], n);
    for (unsigned round = 0; round < 3; round++)
        put_columns(e, &k->mds, t);
    put_column(e, &k->mds, t, 1); /* the digest */
}

static const ensure_rows *rows_of(poseidon_kind kind)
{
    ensure_rows *e = &tables[kind].rows;
    if (CUZK_LIKELY(atomic_load_explicit(&tables[kind].made, memory_order_acquire)))
        return e;
    pthread_mutex_lock(&making);
    if (!atomic_load(&tables[kind].made)) {
        make_table(e, kind);
        atomic_store_explicit(&tables[kind].made, true, memory_order_release);
    }
    pthread_mutex_unlock(&making);
    return e;
}

/* One instance being written. */
typedef struct {
    cs *c;
    const poseidon_constants *k;
    const fr *term, *key; /* next coefficients and post key */
    fr state[POSEIDON_MAX_WIDTH];
    cs_var base[MAX_BASE];
    unsigned n_base;
    cs_lc lc; /* reused by all ensure rows */
} instance;

static void ensure_row(instance *p, cs_var x)
{
    cs_lc one, out;
    if (!cs_wants_rows(p->c))
        return;
    cs_lc_begin(p->c, &one);
    cs_lc_begin(p->c, &out);
    cs_lc_clear(&p->lc);
    for (unsigned i = 0; i < p->n_base; i++)
        cs_lc_add(&p->lc, p->base[i], p->term++);
    cs_lc_add(&one, CS_ONE, COEFF_ONE);
    cs_lc_add(&out, x, COEFF_ONE);
    cs_enforce(p->c, &p->lc, &one, &out);
    cs_lc_fini(&out);
    cs_lc_fini(&one);
}

/* x + pre, pre may be NULL */
static void add_keyed(cs_lc *lc, cs_var x, const fr *pre)
{
    cs_lc_add(lc, x, COEFF_ONE);
    if (pre)
        cs_lc_add(lc, CS_ONE, pre);
}

static cs_var square_row(cs *c, cs_var x, const fr *pre, const fr *value)
{
    cs_var y = cs_alloc(c, value);
    cs_row r;
    if (!cs_wants_rows(c))
        return y;
    cs_row_begin(c, &r);
    add_keyed(&r.a, x, pre);
    add_keyed(&r.b, x, pre);
    cs_lc_add(&r.c, y, COEFF_ONE);
    cs_row_end(c, &r);
    return y;
}

/* y = (x + pre)^5 + post in three rows; *value goes from x to y. */
static cs_var sbox(cs *c, cs_var x, const fr *pre, const fr *post, fr *value)
{
    fr v = *value, v2, v4, minus_post;
    if (pre)
        fr_add(&v, &v, pre);
    fr_sqr(&v2, &v);
    fr_sqr(&v4, &v2);
    fr_mul(value, &v, &v4);
    if (post)
        fr_add(value, value, post);

    cs_var l2 = square_row(c, x, pre, &v2);
    cs_var l4 = square_row(c, l2, NULL, &v4);
    cs_var l5 = cs_alloc(c, value);
    cs_row r;
    if (!cs_wants_rows(c))
        return l5;
    cs_row_begin(c, &r);
    add_keyed(&r.a, x, pre);
    cs_lc_add(&r.b, l4, COEFF_ONE);
    cs_lc_add(&r.c, l5, COEFF_ONE);
    if (post) {
        fr_neg(&minus_post, post);
        cs_lc_add(&r.c, CS_ONE, &minus_post);
    }
    cs_row_end(c, &r);
    return l5;
}

/* Ensure and S-box of element i; returns the new base variable. */
static cs_var element(instance *p, unsigned i, bool keyed)
{
    cs_var x = cs_alloc(p->c, &p->state[i]);
    ensure_row(p, x);
    return sbox(p->c, x, NULL, keyed ? p->key++ : NULL, &p->state[i]);
}

static void full_layer(instance *p, bool keyed, const poseidon_matrix *m)
{
    cs_var next[POSEIDON_MAX_WIDTH];
    for (unsigned i = 0; i < p->k->width; i++)
        next[i] = element(p, i, keyed);
    memcpy(p->base, next, p->k->width * sizeof *next);
    p->n_base = p->k->width;
    cuzk_poseidon_dense(p->state, m, p->k->width);
}

static void first_layer(instance *p, const fr *kappa, const num in[])
{
    unsigned t = p->k->width;
    p->state[0] = *kappa;
    p->base[0] = CS_ONE;
    for (unsigned i = 1; i < t; i++) {
        p->state[i] = in[i - 1].value;
        p->base[i] = sbox(p->c, in[i - 1].var, &p->k->key[i], &p->k->key[t + i], &p->state[i]);
    }
    p->n_base = t;
    p->key = p->k->key + 2 * t;
    cuzk_poseidon_dense(p->state, &p->k->mds, t);
}

static num permute(cs *c, poseidon_kind kind, const num in[])
{
    const ensure_rows *rows = rows_of(kind);
    instance p = {.c = c, .k = cuzk_poseidon_constants(kind), .term = rows->term};
    cs_lc_begin(c, &p.lc);
    first_layer(&p, &rows->kappa, in);
    for (unsigned round = 1; round < 4; round++)
        full_layer(&p, true, round == 3 ? &p.k->pre_sparse : &p.k->mds);
    for (unsigned q = 0; q < p.k->n_partial; q++) {
        p.base[p.n_base] = element(&p, 0, true);
        p.n_base++;
        cuzk_poseidon_sparse(p.state, p.k, q);
    }
    for (unsigned round = 0; round < 3; round++)
        full_layer(&p, true, &p.k->mds);
    full_layer(&p, false, &p.k->mds);

    num out = cuzk_num_alloc(c, &p.state[1]);
    ensure_row(&p, out.var);
    CUZK_DASSERT(!cs_wants_rows(c) || p.term == rows->term + rows->n_terms);
    cs_lc_fini(&p.lc);
    return out;
}

num cuzk_poseidon_gadget(cs *c, poseidon_kind kind, const num in[])
{
    num out = {{{0}}, 0};
    const cs_scope scope = {
        SCOPE_POSEIDON, (uint32_t)kind, {{NULL, in, cuzk_poseidon_arity(kind)}}, {{NULL, &out, 1}}};
    if (cs_scope_begin(c, &scope))
        return out;
    out = permute(c, kind, in);
    cs_scope_end(c, &scope);
    return out;
}

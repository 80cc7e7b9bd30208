/* The optimised native hash (gadgets.md 9.5). */
#include "circuit/poseidon.h"

#include "circuit/poseidon_lanes.h"

void cuzk_poseidon_quintic(fr *x)
{
    fr x2, x4;
    fr_sqr(&x2, x);
    fr_sqr(&x4, &x2);
    fr_mul(x, x, &x4);
}

void cuzk_poseidon_dense(fr state[], const poseidon_matrix *m, unsigned width)
{
    fr t, r[POSEIDON_MAX_WIDTH];
    if (width == POSEIDON_LANES_WIDTH && cuzk_poseidon_lanes_dense(state, m))
        return;
    for (unsigned j = 0; j < width; j++)
        fr_mul(&r[j], &state[0], &m->at[0][j]);
    for (unsigned i = 1; i < width; i++) {
        for (unsigned j = 0; j < width; j++) {
            fr_mul(&t, &state[i], &m->at[i][j]);
            fr_add(&r[j], &r[j], &t);
        }
    }
    memcpy(state, r, width * sizeof *state);
}

void cuzk_poseidon_sparse(fr state[], const poseidon_constants *k, unsigned partial_round)
{
    const fr *w = k->w_hat[partial_round], *v = k->v_rest[partial_round];
    fr t, first;
    if (k->width == POSEIDON_LANES_WIDTH && cuzk_poseidon_lanes_sparse(state, k, partial_round))
        return;
    fr_mul(&first, &state[0], &w[0]);
    for (unsigned j = 1; j < k->width; j++) {
        fr_mul(&t, &state[j], &w[j]);
        fr_add(&first, &first, &t);
        fr_mul(&t, &state[0], &v[j - 1]);
        fr_add(&state[j], &state[j], &t);
    }
    state[0] = first;
}

static void full_round(fr state[], const poseidon_constants *k, const fr key[],
                       const poseidon_matrix *m)
{
    for (unsigned i = 0; i < k->width; i++) {
        cuzk_poseidon_quintic(&state[i]);
        if (key)
            fr_add(&state[i], &state[i], &key[i]);
    }
    cuzk_poseidon_dense(state, m, k->width);
}

void cuzk_poseidon_hash(fr *out, poseidon_kind kind, const fr in[])
{
    const poseidon_constants *k = cuzk_poseidon_constants(kind);
    const fr *key = k->key;
    fr state[POSEIDON_MAX_WIDTH];
    unsigned t = k->width;
    cuzk_poseidon_tag(&state[0], kind);
    memcpy(&state[1], in, (t - 1) * sizeof *state);
    for (unsigned i = 0; i < t; i++)
        fr_add(&state[i], &state[i], &key[i]);
    key += t;
    for (unsigned round = 0; round < 4; round++, key += t)
        full_round(state, k, key, round == 3 ? &k->pre_sparse : &k->mds);
    for (unsigned q = 0; q < k->n_partial; q++) {
        cuzk_poseidon_quintic(&state[0]);
        fr_add(&state[0], &state[0], key++);
        cuzk_poseidon_sparse(state, k, q);
    }
    for (unsigned round = 0; round < 3; round++, key += t)
        full_round(state, k, key, &k->mds);
    full_round(state, k, NULL, &k->mds);
    *out = state[1];
}

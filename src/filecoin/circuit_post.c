/* FallbackPoSt, Winning and Window (circuits.md section 6). */
#include "filecoin/circuit_parts.h"

typedef struct {
    cs *c;
    uint8_t arity[MAX_TREE_LEVELS];
    unsigned n_levels;
} post;

static void prove_leaf(post *p, const num *root, const merkle_proof *proof)
{
    por_path path;
    num leaf = cuzk_num_alloc(p->c, value_or_zero(proof ? &proof->leaf : NULL));
    cuzk_tree_path(p->c, &path, p->arity, p->n_levels, proof);
    cuzk_por_with_input(p->c, NODE_POSEIDON, &leaf, root, &path);
}

/* One circuit sector: n_proofs inclusion proofs under the commitments of s (NULL: blank). */
static void circuit_sector(post *p, const post_sector *s, const merkle_proof *proof,
                           unsigned n_proofs)
{
    cs *c = p->c;
    num comm_r_last = cuzk_num_alloc(c, value_or_zero(s ? &s->comm_r_last : NULL));
    num comm_c = cuzk_num_alloc(c, value_or_zero(s ? &s->comm_c : NULL));
    num comm_r = cuzk_num_alloc(c, value_or_zero(s ? &s->comm_r : NULL));
    cuzk_num_inputize(c, &comm_r);
    num h = cuzk_comm_r_gadget(c, &comm_c, &comm_r_last);
    cuzk_num_equal(c, &comm_r, &h);
    for (unsigned i = 0; i < n_proofs; i++)
        prove_leaf(p, &comm_r_last, s ? &proof[i] : NULL);
}

typedef struct {
    const post *shared;
    const circuit_instance *in;
} all_sectors;

/* Winning: each of the sector's inclusion proofs is a circuit sector of its own. */
static void winning(void *ctx, cs *c, size_t i)
{
    const all_sectors *all = (const all_sectors *)ctx;
    const proof_request *req = all->in->req;
    const post_sector *s = req ? &req->sector[0] : NULL;
    size_t k = s && i >= s->n_proofs ? s->n_proofs - 1 : i;
    post p = *all->shared;
    p.c = c;
    circuit_sector(&p, s, s ? &s->proof[k] : NULL, 1);
}

/* Window: sectors [k S, (k + 1) S) of the request, the last one repeated to fill the partition. */
static void window(void *ctx, cs *c, size_t i)
{
    const all_sectors *all = (const all_sectors *)ctx;
    const proof_request *req = all->in->req;
    size_t k = (size_t)all->in->partition * all->in->id.shape->window_sectors + i;
    const post_sector *s = NULL;
    post p = *all->shared;
    p.c = c;
    if (req)
        s = &req->sector[k < req->n_sectors ? k : req->n_sectors - 1];
    if (s && s->n_proofs != WINDOW_CHALLENGES) {
        cs_fail(c, CUZK_INVAL, "circuit: sector %llu with %zu inclusion proofs",
                (unsigned long long)s->sector_id, s->n_proofs);
        return;
    }
    circuit_sector(&p, s, s ? s->proof : NULL, WINDOW_CHALLENGES);
}

void cuzk_synthesize_post(const void *ctx, cs *c)
{
    const circuit_instance *in = (const circuit_instance *)ctx;
    const proof_request *req = in->req;
    post p = {.c = c};
    p.n_levels = cuzk_shape_tree_arities(in->id.shape, p.arity);
    if (in->id.shape->window_sectors == 0) {
        cs_fail(c, CUZK_INVAL, "circuit: no PoSt for sectors of %s", in->id.shape->rust_name);
        return;
    }
    if (req && (req->n_sectors == 0 || req->sector[0].n_proofs == 0)) {
        cs_fail(c, CUZK_INVAL, "circuit: PoSt without sectors or inclusion proofs");
        return;
    }
    all_sectors all = {&p, in};
    if (in->id.kind == CUZK_KIND_WINNING)
        cs_children(c, WINNING_CHALLENGES, winning, &all);
    else
        cs_children(c, in->id.shape->window_sectors, window, &all);
}

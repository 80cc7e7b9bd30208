/* EmptySectorUpdate, the SnapDeals circuit (circuits.md 7.3, whose step numbers are used). */
#include "circuit/insertion.h"
#include "circuit/packing.h"
#include "circuit/poseidon_gadget.h"
#include "circuit/sha256_gadget.h"
#include "filecoin/circuit_parts.h"

#define N_H           6
#define MAX_PART_BITS 4
#define MAX_APEX      128
#define MAX_DIGESTS   10
#define MAX_SIBLINGS  (7 * MAX_TREE_LEVELS)

typedef struct {
    cs *c;
    const sector_shape *shape;
    const update_partition *values; /* NULL: blank */
    unsigned lg_parts, lg_apex;
    unsigned challenge_bits; /* of one generated challenge: lg nodes less lg parts */
    unsigned apex_height;    /* levels of tree D below the apex leaves */
    uint8_t data_arity[MAX_TREE_LEVELS], tree_arity[MAX_TREE_LEVELS];
    unsigned n_tree_levels;
    boolean part_bits[MAX_PART_BITS], h_select[N_H];
    num part, comm_r_old, comm_d_new, comm_r_new, phi, root_r_old, root_r_new;
    num apex[MAX_APEX];
    boolean digest_bits[MAX_DIGESTS][NUM_BITS];
} update;

static num alloc_input_number(cs *c, const fr *value)
{
    num n = cuzk_num_alloc(c, value_or_zero(value));
    cuzk_num_inputize(c, &n);
    return n;
}

static num poseidon2(cs *c, poseidon_kind kind, const num *a, const num *b)
{
    const num in[] = {*a, *b};
    return cuzk_poseidon_gadget(c, kind, in);
}

/* Steps 1-5: partition number and choice of h share one public number. */
static void header(update *u, const circuit_instance *in)
{
    cs *c = u->c;
    const proof_request *req = in->req;
    uint64_t kh = in->partition | (uint64_t)1 << u->shape->update_h_select << u->lg_parts;
    boolean bits[MAX_PART_BITS + N_H];
    fr value;
    cuzk_fr_from_u64(&value, req ? kh : 0);
    num n = alloc_input_number(c, &value);
    cuzk_num_to_bits_update(c, bits, &n, u->lg_parts + N_H);
    memcpy(u->part_bits, bits, u->lg_parts * sizeof *bits);
    memcpy(u->h_select, bits + u->lg_parts, sizeof u->h_select);
    u->part = cuzk_pack_bits(c, u->part_bits, u->lg_parts);
    u->comm_r_old = alloc_input_number(c, req ? &req->comm_r_old : NULL);
    u->comm_d_new = alloc_input_number(c, req ? &req->comm_d_new : NULL);
    u->comm_r_new = alloc_input_number(c, req ? &req->comm_r_new : NULL);
    u->phi = poseidon2(c, POSEIDON_2_GEN, &u->comm_d_new, &u->comm_r_old);
}

/* Siblings of tree D above the apex root, the same for all challenges of the partition. */
static void alloc_partition_path(update *u, num out[MAX_PART_BITS])
{
    const fr *d = u->values ? u->values->challenge[0].d_new.sibling : NULL;
    for (unsigned i = 0; i < u->lg_parts; i++)
        out[i] = cuzk_num_alloc(u->c, value_or_zero(d ? &d[u->challenge_bits + i] : NULL));
}

/* Step 6 and 7. */
static void commitments(update *u, num part_path[MAX_PART_BITS])
{
    cs *c = u->c;
    const update_partition *v = u->values;
    num comm_c = cuzk_num_alloc(c, value_or_zero(v ? &v->comm_c : NULL));
    u->root_r_old = cuzk_num_alloc(c, value_or_zero(v ? &v->challenge[0].r_old.root : NULL));
    u->root_r_new = cuzk_num_alloc(c, value_or_zero(v ? &v->challenge[0].r_new.root : NULL));
    for (unsigned i = 0; i < u->shape->update_apex_leaves; i++)
        u->apex[i] = cuzk_num_alloc(c, value_or_zero(v ? &v->apex_leaf[i] : NULL));
    alloc_partition_path(u, part_path);
    num h = cuzk_comm_r_gadget(c, &comm_c, &u->root_r_old);
    cuzk_num_equal(c, &h, &u->comm_r_old);
    h = cuzk_comm_r_gadget(c, &comm_c, &u->root_r_new);
    cuzk_num_equal(c, &h, &u->comm_r_new);
}

/* Step 8: from the apex leaves down to comm_d_new. */
static void apex_tree(update *u, const num part_path[MAX_PART_BITS])
{
    num node[MAX_APEX];
    por_path path = {.n_levels = u->lg_parts, .arity = u->data_arity};
    unsigned n = u->shape->update_apex_leaves;
    memcpy(node, u->apex, n * sizeof *node);
    for (; n > 1; n /= 2) {
        for (unsigned i = 0; i < n / 2; i++)
            node[i] = cuzk_sha256_node(u->c, &node[2 * i], &node[2 * i + 1]);
    }
    cuzk_por_from_bits(u->c, NODE_SHA256, &node[0], &u->comm_d_new, u->part_bits, part_path, &path);
}

/* d = n_digests * partition + j */
static num digest_index(update *u, unsigned n_digests, unsigned j)
{
    fr factor, offset, value;
    cuzk_fr_from_u64(&factor, n_digests);
    cuzk_fr_from_u64(&offset, j);
    fr_mul(&value, &factor, &u->part.value);
    fr_add(&value, &value, &offset);
    num d = cuzk_num_alloc(u->c, &value);
    cs_row r;
    cs_row_begin(u->c, &r);
    cs_lc_add(&r.a, u->part.var, &factor);
    cs_lc_add(&r.a, CS_ONE, &offset);
    cs_lc_add(&r.b, CS_ONE, COEFF_ONE);
    cs_lc_add(&r.c, d.var, COEFF_ONE);
    cs_row_end(u->c, &r);
    return d;
}

/* Step 9. All 255 bits of each digest are allocated, used or not. */
static void challenge_digests(update *u, unsigned n_digests)
{
    for (unsigned j = 0; j < n_digests; j++) {
        num d = digest_index(u, n_digests, j);
        num digest = poseidon2(u->c, POSEIDON_2_GEN, &u->comm_r_new, &d);
        cuzk_num_to_bits_update(u->c, u->digest_bits[j], &digest, NUM_BITS);
    }
}

/* Steps 10.1-10.3: rho from the top h bits of the challenge, h chosen by h_select. */
static num rho(update *u, const boolean bits[])
{
    cs *c = u->c;
    num z[N_H];
    fr sum = {{0}};
    for (unsigned q = 0; q < N_H; q++) {
        unsigned h = u->shape->update_h[q];
        num p = cuzk_pack_bits(c, bits + u->shape->lg_nodes - h, h);
        num select = {cuzk_fr_bit[u->h_select[q].value], u->h_select[q].var};
        z[q] = cuzk_num_mul(c, &p, &select);
        fr_add(&sum, &sum, &z[q].value);
    }
    num high = cuzk_num_alloc(c, &sum);
    cs_row r;
    cs_row_begin(c, &r);
    for (unsigned q = 0; q < N_H; q++)
        cs_lc_add(&r.a, z[q].var, COEFF_ONE);
    cs_lc_add(&r.b, CS_ONE, COEFF_ONE);
    cs_lc_add(&r.c, high.var, COEFF_ONE);
    cs_row_end(c, &r);
    return poseidon2(c, POSEIDON_2_GEN, &u->phi, &high);
}

/* All siblings first, then the path. */
static void prove_leaf(update *u, node_hash hash, const num *leaf, const num *root,
                       const boolean bits[], const por_path *path)
{
    num sibling[MAX_SIBLINGS];
    unsigned n = cuzk_por_siblings(path);
    for (unsigned i = 0; i < n; i++)
        sibling[i] = cuzk_num_alloc(u->c, value_or_zero(path->sibling ? &path->sibling[i] : NULL));
    cuzk_por_from_bits(u->c, hash, leaf, root, bits, sibling, path);
}

static void prove_replica(update *u, const num *leaf, const num *root, const boolean bits[],
                          const merkle_proof *proof)
{
    por_path path;
    cuzk_tree_path(u->c, &path, u->tree_arity, u->n_tree_levels, proof);
    prove_leaf(u, NODE_POSEIDON, leaf, root, bits, &path);
}

/* Step 10 for one challenge. */
static void challenge(update *u, const boolean generated[], const update_challenge *v)
{
    cs *c = u->c;
    boolean bits[MAX_TREE_LEVELS];
    num choice[MAX_APEX];
    por_path data_path;
    memcpy(bits, generated, u->challenge_bits * sizeof *bits);
    memcpy(bits + u->challenge_bits, u->part_bits, u->lg_parts * sizeof *bits);

    num factor = rho(u, bits);
    num r_old = cuzk_num_alloc(c, value_or_zero(v ? &v->r_old.leaf : NULL));
    num d_new = cuzk_num_alloc(c, value_or_zero(v ? &v->d_new.leaf : NULL));
    num t = cuzk_num_mul(c, &d_new, &factor);
    num r_new = cuzk_num_add(c, &r_old, &t);
    prove_replica(u, &r_old, &u->root_r_old, bits, v ? &v->r_old : NULL);
    prove_replica(u, &r_new, &u->root_r_new, bits, v ? &v->r_new : NULL);

    memcpy(choice, u->apex, u->shape->update_apex_leaves * sizeof *choice);
    num apex_leaf = cuzk_select(c, choice, bits + u->apex_height, u->lg_apex);
    cuzk_tree_path(c, &data_path, u->data_arity, u->apex_height, v ? &v->d_new : NULL);
    prove_leaf(u, NODE_SHA256, &d_new, &apex_leaf, bits, &data_path);
}

typedef struct {
    const update *shared;
    unsigned per_digest;
} all_challenges;

static void one_challenge(void *ctx, cs *c, size_t i)
{
    const all_challenges *all = (const all_challenges *)ctx;
    update u = *all->shared;
    u.c = c;
    challenge(&u,
              u.digest_bits[i / all->per_digest] + (i % all->per_digest) * u.challenge_bits,
              u.values ? &u.values->challenge[i] : NULL);
}

/* Paths are compared with the shape where they are used, but for the top of the first one. */
static bool fits(const update_partition *v, const sector_shape *s)
{
    return v->n_challenges == s->update_challenges && v->n_apex_leaves == s->update_apex_leaves &&
           v->challenge[0].d_new.n_levels == s->lg_nodes;
}

static bool set_up(update *u, const circuit_instance *in)
{
    const sector_shape *s = in->id.shape;
    const update_partition *v = in->req ? &in->req->update[in->partition] : NULL;
    if (s->update_partitions == 0 || (v && !fits(v, s))) {
        cs_fail(u->c, CUZK_INVAL, "circuit: snap-%s with %zu challenges and %zu apex leaves",
                s->name, v ? v->n_challenges : 0, v ? v->n_apex_leaves : 0);
        return false;
    }
    u->shape = s;
    u->values = v;
    u->lg_parts = cuzk_lg_ceil(s->update_partitions);
    u->lg_apex = cuzk_lg_ceil(s->update_apex_leaves);
    u->challenge_bits = s->lg_nodes - u->lg_parts;
    u->apex_height = u->challenge_bits - u->lg_apex;
    memset(u->data_arity, 2, s->lg_nodes);
    u->n_tree_levels = cuzk_shape_tree_arities(s, u->tree_arity);
    return true;
}

void cuzk_synthesize_update(const void *ctx, cs *c)
{
    const circuit_instance *in = (const circuit_instance *)ctx;
    num part_path[MAX_PART_BITS];
    update u = {.c = c};
    if (!set_up(&u, in))
        return;
    unsigned per_digest = PACK_BITS / u.challenge_bits, n = u.shape->update_challenges;
    header(&u, in);
    commitments(&u, part_path);
    apex_tree(&u, part_path);
    challenge_digests(&u, (n + per_digest - 1) / per_digest);
    all_challenges all = {&u, per_digest};
    cs_children(c, n, one_challenge, &all);
}

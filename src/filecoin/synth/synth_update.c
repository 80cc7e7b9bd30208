/* Snap: an old and a new sector of which every leaf is known, since the challenges hang on the
 * root of the new replica and each challenged leaf must be the encoding of the old one (spec
 * circuits.md 9.5).
 *
 * The sector is cut into 2^q pieces; in a piece the leaves repeat after 8^w nodes. A piece lies
 * within one range of nodes that share rho, so the new leaves repeat in the same way.
 */
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "circuit/poseidon.h"
#include "filecoin/challenges.h"
#include "filecoin/synth/synth_job.h"
#include "filecoin/synth/synth_tree.h"

#define DEFAULT_LG_PIECES  13
#define DEFAULT_LG8_PERIOD 1
#define MAX_LG_VALUES      22 /* distinct leaves of a tree: 128 MiB of field elements */

typedef struct {
    synth_job *job;
    const sector_shape *shape;
    unsigned h;         /* nodes with the same high h bits share rho */
    unsigned lg_pieces; /* q >= h */
    uint64_t period;    /* 8^w */
    size_t n_values;    /* 2^q * 8^w: leaves that differ */
    fr *old_leaf, *data, *new_leaf;
    synth_piecewise_tree tree_old, tree_data, tree_new;
    fr comm_c, comm_r_old, comm_r_new;
} update_synth;

/* ---- parameters ---- */

static cuzk_status choose_pieces(update_synth *u, cuzk_err *err)
{
    const cuzk_synth_options *o = &u->job->opt;
    int lg_nodes = (int)u->shape->lg_nodes, q = o->lg_pieces;
    int w = o->lg8_period < 0 ? DEFAULT_LG8_PERIOD : o->lg8_period;
    int lg_max = lg_nodes < MAX_LG_VALUES ? lg_nodes : MAX_LG_VALUES;
    u->h = u->shape->update_h[u->shape->update_h_select];
    if (w > lg_max / 3)
        return cuzk_fail(err, CUZK_INVAL, 0, "pieces of period 8^%d; at most 8^%d here", w,
                         lg_max / 3);
    if (q < 0)
        q = lg_nodes - 3 * w < DEFAULT_LG_PIECES ? lg_nodes - 3 * w : DEFAULT_LG_PIECES;
    if (q < (int)u->h || q > lg_max - 3 * w)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "2^%d pieces of period 8^%d; at least 2^%u and at most 2^%d pieces here",
                         q, w, u->h, lg_max - 3 * w);
    u->lg_pieces = (unsigned)q;
    u->period = (uint64_t)1 << (3 * w);
    u->n_values = (size_t)1 << (q + 3 * w);
    return CUZK_OK;
}

/* ---- leaves ---- */

/* Leaf i of a piece; when all leaves of a piece are the same, i is not an argument. */
static void piece_leaf(fr *out, const update_synth *u, const char *tag, size_t k)
{
    uint64_t arg[2] = {k / u->period, k % u->period};
    cuzk_synth_prf_fr(out, u->job->opt.seed, tag, u->period == 1 ? 1 : 2, arg);
}

static void make_old(void *ctx, size_t begin, size_t end, unsigned worker)
{
    update_synth *u = ctx;
    (void)worker;
    for (size_t k = begin; k < end; k++) {
        piece_leaf(&u->old_leaf[k], u, "old", k);
        piece_leaf(&u->data[k], u, "dnew", k);
    }
}

static void hash_pair(fr *out, poseidon_kind kind, const fr *a, const fr *b)
{
    fr in[2] = {*a, *b};
    cuzk_poseidon_hash(out, kind, in);
}

/* new = old + data * rho, with rho = PG(phi, high bits of the node), phi = PG(comm_d_new,
 * comm_r_old). */
static cuzk_status encode(update_synth *u, cuzk_err *err)
{
    size_t n_rho = (size_t)1 << u->h, per_rho = u->n_values >> u->h;
    fr *rho = CUZK_NEW_ARRAY(fr, n_rho), phi, t;
    if (!rho)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for %zu elements", n_rho);
    hash_pair(&phi, POSEIDON_2_GEN, &u->tree_data.tree.root, &u->comm_r_old);
    for (size_t i = 0; i < n_rho; i++) {
        cuzk_fr_from_u64(&t, i);
        hash_pair(&rho[i], POSEIDON_2_GEN, &phi, &t);
    }
    for (size_t k = 0; k < u->n_values; k++) {
        fr_mul(&t, &u->data[k], &rho[k / per_rho]);
        fr_add(&u->new_leaf[k], &u->old_leaf[k], &t);
    }
    cuzk_free(rho);
    return CUZK_OK;
}

/* ---- trees ---- */

static cuzk_status build_tree(synth_piecewise_tree *t, const update_synth *u, bool data,
                              const fr leaf[], cuzk_err *err)
{
    uint8_t arity[MAX_TREE_LEVELS];
    unsigned n_levels = u->shape->lg_nodes;
    if (data)
        memset(arity, 2, sizeof arity);
    else
        n_levels = cuzk_shape_tree_arities(u->shape, arity);
    return cuzk_synth_piecewise_build(t, arity, n_levels,
                                      data ? cuzk_synth_hash_tree_d : cuzk_synth_hash_poseidon,
                                      u->shape->lg_nodes, (uint64_t)1 << u->lg_pieces, u->period,
                                      leaf, u->job->pool, err);
}

static void report(const update_synth *u)
{
    cuzk_synth_result *r = &u->job->result;
    cuzk_fr_to_bytes(r->comm_d, &u->tree_data.tree.root);
    cuzk_fr_to_bytes(r->comm_c, &u->comm_c);
    cuzk_fr_to_bytes(r->comm_r_last, &u->tree_new.tree.root);
    cuzk_fr_to_bytes(r->comm_r, &u->comm_r_new);
    r->n_partitions = u->job->opt.n_partitions;
    r->n_sectors = 1;
}

static cuzk_status build(update_synth *u, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    u->old_leaf = CUZK_NEW_ARRAY(fr, u->n_values);
    u->data = CUZK_NEW_ARRAY(fr, u->n_values);
    u->new_leaf = CUZK_NEW_ARRAY(fr, u->n_values);
    if (!u->old_leaf || !u->data || !u->new_leaf)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for %zu leaves", u->n_values);
    cuzk_pool_for(u->job->pool, u->n_values, 256, make_old, u);
    CUZK_TRY(build_tree(&u->tree_old, u, false, u->old_leaf, err));
    CUZK_TRY(build_tree(&u->tree_data, u, true, u->data, err));
    cuzk_synth_prf_fr(&u->comm_c, u->job->opt.seed, "commc", 1, (uint64_t[]){0});
    hash_pair(&u->comm_r_old, POSEIDON_2, &u->comm_c, &u->tree_old.tree.root);
    CUZK_TRY(encode(u, err));
    CUZK_TRY(build_tree(&u->tree_new, u, false, u->new_leaf, err));
    hash_pair(&u->comm_r_new, POSEIDON_2, &u->comm_c, &u->tree_new.tree.root);
    report(u);
out:
    return st;
}

/* ---- files ---- */

/* Tree-D nodes at the height where a partition has as many as it has apex leaves. */
static void write_apex(synth_out *o, const update_synth *u, unsigned k)
{
    const synth_tree *t = &u->tree_data.tree;
    unsigned n = u->shape->update_apex_leaves, lg_n = cuzk_lg_ceil(n);
    unsigned height = u->shape->lg_nodes - cuzk_lg_ceil(u->shape->update_partitions) - lg_n;
    fr leaf;
    cuzk_synth_bin_u64(o, n);
    for (unsigned i = 0; i < n; i++) {
        t->node(&leaf, t, height, (uint64_t)k * n + i);
        cuzk_synth_bin_fr(o, &leaf);
    }
}

static void write_path(synth_out *o, const update_synth *u, const synth_piecewise_tree *t,
                       uint64_t node)
{
    merkle_proof path;
    fr sibling[SYNTH_MAX_SIBLINGS];
    cuzk_synth_path(&path, sibling, &t->tree, node);
    cuzk_synth_bin_proof(o, u->shape, &path, t == &u->tree_data);
}

/* PartitionProof (spec formats.md 6.6). */
static cuzk_status write_partition(const update_synth *u, unsigned k, cuzk_err *err)
{
    synth_out o;
    char name[32];
    unsigned n = u->shape->update_challenges;
    uint64_t *node = CUZK_NEW_ARRAY(uint64_t, n);
    if (!node)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for %u challenges", n);
    cuzk_update_challenges(node, u->shape, &u->comm_r_new, k);
    snprintf(name, sizeof name, "partition-%u.vanilla", k);
    cuzk_synth_out_open(&o, u->job->dir, name, err);
    cuzk_synth_bin_fr(&o, &u->comm_c);
    write_apex(&o, u, k);
    cuzk_synth_bin_u64(&o, n);
    for (unsigned i = 0; i < n; i++) {
        write_path(&o, u, &u->tree_old, node[i]);
        write_path(&o, u, &u->tree_data, node[i]);
        write_path(&o, u, &u->tree_new, node[i]);
    }
    cuzk_free(node);
    cuzk_synth_count_file(u->job, &o);
    return cuzk_synth_out_close(&o);
}

static cuzk_status write_request(const update_synth *u, cuzk_err *err)
{
    synth_job *job = u->job;
    synth_out o;
    uint8_t comm_r_old[32];
    cuzk_fr_to_bytes(comm_r_old, &u->comm_r_old);
    cuzk_synth_request_begin(&o, job, err);
    cuzk_synth_request_number(&o, "sector_number", job->opt.sector);
    cuzk_synth_request_field(&o, "comm_r_old", comm_r_old);
    cuzk_synth_request_field(&o, "comm_r_new", job->result.comm_r);
    cuzk_synth_request_field(&o, "comm_d_new", job->result.comm_d);
    cuzk_synth_out_printf(&o, ",\n  \"vanilla\": [");
    for (unsigned k = 0; k < job->opt.n_partitions; k++)
        cuzk_synth_out_printf(&o, "%s\n    \"partition-%u.vanilla\"", k ? "," : "", k);
    cuzk_synth_out_printf(&o, "\n  ]");
    return cuzk_synth_request_end(&o, job);
}

static void free_all(update_synth *u)
{
    cuzk_synth_piecewise_fini(&u->tree_new);
    cuzk_synth_piecewise_fini(&u->tree_data);
    cuzk_synth_piecewise_fini(&u->tree_old);
    cuzk_free(u->new_leaf);
    cuzk_free(u->data);
    cuzk_free(u->old_leaf);
}

cuzk_status cuzk_synth_update(synth_job *job, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    update_synth u = {.job = job, .shape = job->shape};
    CUZK_TRY(choose_pieces(&u, err));
    cuzk_span span = cuzk_span_begin(job->opt.trace, "trees", CUZK_NO_PARTITION);
    CUZK_TRY(build(&u, err));
    cuzk_span_end(&span);
    span = cuzk_span_begin(job->opt.trace, "write", CUZK_NO_PARTITION);
    for (unsigned k = 0; k < job->opt.n_partitions; k++)
        CUZK_TRY(write_partition(&u, k, err));
    CUZK_TRY(write_request(&u, err));
    cuzk_span_end(&span);
out:
    free_all(&u);
    return st;
}

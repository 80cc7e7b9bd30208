/* PoRep without sealing (spec circuits.md 9.3).
 *
 * Only labels of challenged nodes are ever recomputed by a verifier. So those are computed as
 * sealing would, from the labels of their parents; the labels of parents that are not challenged
 * themselves are free. Trees C and R are sparse; tree D is whole, since the challenges hang on
 * its root.
 */
#include <string.h>

#include "base/mem.h"
#include "circuit/poseidon.h"
#include "filecoin/challenges.h"
#include "filecoin/graph.h"
#include "filecoin/synth/synth_job.h"
#include "filecoin/synth/synth_tree.h"
#include "filecoin/vanilla_check.h"

#define MAX_LG_DATA_PERIOD 20 /* 32 MiB of data to hold */

typedef struct {
    synth_job *job;
    const sector_shape *shape;
    porep_graph graph;
    uint8_t replica_id[32];
    size_t n_challenges; /* of all partitions, whichever are written */
    uint64_t *challenge; /* in order */
    size_t n_labelled;
    uint64_t *labelled;               /* the challenged nodes: ascending, distinct */
    uint32_t (*parent)[COLUMN_PARENTS]; /* of each: DRG, then expander */
    size_t n_columns;
    uint64_t *node; /* those and all parents: ascending, distinct */
    fr *row;        /* layers of node 0, of node 1, ... */
    fr *leaf;       /* tree C */
    synth_piecewise_tree tree_d;
    synth_sparse_tree tree_c, tree_r;
    fr comm_r;
} porep_synth;

/* ---- data and challenges ---- */

static cuzk_status build_tree_d(porep_synth *p, cuzk_err *err)
{
    const synth_job *job = p->job;
    uint8_t arity[MAX_TREE_LEVELS];
    unsigned lg_nodes = p->shape->lg_nodes;
    int lg = job->opt.lg_data_period;
    if (lg > MAX_LG_DATA_PERIOD || lg > (int)lg_nodes)
        return cuzk_fail(err, CUZK_INVAL, 0, "a data period of 2^%d nodes; at most 2^%d here", lg,
                         (int)lg_nodes < MAX_LG_DATA_PERIOD ? (int)lg_nodes : MAX_LG_DATA_PERIOD);
    size_t period = lg < 0 ? 1 : (size_t)1 << lg;
    fr *data = cuzk_calloc(period, sizeof *data);
    if (!data)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for %zu nodes of data", period);
    for (uint64_t i = 0; lg >= 0 && i < period; i++)
        cuzk_synth_prf_fr(&data[i], job->opt.seed, "data", 1, &i);
    memset(arity, 2, sizeof arity);
    cuzk_status st = cuzk_synth_piecewise_build(&p->tree_d, arity, lg_nodes, cuzk_synth_hash_tree_d,
                                                lg_nodes, 1, period, data, job->pool, err);
    cuzk_free(data);
    return st;
}

static void derive_challenges(porep_synth *p)
{
    const synth_job *job = p->job;
    porep_challenge_input in = {.type = job->type};
    uint8_t porep_id[32], comm_d[32];
    cuzk_porep_id(porep_id, job->type);
    cuzk_fr_to_bytes(comm_d, &p->tree_d.tree.root);
    cuzk_replica_id(p->replica_id, job->prover_id, job->opt.sector, job->ticket, comm_d, porep_id);
    cuzk_graph_init(&p->graph, p->shape->lg_nodes, job->type->api, porep_id);
    memcpy(in.replica_id, p->replica_id, 32);
    memcpy(in.seed, job->challenge_seed, 32);
    for (unsigned k = 0; k < p->shape->porep_partitions; k++)
        cuzk_porep_challenges(p->challenge + (size_t)k * p->shape->porep_challenges, &in, k);
}

static cuzk_status find_nodes(porep_synth *p, cuzk_err *err)
{
    size_t n = (size_t)p->shape->porep_partitions * p->shape->porep_challenges, n_nodes = 0;
    p->n_challenges = n;
    p->challenge = CUZK_NEW_ARRAY(uint64_t, n);
    p->labelled = CUZK_NEW_ARRAY(uint64_t, n);
    p->parent = cuzk_malloc_array(n, sizeof p->parent[0]);
    p->node = CUZK_NEW_ARRAY(uint64_t, n * (1 + COLUMN_PARENTS));
    if (!p->challenge || !p->labelled || !p->parent || !p->node)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for %zu challenges", n);
    derive_challenges(p);
    memcpy(p->labelled, p->challenge, n * sizeof p->labelled[0]);
    p->n_labelled = cuzk_synth_sort_unique(p->labelled, n);
    for (size_t i = 0; i < p->n_labelled; i++) {
        uint32_t *parent = p->parent[i];
        cuzk_graph_drg_parents(parent, &p->graph, (uint32_t)p->labelled[i]);
        cuzk_graph_exp_parents(parent + DRG_PARENTS, &p->graph, (uint32_t)p->labelled[i]);
        p->node[n_nodes++] = p->labelled[i];
        for (unsigned k = 0; k < COLUMN_PARENTS; k++)
            p->node[n_nodes++] = parent[k];
    }
    p->n_columns = cuzk_synth_sort_unique(p->node, n_nodes);
    return CUZK_OK;
}

/* ---- labels ---- */

static fr *column_of(const porep_synth *p, uint64_t node)
{
    return p->row + cuzk_synth_find(p->node, p->n_columns, node) * p->shape->layers;
}

/* What the label of challenged node number i hashes in a layer: DRG parents in the same layer,
 * expander parents in the one below, over and over. */
static void gather_parents(fr out[LABEL_PARENTS], const porep_synth *p, size_t i, unsigned layer)
{
    unsigned n = layer == 1 ? DRG_PARENTS : COLUMN_PARENTS;
    for (unsigned k = 0; k < LABEL_PARENTS; k++) {
        if (k >= n)
            out[k] = out[k - n];
        else
            out[k] = column_of(p, p->parent[i][k])[k < DRG_PARENTS ? layer - 1 : layer - 2];
    }
}

/* Layer by layer and nodes ascending: the order in which a parent's label is ready when it is
 * needed. */
static cuzk_status compute_labels(porep_synth *p, cuzk_err *err)
{
    fr parents[LABEL_PARENTS];
    unsigned layers = p->shape->layers;
    p->row = CUZK_NEW_ARRAY(fr, p->n_columns * layers);
    if (!p->row)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for %zu columns", p->n_columns);
    for (size_t c = 0; c < p->n_columns; c++) {
        for (unsigned layer = 1; layer <= layers; layer++)
            cuzk_synth_prf_fr(&p->row[c * layers + layer - 1], p->job->opt.seed, "label", 2,
                              (uint64_t[]){layer, p->node[c]});
    }
    for (unsigned layer = 1; layer <= layers; layer++) {
        for (size_t i = 0; i < p->n_labelled; i++) {
            labeling_proof l = {parents, layer, p->labelled[i]};
            gather_parents(parents, p, i, layer);
            cuzk_porep_label(&column_of(p, p->labelled[i])[layer - 1], p->replica_id, &l);
        }
    }
    return CUZK_OK;
}

/* ---- trees ---- */

static void hash_columns(void *ctx, size_t begin, size_t end, unsigned worker)
{
    porep_synth *p = ctx;
    unsigned layers = p->shape->layers;
    (void)worker;
    for (size_t c = begin; c < end; c++)
        cuzk_poseidon_hash(&p->leaf[c], cuzk_poseidon_kind_of_arity(layers), &p->row[c * layers]);
}

static cuzk_status build_tree_c(porep_synth *p, cuzk_err *err)
{
    synth_node_prf free_nodes = {.seed = p->job->opt.seed, .tag = "c"};
    p->leaf = CUZK_NEW_ARRAY(fr, p->n_columns);
    if (!p->leaf)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for %zu columns", p->n_columns);
    cuzk_pool_for(p->job->pool, p->n_columns, 16, hash_columns, p);
    return cuzk_synth_sparse_build(&p->tree_c, p->shape, &free_nodes, p->node, p->leaf,
                                   p->n_columns, p->job->pool, err);
}

static cuzk_status build_tree_r(porep_synth *p, cuzk_err *err)
{
    synth_node_prf free_nodes = {.seed = p->job->opt.seed, .tag = "r"};
    const synth_tree *data = &p->tree_d.tree;
    fr *leaf = CUZK_NEW_ARRAY(fr, p->n_labelled), node;
    if (!leaf)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for %zu replica nodes", p->n_labelled);
    for (size_t i = 0; i < p->n_labelled; i++) {
        data->node(&node, data, 0, p->labelled[i]);
        fr_add(&leaf[i], &column_of(p, p->labelled[i])[p->shape->layers - 1], &node);
    }
    cuzk_status st = cuzk_synth_sparse_build(&p->tree_r, p->shape, &free_nodes, p->labelled, leaf,
                                             p->n_labelled, p->job->pool, err);
    cuzk_free(leaf);
    return st;
}

static void commit(porep_synth *p)
{
    cuzk_synth_result *r = &p->job->result;
    fr pair[2] = {p->tree_c.tree.root, p->tree_r.tree.root};
    cuzk_poseidon_hash(&p->comm_r, POSEIDON_2, pair);
    cuzk_fr_to_bytes(r->comm_d, &p->tree_d.tree.root);
    cuzk_fr_to_bytes(r->comm_c, &pair[0]);
    cuzk_fr_to_bytes(r->comm_r_last, &pair[1]);
    cuzk_fr_to_bytes(r->comm_r, &p->comm_r);
}

/* ---- the C1 ---- */

/* A proof of one challenge with everything that it points to; a slot of siblings for each path. */
typedef struct {
    porep_proof proof;
    labeling_proof labeling[MAX_LAYERS];
    fr parents[MAX_LAYERS][LABEL_PARENTS];
    fr sibling[3 + COLUMN_PARENTS][SYNTH_MAX_SIBLINGS];
} proof_buffer;

static column_proof open_column(proof_buffer *b, const porep_synth *p, uint64_t node, unsigned slot)
{
    column_proof out = {.index = (uint32_t)node, .rows = column_of(p, node)};
    cuzk_synth_path(&out.inclusion, b->sibling[slot], &p->tree_c.tree, node);
    return out;
}

static void fill_proof(proof_buffer *b, const porep_synth *p, uint64_t node)
{
    porep_proof *out = &b->proof;
    size_t i = cuzk_synth_find(p->labelled, p->n_labelled, node);
    const uint32_t *parent = p->parent[i];
    unsigned slot = 0, layers = p->shape->layers;
    cuzk_synth_path(&out->comm_d, b->sibling[slot++], &p->tree_d.tree, node);
    cuzk_synth_path(&out->comm_r_last, b->sibling[slot++], &p->tree_r.tree, node);
    out->c_x = open_column(b, p, node, slot++);
    for (unsigned k = 0; k < DRG_PARENTS; k++)
        out->drg[k] = open_column(b, p, parent[k], slot++);
    for (unsigned k = 0; k < EXP_PARENTS; k++)
        out->exp[k] = open_column(b, p, parent[DRG_PARENTS + k], slot++);
    out->labeling = b->labeling;
    for (unsigned layer = 1; layer <= layers; layer++) {
        gather_parents(b->parents[layer - 1], p, i, layer);
        b->labeling[layer - 1] = (labeling_proof){b->parents[layer - 1], layer, node};
    }
    out->encoding = b->labeling[layers - 1];
}

/* {"StackedDrg32GiBV1":[[...],...]}: the shape is always named by the V1 type. */
static void write_partitions(synth_out *o, const porep_synth *p, proof_buffer *b)
{
    size_t per = p->shape->porep_challenges;
    cuzk_synth_out_printf(o, "{\"StackedDrg%sV1\":[", p->shape->rust_name);
    for (unsigned k = 0; k < p->job->opt.n_partitions; k++) {
        cuzk_synth_out_printf(o, k ? ",[" : "[");
        for (size_t i = 0; i < per; i++) {
            cuzk_synth_out_printf(o, i ? "," : "");
            fill_proof(b, p, p->challenge[k * per + i]);
            cuzk_synth_json_porep(o, p->shape, &b->proof);
        }
        cuzk_synth_out_printf(o, "]");
    }
    cuzk_synth_out_printf(o, "]}");
}

static void write_json_field(synth_out *o, const char *name, const uint8_t value[32])
{
    cuzk_synth_out_printf(o, ",\"%s\":", name);
    cuzk_synth_json_bytes(o, value);
}

static cuzk_status write_c1(const porep_synth *p, cuzk_err *err)
{
    synth_job *job = p->job;
    synth_out o;
    proof_buffer *b = cuzk_malloc(sizeof *b);
    if (!b)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for a proof");
    cuzk_synth_out_open(&o, job->dir, "c1.json", err);
    cuzk_synth_out_printf(&o, "{\"registered_proof\":\"%s\",\"vanilla_proofs\":", job->type->name);
    write_partitions(&o, p, b);
    write_json_field(&o, "comm_r", job->result.comm_r);
    write_json_field(&o, "comm_d", job->result.comm_d);
    write_json_field(&o, "replica_id", p->replica_id);
    write_json_field(&o, "seed", job->challenge_seed);
    write_json_field(&o, "ticket", job->ticket);
    cuzk_synth_out_printf(&o, "}");
    cuzk_free(b);
    cuzk_synth_count_file(job, &o);
    return cuzk_synth_out_close(&o);
}

static cuzk_status write_request(const porep_synth *p, cuzk_err *err)
{
    synth_job *job = p->job;
    synth_out o;
    cuzk_synth_request_begin(&o, job, err);
    cuzk_synth_request_number(&o, "sector_number", job->opt.sector);
    cuzk_synth_request_field(&o, "ticket", job->ticket);
    cuzk_synth_request_field(&o, "seed", job->challenge_seed);
    cuzk_synth_request_field(&o, "replica_id", p->replica_id);
    cuzk_synth_request_field(&o, "comm_r", job->result.comm_r);
    cuzk_synth_request_field(&o, "comm_d", job->result.comm_d);
    cuzk_synth_out_printf(&o, ",\n  \"vanilla\": [\n    \"c1.json\"\n  ]");
    return cuzk_synth_request_end(&o, job);
}

static cuzk_status build(porep_synth *p, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    cuzk_trace *trace = p->job->opt.trace;
    cuzk_span span = cuzk_span_begin(trace, "labels", CUZK_NO_PARTITION);
    CUZK_TRY(build_tree_d(p, err));
    CUZK_TRY(find_nodes(p, err));
    CUZK_TRY(compute_labels(p, err));
    cuzk_span_end(&span);
    span = cuzk_span_begin(trace, "trees", CUZK_NO_PARTITION);
    CUZK_TRY(build_tree_c(p, err));
    CUZK_TRY(build_tree_r(p, err));
    cuzk_span_end(&span);
    commit(p);
out:
    return st;
}

static void free_all(porep_synth *p)
{
    cuzk_synth_sparse_fini(&p->tree_r);
    cuzk_synth_sparse_fini(&p->tree_c);
    cuzk_synth_piecewise_fini(&p->tree_d);
    cuzk_free(p->leaf);
    cuzk_free(p->row);
    cuzk_free(p->node);
    cuzk_free(p->parent);
    cuzk_free(p->labelled);
    cuzk_free(p->challenge);
}

cuzk_status cuzk_synth_porep(synth_job *job, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    porep_synth p = {.job = job, .shape = job->shape};
    CUZK_TRY(build(&p, err));
    cuzk_span span = cuzk_span_begin(job->opt.trace, "write", CUZK_NO_PARTITION);
    CUZK_TRY(write_c1(&p, err));
    job->result.n_partitions = job->opt.n_partitions;
    job->result.n_sectors = 1;
    CUZK_TRY(write_request(&p, err));
    cuzk_span_end(&span);
out:
    free_all(&p);
    return st;
}

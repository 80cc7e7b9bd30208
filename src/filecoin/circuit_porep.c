/* StackedDRG proof of replication (circuits.md section 4.2; the step numbers are those). */
#include "circuit/packing.h"
#include "circuit/poseidon_gadget.h"
#include "circuit/sha256_gadget.h"
#include "filecoin/circuit_parts.h"

typedef struct {
    cs *c;
    const sector_shape *shape;
    uint8_t data_arity[MAX_TREE_LEVELS], tree_arity[MAX_TREE_LEVELS];
    unsigned n_tree_levels;
    boolean id[NODE_BITS];
    num comm_d, comm_r_last, comm_c;
} porep;

/* Columns of the 14 parents, layer 1 first. */
typedef struct {
    num row[COLUMN_PARENTS][MAX_LAYERS];
} parent_columns;

static num alloc_input_number(cs *c, const fr *value)
{
    num n = cuzk_num_alloc(c, value_or_zero(value));
    cuzk_num_inputize(c, &n);
    return n;
}

/* Steps 1-5. */
static void header(porep *p, const proof_request *req, const porep_proof *first)
{
    cs *c = p->c;
    boolean bits[NUM_BITS];
    num id = alloc_input_number(c, req ? &req->replica_id : NULL);
    cuzk_num_to_bits(c, bits, &id);
    cuzk_byte_order(p->id, bits, NUM_BITS);
    p->comm_d = alloc_input_number(c, req ? &req->comm_d : NULL);
    num comm_r = alloc_input_number(c, req ? &req->comm_r : NULL);
    p->comm_r_last = cuzk_num_alloc(c, value_or_zero(first ? &first->comm_r_last.root : NULL));
    p->comm_c = cuzk_num_alloc(c, value_or_zero(first ? &first->c_x.inclusion.root : NULL));
    num h = cuzk_comm_r_gadget(c, &p->comm_c, &p->comm_r_last);
    cuzk_num_equal(c, &comm_r, &h);
}

static void prove_leaf(porep *p, const num *leaf, const num *root, const merkle_proof *proof)
{
    por_path path;
    cuzk_tree_path(p->c, &path, p->tree_arity, p->n_tree_levels, proof);
    cuzk_por_with_input(p->c, NODE_POSEIDON, leaf, root, &path);
}

static num column_hash(porep *p, const num rows[])
{
    return cuzk_poseidon_gadget(p->c, cuzk_poseidon_kind_of_arity(p->shape->layers), rows);
}

/* Steps 6 and 7. */
static num prove_data(porep *p, const merkle_proof *proof)
{
    por_path path;
    num leaf = cuzk_num_alloc(p->c, value_or_zero(proof ? &proof->leaf : NULL));
    cuzk_tree_path(p->c, &path, p->data_arity, p->shape->lg_nodes, proof);
    cuzk_por_with_input(p->c, NODE_SHA256, &leaf, &p->comm_d, &path);
    return leaf;
}

/* Steps 8 and 9. */
static void prove_parent(porep *p, num row[], const column_proof *col)
{
    for (unsigned l = 0; l < p->shape->layers; l++)
        row[l] = cuzk_num_alloc(p->c, value_or_zero(col ? &col->rows[l] : NULL));
    num h = column_hash(p, row);
    prove_leaf(p, &h, &p->comm_c, col ? &col->inclusion : NULL);
}

static void prove_parents(porep *p, parent_columns *cols, const porep_proof *proof)
{
    for (unsigned i = 0; i < DRG_PARENTS; i++)
        prove_parent(p, cols->row[i], proof ? &proof->drg[i] : NULL);
    for (unsigned i = 0; i < EXP_PARENTS; i++)
        prove_parent(p, cols->row[DRG_PARENTS + i], proof ? &proof->exp[i] : NULL);
}

/* Step 11 for one layer, counted from 1: DRG parents give their label of the same layer, expander
 * parents that of the layer below. */
static num label(porep *p, const parent_columns *cols, const u64_bits *node, unsigned layer)
{
    boolean parent[COLUMN_PARENTS][NODE_BITS], bits[NUM_BITS];
    const boolean *order[COLUMN_PARENTS];
    unsigned n = layer == 1 ? DRG_PARENTS : COLUMN_PARENTS;
    for (unsigned i = 0; i < n; i++) {
        unsigned from = i < DRG_PARENTS ? layer : layer - 1;
        cuzk_num_to_bits(p->c, bits, &cols->row[i][from - 1]);
        cuzk_byte_order(parent[i], bits, NUM_BITS);
        order[i] = parent[i];
    }
    return cuzk_sha256_label(p->c, p->id, layer, node, order, n);
}

static void challenge(porep *p, const porep_proof *proof)
{
    parent_columns cols;
    num labels[MAX_LAYERS];
    unsigned n_layers = p->shape->layers;
    num data = prove_data(p, proof ? &proof->comm_d : NULL);
    prove_parents(p, &cols, proof);
    u64_bits node = cuzk_u64_alloc(p->c, proof ? proof->labeling[0].node : 0); /* step 10 */
    cuzk_u64_pack_into_input(p->c, &node);
    for (unsigned l = 1; l <= n_layers; l++)
        labels[l - 1] = label(p, &cols, &node, l);
    num encoded = cuzk_num_add(p->c, &labels[n_layers - 1], &data); /* steps 12-14 */
    prove_leaf(p, &encoded, &p->comm_r_last, proof ? &proof->comm_r_last : NULL);
    num column = column_hash(p, labels);
    prove_leaf(p, &column, &p->comm_c, proof ? &proof->c_x.inclusion : NULL);
}

typedef struct {
    const porep *shared;
    const porep_partition *part; /* NULL: blank */
} all_challenges;

static void one_challenge(void *ctx, cs *c, size_t i)
{
    const all_challenges *all = (const all_challenges *)ctx;
    porep p = *all->shared;
    p.c = c;
    challenge(&p, all->part ? &all->part->proof[i] : NULL);
}

void cuzk_synthesize_porep(const void *ctx, cs *c)
{
    const circuit_instance *in = (const circuit_instance *)ctx;
    const proof_request *req = in->req;
    const porep_partition *part = req ? &req->porep[in->partition] : NULL;
    unsigned n = in->id.shape->porep_challenges;
    porep p = {.c = c, .shape = in->id.shape};
    if (n == 0 || (part && part->n_proofs != n)) {
        cs_fail(c, CUZK_INVAL, "circuit: porep-%s with %zu challenges", p.shape->name,
                part ? part->n_proofs : 0);
        return;
    }
    memset(p.data_arity, 2, p.shape->lg_nodes);
    p.n_tree_levels = cuzk_shape_tree_arities(p.shape, p.tree_arity);
    header(&p, req, part ? &part->proof[0] : NULL);
    all_challenges all = {&p, part};
    cs_children(c, n, one_challenge, &all);
}

/* Type tables for the JSON reader, bottom up. The shape tag is the only key of vanilla_proofs, so
 * it always comes before the proofs and every count can be checked where it occurs; what else
 * decides (registered_proof gives the number of partitions) may follow and is compared at the end.
 */
#include "filecoin/c1_json.h"

#include <string.h>

#include "base/base64.h"
#include "base/json_reader.h"
#include "base/mem.h"

typedef struct {
    c1_document *doc;
    cuzk_arena *arena;
    bool inner;      /* reading what an envelope held */
    bool in_place;   /* the text may be written over */
    uint8_t *phase1; /* decoded text of the envelope */
    size_t phase1_bytes;
    uint8_t *phase1_owned; /* its memory; NULL when it lies in the text */
    const uint8_t *text;
    size_t n_text;
    size_t n_partitions;

    const sector_shape *shape; /* from the tag of vanilla_proofs */
    uint8_t tree_arity[MAX_TREE_LEVELS];
    unsigned n_tree_levels;

    /* where values go now */
    porep_partition *partition;
    porep_proof *proof;
    column_proof *column;
    labeling_proof *labeling;
    merkle_proof *merkle;
    fr *sibling;          /* of the Merkle proof, same memory as merkle->sibling */
    unsigned first_level; /* of the path being read */
    unsigned n_path;      /* its levels */
    unsigned level;       /* of the element being read */
    unsigned first_sibling;
    fr *rows, *parents;
} c1_reader;

static c1_reader *c1_of(const json_reader *r)
{
    return cuzk_json_ctx(r);
}

static bool no_memory(json_reader *r)
{
    return cuzk_json_reject(r, CUZK_BUDGET, "the proofs need more memory than a request may use");
}

static bool put_fr(json_reader *r, fr *out, const uint8_t b[32])
{
    return cuzk_fr_from_bytes(out, b) ||
           cuzk_json_reject(r, CUZK_ENCODING, "not a field element (not below the modulus)");
}

#define N_FIELDS(f) (sizeof(f) / sizeof(f[0]))
#define OBJECT(f)   .kind = JSON_OBJECT, .field = (f), .n_fields = N_FIELDS(f)
#define ARRAY(t, n) .kind = JSON_ARRAY, .element = &(t), .length = (n)

/* ---- Merkle proofs ------------------------------------------------------------------------- */

static bool put_sibling(json_reader *r, size_t i, const uint8_t b[32])
{
    c1_reader *c = c1_of(r);
    return put_fr(r, &c->sibling[c->first_sibling + i], b);
}

static size_t n_hashes(void *ctx)
{
    const c1_reader *c = ctx;
    return c->merkle->arity[c->level] - 1u;
}

static size_t n_path_elements(void *ctx)
{
    return ((const c1_reader *)ctx)->n_path;
}

static bool begin_element(json_reader *r, size_t i)
{
    c1_reader *c = c1_of(r);
    c->level = c->first_level + (unsigned)i;
    c->first_sibling = 0;
    for (unsigned l = 0; l < c->level; l++)
        c->first_sibling += c->merkle->arity[l] - 1u;
    return true;
}

static bool put_position(json_reader *r, size_t i, uint64_t v)
{
    (void)i;
    c1_reader *c = c1_of(r);
    unsigned arity = c->merkle->arity[c->level];
    if (v >= arity)
        return cuzk_json_reject(r, CUZK_ENCODING, "%llu is not below the arity %u",
                                (unsigned long long)v, arity);
    c->merkle->index[c->level] = (uint8_t)v;
    return true;
}

static const json_type t_sibling = {.kind = JSON_BYTES32, .bytes = put_sibling};
static const json_type t_hashes = {ARRAY(t_sibling, n_hashes)};
static const json_type t_position = {.kind = JSON_UINT, .uint = put_position};
static const json_field f_element[] = {{"hashes", &t_hashes, false}, {"index", &t_position, false}};
static const json_type t_element = {OBJECT(f_element), .begin = begin_element};
static const json_type t_elements = {ARRAY(t_element, n_path_elements)};

/* Base, sub and top part of a tree path; index counts within Sub and Top: base, sub, top first. */
static bool begin_part(json_reader *r, size_t part)
{
    c1_reader *c = c1_of(r);
    unsigned n_base =
        c->merkle->n_levels - (c->shape->arity[1] ? 1 : 0) - (c->shape->arity[2] ? 1 : 0);
    c->first_level = part == 0 ? 0 : n_base + (unsigned)part - 1;
    c->n_path = part == 0 ? n_base : 1;
    return true;
}

static bool begin_single(json_reader *r, size_t index)
{
    (void)index;
    c1_reader *c = c1_of(r);
    c->first_level = 0;
    c->n_path = c->merkle->n_levels;
    return true;
}

static bool put_root(json_reader *r, size_t i, const uint8_t b[32])
{
    (void)i;
    return put_fr(r, &c1_of(r)->merkle->root, b);
}

static bool put_leaf(json_reader *r, size_t i, const uint8_t b[32])
{
    (void)i;
    return put_fr(r, &c1_of(r)->merkle->leaf, b);
}

static const json_field f_path[] = {{"path", &t_elements, false}};
static const json_type t_single_path = {OBJECT(f_path), .begin = begin_single};
static const json_type t_part = {OBJECT(f_path), .begin = begin_part};
static const json_type t_root = {.kind = JSON_BYTES32, .bytes = put_root};
static const json_type t_leaf = {.kind = JSON_BYTES32, .bytes = put_leaf};

static const json_field f_single[] = {
    {"path", &t_single_path, false}, {"root", &t_root, false}, {"leaf", &t_leaf, false}};
static const json_field f_sub[] = {{"base_proof", &t_part, false},
                                   {"sub_proof", &t_part, false},
                                   {"root", &t_root, false},
                                   {"leaf", &t_leaf, false}};
static const json_field f_top[] = {{"base_proof", &t_part, false},
                                   {"sub_proof", &t_part, false},
                                   {"top_proof", &t_part, false},
                                   {"root", &t_root, false},
                                   {"leaf", &t_leaf, false}};

/* The position in f_data must be the one that the tree has: 0 Single, 1 Sub, 2 Top. */
static bool begin_variant(json_reader *r, size_t variant)
{
    static const char *const name[] = {"Single", "Sub", "Top"};
    const c1_reader *c = c1_of(r);
    size_t wanted = c->merkle == &c->proof->comm_d ? 0
                    : c->shape->arity[2]           ? 2
                    : c->shape->arity[1]           ? 1
                                                   : 0;
    return variant == wanted ||
           cuzk_json_reject(r, CUZK_ENCODING, "the tree of a %s sector has the form %s",
                            c->shape->rust_name, name[wanted]);
}

static const json_type t_single = {OBJECT(f_single), .begin = begin_variant};
static const json_type t_sub = {OBJECT(f_sub), .begin = begin_variant};
static const json_type t_top = {OBJECT(f_top), .begin = begin_variant};
static const json_field f_data[] = {
    {"Single", &t_single, false}, {"Sub", &t_sub, false}, {"Top", &t_top, false}};
static const json_type t_data = {
    .kind = JSON_VARIANT, .field = f_data, .n_fields = N_FIELDS(f_data)};
static const json_field f_merkle[] = {{"data", &t_data, false}};

static bool begin_merkle(json_reader *r, merkle_proof *m, const uint8_t arity[], unsigned n_levels)
{
    c1_reader *c = c1_of(r);
    unsigned n_siblings = 0;
    for (unsigned i = 0; i < n_levels; i++)
        n_siblings += arity[i] - 1u;
    c->sibling = CUZK_ARENA_NEW(c->arena, fr, n_siblings);
    if (!c->sibling)
        return no_memory(r);
    m->n_levels = n_levels;
    memcpy(m->arity, arity, n_levels);
    m->sibling = c->sibling;
    c->merkle = m;
    return true;
}

static bool begin_tree_d(json_reader *r, size_t index)
{
    (void)index;
    uint8_t arity[MAX_TREE_LEVELS];
    c1_reader *c = c1_of(r);
    memset(arity, 2, sizeof arity);
    return begin_merkle(r, &c->proof->comm_d, arity, c->shape->lg_nodes);
}

static bool begin_tree_r(json_reader *r, size_t index)
{
    (void)index;
    c1_reader *c = c1_of(r);
    return begin_merkle(r, &c->proof->comm_r_last, c->tree_arity, c->n_tree_levels);
}

static bool begin_tree_c(json_reader *r, size_t index)
{
    (void)index;
    c1_reader *c = c1_of(r);
    return begin_merkle(r, &c->column->inclusion, c->tree_arity, c->n_tree_levels);
}

static const json_type t_tree_d = {OBJECT(f_merkle), .begin = begin_tree_d};
static const json_type t_tree_r = {OBJECT(f_merkle), .begin = begin_tree_r};
static const json_type t_tree_c = {OBJECT(f_merkle), .begin = begin_tree_c};

/* ---- columns ------------------------------------------------------------------------------- */

static size_t n_layers(void *ctx)
{
    return ((const c1_reader *)ctx)->shape->layers;
}

static bool put_row(json_reader *r, size_t i, const uint8_t b[32])
{
    return put_fr(r, &c1_of(r)->rows[i], b);
}

static bool begin_rows(json_reader *r, size_t index)
{
    (void)index;
    c1_reader *c = c1_of(r);
    c->rows = CUZK_ARENA_NEW(c->arena, fr, c->shape->layers);
    c->column->rows = c->rows;
    return c->rows || no_memory(r);
}

static bool as_u32(json_reader *r, uint32_t *out, uint64_t v)
{
    *out = (uint32_t)v;
    return v <= UINT32_MAX ||
           cuzk_json_reject(r, CUZK_ENCODING, "%llu is not below 2^32", (unsigned long long)v);
}

static bool put_column_index(json_reader *r, size_t i, uint64_t v)
{
    (void)i;
    return as_u32(r, &c1_of(r)->column->index, v);
}

static const json_type t_row = {.kind = JSON_BYTES32, .bytes = put_row};
static const json_type t_rows = {ARRAY(t_row, n_layers), .begin = begin_rows};
static const json_type t_column_index = {.kind = JSON_UINT, .uint = put_column_index};
static const json_type t_null = {.kind = JSON_NULL};
static const json_field f_column[] = {
    {"index", &t_column_index, false}, {"rows", &t_rows, false}, {"_h", &t_null, false}};
static const json_type t_column = {OBJECT(f_column)};
static const json_field f_column_proof[] = {{"column", &t_column, false},
                                            {"inclusion_proof", &t_tree_c, false}};

static bool begin_c_x(json_reader *r, size_t index)
{
    (void)index;
    c1_of(r)->column = &c1_of(r)->proof->c_x;
    return true;
}

static bool begin_drg(json_reader *r, size_t i)
{
    c1_of(r)->column = &c1_of(r)->proof->drg[i];
    return true;
}

static bool begin_exp(json_reader *r, size_t i)
{
    c1_of(r)->column = &c1_of(r)->proof->exp[i];
    return true;
}

static size_t n_drg(void *ctx)
{
    (void)ctx;
    return DRG_PARENTS;
}

static size_t n_exp(void *ctx)
{
    (void)ctx;
    return EXP_PARENTS;
}

static const json_type t_c_x = {OBJECT(f_column_proof), .begin = begin_c_x};
static const json_type t_drg = {OBJECT(f_column_proof), .begin = begin_drg};
static const json_type t_exp = {OBJECT(f_column_proof), .begin = begin_exp};
static const json_type t_drg_list = {ARRAY(t_drg, n_drg)};
static const json_type t_exp_list = {ARRAY(t_exp, n_exp)};
static const json_field f_columns[] = {{"c_x", &t_c_x, false},
                                       {"drg_parents", &t_drg_list, false},
                                       {"exp_parents", &t_exp_list, false}};
static const json_type t_columns = {OBJECT(f_columns)};

/* ---- labels -------------------------------------------------------------------------------- */

static size_t n_parents(void *ctx)
{
    (void)ctx;
    return LABEL_PARENTS;
}

static bool put_parent(json_reader *r, size_t i, const uint8_t b[32])
{
    return put_fr(r, &c1_of(r)->parents[i], b);
}

static bool begin_parents(json_reader *r, size_t index)
{
    (void)index;
    c1_reader *c = c1_of(r);
    c->parents = CUZK_ARENA_NEW(c->arena, fr, LABEL_PARENTS);
    c->labeling->parents = c->parents;
    return c->parents || no_memory(r);
}

static bool put_layer_index(json_reader *r, size_t i, uint64_t v)
{
    (void)i;
    return as_u32(r, &c1_of(r)->labeling->layer_index, v);
}

static bool put_node(json_reader *r, size_t i, uint64_t v)
{
    (void)i;
    c1_of(r)->labeling->node = v;
    return true;
}

static const json_type t_parent = {.kind = JSON_BYTES32, .bytes = put_parent};
static const json_type t_parents = {ARRAY(t_parent, n_parents), .begin = begin_parents};
static const json_type t_layer_index = {.kind = JSON_UINT, .uint = put_layer_index};
static const json_type t_node = {.kind = JSON_UINT, .uint = put_node};
static const json_field f_labeling[] = {{"parents", &t_parents, false},
                                        {"layer_index", &t_layer_index, false},
                                        {"node", &t_node, false}};

static bool begin_labeling(json_reader *r, size_t i)
{
    c1_of(r)->labeling = &c1_of(r)->proof->labeling[i];
    return true;
}

static bool begin_encoding(json_reader *r, size_t index)
{
    (void)index;
    c1_of(r)->labeling = &c1_of(r)->proof->encoding;
    return true;
}

static const json_type t_labeling = {OBJECT(f_labeling), .begin = begin_labeling};
static const json_type t_labelings = {ARRAY(t_labeling, n_layers)};
static const json_type t_encoding = {OBJECT(f_labeling), .begin = begin_encoding};

/* ---- proofs, partitions -------------------------------------------------------------------- */

static bool begin_proof(json_reader *r, size_t i)
{
    c1_reader *c = c1_of(r);
    c->proof = &c->partition->proof[i];
    c->proof->labeling = CUZK_ARENA_NEW(c->arena, labeling_proof, c->shape->layers);
    return c->proof->labeling || no_memory(r);
}

static size_t n_challenges(void *ctx)
{
    return ((const c1_reader *)ctx)->shape->porep_challenges;
}

static bool begin_partition(json_reader *r, size_t i)
{
    c1_reader *c = c1_of(r);
    if (i >= c->shape->porep_ni_partitions) /* no type has more; registered_proof may come later */
        return cuzk_json_reject(r, CUZK_ENCODING, "no %s type has more than %u partitions",
                                c->shape->rust_name, c->shape->porep_ni_partitions);
    c->partition = &c->doc->partition[i];
    c->partition->n_proofs = c->shape->porep_challenges;
    c->partition->proof = CUZK_ARENA_NEW(c->arena, porep_proof, c->partition->n_proofs);
    return c->partition->proof || no_memory(r);
}

static bool end_partitions(json_reader *r, uint64_t n)
{
    c1_of(r)->n_partitions = (size_t)n;
    return true;
}

static const json_field f_proof[] = {{"comm_d_proofs", &t_tree_d, false},
                                     {"comm_r_last_proof", &t_tree_r, false},
                                     {"replica_column_proofs", &t_columns, false},
                                     {"labeling_proofs", &t_labelings, false},
                                     {"encoding_proof", &t_encoding, false}};
static const json_type t_proof = {OBJECT(f_proof), .begin = begin_proof};
static const json_type t_partition = {ARRAY(t_proof, n_challenges), .begin = begin_partition};

/* The tag is the V1 name of the size, whatever registered_proof says: position = number 0..4. */
static bool begin_partitions(json_reader *r, size_t tag)
{
    c1_reader *c = c1_of(r);
    c->shape = cuzk_registered_by_number(CUZK_KIND_POREP, tag)->shape;
    c->n_tree_levels = cuzk_shape_tree_arities(c->shape, c->tree_arity);
    c->doc->partition = CUZK_ARENA_NEW(c->arena, porep_partition, c->shape->porep_ni_partitions);
    return c->doc->partition || no_memory(r);
}

static const json_type t_partitions = {.kind = JSON_ARRAY,
                                       .element = &t_partition,
                                       .max = SIZE_MAX, /* begin_partition knows the limit */
                                       .begin = begin_partitions,
                                       .end = end_partitions};
static const json_field f_tag[] = {{"StackedDrg2KiBV1", &t_partitions, false},
                                   {"StackedDrg8MiBV1", &t_partitions, false},
                                   {"StackedDrg512MiBV1", &t_partitions, false},
                                   {"StackedDrg32GiBV1", &t_partitions, false},
                                   {"StackedDrg64GiBV1", &t_partitions, false}};
static const json_type t_tag = {.kind = JSON_VARIANT, .field = f_tag, .n_fields = N_FIELDS(f_tag)};

/* ---- top level ----------------------------------------------------------------------------- */

static bool put_type(json_reader *r, size_t i, const char *s, size_t n)
{
    (void)i;
    char name[sizeof(((registered_proof *)0)->name)] = "";
    c1_document *doc = c1_of(r)->doc;
    if (n < sizeof name)
        memcpy(name, s, n);
    doc->type = cuzk_registered_by_name(CUZK_KIND_POREP, name);
    return doc->type || cuzk_json_reject(r, CUZK_ENCODING, "no PoRep type is called '%.*s'",
                                         (int)(n < 60 ? n : 60), s);
}

static bool put_element(json_reader *r, uint8_t out[32], const uint8_t b[32])
{
    fr unused;
    memcpy(out, b, 32);
    return put_fr(r, &unused, b);
}

static bool put_comm_r(json_reader *r, size_t i, const uint8_t b[32])
{
    (void)i;
    return put_element(r, c1_of(r)->doc->comm_r, b);
}

static bool put_comm_d(json_reader *r, size_t i, const uint8_t b[32])
{
    (void)i;
    return put_element(r, c1_of(r)->doc->comm_d, b);
}

static bool put_replica_id(json_reader *r, size_t i, const uint8_t b[32])
{
    (void)i;
    return put_element(r, c1_of(r)->doc->replica_id, b);
}

static bool put_seed(json_reader *r, size_t i, const uint8_t b[32])
{
    (void)i;
    memcpy(c1_of(r)->doc->seed, b, 32);
    return true;
}

static bool put_ticket(json_reader *r, size_t i, const uint8_t b[32])
{
    (void)i;
    memcpy(c1_of(r)->doc->ticket, b, 32);
    return true;
}

/* Where the characters are, when that is allowed and they are not a copy without escapes: bytes are
 * fewer than characters and come later. */
static uint8_t *decoding_place(c1_reader *c, const char *s, size_t n)
{
    union {
        const char *in;
        uint8_t *out;
    } place = {s};
    const uint8_t *at = (const uint8_t *)s;
    if (c->in_place && at >= c->text && at < c->text + c->n_text)
        return place.out;
    c->phase1_owned = cuzk_malloc(CUZK_BASE64_DECODED_MAX(n));
    return c->phase1_owned;
}

static bool put_phase1(json_reader *r, size_t i, const char *s, size_t n)
{
    (void)i;
    cuzk_err err;
    c1_reader *c = c1_of(r);
    if (c->inner)
        return cuzk_json_reject(r, CUZK_ENCODING, "an envelope inside the envelope");
    c->phase1 = decoding_place(c, s, n);
    if (!c->phase1)
        return cuzk_json_reject(r, CUZK_NOMEM, "no memory to decode %zu characters", n);
    return cuzk_base64_decode(c->phase1, &c->phase1_bytes, s, n, &err) == CUZK_OK ||
           cuzk_json_reject(r, CUZK_ENCODING, "%s", err.msg);
}

static bool put_envelope_number(json_reader *r, size_t i, uint64_t v)
{
    (void)i;
    if (!c1_of(r)->inner) /* in there it is one more unknown key */
        c1_of(r)->doc->envelope_sector_num = v;
    return true;
}

static bool put_envelope_size(json_reader *r, size_t i, uint64_t v)
{
    (void)i;
    if (!c1_of(r)->inner)
        c1_of(r)->doc->envelope_sector_size = v;
    return true;
}

static const json_type t_type = {.kind = JSON_STRING, .string = put_type};
static const json_type t_comm_r = {.kind = JSON_BYTES32, .bytes = put_comm_r};
static const json_type t_comm_d = {.kind = JSON_BYTES32, .bytes = put_comm_d};
static const json_type t_replica_id = {.kind = JSON_BYTES32, .bytes = put_replica_id};
static const json_type t_seed = {.kind = JSON_BYTES32, .bytes = put_seed};
static const json_type t_ticket = {.kind = JSON_BYTES32, .bytes = put_ticket};
static const json_type t_phase1 = {.kind = JSON_STRING, .string = put_phase1};
static const json_type t_envelope_number = {.kind = JSON_UINT, .uint = put_envelope_number};
static const json_type t_envelope_size = {.kind = JSON_UINT, .uint = put_envelope_size};

/* Envelope and bare C1 are told apart by their keys, which may come in any order. */
enum { N_ENVELOPE_KEYS = 3, N_TOP_KEYS = 10 };
static const json_field f_top_level[N_TOP_KEYS] = {{"SectorNum", &t_envelope_number, true},
                                                   {"Phase1Out", &t_phase1, true},
                                                   {"SectorSize", &t_envelope_size, true},
                                                   {"registered_proof", &t_type, true},
                                                   {"vanilla_proofs", &t_tag, true},
                                                   {"comm_r", &t_comm_r, true},
                                                   {"comm_d", &t_comm_d, true},
                                                   {"replica_id", &t_replica_id, true},
                                                   {"seed", &t_seed, true},
                                                   {"ticket", &t_ticket, true}};

static bool need_keys(json_reader *r, uint64_t seen, int first, int end)
{
    for (int i = first; i < end; i++) {
        if (!(seen >> i & 1))
            return cuzk_json_reject(r, CUZK_ENCODING, "the key \"%s\" is missing",
                                    f_top_level[i].name);
    }
    return true;
}

static bool end_top_level(json_reader *r, uint64_t seen)
{
    c1_reader *c = c1_of(r);
    if (!c->phase1 || c->inner)
        return need_keys(r, seen, N_ENVELOPE_KEYS, N_TOP_KEYS);
    c->doc->has_envelope = true;
    if (seen >> N_ENVELOPE_KEYS)
        return cuzk_json_reject(r, CUZK_ENCODING, "both an envelope and a C1 in one object");
    return need_keys(r, seen, 0, N_ENVELOPE_KEYS);
}

static const json_type t_top_level = {OBJECT(f_top_level), .end = end_top_level};

static cuzk_status check_document(const c1_reader *c, cuzk_err *err)
{
    c1_document *doc = c->doc;
    if (c->shape != doc->type->shape)
        return cuzk_fail(err, CUZK_ENCODING, 0,
                         "C1: registered_proof is %s but vanilla_proofs holds StackedDrg%sV1",
                         doc->type->name, c->shape->rust_name);
    doc->n_partitions = cuzk_registered_partitions(doc->type);
    if (c->n_partitions != doc->n_partitions)
        return cuzk_fail(err, CUZK_ENCODING, 0,
                         "C1: vanilla_proofs.StackedDrg%sV1: %zu partitions where %s has %u",
                         c->shape->rust_name, c->n_partitions, doc->type->name, doc->n_partitions);
    return CUZK_OK;
}

cuzk_status cuzk_c1_read(c1_document *out, cuzk_arena *arena, const uint8_t *text, size_t n,
                         bool in_place, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    c1_document doc = {0};
    c1_reader c = {.doc = &doc, .arena = arena, .in_place = in_place, .text = text, .n_text = n};
    CUZK_TRY(cuzk_json_read("C1", text, n, &t_top_level, &c, err));
    if (c.phase1) {
        c.inner = true;
        CUZK_TRY(cuzk_json_read("C1: decoded Phase1Out", c.phase1, c.phase1_bytes, &t_top_level, &c,
                                err));
    }
    CUZK_TRY(check_document(&c, err));
    *out = doc;
out:
    cuzk_free(c.phase1_owned);
    return st;
}

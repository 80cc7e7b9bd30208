/* Private to src/compiled: what a compiled circuit is made of. */
#ifndef CUZK_COMPILED_COMPILED_INTERNAL_H
#define CUZK_COMPILED_COMPILED_INTERNAL_H

#include "circuit/scope.h"
#include "compiled/compiled.h"
#include "compiled/sha_shape.h"

/* ---- growing arrays ---- */

/* Makes room for n more elements behind *used; false when out of memory. */
bool cuzk_grow(void **array, size_t *cap, size_t used, size_t n, size_t element_bytes);

/* ---- coefficients ---- */

/* Each distinct coefficient once. The first ids are small integers. */
#define COEFF_ID_ONE       0
#define COEFF_ID_MINUS_ONE 1
#define COEFF_SMALL_IDS    8 /* 1, -1, 2, -2, 3, -3, 4, -4 */
typedef struct {
    fr *value;
    uint32_t n;
    size_t cap;
    uint32_t *slot; /* open addressing, id + 1, 0 = free */
    size_t n_slots;
} coeff_table;

CUZK_INLINE int coeff_small(uint32_t id)
{
    return id & 1 ? -(int)(id / 2 + 1) : (int)(id / 2 + 1);
}

bool cuzk_coeff_table_init(coeff_table *t);
void cuzk_coeff_table_fini(coeff_table *t);
bool cuzk_coeff_id(coeff_table *t, uint32_t *id, const fr *value);

/* ---- rows ---- */

/* ref: in a template a slot, in the generic store a cs_var. */
typedef struct {
    uint32_t ref, coeff;
} row_term;

typedef struct {
    size_t n_rows, n_terms, cap_end, cap_terms;
    uint32_t *end; /* 3 i + s: where the terms of side s (A, B, C) of row i end */
    row_term *term;
} row_store;

CUZK_INLINE const row_term *row_side(const row_store *r, size_t row, unsigned side, size_t *n)
{
    size_t i = 3 * row + side, begin = i ? r->end[i - 1] : 0;
    *n = r->end[i] - begin;
    return r->term + begin;
}

/* ---- programs: the rows of a template, sorted into what the evaluator has loops for ---- */

typedef enum { RUN_SMALL, RUN_TERMS } run_class;
typedef struct {
    uint32_t kind, n_rows, first; /* first: index into small or into terms */
} program_run;

/* Sides that are sums of bits with small coefficients: four terms for A, two for B. */
typedef struct {
    uint16_t a[4], b[2];
    int8_t a_coeff[4], b_coeff[2];
} small_row;

#define TERM_FIELD 0x80000000u /* ref is a place in the list of field values, else a bit slot */
typedef struct {
    uint32_t a_begin, b_begin, end; /* in term */
} terms_row;

typedef struct {
    program_run *run;
    small_row *small;
    terms_row *terms;
    row_term *term;
    size_t n_runs, n_small, n_terms, n_term, cap_runs, cap_small, cap_terms, cap_term;
} program;

/* ---- templates ---- */

/* Slots: 0 is ONE, then the operand variables, then the own ones. */
typedef struct {
    uint8_t kind;     /* bool_kind */
    uint8_t value;    /* of a constant */
    uint8_t is_local; /* else ref is a slot of an operand */
    uint32_t ref;
} out_ref;

typedef struct {
    scope_kind kind;
    uint32_t parameter, n_aux, n_fields, n_operands, n_groups, n_instances;
    uint32_t *signature;
    size_t n_signature;
    uint64_t hash;
    /* operand i is the variable base[group[i]] + offset[i] */
    uint32_t *group;
    int32_t *offset;
    uint8_t *operand_is_field;
    out_ref *out;
    size_t n_out;
    row_store rows;
    uint64_t *is_field, *a_aux, *b_aux; /* one bit per own variable */
    uint8_t *operand_in_a, *operand_in_b;
    bool one_in_b;
    program program;
    uint32_t n_operand_fields;
} template_rows;

#define PIECE_GENERIC UINT32_MAX
typedef struct {
    uint32_t template_id; /* or PIECE_GENERIC */
    uint32_t base_row, n_rows;
    uint32_t base_aux, base_field;
    uint32_t at; /* first of its bases, or first row in the generic store */
} piece;

/* Where a child begins. */
typedef struct {
    uint32_t n_aux, n_inputs;
} child_start;

struct compiled_circuit {
    uint32_t n_inputs, n_aux, n_fields;
    uint64_t n_rows;
    coeff_table coeff;
    row_store generic;
    template_rows *tmpl;
    size_t n_tmpl, cap_tmpl;
    piece *piece;
    size_t n_pieces, cap_pieces;
    uint32_t *base; /* variables, n_groups per instance */
    size_t n_base, cap_base;
    child_start *child; /* n + 1 entries for n children */
    size_t n_child, cap_child;
    sha_shape *shape;
    size_t n_shapes, cap_shapes;
    /* bitmaps of map_bits bits */
    uint64_t *is_field, *a_aux, *b_aux, *b_input;
    size_t map_bits, input_bits;
    uint32_t *rank; /* field elements before every 512 variables */
    uint64_t n_a_aux, n_b_aux, n_b_input;
    size_t max_slots, max_fields; /* of any template */
};

CUZK_INLINE bool bit_get(const uint64_t bits[], size_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

CUZK_INLINE void bit_set(uint64_t bits[], size_t i)
{
    bits[i / 64] |= (uint64_t)1 << (i % 64);
}

/* How many field elements come before an aux variable. */
CUZK_INLINE uint32_t field_rank(const compiled_circuit *k, uint32_t aux)
{
    uint32_t n = k->rank[aux / 512];
    for (uint32_t w = aux / 512 * 8; w < aux / 64; w++)
        n += cuzk_popcount64(k->is_field[w]);
    return n + cuzk_popcount64(k->is_field[aux / 64] & (((uint64_t)1 << (aux % 64)) - 1));
}

CUZK_INLINE cs_var operand_var(const compiled_circuit *k, const template_rows *t, const piece *p,
                               uint32_t i)
{
    return k->base[p->at + t->group[i]] + (uint32_t)t->offset[i];
}

bool cuzk_row_store_add(row_store *r, coeff_table *coeff, const cs_lc *side[3]);
void cuzk_row_store_fini(row_store *r);

/* Sorts the rows of a recorded template into its program. */
bool cuzk_template_program(template_rows *t, const coeff_table *coeff);
void cuzk_template_fini(template_rows *t);

#endif

/* What a compiled circuit tells about itself, and its rows one by one. */
#include "compiled/compiled_internal.h"

#include "base/mem.h"

void cuzk_compiled_free(compiled_circuit *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < k->n_tmpl; i++)
        cuzk_template_fini(&k->tmpl[i]);
    cuzk_free(k->rank);
    cuzk_free(k->b_input);
    cuzk_free(k->b_aux);
    cuzk_free(k->a_aux);
    cuzk_free(k->is_field);
    cuzk_free(k->shape);
    cuzk_free(k->child);
    cuzk_free(k->base);
    cuzk_free(k->piece);
    cuzk_free(k->tmpl);
    cuzk_row_store_fini(&k->generic);
    cuzk_coeff_table_fini(&k->coeff);
    cuzk_free(k);
}

static uint64_t rows_bytes(const row_store *r)
{
    return r->cap_end * sizeof *r->end + r->cap_terms * sizeof *r->term;
}

static uint64_t template_bytes(const template_rows *t)
{
    const program *p = &t->program;
    return rows_bytes(&t->rows) + p->cap_runs * sizeof *p->run + p->cap_small * sizeof *p->small +
           p->cap_terms * sizeof *p->terms + p->cap_term * sizeof *p->term + t->n_signature * 4 +
           (uint64_t)t->n_operands * 11 + t->n_out * sizeof *t->out +
           ((uint64_t)t->n_aux / 64 + 1) * 24;
}

void cuzk_compiled_info(compiled_info *out, const compiled_circuit *k)
{
    *out = (compiled_info){.n_inputs = k->n_inputs,
                           .n_aux = k->n_aux,
                           .n_rows = k->n_rows,
                           .n_bits = k->n_aux - k->n_fields,
                           .n_fields = k->n_fields,
                           .n_templates = k->n_tmpl,
                           .n_generic_rows = k->generic.n_rows,
                           .n_a_aux = k->n_a_aux,
                           .n_b_aux = k->n_b_aux,
                           .n_b_input = k->n_b_input};
    out->bytes = sizeof *k + k->coeff.cap * sizeof(fr) + k->coeff.n_slots * 4 +
                 rows_bytes(&k->generic) + k->cap_tmpl * sizeof *k->tmpl +
                 k->cap_pieces * sizeof *k->piece + k->cap_base * sizeof *k->base +
                 k->cap_child * sizeof *k->child + k->cap_shapes * sizeof *k->shape +
                 k->map_bits / 8 * 3 + k->input_bits / 8 + ((uint64_t)k->n_aux / 512 + 2) * 4;
    for (size_t i = 0; i < k->n_tmpl; i++) {
        out->n_instances += k->tmpl[i].n_instances;
        out->bytes += template_bytes(&k->tmpl[i]);
    }
}

bool cuzk_compiled_template(compiled_template_info *out, const compiled_circuit *k, size_t i)
{
    static const char *const name[SCOPE_KIND_COUNT] = {
        "sha256", "poseidon", "to_bits", "pack", "sha256_node", "path_step", "path_step_bits"};
    if (i >= k->n_tmpl)
        return false;
    const template_rows *t = &k->tmpl[i];
    *out = (compiled_template_info){.name = name[t->kind],
                                    .parameter = t->parameter,
                                    .n_rows = t->rows.n_rows,
                                    .n_aux = t->n_aux,
                                    .n_operands = t->n_operands,
                                    .n_instances = t->n_instances};
    return true;
}

const uint64_t *cuzk_compiled_a_aux(const compiled_circuit *k)
{
    return k->a_aux;
}

const uint64_t *cuzk_compiled_b_aux(const compiled_circuit *k)
{
    return k->b_aux;
}

const uint64_t *cuzk_compiled_b_input(const compiled_circuit *k)
{
    return k->b_input;
}

const uint64_t *cuzk_compiled_is_field(const compiled_circuit *k)
{
    return k->is_field;
}

/* ---- rows ---- */

void cuzk_compiled_cursor_init(compiled_cursor *cur, const compiled_circuit *k)
{
    *cur = (compiled_cursor){k, 0, 0};
}

/* The variable behind a slot of an instance. */
static cs_var slot_var(const compiled_circuit *k, const piece *p, uint32_t slot)
{
    const template_rows *t = &k->tmpl[p->template_id];
    if (slot == 0)
        return CS_ONE;
    if (slot <= t->n_operands)
        return operand_var(k, t, p, slot - 1);
    return p->base_aux + (slot - 1 - t->n_operands);
}

static void expand_side(cs_lc *lc, const compiled_circuit *k, const piece *p, size_t row,
                        unsigned side)
{
    bool generic = p->template_id == PIECE_GENERIC;
    const row_store *rows = generic ? &k->generic : &k->tmpl[p->template_id].rows;
    size_t n;
    const row_term *term = row_side(rows, generic ? p->at + row : row, side, &n);
    cs_lc_clear(lc);
    for (size_t i = 0; i < n; i++) {
        cs_var v = generic ? term[i].ref : slot_var(k, p, term[i].ref);
        cs_lc_add(lc, v, &k->coeff.value[term[i].coeff]);
    }
}

bool cuzk_compiled_next_row(compiled_cursor *cur, cs_lc *a, cs_lc *b, cs_lc *c)
{
    const compiled_circuit *k = cur->k;
    while (cur->piece < k->n_pieces && cur->row_in_piece == k->piece[cur->piece].n_rows) {
        cur->piece++;
        cur->row_in_piece = 0;
    }
    if (cur->piece == k->n_pieces)
        return false;
    const piece *p = &k->piece[cur->piece];
    expand_side(a, k, p, cur->row_in_piece, 0);
    expand_side(b, k, p, cur->row_in_piece, 1);
    expand_side(c, k, p, cur->row_in_piece, 2);
    cur->row_in_piece++;
    return true;
}

static void evaluate(fr *out, const compiled_circuit *k, const compiled_witness *w, const cs_lc *lc)
{
    fr sum = {{0}}, x;
    for (size_t i = 0; i < lc->n; i++) {
        cs_var v = lc->term[i].var;
        if (cs_var_is_input(v))
            x = w->input[cs_var_index(v)];
        else
            cuzk_compiled_aux(&x, k, w, v);
        fr_mul(&x, &x, &lc->term[i].coeff);
        fr_add(&sum, &sum, &x);
    }
    *out = sum;
}

static cuzk_status check_row(const compiled_circuit *k, const compiled_witness *w,
                             const cs_lc lc[3], size_t row, cuzk_err *err)
{
    fr x, y, z;
    evaluate(&x, k, w, &lc[0]);
    evaluate(&y, k, w, &lc[1]);
    evaluate(&z, k, w, &lc[2]);
    fr_mul(&x, &x, &y);
    if (fr_eq(&x, &z))
        return CUZK_OK;
    return cuzk_fail(err, CUZK_UNSATISFIED, 0,
                     "the witness does not satisfy the circuit: row %zu is the first with a b != c",
                     row);
}

/* c: receives <C, w>; NULL: every row is checked. */
static cuzk_status walk_rows(fr *c, const compiled_circuit *k, const compiled_witness *w,
                             cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    compiled_cursor cur;
    cs_lc lc[3];
    for (unsigned s = 0; s < 3; s++)
        cs_lc_init(&lc[s]);
    cuzk_compiled_cursor_init(&cur, k);
    for (size_t row = 0; st == CUZK_OK && cuzk_compiled_next_row(&cur, &lc[0], &lc[1], &lc[2]);
         row++) {
        if (lc[0].cap == SIZE_MAX || lc[1].cap == SIZE_MAX || lc[2].cap == SIZE_MAX)
            st = cuzk_fail(err, CUZK_NOMEM, 0, "check: no memory for the terms of row %zu", row);
        else if (c)
            evaluate(&c[row], k, w, &lc[2]);
        else
            st = check_row(k, w, lc, row, err);
    }
    for (unsigned s = 0; s < 3; s++)
        cs_lc_fini(&lc[s]);
    return st;
}

cuzk_status cuzk_compiled_check(const compiled_circuit *k, const compiled_witness *w, cuzk_err *err)
{
    return walk_rows(NULL, k, w, err);
}

cuzk_status cuzk_compiled_evaluate_c(fr c[], const compiled_circuit *k, const compiled_witness *w,
                                     cuzk_err *err)
{
    return walk_rows(c, k, w, err);
}

/* Sorting the rows of a template: see compiled_internal.h for the classes. */
#include "base/mem.h"
#include "compiled/compiled_internal.h"

typedef struct {
    template_rows *t;
    const uint32_t *field_at; /* slot -> place in the list of field values, UINT32_MAX: a bit */
} sorter;

static bool is_small_sum(const sorter *s, const row_term term[], size_t n, size_t max)
{
    if (n > max)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (term[i].coeff >= 4 || term[i].ref > UINT16_MAX ||
            s->field_at[term[i].ref] != UINT32_MAX)
            return false;
    }
    return true;
}

static bool extend_run(program *p, run_class kind, uint32_t first)
{
    program_run *last = p->n_runs ? &p->run[p->n_runs - 1] : NULL;
    if (last && last->kind == (uint32_t)kind) {
        last->n_rows++;
        return true;
    }
    if (!cuzk_grow((void **)&p->run, &p->cap_runs, p->n_runs, 1, sizeof *p->run))
        return false;
    p->run[p->n_runs++] = (program_run){(uint32_t)kind, 1, first};
    return true;
}

static bool add_small(program *p, const row_term a[], size_t n_a, const row_term b[], size_t n_b)
{
    small_row row = {{0}, {0}, {0}, {0}};
    if (!cuzk_grow((void **)&p->small, &p->cap_small, p->n_small, 1, sizeof *p->small))
        return false;
    for (size_t i = 0; i < n_a; i++) {
        row.a[i] = (uint16_t)a[i].ref;
        row.a_coeff[i] = (int8_t)coeff_small(a[i].coeff);
    }
    for (size_t i = 0; i < n_b; i++) {
        row.b[i] = (uint16_t)b[i].ref;
        row.b_coeff[i] = (int8_t)coeff_small(b[i].coeff);
    }
    p->small[p->n_small++] = row;
    return extend_run(p, RUN_SMALL, (uint32_t)p->n_small - 1);
}

static bool add_side(sorter *s, const row_term term[], size_t n)
{
    program *p = &s->t->program;
    if (!cuzk_grow((void **)&p->term, &p->cap_term, p->n_term, n, sizeof *p->term))
        return false;
    for (size_t i = 0; i < n; i++) {
        uint32_t field = s->field_at[term[i].ref];
        uint32_t ref = field == UINT32_MAX ? term[i].ref : field | TERM_FIELD;
        p->term[p->n_term++] = (row_term){ref, term[i].coeff};
    }
    return true;
}

static bool add_terms(sorter *s, const row_term a[], size_t n_a, const row_term b[], size_t n_b)
{
    program *p = &s->t->program;
    terms_row row = {(uint32_t)p->n_term, 0, 0};
    if (!cuzk_grow((void **)&p->terms, &p->cap_terms, p->n_terms, 1, sizeof *p->terms) ||
        !add_side(s, a, n_a))
        return false;
    row.b_begin = (uint32_t)p->n_term;
    if (!add_side(s, b, n_b))
        return false;
    row.end = (uint32_t)p->n_term;
    p->terms[p->n_terms++] = row;
    return extend_run(p, RUN_TERMS, (uint32_t)p->n_terms - 1);
}

/* < A ; 1 ; C > with a shorter C */
static bool better_on_c(size_t n_a, const row_term b[], size_t n_b, size_t n_c)
{
    return n_b == 1 && b[0].ref == 0 && b[0].coeff == COEFF_ID_ONE && n_c < n_a;
}

static bool add_row(sorter *s, size_t row)
{
    const row_store *rows = &s->t->rows;
    size_t n_a, n_b, n_c;
    const row_term *a = row_side(rows, row, 0, &n_a), *b = row_side(rows, row, 1, &n_b);
    const row_term *c = row_side(rows, row, 2, &n_c);
    if (is_small_sum(s, a, n_a, 4) && is_small_sum(s, b, n_b, 2))
        return add_small(&s->t->program, a, n_a, b, n_b);
    if (better_on_c(n_a, b, n_b, n_c))
        return add_terms(s, c, n_c, b, n_b);
    return add_terms(s, a, n_a, b, n_b);
}

/* Field values are listed operands first. */
static uint32_t *number_fields(const template_rows *t)
{
    size_t n = 1 + (size_t)t->n_operands + t->n_aux;
    uint32_t *at = CUZK_NEW_ARRAY(uint32_t, n), next = 0;
    if (!at)
        return NULL;
    for (size_t slot = 0; slot < n; slot++) {
        bool field = slot > t->n_operands ? bit_get(t->is_field, slot - 1 - t->n_operands)
                                          : slot && t->operand_is_field[slot - 1];
        at[slot] = field ? next++ : UINT32_MAX;
    }
    return at;
}

bool cuzk_template_program(template_rows *t, const coeff_table *coeff)
{
    uint32_t *at = number_fields(t);
    sorter s = {t, at};
    bool ok = at != NULL;
    (void)coeff;
    for (size_t row = 0; ok && row < t->rows.n_rows; row++)
        ok = add_row(&s, row);
    cuzk_free(at);
    return ok;
}

void cuzk_template_fini(template_rows *t)
{
    cuzk_free(t->program.term);
    cuzk_free(t->program.terms);
    cuzk_free(t->program.small);
    cuzk_free(t->program.run);
    cuzk_free(t->operand_in_b);
    cuzk_free(t->operand_in_a);
    cuzk_free(t->b_aux);
    cuzk_free(t->a_aux);
    cuzk_free(t->is_field);
    cuzk_row_store_fini(&t->rows);
    cuzk_free(t->out);
    cuzk_free(t->operand_is_field);
    cuzk_free(t->offset);
    cuzk_free(t->group);
    cuzk_free(t->signature);
}

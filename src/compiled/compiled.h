/* A circuit compiled to templates and instances, and its witness as bits and field elements.
 *
 * Compiling runs the blank circuit once. Each gadget call of a new form is recorded as a template
 * (rows over ONE, operands and own variables); a further call of that form is an instance: template
 * and base offsets. Rows outside gadget calls go to a generic row-major store, so any circuit
 * compiles. The rows are those of the interpreted reading, in the same order; docs/compiled.md
 * says how that is checked.
 *
 * Whether a variable is a bit is fixed by the circuit. A witness is a bitmap in aux order (the
 * places of field elements are 0) and the field elements in aux order.
 *
 * A compiled circuit is immutable: any number of threads may use it.
 */
#ifndef CUZK_COMPILED_COMPILED_H
#define CUZK_COMPILED_COMPILED_H

#include "base/pool.h"
#include "circuit/cs.h"

typedef struct compiled_circuit compiled_circuit;

cuzk_status cuzk_compile(compiled_circuit **out, const cs_circuit *blank, cuzk_err *err);
void cuzk_compiled_free(compiled_circuit *k); /* accepts NULL */

typedef struct {
    uint64_t n_inputs, n_aux, n_rows; /* rows without the appended input rows */
    uint64_t n_bits, n_fields;        /* aux variables by kind */
    uint64_t n_templates, n_instances, n_generic_rows;
    uint64_t n_a_aux, n_b_aux, n_b_input; /* densities */
    uint64_t bytes;                       /* memory held */
} compiled_info;
void cuzk_compiled_info(compiled_info *out, const compiled_circuit *k);

/* Template i: name of the gadget, rows, aux variables, operand variables, instances. */
typedef struct {
    const char *name;
    uint32_t parameter;
    uint64_t n_rows, n_aux, n_operands, n_instances;
} compiled_template_info;
bool cuzk_compiled_template(compiled_template_info *out, const compiled_circuit *k, size_t i);

/* One bit a variable, as the queries of the proving key hold it. */
const uint64_t *cuzk_compiled_a_aux(const compiled_circuit *k);
const uint64_t *cuzk_compiled_b_aux(const compiled_circuit *k);
const uint64_t *cuzk_compiled_b_input(const compiled_circuit *k);
/* Set: the aux variable is a field element. */
const uint64_t *cuzk_compiled_is_field(const compiled_circuit *k);

typedef struct {
    size_t n_inputs, n_aux, n_fields;
    fr *input;      /* with ONE */
    uint64_t *bits; /* bit i: aux i, 0 for field elements */
    fr *field;
} compiled_witness;

/* Room for one witness; release with cuzk_compiled_witness_fini. */
cuzk_status cuzk_compiled_witness_new(compiled_witness *out, const compiled_circuit *k,
                                      cuzk_err *err);
void cuzk_compiled_witness_fini(compiled_witness *w);
/* Fills w with the assignment of the circuit, which must have the structure of k (CUZK_INTERNAL
 * when it does not). No memory is taken for variables or rows. */
cuzk_status cuzk_compiled_fill(compiled_witness *w, const compiled_circuit *k,
                               const cs_circuit *circuit, cuzk_pool *pool, cuzk_err *err);
/* The value of an aux variable. */
void cuzk_compiled_aux(fr *out, const compiled_circuit *k, const compiled_witness *w, uint32_t aux);

/* a[i] = <A_i, w>, b[i] = <B_i, w> for all rows, then the rows of the inputs: n_rows + n_inputs
 * elements each, aligned to 16 bytes at least. A row < A ; 1 ; C > is evaluated on its C side where
 * that is shorter: the same value, because the witness came from fill. */
cuzk_status cuzk_compiled_evaluate(fr a[], fr b[], const compiled_circuit *k,
                                   const compiled_witness *w, cuzk_pool *pool, cuzk_err *err);

/* c[i] = <C_i, w> for the n_rows rows, term by term on one thread: the provers need a and b alone,
 * this is for comparison. */
cuzk_status cuzk_compiled_evaluate_c(fr c[], const compiled_circuit *k, const compiled_witness *w,
                                     cuzk_err *err);

/* Walks the rows in order, for comparisons. Row i as linear combinations; lists are cleared first.
 */
typedef struct {
    const compiled_circuit *k;
    size_t piece, row_in_piece;
} compiled_cursor;
void cuzk_compiled_cursor_init(compiled_cursor *cur, const compiled_circuit *k);
bool cuzk_compiled_next_row(compiled_cursor *cur, cs_lc *a, cs_lc *b, cs_lc *c);

/* Evaluates A, B and C of every row term by term, slowly: CUZK_UNSATISFIED names the first row with
 * a b != c. */
cuzk_status cuzk_compiled_check(const compiled_circuit *k, const compiled_witness *w,
                                cuzk_err *err);

#endif

/* The prover's inputs from a compiled circuit: see assignment.h. */
#include "base/mem.h"
#include "groth16/assignment.h"

/* What the lengths of the parameters are compared with; the bitmaps stay with the compiled circuit.
 */
static void take_counts(assignment *s, const compiled_circuit *k)
{
    compiled_info info;
    cuzk_compiled_info(&info, k);
    s->n_inputs = info.n_inputs;
    s->n_aux = info.n_aux;
    s->n_rows = info.n_rows;
    s->n_a_aux = info.n_a_aux;
    s->n_b_aux = info.n_b_aux;
    s->n_b_input = info.n_b_input;
}

cuzk_status cuzk_assign_compiled(assignment *out, compiled_witness *w, const compiled_circuit *k,
                                 const cs_circuit *circuit, const groth16_srs *srs, cuzk_pool *pool,
                                 cuzk_err *err)
{
    cuzk_status st;
    assignment s = {0};
    compiled_witness filled = {0};
    take_counts(&s, k);
    CUZK_TRY(cuzk_assignment_check_lengths(&s, srs, err));
    CUZK_TRY(cuzk_compiled_witness_new(&filled, k, err));
    CUZK_TRY(cuzk_compiled_fill(&filled, k, circuit, pool, err));
    s.a = (fr *)cuzk_calloc(srs->n_h + 1, sizeof(fr));
    s.b = (fr *)cuzk_calloc(srs->n_h + 1, sizeof(fr));
    if (!s.a || !s.b) {
        st = cuzk_fail(err, CUZK_NOMEM, 0, "prove: no memory for %zu rows", srs->n_h + 1);
        goto out;
    }
    CUZK_TRY(cuzk_compiled_evaluate(s.a, s.b, k, &filled, pool, err));
    if (!cuzk_switch_on(CUZK_SWITCH_C_PRODUCT)) {
        s.c = (fr *)cuzk_calloc(srs->n_h + 1, sizeof(fr));
        if (!s.c) {
            st = cuzk_fail(err, CUZK_NOMEM, 0, "prove: no memory for %zu rows", srs->n_h + 1);
            goto out;
        }
        CUZK_TRY(cuzk_compiled_evaluate_c(s.c, k, &filled, err));
    }
    *out = s;
    *w = filled;
out:
    if (st != CUZK_OK) {
        cuzk_assignment_fini(&s);
        cuzk_compiled_witness_fini(&filled);
    }
    return st;
}

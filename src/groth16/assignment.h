/* What the prover learns from one run of a circuit: values, row evaluations, densities. */
#ifndef CUZK_GROTH16_ASSIGNMENT_H
#define CUZK_GROTH16_ASSIGNMENT_H

#include "groth16/groth16.h"

typedef struct {
    size_t n_inputs, n_aux, n_rows; /* rows of the circuit, without the appended input rows */
    fr *input, *aux;
    fr *a, *b; /* <A, z> and <B, z> of each row, input rows appended, zero up to n_h + 1 */
    fr *c;     /* <C, z> likewise; NULL with switch c-product: c = a b */
    /* One bit a variable: has a non-zero coefficient in some A (B). Every input counts for A. */
    uint64_t *a_aux, *b_aux, *b_input;
    size_t n_a_aux, n_b_aux, n_b_input; /* set bits */
} assignment;

/* Runs the circuit. Memory is taken for the sizes that srs has (switch A2 off: by doubling); a
 * circuit of other sizes is run to its end for its counts and refused with CUZK_PARAMS, both
 * numbers in the message. check: evaluate C as well; the first row with a b != c gives
 * CUZK_UNSATISFIED. Release with cuzk_assignment_fini.
 */
cuzk_status cuzk_assign(assignment *out, const cs_circuit *circuit, const groth16_srs *srs,
                        bool check, cuzk_err *err);
void cuzk_assignment_fini(assignment *s);

/* CUZK_PARAMS, with both numbers, when the counts of s are not those of srs. */
cuzk_status cuzk_assignment_check_lengths(const assignment *s, const groth16_srs *srs,
                                          cuzk_err *err);

/* The same from the compiled circuit k: out has counts and rows only; values are in w, densities in
 * k. Release both. */
cuzk_status cuzk_assign_compiled(assignment *out, compiled_witness *w, const compiled_circuit *k,
                                 const cs_circuit *circuit, const groth16_srs *srs, cuzk_pool *pool,
                                 cuzk_err *err);

CUZK_INLINE bool density_get(const uint64_t bits[], size_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

#endif

/* The polynomials u_j, v_j, w_j of a circuit at the secret point tau (spec gadgets.md 1.3 to 1.5).
 *
 * The circuit runs twice: once to count, once streaming its rows into the sums, so that memory is
 * 32 bytes a row and 96 bytes a variable, whatever the number of terms.
 */
#ifndef CUZK_GROTH16_QAP_H
#define CUZK_GROTH16_QAP_H

#include "groth16/groth16.h"

typedef struct {
    size_t n_inputs, n_aux, n_rows; /* rows of the circuit, without the appended input rows */
    unsigned lg_m;                  /* domain 2^lg_m >= n_rows + n_inputs */
    fr *u, *v, *w;                  /* n_inputs + n_aux values each, inputs first */
} qap;

/* CUZK_INVAL when the domain is too large or tau lies on it. Release with cuzk_qap_fini. */
cuzk_status cuzk_qap_at(qap *out, const cs_circuit *circuit, const fr *tau, cuzk_pool *pool,
                        cuzk_err *err);
void cuzk_qap_fini(qap *q);

#endif

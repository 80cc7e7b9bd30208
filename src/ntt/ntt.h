/* Number-theoretic transform over Fr on the 2^lg_n-th roots of unity.
 *
 * omega = W^(2^(32 - lg_n)) with W = cuzk_fr_root_of_unity. Planned for lg_n <= 28.
 * Deterministic: field arithmetic is exact, so the bytes do not depend on the number of threads.
 */
#ifndef CUZK_NTT_NTT_H
#define CUZK_NTT_NTT_H

#include "base/error.h"
#include "base/pool.h"
#include "field/fr.h"

#define NTT_MAX_LG 28

typedef struct ntt_plan ntt_plan; /* twiddle tables; immutable, may be shared by threads */

/* CUZK_INVAL for lg_n > NTT_MAX_LG (the error names the degree), CUZK_NOMEM. */
cuzk_status cuzk_ntt_plan_new(ntt_plan **out, unsigned lg_n, cuzk_pool *pool, cuzk_err *err);
void cuzk_ntt_plan_free(ntt_plan *plan);

/* Order of elements: N natural, R bit-reversed. x has 2^lg_n elements, transformed in place.
 *   nr: natural in, bit-reversed out      rn: bit-reversed in, natural out */
void cuzk_ntt_forward_nr(const ntt_plan *plan, fr x[], cuzk_pool *pool);
void cuzk_ntt_forward_rn(const ntt_plan *plan, fr x[], cuzk_pool *pool);
void cuzk_ntt_inverse_nr(const ntt_plan *plan, fr x[], cuzk_pool *pool); /* includes 1/n */
void cuzk_ntt_inverse_rn(const ntt_plan *plan, fr x[], cuzk_pool *pool);
void cuzk_ntt_bit_reverse(const ntt_plan *plan, fr x[], cuzk_pool *pool);

#endif

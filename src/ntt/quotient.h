/* Quotient of a satisfied system: h = (A B - C) / (X^n - 1) where c = a*b at every domain point. */
#ifndef CUZK_NTT_QUOTIENT_H
#define CUZK_NTT_QUOTIENT_H

#include "ntt/ntt.h"

/* a, b   in   n = 2^lg_n values on the domain, natural order; destroyed
 * h      out  n coefficients, natural order; the last one is 0. May not alias a or b
 * lg_n < 32 must leave a root of order 2n, which NTT_MAX_LG ensures. Six transforms, no allocation.
 */
void cuzk_ntt_quotient(const ntt_plan *plan, fr h[], fr a[], fr b[], cuzk_pool *pool);
/* The same where h holds the values of c already. */
void cuzk_ntt_quotient_of(const ntt_plan *plan, fr h[], fr a[], fr b[], cuzk_pool *pool);
/* Either of them, with h as plain integers, an fr_canon in each place: no conversion, the factors
 * of the last step are others. */
void cuzk_ntt_quotient_plain(const ntt_plan *plan, fr h[], fr a[], fr b[], bool c_given,
                             cuzk_pool *pool);

#endif

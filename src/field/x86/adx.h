/* MULX/ADX products (fp_adx.S, fr_adx.S); only where cuzk_cpu_has(CUZK_CPU_ADX). The C twins are
 * cuzk_fp_generic and cuzk_fr_generic. */
#ifndef CUZK_FIELD_X86_ADX_H
#define CUZK_FIELD_X86_ADX_H

#include "field/fp.h"
#include "field/fr.h"

void cuzk_fp_mul_adx(fp *r, const fp *a, const fp *b);
void cuzk_fp_sqr_adx(fp *r, const fp *a);
void cuzk_fr_mul_adx(fr *r, const fr *a, const fr *b);
void cuzk_fr_sqr_adx(fr *r, const fr *a);

#endif

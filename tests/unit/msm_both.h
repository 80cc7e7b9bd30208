/* The cases of msm_cases.inc for G1 (names g1_...) and G2 (names g2_...). */
#ifndef MSM_BOTH_H
#define MSM_BOTH_H

#include "unit/msm_common.h"

#define T_(name)        test_g1_##name
#define POINT           g1_affine
#define JAC             g1_jac
#define FE              fp
#define GENERATOR       cuzk_g1_generator
#define CUZK_POINT(op)  cuzk_g1_##op
#define CUZK_MSM        cuzk_msm_g1
#define CUZK_SUM        cuzk_sum_g1
#define FIXED_BASE      g1_fixed_base
#define FIXED_BASE_(op) cuzk_g1_fixed_base_##op
#include "unit/msm_cases.inc"
#undef T_
#undef POINT
#undef JAC
#undef FE
#undef GENERATOR
#undef CUZK_POINT
#undef CUZK_MSM
#undef CUZK_SUM
#undef FIXED_BASE
#undef FIXED_BASE_

#define T_(name)        test_g2_##name
#define POINT           g2_affine
#define JAC             g2_jac
#define FE              fp2
#define GENERATOR       cuzk_g2_generator
#define CUZK_POINT(op)  cuzk_g2_##op
#define CUZK_MSM        cuzk_msm_g2
#define CUZK_SUM        cuzk_sum_g2
#define FIXED_BASE      g2_fixed_base
#define FIXED_BASE_(op) cuzk_g2_fixed_base_##op
#include "unit/msm_cases.inc"

#endif

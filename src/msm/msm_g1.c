/* Sums and multiples in G1: the bodies shared with G2, under the names of G1. */
#include "msm/msm.h"

#include <string.h>

#include "base/cpu.h"
#include "base/mem.h"
#include "base/switches.h"
#include "msm/lanes.h"
#include "msm/msm_plan.h"

#define POINT            g1_affine
#define JAC              g1_jac
#define FE               fp
#define FE_ONE           cuzk_fp_one
#define FE_(op)          fp_##op
#define CUZK_FE(op)      cuzk_fp_##op
#define POINT_(op)       g1_##op
#define CUZK_POINT(op)   cuzk_g1_##op
#define MSM_NAME         "sums in G1"
#define CUZK_MSM         cuzk_msm_g1
#define MSM_WORKER_BYTES cuzk_msm_g1_worker_bytes
#define CUZK_SUM         cuzk_sum_g1
#define FIXED_BASE       g1_fixed_base
#define FIXED_BASE_(op)  cuzk_g1_fixed_base_##op
#define FIXED_WINDOW     15u /* docs/msm.md, "Fixed base" */
#define LANE             lane1
#define LANE_(op)        lane1_##op

#include "msm/batch_add.inc"

#include "msm/pippenger.inc"

#include "msm/sum.inc"

#include "msm/fixed_base.inc"

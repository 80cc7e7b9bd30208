/* Sums and multiples in G2: the bodies shared with G1, under the names of G2. */
#include "msm/msm.h"

#include <string.h>

#include "base/cpu.h"
#include "base/mem.h"
#include "base/switches.h"
#include "msm/lanes.h"
#include "msm/msm_plan.h"

#define POINT            g2_affine
#define JAC              g2_jac
#define FE               fp2
#define FE_ONE           cuzk_fp2_one
#define FE_(op)          fp2_##op
#define CUZK_FE(op)      cuzk_fp2_##op
#define POINT_(op)       g2_##op
#define CUZK_POINT(op)   cuzk_g2_##op
#define MSM_NAME         "sums in G2"
#define CUZK_MSM         cuzk_msm_g2
#define MSM_WORKER_BYTES cuzk_msm_g2_worker_bytes
#define CUZK_SUM         cuzk_sum_g2
#define FIXED_BASE       g2_fixed_base
#define FIXED_BASE_(op)  cuzk_g2_fixed_base_##op
#define FIXED_WINDOW     15u /* docs/msm.md, "Fixed base" */
#define LANE             lane2
#define LANE_(op)        lane2_##op

#include "msm/batch_add.inc"

#include "msm/pippenger.inc"

#include "msm/sum.inc"

#include "msm/fixed_base.inc"

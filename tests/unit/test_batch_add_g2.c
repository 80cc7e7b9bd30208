/* Batched additions in G2: the cases of batch_add_cases.inc. */
#include "unit/msm_random.h"

#include "base/cpu.h"
#include "base/mem.h"
#include "msm/lanes.h"
#include "msm/msm.h"
#include "msm/msm_plan.h"

#define POINT          g2_affine
#define JAC            g2_jac
#define FE             fp2
#define FE_ONE         cuzk_fp2_one
#define FE_(op)        fp2_##op
#define CUZK_FE(op)    cuzk_fp2_##op
#define POINT_(op)     g2_##op
#define CUZK_POINT(op) cuzk_g2_##op
#define LANE           lane2
#define LANE_(op)      lane2_##op
#define GENERATOR      cuzk_g2_generator

#include "msm/batch_add.inc"

#include "unit/batch_add_cases.inc"

/* Batched additions in G1: the cases of batch_add_cases.inc. */
#include "unit/msm_random.h"

#include "base/cpu.h"
#include "base/mem.h"
#include "msm/lanes.h"
#include "msm/msm.h"
#include "msm/msm_plan.h"

#define POINT          g1_affine
#define JAC            g1_jac
#define FE             fp
#define FE_ONE         cuzk_fp_one
#define FE_(op)        fp_##op
#define CUZK_FE(op)    cuzk_fp_##op
#define POINT_(op)     g1_##op
#define CUZK_POINT(op) cuzk_g1_##op
#define LANE           lane1
#define LANE_(op)      lane1_##op
#define GENERATOR      cuzk_g1_generator

#include "msm/batch_add.inc"

#include "unit/batch_add_cases.inc"

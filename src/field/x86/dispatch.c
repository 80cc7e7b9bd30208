/* Puts the products of the active path into the tables of fp.h and fr.h, before main. */
#include "base/cpu.h"
#include "field/x86/adx.h"

CUZK_CONSTRUCTOR static void install(void)
{
    if (cuzk_cpu_active() == CUZK_CPU_GENERIC)
        return;
    cuzk_fp_ops = (fp_ops){cuzk_fp_mul_adx, cuzk_fp_sqr_adx};
    cuzk_fr_ops = (fr_ops){cuzk_fr_mul_adx, cuzk_fr_sqr_adx};
}

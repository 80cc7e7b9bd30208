/* A program linked to libcuzk.a must run the arithmetic that `cuzk version` names: a constructor in
 * an object that nothing refers to is silently left out of a static link (it was, once).
 */
#include <stdio.h>

#include "base/cpu.h"
#include "field/fp.h"
#include "field/fr.h"

int main(void)
{
    const char *path = cuzk_cpu_path_name(cuzk_cpu_active());
    int generic = cuzk_cpu_active() == CUZK_CPU_GENERIC;
    int fp_generic = cuzk_fp_ops.mul == cuzk_fp_generic.mul;
    int fr_generic = cuzk_fr_ops.mul == cuzk_fr_generic.mul;
    printf("path %s: fp %s, fr %s\n", path, fp_generic ? "generic" : "fast",
           fr_generic ? "generic" : "fast");
    return fp_generic != generic || fr_generic != generic;
}

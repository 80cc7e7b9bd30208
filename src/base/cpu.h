/* Which arithmetic this process uses, chosen once from CPUID, never from the build machine.
 *
 * CUZK_CPU=generic|adx|ifma forces a path. A value that is unknown, or that this processor or its
 * operating system does not offer, is told on stderr, and the best available path is used: a wrong
 * setting costs speed, never results.
 */
#ifndef CUZK_BASE_CPU_H
#define CUZK_BASE_CPU_H

#include <stdbool.h>

#include "base/switches.h"

typedef enum {
    CUZK_CPU_GENERIC, /* portable C */
    CUZK_CPU_ADX,     /* x86-64 with BMI2 and ADX */
    CUZK_CPU_IFMA,    /* and AVX-512 F, DQ, BW, VL, IFMA, enabled by the system */
} cuzk_cpu_path;

/* The path in use; decided at the first call, which happens before main. Any thread. */
cuzk_cpu_path cuzk_cpu_active(void);
/* Eight lanes of AVX-512 IFMA are to be used: the path, unless switch ifma is off. */
CUZK_INLINE bool cuzk_cpu_lanes(void)
{
    return cuzk_cpu_active() == CUZK_CPU_IFMA && cuzk_switch_on(CUZK_SWITCH_IFMA);
}
bool cuzk_cpu_has(cuzk_cpu_path path);              /* what the machine offers, CUZK_CPU aside */
const char *cuzk_cpu_path_name(cuzk_cpu_path path); /* "generic", "adx", "ifma"; static */

#endif

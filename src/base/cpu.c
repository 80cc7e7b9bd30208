/* CPU detection. Bits: Intel SDM volume 2, CPUID leaf 7 and XGETBV. */
#include "base/cpu.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

static const char *const names[] = {"generic", "adx", "ifma"};

#ifdef __x86_64__
#include <cpuid.h>

#define LEAF1_OSXSAVE   (1u << 27)
#define LEAF7_BMI2      (1u << 8)
#define LEAF7_ADX       (1u << 19)
#define LEAF7_AVX512    (1u << 16 | 1u << 17 | 1u << 21 | 1u << 30 | 1u << 31) /* F DQ IFMA BW VL */
#define XCR0_AVX512     0xe6u /* SSE, AVX, opmask and both parts of ZMM are saved by the system */
#define HAS(word, bits) (((word) & (bits)) == (bits))

static bool system_saves_zmm(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !HAS(c, LEAF1_OSXSAVE))
        return false;
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return HAS(a, XCR0_AVX512);
}

static cuzk_cpu_path best_path(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !HAS(b, LEAF7_BMI2 | LEAF7_ADX))
        return CUZK_CPU_GENERIC;
    return HAS(b, LEAF7_AVX512) && system_saves_zmm() ? CUZK_CPU_IFMA : CUZK_CPU_ADX;
}
#else
static cuzk_cpu_path best_path(void)
{
    return CUZK_CPU_GENERIC;
}
#endif

bool cuzk_cpu_has(cuzk_cpu_path path)
{
    return path <= best_path();
}

static cuzk_cpu_path choose(void)
{
    cuzk_cpu_path best = best_path();
    const char *wish = getenv("CUZK_CPU");
    if (!wish || !*wish)
        return best;
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(names); i++) {
        if (strcmp(wish, names[i]) != 0)
            continue;
        if (i <= best)
            return (cuzk_cpu_path)i;
        fprintf(stderr, "cuzk: CUZK_CPU=%s: not offered by this machine; using %s\n", wish,
                names[best]);
        return best;
    }
    fprintf(stderr, "cuzk: CUZK_CPU=%.20s: unknown (generic, adx, ifma); using %s\n", wish,
            names[best]);
    return best;
}

cuzk_cpu_path cuzk_cpu_active(void)
{
    static atomic_int active = -1; /* threads that race here compute the same value */
    int path = atomic_load_explicit(&active, memory_order_relaxed);
    if (path < 0) {
        path = (int)choose();
        atomic_store_explicit(&active, path, memory_order_relaxed);
    }
    return (cuzk_cpu_path)path;
}

const char *cuzk_cpu_path_name(cuzk_cpu_path path)
{
    return (unsigned)path < CUZK_ARRAY_LEN(names) ? names[path] : "unknown";
}

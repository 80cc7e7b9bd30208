/* cuzk_bench_describe: on what, and by which build, was measured. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "base/cpu.h"
#include "cuzk/bench.h"

#ifndef CUZK_COMMIT
#define CUZK_COMMIT "unknown"
#endif

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* The value of "key : value", without the end of the line; NULL for other lines. */
static char *value_of(char *line, const char *key)
{
    size_t n = strlen(key);
    char *colon = strchr(line, ':');
    if (!colon || strncmp(line, key, n) != 0)
        return NULL;
    colon[1 + strcspn(colon + 1, "\n")] = '\0';
    return colon + 1 + strspn(colon + 1, " \t");
}

static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; (p = strstr(p, word)) != NULL; p += n)
        if ((p == text || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
            return true;
    return false;
}

static void add_features(char out[], size_t n, const char *flags)
{
    static const char *const wanted[] = {"bmi2",       "adx",          "sha_ni",   "avx2",
                                         "avx512f",    "avx512dq",     "avx512bw", "avx512vl",
                                         "avx512ifma", "avx512_vbmi2", "vaes"};
    size_t at = 0;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(wanted); i++) {
        int k = has_word(flags, wanted[i])
                    ? snprintf(out + at, n - at, "%s%s", at ? " " : "", wanted[i])
                    : 0;
        at += k > 0 && (size_t)k < n - at ? (size_t)k : 0;
    }
}

static void read_cpuinfo(cuzk_bench_machine *m)
{
    char line[4096], *v;
    FILE *f = fopen("/proc/cpuinfo", "r");
    bool done = false;
    while (f && !done && fgets(line, sizeof line, f)) {
        if ((v = value_of(line, "model name")) != NULL)
            snprintf(m->cpu, sizeof m->cpu, "%.90s", v);
        if ((v = value_of(line, "flags")) != NULL) {
            add_features(m->features, sizeof m->features, v);
            done = true;
        }
    }
    if (f)
        fclose(f);
}

void cuzk_bench_describe(cuzk_bench_machine *out)
{
    cuzk_bench_machine m = {.cpu = "unknown",
                            .path = cuzk_cpu_path_name(cuzk_cpu_active()),
                            .version = CUZK_VERSION,
                            .commit = CUZK_COMMIT,
                            .compiler = COMPILER};
    struct sysinfo memory;
    struct utsname system;
    cpu_set_t set;
    read_cpuinfo(&m);
    m.cores = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 0;
    if (sysinfo(&memory) == 0)
        m.memory_bytes = (uint64_t)memory.totalram * memory.mem_unit;
    if (uname(&system) == 0)
        snprintf(m.kernel, sizeof m.kernel, "%.60s", system.release);
    *out = m;
}

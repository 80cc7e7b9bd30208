#include "engine/memory_available.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MAX_MARGIN ((uint64_t)5 << 30)
/* What v1 shows as "no limit" is the largest number of whole pages. */
#define NO_LIMIT ((uint64_t)1 << 62)

typedef struct {
    char text[8192]; /* /proc/meminfo, memory.stat: 1.5 KiB; long lists of groups are cut */
} small_file;

static bool read_small(small_file *f, const char *root, const char *folder, const char *name)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s%s/%s", root, folder, name);
    if (n < 0 || (size_t)n >= sizeof path)
        return false;
    FILE *in = fopen(path, "re");
    if (!in)
        return false;
    size_t got = fread(f->text, 1, sizeof f->text - 1, in);
    f->text[got] = '\0';
    fclose(in);
    return got > 0;
}

/* The number after a key at the start of a line. */
static bool number_of(uint64_t *out, const small_file *f, const char *key)
{
    size_t n = strlen(key);
    for (const char *line = f->text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, n) == 0) {
            *out = strtoull(line + n, NULL, 10);
            return true;
        }
    }
    return false;
}

static bool read_number(uint64_t *out, const char *root, const char *folder, const char *name)
{
    small_file f;
    if (!read_small(&f, root, folder, name) || f.text[0] < '0' || f.text[0] > '9')
        return false; /* absent, or "max" */
    *out = strtoull(f.text, NULL, 10);
    return true;
}

/* ---- control groups ---- */

/* The two hierarchies: where they are mounted, how /proc/self/cgroup marks their line, and what
 * their files are called. A machine may have both; only one of them has the memory controller. */
typedef struct {
    const char *mount, *limit, *used, *cache;
} group_files;

static const group_files v2 = {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "};
static const group_files v1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                               "memory.usage_in_bytes", "total_inactive_file "};

/* Does a line "7:cpu,memory:/a/b" or "0::/a/b" belong to the hierarchy? *path: after the colon. */
static bool line_of(const char **path, const char *line, bool second)
{
    const char *names = strchr(line, ':'), *end = names ? strchr(names + 1, ':') : NULL;
    if (!end)
        return false;
    *path = end + 1;
    if (second)
        return line[0] == '0' && end == names + 1;
    for (const char *p = names + 1; p < end; p += strcspn(p, ",:") + 1) {
        if (strcspn(p, ",:") == strlen("memory") && strncmp(p, "memory", strlen("memory")) == 0)
            return true;
    }
    return false;
}

/* The folder of our own group. In a container it may be named from outside and not exist here;
 * then the mount itself is our group. */
static bool own_group(char path[PATH_MAX], const char *root, const group_files *g)
{
    small_file f;
    const char *group;
    if (!read_small(&f, root, "/proc/self", "cgroup"))
        return false;
    for (const char *line = f.text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!line_of(&group, line, g == &v2))
            continue;
        int n = (int)strcspn(group, "\n");
        int length = snprintf(path, PATH_MAX, "%s%.*s", g->mount, n, group);
        return length > 0 && length < PATH_MAX;
    }
    return false;
}

static uint64_t left_in_group(const char *root, const char *folder, const group_files *g)
{
    small_file f;
    uint64_t max, used, inactive = 0;
    if (!read_number(&max, root, folder, g->limit) || max >= NO_LIMIT)
        return UINT64_MAX;
    if (!read_number(&used, root, folder, g->used))
        return max;
    if (read_small(&f, root, folder, "memory.stat"))
        number_of(&inactive, &f, g->cache); /* page cache: given up under pressure */
    used -= inactive < used ? inactive : used;
    return max > used ? max - used : 0;
}

static uint64_t limit_of_group(const char *root, const char *folder, const group_files *g)
{
    uint64_t max;
    return read_number(&max, root, folder, g->limit) && max < NO_LIMIT ? max : UINT64_MAX;
}

typedef uint64_t (*group_fn)(const char *root, const char *folder, const group_files *g);

/* The least over our group and all above it; *at: where (PATH_MAX), if any is below UINT64_MAX. */
static uint64_t least_of_groups(char *at, const char *root, const group_files *g, group_fn fn)
{
    char path[PATH_MAX];
    uint64_t least = UINT64_MAX;
    if (!own_group(path, root, g))
        return least;
    for (char *end = path + strlen(path); end >= path + strlen(g->mount);) {
        uint64_t n = fn(root, path, g);
        if (n < least) {
            least = n;
            snprintf(at, PATH_MAX, "%s", path + strlen(g->mount));
        }
        end = strrchr(path, '/');
        *end = '\0';
    }
    return least;
}

uint64_t cuzk_memory_available(const char *root)
{
    small_file f;
    char unused[PATH_MAX];
    uint64_t least = UINT64_MAX, kib;
    if (read_small(&f, root, "/proc", "meminfo") && number_of(&kib, &f, "MemAvailable:"))
        least = kib * 1024;
    uint64_t two = least_of_groups(unused, root, &v2, left_in_group);
    uint64_t one = least_of_groups(unused, root, &v1, left_in_group);
    least = two < least ? two : least;
    return one < least ? one : least;
}

/* ---- the total ---- */

static void lower(memory_total *t, uint64_t bytes, const char *what, const char *where)
{
    if (bytes >= t->bytes)
        return;
    t->bytes = bytes;
    snprintf(t->source, sizeof t->source, "%s%.60s", what, where);
}

void cuzk_memory_total_of(memory_total *out, const char *root, uint64_t address_space)
{
    small_file f;
    char at[PATH_MAX] = "";
    uint64_t n;
    memory_total t = {.bytes = UINT64_MAX};
    if (read_small(&f, root, "/proc", "meminfo") && number_of(&n, &f, "MemTotal:"))
        lower(&t, n * 1024, "MemTotal", "");
    n = least_of_groups(at, root, &v2, limit_of_group);
    lower(&t, n, "control group ", at[0] ? at : "/");
    n = least_of_groups(at, root, &v1, limit_of_group);
    lower(&t, n, "control group ", at[0] ? at : "/");
    if (address_space < UINT64_MAX) {
        uint64_t mapped = 0;
        if (read_number(&mapped, root, "/proc/self", "statm"))
            mapped *= (uint64_t)sysconf(_SC_PAGESIZE);
        lower(&t, address_space > mapped ? address_space - mapped : 0, "limit of address space",
              "");
    }
    *out = t;
}

void cuzk_memory_total(memory_total *out, const char *root)
{
    struct rlimit r;
    bool limited = getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur != RLIM_INFINITY;
    cuzk_memory_total_of(out, root, limited ? (uint64_t)r.rlim_cur : UINT64_MAX);
}

uint64_t cuzk_memory_margin(uint64_t total)
{
    return total / 16 < MAX_MARGIN ? total / 16 : MAX_MARGIN;
}

#include "engine/memory_available.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char text[8192]; /* /proc/meminfo, memory.stat: 1.5 KiB */
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

static uint64_t left_in_group(const char *root, const char *folder)
{
    small_file f;
    uint64_t max, used, inactive = 0;
    if (!read_small(&f, root, folder, "memory.max") || f.text[0] < '0' || f.text[0] > '9')
        return UINT64_MAX; /* absent, or "max" */
    max = strtoull(f.text, NULL, 10);
    if (!read_small(&f, root, folder, "memory.current"))
        return max;
    used = strtoull(f.text, NULL, 10);
    if (read_small(&f, root, folder, "memory.stat"))
        number_of(&inactive, &f, "inactive_file "); /* page cache: given up under pressure */
    used -= inactive < used ? inactive : used;
    return max > used ? max - used : 0;
}

/* The group's path in the unified hierarchy: the line "0::/a/b". */
static bool own_group(char path[PATH_MAX], const char *root)
{
    small_file f;
    if (!read_small(&f, root, "/proc/self", "cgroup"))
        return false;
    const char *line = strstr(f.text, "0::/");
    if (!line || (line != f.text && line[-1] != '\n'))
        return false;
    int n = (int)strcspn(line + 3, "\n");
    int length = snprintf(path, PATH_MAX, "/sys/fs/cgroup%.*s", n, line + 3);
    return length > 0 && length < PATH_MAX;
}

uint64_t cuzk_memory_available(const char *root)
{
    small_file f;
    char path[PATH_MAX];
    uint64_t least = UINT64_MAX, kib;
    if (read_small(&f, root, "/proc", "meminfo") && number_of(&kib, &f, "MemAvailable:"))
        least = kib * 1024;
    if (!own_group(path, root))
        return least;
    for (char *end = path + strlen(path); end >= path + strlen("/sys/fs/cgroup");) {
        uint64_t left = left_in_group(root, path);
        least = left < least ? left : least;
        end = strrchr(path, '/');
        *end = '\0';
    }
    return least;
}

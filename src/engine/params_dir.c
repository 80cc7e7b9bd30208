#include "engine/params_dir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static const char *find(const char *given, const char **source)
{
    const char *env = getenv(PARAMS_DIR_ENV);
    *source = "as configured";
    if (given && given[0])
        return given;
    *source = "$" PARAMS_DIR_ENV;
    if (env && env[0])
        return env;
    *source = "default";
    return is_folder(PARAMS_DIR_CURIO) ? PARAMS_DIR_CURIO : PARAMS_DIR_DEFAULT;
}

const char *cuzk_params_dir(const char *given)
{
    const char *source;
    return find(given, &source);
}

const char *cuzk_params_dir_source(const char *given)
{
    const char *source;
    find(given, &source);
    return source;
}

cuzk_status cuzk_params_dir_check(const char *dir, cuzk_err *err)
{
    struct stat s;
    if (stat(dir, &s) != 0) {
        int sys = errno;
        if (dir[0] == '~')
            return cuzk_fail(err, CUZK_PARAMS, 0,
                             "the parameter folder '%s' does not exist: only a shell expands '~'; "
                             "write the whole path",
                             dir);
        return cuzk_fail(err, CUZK_PARAMS, sys, "the parameter folder '%s' cannot be used", dir);
    }
    if (!S_ISDIR(s.st_mode))
        return cuzk_fail(err, CUZK_PARAMS, 0,
                         "the parameter folder '%s' is a file; name the folder it is in", dir);
    if (access(dir, R_OK | X_OK) != 0)
        return cuzk_fail(err, CUZK_PARAMS, errno, "the parameter folder '%s' cannot be read", dir);
    return CUZK_OK;
}

char *cuzk_params_path(const char *dir, circuit_id id, const char *ext)
{
    char stem[CIRCUIT_STEM_BYTES], name[CIRCUIT_STEM_BYTES + 16];
    cuzk_circuit_stem(stem, id);
    snprintf(name, sizeof name, "%s.%s", stem, ext);
    return cuzk_path_join(dir, name);
}

bool cuzk_params_circuit_of_path(circuit_id *out, const char *path)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    for (int kind = 0; kind < CUZK_KIND_COUNT; kind++) {
        for (size_t i = 0; i < cuzk_n_shapes; i++) {
            char stem[CIRCUIT_STEM_BYTES];
            circuit_id id = {(cuzk_kind)kind, &cuzk_shapes[i]};
            if (!cuzk_circuit_exists(id))
                continue;
            cuzk_circuit_stem(stem, id);
            size_t n = strlen(stem);
            if (strncmp(name, stem, n) == 0 && name[n] == '.') {
                *out = id;
                return true;
            }
        }
    }
    return false;
}

cuzk_status cuzk_params_check_ic(const groth16_vk *vk, circuit_id id, const char *path,
                                 cuzk_err *err)
{
    size_t want = cuzk_circuit_n_inputs(id) + 1;
    if (vk->n_ic == want)
        return CUZK_OK;
    return cuzk_fail(err, CUZK_PARAMS, 0, "%s: ic has %zu points, this circuit needs %zu", path,
                     vk->n_ic, want);
}

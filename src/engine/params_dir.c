#include "engine/params_dir.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

const char *cuzk_params_dir(const char *given)
{
    if (given && given[0])
        return given;
    const char *env = getenv(PARAMS_DIR_ENV);
    return env && env[0] ? env : PARAMS_DIR_DEFAULT;
}

char *cuzk_params_path(const char *dir, circuit_id id, const char *ext)
{
    char stem[CIRCUIT_STEM_BYTES], name[CIRCUIT_STEM_BYTES + 16];
    cuzk_circuit_stem(stem, id);
    snprintf(name, sizeof name, "%s.%s", stem, ext);
    return cuzk_path_join(dir, name);
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

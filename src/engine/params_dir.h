/* Where parameter files are looked for. */
#ifndef CUZK_ENGINE_PARAMS_DIR_H
#define CUZK_ENGINE_PARAMS_DIR_H

#include "base/error.h"
#include "filecoin/circuit_id.h"
#include "groth16/groth16.h"

#define PARAMS_DIR_ENV     "FIL_PROOFS_PARAMETER_CACHE"
#define PARAMS_DIR_CURIO   "/data/zk/params"
#define PARAMS_DIR_DEFAULT "/var/tmp/filecoin-proof-parameters"

/* given if not NULL, else the environment, else /data/zk/params when that is a folder, else the
 * established default. Static or borrowed; never NULL. */
const char *cuzk_params_dir(const char *given);
/* Which of these it was, for messages: "as configured", "$FIL_PROOFS_PARAMETER_CACHE", "default".
 */
const char *cuzk_params_dir_source(const char *given);

/* CUZK_PARAMS that names the folder and what is wrong with it: missing, no folder, not readable, a
 * "~" that no shell expanded. */
cuzk_status cuzk_params_dir_check(const char *dir, cuzk_err *err);

/* DIR/<stem>.<ext> for a circuit; cuzk_free. NULL when out of memory. */
char *cuzk_params_path(const char *dir, circuit_id id, const char *ext);

/* Which circuit a file is for, by its established name; false for other names. */
bool cuzk_params_circuit_of_path(circuit_id *out, const char *path);

/* CUZK_PARAMS when the key, read from path, has other public inputs than the circuit. */
cuzk_status cuzk_params_check_ic(const groth16_vk *vk, circuit_id id, const char *path,
                                 cuzk_err *err);

#endif

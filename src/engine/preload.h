/* Loading parameters in the background at start, one circuit after the other, while the daemon
 * listens already. */
#ifndef CUZK_ENGINE_PRELOAD_H
#define CUZK_ENGINE_PRELOAD_H

#include "engine/prover.h"

struct prover_memory;
typedef struct preload preload;

/* params_dir must outlive it. */
cuzk_status cuzk_preload_new(preload **out, struct prover_memory *m, const char *params_dir,
                             cuzk_err *err);
void cuzk_preload_free(preload *p); /* accepts NULL; breaks off a load */

/* Once: CUZK_INVAL later. */
cuzk_status cuzk_preload_begin(preload *p, const circuit_id id[], size_t n, cuzk_err *err);
void cuzk_preload_look(preload *p, cuzk_preload_report *out); /* never waits for a load */

#endif

/* Parameters from their file, checked: that it is the circuit's, whole, and Filecoin's. */
#ifndef CUZK_ENGINE_SRS_LOAD_H
#define CUZK_ENGINE_SRS_LOAD_H

#include "base/pool.h"
#include "base/trace.h"
#include "engine/params_verdict.h"
#include "groth16/groth16.h"

typedef struct {
    const char *params_dir;
    cuzk_pool *pool;
    params_verdicts *verdicts;
    bool allow_insecure; /* self-made parameters for 32 and 64 GiB, with a warning */
    /* The table of published files and the sizes that want them; tests bring their own. */
    const params_digests *(*digests)(circuit_id id);
    bool (*is_real)(circuit_id id);
} srs_loader;

/* For those who watch a long load. */
typedef struct {
    atomic_uint_least64_t *done, *all_bytes; /* NULL: nobody */
    const atomic_bool *cancel;
} srs_watch;

/* Opens DIR/<stem>.params; its counts must be the circuit's, and the key at its begin that of the
 * .vk file if there is one. Then whose file it is: by the digest of the key, at once. Then the
 * points; streamed: left in the file. For 32 and 64 GiB the digest of the whole file as well, on a
 * thread of its own beside the points, unless it is known already.
 *
 * CUZK_PARAMS: missing, of another circuit, self-made; CUZK_CORRUPT: damaged; CUZK_IO,
 * CUZK_NOMEM, CUZK_CANCELLED. Spans "srs_load", and "srs_digest" when read for it. */
cuzk_status cuzk_srs_load(groth16_srs *out, const srs_loader *l, circuit_id id, bool streamed,
                          const srs_watch *watch, cuzk_trace *trace, cuzk_err *err);

/* Bytes of the file, 0 when there is none. Looks at the name only. */
uint64_t cuzk_srs_file_bytes(const char *params_dir, circuit_id id);
/* CUZK_PARAMS that says what is wrong with file or folder, when the file cannot be there. */
cuzk_status cuzk_srs_find(const char *params_dir, circuit_id id, cuzk_err *err);

/* In memory: the points take as many bytes as in the file. */
uint64_t cuzk_srs_bytes(const groth16_srs *s);

#endif

/* One run of the generator: the options made definite, and what all kinds share. */
#ifndef CUZK_FILECOIN_SYNTH_JOB_H
#define CUZK_FILECOIN_SYNTH_JOB_H

#include "base/pool.h"
#include "base/trace.h"
#include "cuzk/synth.h"
#include "filecoin/registered.h"
#include "filecoin/synth/synth_out.h"

typedef struct {
    cuzk_synth_options opt; /* counts and pointers as the kind needs them, no longer 0 or NULL */
    const registered_proof *type;
    const sector_shape *shape;
    const char *dir;
    cuzk_pool *pool;
    uint8_t prover_id[32];
    uint8_t ticket[32], challenge_seed[32], randomness[32];
    cuzk_synth_result result;
} synth_job;

/* Each writes all files of the folder, request.json last, and fills job->result. */
cuzk_status cuzk_synth_post(synth_job *job, cuzk_err *err);
cuzk_status cuzk_synth_porep(synth_job *job, cuzk_err *err);
cuzk_status cuzk_synth_update(synth_job *job, cuzk_err *err);

/* request.json (docs/requests.md): the fields that every kind has, then those of the kind, then
 * end. A field starts with the comma and line end of the one before. */
void cuzk_synth_request_begin(synth_out *o, const synth_job *job, cuzk_err *err);
void cuzk_synth_request_field(synth_out *o, const char *name, const uint8_t value[32]);
void cuzk_synth_request_number(synth_out *o, const char *name, uint64_t value);
cuzk_status cuzk_synth_request_end(synth_out *o, synth_job *job);

/* Ascending order without repetitions; returns how many are left. */
size_t cuzk_synth_sort_unique(uint64_t v[], size_t n);
void cuzk_synth_count_file(synth_job *job, const synth_out *o);

#endif

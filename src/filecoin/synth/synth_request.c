/* request.json, laid out as the established tools do: two spaces a level, one field a line. */
#include "base/hex.h"
#include "filecoin/synth/synth_job.h"

void cuzk_synth_request_begin(synth_out *o, const synth_job *job, cuzk_err *err)
{
    cuzk_synth_out_open(o, job->dir, "request.json", err);
    cuzk_synth_out_printf(o, "{\n  \"kind\": \"%s\"", cuzk_kind_name(job->type->kind));
    cuzk_synth_out_printf(o, ",\n  \"registered_proof\": \"%s\"", job->type->name);
    cuzk_synth_request_number(o, "sector_size", job->shape->sector_bytes);
    cuzk_synth_request_number(o, "miner", job->opt.miner);
    cuzk_synth_request_field(o, "prover_id", job->prover_id);
}

void cuzk_synth_request_number(synth_out *o, const char *name, uint64_t value)
{
    cuzk_synth_out_printf(o, ",\n  \"%s\": %llu", name, (unsigned long long)value);
}

void cuzk_synth_request_field(synth_out *o, const char *name, const uint8_t value[32])
{
    char hex[65];
    cuzk_hex_encode(hex, value, 32);
    cuzk_synth_out_printf(o, ",\n  \"%s\": \"%s\"", name, hex);
}

cuzk_status cuzk_synth_request_end(synth_out *o, synth_job *job)
{
    cuzk_synth_out_printf(o, "\n}\n");
    cuzk_synth_count_file(job, o);
    return cuzk_synth_out_close(o);
}

void cuzk_synth_count_file(synth_job *job, const synth_out *o)
{
    job->result.n_files++;
    job->result.n_bytes += o->n_bytes;
}

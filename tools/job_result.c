/* The result of a daemon's job, for the verbs that wait for one. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static void print_timings(const cuzk_client_result *r)
{
    const struct {
        const char *name;
        uint64_t ms;
    } row[] = {{"queue", r->queue_wait_ms},
               {"srs_load", r->srs_load_ms},
               {"witness", r->synthesis_ms},
               {"compute", r->compute_ms},
               {"total", r->total_ms}};
    fprintf(stderr, "%-12s %10s\n", "phase", "seconds");
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        fprintf(stderr, "%-12s %10.3f\n", row[i].name, (double)row[i].ms / 1e3);
}

void cli_job_report(const cuzk_client_result *r, const char *out_path, bool json)
{
    if (!json) {
        print_timings(r);
        printf("%s: proof of %zu bytes, job %s\n", out_path, r->n_proof_bytes, r->job_id);
        return;
    }
    yajl_gen g = cli_json_begin();
    cli_json_bool(g, "ok", true);
    cli_json_string(g, "job_id", r->job_id);
    cli_json_string(g, "out", out_path);
    cli_json_uint(g, "proof_bytes", r->n_proof_bytes);
    cli_json_uint(g, "queue_ms", r->queue_wait_ms);
    cli_json_uint(g, "srs_load_ms", r->srs_load_ms);
    cli_json_uint(g, "witness_ms", r->synthesis_ms);
    cli_json_uint(g, "compute_ms", r->compute_ms);
    cli_json_uint(g, "total_ms", r->total_ms);
    cli_json_end(g);
}

/* The daemon puts the name of the status before its message: "PARAMS: no parameters for ...". */
static cuzk_status status_of_message(const char **text)
{
    for (int i = 1; i < CUZK_STATUS_COUNT; i++) {
        const char *name = cuzk_status_name((cuzk_status)i);
        size_t n = strlen(name);
        if (strncmp(*text, name, n) == 0 && strncmp(*text + n, ": ", 2) == 0) {
            *text += n + 2;
            return (cuzk_status)i;
        }
    }
    return CUZK_INTERNAL;
}

cuzk_status cli_job_status(const cuzk_client_result *r, cuzk_err *err)
{
    const char *text = r->error_message;
    if (r->status == CUZK_JOB_COMPLETED)
        return CUZK_OK;
    cuzk_status st = r->status == CUZK_JOB_CANCELLED ? CUZK_CANCELLED
                     : r->status == CUZK_JOB_TIMEOUT ? CUZK_TIMEOUT
                                                     : status_of_message(&text);
    err->status = st;
    snprintf(err->msg, sizeof err->msg, "job %.64s: %.400s", r->job_id,
             text[0] ? text : cuzk_status_text(st));
    return st;
}

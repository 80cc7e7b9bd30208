/* cuzk submit: a request to a daemon, and its proof back. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "cuzk/client.h"
#include "cuzk/daemon.h"

typedef struct {
    cli_common common;
    const char *path, *address, *out_path, *id;
    uint64_t timeout_s, priority;
} submit_args;

static bool parse_args(submit_args *a, int argc, char **argv, int *exit_code)
{
    const cli_option options[] = {
        {"out", CLI_STRING, &a->out_path, "FILE", "where to write the proof"},
        {"address", CLI_STRING, &a->address, "ADDRESS",
         "unix:///path or host:port; default: " CUZK_DEFAULT_ADDRESS},
        {"id", CLI_STRING, &a->id, "ID",
         "request id: the same id and content are proved only once"},
        {"priority", CLI_UINT, &a->priority, "N",
         "1 low, 2 normal, 3 high, 4 critical; default: by kind"},
        {"timeout", CLI_UINT, &a->timeout_s, "SECONDS",
         "give up waiting (the job goes on); default: never"},
        CLI_OPT_JSON(a->common),
    };
    static const char *const operands[] = {"REQUEST"};
    const cli_command cmd = {
        "submit REQUEST --out FILE [options]",
        "Sends the request in the folder REQUEST to a daemon (`cuzk serve`), waits for the proof "
        "and\n"
        "writes it to FILE. A table of the daemon's timings follows on stderr.",
        options,
        sizeof options / sizeof options[0],
        operands,
        1};
    if (!cli_parse(&cmd, argc, argv, &a->path, exit_code))
        return false;
    if (!a->out_path) {
        fprintf(stderr, "cuzk: --out FILE is missing\n");
        *exit_code = CLI_EXIT_USAGE;
    }
    return a->out_path != NULL;
}

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

static void report(const submit_args *a, const cuzk_client_result *r)
{
    if (!a->common.json) {
        print_timings(r);
        printf("%s: proof of %zu bytes, job %s\n", a->out_path, r->n_proof_bytes, r->job_id);
        return;
    }
    yajl_gen g = cli_json_begin();
    cli_json_bool(g, "ok", true);
    cli_json_string(g, "job_id", r->job_id);
    cli_json_string(g, "out", a->out_path);
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

static cuzk_status job_failed(const cuzk_client_result *r, cuzk_err *err)
{
    const char *text = r->error_message;
    cuzk_status st = r->status == CUZK_JOB_CANCELLED ? CUZK_CANCELLED
                     : r->status == CUZK_JOB_TIMEOUT ? CUZK_TIMEOUT
                                                     : status_of_message(&text);
    err->status = st;
    snprintf(err->msg, sizeof err->msg, "job %.64s: %.400s", r->job_id,
             text[0] ? text : cuzk_status_text(st));
    return st;
}

static cuzk_status run(const submit_args *a, cuzk_client_result *result, cuzk_err *err)
{
    cuzk_client *client = NULL;
    cuzk_client_files *files = NULL;
    cuzk_client_request request;
    cuzk_status st = cuzk_client_files_read(&files, &request, a->path, err);
    if (st == CUZK_OK)
        st = cuzk_client_connect(&client, a->address, 5000, err);
    if (st == CUZK_OK) {
        request.request_id = a->id;
        request.priority = (int)a->priority;
        cli_progress *progress = cli_progress_start("waiting for the proof");
        st = cuzk_client_prove(client, &request, a->timeout_s * 1000, result, err);
        cli_progress_stop(progress);
    }
    if (st == CUZK_OK && result->status != CUZK_JOB_COMPLETED)
        st = job_failed(result, err);
    if (st == CUZK_OK)
        st = cli_write_file(a->out_path, result->proof, result->n_proof_bytes, err);
    cuzk_client_close(client);
    cuzk_client_files_free(files);
    return st;
}

int cmd_submit(int argc, char **argv)
{
    int exit_code = 0;
    submit_args a = {.address = CUZK_DEFAULT_ADDRESS};
    if (!parse_args(&a, argc, argv, &exit_code))
        return exit_code;
    cuzk_err err = {0};
    cuzk_client_result result = {0};
    cuzk_status st = run(&a, &result, &err);
    if (st == CUZK_OK)
        report(&a, &result);
    else
        exit_code = cli_fail(a.common.json, st, &err);
    cuzk_client_result_fini(&result);
    return exit_code;
}

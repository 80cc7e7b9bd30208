/* cuzk submit: a request to a daemon, and its proof back. */
#include <stdio.h>
#include <time.h>

#include "cli.h"

typedef struct {
    cli_common common;
    cuzk_client_options daemon;
    const char *path, *out_path, *id;
    uint64_t timeout_s, deadline_s, priority;
    bool no_wait;
} submit_args;

static bool parse_args(submit_args *a, int argc, char **argv, int *exit_code)
{
    const cli_option options[] = {
        {"out", CLI_STRING, &a->out_path, "FILE", "where to write the proof"},
        CLI_OPT_DAEMON(a->daemon),
        {"id", CLI_STRING, &a->id, "ID",
         "request id: the same id and content are proved only once"},
        {"priority", CLI_UINT, &a->priority, "N",
         "1 low, 2 normal, 3 high, 4 critical; default: by kind"},
        {"timeout", CLI_UINT, &a->timeout_s, "SECONDS",
         "give up waiting (the job goes on); default: never"},
        {"deadline", CLI_UINT, &a->deadline_s, "SECONDS",
         "from now on, after which the proof is of no use; default: none"},
        {"no-wait", CLI_FLAG, &a->no_wait, NULL,
         "print the job's id and end; `cuzk await` fetches the proof"},
        CLI_OPT_JSON(a->common),
    };
    static const char *const operands[] = {"REQUEST"};
    const cli_command cmd = {
        "submit REQUEST (--out FILE | --no-wait) [options]",
        "Sends the request in the folder REQUEST to a daemon (`cuzk serve`), waits for the proof "
        "and\n"
        "writes it to FILE. A table of the daemon's timings follows on stderr.",
        options,
        sizeof options / sizeof options[0],
        operands,
        1};
    if (!cli_parse(&cmd, argc, argv, &a->path, exit_code))
        return false;
    bool ok = a->no_wait == !a->out_path;
    if (!ok) {
        fprintf(stderr, "cuzk: either --out FILE or --no-wait is needed\n");
        *exit_code = CLI_EXIT_USAGE;
    }
    return ok;
}

static uint64_t unix_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static cuzk_status prove(const submit_args *a, cuzk_client *client, cuzk_client_request *request,
                         cuzk_client_result *result, cuzk_err *err)
{
    cli_progress *progress = cli_progress_start("waiting for the proof");
    cuzk_status st = cuzk_client_prove(client, request, a->timeout_s * 1000, result, err);
    cli_progress_stop(progress);
    if (st == CUZK_OK)
        st = cli_job_status(result, err);
    if (st == CUZK_OK)
        st = cli_write_file(a->out_path, result->proof, result->n_proof_bytes, err);
    if (st == CUZK_OK)
        cli_job_report(result, a->out_path, a->common.json);
    return st;
}

static cuzk_status submit(const submit_args *a, cuzk_client *client, cuzk_client_request *request,
                          cuzk_err *err)
{
    char id[CUZK_JOB_ID_BYTES];
    uint32_t position = 0;
    cuzk_status st = cuzk_client_submit(client, request, a->timeout_s * 1000, id, &position, err);
    if (st != CUZK_OK)
        return st;
    if (!a->common.json) {
        printf("%s\n", id);
        return CUZK_OK;
    }
    yajl_gen g = cli_json_begin();
    cli_json_bool(g, "ok", true);
    cli_json_string(g, "job_id", id);
    cli_json_uint(g, "queue_position", position);
    cli_json_end(g);
    return CUZK_OK;
}

static cuzk_status run(const submit_args *a, cuzk_client_result *result, cuzk_err *err)
{
    cuzk_client *client = NULL;
    cuzk_client_files *files = NULL;
    cuzk_client_request request;
    cuzk_status st = cuzk_client_files_read(&files, &request, a->path, err);
    if (st == CUZK_OK)
        st = cuzk_client_connect_options(&client, &a->daemon, err);
    if (st == CUZK_OK) {
        request.request_id = a->id;
        request.priority = (int)a->priority;
        request.deadline_unix_ms = a->deadline_s ? unix_ms() + a->deadline_s * 1000 : 0;
        st =
            a->no_wait ? submit(a, client, &request, err) : prove(a, client, &request, result, err);
    }
    cuzk_client_close(client);
    cuzk_client_files_free(files);
    return st;
}

int cmd_submit(int argc, char **argv)
{
    int exit_code = 0;
    submit_args a = {.daemon = CUZK_CLIENT_DEFAULTS};
    if (!parse_args(&a, argc, argv, &exit_code))
        return exit_code;
    cuzk_err err = {0};
    cuzk_client_result result = {0};
    cuzk_status st = run(&a, &result, &err);
    if (st != CUZK_OK)
        exit_code = cli_fail(a.common.json, st, &err);
    cuzk_client_result_fini(&result);
    return exit_code;
}

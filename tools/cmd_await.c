/* cuzk await: the result of a job that was submitted before. */
#include <stdio.h>

#include "cli.h"

typedef struct {
    cli_common common;
    cuzk_client_options daemon;
    const char *job_id, *out_path;
    uint64_t timeout_s;
} await_args;

static bool parse_args(await_args *a, int argc, char **argv, int *exit_code)
{
    const cli_option options[] = {
        {"out", CLI_STRING, &a->out_path, "FILE", "where to write the proof"},
        {"timeout", CLI_UINT, &a->timeout_s, "SECONDS",
         "give up waiting (the job goes on); default: never"},
        CLI_OPT_DAEMON(a->daemon),
        CLI_OPT_JSON(a->common),
    };
    static const char *const operands[] = {"JOB"};
    const cli_command cmd = {
        "await JOB --out FILE [options]",
        "Waits until a daemon has ended the job JOB (its request id), and writes the proof to "
        "FILE. A\n"
        "daemon keeps results for a while, so it may have ended already. Exit code 8: still "
        "running when\n"
        "the timeout was over.",
        options,
        sizeof options / sizeof options[0],
        operands,
        1};
    if (!cli_parse(&cmd, argc, argv, &a->job_id, exit_code))
        return false;
    if (!a->out_path) {
        fprintf(stderr, "cuzk: --out FILE is missing\n");
        *exit_code = CLI_EXIT_USAGE;
    }
    return a->out_path != NULL;
}

static cuzk_status run(const await_args *a, cuzk_client_result *result, cuzk_err *err)
{
    cuzk_client *client = NULL;
    cuzk_status st = cuzk_client_connect_options(&client, &a->daemon, err);
    if (st == CUZK_OK) {
        cli_progress *progress = cli_progress_start("waiting for the proof");
        st = cuzk_client_await(client, a->job_id, a->timeout_s * 1000, 0, result, err);
        cli_progress_stop(progress);
    }
    if (st == CUZK_OK)
        st = cli_job_status(result, err);
    if (st == CUZK_OK)
        st = cli_write_file(a->out_path, result->proof, result->n_proof_bytes, err);
    cuzk_client_close(client);
    return st;
}

int cmd_await(int argc, char **argv)
{
    int exit_code = 0;
    await_args a = {.daemon = CUZK_CLIENT_DEFAULTS};
    if (!parse_args(&a, argc, argv, &exit_code))
        return exit_code;
    cuzk_err err = {0};
    cuzk_client_result result = {0};
    cuzk_status st = run(&a, &result, &err);
    if (st == CUZK_OK)
        cli_job_report(&result, a.out_path, a.common.json);
    else
        exit_code = cli_fail(a.common.json, st, &err);
    cuzk_client_result_fini(&result);
    return exit_code;
}

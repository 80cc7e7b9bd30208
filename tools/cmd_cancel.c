/* cuzk cancel: stops a job. */
#include <stdio.h>

#include "cli.h"

static void report(const char *job_id, bool was_running, bool json)
{
    if (!json) {
        printf("%s: %s\n", job_id,
               was_running ? "was running, and is told to stop" : "does not run");
        return;
    }
    yajl_gen g = cli_json_begin();
    cli_json_bool(g, "ok", true);
    cli_json_string(g, "job_id", job_id);
    cli_json_bool(g, "was_running", was_running);
    cli_json_end(g);
}

int cmd_cancel(int argc, char **argv)
{
    int exit_code = 0;
    cli_common common = {0};
    cuzk_client_options daemon = CUZK_CLIENT_DEFAULTS;
    const char *job_id = NULL;
    const cli_option options[] = {CLI_OPT_DAEMON(daemon), CLI_OPT_JSON(common)};
    static const char *const operands[] = {"JOB"};
    const cli_command cmd = {
        "cancel JOB [options]",
        "Cancels the job JOB (its request id) of a daemon. A job that waits leaves the queue at "
        "once; one\n"
        "that runs stops when it next looks. A job that has ended, or is not known, is none to "
        "cancel.",
        options,
        sizeof options / sizeof options[0],
        operands,
        1};
    if (!cli_parse(&cmd, argc, argv, &job_id, &exit_code))
        return exit_code;
    cuzk_err err = {0};
    cuzk_client *client = NULL;
    bool was_running = false;
    cuzk_status st = cuzk_client_connect_options(&client, &daemon, &err);
    if (st == CUZK_OK)
        st = cuzk_client_cancel(client, job_id, 10000, &was_running, &err);
    cuzk_client_close(client);
    if (st != CUZK_OK)
        return cli_fail(common.json, st, &err);
    report(job_id, was_running, common.json);
    return 0;
}

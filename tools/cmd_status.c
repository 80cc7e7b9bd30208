/* cuzk status: what a daemon is doing. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

static void print_text(const cuzk_client_status *s)
{
    printf("up %" PRIu64 " s, %" PRIu64 " proofs completed, %" PRIu64 " failed\n", s->uptime_s,
           s->completed, s->failed);
    for (size_t i = 0; i < s->n_queues; i++)
        printf("%-14s %u waiting, %u running\n", s->queue[i].kind, s->queue[i].pending,
               s->queue[i].in_progress);
    for (size_t i = 0; i < s->n_srs; i++)
        printf("parameters of %s: %.2f GiB in memory, used by %u\n", s->srs[i].circuit,
               (double)s->srs[i].bytes / (1 << 30), s->srs[i].ref_count);
}

static void print_json(const cuzk_client_status *s)
{
    yajl_gen g = cli_json_begin();
    cli_json_bool(g, "ok", true);
    cli_json_uint(g, "uptime_s", s->uptime_s);
    cli_json_uint(g, "completed", s->completed);
    cli_json_uint(g, "failed", s->failed);
    cli_json_key(g, "queues");
    yajl_gen_array_open(g);
    for (size_t i = 0; i < s->n_queues; i++) {
        yajl_gen_map_open(g);
        cli_json_string(g, "kind", s->queue[i].kind);
        cli_json_uint(g, "pending", s->queue[i].pending);
        cli_json_uint(g, "in_progress", s->queue[i].in_progress);
        yajl_gen_map_close(g);
    }
    yajl_gen_array_close(g);
    cli_json_key(g, "parameters");
    yajl_gen_array_open(g);
    for (size_t i = 0; i < s->n_srs; i++) {
        yajl_gen_map_open(g);
        cli_json_string(g, "circuit", s->srs[i].circuit);
        cli_json_uint(g, "bytes", s->srs[i].bytes);
        cli_json_uint(g, "ref_count", s->srs[i].ref_count);
        yajl_gen_map_close(g);
    }
    yajl_gen_array_close(g);
    cli_json_end(g);
}

/* Redraws on a terminal, otherwise prints one after the other. Ends with the daemon, or by a
 * signal. */
static cuzk_status watch(cuzk_client *client, uint64_t interval_s, cuzk_err *err)
{
    cuzk_client_status status;
    cuzk_status st = CUZK_OK;
    while (st == CUZK_OK) {
        st = cuzk_client_get_status(client, 5000, &status, err);
        if (st != CUZK_OK)
            break;
        if (isatty(STDOUT_FILENO))
            printf("\033[H\033[J");
        print_text(&status);
        fflush(stdout);
        nanosleep(&(struct timespec){(time_t)interval_s, 0}, NULL);
    }
    return st;
}

int cmd_status(int argc, char **argv)
{
    int exit_code = 0;
    bool watching = false;
    uint64_t interval_s = 2;
    cli_common common = {0};
    cuzk_client_options daemon = CUZK_CLIENT_DEFAULTS;
    daemon.timeout_ms = 2000;
    const cli_option options[] = {
        {"watch", CLI_FLAG, &watching, NULL, "again and again, until interrupted"},
        {"interval", CLI_UINT, &interval_s, "SECONDS", "between two looks of --watch; default 2"},
        CLI_OPT_DAEMON(daemon),
        CLI_OPT_JSON(common),
    };
    const cli_command cmd = {
        "status [options]",
        "Asks a daemon for its queues, counters and the parameters in its memory.",
        options,
        sizeof options / sizeof options[0],
        NULL,
        0};
    if (!cli_parse(&cmd, argc, argv, NULL, &exit_code))
        return exit_code;
    if (interval_s == 0 || interval_s > 86400 || (watching && common.json)) {
        fprintf(stderr, "cuzk: --interval is 1 to 86400 seconds, --watch is for people\n");
        return CLI_EXIT_USAGE;
    }
    cuzk_err err = {0};
    cuzk_client *client = NULL;
    cuzk_client_status status;
    cuzk_status st = cuzk_client_connect_options(&client, &daemon, &err);
    if (st == CUZK_OK && watching)
        st = watch(client, interval_s, &err);
    else if (st == CUZK_OK)
        st = cuzk_client_get_status(client, 5000, &status, &err);
    cuzk_client_close(client);
    if (st != CUZK_OK)
        return cli_fail(common.json, st, &err);
    if (common.json)
        print_json(&status);
    else
        print_text(&status);
    return 0;
}

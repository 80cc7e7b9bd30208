/* cuzk srs: the parameters in a daemon's memory. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

typedef struct {
    cli_common common;
    cuzk_client_options daemon;
    const char *circuit;
} srs_args;

static const char about[] = "srs list               what is loaded, how large, used by how many\n"
                            "srs preload CIRCUIT    load now, and wait for it\n"
                            "srs evict CIRCUIT      drop from memory, unless in use (exit code 7)\n"
                            "`cuzk circuits` lists the circuits.";

static bool parse(srs_args *a, int argc, char **argv, unsigned n_operands, int *exit_code)
{
    const cli_option options[] = {CLI_OPT_DAEMON(a->daemon), CLI_OPT_JSON(a->common)};
    static const char *const operands[] = {"CIRCUIT"};
    const cli_command cmd = {"srs list|preload|evict [CIRCUIT] [options]", about,    options,
                             sizeof options / sizeof options[0],           operands, n_operands};
    return cli_parse(&cmd, argc, argv, &a->circuit, exit_code);
}

static const char *tier_name(cuzk_srs_tier tier)
{
    return tier == CUZK_TIER_HOT ? "hot" : tier == CUZK_TIER_WARM ? "warm" : "cold";
}

static void print_list(const cuzk_client_status *s)
{
    for (size_t i = 0; i < s->n_srs; i++)
        printf("%-14s %-5s %10.3f MiB, used by %u\n", s->srs[i].circuit, tier_name(s->srs[i].tier),
               (double)s->srs[i].bytes / (1 << 20), s->srs[i].ref_count);
}

static void print_list_json(const cuzk_client_status *s)
{
    yajl_gen g = cli_json_begin();
    cli_json_bool(g, "ok", true);
    cli_json_key(g, "parameters");
    yajl_gen_array_open(g);
    for (size_t i = 0; i < s->n_srs; i++) {
        yajl_gen_map_open(g);
        cli_json_string(g, "circuit", s->srs[i].circuit);
        cli_json_string(g, "tier", tier_name(s->srs[i].tier));
        cli_json_uint(g, "bytes", s->srs[i].bytes);
        cli_json_uint(g, "ref_count", s->srs[i].ref_count);
        yajl_gen_map_close(g);
    }
    yajl_gen_array_close(g);
    cli_json_end(g);
}

static cuzk_status list(const srs_args *a, cuzk_client *c, cuzk_err *err)
{
    cuzk_client_status s;
    cuzk_status st = cuzk_client_get_status(c, 5000, &s, err);
    if (st == CUZK_OK && a->common.json)
        print_list_json(&s);
    else if (st == CUZK_OK)
        print_list(&s);
    return st;
}

static cuzk_status preload(const srs_args *a, cuzk_client *c, cuzk_err *err)
{
    bool already = false;
    uint64_t ms = 0;
    cli_progress *progress = cli_progress_start("loading parameters");
    cuzk_status st = cuzk_client_preload(c, a->circuit, 0, &already, &ms, err);
    cli_progress_stop(progress);
    if (st != CUZK_OK)
        return st;
    if (!a->common.json) {
        printf("%s: %s, %.3f s\n", a->circuit, already ? "was loaded already" : "loaded",
               (double)ms / 1e3);
        return CUZK_OK;
    }
    yajl_gen g = cli_json_begin();
    cli_json_bool(g, "ok", true);
    cli_json_bool(g, "already_loaded", already);
    cli_json_uint(g, "load_ms", ms);
    cli_json_end(g);
    return CUZK_OK;
}

static cuzk_status evict(const srs_args *a, cuzk_client *c, cuzk_err *err)
{
    bool was_loaded = false;
    uint64_t freed = 0;
    cuzk_status st = cuzk_client_evict(c, a->circuit, 10000, &was_loaded, &freed, err);
    if (st == CUZK_OK && was_loaded && freed == 0) {
        snprintf(err->msg, sizeof err->msg, "%s: in use, not dropped; try again later", a->circuit);
        return err->status = CUZK_BUDGET;
    }
    if (st != CUZK_OK)
        return st;
    if (!a->common.json) {
        printf("%s: %s, %.3f MiB freed\n", a->circuit, was_loaded ? "dropped" : "was not loaded",
               (double)freed / (1 << 20));
        return CUZK_OK;
    }
    yajl_gen g = cli_json_begin();
    cli_json_bool(g, "ok", true);
    cli_json_bool(g, "was_loaded", was_loaded);
    cli_json_uint(g, "freed_bytes", freed);
    cli_json_end(g);
    return CUZK_OK;
}

int cmd_srs(int argc, char **argv)
{
    static const struct {
        const char *name;
        unsigned n_operands;
        cuzk_status (*run)(const srs_args *a, cuzk_client *c, cuzk_err *err);
    } sub[] = {{"list", 0, list}, {"preload", 1, preload}, {"evict", 1, evict}};
    int exit_code = CLI_EXIT_USAGE;
    srs_args a = {.daemon = CUZK_CLIENT_DEFAULTS};
    size_t i = 0, n = sizeof sub / sizeof sub[0];
    while (argc > 1 && i < n && strcmp(argv[1], sub[i].name) != 0)
        i++;
    if (argc < 2 || i == n) { /* prints the help or the usage */
        if (argc > 1 && strcmp(argv[1], "--help") == 0)
            parse(&a, argc, argv, 0, &exit_code);
        else
            fprintf(stderr, "usage: cuzk srs list|preload|evict [CIRCUIT] [options]\n");
        return exit_code;
    }
    if (!parse(&a, argc - 1, argv + 1, sub[i].n_operands, &exit_code))
        return exit_code;
    cuzk_err err = {0};
    cuzk_client *client = NULL;
    cuzk_status st = cuzk_client_connect_options(&client, &a.daemon, &err);
    if (st == CUZK_OK)
        st = sub[i].run(&a, client, &err);
    cuzk_client_close(client);
    return st == CUZK_OK ? 0 : cli_fail(a.common.json, st, &err);
}

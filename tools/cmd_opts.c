/* cuzk opts: the optimisations that can be switched off. Also what all verbs need for --opts. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

bool cli_set_switches(const char *list, int *exit_code)
{
    cuzk_err err = {0};
    cuzk_status st = list ? cuzk_switches_set(list, &err) : CUZK_OK;
    if (st == CUZK_OK)
        return true;
    fprintf(stderr, "cuzk: --opts: %s\n", err.msg);
    *exit_code = cuzk_status_exit_code(st);
    return false;
}

bool cli_switch_on(const char *name)
{
    cuzk_switch_info s;
    for (size_t i = 0; cuzk_switch_at(&s, i); i++)
        if (strcmp(s.name, name) == 0)
            return s.is_on;
    return false;
}

void cli_json_switches(yajl_gen g)
{
    cuzk_switch_info s;
    cli_json_key(g, "switches");
    yajl_gen_map_open(g);
    for (size_t i = 0; cuzk_switch_at(&s, i); i++)
        cli_json_bool(g, s.name, s.is_on);
    yajl_gen_map_close(g);
}

static void print_table(void)
{
    cuzk_switch_info s;
    printf("%-16s %-4s %-8s %s\n", "name", "now", "default", "what it does");
    for (size_t i = 0; cuzk_switch_at(&s, i); i++)
        printf("%-16s %-4s %-8s %s\n%-30s %s; figures: %s\n", s.name, s.is_on ? "on" : "off",
               s.is_on_by_default ? "on" : "off", s.what, "", s.where, s.measured);
}

static void print_json(void)
{
    cuzk_switch_info s;
    yajl_gen g = cli_json_begin();
    cli_json_key(g, "switches");
    yajl_gen_array_open(g);
    for (size_t i = 0; cuzk_switch_at(&s, i); i++) {
        yajl_gen_map_open(g);
        cli_json_string(g, "name", s.name);
        cli_json_bool(g, "on", s.is_on);
        cli_json_bool(g, "default", s.is_on_by_default);
        cli_json_string(g, "what", s.what);
        cli_json_string(g, "where", s.where);
        cli_json_string(g, "measured", s.measured);
        yajl_gen_map_close(g);
    }
    yajl_gen_array_close(g);
    cli_json_end(g);
}

int cmd_opts(int argc, char **argv)
{
    int exit_code = 0;
    cli_common common = {0};
    const cli_option options[] = {CLI_OPT_OPTS(common), CLI_OPT_JSON(common)};
    const cli_command cmd = {
        "opts [options]",
        "Lists every optimisation that can be switched off, or on: name, setting now, default, "
        "what\n"
        "it does, where it acts, and where its effect was measured. None changes the bytes of a\n"
        "proof. Set them by CUZK_OPTS=\"A1=off,B1=on\" or --opts (prove, bench, serve).",
        options,
        sizeof options / sizeof options[0],
        NULL,
        0};
    cuzk_err err = {0};
    if (!cli_parse(&cmd, argc, argv, NULL, &exit_code))
        return exit_code;
    cuzk_status st = cuzk_switches_from_environment(&err);
    if (st != CUZK_OK)
        return cli_fail(common.json, st, &err);
    if (!cli_set_switches(common.opts, &exit_code))
        return exit_code;
    if (common.json)
        print_json();
    else
        print_table();
    return 0;
}

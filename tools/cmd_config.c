/* cuzk config: settings of the daemon checked, shown, explained. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* ---- check and show ---- */

static void print_notes(const cuzk_config *c)
{
    bool warning;
    const char *text;
    for (size_t i = 0; (text = cuzk_config_note(c, i, &warning)) != NULL; i++)
        fprintf(stderr, "%s: %s\n", warning ? "warning" : "note", text);
}

static void print_json(const cuzk_config *c)
{
    bool warning;
    const char *text;
    yajl_gen g = cli_json_begin();
    cli_json_bool(g, "ok", true);
    cli_json_string(g, "file", cuzk_config_path(c) ? cuzk_config_path(c) : "");
    cli_json_key(g, "notes");
    yajl_gen_array_open(g);
    for (size_t i = 0; (text = cuzk_config_note(c, i, &warning)) != NULL; i++) {
        yajl_gen_map_open(g);
        cli_json_bool(g, "warning", warning);
        cli_json_string(g, "text", text);
        yajl_gen_map_close(g);
    }
    yajl_gen_array_close(g);
    cli_json_end(g);
}

static cuzk_status check(const cuzk_config *c, bool json, cuzk_err *err)
{
    cuzk_daemon_options daemon = CUZK_DAEMON_DEFAULTS;
    cuzk_config_daemon_options(c, &daemon);
    cuzk_status st = cuzk_daemon_check(&daemon, err);
    if (st == CUZK_OK && json)
        print_json(c);
    else if (st == CUZK_OK)
        printf("%s: accepted\n", cuzk_config_path(c) ? cuzk_config_path(c) : "settings");
    return st;
}

static cuzk_status show(const cuzk_config *c, cuzk_err *err)
{
    char *text = NULL;
    cuzk_status st = cuzk_config_print(c, CUZK_CONFIG_VALUES, &text, err);
    if (st == CUZK_OK)
        fputs(text, stdout);
    cuzk_config_free_text(text);
    return st;
}

static cuzk_status load_and_report(const cuzk_config_source *source, bool shows, bool json,
                                   cuzk_err *err)
{
    cuzk_config *c = NULL;
    cuzk_status st = cuzk_config_load(&c, source, err);
    if (st == CUZK_OK) {
        print_notes(c);
        st = shows ? show(c, err) : check(c, json, err);
    }
    cuzk_config_free(c);
    return st;
}

/* argv[0] is check or show; one FILE may follow the options. */
static int run_loaded(int argc, char **argv)
{
    bool shows = strcmp(argv[0], "show") == 0;
    int exit_code = 0;
    cli_common common = {0};
    cli_settings settings = {0};
    cli_option options[CLI_MAX_SETTINGS + 3];
    unsigned n = cli_settings_options(&settings, options);
    if (!shows)
        options[n++] = (cli_option)CLI_OPT_JSON(common);
    const cli_command cmd = {
        shows ? "config show [options]" : "config check [FILE] [options]",
        shows
            ? "Prints every setting as `cuzk serve` with the same options would see it, and where "
              "it comes\nfrom: default, file and line, environment or flag."
            : "Reads the settings as `cuzk serve` with the same options would, and says what it "
              "would\nsay. Exit code 0 when it would start with them.",
        options,
        n,
        NULL,
        0};
    if (argc > 1 && argv[1][0] != '-' && !shows) {
        settings.path = argv[1];
        argv[1] = argv[0];
        argv++;
        argc--;
    }
    if (!cli_parse(&cmd, argc, argv, NULL, &exit_code))
        return exit_code;
    cuzk_err err = {0};
    cuzk_config_source source;
    cuzk_status st = CUZK_NOMEM;
    if (cli_settings_source(&settings, &source))
        st = load_and_report(&source, shows, common.json, &err);
    cli_settings_fini(&settings);
    return st == CUZK_OK ? 0 : cli_fail(common.json, st, &err);
}

/* ---- docs ---- */

static int run_docs(int argc, char **argv)
{
    int exit_code = 0;
    bool man = false, sample = false, names = false;
    const cli_option options[] = {
        {"man", CLI_FLAG, &man, NULL, "as the manual page cuzk.toml(5)"},
        {"sample", CLI_FLAG, &sample, NULL, "as a file with every setting, commented out"},
        {"names", CLI_FLAG, &names, NULL, "names alone, one a line"},
    };
    const cli_command cmd = {"config docs [options]",
                             "Explains every setting: type, range, default, environment, flag.",
                             options,
                             sizeof options / sizeof options[0],
                             NULL,
                             0};
    if (!cli_parse(&cmd, argc, argv, NULL, &exit_code))
        return exit_code;
    char *text = NULL;
    cuzk_err err = {0};
    cuzk_config_form form = man      ? CUZK_CONFIG_MAN
                            : sample ? CUZK_CONFIG_SAMPLE
                            : names  ? CUZK_CONFIG_NAMES
                                     : CUZK_CONFIG_MARKDOWN;
    cuzk_status st = cuzk_config_print(NULL, form, &text, &err);
    if (st != CUZK_OK)
        return cli_fail(false, st, &err);
    fputs(text, stdout);
    cuzk_config_free_text(text);
    return 0;
}

int cmd_config(int argc, char **argv)
{
    static const char usage[] =
        "usage: cuzk config check [FILE] [options]\n"
        "       cuzk config show [options]\n"
        "       cuzk config docs [--man | --sample | --names]\n\n"
        "Settings of the daemon (docs/configuration.md). `cuzk config check --help` explains.\n";
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "check") == 0 || strcmp(what, "show") == 0)
        return run_loaded(argc - 1, argv + 1);
    if (strcmp(what, "docs") == 0)
        return run_docs(argc - 1, argv + 1);
    bool help = strcmp(what, "--help") == 0 || strcmp(what, "-h") == 0;
    fputs(usage, help ? stdout : stderr);
    return help ? 0 : CLI_EXIT_USAGE;
}

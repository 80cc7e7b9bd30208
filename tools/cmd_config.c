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

static cuzk_status report(const cuzk_config *c, bool show, cuzk_err *err)
{
    char *text = NULL;
    if (!show) {
        const char *path = cuzk_config_path(c);
        printf("%s: accepted\n", path ? path : "settings");
        return CUZK_OK;
    }
    cuzk_status st = cuzk_config_print(c, CUZK_CONFIG_VALUES, &text, err);
    if (st == CUZK_OK)
        fputs(text, stdout);
    cuzk_config_free_text(text);
    return st;
}

static cuzk_status load_and_report(const cuzk_config_source *source, bool show, cuzk_err *err)
{
    cuzk_config *c = NULL;
    cuzk_daemon_options daemon = CUZK_DAEMON_DEFAULTS;
    cuzk_status st = cuzk_config_load(&c, source, err);
    if (st == CUZK_OK) {
        print_notes(c);
        cuzk_config_daemon_options(c, &daemon);
        st = cuzk_daemon_check(&daemon, err);
    }
    if (st == CUZK_OK)
        st = report(c, show, err);
    cuzk_config_free(c);
    return st;
}

/* argv[0] is check or show; one FILE may follow the options. */
static int run_loaded(int argc, char **argv)
{
    bool show = strcmp(argv[0], "show") == 0;
    int exit_code = 0;
    cli_common common = {0};
    cli_settings settings = {0};
    cli_option options[CLI_MAX_SETTINGS + 3];
    unsigned n = cli_settings_options(&settings, options);
    options[n++] = (cli_option)CLI_OPT_JSON(common);
    const cli_command cmd = {
        show ? "config show [options]" : "config check [FILE] [options]",
        show ? "Prints every setting as `cuzk serve` with the same options would see it, and where "
               "it comes\nfrom: default, file and line, environment or flag."
             : "Reads the settings as `cuzk serve` with the same options would, and says what it "
               "would\nsay. Exit code 0 when it would start with them.",
        options,
        n,
        NULL,
        0};
    if (argc > 1 && argv[1][0] != '-' && !show) {
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
        st = load_and_report(&source, show, &err);
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

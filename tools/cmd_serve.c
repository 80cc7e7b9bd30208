/* cuzk serve: the daemon. */
#include <stdio.h>

#include "cli.h"
#include "cuzk/daemon.h"

/* The configuration that the log's texts are in, and where it came from. */
typedef struct {
    cuzk_config_source source;
    cuzk_config *config, *reloaded;
} serve_state;

static cuzk_status reload(void *ctx, cuzk_log_options *log, cuzk_err *err)
{
    serve_state *s = ctx;
    cuzk_config *c = NULL;
    cuzk_daemon_options fresh = CUZK_DAEMON_DEFAULTS;
    cuzk_status st = cuzk_config_load(&c, &s->source, err);
    if (st != CUZK_OK)
        return st;
    cuzk_config_free(s->reloaded);
    s->reloaded = c;
    cuzk_config_daemon_options(c, &fresh);
    *log = fresh.log;
    return CUZK_OK;
}

static cuzk_status serve(serve_state *s, bool insecure_test_rs, cuzk_err *err)
{
    cuzk_daemon_options daemon = CUZK_DAEMON_DEFAULTS;
    cuzk_status st = cuzk_config_load(&s->config, &s->source, err);
    if (st != CUZK_OK)
        return st;
    cuzk_config_daemon_options(s->config, &daemon);
    daemon.insecure_test_rs = insecure_test_rs;
    daemon.reload = reload;
    daemon.reload_ctx = s;
    return cuzk_daemon_run(&daemon, err);
}

int cmd_serve(int argc, char **argv)
{
    int exit_code = 0;
    cli_common common = {0};
    cli_settings settings = {0};
    cli_option options[CLI_MAX_SETTINGS + 4];
    bool insecure_test_rs = false;
    unsigned n = cli_settings_options(&settings, options);
    options[n++] = (cli_option){"insecure-test-rs", CLI_FLAG, &insecure_test_rs, NULL,
                                "use the published r, s: for tests with test parameters only"};
    options[n++] = (cli_option)CLI_OPT_JSON(common);
    const cli_command cmd = {
        "serve [options]",
        "Runs the proving daemon in the foreground: gRPC service cuzk.v1.ProvingEngine. Parameters "
        "are\n"
        "loaded at the first proof of a circuit and kept. SIGTERM or SIGINT: no new jobs, the "
        "running one\n"
        "is finished, exit 0; a second signal ends at once. SIGHUP opens the log anew and reads "
        "its\n"
        "settings again. Flags win over the environment (CUZK_SECTION_KEY), that over the file.",
        options,
        n,
        NULL,
        0};
    if (!cli_parse(&cmd, argc, argv, NULL, &exit_code))
        return exit_code;
    cuzk_err err = {0};
    serve_state s = {0};
    cuzk_status st = CUZK_NOMEM;
    if (cli_settings_source(&settings, &s.source))
        st = serve(&s, insecure_test_rs, &err);
    if (st != CUZK_OK)
        exit_code = cli_fail(common.json, st, &err);
    cuzk_config_free(s.reloaded);
    cuzk_config_free(s.config);
    cli_settings_fini(&settings);
    return exit_code;
}

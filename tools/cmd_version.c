/* cuzk version. */
#include <stdio.h>

#include "cli.h"

int cmd_version(int argc, char **argv)
{
    int exit_code = 0;
    cli_common common = {0};
    const cli_option options[] = {CLI_OPT_JSON(common)};
    const cli_command cmd = {"version [options]",
                             "Prints the version and which arithmetic this machine runs.",
                             options,
                             1,
                             NULL,
                             0};
    if (!cli_parse(&cmd, argc, argv, NULL, &exit_code))
        return exit_code;
    if (!common.json) {
        printf("cuzk %s (%s arithmetic)\n", cuzk_version(), cuzk_arithmetic());
        return 0;
    }
    yajl_gen g = cli_json_begin();
    cli_json_string(g, "version", cuzk_version());
    cli_json_string(g, "arithmetic", cuzk_arithmetic());
    cli_json_end(g);
    return 0;
}

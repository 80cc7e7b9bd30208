/* The verbs of `cuzk` that a program of its own has, cuzk-net: the daemon and its clients. They
 * need libgrpc, and with it 57 libraries whose loading would take every other verb 8 ms. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "bench.h"
#include "cli.h"

/* From the folder of `cuzk`: in the build tree, and where it is installed. */
static const char *const places[] = {"cuzk-net", CUZK_LIBEXEC_FROM_BIN "/cuzk-net"};

/* Needs no /proc. False: it cannot be told. */
static bool own_folder(char out[PATH_MAX])
{
    const char *started_as = (const char *)(uintptr_t)getauxval(AT_EXECFN);
    char path[PATH_MAX];
    if (!started_as || !realpath(started_as, path))
        return false;
    snprintf(out, PATH_MAX, "%s", dirname(path));
    return true;
}

static int run_net(void)
{
    char folder[PATH_MAX], path[PATH_MAX + 64];
    bool known = own_folder(folder);
    int sys = ENOENT;
    for (size_t i = 0; known && i < sizeof places / sizeof places[0] && sys == ENOENT; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, places[i]);
        execv(path, cli_argv);
        sys = errno;
    }
    fprintf(stderr,
            "cuzk: the program cuzk-net, which has this verb, cannot be started: %s; it belongs "
            "beside cuzk or in %s/" CUZK_LIBEXEC_FROM_BIN "\n",
            strerror(sys), known ? folder : "(the folder of cuzk)");
    return cuzk_status_exit_code(CUZK_NOT_FOUND);
}

#define NET_VERB(name)                                                                             \
    int name(int argc, char **argv)                                                                \
    {                                                                                              \
        (void)argc, (void)argv;                                                                    \
        return run_net();                                                                          \
    }

NET_VERB(cmd_serve)
NET_VERB(cmd_config)
NET_VERB(cmd_submit)
NET_VERB(cmd_await)
NET_VERB(cmd_cancel)
NET_VERB(cmd_status)
NET_VERB(cmd_srs)
NET_VERB(bench_stress)

/* cuzk: one program, a verb per task. Each verb is one tools/cmd_*.c file; those that use the
 * network libraries are in cuzk-net, which cuzk becomes when one of them is called (net_verbs.c).
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

#ifdef CUZK_WITHOUT_NET
#include <openssl/crypto.h>

/* This program uses libcrypto's digests alone: it needs neither settings nor tables of names, which
 * take half a millisecond. */
static void prepare_libcrypto(void)
{
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ADD_ALL_CIPHERS |
                            OPENSSL_INIT_NO_ADD_ALL_DIGESTS,
                        NULL);
}
#else
static void prepare_libcrypto(void)
{
}
#endif

typedef struct {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} verb;

static const verb verbs[] = {
    {"prove", "prove a request on this machine", cmd_prove},
    {"verify", "check a proof against its request", cmd_verify},
    {"params", "make, describe or check parameter files", cmd_params},
    {"circuit", "digest of a circuit, or of the witness of a request", cmd_circuit},
    {"circuits", "list the circuits and their parameter files", cmd_circuits},
    {"serve", "run the proving daemon", cmd_serve},
    {"config", "check, show or explain the settings of the daemon", cmd_config},
    {"submit", "send a request to a daemon and wait for the proof", cmd_submit},
    {"await", "wait for a job of a daemon and fetch its proof", cmd_await},
    {"cancel", "cancel a job of a daemon", cmd_cancel},
    {"status", "ask a daemon what it is doing", cmd_status},
    {"srs", "list, load or drop a daemon's parameters", cmd_srs},
    {"synth", "make a full-size request without a sealed sector", cmd_synth},
    {"bench", "measure the prover or a part of it", cmd_bench},
    {"diagnose", "find which switch makes a workload slower", cmd_diagnose},
    {"opts", "list the optimisations that can be switched off", cmd_opts},
    {"memmon", "memory of one process over time", cmd_memmon},
    {"version", "print version and arithmetic in use", cmd_version},
};

char **cli_argv;

static void print_verbs(FILE *f)
{
    fprintf(f, "usage: cuzk VERB ...\n\nA proving engine for Filecoin's Groth16 proofs.\n\n");
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        fprintf(f, "  %-10s %s\n", verbs[i].name, verbs[i].summary);
    fprintf(
        f,
        "\n`cuzk VERB --help` explains a verb. Results go to stdout, everything else to stderr.\n"
        "Exit codes: 0 done, 1 proof not valid, 2 bad input, 3 vanilla proof does not hold,\n"
        "4 parameters missing or damaged, 5 not found, 6 input/output, 7 memory or limit,\n"
        "8 service not available or deadline, 9 cancelled, 10 not supported, 64 usage, 70 bug.\n");
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_verbs(stderr);
        return CLI_EXIT_USAGE;
    }
    cli_argv = argv;
    prepare_libcrypto();
    signal(SIGPIPE, SIG_IGN); /* a reader of our messages that goes must not end a proof */
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_verbs(stdout);
        return 0;
    }
    if (strcmp(name, "--version") == 0)
        return cmd_version(1, argv + 1);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strcmp(verbs[i].name, name) == 0)
            return verbs[i].run(argc - 1, argv + 1);
    }
    fprintf(stderr, "cuzk: there is no verb \"%s\"\n\n", name);
    print_verbs(stderr);
    return CLI_EXIT_USAGE;
}

/* cuzk params make|info|check: parameter files. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

static int params_make(int argc, char **argv)
{
    int exit_code = 0;
    cli_common common = {0};
    const char *circuit, *dir = NULL;
    bool insecure = false;
    const cli_option options[] = {
        {"insecure-test-secrets", CLI_FLAG, &insecure, NULL,
         "required: the secrets are published, so anybody can forge proofs"},
        {"out", CLI_STRING, &dir, "DIR", "folder for the two files; made if missing"},
        CLI_OPT_THREADS(common),
        CLI_OPT_JSON(common),
    };
    static const char *const names[] = {"CIRCUIT"};
    const cli_command cmd = {"params make CIRCUIT --insecure-test-secrets --out DIR [options]",
                             "Makes test parameters for CIRCUIT (porep-2k, winning-2k, ...; see "
                             "`cuzk circuits`): DIR/v28-*.params\n"
                             "and .vk under the established names. For tests and benchmarks only, "
                             "never for a real network.",
                             options,
                             sizeof options / sizeof options[0],
                             names,
                             1};
    if (!cli_parse(&cmd, argc, argv, &circuit, &exit_code))
        return exit_code;
    if (!insecure || !dir || common.threads > UINT_MAX) {
        fprintf(
            stderr,
            "cuzk: params make wants --out DIR and --insecure-test-secrets (there are no "
            "other secrets to make parameters from: real ones come from Filecoin's ceremony)\n");
        return CLI_EXIT_USAGE;
    }
    cuzk_err err = {0};
    char path[CUZK_PATH_BYTES];
    cuzk_trace *trace = cuzk_trace_new(circuit);
    cli_progress *progress = cli_progress_start("making parameters");
    double begin = cli_now();
    cuzk_status st =
        cuzk_params_make_insecure(circuit, dir, (unsigned)common.threads, trace, path, &err);
    cli_progress_stop(progress);
    double seconds = cli_now() - begin;
    if (st != CUZK_OK) {
        exit_code = cli_fail(common.json, st, &err);
    } else if (common.json) {
        yajl_gen g = cli_json_begin();
        cli_json_bool(g, "ok", true);
        cli_json_string(g, "params", path);
        cli_json_double(g, "seconds", seconds);
        cli_json_trace(g, trace);
        cli_json_end(g);
    } else {
        cli_print_trace(trace, seconds);
        printf("%s: insecure test parameters for %s in %.1f s\n", path, circuit, seconds);
    }
    cuzk_trace_free(trace);
    return exit_code;
}

/* origin: NULL when it was not asked for. */
static void print_description(const char *path, const cuzk_params_description *d,
                              const cuzk_params_origin *origin, bool json)
{
    if (json) {
        yajl_gen g = cli_json_begin();
        cli_json_bool(g, "ok", true);
        cli_json_string(g, "circuit", d->circuit);
        cli_json_uint(g, "file_bytes", d->file_bytes);
        cli_json_uint(g, "ic", d->n_ic);
        cli_json_uint(g, "h", d->n_h);
        cli_json_uint(g, "l", d->n_l);
        cli_json_uint(g, "a", d->n_a);
        cli_json_uint(g, "b", d->n_b);
        cli_json_bool(g, "insecure", d->insecure);
        if (origin) {
            cli_json_string(g, "digest", origin->digest);
            cli_json_string(g, "expected", origin->expected);
            cli_json_bool(g, "published", origin->published);
        }
        cli_json_end(g);
        return;
    }
    printf("file     %s\ncircuit  %s\nbytes    %llu\n", path,
           d->circuit[0] ? d->circuit : "(not an established file name)",
           (unsigned long long)d->file_bytes);
    printf("points   ic %zu, h %zu, l %zu, a %zu, b_g1 and b_g2 %zu each\n", d->n_ic, d->n_h,
           d->n_l, d->n_a, d->n_b);
    printf("secrets  %s\n",
           d->insecure ? "PUBLISHED TEST SECRETS: insecure" : "not the test secrets");
}

typedef struct {
    cli_common common;
    bool check, strict, quick;
} file_verb;

static void print_origin(const cuzk_params_origin *o)
{
    printf("digest   %s\n", o->digest);
    if (o->published)
        printf("origin   Filecoin's file\n");
    else if (o->expected[0])
        printf("origin   not Filecoin's file, whose digest is %s%s\n", o->expected,
               o->real ? ": no use for this size" : "");
    else
        printf("origin   unknown: there is no published file of this name\n");
}

/* Not Filecoin's file: a failure with --strict. */
static cuzk_status judge(const file_verb *v, const char *path, const cuzk_params_origin *o,
                         cuzk_err *err)
{
    if (!v->strict || o->published)
        return CUZK_OK;
    err->status = CUZK_PARAMS;
    snprintf(err->msg, sizeof err->msg,
             "%.200s is not Filecoin's file: its digest is %s, expected is %s", path, o->digest,
             o->expected[0] ? o->expected : "(no published file has this name)");
    return err->status;
}

static cuzk_status check_file(const file_verb *v, const char *path, cuzk_params_origin *origin,
                              cuzk_err *err)
{
    cli_progress *progress = cli_progress_start("checking parameters");
    cuzk_status st = cuzk_params_identify(origin, path, err);
    if (st == CUZK_OK)
        st = judge(v, path, origin, err);
    if (st == CUZK_OK && !v->quick)
        st = cuzk_params_verify(path, (unsigned)v->common.threads, err);
    cli_progress_stop(progress);
    return st;
}

static void print_all(const file_verb *v, const char *path, const cuzk_params_description *d,
                      const cuzk_params_origin *o)
{
    print_description(path, d, v->check ? o : NULL, v->common.json);
    if (v->common.json || !v->check)
        return;
    print_origin(o);
    if (!v->quick)
        printf("check    every point is canonical, on the curve and in the subgroup\n");
}

static int params_file_verb(int argc, char **argv, bool check)
{
    int exit_code = 0;
    file_verb v = {.check = check};
    const char *path;
    const cli_option options[] = {
        CLI_OPT_JSON(v.common),
        CLI_OPT_THREADS(v.common),
        {"strict", CLI_FLAG, &v.strict, NULL, "fail unless it is Filecoin's file, by its digest"},
        {"quick", CLI_FLAG, &v.quick, NULL, "counts, key and digest only, not every point"},
    };
    static const char *const names[] = {"FILE"};
    const cli_command cmd = {
        check ? "params check FILE [options]" : "params info FILE [options]",
        check
            ? "Checks every count, coordinate, curve equation and subgroup of a .params file, and "
              "says whether\n"
              "it is, by its digest, the file that Filecoin publishes. The file is only read."
            : "Prints what a .params file holds, from its headers; reads no points.",
        options,
        check ? 4 : 1,
        names,
        1};
    if (!cli_parse(&cmd, argc, argv, &path, &exit_code))
        return exit_code;
    cuzk_err err = {0};
    cuzk_params_description d;
    cuzk_params_origin origin = {0};
    cuzk_status st = cuzk_params_describe(&d, path, &err);
    if (st == CUZK_OK && check)
        st = check_file(&v, path, &origin, &err);
    if (st != CUZK_OK)
        return cli_fail(v.common.json, st, &err);
    print_all(&v, path, &d, &origin);
    return 0;
}

int cmd_params(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "make") == 0)
        return params_make(argc - 1, argv + 1);
    if (strcmp(what, "info") == 0)
        return params_file_verb(argc - 1, argv + 1, false);
    if (strcmp(what, "check") == 0)
        return params_file_verb(argc - 1, argv + 1, true);
    bool help = strcmp(what, "--help") == 0 || strcmp(what, "-h") == 0;
    fprintf(help ? stdout : stderr,
            "usage: cuzk params make CIRCUIT --insecure-test-secrets --out DIR\n"
            "       cuzk params info FILE\n"
            "       cuzk params check FILE\n\n`cuzk params make --help` and so on explain each.\n");
    return help ? 0 : CLI_EXIT_USAGE;
}

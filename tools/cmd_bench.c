/* cuzk bench: the verbs, and what they measure on. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "cuzk/synth.h"

/* ---- a request for a circuit name ---- */

/* A folder of plain files. */
void bench_remove_folder(const char *dir)
{
    char path[CUZK_PATH_BYTES + 257]; /* a name has at most 255 bytes */
    DIR *d = opendir(dir);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (e->d_name[0] != '.')
            unlink(path);
    }
    closedir(d);
    rmdir(dir);
}

static cuzk_status make_synthetic(char dir[CUZK_PATH_BYTES], const char *circuit, cuzk_err *err)
{
    const char *tmp = getenv("TMPDIR");
    cuzk_synth_options opt = CUZK_SYNTH_OPTIONS_DEFAULTS;
    snprintf(dir, CUZK_PATH_BYTES, "%s/cuzk-bench-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir)) {
        err->status = CUZK_IO;
        snprintf(err->msg, sizeof err->msg, "cannot make a folder like %.120s", dir);
        dir[0] = '\0';
        return CUZK_IO;
    }
    return cuzk_synth_request(NULL, circuit, dir, &opt, err);
}

cuzk_status bench_open_request(cuzk_request **req, const char *name, char *keep, cuzk_err *err)
{
    char made[CUZK_PATH_BYTES] = "", *dir = keep ? keep : made;
    dir[0] = '\0';
    if (access(name, R_OK) == 0 || strchr(name, '/'))
        return cuzk_request_open(req, name, err);
    cuzk_status st = make_synthetic(dir, name, err);
    if (st == CUZK_OK)
        st = cuzk_request_open(req, dir, err);
    if (dir[0] && (!keep || st != CUZK_OK)) {
        bench_remove_folder(dir);
        dir[0] = '\0';
    }
    return st;
}

/* ---- prover ---- */

static bool parse_srs(const char *word, cuzk_srs_mode *mode)
{
    static const char *const words[] = {"resident", "streamed", "auto"}; /* as in the enum */
    for (int i = 0; i < 3; i++) {
        if (strcmp(word, words[i]) == 0) {
            *mode = (cuzk_srs_mode)i;
            return true;
        }
    }
    fprintf(stderr, "cuzk: --srs is '%s'; it may be resident, streamed or auto\n", word);
    return false;
}

bool bench_prover_options(const bench_prover *b, cuzk_prover_options *out, int *exit_code)
{
    cuzk_prover_options o = CUZK_PROVER_OPTIONS_DEFAULTS;
    bool interpreted = strcmp(b->synth, "interpreted") == 0;
    *exit_code = CLI_EXIT_USAGE;
    if (!parse_srs(b->srs, &o.srs))
        return false;
    if (!interpreted && strcmp(b->synth, "compiled") != 0) {
        fprintf(stderr, "cuzk: --synth is '%s'; it may be compiled or interpreted\n", b->synth);
        return false;
    }
    if (b->common.threads > UINT_MAX) {
        fprintf(stderr, "cuzk: --threads is out of range\n");
        return false;
    }
    o.params_dir = b->common.params_dir;
    o.n_threads = (unsigned)b->common.threads;
    o.insecure_test_rs = b->insecure_test_rs;
    o.interpreted = interpreted;
    *out = o;
    return cli_set_switches(b->common.opts, exit_code);
}

/* ---- verbs ---- */

static const struct {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} verbs[] = {
    {"synth-only", "witness and rows of one partition, without parameters", bench_synth},
    {"prove", "one request, again and again", bench_prove},
    {"batch", "several requests one after another: proofs an hour", bench_batch},
    {"stress", "many callers at once: this process, or a daemon", bench_stress},
    {"micro", "field, transforms, sums, gadgets", bench_micro},
};

static void print_verbs(FILE *f)
{
    fprintf(f, "usage: cuzk bench VERB ...\n\n");
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        fprintf(f, "  %-10s  %s\n", verbs[i].name, verbs[i].summary);
    fprintf(f, "\n`cuzk bench VERB --help` explains.\n");
}

int cmd_bench(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(what, verbs[i].name) == 0)
            return verbs[i].run(argc - 1, argv + 1);
    bool help = strcmp(what, "--help") == 0 || strcmp(what, "-h") == 0;
    if (!help && what[0])
        fprintf(stderr, "cuzk: bench has no verb \"%s\"\n\n", what);
    print_verbs(help ? stdout : stderr);
    return help ? 0 : CLI_EXIT_USAGE;
}

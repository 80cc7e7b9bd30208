/* cuzk circuit digest|witness and cuzk circuits: circuits without parameters. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

static cuzk_status open_blocks(FILE **f, const char *path, cuzk_err *err)
{
    *f = NULL;
    if (!path)
        return CUZK_OK;
    *f = fopen(path, "w");
    if (*f)
        return CUZK_OK;
    err->status = CUZK_IO;
    snprintf(err->msg, sizeof err->msg, "cannot write %s: %s", path, strerror(errno));
    return CUZK_IO;
}

static void print_summary(const cuzk_circuit_summary *s, bool json)
{
    char hex[65];
    cli_hex(hex, s->digest, 32);
    if (json) {
        yajl_gen g = cli_json_begin();
        cli_json_bool(g, "ok", true);
        cli_json_uint(g, "inputs", s->n_inputs);
        cli_json_uint(g, "aux", s->n_aux);
        cli_json_uint(g, "rows", s->n_rows);
        cli_json_uint(g, "nnz_a", s->nnz_a);
        cli_json_uint(g, "nnz_b", s->nnz_b);
        cli_json_uint(g, "nnz_c", s->nnz_c);
        cli_json_uint(g, "density_a_aux", s->density_a_aux);
        cli_json_uint(g, "density_b_aux", s->density_b_aux);
        cli_json_uint(g, "density_b_inputs", s->density_b_inputs);
        cli_json_string(g, "digest", hex);
        cli_json_end(g);
        return;
    }
    printf("inputs %" PRIu64 " aux %" PRIu64 " rows %" PRIu64 "\n", s->n_inputs, s->n_aux,
           s->n_rows);
    printf("nnz a %" PRIu64 " b %" PRIu64 " c %" PRIu64 "; longest a %" PRIu64 " b %" PRIu64
           " c %" PRIu64 "\n",
           s->nnz_a, s->nnz_b, s->nnz_c, s->longest_a, s->longest_b, s->longest_c);
    printf("density a_aux %" PRIu64 " b_aux %" PRIu64 " b_inputs %" PRIu64 "\n", s->density_a_aux,
           s->density_b_aux, s->density_b_inputs);
    printf("digest %s\n", hex);
}

static int circuit_digest(int argc, char **argv)
{
    int exit_code = 0;
    cli_common common = {0};
    const char *circuit, *blocks_path = NULL;
    const cli_option options[] = {
        {"blocks", CLI_STRING, &blocks_path, "FILE", "also write a digest for each 65,536 rows"},
        CLI_OPT_JSON(common),
    };
    static const char *const names[] = {"CIRCUIT"};
    const cli_command cmd = {"circuit digest CIRCUIT [options]",
                             "Runs the blank circuit and prints its counts and the BLAKE2s-256 "
                             "digest of its R1CS, which is\n"
                             "equal for two implementations only if every row and coefficient is.",
                             options,
                             sizeof options / sizeof options[0],
                             names,
                             1};
    if (!cli_parse(&cmd, argc, argv, &circuit, &exit_code))
        return exit_code;
    cuzk_err err = {0};
    FILE *blocks;
    cuzk_circuit_summary summary;
    cuzk_status st = open_blocks(&blocks, blocks_path, &err);
    cli_progress *progress = cli_progress_start("digesting");
    if (st == CUZK_OK)
        st = cuzk_circuit_digest(&summary, circuit, blocks, &err);
    cli_progress_stop(progress);
    if (blocks)
        fclose(blocks);
    if (st != CUZK_OK)
        return cli_fail(common.json, st, &err);
    print_summary(&summary, common.json);
    return 0;
}

static void print_witness(yajl_gen g, unsigned partition, const cuzk_witness_summary *w)
{
    char in[65], aux[65];
    cli_hex(in, w->inputs_sha256, 32);
    cli_hex(aux, w->aux_sha256, 32);
    if (g) {
        yajl_gen_map_open(g);
        cli_json_uint(g, "partition", partition);
        cli_json_uint(g, "inputs", w->n_inputs);
        cli_json_uint(g, "aux", w->n_aux);
        cli_json_uint(g, "rows", w->n_rows);
        cli_json_uint(g, "zero_or_one", w->zero_or_one);
        cli_json_bool(g, "satisfied", w->satisfied);
        if (!w->satisfied)
            cli_json_uint(g, "first_bad_row", w->first_bad_row);
        cli_json_string(g, "inputs_sha256", in);
        cli_json_string(g, "aux_sha256", aux);
        yajl_gen_map_close(g);
        return;
    }
    printf("partition %u: inputs %" PRIu64 " aux %" PRIu64 " rows %" PRIu64 " zero-or-one %" PRIu64,
           partition, w->n_inputs, w->n_aux, w->n_rows, w->zero_or_one);
    if (w->satisfied)
        printf(" satisfied");
    else
        printf(" UNSATISFIED at row %" PRIu64, w->first_bad_row);
    printf(" inputs-sha256 %s aux-sha256 %s\n", in, aux);
    fflush(stdout);
}

static cuzk_status witness_partitions(const cuzk_request *req, unsigned first, unsigned n,
                                      FILE *blocks, yajl_gen g, bool *satisfied, cuzk_err *err)
{
    for (unsigned k = first; k < first + n; k++) {
        cuzk_witness_summary w;
        cuzk_status st = cuzk_circuit_witness(&w, req, k, blocks, err);
        if (st != CUZK_OK)
            return st;
        *satisfied = *satisfied && w.satisfied;
        print_witness(g, k, &w);
    }
    return CUZK_OK;
}

static int circuit_witness(int argc, char **argv)
{
    int exit_code = 0;
    cli_common common = {0};
    uint64_t partition = UINT64_MAX;
    const char *path, *blocks_path = NULL;
    const cli_option options[] = {
        {"partition", CLI_UINT, &partition, "K", "partition K alone; default: all"},
        {"blocks", CLI_STRING, &blocks_path, "FILE",
         "also write a digest for each 65,536 aux values"},
        CLI_OPT_JSON(common),
    };
    static const char *const names[] = {"REQUEST"};
    const cli_command cmd = {"circuit witness REQUEST [options]",
                             "Builds the witness of each partition, checks every row and prints "
                             "counts and SHA-256 digests\n"
                             "of inputs and aux values. Exit code 3 when a row is not satisfied.",
                             options,
                             sizeof options / sizeof options[0],
                             names,
                             1};
    if (!cli_parse(&cmd, argc, argv, &path, &exit_code))
        return exit_code;
    cuzk_err err = {0};
    cuzk_request *req = NULL;
    FILE *blocks = NULL;
    bool satisfied = true;
    cuzk_status st = cuzk_request_open(&req, path, &err);
    if (st != CUZK_OK)
        return cli_fail(common.json, st, &err);
    cuzk_request_info info;
    cuzk_request_describe(&info, req);
    yajl_gen g = common.json ? cli_json_begin() : NULL;
    if (g) {
        cli_json_bool(g, "ok", true);
        cli_json_key(g, "partitions");
        yajl_gen_array_open(g);
    }
    st = open_blocks(&blocks, blocks_path, &err);
    bool one = partition != UINT64_MAX;
    unsigned k = one ? (unsigned)(partition > UINT_MAX ? UINT_MAX : partition) : 0;
    if (st == CUZK_OK)
        st = witness_partitions(req, k, one ? 1 : info.n_partitions, blocks, g, &satisfied, &err);
    if (blocks)
        fclose(blocks);
    cuzk_request_close(req);
    if (g && st == CUZK_OK) {
        yajl_gen_array_close(g);
        cli_json_end(g);
    } else if (g) {
        yajl_gen_free(g);
    }
    if (st != CUZK_OK)
        return cli_fail(common.json, st, &err);
    return satisfied ? 0 : cuzk_status_exit_code(CUZK_UNSATISFIED);
}

int cmd_circuit(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "digest") == 0)
        return circuit_digest(argc - 1, argv + 1);
    if (strcmp(what, "witness") == 0)
        return circuit_witness(argc - 1, argv + 1);
    bool help = strcmp(what, "--help") == 0 || strcmp(what, "-h") == 0;
    fprintf(help ? stdout : stderr, "usage: cuzk circuit digest CIRCUIT [--blocks FILE]\n"
                                    "       cuzk circuit witness REQUEST [--partition K]\n");
    return help ? 0 : CLI_EXIT_USAGE;
}

int cmd_circuits(int argc, char **argv)
{
    int exit_code = 0;
    cli_common common = {0};
    const cli_option options[] = {CLI_OPT_JSON(common)};
    const cli_command cmd = {
        "circuits [options]",
        "Lists the registered circuits: name, inputs with ONE, aux variables, rows, domain,\n"
        "bytes of the .params file, file stem of .params and .vk.",
        options,
        1,
        NULL,
        0};
    if (!cli_parse(&cmd, argc, argv, NULL, &exit_code))
        return exit_code;
    yajl_gen g = common.json ? cli_json_begin() : NULL;
    if (g) {
        cli_json_key(g, "circuits");
        yajl_gen_array_open(g);
    }
    cuzk_circuit_entry e;
    if (!g)
        printf("%-13s %7s %10s %10s  %-5s %12s  %s\n", "circuit", "inputs", "aux", "rows", "dom.",
               "params bytes", "file stem");
    for (size_t i = 0; cuzk_circuit_at(&e, i); i++) {
        if (!g) {
            printf("%-13s %7" PRIu64 " %10" PRIu64 " %10" PRIu64 "  2^%-3u %12" PRIu64 "  %s\n",
                   e.name, e.n_inputs, e.n_aux, e.n_rows, e.lg_domain, e.params_bytes, e.stem);
            continue;
        }
        yajl_gen_map_open(g);
        cli_json_string(g, "name", e.name);
        cli_json_uint(g, "inputs", e.n_inputs);
        cli_json_uint(g, "aux", e.n_aux);
        cli_json_uint(g, "rows", e.n_rows);
        cli_json_uint(g, "lg_domain", e.lg_domain);
        cli_json_uint(g, "params_bytes", e.params_bytes);
        cli_json_string(g, "stem", e.stem);
        yajl_gen_map_close(g);
    }
    if (g) {
        yajl_gen_array_close(g);
        cli_json_end(g);
    }
    return 0;
}

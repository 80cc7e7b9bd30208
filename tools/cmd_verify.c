/* cuzk verify: is this the proof of that request? */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

int cmd_verify(int argc, char **argv)
{
    int exit_code = 0;
    cli_common common = {0};
    uint64_t partition = UINT64_MAX;
    const char *operand[2];
    const cli_option options[] = {
        {"partition", CLI_UINT, &partition, "K", "PROOF is the proof of partition K alone"},
        CLI_OPT_PARAMS(common),
        CLI_OPT_JSON(common),
    };
    static const char *const names[] = {"REQUEST", "PROOF"};
    const cli_command cmd = {"verify REQUEST PROOF [options]",
                             "Verifies the proof in the file PROOF against the statement of "
                             "REQUEST, with the verifying\n"
                             "key (.vk) of its circuit. Public inputs are derived from the "
                             "commitments. Exit code 0: valid,\n"
                             "1: not valid, 2: not a proof at all, 4: no verifying key.",
                             options,
                             sizeof options / sizeof options[0],
                             names,
                             2};
    if (!cli_parse(&cmd, argc, argv, operand, &exit_code))
        return exit_code;

    cuzk_err err = {0};
    uint8_t *proof = NULL;
    size_t n_bytes = 0;
    cuzk_request *req = NULL;
    int k = partition == UINT64_MAX ? CUZK_ALL_PARTITIONS
                                    : (int)(partition > INT_MAX ? INT_MAX : partition);
    double begin = cli_now();
    cuzk_status st = cuzk_request_open(&req, operand[0], &err);
    if (st == CUZK_OK)
        st = cli_read_file(&proof, &n_bytes, operand[1], &err);
    if (st == CUZK_OK)
        st = cuzk_verify(req, proof, n_bytes, k, common.params_dir, &err);
    if (st != CUZK_OK) {
        exit_code = cli_fail(common.json, st, &err);
    } else if (common.json) {
        yajl_gen g = cli_json_begin();
        cli_json_bool(g, "ok", true);
        cli_json_bool(g, "valid", true);
        cli_json_double(g, "seconds", cli_now() - begin);
        cli_json_end(g);
    } else {
        printf("valid\n");
    }
    free(proof);
    cuzk_request_close(req);
    return exit_code;
}

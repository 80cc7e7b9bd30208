/* Requests from folders: every fixture is read, and its public inputs are those that the
 * established stack wrote (inputs-K.txt; made with filecoin-proofs-api 19.1.0). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hex.h"
#include "base/mem.h"
#include "filecoin/circuit_id.h"
#include "filecoin/request.h"

static const char *shared_dir(void)
{
    const char *dir = getenv("CUZK_SHARED");
    return dir ? dir : "../shared";
}

static const char *folder_in(char out[256], const char *base, const char *sub, const char *name)
{
    snprintf(out, 256, "%s/%s%s", base, sub, name);
    return out;
}

/* Lines of hex, one public input each; ONE is not among them. */
static void assert_inputs_equal(const char *folder, const proof_request *req, unsigned partition)
{
    char path[320], line[80];
    snprintf(path, sizeof path, "%s/inputs-%u.txt", folder, partition);
    FILE *f = fopen(path, "r");
    if (!f)
        return; /* not every partition has a golden proof */
    size_t n = cuzk_circuit_n_inputs((circuit_id){req->kind, req->shape});
    fr *in = CUZK_NEW_ARRAY(fr, n);
    assert_int_equal(cuzk_request_public_inputs(in, req, partition, NULL), CUZK_OK);
    for (size_t i = 0; i < n; i++) {
        uint8_t b[32];
        char text[65];
        assert_non_null(fgets(line, sizeof line, f));
        line[strcspn(line, "\n")] = '\0';
        cuzk_fr_to_bytes(b, &in[i]);
        cuzk_hex_encode(text, b, 32);
        assert_string_equal(text, line);
    }
    assert_null(fgets(line, sizeof line, f));
    cuzk_free(in);
    fclose(f);
}

static void check_folder(const char *folder, unsigned n_partitions)
{
    proof_request *req = NULL;
    cuzk_err err = {0};
    if (cuzk_request_load(&req, folder, &err) != CUZK_OK)
        fail_msg("%s: %s", folder, err.msg);
    assert_int_equal(req->n_partitions, n_partitions);
    if (cuzk_request_check(req, &err) != CUZK_OK)
        fail_msg("%s: %s", folder, err.msg);
    for (unsigned k = 0; k < req->n_partitions; k++)
        assert_inputs_equal(folder, req, k);
    fr unused[400];
    assert_int_equal(cuzk_request_public_inputs(unused, req, n_partitions, &err), CUZK_INVAL);
    cuzk_request_free(req);
}

static void fixtures_in_the_tree(void **state)
{
    (void)state;
    check_folder("tests/data/porep-2k-a", 1);
    check_folder("tests/data/porep-2k-a/request.json", 1);
    check_folder("tests/data/winning-2k", 1);
    check_folder("tests/data/window-2k-1", 1);
    check_folder("tests/data/window-2k-3-v1", 2);
    check_folder("tests/data/update-2k", 1);
}

static void shared_fixtures(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned n_partitions;
    } row[] = {{"porep-2k-b", 1},   {"porep-2k-c", 1},  {"porep-2k-v1", 1},
               {"porep-2k-ni", 13}, {"porep-8m", 1},    {"porep-2k-synthetic", 1},
               {"window-2k-2", 1},  {"window-2k-5", 3}, {"window-8m-1", 1},
               {"winning-8m", 1},   {"update-8m", 4}};
    static const char *const full[] = {"porep-512m",  "window-32g-1", "window-32g-3",
                                       "window-512m", "winning-32g",  "winning-64g"};
    char path[256];
    if (access(shared_dir(), R_OK) != 0) {
        printf("SKIP: no %s (set CUZK_SHARED)\n", shared_dir());
        skip();
    }
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        check_folder(folder_in(path, shared_dir(), "fixtures/requests/", row[i].name),
                     row[i].n_partitions);
    for (size_t i = 0; i < sizeof full / sizeof full[0]; i++)
        check_folder(folder_in(path, shared_dir(), "fixtures/requests-full/", full[i]), 1);
}

/* ---- request.json against the proofs, and its own form ------------------------------------- */

static char scratch[] = "/tmp/cuzk-test-request-XXXXXX";

static void copy_file(const char *from, const char *to)
{
    uint8_t *data;
    size_t n;
    assert_int_equal(cuzk_file_read(&data, &n, from, 1 << 20, NULL), CUZK_OK);
    assert_int_equal(cuzk_file_write(to, data, n, NULL), CUZK_OK);
    cuzk_free(data);
}

/* Writes request.json of a fixture with its first `old` replaced by `new`. */
static void write_edited(const char *fixture, const char *old, const char *new)
{
    uint8_t *data;
    size_t n;
    char path[320], text[8192];
    snprintf(path, sizeof path, "%s/request.json", fixture);
    assert_int_equal(cuzk_file_read(&data, &n, path, 4096, NULL), CUZK_OK);
    const char *at = strstr((const char *)data, old);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - (const char *)data), (const char *)data, new,
             at + strlen(old));
    cuzk_free(data);
    snprintf(path, sizeof path, "%s/request.json", scratch);
    assert_int_equal(cuzk_file_write(path, text, strlen(text), NULL), CUZK_OK);
}

static void statements_that_do_not_hold(void **state)
{
    (void)state;
    static const struct {
        const char *fixture, *old, *new, *says;
    } row[] = {
        {"porep-2k-a", "\"ticket\": \"01", "\"ticket\": \"02", "ticket is 0201"},
        {"porep-2k-a", "\"seed\": \"02", "\"seed\": \"03", "seed is 0302"},
        {"porep-2k-a", "\"replica_id\": \"3e", "\"replica_id\": \"3f",
         "request.json: replica_id is "
         "3f75e87332cd5d60132c1f9f9a8362e2e4cf190b46f4fd636fd8864b842d170b "
         "but the C1 holds 3e75e8"},
        {"porep-2k-a", "\"comm_r\": \"77", "\"comm_r\": \"78", "comm_r is 7842"},
        {"porep-2k-a", "\"comm_d\": \"fc", "\"comm_d\": \"fd", "comm_d is fd7e"},
        {"porep-2k-a", "\"miner\": 1000", "\"miner\": 1001", "prover_id is e807"},
        {"porep-2k-a", "V1_1", "V1", "registered_proof is 0 but the C1 holds StackedDrg2KiBV1_1"},
        {"porep-2k-a", "\"sector_size\": 2048", "\"sector_size\": 8192", "sector_size is 8192 but"},
        {"window-2k-1", "\"id\": 1", "\"id\": 2",
         "sectors[0].id is 2 but sector-1.vanilla holds "
         "sector 1"},
        {"window-2k-1", "\"comm_r\": \"77", "\"comm_r\": \"78", "sectors[0].comm_r differs"},
        /* its own form */
        {"porep-2k-a", "\"miner\": 1000,", "", "the key \"miner\" is missing"},
        {"porep-2k-a", "\"miner\": 1000", "\"miner\": -1", "request.json: miner: -1 is not"},
        {"porep-2k-a", "\"porep\"", "\"seal\"", "request.json: kind: 'seal' is none of porep"},
        {"porep-2k-a", "\"porep\"", "\"window\"", "window request needs the key \"randomness\""},
        {"porep-2k-a", "\"sector_number\": 1,", "", "needs the key \"sector_number\""},
        {"porep-2k-a", "\"ticket\": \"01", "\"ticket\": \"", "ticket: not 64 hexadecimal digits"},
        {"porep-2k-a", "\"ticket\": \"01", "\"ticket\": \"0x", "ticket: not 64 hexadecimal digits"},
        {"porep-2k-a", "\"c1.json\"", "\"c1.json\",\"c1.json\"", "vanilla: 2 files where"},
        {"porep-2k-a", "\"c1.json\"", "\"../c1.json\"", "vanilla[0]: not the plain name"},
        {"porep-2k-a", "\"c1.json\"", "\"\"", "vanilla[0]: not the plain name"},
        {"porep-2k-a", "\"c1.json\"", "\"absent\"", "absent"},
        {"porep-2k-a", "StackedDrg2KiBV1_1", "StackedDrg3KiBV1_1", "no porep type has the name"},
        {"window-2k-1", "\"sectors\"", "\"vanilla\": [], \"sectors\"",
         "\"vanilla\" does not belong"},
        {"window-2k-1", "\"vanilla\"", "\"file\"", "sectors[0]: the key \"vanilla\" is missing"},
        {"window-2k-1", "\"kind\"", "\"partition_index\": 4294967296, \"kind\"", "not below 2^32"},
    };
    char path[320];
    assert_non_null(mkdtemp(scratch));
    snprintf(path, sizeof path, "%s/c1.json", scratch);
    copy_file("tests/data/porep-2k-a/c1.json", path);
    snprintf(path, sizeof path, "%s/sector-1.vanilla", scratch);
    copy_file("tests/data/window-2k-1/sector-1.vanilla", path);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char fixture[64];
        proof_request *req = NULL;
        cuzk_err err = {0};
        uint64_t before = cuzk_mem_used();
        snprintf(fixture, sizeof fixture, "tests/data/%s", row[i].fixture);
        write_edited(fixture, row[i].old, row[i].new);
        cuzk_status st = cuzk_request_load(&req, scratch, &err);
        if (st == CUZK_OK || !strstr(err.msg, row[i].says))
            fail_msg("wants '%s': %s: %s", row[i].says, cuzk_status_name(st), err.msg);
        assert_int_equal(cuzk_mem_used(), before);
    }
    write_edited("tests/data/porep-2k-a", "{",
                 "{\"note\": [1, {}],"); /* unknown keys are skipped */
    check_folder(scratch, 1);
    snprintf(path, sizeof path, "rm -r %s", scratch);
    assert_int_equal(system(path), 0);
}

static void folders_that_are_not_there(void **state)
{
    (void)state;
    proof_request *req = NULL;
    cuzk_err err;
    assert_int_equal(cuzk_request_load(&req, "tests/data/absent", &err), CUZK_NOT_FOUND);
    assert_int_equal(cuzk_request_load(&req, "tests/data", &err), CUZK_NOT_FOUND);
    assert_non_null(strstr(err.msg, "tests/data/request.json"));
}

static void out_of_memory(void **state)
{
    (void)state;
    uint64_t before = cuzk_mem_used();
    for (uint64_t n = 1;; n++) {
        proof_request *req = NULL;
        cuzk_err err;
        cuzk_mem_fail_nth(n);
        cuzk_status st = cuzk_request_load(&req, "tests/data/window-2k-3-v1", &err);
        cuzk_mem_fail_nth(0);
        cuzk_request_free(req);
        assert_int_equal(cuzk_mem_used(), before);
        if (st == CUZK_OK)
            break;
        assert_true(st == CUZK_NOMEM || st == CUZK_BUDGET);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixtures_in_the_tree),
        cmocka_unit_test(shared_fixtures),
        cmocka_unit_test(statements_that_do_not_hold),
        cmocka_unit_test(folders_that_are_not_there),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

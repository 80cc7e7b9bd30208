/* Requests from folders: every fixture is read, and its public inputs are those that the
 * established stack wrote (inputs-K.txt; made with filecoin-proofs-api 19.1.0). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
    } row[] = {{"porep-2k-b", 1},    {"porep-2k-c", 1},  {"porep-2k-v1", 1},
               {"porep-2k-ni", 13},  {"porep-8m", 1},    {"porep-2k-synthetic", 1},
               {"window-2k-2", 1},   {"window-2k-5", 3}, {"window-8m-1", 1},
               {"winning-8m", 1},    {"update-8m", 4}};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixtures_in_the_tree),
        cmocka_unit_test(shared_fixtures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

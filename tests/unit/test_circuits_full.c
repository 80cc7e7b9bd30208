/* Every registered circuit against the established stack, block by block, and every fixture
 * request. Up to 131 M rows a circuit: half an hour on one core. CUZK_CIRCUITS_MAX_ROWS limits
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <ctype.h>
#include <dirent.h>

#include "circuit_support.h"

static const char *shared_dir(void)
{
    const char *dir = getenv("CUZK_SHARED");
    return dir ? dir : "../shared";
}

static bool have_shared(const char *what)
{
    char path[512];
    snprintf(path, sizeof path, "%s/fixtures/%s", shared_dir(), what);
    return access(path, R_OK) == 0;
}

static uint64_t max_rows(void)
{
    const char *text = getenv("CUZK_CIRCUITS_MAX_ROWS");
    return text ? strtoull(text, NULL, 10) : UINT64_MAX;
}

/* "wpost-2k" -> "window-2K": how the fixture files are named. */
static void fixture_name(char out[32], const char *name)
{
    static const char *const word[][2] = {{"wpost", "window"}, {"snap", "update"}};
    const char *dash = strchr(name, '-');
    int n = (int)(dash - name);
    snprintf(out, 32, "%.*s%s", n, name, dash);
    for (unsigned i = 0; i < 2; i++) {
        if (strncmp(name, word[i][0], (size_t)n) == 0)
            snprintf(out, 32, "%s%s", word[i][1], dash);
    }
    for (char *p = strchr(out, '-'); *p; p++)
        *p = (char)toupper((unsigned char)*p);
}

/* The file's first line is the identifier, tested elsewhere. */
static void compare_counts(const char *path, const circuit_summary *s)
{
    unsigned long long nnz[3], longest[3], density[3];
    char line[256];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    assert_non_null(fgets(line, sizeof line, f));
    assert_int_equal(fscanf(f, "nnz a %llu b %llu c %llu; longest a %llu b %llu c %llu ", &nnz[0],
                            &nnz[1], &nnz[2], &longest[0], &longest[1], &longest[2]),
                     6);
    assert_int_equal(fscanf(f, "density a_aux %llu b_aux %llu b_inputs %llu", &density[0],
                            &density[1], &density[2]),
                     3);
    fclose(f);
    assert_int_equal(s->nnz_a, nnz[0]);
    assert_int_equal(s->nnz_b, nnz[1]);
    assert_int_equal(s->nnz_c, nnz[2]);
    assert_int_equal(s->longest_a, longest[0]);
    assert_int_equal(s->longest_b, longest[1]);
    assert_int_equal(s->longest_c, longest[2]);
    assert_int_equal(s->density_a_aux, density[0]);
    assert_int_equal(s->density_b_aux, density[1]);
    assert_int_equal(s->density_b_inputs, density[2]);
}

static void check_against_fixture(const registered_circuit *r)
{
    char name[32], path[512];
    circuit_summary s;
    FILE *blocks = tmpfile();
    assert_non_null(blocks);
    check_registered(r, blocks, &s);
    fixture_name(name, r->name);
    if (have_shared("r1cs")) {
        snprintf(path, sizeof path, "%s/fixtures/r1cs/%s.txt", shared_dir(), name);
        compare_counts(path, &s);
        snprintf(path, sizeof path, "%s/fixtures/r1cs/blocks-%s.txt", shared_dir(), name);
        assert_same_text(blocks, path);
    }
    fclose(blocks);
    print_message("%s\n", r->name);
}

static void registered_all(void **state)
{
    (void)state;
    if (!have_shared("r1cs"))
        print_message("SKIP: densities and block digests (set CUZK_SHARED)\n");
    for (size_t i = 0; i < CUZK_ARRAY_LEN(registered_circuits); i++) {
        if (registered_circuits[i].rows <= max_rows())
            check_against_fixture(&registered_circuits[i]);
    }
}

static void check_folders(const char *dir)
{
    char path[512];
    snprintf(path, sizeof path, "%s/fixtures/%s", shared_dir(), dir);
    DIR *d = opendir(path);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char folder[1024], packed[1100];
        snprintf(folder, sizeof folder, "%s/%s", path, e->d_name);
        if (e->d_name[0] == '.')
            continue;
        snprintf(packed, sizeof packed, "%s/c1.json.xz", folder);
        bool skip = access(packed, R_OK) == 0;
        snprintf(packed, sizeof packed, "%s/vanilla.tar.xz", folder);
        skip |= access(packed, R_OK) == 0;
        /* the 32 GiB Window needs 8 GiB of memory: see docs/circuit.md */
        skip |= strncmp(e->d_name, "window-32g", 10) == 0;
        print_message("%s%s\n", skip ? "SKIP: " : "", e->d_name);
        if (!skip)
            check_witness_folder(folder);
    }
    closedir(d);
}

static void witnesses_of_fixtures(void **state)
{
    (void)state;
    if (!have_shared("requests")) {
        print_message("SKIP: no fixture requests (set CUZK_SHARED)\n");
        skip();
    }
    check_folders("requests");
    if (have_shared("requests-full"))
        check_folders("requests-full");
}

/* circuits.md 11.3, R9 and note 2: 16 KiB, partition 1 of 2. */
static void update_of_another_shape(void **state)
{
    (void)state;
    const sector_shape *shape = cuzk_shape_by_name("16k");
    proof_request req;
    uint8_t bytes[32];
    update_request(&req, shape, 1);
    cuzk_fr_to_bytes(bytes, &req.comm_r_new);
    assert_digest("comm_r_new", bytes,
                  "0ec2f3fb599c751117f86cde6358614dc5087ce065dc7c97e82ef2455f27af55");
    assert_int_equal(update_challenge_node(&req, 1, 0), 426);
    circuit_summary s = summarize((circuit_id){CUZK_KIND_UPDATE, shape}, NULL);
    assert_digest("R9", s.digest,
                  "95a1d46c7000ac6634072da5fa76d2c6faf4f399e8e2b25bd2c2266913c1ddaa");
    witness_summary w = summarize_witness(&req, 1, NULL);
    assert_true(w.satisfied);
    assert_digest("inputs", w.inputs_sha256,
                  "a43c0db1e4414cf720aaf46268ae4fc41787f069b989a8689e4ebb4228b27d8b");
    assert_digest("aux", w.aux_sha256,
                  "5456eecd3cf8d4c76b867b721dc62b7dbb02c9a038382ac8a90bff6a251315c0");
    fr_add(&req.update[1].challenge[7].d_new.leaf, &req.update[1].challenge[7].d_new.leaf,
           &cuzk_fr_one);
    assert_false(summarize_witness(&req, 1, NULL).satisfied);
    request_fini(&req);
}

/* R8: one challenge of the 32 GiB PoRep. */
static void one_challenge_of_32g(void **state)
{
    (void)state;
    sector_shape shape = *cuzk_shape_by_name("32g");
    shape.porep_challenges = 1;
    circuit_summary s = summarize((circuit_id){CUZK_KIND_POREP, &shape}, NULL);
    assert_int_equal(s.n_inputs, 22);
    assert_int_equal(s.n_aux, 7232200);
    assert_digest("R8", s.digest,
                  "5d477993ad4d9f61d0bb3309e06fd6659635ddd6007f0b3fdf81feb9d4ed5ef6");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_challenge_of_32g),
        cmocka_unit_test(update_of_another_shape),
        cmocka_unit_test(witnesses_of_fixtures),
        cmocka_unit_test(registered_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

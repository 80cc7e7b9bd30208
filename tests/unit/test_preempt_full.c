/* The scheduler with the real prover: a WinningPoSt during a PoRep, cancellation in each phase,
 * self-checks that fail, many at once on few threads. Parameters are made here, or taken from the
 * folder $CUZK_TEST_PARAMS. Prints what it measures. */
#include "unit/engine_support.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "unit/groth16_support.h"

static char params_dir[4096];

static int find_params(void **state)
{
    const char *given = getenv("CUZK_TEST_PARAMS");
    char path[CUZK_PATH_BYTES];
    if (test_dir_make(state) != 0)
        return -1;
    snprintf(params_dir, sizeof params_dir, "%s", given ? given : test_path("."));
    if (given)
        return 0;
    const char *circuit[] = {"winning-2k", "porep-2k"};
    for (unsigned i = 0; i < 2; i++) {
        if (cuzk_params_make_insecure(circuit[i], params_dir, 0, NULL, path, NULL) != CUZK_OK)
            return -1;
    }
    return 0;
}

typedef struct {
    cuzk_prover *prover;
    engine *e;
    ear ear;
    request_files porep, winning;
} real;

static void real_start(real *r, unsigned n_threads)
{
    cuzk_log_set_level(CUZK_LOG_OFF);
    memset(r, 0, sizeof *r);
    pthread_mutex_init(&r->ear.lock, NULL);
    pthread_cond_init(&r->ear.changed, NULL);
    cuzk_prover_options po = CUZK_PROVER_OPTIONS_DEFAULTS;
    po.params_dir = params_dir;
    po.n_threads = n_threads;
    po.insecure_test_rs = true;
    assert_int_equal(cuzk_prover_new(&r->prover, &po, NULL), CUZK_OK);
    engine_options o = ENGINE_OPTIONS_DEFAULTS;
    engine_backend b = cuzk_engine_backend_of(r->prover);
    assert_int_equal(cuzk_engine_new(&r->e, &o, &b, NULL), CUZK_OK);
    assert_int_equal(cuzk_request_files_read(&r->porep, "tests/data/porep-2k-a", NULL), CUZK_OK);
    assert_int_equal(cuzk_request_files_read(&r->winning, "tests/data/winning-2k", NULL), CUZK_OK);
}

static void real_end(real *r)
{
    cuzk_engine_free(r->e);
    cuzk_prover_free(r->prover);
    cuzk_request_files_fini(&r->porep);
    cuzk_request_files_fini(&r->winning);
}

static void real_submit(real *r, const char *id, const request_files *files)
{
    cuzk_err err = {0};
    engine_request q = {id, 0, &files->msg, 1, 0};
    engine_listener l = {hear, &r->ear, 0};
    if (cuzk_engine_submit(r->e, &q, &l, NULL, &err) != CUZK_OK)
        fail_msg("%s: %s", id, err.msg);
}

/* The outcome and, for a completed job, the proof as the established prover makes it. */
typedef struct {
    char folder[64];
    bool right;
    uint64_t heard_ns;
} verdict;

static void judge(void *ctx, const engine_result *res)
{
    verdict *v = ctx;
    char path[128];
    size_t n;
    snprintf(path, sizeof path, "%s/golden-0.proof", v->folder);
    uint8_t *golden = test_read_file(path, &n);
    v->heard_ns = cuzk_now_ns();
    v->right = res->outcome == ENGINE_COMPLETED && res->n_proof_bytes == n &&
               memcmp(res->proof, golden, n) == 0;
    cuzk_free(golden);
}

static void wait_verdict(real *r, const char *id, const char *folder, verdict *v)
{
    uint64_t token;
    engine_listener l = {judge, v, 0};
    memset(v, 0, sizeof *v);
    snprintf(v->folder, sizeof v->folder, "%s", folder);
    assert_int_equal(cuzk_engine_await(r->e, id, &l, &token, NULL), CUZK_OK);
    if (!v->right)
        fail_msg("%s: the proof is not the golden one", id);
}

static bool get_info(real *r, const char *id, engine_job_info *out)
{
    engine_job_info all[16];
    size_t n = cuzk_engine_jobs(r->e, all, 16);
    for (size_t i = 0; i < n && i < 16; i++) {
        if (strcmp(all[i].job_id, id) == 0) {
            *out = all[i];
            return true;
        }
    }
    return false;
}

static void nap(void)
{
    const struct timespec ms = {0, 1000000};
    nanosleep(&ms, NULL);
}

static void wait_phase(real *r, const char *id, const char *phase)
{
    engine_job_info i = {0};
    while (strcmp(i.phase, phase) != 0) {
        if (!get_info(r, id, &i))
            fail_msg("%s ended before phase %s", id, phase);
        nap();
    }
}

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

static void d06_winning_during_porep(void **state)
{
    (void)state;
    real r;
    verdict v;
    uint64_t idle = UINT64_MAX;
    real_start(&r, 0);
    real_submit(&r, "warm", &r.winning);
    wait_heard(&r.ear, 1);
    for (unsigned i = 0; i < 3; i++) {
        char id[8];
        snprintf(id, sizeof id, "idle%u", i);
        uint64_t begin = cuzk_now_ns();
        real_submit(&r, id, &r.winning);
        wait_heard(&r.ear, 2 + i);
        idle = cuzk_now_ns() - begin < idle ? cuzk_now_ns() - begin : idle;
    }
    real_submit(&r, "porep", &r.porep);
    const char *phase[] = {"srs_load", "witness", "ntt", "msm_h"};
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(phase); i++) {
        char id[8];
        snprintf(id, sizeof id, "w%u", i);
        wait_phase(&r, "porep", phase[i]);
        uint64_t begin = cuzk_now_ns();
        real_submit(&r, id, &r.winning);
        engine_job_info w = {0};
        while (get_info(&r, id, &w) && !w.phase[0])
            nap();
        uint64_t started = cuzk_now_ns();
        wait_heard(&r.ear, 5 + i);
        printf("winning during %s: begins after %.0f ms, done after %.0f ms; idle %.0f ms\n",
               phase[i], ms(started - begin), ms(cuzk_now_ns() - begin), ms(idle));
        wait_verdict(&r, id, "tests/data/winning-2k", &v);
    }
    wait_heard(&r.ear, 9);
    wait_verdict(&r, "porep", "tests/data/porep-2k-a", &v);
    real_end(&r);
}

static void c08_cancel_in_each_phase(void **state)
{
    (void)state;
    real r;
    real_start(&r, 0);
    const char *phase[] = {"srs_load", "witness", "ntt", "msm_h"};
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(phase); i++) {
        real_submit(&r, "porep", &r.porep);
        wait_phase(&r, "porep", phase[i]);
        uint64_t begin = cuzk_now_ns();
        assert_true(cuzk_engine_cancel(r.e, "porep"));
        wait_heard(&r.ear, i + 1);
        printf("cancelled in %s: told after %.0f ms\n", phase[i], ms(cuzk_now_ns() - begin));
        assert_int_equal(r.ear.outcome[i], ENGINE_CANCELLED);
    }
    verdict v; /* what was broken off has left nothing wrong behind */
    real_submit(&r, "porep", &r.porep);
    wait_heard(&r.ear, CUZK_ARRAY_LEN(phase) + 1);
    wait_verdict(&r, "porep", "tests/data/porep-2k-a", &v);
    real_end(&r);
}

static void rejected_proof_is_made_again(void **state)
{
    (void)state;
    real r;
    verdict v;
    engine_stats s;
    real_start(&r, 0);
    atomic_store(&cuzk_prover_spoil_proofs, 1);
    real_submit(&r, "once", &r.winning);
    wait_heard(&r.ear, 1);
    wait_verdict(&r, "once", "tests/data/winning-2k", &v);
    cuzk_engine_stats(r.e, &s);
    assert_int_equal(s.n_reproved, 1);
    atomic_store(&cuzk_prover_spoil_proofs, 2);
    real_submit(&r, "twice", &r.winning);
    wait_heard(&r.ear, 2);
    assert_int_equal(r.ear.outcome[1], ENGINE_FAILED);
    assert_non_null(strstr(r.ear.error, "this machine computes wrong"));
    cuzk_engine_stats(r.e, &s);
    assert_int_equal(s.n_reproved, 2);
    assert_int_equal(s.failed_by[CUZK_DEVICE], 1);
    real_end(&r);
}

static void d10_many_at_once(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
        real r;
        verdict v;
        char id[8][8];
        real_start(&r, n_threads);
        for (unsigned i = 0; i < 8; i++) {
            snprintf(id[i], sizeof id[i], "w%u", i);
            real_submit(&r, id[i], &r.winning);
        }
        wait_heard(&r.ear, 8);
        for (unsigned i = 0; i < 8; i++)
            wait_verdict(&r, id[i], "tests/data/winning-2k", &v);
        engine_stats s;
        cuzk_engine_stats(r.e, &s);
        assert_int_equal(s.n_stalls, 0);
        real_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rejected_proof_is_made_again),
        cmocka_unit_test(d10_many_at_once),
        cmocka_unit_test(d06_winning_during_porep),
        cmocka_unit_test(c08_cancel_in_each_phase),
    };
    const char *only = getenv("CUZK_TEST_ONLY"); /* a pattern of names, for slow builds */
    if (only)
        cmocka_set_test_filter(only);
    return cmocka_run_group_tests(tests, find_params, test_dir_remove);
}

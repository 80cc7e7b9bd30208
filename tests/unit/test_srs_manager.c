/* Parameters that come and go: loads, users, eviction, preloading, and the budget they live in
 * (CASES B05 B13 B17 D03 E01 E05 E07 E09). */
#include "unit/params_support.h"

#include <pthread.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "engine/params_dir.h"
#include "engine/prover_memory.h"

#define N_THREADS 4

static circuit_id wpost, winning;
static cuzk_request *window_request;
static char wpost_params[512], winning_params[512];

static int setup(void **state)
{
    char path[CUZK_PATH_BYTES];
    if (test_dir_make(state) != 0 ||
        cuzk_params_make_insecure("wpost-2k", test_dir, 2, NULL, path, NULL) != CUZK_OK)
        return -1;
    snprintf(wpost_params, sizeof wpost_params, "%.500s", path);
    if (cuzk_params_make_insecure("winning-2k", test_dir, 2, NULL, path, NULL) != CUZK_OK)
        return -1;
    snprintf(winning_params, sizeof winning_params, "%.500s", path);
    cuzk_circuit_id_parse(&wpost, "wpost-2k", NULL);
    cuzk_circuit_id_parse(&winning, "winning-2k", NULL);
    return 0;
}

static int teardown(void **state)
{
    cuzk_request_close(window_request);
    return test_dir_remove(state);
}

static cuzk_prover *prover_with(uint64_t max_memory, unsigned min_idle_s)
{
    cuzk_prover *p;
    cuzk_prover_options o = CUZK_PROVER_OPTIONS_DEFAULTS;
    o.params_dir = test_dir;
    o.n_threads = 2;
    o.max_memory = max_memory;
    o.eviction_min_idle_s = min_idle_s;
    o.cache_dir = "";
    assert_int_equal(cuzk_prover_new(&p, &o, NULL), CUZK_OK);
    return p;
}

static budget_stats stats_of(cuzk_prover *p)
{
    budget_stats s;
    uint64_t sum = 0;
    cuzk_budget_stats(cuzk_prover_budget(p), &s);
    for (size_t k = 0; k < BUDGET_KINDS; k++)
        sum += s.kind[k];
    assert_int_equal(sum, s.used);
    return s;
}

static cuzk_status take(memory_lease *l, cuzk_prover *p, circuit_id id, const atomic_bool *cancel,
                        cuzk_err *err)
{
    const lease_wish wish = {.cancel = cancel};
    cuzk_status st = cuzk_lease_reserve(l, cuzk_prover_memory_of(p), id, &wish, err);
    return st == CUZK_OK ? cuzk_lease_fill(l, NULL, err) : st;
}

static void lease(memory_lease *l, cuzk_prover *p, circuit_id id)
{
    cuzk_err err;
    if (take(l, p, id, NULL, &err) != CUZK_OK)
        fail_msg("%s", err.msg);
    assert_non_null(l->srs);
    assert_non_null(l->compiled);
}

static cuzk_evict_result evict(cuzk_prover *p, circuit_id id)
{
    cuzk_evict_result r;
    assert_int_equal(cuzk_prover_evict(p, id, &r, NULL), CUZK_OK);
    return r;
}

static size_t listed(cuzk_prover *p, cuzk_prover_srs_info *out)
{
    return cuzk_prover_loaded(p, out, 4);
}

/* What proofs of both kinds take, from the plan: what stays, and that with a proof. */
static uint64_t held_by(circuit_id id, bool proof)
{
    memory_answer a;
    const memory_question q = {
        .compiled = true, .n_threads = 2, .available = UINT64_MAX, .total = UINT64_MAX};
    assert_int_equal(cuzk_memory_plan(&a, id, &q, NULL), CUZK_OK);
    return a.srs_bytes + a.circuit_bytes + (proof ? a.partition_bytes : 0);
}

static uint64_t need_of(circuit_id id)
{
    return held_by(id, true);
}

/* ---- one after the other ---- */

static void loaded_bytes_are_freed_bytes(void **state)
{
    (void)state;
    bool already;
    cuzk_prover_srs_info info[4];
    cuzk_prover *p = prover_with(0, 0);
    assert_int_equal(cuzk_prover_on_disk(p, info, 4), 2);
    assert_int_equal(info[0].tier, SRS_COLD);
    assert_in_range(info[0].file_bytes, 11000000, 50000000);
    assert_int_equal(evict(p, wpost).was_loaded, false);
    assert_int_equal(cuzk_prover_preload(p, wpost, &already, NULL, NULL), CUZK_OK);
    assert_false(already);
    assert_int_equal(cuzk_prover_preload(p, wpost, &already, NULL, NULL), CUZK_OK);
    assert_true(already);
    assert_int_equal(listed(p, info), 1);
    assert_string_equal(info[0].circuit, "wpost-2k");
    assert_int_equal(info[0].tier, SRS_HOT);
    assert_int_equal(info[0].percent, 100);
    assert_int_equal(info[0].ref_count, 0);
    assert_int_equal(info[0].bytes, stats_of(p).kind[BUDGET_SRS]);
    assert_int_equal(cuzk_prover_on_disk(p, NULL, 0), 1);
    uint64_t bytes = info[0].bytes;
    const cuzk_evict_result r = evict(p, wpost);
    assert_true(r.was_loaded && !r.busy);
    assert_int_equal(r.freed_bytes, bytes);
    assert_int_equal(stats_of(p).used, 0);
    assert_int_equal(listed(p, info), 0);
    cuzk_prover_free(p);
}

static void e05_nothing_in_use_is_evicted(void **state)
{
    (void)state;
    memory_lease a, b;
    cuzk_prover_srs_info info[4];
    cuzk_prover *p = prover_with(0, 0);
    lease(&a, p, wpost);
    lease(&b, p, wpost);
    assert_ptr_equal(a.srs, b.srs);
    assert_int_equal(cuzk_prover_n_loads(p), 1);
    assert_int_equal(listed(p, info), 1);
    assert_int_equal(info[0].ref_count, 2);
    cuzk_evict_result r = evict(p, wpost);
    assert_true(r.was_loaded && r.busy && r.freed_bytes == 0 && r.ref_count == 2);
    cuzk_lease_release(&a);
    assert_true(evict(p, wpost).busy);
    uint64_t working = stats_of(p).kind[BUDGET_PARTITION];
    assert_true(working > 0);
    cuzk_lease_release(&b);
    assert_int_equal(stats_of(p).kind[BUDGET_PARTITION], 0);
    assert_true(evict(p, wpost).freed_bytes > 11000000);
    assert_true(stats_of(p).kind[BUDGET_CIRCUIT] > 0); /* kept: small, and slow to make */
    cuzk_prover_free(p);
}

/* B17: what is in memory does not depend on the file any more. */
static void b17_the_file_may_change_after_the_load(void **state)
{
    (void)state;
    static const char *const how[] = {"truncate", "delete", "replace"};
    size_t n;
    uint8_t *bytes = test_read_file(wpost_params, &n);
    for (size_t i = 0; i < CUZK_ARRAY_LEN(how); i++) {
        memory_lease l;
        cuzk_err err;
        cuzk_prover *p = prover_with(0, 0);
        assert_int_equal(cuzk_prover_preload(p, wpost, NULL, NULL, NULL), CUZK_OK);
        uint64_t loaded = stats_of(p).used;
        if (i == 0)
            assert_int_equal(truncate(wpost_params, 1000), 0);
        if (i == 1)
            assert_int_equal(unlink(wpost_params), 0);
        if (i == 2)
            assert_int_equal(rename(winning_params, wpost_params), 0);
        assert_int_equal(cuzk_prover_admit(p, wpost, &err), CUZK_OK);
        lease(&l, p, wpost);
        cuzk_lease_release(&l);
        assert_int_equal(evict(p, wpost).freed_bytes, loaded);
        assert_int_equal(take(&l, p, wpost, NULL, &err), CUZK_PARAMS);
        cuzk_lease_release(&l);
        assert_int_equal(cuzk_prover_admit(p, wpost, &err), i == 1 ? CUZK_PARAMS : CUZK_OK);
        if (i == 2)
            assert_int_equal(rename(wpost_params, winning_params), 0);
        test_write_file(wpost_params, bytes, n);
        lease(&l, p, wpost); /* D03: mended, and it works at once */
        cuzk_lease_release(&l);
        cuzk_prover_free(p);
    }
    cuzk_free(bytes);
}

static void b05_b13_a_failed_load_holds_nothing(void **state)
{
    (void)state;
    memory_lease l;
    cuzk_err err;
    size_t n;
    uint8_t *bytes = test_read_file(wpost_params, &n);
    cuzk_prover *p = prover_with(0, 0);
    bytes[n - 50] ^= 1;
    test_write_file(wpost_params, bytes, n);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(take(&l, p, wpost, NULL, &err), CUZK_CORRUPT);
        assert_non_null(strstr(err.msg, "section b_g2, point"));
        cuzk_lease_release(&l);
        assert_int_equal(stats_of(p).used, 0);
    }
    assert_int_equal(unlink(wpost_params), 0);
    assert_int_equal(take(&l, p, wpost, NULL, &err), CUZK_PARAMS);
    assert_non_null(strstr(err.msg, "does not exist"));
    cuzk_lease_release(&l);
    assert_int_equal(cuzk_prover_admit(p, wpost, &err), CUZK_PARAMS);
    assert_int_equal(stats_of(p).used, 0);
    bytes[n - 50] ^= 1;
    test_write_file(wpost_params, bytes, n);
    cuzk_free(bytes);
    lease(&l, p, wpost);
    cuzk_lease_release(&l);
    cuzk_prover_free(p);
}

/* Parameters of both fit, but not beside the larger proof: the one used longest ago goes. */
static void e07_idle_parameters_make_room(void **state)
{
    (void)state;
    memory_lease l;
    uint64_t held = held_by(wpost, false) + held_by(winning, false);
    uint64_t both = need_of(wpost) + need_of(winning) - held; /* proofs */
    cuzk_prover *p = prover_with(held + both / 2, 0);
    for (int i = 0; i < 3; i++) {
        lease(&l, p, wpost);
        cuzk_lease_release(&l);
        lease(&l, p, winning);
        cuzk_lease_release(&l);
        lease(&l, p, winning);
        cuzk_lease_release(&l);
    }
    budget_stats s = stats_of(p);
    assert_true(s.peak <= s.total);
    assert_int_equal(s.n_reclaimed, 3);
    assert_int_equal(cuzk_prover_n_loads(p), 4); /* winning-2k stayed: both fit but for its proof */
    cuzk_prover_free(p);
}

/* What was used just now is kept when so configured, while somebody works: then the job waits, here
 * until it gives up. On an idle machine it does not. */
static void what_is_not_idle_long_enough_is_kept(void **state)
{
    (void)state;
    memory_lease l, working;
    cuzk_err err;
    atomic_bool cancel = false;
    const lease_wish wish = {.cancel = &cancel};
    cuzk_prover *p = prover_with(need_of(winning) + need_of(wpost), 3600);
    prover_memory *m = cuzk_prover_memory_of(p);
    lease(&l, p, winning);
    cuzk_lease_release(&l);
    lease(&working, p, wpost);
    uint64_t left = stats_of(p).total - stats_of(p).used;
    const budget_token rest = {.bytes[BUDGET_PARTITION] = left};
    const budget_wish now = {.now = true, .what = "x"};
    assert_int_equal(cuzk_budget_reserve(cuzk_memory_budget(m), &rest, &now, NULL), CUZK_OK);
    assert_int_equal(cuzk_budget_reserve(cuzk_memory_budget(m), &rest, &now, NULL), CUZK_BUDGET);
    atomic_store(&cancel, true);
    assert_int_equal(cuzk_lease_reserve(&l, m, winning, &wish, &err), CUZK_CANCELLED);
    cuzk_lease_release(&l);
    cuzk_budget_release(cuzk_memory_budget(m), &rest);
    cuzk_lease_release(&working);
    assert_int_equal(evict(p, winning).freed_bytes > 0, true); /* it was still there */
    cuzk_prover_free(p);
    p = prover_with(need_of(winning) + 1000, 3600);
    lease(&l, p, wpost);
    cuzk_lease_release(&l);
    lease(&l, p, winning);
    cuzk_lease_release(&l);
    assert_false(evict(p, wpost).was_loaded);
    cuzk_prover_free(p);
}

/* ---- the budget ---- */

static void open_request(void)
{
    if (!window_request)
        assert_int_equal(
            cuzk_request_open(&window_request, test_data("requests", "window-2k-1"), NULL),
            CUZK_OK);
}

static cuzk_status prove(cuzk_prover *p, cuzk_err *err)
{
    uint8_t *proof = NULL;
    size_t n;
    cuzk_prove_options job = CUZK_PROVE_OPTIONS_DEFAULTS;
    cuzk_status st = cuzk_prover_prove(p, window_request, &job, &proof, &n, err);
    cuzk_bytes_free(proof);
    return st;
}

static void e01_exactly_enough_is_enough(void **state)
{
    (void)state;
    if (test_skip_without_data())
        return;
    open_request();
    const uint64_t need = need_of(wpost);
    static const uint64_t less[] = {1, 1000, 0};
    for (size_t i = 0; i <= CUZK_ARRAY_LEN(less); i++) {
        cuzk_err err = {0};
        char number[40];
        uint64_t total = i == CUZK_ARRAY_LEN(less) ? 1 << 20 : need - less[i];
        bool enough = total >= need;
        cuzk_prover *p = prover_with(total, 0);
        assert_int_equal(cuzk_prover_admit(p, wpost, &err), enough ? CUZK_OK : CUZK_MEMORY);
        for (int k = 0; k < 2; k++)
            assert_int_equal(prove(p, &err), enough ? CUZK_OK : CUZK_MEMORY);
        if (!enough) { /* both numbers */
            snprintf(number, sizeof number, "(%llu bytes", (unsigned long long)need);
            assert_non_null(strstr(err.msg, number));
            snprintf(number, sizeof number, "(%llu bytes", (unsigned long long)total);
            assert_non_null(strstr(err.msg, number));
            assert_int_equal(stats_of(p).used, 0);
        }
        assert_true(stats_of(p).peak <= total);
        cuzk_prover_free(p);
    }
}

/* B06: a point of the curve outside the subgroup passes the loader; the proof made with it does not
 * pass the self-check, and the message says how to find it. The first point of b_g2 belongs to ONE,
 * so it is in every proof. */
static void b06_the_self_check_finds_what_loading_does_not(void **state)
{
    (void)state;
    if (test_skip_without_data())
        return;
    open_request();
    size_t n;
    cuzk_err err = {0};
    circuit_counts c;
    g2_affine point;
    uint8_t good[192], *bytes = test_read_file(wpost_params, &n);
    assert_true(cuzk_circuit_counts(&c, wpost));
    uint8_t *at = bytes + n - 192 * (c.b_inputs + c.b_aux);
    memcpy(good, at, sizeof good);
    off_subgroup_g2(&point);
    cuzk_g2_write(at, &point);
    test_write_file(wpost_params, bytes, n);
    cuzk_prover *p = prover_with(0, 0);
    assert_int_equal(prove(p, &err), CUZK_PARAMS);
    assert_non_null(strstr(err.msg, "run `cuzk params check`"));
    assert_int_equal(cuzk_params_verify(wpost_params, 2, &err), CUZK_CORRUPT);
    assert_non_null(strstr(err.msg, "section b_g2, point 0 of"));
    evict(p, wpost);
    memcpy(at, good, sizeof good);
    test_write_file(wpost_params, bytes, n);
    assert_int_equal(prove(p, &err), CUZK_OK);
    cuzk_prover_free(p);
    cuzk_free(bytes);
}

/* ---- several threads ---- */

typedef struct {
    cuzk_prover *p;
    unsigned seed, n_rounds;
    atomic_uint *n_evicted;
    pthread_t thread;
} user;

static void *use(void *ctx)
{
    user *u = ctx;
    for (unsigned i = 0; i < u->n_rounds; i++) {
        memory_lease l;
        u->seed = u->seed * 1664525u + 1013904223u;
        circuit_id id = u->seed >> 31 ? winning : wpost;
        switch (u->seed >> 28 & 3) {
        case 0:
            cuzk_prover_preload(u->p, id, NULL, NULL, NULL);
            break;
        case 1:
            atomic_fetch_add(u->n_evicted, evict(u->p, id).freed_bytes > 0);
            break;
        default:
            lease(&l, u->p, id);
            assert_int_equal(l.srs->vk.n_ic, cuzk_circuit_n_inputs(id) + 1);
            assert_false(g1_affine_is_identity(&l.srs->h[l.srs->n_h - 1]));
            cuzk_lease_release(&l);
        }
    }
    return NULL;
}

static void run_users(cuzk_prover *p, unsigned n_rounds)
{
    user u[N_THREADS];
    atomic_uint n_evicted = 0;
    for (unsigned i = 0; i < N_THREADS; i++) {
        u[i] = (user){p, i + 1, n_rounds, &n_evicted, 0};
        assert_int_equal(pthread_create(&u[i].thread, NULL, use, &u[i]), 0);
    }
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_join(u[i].thread, NULL);
    budget_stats s = stats_of(p);
    assert_int_equal(s.kind[BUDGET_PARTITION], 0);
    assert_int_equal(s.n_waiting, 0);
    assert_true(s.peak <= s.total);
    evict(p, wpost);
    evict(p, winning);
    assert_int_equal(stats_of(p).kind[BUDGET_SRS], 0);
}

static void e05_preload_evict_and_use_from_four_threads(void **state)
{
    (void)state;
    cuzk_prover *p = prover_with(4 * need_of(winning), 0);
    run_users(p, 25);
    cuzk_prover_free(p);
}

/* Room for one at a time: no two jobs may wait for each other. */
static void no_deadlock_when_only_one_fits(void **state)
{
    (void)state;
    cuzk_prover *p = prover_with(need_of(winning), 0);
    run_users(p, 25);
    cuzk_prover_free(p);
}

static void *just_lease(void *ctx)
{
    user *u = ctx;
    memory_lease l;
    lease(&l, u->p, winning);
    cuzk_lease_release(&l);
    return NULL;
}

static void one_load_for_all_who_want_it(void **state)
{
    (void)state;
    user u[N_THREADS];
    cuzk_prover *p = prover_with(0, 0);
    for (unsigned i = 0; i < N_THREADS; i++) {
        u[i].p = p;
        assert_int_equal(pthread_create(&u[i].thread, NULL, just_lease, &u[i]), 0);
    }
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_join(u[i].thread, NULL);
    assert_int_equal(cuzk_prover_n_loads(p), 1);
    cuzk_prover_free(p);
}

/* ---- in the background ---- */

static void wait_for_preload(cuzk_prover *p, cuzk_preload_report *r)
{
    const struct timespec tick = {.tv_nsec = 500000};
    unsigned last = 0;
    for (cuzk_prover_preload_report(p, r); r->n_done < r->n_all; cuzk_prover_preload_report(p, r)) {
        assert_in_range(r->percent, last, 99);
        last = r->percent;
        nanosleep(&tick, NULL);
    }
}

static void preloading_reports_how_far_it_is(void **state)
{
    (void)state;
    cuzk_preload_report r;
    circuit_id porep;
    cuzk_prover_srs_info info[4];
    assert_int_equal(cuzk_circuit_id_parse(&porep, "porep-2k", NULL), CUZK_OK);
    const circuit_id id[] = {winning, porep, wpost};
    cuzk_prover *p = prover_with(0, 0);
    cuzk_prover_preload_report(p, &r);
    assert_int_equal(r.n_all + r.percent, 0);
    assert_int_equal(cuzk_prover_preload_start(p, id, 3, NULL), CUZK_OK);
    wait_for_preload(p, &r);
    assert_int_equal(r.percent, 100);
    assert_string_equal(r.circuit, "");
    assert_int_equal(r.n_failed, 1); /* there are no parameters of porep-2k */
    assert_int_equal(r.error.status, CUZK_PARAMS);
    assert_int_equal(listed(p, info), 2);
    assert_int_equal(cuzk_prover_preload_start(p, id, 1, NULL), CUZK_INVAL);
    cuzk_prover_free(p);
    p = prover_with(0, 0); /* and it ends at once with the prover */
    assert_int_equal(cuzk_prover_preload_start(p, id, 3, NULL), CUZK_OK);
    cuzk_prover_free(p);
}

/* What was preloaded first is not thrown out for what comes later. */
static void preloading_does_not_evict(void **state)
{
    (void)state;
    cuzk_preload_report r;
    cuzk_prover_srs_info info[4];
    const circuit_id id[] = {winning, wpost};
    cuzk_prover *p = prover_with(need_of(winning), 0);
    assert_int_equal(cuzk_prover_preload_start(p, id, 2, NULL), CUZK_OK);
    wait_for_preload(p, &r);
    assert_in_range(listed(p, info), 1, 2);
    assert_string_equal(info[0].circuit, "winning-2k");
    cuzk_prover_free(p);
}

/* ---- failures ---- */

static void e09_each_allocation_fails_once(void **state)
{
    (void)state;
    unsigned n_failed = 0;
    for (uint64_t nth = 1;; nth++) {
        memory_lease l;
        cuzk_err err = {0};
        cuzk_prover *p = prover_with(0, 0);
        cuzk_mem_fail_nth(nth);
        cuzk_status st = take(&l, p, wpost, NULL, &err);
        cuzk_mem_fail_nth(0);
        cuzk_lease_release(&l);
        if (st != CUZK_OK) {
            assert_int_equal(st, CUZK_NOMEM);
            assert_int_equal(stats_of(p).kind[BUDGET_PARTITION], 0);
            evict(p, wpost);
            assert_int_equal(stats_of(p).kind[BUDGET_SRS], 0);
            n_failed++;
        }
        lease(&l, p, wpost); /* the next works */
        cuzk_lease_release(&l);
        cuzk_prover_free(p);
        if (st == CUZK_OK)
            break;
        nth += nth / 4;
    }
    assert_true(n_failed >= 5);
}

static void the_cache_is_not_in_the_parameter_folder(void **state)
{
    (void)state;
    cuzk_prover *p;
    cuzk_err err;
    cuzk_prover_options o = CUZK_PROVER_OPTIONS_DEFAULTS;
    o.params_dir = o.cache_dir = test_dir;
    assert_int_equal(cuzk_prover_new(&p, &o, &err), CUZK_INVAL);
    assert_non_null(strstr(err.msg, "is the parameter folder"));
}

/* A caller compiled before the last members existed. */
static void shorter_options_are_understood(void **state)
{
    (void)state;
    cuzk_prover *p;
    cuzk_prover_options o = CUZK_PROVER_OPTIONS_DEFAULTS;
    o.params_dir = test_dir;
    o.n_threads = 1;
    o.size = offsetof(cuzk_prover_options, max_memory);
    o.max_memory = 1;
    assert_int_equal(cuzk_prover_new(&p, &o, NULL), CUZK_OK);
    assert_true(stats_of(p).total > 1);
    cuzk_prover_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loaded_bytes_are_freed_bytes),
        cmocka_unit_test(e05_nothing_in_use_is_evicted),
        cmocka_unit_test(b17_the_file_may_change_after_the_load),
        cmocka_unit_test(b05_b13_a_failed_load_holds_nothing),
        cmocka_unit_test(e07_idle_parameters_make_room),
        cmocka_unit_test(what_is_not_idle_long_enough_is_kept),
        cmocka_unit_test(e01_exactly_enough_is_enough),
        cmocka_unit_test(b06_the_self_check_finds_what_loading_does_not),
        cmocka_unit_test(e05_preload_evict_and_use_from_four_threads),
        cmocka_unit_test(no_deadlock_when_only_one_fits),
        cmocka_unit_test(one_load_for_all_who_want_it),
        cmocka_unit_test(preloading_reports_how_far_it_is),
        cmocka_unit_test(preloading_does_not_evict),
        cmocka_unit_test(e09_each_allocation_fails_once),
        cmocka_unit_test(the_cache_is_not_in_the_parameter_folder),
        cmocka_unit_test(shorter_options_are_understood),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

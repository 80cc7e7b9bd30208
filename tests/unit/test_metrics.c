/* Metrics: instruments, the text format, and G12: 1,100 jobs with a page read all the while. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "e2e/fake_prover.h"
#include "engine/engine_metrics.h"
#include "engine/log.h"
#include "measure/instruments.h"

static char *write_page(const char *text)
{
    static char path[2][32];
    static unsigned turn;
    char *p = path[turn++ % 2];
    strcpy(p, "/tmp/cuzk-metrics-XXXXXX");
    int fd = mkstemp(p);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return p;
}

static void assert_clean(const char *text, const char *earlier)
{
    char command[256], *now = write_page(text), *before = earlier ? write_page(earlier) : NULL;
    snprintf(command, sizeof command, "python3 tests/promcheck.py %s %s", now,
             before ? before : "");
    int rc = system(command);
    unlink(now);
    if (before)
        unlink(before);
    assert_int_equal(rc, 0);
}

/* ---- instruments and format ---- */

static const uint64_t bounds[] = {1000000, 2500000000};

static void test_histogram(void **state)
{
    (void)state;
    static metric h = {.type = METRIC_HISTOGRAM,
                       .name = "x_seconds",
                       .help = "An x",
                       .label = "who",
                       .bound = bounds,
                       .n_bounds = 2,
                       .lock = PTHREAD_MUTEX_INITIALIZER};
    metrics_page p = {.strict = true};
    cuzk_page_metric(&p, &h); /* no series yet: nothing */
    assert_int_equal(p.out.n, 0);
    cuzk_metric_observe_ns(&h, "a\"b\\c\nd", 1000000); /* bounds belong to their bucket */
    cuzk_metric_observe_ns(&h, "a\"b\\c\nd", 1000001);
    cuzk_metric_observe_ns(&h, "a\"b\\c\nd", 3000000000);
    cuzk_page_metric(&p, &h);
    assert_string_equal(p.out.text, "# HELP x_seconds An x\n# TYPE x_seconds histogram\n"
                                    "x_seconds_bucket{who=\"a\\\"b\\\\c\\nd\",le=\"0.001\"} 1\n"
                                    "x_seconds_bucket{who=\"a\\\"b\\\\c\\nd\",le=\"2.5\"} 2\n"
                                    "x_seconds_bucket{who=\"a\\\"b\\\\c\\nd\",le=\"+Inf\"} 3\n"
                                    "x_seconds_sum{who=\"a\\\"b\\\\c\\nd\"} 3.002000001\n"
                                    "x_seconds_count{who=\"a\\\"b\\\\c\\nd\"} 3\n");
    assert_clean(p.out.text, NULL);
    cuzk_buffer_fini(&p.out);
}

static void test_types(void **state)
{
    (void)state;
    metrics_page strict = {.strict = true}, plain = {.strict = false};
    cuzk_page_single(&strict, METRIC_COUNTER, "a_total", "A", UINT64_MAX);
    cuzk_page_single(&strict, METRIC_COUNTER, "b", "B", 0);
    cuzk_page_single(&plain, METRIC_COUNTER, "b", "B", 0);
    assert_string_equal(strict.out.text,
                        "# HELP a_total A\n# TYPE a_total counter\na_total 18446744073709551615\n"
                        "# HELP b B\n# TYPE b untyped\nb 0\n");
    assert_string_equal(plain.out.text, "# HELP b B\n# TYPE b counter\nb 0\n");
    cuzk_buffer_fini(&strict.out);
    cuzk_buffer_fini(&plain.out);
}

static metric crowded = {.type = METRIC_COUNTER,
                         .name = "crowded_total",
                         .help = "C",
                         .label = "n",
                         .lock = PTHREAD_MUTEX_INITIALIZER};

static void *crowd(void *arg)
{
    char value[16];
    (void)arg;
    for (unsigned round = 0; round < 50; round++) {
        for (unsigned i = 0; i < 100; i++) {
            snprintf(value, sizeof value, "%u", i);
            cuzk_metric_add(&crowded, value, 1);
        }
    }
    return NULL;
}

/* More label values than there is room for, from several threads: nothing is lost. */
static void test_crowded_labels(void **state)
{
    (void)state;
    pthread_t t[4];
    uint64_t sum = 0;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, crowd, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert_int_equal(crowded.n_series, METRIC_MAX_SERIES);
    for (unsigned i = 0; i < METRIC_MAX_SERIES; i++)
        sum += crowded.series[i].total;
    assert_int_equal(sum, 4 * 50 * 100);
    assert_int_equal(cuzk_metric_total(&crowded, "0"), 4 * 50);
    assert_int_equal(cuzk_metric_total(&crowded, "other"),
                     4 * 50 * (100 - (METRIC_MAX_SERIES - 1)));
    metrics_page p = {.strict = true};
    cuzk_page_metric(&p, &crowded);
    assert_clean(p.out.text, NULL);
    cuzk_buffer_fini(&p.out);
}

/* ---- G12 ---- */

enum { N_JOBS = 1100, N_AT_ONCE = 50 };

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned n_ended, n_completed, n_failed;
} job_log;

static void count_end(void *ctx, const engine_result *r)
{
    job_log *l = ctx;
    pthread_mutex_lock(&l->lock);
    l->n_ended++;
    l->n_completed += r->outcome == ENGINE_COMPLETED;
    l->n_failed += r->outcome == ENGINE_FAILED;
    pthread_cond_signal(&l->changed);
    pthread_mutex_unlock(&l->lock);
}

static void submit(engine *e, job_log *l, unsigned i)
{
    const uint8_t byte = 1;
    request_message msg = {.kind = (cuzk_kind)(i % CUZK_KIND_COUNT),
                           .vanilla_proof = {&byte, 1},
                           .sector_number = i,
                           .miner_id = i % 10 == 7 ? FAKE_FAIL : 1000};
    const engine_request r = {.request_id = "", .msg = &msg, .n_bytes = 1};
    const engine_listener listener = {count_end, l, 0};
    assert_int_equal(cuzk_engine_submit(e, &r, &listener, NULL, NULL), CUZK_OK);
    pthread_mutex_lock(&l->lock);
    while (i + 1 - l->n_ended > N_AT_ONCE)
        pthread_cond_wait(&l->changed, &l->lock);
    pthread_mutex_unlock(&l->lock);
}

static uint64_t number_of(const char *page, const char *series)
{
    char key[128];
    snprintf(key, sizeof key, "\n%s ", series);
    const char *at = strstr(page, key);
    assert_non_null(at);
    return strtoull(at + strlen(key), NULL, 10);
}

static const char *const rising[] = {
    "cuzk_jobs_completed_total{proof_kind=\"porep_c2\"}",
    "cuzk_jobs_failed_total{proof_kind=\"snap_update\"}",
    "cuzk_proofs_completed{proof_kind=\"winning_post\"}",
    "cuzk_proof_duration_seconds_count{proof_kind=\"window_post\"}",
};

static void test_g12_counters_never_fall(void **state)
{
    (void)state;
    fake_prover fake;
    engine *e;
    job_log l = {.n_ended = 0};
    uint64_t before[sizeof rising / sizeof rising[0]] = {0};
    engine_options opt = ENGINE_OPTIONS_DEFAULTS;
    fake_init(&fake);
    pthread_mutex_init(&l.lock, NULL);
    pthread_cond_init(&l.changed, NULL);
    cuzk_measure_start();
    const engine_backend backend = fake_backend(&fake);
    opt.max_results = 100; /* what is forgotten stays counted */
    assert_int_equal(cuzk_engine_new(&e, &opt, &backend, NULL), CUZK_OK);
    char *first = cuzk_engine_metrics(e, true);
    assert_clean(first, NULL);
    for (unsigned i = 0; i < N_JOBS; i++) {
        submit(e, &l, i);
        if (i % 20)
            continue;
        char *page = cuzk_engine_metrics(e, true);
        assert_non_null(page);
        for (size_t k = 0; k < sizeof rising / sizeof rising[0]; k++) {
            uint64_t now = number_of(page, rising[k]);
            assert_true(now >= before[k]);
            before[k] = now;
        }
        cuzk_free(page);
    }
    pthread_mutex_lock(&l.lock);
    while (l.n_ended < N_JOBS)
        pthread_cond_wait(&l.changed, &l.lock);
    pthread_mutex_unlock(&l.lock);
    char *last = cuzk_engine_metrics(e, true);
    assert_clean(last, first);
    assert_int_equal(l.n_completed + l.n_failed, N_JOBS);
    assert_int_equal(number_of(last, "cuzk_proofs_completed_total"), l.n_completed);
    assert_int_equal(number_of(last, "cuzk_proofs_failed_total"), l.n_failed);
    assert_int_equal(number_of(last, "cuzk_phase_seconds_count{phase=\"queue\"}"), N_JOBS);
    assert_int_equal(number_of(last, "cuzk_phase_seconds_count{phase=\"witness\"}"), l.n_completed);
    assert_int_equal(number_of(last, "cuzk_queue_seconds_count{proof_kind=\"porep_c2\"}"),
                     N_JOBS / CUZK_KIND_COUNT);
    assert_int_equal(number_of(last, "cuzk_queue_depth"), 0);
    cuzk_free(first);
    cuzk_free(last);
    cuzk_engine_free(e);
}

/* The text that gRPC gives: the established daemon's families first, in its order. */
static void test_established_order(void **state)
{
    (void)state;
    static const char *const want[] = {
        "# HELP cuzk_proofs_completed_total Total proofs completed\n"
        "# TYPE cuzk_proofs_completed_total counter\n",
        "# HELP cuzk_proofs_failed_total Total proofs failed\n"
        "# TYPE cuzk_proofs_failed_total counter\n",
        "# HELP cuzk_uptime_seconds Daemon uptime\n# TYPE cuzk_uptime_seconds gauge\n",
        "# HELP cuzk_queue_depth Current queue depth\n# TYPE cuzk_queue_depth gauge\n",
        "# HELP cuzk_proofs_completed Per proof-kind completions\n"
        "# TYPE cuzk_proofs_completed counter\ncuzk_proofs_completed{proof_kind=\"porep_c2\"} 0\n",
        "# HELP cuzk_proofs_failed Per proof-kind failures\n# TYPE cuzk_proofs_failed counter\n",
        "# HELP cuzk_proof_duration_seconds Proof duration\n"
        "# TYPE cuzk_proof_duration_seconds summary\n",
        "# HELP cuzk_running_jobs Currently running proofs\n# TYPE cuzk_running_jobs gauge\n",
        "# HELP cuzk_gpu_workers Number of GPU workers\n# TYPE cuzk_gpu_workers gauge\n",
    };
    fake_prover fake;
    engine *e;
    engine_options opt = ENGINE_OPTIONS_DEFAULTS;
    fake_init(&fake);
    const engine_backend backend = fake_backend(&fake);
    assert_int_equal(cuzk_engine_new(&e, &opt, &backend, NULL), CUZK_OK);
    char *page = cuzk_engine_metrics(e, false), *at = page;
    assert_ptr_equal(strstr(page, want[0]), page);
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        at = strstr(at, want[i]);
        assert_non_null(at);
    }
    cuzk_free(page);
    cuzk_engine_free(e);
}

int main(void)
{
    cuzk_log_set_level(CUZK_LOG_ERROR);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_crowded_labels),
        cmocka_unit_test(test_established_order),
        cmocka_unit_test(test_g12_counters_never_fall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

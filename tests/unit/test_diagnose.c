/* Verdicts on workloads whose truth is known: who is named, how often the innocent are accused,
 * whether intervals hold what they promise; state files; options. Error rates are asserted, so the
 * seeds are fixed; test_diagnose_full.c makes thousands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit/diagnose_support.h"

#define N_INNOCENT  80u
#define N_GUILTY    3u
#define N_INTERVALS 20u
#include "unit/diagnose_rates.inc"

/* ---- one by one ---- */

static void test_attribution(void **state)
{
    fake_workload w = noisy(5, 0.01);
    cuzk_diagnose_options o = fake_options(5);
    cuzk_diagnose_verdict v;
    (void)state;
    w.n_effects = 1;
    w.effect[0] = (fake_effect){1u << 3, 4, 0.50};
    w.drift = 0;
    cuzk_diagnosis *d = diagnose(&w, &o);
    assert_true(cuzk_diagnosis_verdict(&v, d, 3));
    assert_string_equal(v.name, "B1");
    assert_int_equal(v.n_shares, 1);
    assert_string_equal(v.share[0].name, "ntt");
    assert_true(v.share[0].ms.low < 12.6 && v.share[0].ms.high > 12.4);
    assert_non_null(strstr(cuzk_diagnosis_answer(d), "B1 makes it slower: +1"));
    assert_non_null(strstr(cuzk_diagnosis_answer(d), "in ntt"));
    cuzk_diagnosis_free(d);
}

static void test_too_noisy(void **state)
{
    fake_workload w = noisy(5, 0.5);
    cuzk_diagnose_options o = fake_options(5);
    cuzk_diagnose_verdict v;
    cuzk_diagnosis_quality q;
    (void)state;
    o.max_blocks = 4;
    cuzk_diagnosis *d = diagnose(&w, &o);
    assert_true(cuzk_diagnosis_verdict(&v, d, 0));
    assert_int_equal(v.time, CUZK_TOO_NOISY);
    cuzk_diagnosis_quality_of(&q, d);
    assert_false(q.precise_enough);
    assert_non_null(strstr(cuzk_diagnosis_answer(d), "too noisy"));
    cuzk_diagnosis_free(d);
}

static void test_stops_when_precise(void **state)
{
    fake_workload w = noisy(5, 0.002);
    cuzk_diagnose_options o = fake_options(5);
    cuzk_diagnosis_quality q;
    (void)state;
    w.spikes = 0;
    cuzk_diagnosis *d = diagnose(&w, &o);
    cuzk_diagnosis_quality_of(&q, d);
    assert_true(q.precise_enough);
    assert_int_equal(q.n_blocks, 4);
    assert_int_equal(w.n_runs, 4 * 23 + 1); /* and the warm-up */
    cuzk_diagnosis_free(d);
}

/* ---- going on another time ---- */

static void state_path(char out[64], const char *name)
{
    snprintf(out, 64, "/tmp/cuzk-diagnose-%d-%s", (int)getpid(), name);
    unlink(out);
}

static void test_resume(void **state)
{
    char path[64], first[1024];
    cuzk_diagnosis *d = NULL;
    cuzk_err err = {0};
    fake_workload w = noisy(8, 0.002);
    cuzk_diagnose_options o = fake_options(8);
    const cuzk_diagnose_workload workload = {&w, fake_run, NULL};
    (void)state;
    w.spikes = 0;
    state_path(path, "resume");
    o.state_path = path;
    w.fail_at = 60;
    assert_int_equal(cuzk_diagnose(&d, &o, &workload, &err), CUZK_IO);
    assert_string_equal(err.msg, "planted failure");
    assert_int_equal(cuzk_diagnose(&d, &o, &workload, &err), CUZK_EXISTS);
    FILE *f = fopen(path, "a"); /* the machine went down in the middle of a line */
    fputs("{\"block\":2,\"conf", f);
    fclose(f);
    o.resume = true;
    unsigned before = w.n_runs;
    d = diagnose(&w, &o);
    assert_int_equal(w.n_runs - before, 4 * 23 - 58 + 1);
    snprintf(first, sizeof first, "%s", cuzk_diagnosis_answer(d));
    cuzk_diagnosis_free(d);
    before = w.n_runs;
    d = diagnose(&w, &o); /* everything is there: the same answer, no run */
    assert_string_equal(cuzk_diagnosis_answer(d), first);
    assert_int_equal(w.n_runs, before);
    cuzk_diagnosis_free(d);
    unlink(path);
}

/* Time that is over, or precision that is reached, begins no blocks; those that are there count. */
static void test_resume_with_less_time(void **state)
{
    char path[64];
    cuzk_diagnosis_quality q;
    fake_workload w = noisy(9, 0.01);
    cuzk_diagnose_options o = fake_options(9);
    (void)state;
    state_path(path, "less-time");
    o.state_path = path;
    o.resume = true;
    o.precision = 0.001;
    o.min_blocks = o.max_blocks = 6;
    cuzk_diagnosis_free(diagnose(&w, &o));
    FILE *f = fopen(path, "a"); /* and one run of a seventh */
    fputs("{\"block\":6,\"config\":0,\"took_ms\":900000,\"total_ns\":1,\"peak_kb\":0,"
          "\"phases\":[],\"curve_ms\":[],\"curve_kb\":[]}\n",
          f);
    fclose(f);
    unsigned before = w.n_runs;
    o.min_blocks = 2;
    o.max_blocks = 64;
    o.max_seconds = 1e-6;
    cuzk_diagnosis *d = diagnose(&w, &o);
    cuzk_diagnosis_quality_of(&q, d);
    assert_int_equal(q.n_blocks, 6);
    assert_int_equal(w.n_runs, before);
    cuzk_diagnosis_free(d);
    o.max_seconds = 600;
    o.precision = 0.5;
    d = diagnose(&w, &o);
    cuzk_diagnosis_quality_of(&q, d);
    assert_int_equal(q.n_blocks, 6);
    assert_int_equal(w.n_runs, before);
    cuzk_diagnosis_free(d);
    unlink(path);
}

static void test_state_of_something_else(void **state)
{
    char path[64];
    cuzk_diagnosis *d = NULL;
    cuzk_err err = {0};
    fake_workload w = noisy(8, 0.01);
    cuzk_diagnose_options o = fake_options(8);
    const cuzk_diagnose_workload workload = {&w, fake_run, NULL};
    (void)state;
    state_path(path, "other");
    o.state_path = path;
    o.resume = true;
    cuzk_diagnosis_free(diagnose(&w, &o));
    o.workload = "another";
    assert_int_equal(cuzk_diagnose(&d, &o, &workload, &err), CUZK_INVAL);
    assert_non_null(strstr(err.msg, "another"));
    o.workload = "arithmetic";
    o.n_switches = 4;
    assert_int_equal(cuzk_diagnose(&d, &o, &workload, &err), CUZK_INVAL);
    o.n_switches = 5;
    o.seed = 9;
    assert_int_equal(cuzk_diagnose(&d, &o, &workload, &err), CUZK_INVAL);
    assert_non_null(strstr(err.msg, "seed"));
    FILE *f = fopen(path, "w");
    fputs("hello\n", f);
    fclose(f);
    assert_int_equal(cuzk_diagnose(&d, &o, &workload, &err), CUZK_ENCODING);
    unlink(path);
}

static void test_bad_options(void **state)
{
    static const char *const twice[] = {"A1", "A1"};
    static const char *const long_name[] = {"a-name-of-more-than-twenty-three-bytes"};
    cuzk_diagnosis *d = NULL;
    cuzk_err err = {0};
    fake_workload w = noisy(8, 0.01);
    const cuzk_diagnose_workload workload = {&w, fake_run, NULL};
    (void)state;
    cuzk_diagnose_options o = fake_options(1);
    o.n_switches = 0;
    assert_int_equal(cuzk_diagnose(&d, &o, &workload, &err), CUZK_INVAL);
    o = fake_options(1);
    o.switch_name = twice;
    o.n_switches = 2;
    assert_int_equal(cuzk_diagnose(&d, &o, &workload, &err), CUZK_INVAL);
    assert_non_null(strstr(err.msg, "twice"));
    o.switch_name = long_name;
    o.n_switches = 1;
    assert_int_equal(cuzk_diagnose(&d, &o, &workload, &err), CUZK_INVAL);
    o = fake_options(1);
    o.precision = 0.9;
    assert_int_equal(cuzk_diagnose(&d, &o, &workload, &err), CUZK_INVAL);
    o = fake_options(1);
    o.min_blocks = 1;
    assert_int_equal(cuzk_diagnose(&d, &o, &workload, &err), CUZK_INVAL);
    assert_int_equal(w.n_runs, 0);
}

static void test_stop(void **state)
{
    cuzk_diagnosis *d = NULL;
    cuzk_err err = {0};
    cuzk_flag stop;
    fake_workload w = noisy(8, 0.01);
    cuzk_diagnose_options o = fake_options(8);
    const cuzk_diagnose_workload workload = {&w, fake_run, NULL};
    (void)state;
    atomic_init(&stop, true);
    o.stop = &stop;
    assert_int_equal(cuzk_diagnose(&d, &o, &workload, &err), CUZK_CANCELLED);
    assert_non_null(strstr(err.msg, "23 runs"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_false_accusation),
        cmocka_unit_test(test_the_guilty_are_named),
        cmocka_unit_test(test_intervals_hold_the_truth),
        cmocka_unit_test(test_attribution),
        cmocka_unit_test(test_too_noisy),
        cmocka_unit_test(test_stops_when_precise),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_resume_with_less_time),
        cmocka_unit_test(test_state_of_something_else),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

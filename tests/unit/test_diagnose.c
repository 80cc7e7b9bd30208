/* Verdicts on workloads whose truth is known: who is named, how often the innocent are accused,
 * whether intervals hold what they promise. Error rates are asserted, so the seeds are fixed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit/diagnose_support.h"

static cuzk_diagnosis *diagnose(fake_workload *w, const cuzk_diagnose_options *opt)
{
    cuzk_diagnosis *d = NULL;
    cuzk_err err = {0};
    const cuzk_diagnose_workload workload = {w, fake_run, NULL};
    cuzk_status st = cuzk_diagnose(&d, opt, &workload, &err);
    if (st != CUZK_OK)
        fail_msg("%s", err.msg);
    return d;
}

static fake_workload noisy(uint64_t seed, double noise)
{
    return (fake_workload){
        .rng = {seed * 7919 + 13}, .noise = noise, .spikes = 0.04, .drift = 0.0005};
}

static bool accused(cuzk_verdict v)
{
    return v == CUZK_SLOWER || v == CUZK_FASTER;
}

/* Names of all that is accused of time, or of memory. */
static void names(char out[256], const cuzk_diagnosis *d, bool memory)
{
    cuzk_diagnose_verdict v;
    out[0] = '\0';
    for (size_t i = 0; cuzk_diagnosis_verdict(&v, d, i); i++) {
        if (accused(memory ? v.memory : v.time))
            snprintf(out + strlen(out), 256 - strlen(out), "%s;", v.name);
    }
}

/* ---- nobody did anything ---- */

static void test_no_false_accusation(void **state)
{
    static const double noise[] = {0.005, 0.02, 0.05};
    unsigned n_false = 0, n_all = 0;
    (void)state;
    for (unsigned i = 0; i < 300; i++) {
        char text[256], memory[256];
        fake_workload w = noisy(i, noise[i % 3]);
        cuzk_diagnose_options o = fake_options(i);
        o.max_blocks = 4 + i % 5;
        cuzk_diagnosis *d = diagnose(&w, &o);
        names(text, d, false);
        names(memory, d, true);
        n_false += text[0] || memory[0];
        n_all++;
        cuzk_diagnosis_free(d);
    }
    print_message("false accusations: %u of %u\n", n_false, n_all);
    assert_true(n_false <= 1);
}

/* ---- somebody did ---- */

static const struct {
    const char *what;
    unsigned n_effects;
    fake_effect effect[3];
    double noise;
    const char *time, *memory; /* who must be named */
} plants[] = {
    {"one, in the largest phase", 1, {{1u << 3, 5, 0.15}}, 0.02, "B1;", ""},
    {"one, in a small phase", 1, {{1u << 0, 1, 0.60}}, 0.02, "A1;", ""},
    {"one that helps", 1, {{1u << 2, 3, -0.15}}, 0.02, "A4;", ""},
    {"memory alone", 1, {{1u << 1, FAKE_PHASES, 0.08}}, 0.02, "", "A2;"},
    {"a pair", 1, {{1u << 0 | 1u << 3, 4, 0.40}}, 0.02, "A1 + B1;", ""},
    {"two", 2, {{1u << 0, 3, 0.10}, {1u << 4, 5, 0.10}}, 0.02, "A1;D4;", ""},
    {"one hurts, one helps, one grows",
     3,
     {{1u << 0, 3, 0.20}, {1u << 4, 5, -0.10}, {1u << 3, FAKE_PHASES, 0.1}},
     0.02,
     "A1;D4;",
     "B1;"},
    {"one, on a noisy machine", 1, {{1u << 3, 5, 0.25}}, 0.06, "B1;", ""},
};

static void test_the_guilty_are_named(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof plants / sizeof plants[0]; k++) {
        unsigned n_right = 0;
        for (unsigned i = 0; i < 40; i++) {
            char time[256], memory[256];
            fake_workload w = noisy(1000 * k + i, plants[k].noise);
            cuzk_diagnose_options o = fake_options(i);
            w.n_effects = plants[k].n_effects;
            memcpy(w.effect, plants[k].effect, sizeof plants[k].effect);
            o.max_blocks = 12;
            cuzk_diagnosis *d = diagnose(&w, &o);
            names(time, d, false);
            names(memory, d, true);
            bool right = strcmp(time, plants[k].time) == 0 && strcmp(memory, plants[k].memory) == 0;
            n_right += right;
            if (!right)
                print_message("  %s, seed %u: \"%s\" \"%s\"\n", plants[k].what, i, time, memory);
            cuzk_diagnosis_free(d);
        }
        print_message("%s: %u of 40\n", plants[k].what, n_right);
        assert_in_range(n_right, 38, 40);
    }
}

/* ---- how much, and where ---- */

static void test_intervals_hold_the_truth(void **state)
{
    unsigned n_held = 0;
    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        fake_workload w = noisy(i, 0.02);
        cuzk_diagnose_options o = fake_options(i);
        cuzk_diagnose_verdict v;
        w.n_effects = 1;
        w.effect[0] = (fake_effect){1u << 3, 5, 0.15};
        w.drift = 0;
        o.max_blocks = 8;
        cuzk_diagnosis *d = diagnose(&w, &o);
        bool held = true;
        for (size_t s = 0; s < 5 && cuzk_diagnosis_verdict(&v, d, s); s++) {
            double truth = s == 3 ? 0.15 * 90 * (1 + 0.02 * 0.798) : 0;
            held = held && v.ms.low <= truth && truth <= v.ms.high;
        }
        n_held += held;
        cuzk_diagnosis_free(d);
    }
    print_message("all five intervals right: %u of 100\n", n_held);
    assert_in_range(n_held, 88, 100);
}

static void test_attribution(void **state)
{
    fake_workload w = noisy(5, 0.01);
    cuzk_diagnose_options o = fake_options(5);
    cuzk_diagnose_verdict v;
    (void)state;
    w.n_effects = 1;
    w.effect[0] = (fake_effect){1u << 3, 4, 0.50};
    cuzk_diagnosis *d = diagnose(&w, &o);
    assert_true(cuzk_diagnosis_verdict(&v, d, 3));
    assert_string_equal(v.name, "B1");
    assert_int_equal(v.n_shares, 1);
    assert_string_equal(v.share[0].name, "ntt");
    assert_true(v.share[0].ms.low < 12.6 && v.share[0].ms.high > 12.5);
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
    fake_workload w = noisy(8, 0.01);
    cuzk_diagnose_options o = fake_options(8);
    const cuzk_diagnose_workload workload = {&w, fake_run, NULL};
    (void)state;
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
    d = diagnose(&w, &o); /* everything is there: the same answer, one warm-up */
    assert_string_equal(cuzk_diagnosis_answer(d), first);
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
        cmocka_unit_test(test_state_of_something_else),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

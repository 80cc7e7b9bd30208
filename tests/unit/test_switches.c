/* The table of switches: lists that are accepted and refused, and a small proof's bytes under each
 * of them (golden, WindowPoSt of 2 KiB sectors). */
#include "unit/switches_support.h"

#include "base/cpu.h"
#include "ntt/quotient.h"
#include "unit/ntt_support.h"

static const char circuit[] = "wpost-2k", request[] = "window-2k-1";

static int make_params(void **state)
{
    char path[CUZK_PATH_BYTES];
    if (test_dir_make(state) != 0 ||
        cuzk_params_make_insecure(circuit, test_dir, 0, NULL, path, NULL) != CUZK_OK)
        return -1;
    make_provers(test_dir);
    return 0;
}

static int drop_params(void **state)
{
    free_provers();
    return test_dir_remove(state);
}

/* ---- lists ---- */

static void lists_that_are_accepted(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        bool a1, b1;
    } cases[] = {
        {"A1=off", false, false},
        {"B1=on", true, true},
        {"a1=OFF,b1=On", false, true},
        {" A1 = off , B1 = on ", false, true},
        {"A1=0,B1=1", false, true},
        {"A1=no,B1=yes", false, true},
        {"A1=false,B1=TRUE", false, true},
        {"A1=on,B1=off", true, false},
        {"", true, false},
        {"  ", true, false},
        {"default", true, false},
    };
    for (size_t i = 0; i < CUZK_ARRAY_LEN(cases); i++) {
        set_switches("default");
        set_switches(cases[i].list);
        assert_int_equal(cuzk_switch_on(CUZK_SWITCH_A1), cases[i].a1);
        assert_int_equal(cuzk_switch_on(CUZK_SWITCH_B1), cases[i].b1);
    }
    set_switches("A1=off");
    set_switches("default");
    assert_true(cuzk_switch_on(CUZK_SWITCH_A1));
}

static void lists_that_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *list, *message;
    } cases[] = {
        {"A9=on", "there is no switch \"A9\"; the nearest is A1"},
        {"B2=on", "the nearest is B1"},
        {"batched-afine=off", "the nearest is batched-affine"},
        {"hugepages=off", "the nearest is huge-pages"},
        {"=on", "there is no switch \"\""},
        {"A1", "switch A1: the value is missing (A1=on, A1=off)"},
        {"A1=", "switch A1: \"\" is not a value; on or off is"},
        {"A1=banana", "switch A1: \"banana\" is not a value"},
        {"A1=off,A1=on", "switch A1 is given twice"},
        {"A1=off,,B1=on", "there is no switch \"\""},
        {"A1=off;B1=on", "switch A1: \"off;B1=on\" is not a value"},
        {"\xe2\x80\x9c"
         "A1=off",
         "the nearest is A1"},
        {"A1=off,default", "there is no switch \"default\""},
        {"a-name-that-is-longer-than-any-name-in-the-table-of-switches=on", "there is no switch"},
    };
    for (size_t i = 0; i < CUZK_ARRAY_LEN(cases); i++) {
        cuzk_err err = {0};
        set_switches("default");
        assert_int_equal(cuzk_switches_set(cases[i].list, &err), CUZK_INVAL);
        if (!strstr(err.msg, cases[i].message))
            fail_msg("\"%s\": want \"%s\" in \"%s\"", cases[i].list, cases[i].message, err.msg);
        assert_true(cuzk_switch_on(CUZK_SWITCH_A1)); /* nothing took effect */
        assert_false(cuzk_switch_on(CUZK_SWITCH_B1));
    }
}

static void the_list_of_all_can_be_set_again(void **state)
{
    (void)state;
    char before[CUZK_SWITCHES_BYTES], after[CUZK_SWITCHES_BYTES], small[8];
    set_switches("default");
    set_switches("D4=off,ifma=off,B1=on");
    cuzk_switches_format(before, sizeof before);
    assert_true(strlen(before) + 40 < sizeof before); /* room for more switches */
    assert_non_null(strstr(before, "A1=on,"));
    assert_non_null(strstr(before, "D4=off,"));
    set_switches("default");
    set_switches(before);
    cuzk_switches_format(after, sizeof after);
    assert_string_equal(before, after);
    cuzk_switches_format(small, sizeof small);
    assert_string_equal(small, "A1=on,A");
    set_switches("default");
}

static void the_table_is_complete(void **state)
{
    (void)state;
    cuzk_switch_info a, b;
    size_t n = 0;
    for (; cuzk_switch_at(&a, n); n++) {
        assert_true(a.name[0] && a.what[0] && a.where[0] && strncmp(a.measured, "docs/", 5) == 0);
        assert_non_null(strstr(a.what, "off: "));
        assert_int_equal(a.is_on, a.is_on_by_default);
        for (size_t i = 0; i < n && cuzk_switch_at(&b, i); i++)
            assert_string_not_equal(a.name, b.name);
    }
    assert_int_equal(n, CUZK_SWITCH_COUNT);
}

/* ---- what they act on ---- */

static void eight_lanes_can_be_left(void **state)
{
    (void)state;
    set_switches("default");
    assert_int_equal(cuzk_cpu_lanes(), cuzk_cpu_active() == CUZK_CPU_IFMA);
    set_switches("ifma=off");
    assert_false(cuzk_cpu_lanes());
    set_switches("default");
}

/* The quotient of given values of c is that of a b, in both arithmetics. */
static void quotient_of_given_c(void **state)
{
    (void)state;
    for (unsigned lg_n = 0; lg_n <= 12; lg_n += 3) {
        size_t n = (size_t)1 << lg_n;
        ntt_plan *plan = test_plan(lg_n, NULL);
        fr *a = test_vector(n, 1), *b = test_vector(n, 2), *h = test_vector(n, 3);
        fr *a2 = test_vector(n, 1), *b2 = test_vector(n, 2), *c = test_vector(n, 3);
        for (size_t i = 0; i < n; i++)
            fr_mul(&c[i], &a[i], &b[i]);
        cuzk_ntt_quotient(plan, h, a, b, NULL);
        cuzk_ntt_quotient_of(plan, c, a2, b2, NULL);
        assert_memory_equal(h, c, n * sizeof(fr));
        fr *all[] = {a, b, h, a2, b2, c};
        for (size_t i = 0; i < CUZK_ARRAY_LEN(all); i++)
            cuzk_free(all[i]);
        cuzk_ntt_plan_free(plan);
    }
}

static void freed_blocks_are_kept_or_returned(void **state)
{
    (void)state;
    set_switches("kept-pages=off");
    uint64_t before = cuzk_mem_kept();
    void *p = cuzk_malloc((size_t)32 << 20);
    assert_non_null(p);
    uint64_t rest = cuzk_mem_kept(); /* what is left of the mapping */
    cuzk_free(p);
    assert_int_equal(cuzk_mem_kept(), rest);
    assert_true(rest - before < (size_t)4 << 20);
    set_switches("default");
    assert_int_equal(cuzk_mem_kept(), 0); /* the change returned what was kept */
}

static void proofs_have_the_same_bytes(void **state)
{
    (void)state;
    if (test_skip_without_data())
        return;
    check_each_flipped(request);
    check_flipped_together(request, true, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_complete),
        cmocka_unit_test(lists_that_are_accepted),
        cmocka_unit_test(lists_that_are_refused),
        cmocka_unit_test(the_list_of_all_can_be_set_again),
        cmocka_unit_test(eight_lanes_can_be_left),
        cmocka_unit_test(quotient_of_given_c),
        cmocka_unit_test(freed_blocks_are_kept_or_returned),
        cmocka_unit_test(proofs_have_the_same_bytes),
    };
    set_switches("default"); /* whatever CUZK_OPTS says */
    return cmocka_run_group_tests(tests, make_params, drop_params);
}

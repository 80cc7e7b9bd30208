/* The error rates of test_diagnose.c from thousands of diagnoses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/diagnose_support.h"

#define N_INNOCENT  3000u
#define N_GUILTY    200u
#define N_INTERVALS 300u
#include "unit/diagnose_rates.inc"

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_false_accusation),
        cmocka_unit_test(test_the_guilty_are_named),
        cmocka_unit_test(test_intervals_hold_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

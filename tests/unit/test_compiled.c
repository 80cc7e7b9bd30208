/* The compiled circuit and witness: equal to the interpreted ones row by row and value by value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "compiled_support.h"

static cuzk_pool *pool;

static int make_pool(void **state)
{
    (void)state;
    return cuzk_pool_new(&pool, 3, "test", NULL) == CUZK_OK ? 0 : -1;
}

static int free_pool(void **state)
{
    (void)state;
    cuzk_pool_free(pool);
    return 0;
}

static void structure_of_small_circuits(void **state)
{
    static const char *const name[] = {"porep-2k", "winning-2k", "wpost-2k", "snap-2k",
                                       "winning-32g", "wpost-512m"};
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(name); i++)
        check_compiled_circuit(name[i]);
}

static void values_of_requests(void **state)
{
    static const char *const folder[] = {"winning-2k", "window-2k-1", "window-2k-3-v1",
                                         "porep-2k-a", "update-2k"};
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(folder); i++) {
        char path[256];
        snprintf(path, sizeof path, "tests/data/%s", folder[i]);
        check_compiled_folder(path, pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structure_of_small_circuits),
        cmocka_unit_test(values_of_requests),
    };
    return cmocka_run_group_tests(tests, make_pool, free_pool);
}

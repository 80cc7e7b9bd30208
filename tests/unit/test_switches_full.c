/* Every switch, and combinations of them, on larger circuits: WinningPoSt, PoRep and SnapDeals of
 * 2 KiB sectors. The bytes are those of the golden proofs. */
#include "unit/switches_support.h"

static int make_params(void **state)
{
    static const char *const circuits[] = {"winning-2k", "porep-2k", "snap-2k"};
    char path[CUZK_PATH_BYTES];
    if (test_dir_make(state) != 0)
        return -1;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(circuits); i++)
        if (cuzk_params_make_insecure(circuits[i], test_dir, 0, NULL, path, NULL) != CUZK_OK)
            return -1;
    make_provers(test_dir);
    return 0;
}

static int drop_params(void **state)
{
    free_provers();
    return test_dir_remove(state);
}

static void winning(void **state)
{
    (void)state;
    if (test_skip_without_data())
        return;
    check_each_flipped("winning-2k");
    for (uint64_t seed = 1; seed <= 20; seed++) /* pseudo-random combinations */
        check_flipped_together("winning-2k", seed & 1, seed * 0x9e3779b97f4a7c15u >> 40);
}

static void porep(void **state)
{
    (void)state;
    if (!test_skip_without_data())
        check_each_flipped("porep-2k-a");
}

static void snap(void **state)
{
    (void)state;
    if (!test_skip_without_data())
        check_each_flipped("update-2k");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(winning),
        cmocka_unit_test(porep),
        cmocka_unit_test(snap),
    };
    return cmocka_run_group_tests(tests, make_params, drop_params);
}

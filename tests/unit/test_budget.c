/* The memory budget: what fits, who comes first, what is refused; and how much there is to divide
 * (CASES E01, E03). */
#include "unit/groth16_support.h"

#include <pthread.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "engine/budget.h"
#include "engine/memory_available.h"

#define N_THREADS 4
#define N_ROUNDS  400

static cuzk_budget *budget_of(uint64_t total)
{
    cuzk_budget *b;
    assert_int_equal(cuzk_budget_new(&b, total, NULL), CUZK_OK);
    return b;
}

/* Used, and that it is the sum of the kinds. */
static uint64_t used_of(cuzk_budget *b)
{
    budget_stats s;
    uint64_t sum = 0;
    cuzk_budget_stats(b, &s);
    for (size_t k = 0; k < BUDGET_KINDS; k++)
        sum += s.kind[k];
    assert_int_equal(sum, s.used);
    return s.used;
}

static unsigned n_waiting(cuzk_budget *b)
{
    budget_stats s;
    cuzk_budget_stats(b, &s);
    return s.n_waiting;
}

static void wait_until_waiting(cuzk_budget *b, unsigned n)
{
    const struct timespec tick = {.tv_nsec = 1000000};
    while (n_waiting(b) != n)
        nanosleep(&tick, NULL);
}

/* ---- one at a time ---- */

static void e01_what_never_fits_is_refused_at_once(void **state)
{
    (void)state;
    static const struct {
        uint64_t total, srs, partition;
        cuzk_status want;
    } row[] = {{1 << 20, 47000000, 1, CUZK_MEMORY},
               {0, 1, 0, CUZK_MEMORY},
               {1000, 1000, 1, CUZK_MEMORY},  /* exactly the parameters */
               {1000, 900, 101, CUZK_MEMORY}, /* one byte too few */
               {1000, 900, 100, CUZK_OK},     /* exactly enough */
               {UINT64_MAX, 1 << 30, 1, CUZK_OK},
               {1000, UINT64_MAX, 2, CUZK_MEMORY}}; /* the sum must not wrap */
    for (size_t i = 0; i < CUZK_ARRAY_LEN(row); i++) {
        cuzk_err err = {0};
        cuzk_budget *b = budget_of(row[i].total);
        const budget_token t = {
            .bytes = {[BUDGET_SRS] = row[i].srs, [BUDGET_PARTITION] = row[i].partition}};
        const budget_wish w = {.what = "porep-2k"};
        assert_int_equal(cuzk_budget_reserve(b, &t, &w, &err), row[i].want);
        if (row[i].want == CUZK_OK) {
            assert_int_equal(used_of(b), row[i].srs + row[i].partition);
            cuzk_budget_release(b, &t);
        } else {
            char have[40];
            snprintf(have, sizeof have, "(%llu bytes)", (unsigned long long)row[i].total);
            assert_non_null(strstr(err.msg, "porep-2k needs"));
            assert_non_null(strstr(err.msg, have));
        }
        assert_int_equal(used_of(b), 0);
        cuzk_budget_free(b);
    }
}

static void not_now_is_told_from_never(void **state)
{
    (void)state;
    cuzk_err err;
    cuzk_budget *b = budget_of(100);
    const budget_token t = {.bytes[BUDGET_PARTITION] = 60};
    const budget_wish now = {.now = true, .what = "x"};
    atomic_bool cancel = true;
    const budget_wish cancelled = {.cancel = &cancel, .what = "x"};
    assert_int_equal(cuzk_budget_reserve(b, &t, &now, &err), CUZK_OK);
    assert_int_equal(cuzk_budget_reserve(b, &t, &now, &err), CUZK_BUDGET);
    assert_non_null(strstr(err.msg, "try again later"));
    assert_int_equal(cuzk_budget_reserve(b, &t, &cancelled, &err), CUZK_CANCELLED);
    assert_int_equal(used_of(b), 60);
    assert_int_equal(n_waiting(b), 0);
    cuzk_budget_release(b, &t);
    cuzk_budget_free(b);
}

#define MIB ((uint64_t)1 << 20)

static void requests_have_a_share(void **state)
{
    (void)state;
    cuzk_err err;
    budget_stats s;
    cuzk_budget *b = budget_of(8000 * MIB);
    assert_int_equal(cuzk_budget_take_payload(b, 900 * MIB, NULL), CUZK_OK);
    assert_int_equal(cuzk_budget_take_payload(b, 101 * MIB, &err), CUZK_BUDGET);
    assert_non_null(strstr(err.msg, "943718400 of at most 1048576000"));
    assert_int_equal(cuzk_budget_take_payload(b, 100 * MIB, NULL), CUZK_OK);
    cuzk_budget_stats(b, &s);
    assert_int_equal(s.kind[BUDGET_PAYLOAD], 1000 * MIB);
    assert_int_equal(s.n_refused, 1);
    /* a job that needs it all does not wait for requests that wait for it */
    const budget_token all = {.bytes[BUDGET_PARTITION] = 8000 * MIB};
    assert_true(cuzk_budget_take(b, &all, NULL, false));
    assert_int_equal(used_of(b), 9000 * MIB);
    const budget_token one = {.bytes[BUDGET_PARTITION] = 1};
    assert_false(cuzk_budget_take(b, &one, NULL, false));
    cuzk_budget_release_one(b, BUDGET_PAYLOAD, 1000 * MIB);
    /* a full budget still takes one request, or a few small ones */
    assert_int_equal(cuzk_budget_take_payload(b, 15 * MIB, NULL), CUZK_OK);
    assert_int_equal(cuzk_budget_take_payload(b, MIB, NULL), CUZK_OK);
    assert_int_equal(cuzk_budget_take_payload(b, 1, NULL), CUZK_BUDGET);
    cuzk_budget_free(b);
}

static void own_tokens_are_not_counted_twice(void **state)
{
    (void)state;
    cuzk_budget *b = budget_of(100);
    const budget_token srs = {.bytes[BUDGET_SRS] = 60}, idle = {.bytes[BUDGET_SRS] = 10};
    const budget_token part = {.bytes[BUDGET_PARTITION] = 40};
    assert_true(cuzk_budget_take(b, &srs, NULL, false));
    assert_true(cuzk_budget_take(b, &part, &srs, false));
    cuzk_budget_release(b, &part);
    assert_true(cuzk_budget_take(b, &idle, NULL, false));
    assert_false(cuzk_budget_take(b, &part, &srs, false));
    cuzk_budget_release(b, &idle);
    assert_int_equal(cuzk_budget_take_payload(b, 30, NULL), CUZK_OK);
    assert_true(cuzk_budget_take(b, &part, &srs, false)); /* alone but for the request */
    cuzk_budget_free(b);
}

/* ---- reclaim ---- */

typedef struct {
    cuzk_budget *b;
    uint64_t idle, asked;
    unsigned n;
} idle_things;

static bool give_idle(void *ctx, uint64_t need)
{
    idle_things *t = ctx;
    t->n++;
    t->asked = need;
    if (t->idle < need)
        return false;
    cuzk_budget_release_one(t->b, BUDGET_SRS, t->idle);
    t->idle = 0;
    return true;
}

static void idle_things_are_asked_for(void **state)
{
    (void)state;
    budget_stats s;
    idle_things idle = {.b = budget_of(100), .idle = 70};
    const budget_token srs = {.bytes[BUDGET_SRS] = 70}, t = {.bytes[BUDGET_PARTITION] = 50};
    const budget_wish now = {.now = true, .what = "x"};
    cuzk_budget_on_reclaim(idle.b, give_idle, &idle);
    assert_true(cuzk_budget_take(idle.b, &srs, NULL, true));
    assert_false(cuzk_budget_take(idle.b, &t, NULL, false));
    assert_int_equal(idle.n, 0);
    assert_int_equal(cuzk_budget_reserve(idle.b, &t, &now, NULL), CUZK_OK);
    assert_int_equal(idle.asked, 20);
    assert_int_equal(cuzk_budget_reserve(idle.b, &t, &now, NULL), CUZK_OK); /* fits without */
    assert_int_equal(idle.n, 1);
    assert_int_equal(cuzk_budget_reserve(idle.b, &t, &now, NULL), CUZK_BUDGET);
    assert_int_equal(idle.n, 2);
    cuzk_budget_stats(idle.b, &s);
    assert_int_equal(s.n_reclaimed, 1);
    assert_int_equal(s.peak, 100);
    cuzk_budget_free(idle.b);
}

/* Requests do not hide that all that stands in the way is idle. */
static void reclaim_is_asked_for_what_suffices(void **state)
{
    (void)state;
    idle_things idle = {.b = budget_of(100), .idle = 45};
    const budget_token srs = {.bytes[BUDGET_SRS] = 45}, t = {.bytes[BUDGET_PARTITION] = 95};
    const budget_wish now = {.now = true, .what = "x"};
    cuzk_budget_on_reclaim(idle.b, give_idle, &idle);
    assert_true(cuzk_budget_take(idle.b, &srs, NULL, true));
    assert_int_equal(cuzk_budget_take_payload(idle.b, 10, NULL), CUZK_OK);
    assert_int_equal(cuzk_budget_reserve(idle.b, &t, &now, NULL), CUZK_OK);
    assert_int_equal(idle.asked, 45);
    cuzk_budget_free(idle.b);
}

/* ---- several threads ---- */

typedef struct {
    cuzk_budget *b;
    budget_wish wish;
    uint64_t bytes;
    atomic_uint *order;
    unsigned place;
    cuzk_status st;
    pthread_t thread;
} applicant;

static void *apply(void *ctx)
{
    applicant *a = ctx;
    const budget_token t = {.bytes[BUDGET_PARTITION] = a->bytes};
    a->st = cuzk_budget_reserve(a->b, &t, &a->wish, NULL);
    a->place = atomic_fetch_add(a->order, 1);
    if (a->st == CUZK_OK)
        cuzk_budget_release(a->b, &t);
    return NULL;
}

/* By urgency, then by arrival, whatever the sizes: what is small does not overtake. */
static void who_waits_gets_it_in_order(void **state)
{
    (void)state;
    static const struct {
        int urgency;
        uint64_t bytes;
        unsigned place;
    } row[] = {{1, 100, 2}, {1, 10, 3}, {0, 5, 5}, {3, 100, 0}, {3, 60, 1}, {1, 60, 4}};
    atomic_uint order = 0;
    applicant a[CUZK_ARRAY_LEN(row)];
    cuzk_budget *b = budget_of(100);
    const budget_token t = {.bytes[BUDGET_PARTITION] = 99};
    assert_true(cuzk_budget_take(b, &t, NULL, false));
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(row); i++) {
        a[i] = (applicant){.b = b, .bytes = row[i].bytes, .order = &order};
        a[i].wish = (budget_wish){.urgency = row[i].urgency, .what = "x"};
        assert_int_equal(pthread_create(&a[i].thread, NULL, apply, &a[i]), 0);
        wait_until_waiting(b, i + 1);
    }
    cuzk_budget_release(b, &t);
    for (size_t i = 0; i < CUZK_ARRAY_LEN(row); i++)
        pthread_join(a[i].thread, NULL);
    /* 10 + 5 and 60 fit together, so neighbours may end in either order */
    assert_int_equal(a[3].place, 0);
    assert_int_equal(a[4].place, 1);
    assert_int_equal(a[0].place, 2);
    for (size_t i = 0; i < CUZK_ARRAY_LEN(row); i++)
        assert_int_equal(a[i].st, CUZK_OK);
    assert_int_equal(used_of(b), 0);
    cuzk_budget_free(b);
}

static void count_call(void *ctx)
{
    atomic_fetch_add((atomic_uint *)ctx, 1);
}

static void waiting_ends_by_cancelling(void **state)
{
    (void)state;
    atomic_uint order = 0, told = 0;
    atomic_bool cancel = false;
    cuzk_budget *b = budget_of(10);
    const budget_token t = {.bytes[BUDGET_SRS] = 10};
    applicant a = {.b = b, .bytes = 1, .order = &order};
    a.wish =
        (budget_wish){.cancel = &cancel, .what = "x", .waiting = count_call, .waiting_ctx = &told};
    assert_true(cuzk_budget_take(b, &t, NULL, false));
    assert_int_equal(pthread_create(&a.thread, NULL, apply, &a), 0);
    wait_until_waiting(b, 1);
    while (atomic_load(&told) == 0)
        sched_yield();
    uint64_t begin = cuzk_now_ns();
    atomic_store(&cancel, true);
    pthread_join(a.thread, NULL);
    assert_int_equal(a.st, CUZK_CANCELLED);
    assert_in_range(cuzk_now_ns() - begin, 0, 1900000000u);
    assert_int_equal(atomic_load(&told), 1);
    assert_int_equal(used_of(b), 10);
    cuzk_budget_free(b);
}

typedef struct {
    cuzk_budget *b;
    unsigned seed;
    pthread_t thread;
} worker;

static void *take_and_give(void *ctx)
{
    worker *w = ctx;
    for (unsigned i = 0; i < N_ROUNDS; i++) {
        w->seed = w->seed * 1664525u + 1013904223u;
        const budget_token t = {.bytes = {w->seed >> 28, w->seed >> 30, 1 + (w->seed >> 8) % 70}};
        const budget_wish wish = {.urgency = (int)(w->seed >> 4 & 3), .what = "x"};
        if (cuzk_budget_reserve(w->b, &t, &wish, NULL) == CUZK_OK)
            cuzk_budget_release(w->b, &t);
        if (cuzk_budget_take_payload(w->b, 1 + i % 5, NULL) == CUZK_OK)
            cuzk_budget_release_one(w->b, BUDGET_PAYLOAD, 1 + i % 5);
    }
    return NULL;
}

static void nothing_is_lost_among_threads(void **state)
{
    (void)state;
    worker w[N_THREADS];
    cuzk_budget *b = budget_of(100);
    budget_stats s;
    for (unsigned i = 0; i < N_THREADS; i++) {
        w[i] = (worker){.b = b, .seed = i + 1};
        assert_int_equal(pthread_create(&w[i].thread, NULL, take_and_give, &w[i]), 0);
    }
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_join(w[i].thread, NULL);
    cuzk_budget_stats(b, &s);
    assert_int_equal(used_of(b), 0);
    assert_int_equal(s.n_waiting, 0);
    assert_true(s.peak <= 100 + N_THREADS * 5);
    cuzk_budget_free(b);
}

/* ---- what the system has ---- */

static void put_file(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/root%s", test_dir, name);
    for (char *p = strchr(path + strlen(test_dir) + 1, '/'); p; p = strchr(p + 1, '/')) {
        *p = '\0';
        mkdir(path, 0700);
        *p = '/';
    }
    test_write_file(path, text, strlen(text));
}

static int drop_root(void **state)
{
    char command[600];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s/root'", test_dir);
    return system(command);
}

static void expect_available(uint64_t bytes)
{
    assert_int_equal(cuzk_memory_available(test_path("root")), bytes);
}

static void e03_available_in_groups(void **state)
{
    (void)state;
    expect_available(UINT64_MAX);
    put_file("/proc/meminfo", "MemTotal: 900 kB\nMemFree: 1 kB\nMemAvailable:   500 kB\n");
    expect_available(512000);
    put_file("/proc/self/cgroup", "1:cpu:/x\n0::/a/b\n");
    expect_available(512000);
    put_file("/sys/fs/cgroup/a/b/memory.max", "max\n");
    put_file("/sys/fs/cgroup/a/memory.max", "400000\n");
    expect_available(400000);
    put_file("/sys/fs/cgroup/a/memory.current", "300000\n");
    expect_available(100000);
    put_file("/sys/fs/cgroup/a/memory.stat", "anon 5\nfile 9\ninactive_file 50000\n");
    expect_available(150000);
    put_file("/sys/fs/cgroup/a/b/memory.max", "7\n");
    expect_available(7);
    put_file("/sys/fs/cgroup/a/b/memory.current", "8\n");
    expect_available(0);
    assert_true(cuzk_memory_available("") > 0);
}

static void e03_available_in_old_groups(void **state)
{
    (void)state;
    put_file("/proc/meminfo", "MemTotal: 900 kB\nMemAvailable: 500 kB\n");
    put_file("/proc/self/cgroup", "12:memory:/docker/x\n0::/\n");
    expect_available(512000);
    put_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    expect_available(512000);
    put_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "300000\n");
    put_file("/sys/fs/cgroup/memory/memory.usage_in_bytes", "200000\n");
    put_file("/sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 40000\n");
    expect_available(140000);
}

#define GROUP_V2(name) "/sys/fs/cgroup" name "/memory.max"
#define GROUP_V1(name) "/sys/fs/cgroup/memory" name "/memory.limit_in_bytes"

/* Limits on child and parent, in either hierarchy; the least counts. */
static void e03_total_is_the_least_limit(void **state)
{
    (void)state;
    static const struct {
        const char *cgroup;     /* /proc/self/cgroup */
        const char *file[2][2]; /* name, content */
        uint64_t address_space;
        uint64_t want;
        const char *source;
    } row[] = {
        {"0::/\n", {{NULL}}, UINT64_MAX, 8192000000, "MemTotal"},
        {"0::/a/b\n", {{GROUP_V2("/a/b"), "268435456\n"}}, UINT64_MAX, 268435456, "group /a/b"},
        {"0::/a/b\n", {{GROUP_V2("/a"), "268435456\n"}}, UINT64_MAX, 268435456, "group /a"},
        {"0::/a/b\n",
         {{GROUP_V2("/a/b"), "max\n"}, {GROUP_V2("/a"), "268435456\n"}},
         UINT64_MAX,
         268435456,
         "group /a"},
        {"0::/a/b\n",
         {{GROUP_V2("/a/b"), "300000000\n"}, {GROUP_V2("/a"), "268435456\n"}},
         UINT64_MAX,
         268435456,
         "group /a"},
        {"0::/a/b\n", {{GROUP_V2("/a/b"), "max\n"}}, UINT64_MAX, 8192000000, "MemTotal"},
        {"0::/a/b\n", {{GROUP_V2(""), "1000\n"}}, UINT64_MAX, 1000, "group /"},
        {"0::/a/b\n", {{GROUP_V2("/a/b"), "99999999999\n"}}, UINT64_MAX, 8192000000, "MemTotal"},
        {"5:cpu,memory:/k/pod\n1:name=systemd:/x\n",
         {{GROUP_V1("/k/pod"), "268435456\n"}},
         UINT64_MAX,
         268435456,
         "group /k/pod"},
        {"5:memory:/k/pod\n", {{GROUP_V1("/k"), "268435456\n"}}, UINT64_MAX, 268435456, "group /k"},
        {"5:memory:/not/here\n", {{GROUP_V1(""), "268435456\n"}}, UINT64_MAX, 268435456, "group /"},
        {"5:memory:/k\n",
         {{GROUP_V1("/k"), "9223372036854771712\n"}},
         UINT64_MAX,
         8192000000,
         "MemTotal"},
        {"5:memory_not:/k\n", {{GROUP_V1("/k"), "5\n"}}, UINT64_MAX, 8192000000, "MemTotal"},
        {"0::/\n", {{NULL}}, 1000000000, 1000000000, "address space"},
        {"0::/\n", {{"/proc/self/statm", "1000 5 6 7 0 8 0\n"}}, 1000000000, 0, "address space"},
        {"0::/\n", {{"/proc/self/statm", "1000000 5\n"}}, 1000000000, 0, "address space"},
    };
    for (size_t i = 0; i < CUZK_ARRAY_LEN(row); i++) {
        memory_total t;
        uint64_t want = row[i].want;
        put_file("/proc/meminfo", "MemTotal: 8000000 kB\nMemAvailable: 500 kB\n");
        put_file("/proc/self/cgroup", row[i].cgroup);
        for (size_t k = 0; k < 2 && row[i].file[k][0]; k++)
            put_file(row[i].file[k][0], row[i].file[k][1]);
        if (row[i].file[0][0] && strncmp(row[i].file[0][1], "1000 ", 5) == 0)
            want = 1000000000 - 1000 * (uint64_t)sysconf(_SC_PAGESIZE);
        cuzk_memory_total_of(&t, test_path("root"), row[i].address_space);
        if (t.bytes != want || !strstr(t.source, row[i].source))
            fail_msg("row %zu: %llu, %s", i, (unsigned long long)t.bytes, t.source);
        assert_int_equal(drop_root(state), 0);
    }
}

static void margin_is_a_share(void **state)
{
    (void)state;
    assert_int_equal(cuzk_memory_margin(256 * MIB), 16 * MIB);
    assert_int_equal(cuzk_memory_margin((uint64_t)1 << 40), (uint64_t)5 << 30);
    memory_total t;
    cuzk_memory_total(&t, "");
    assert_in_range(t.bytes, 1, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(e01_what_never_fits_is_refused_at_once),
        cmocka_unit_test(not_now_is_told_from_never),
        cmocka_unit_test(requests_have_a_share),
        cmocka_unit_test(own_tokens_are_not_counted_twice),
        cmocka_unit_test(idle_things_are_asked_for),
        cmocka_unit_test(reclaim_is_asked_for_what_suffices),
        cmocka_unit_test(who_waits_gets_it_in_order),
        cmocka_unit_test(waiting_ends_by_cancelling),
        cmocka_unit_test(nothing_is_lost_among_threads),
        cmocka_unit_test_teardown(e03_available_in_groups, drop_root),
        cmocka_unit_test_teardown(e03_available_in_old_groups, drop_root),
        cmocka_unit_test_teardown(e03_total_is_the_least_limit, drop_root),
        cmocka_unit_test(margin_is_a_share),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}

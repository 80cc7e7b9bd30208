/* Whose turn it is: preemption, deadlines, ageing, turns of partitions, cancellation between them,
 * the watchdog, the snapshot of jobs. The prover is a fake whose partitions wait for turns that the
 * test gives; named after the cases of the field's bug reports (D06 and so on) where one applies.
 */
#include "unit/engine_support.h"

#define SECOND ((uint64_t)1000000000u)

static void start_with_clock(fixture *f)
{
    engine_options o = ENGINE_OPTIONS_DEFAULTS;
    o.now_ns = fake_clock;
    o.ageing_ns = 600 * SECOND;
    o.stall_ns = 60 * SECOND;
    fake_now = 1000 * SECOND;
    start(f, &o);
}

static void give(fixture *f, uint64_t sector, unsigned n)
{
    while (n-- > 0)
        fake_give_turn(&f->fake, sector);
}

static void submit_ok(fixture *f, ask a)
{
    assert_int_equal(submit(f, a, true, NULL, NULL), CUZK_OK);
}

static void assert_order(fixture *f, const uint64_t expected[], unsigned n)
{
    fake_wait_started(&f->fake, n);
    pthread_mutex_lock(&f->fake.lock);
    for (unsigned i = 0; i < n; i++) {
        if (f->fake.order[i] != expected[i])
            fail_msg("turn %u: sector %llu, expected %llu", i, (unsigned long long)f->fake.order[i],
                     (unsigned long long)expected[i]);
    }
    assert_int_equal(f->fake.n_started, n);
    pthread_mutex_unlock(&f->fake.lock);
}

static engine_stats stats_of(fixture *f)
{
    engine_stats s;
    cuzk_engine_stats(f->e, &s);
    return s;
}

/* Waits until the engine has seen the end of n partitions. */
static void wait_partitions(fixture *f, uint64_t n)
{
    while (stats_of(f).n_partitions < n)
        sched_yield();
}

static engine_job_info info_of(fixture *f, const char *id)
{
    engine_job_info all[32];
    size_t n = cuzk_engine_jobs(f->e, all, 32);
    for (size_t i = 0; i < n && i < 32; i++) {
        if (strcmp(all[i].job_id, id) == 0)
            return all[i];
    }
    fail_msg("no job %s", id);
    return all[0];
}

static void d06_winning_starts_during_porep(void **state)
{
    (void)state;
    fixture f;
    start_with_clock(&f);
    const char *id[] = {"p1", "p2", "p3"};
    for (unsigned i = 0; i < 3; i++)
        submit_ok(&f, (ask){.id = id[i], .miner = FAKE_TURNS, .sector = i + 1, .parts = 4});
    assert_order(&f, (uint64_t[]){1}, 1);
    submit_ok(&f, (ask){.id = "w", .kind = CUZK_KIND_WINNING, .sector = 9});
    wait_heard(&f.ear, 1); /* while p1's partition is still in work */
    assert_int_equal(f.ear.first_byte[0], 9);
    assert_order(&f, (uint64_t[]){1, 9}, 2);
    assert_int_equal(stats_of(&f).n_preemptions, 1);
    assert_int_equal(f.fake.most_open, 2);
    for (unsigned i = 0; i < 3; i++)
        give(&f, i + 1, 4);
    wait_heard(&f.ear, 4);
    assert_order(&f, (uint64_t[]){1, 9, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}, 13);
    assert_int_equal(stats_of(&f).n_partitions, 13);
    finish(&f);
}

/* Three levels deep, each started while the one below is in a partition; then they end top down. */
static void urgencies_stack(void **state)
{
    (void)state;
    fixture f;
    start_with_clock(&f);
    for (int p = PRIORITY_LOW; p <= PRIORITY_CRITICAL; p++) {
        char id[2] = {(char)('0' + p), 0};
        submit_ok(&f, (ask){.id = id, .priority = p, .miner = FAKE_TURNS, .sector = (uint64_t)p});
        fake_wait_started(&f.fake, (unsigned)p);
        submit_ok(&f, (ask){.id = p == 1   ? "1b"
                                  : p == 2 ? "2b"
                                  : p == 3 ? "3b"
                                           : "4b",
                            .priority = p,
                            .sector = 10 + (uint64_t)p});
    }
    assert_order(&f, (uint64_t[]){1, 2, 3, 4}, 4); /* the second of each class waits */
    for (uint64_t p = 4; p >= 1; p--)
        give(&f, p, 1);
    wait_heard(&f.ear, 8);
    finish(&f);
}

static void earliest_deadline_first(void **state)
{
    (void)state;
    fixture f;
    start_with_clock(&f);
    submit_ok(&f, (ask){.id = "blocker", .priority = PRIORITY_CRITICAL, .miner = FAKE_TURNS});
    fake_wait_started(&f.fake, 1);
    const struct {
        const char *id;
        uint64_t sector, seconds;
    } c[] = {{"a", 1, 0}, {"b", 2, 90}, {"c", 3, 30}, {"d", 4, 0}, {"e", 5, 5}, {"f", 6, 90}};
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(c); i++)
        submit_ok(&f, (ask){.id = c[i].id,
                            .kind = CUZK_KIND_WINDOW,
                            .sector = c[i].sector,
                            .deadline_ns = c[i].seconds ? fake_now + c[i].seconds * SECOND : 0});
    fake_now += 10 * SECOND; /* e is late: its deadline no longer counts */
    give(&f, 0, 1);
    wait_heard(&f.ear, 7);
    assert_order(&f, (uint64_t[]){0, 3, 2, 6, 1, 4, 5}, 7);
    engine_kind_stats w = stats_of(&f).kind[CUZK_KIND_WINDOW];
    assert_int_equal(w.deadline_met, 3);
    assert_int_equal(w.deadline_missed, 1);
    assert_int_equal(w.deadline_margin_ms, (20 + 80 + 80) * 1000);
    assert_int_equal(w.n_started, 6);
    assert_int_equal(w.queue_ms, 60 * 1000);
    finish(&f);
}

static void d08_window_passes_porep_stream(void **state)
{
    (void)state;
    fixture f;
    start_with_clock(&f);
    submit_ok(&f, (ask){.id = "p1", .miner = FAKE_TURNS, .sector = 1, .parts = 2});
    submit_ok(&f, (ask){.id = "p2", .miner = FAKE_TURNS, .sector = 2, .parts = 2});
    fake_wait_started(&f.fake, 1);
    submit_ok(&f, (ask){.id = "w",
                        .kind = CUZK_KIND_WINDOW,
                        .sector = 7,
                        .deadline_ns = fake_now + 30 * SECOND});
    wait_heard(&f.ear, 1);
    assert_int_equal(f.ear.first_byte[0], 7);
    assert_int_equal(stats_of(&f).kind[CUZK_KIND_WINDOW].deadline_met, 1);
    fake_open_gate(&f.fake);
    wait_heard(&f.ear, 3);
    finish(&f);
}

/* Between two partitions of a job another one of its class may have its turn. */
static void partitions_are_the_unit(void **state)
{
    (void)state;
    fixture f;
    start_with_clock(&f);
    submit_ok(&f, (ask){.id = "p", .miner = FAKE_TURNS, .sector = 1, .parts = 3});
    fake_wait_started(&f.fake, 1);
    submit_ok(&f, (ask){.id = "later", .sector = 2});
    submit_ok(&f, (ask){.id = "soon",
                        .miner = FAKE_TURNS,
                        .sector = 3,
                        .deadline_ns = fake_now + 5 * SECOND});
    assert_int_equal(info_of(&f, "p").state, ENGINE_JOB_RUNNING);
    assert_int_equal(info_of(&f, "soon").state, ENGINE_JOB_QUEUED);
    give(&f, 1, 1);
    fake_wait_started(&f.fake, 2);
    engine_job_info p = info_of(&f, "p"), soon = info_of(&f, "soon");
    assert_int_equal(p.state, ENGINE_JOB_BETWEEN);
    assert_string_equal(p.reason, "another job has its turn");
    assert_int_equal(p.n_done, 1);
    assert_int_equal(p.n_partitions, 3);
    assert_int_equal(p.partition, -1);
    assert_int_equal(soon.state, ENGINE_JOB_RUNNING);
    assert_int_equal(soon.partition, 0);
    assert_string_equal(soon.phase, "witness");
    assert_int_equal(soon.n_listeners, 1);
    assert_int_equal(soon.deadline_ns, (int64_t)(5 * SECOND));
    engine_stats s = stats_of(&f);
    assert_int_equal(s.kind[CUZK_KIND_POREP].running, 2);
    assert_int_equal(s.kind[CUZK_KIND_POREP].pending, 1);
    fake_open_gate(&f.fake);
    wait_heard(&f.ear, 3);
    assert_order(&f, (uint64_t[]){1, 3, 1, 1, 2}, 5);
    finish(&f);
}

/* All partitions come back, in order. */
static void proof_is_put_together(void **state)
{
    (void)state;
    fixture f;
    start_with_clock(&f);
    submit_ok(&f, (ask){.id = "p", .sector = 40, .parts = 4});
    wait_heard(&f.ear, 1);
    assert_int_equal(f.ear.n_bytes, 4 * CUZK_PROOF_BYTES);
    assert_int_equal(f.ear.first_byte[0], 40);
    assert_int_equal(f.ear.last_byte, 43);
    finish(&f);
}

/* A stream of HIGH and one LOW: two periods later it has its turn. */
static void d07_low_is_not_starved(void **state)
{
    (void)state;
    fixture f;
    start_with_clock(&f);
    uint64_t begin = fake_now;
    for (uint64_t i = 0; i < 12; i++) {
        char id[8];
        snprintf(id, sizeof id, "h%u", (unsigned)i);
        submit_ok(&f, (ask){.id = id,
                            .kind = CUZK_KIND_WINDOW,
                            .miner = FAKE_TURNS,
                            .sector = i,
                            .deadline_ns = begin + (2000 + 100 * i) * SECOND});
        if (i == 0)
            submit_ok(&f, (ask){.id = "low", .priority = PRIORITY_LOW, .sector = 50});
    }
    for (uint64_t i = 0; i < 5; i++) {
        fake_wait_started(&f.fake, (unsigned)i + 1);
        fake_now += 300 * SECOND;
        give(&f, i, 1);
    }
    /* 1200 s after its arrival, between the fourth and the fifth */
    fake_wait_started(&f.fake, 6);
    pthread_mutex_lock(&f.fake.lock);
    assert_int_equal(f.fake.order[4], 50);
    pthread_mutex_unlock(&f.fake.lock);
    assert_true(stats_of(&f).n_aged >= 1);
    fake_open_gate(&f.fake);
    wait_heard(&f.ear, 13);
    finish(&f);
}

static void nothing_ages_to_critical(void **state)
{
    (void)state;
    fixture f;
    start_with_clock(&f);
    submit_ok(&f, (ask){.id = "w1", .kind = CUZK_KIND_WINNING, .miner = FAKE_TURNS, .sector = 1});
    fake_wait_started(&f.fake, 1);
    submit_ok(&f, (ask){.id = "low", .priority = PRIORITY_LOW, .sector = 3});
    fake_now += 100 * 600 * SECOND;
    submit_ok(&f, (ask){.id = "w2", .kind = CUZK_KIND_WINNING, .sector = 2});
    give(&f, 1, 1);
    wait_heard(&f.ear, 3);
    assert_order(&f, (uint64_t[]){1, 2, 3}, 3);
    finish(&f);
}

/* A queue that is served does not age, however long it is: a WindowPoSt goes before old PoReps. */
static void served_queue_does_not_age(void **state)
{
    (void)state;
    fixture f;
    start_with_clock(&f);
    for (uint64_t i = 1; i <= 4; i++) {
        char id[2] = {(char)('0' + i), 0};
        submit_ok(&f, (ask){.id = id, .miner = FAKE_TURNS, .sector = i});
    }
    for (uint64_t i = 1; i <= 3; i++) { /* each takes nearly a period */
        fake_wait_started(&f.fake, (unsigned)i);
        fake_now += 599 * SECOND;
        give(&f, i, 1);
    }
    fake_wait_started(&f.fake, 4);
    submit_ok(&f, (ask){.id = "w", .kind = CUZK_KIND_WINDOW, .sector = 9});
    wait_heard(&f.ear, 4);
    assert_int_equal(stats_of(&f).n_aged, 0);
    fake_open_gate(&f.fake);
    wait_heard(&f.ear, 5);
    finish(&f);
}

/* One that stands still in its partition for a period while HIGH follows HIGH: it rises, and no
 * further one passes it. */
static void paused_job_rises(void **state)
{
    (void)state;
    fixture f;
    start_with_clock(&f);
    submit_ok(&f, (ask){.id = "p", .miner = FAKE_TURNS, .sector = 1});
    fake_wait_started(&f.fake, 1);
    submit_ok(&f, (ask){.id = "h1", .priority = PRIORITY_HIGH, .miner = FAKE_TURNS, .sector = 2});
    fake_wait_started(&f.fake, 2);
    submit_ok(&f, (ask){.id = "h2", .priority = PRIORITY_HIGH, .miner = FAKE_TURNS, .sector = 3});
    submit_ok(&f, (ask){.id = "h3", .priority = PRIORITY_HIGH, .miner = FAKE_TURNS, .sector = 4});
    fake_now += 300 * SECOND;
    give(&f, 2, 1);
    fake_wait_started(&f.fake, 3); /* not yet: h2 passes */
    fake_now += 300 * SECOND;
    give(&f, 3, 1);
    wait_heard(&f.ear, 2);
    while (info_of(&f, "p").level != PRIORITY_HIGH)
        sched_yield();
    assert_int_equal(info_of(&f, "h3").state, ENGINE_JOB_QUEUED);
    submit_ok(&f, (ask){.id = "w", .kind = CUZK_KIND_WINNING, .sector = 5}); /* that one does */
    wait_heard(&f.ear, 3);
    assert_int_equal(info_of(&f, "h3").state, ENGINE_JOB_QUEUED);
    give(&f, 1, 1);
    fake_wait_started(&f.fake, 5);
    give(&f, 4, 1);
    wait_heard(&f.ear, 5);
    assert_order(&f, (uint64_t[]){1, 2, 3, 5, 4}, 5);
    finish(&f);
}

static void d11_deadline_at_the_door(void **state)
{
    (void)state;
    fixture f;
    cuzk_err err = {0};
    start_with_clock(&f);
    const struct {
        uint64_t deadline;
        cuzk_status st;
    } c[] = {{fake_now - 1, CUZK_TIMEOUT},
             {fake_now, CUZK_TIMEOUT},
             {1, CUZK_TIMEOUT},
             {fake_now + 1, CUZK_OK},
             {0, CUZK_OK},
             {(uint64_t)1 << 63, CUZK_OK},
             {UINT64_MAX, CUZK_OK}};
    unsigned n = 0;
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(c); i++) {
        char id[2] = {(char)('a' + i), 0};
        ask a = {.id = id, .sector = i, .deadline_ns = c[i].deadline};
        assert_int_equal(submit(&f, a, true, NULL, &err), c[i].st);
        n += c[i].st == CUZK_OK;
    }
    assert_non_null(strstr(err.msg, "deadline passed"));
    wait_heard(&f.ear, n);
    assert_int_equal(stats_of(&f).bytes, 0);
    finish(&f);
}

/* The caller's deadline passes while the job waits: it keeps its place, the next call joins it. */
static void late_job_is_kept(void **state)
{
    (void)state;
    fixture f;
    engine_ticket t;
    start_with_clock(&f);
    submit_ok(&f, (ask){.id = "blocker", .priority = PRIORITY_CRITICAL, .miner = FAKE_TURNS});
    fake_wait_started(&f.fake, 1);
    ask a = {.id = "a", .sector = 1, .deadline_ns = fake_now + 10 * SECOND};
    assert_int_equal(submit(&f, a, true, &t, NULL), CUZK_OK);
    assert_true(cuzk_engine_unlisten(f.e, t.token));
    fake_now += 20 * SECOND;
    cuzk_engine_tick(f.e);
    a.deadline_ns = fake_now + 10 * SECOND;
    assert_int_equal(submit(&f, a, true, &t, NULL), CUZK_OK);
    assert_true(t.attached);
    assert_int_equal(info_of(&f, "a").deadline_ns, (int64_t)(10 * SECOND));
    give(&f, 0, 1);
    wait_heard(&f.ear, 2);
    assert_int_equal(f.ear.first_byte[0] + f.ear.first_byte[1], 1); /* told in any order */
    finish(&f);
}

static void c08_cancel_between_partitions(void **state)
{
    (void)state;
    fixture f;
    start_with_clock(&f);
    submit_ok(&f, (ask){.id = "p", .miner = FAKE_TURNS, .sector = 1, .parts = 3});
    fake_wait_started(&f.fake, 1);
    submit_ok(&f, (ask){.id = "soon",
                        .miner = FAKE_TURNS,
                        .sector = 3,
                        .deadline_ns = fake_now + 5 * SECOND});
    give(&f, 1, 1);
    fake_wait_started(&f.fake, 2);
    assert_true(cuzk_engine_cancel(f.e, "p")); /* running, though it has no turn */
    assert_int_equal(f.ear.n, 1);
    assert_int_equal(f.ear.outcome[0], ENGINE_CANCELLED);
    assert_int_equal(f.fake.n_open, 1); /* what it held is given back */
    assert_false(cuzk_engine_cancel(f.e, "p"));
    engine_stats s = stats_of(&f);
    assert_int_equal(s.kind[CUZK_KIND_POREP].running, 1);
    assert_int_equal(s.kind[CUZK_KIND_POREP].cancelled, 1);
    give(&f, 3, 1);
    wait_heard(&f.ear, 2);
    finish(&f);
}

static void c08_cancel_drops_the_rest(void **state)
{
    (void)state;
    fixture f;
    start_with_clock(&f);
    submit_ok(&f, (ask){.id = "p", .miner = FAKE_STUCK, .sector = 1, .parts = 9});
    fake_wait_started(&f.fake, 1);
    assert_true(cuzk_engine_cancel(f.e, "p"));
    assert_true(cuzk_engine_cancel(f.e, "p"));
    fake_open_gate(&f.fake); /* the partition is finished, in vain */
    wait_heard(&f.ear, 1);
    assert_int_equal(f.ear.outcome[0], ENGINE_CANCELLED);
    assert_int_equal(f.fake.n_started, 1);
    finish(&f);
}

static void drain_with_partitions_left(void **state)
{
    (void)state;
    for (int stop = 0; stop <= 1; stop++) {
        fixture f;
        start_with_clock(&f);
        submit_ok(&f, (ask){.id = "p", .miner = FAKE_TURNS, .sector = 1, .parts = 2});
        fake_wait_started(&f.fake, 1);
        submit_ok(&f, (ask){.id = "soon",
                            .miner = FAKE_TURNS,
                            .sector = 3,
                            .deadline_ns = fake_now + 5 * SECOND});
        submit_ok(&f, (ask){.id = "q"});
        give(&f, 1, 1);
        fake_wait_started(&f.fake, 2);
        cuzk_engine_drain(f.e, false);
        assert_int_equal(f.ear.n, 1); /* q */
        assert_int_equal(f.n_idle, 0);
        if (stop)
            cuzk_engine_drain(f.e, true);
        give(&f, 3, 1);
        give(&f, 1, 1);
        wait_heard(&f.ear, 3);
        for (unsigned i = 1; i < 3; i++)
            assert_int_equal(f.ear.outcome[i], stop ? ENGINE_SHUTDOWN : ENGINE_COMPLETED);
        finish(&f);
        assert_int_equal(f.n_idle, 1);
    }
}

/* A job that waits for memory has no claim to the machine; those that hold some may go on. */
static void waiting_for_memory_lets_others_on(void **state)
{
    (void)state;
    fixture f;
    start_with_clock(&f);
    submit_ok(&f, (ask){.id = "p", .miner = FAKE_TURNS, .sector = 1, .parts = 2});
    fake_wait_started(&f.fake, 1);
    for (unsigned i = 0; i < 9; i++) { /* more than there are runners */
        char id[2] = {(char)('a' + i), 0};
        submit_ok(
            &f, (ask){.id = id, .priority = PRIORITY_HIGH, .miner = FAKE_MEMORY, .sector = 10 + i});
    }
    fake_wait_started(&f.fake, 7);
    give(&f, 1, 2);
    wait_heard(&f.ear, 1); /* p is through, both partitions */
    assert_int_equal(f.ear.first_byte[0], 1);
    engine_job_info a = info_of(&f, "a");
    assert_int_equal(a.state, ENGINE_JOB_WAITING);
    assert_string_equal(a.reason, "waits for memory");
    for (unsigned i = 0; i < 9; i++)
        give(&f, 10 + i, 1);
    wait_heard(&f.ear, 10);
    finish(&f);
}

static void watchdog_names_who_stands_still(void **state)
{
    (void)state;
    fixture f;
    start_with_clock(&f);
    submit_ok(&f, (ask){.id = "low", .priority = PRIORITY_LOW, .miner = FAKE_TURNS, .sector = 1});
    fake_wait_started(&f.fake, 1);
    submit_ok(&f, (ask){.id = "mem", .miner = FAKE_MEMORY, .sector = 2});
    fake_wait_started(&f.fake, 2);
    submit_ok(&f, (ask){.id = "top", .priority = PRIORITY_HIGH, .miner = FAKE_TURNS, .sector = 3});
    fake_wait_started(&f.fake, 3);
    const struct {
        uint64_t seconds, stalls;
    } c[] = {{0, 0}, {59, 0}, {1, 1}, {30, 1}, {30, 2}};
    for (unsigned i = 0; i < CUZK_ARRAY_LEN(c); i++) {
        fake_now += c[i].seconds * SECOND;
        cuzk_engine_tick(f.e);
        assert_int_equal(stats_of(&f).n_stalls, c[i].stalls); /* top alone */
    }
    give(&f, 3, 1); /* now low has the machine, and its patience begins anew */
    wait_heard(&f.ear, 1);
    while (info_of(&f, "low").state != ENGINE_JOB_RUNNING)
        sched_yield();
    wait_partitions(&f, 1);
    fake_now += 59 * SECOND;
    cuzk_engine_tick(f.e);
    assert_int_equal(stats_of(&f).n_stalls, 2);
    fake_open_gate(&f.fake);
    wait_heard(&f.ear, 3);
    finish(&f);
}

static void g13_snapshot_is_in_order(void **state)
{
    (void)state;
    fixture f;
    start_with_clock(&f);
    submit_ok(&f, (ask){.id = "run", .priority = PRIORITY_CRITICAL, .miner = FAKE_TURNS});
    fake_wait_started(&f.fake, 1);
    fake_now += 2 * SECOND;
    submit_ok(&f, (ask){.id = "a", .sector = 1});
    submit_ok(&f, (ask){.id = "b", .sector = 2, .kind = CUZK_KIND_WINDOW});
    submit_ok(&f, (ask){.id = "c", .sector = 3});
    submit_ok(&f, (ask){.id = "d", .sector = 4, .deadline_ns = fake_now + SECOND});
    const char *expected[] = {"run", "b", "d", "a", "c"};
    engine_job_info all[8];
    assert_int_equal(cuzk_engine_jobs(f.e, all, 8), 5);
    for (unsigned i = 0; i < 5; i++)
        assert_string_equal(all[i].job_id, expected[i]);
    assert_int_equal(all[0].running_ns, 2 * SECOND);
    assert_int_equal(all[1].kind, CUZK_KIND_WINDOW);
    assert_int_equal(all[1].running_ns, 0);
    assert_string_equal(all[1].phase, "");
    assert_int_equal(cuzk_engine_jobs(f.e, all, 2), 5);
    assert_int_equal(cuzk_engine_jobs(f.e, NULL, 0), 5);
    assert_string_equal(cuzk_engine_job_state_name(all[0].state), "running");
    fake_open_gate(&f.fake);
    wait_heard(&f.ear, 5);
    finish(&f);
}

/* ---- stress ---- */

typedef struct {
    fixture *f;
    unsigned seed, n_listening, n_refused;
} visitor;

static void *visit(void *arg)
{
    visitor *v = arg;
    engine_ticket t;
    for (unsigned i = 0; i < 400; i++) {
        v->seed = v->seed * 1664525u + 1013904223u;
        unsigned x = v->seed >> 8;
        char id[16];
        snprintf(id, sizeof id, "%u", x % 50);
        ask a = {.id = id,
                 .priority = (int)(x >> 6) % PRIORITY_COUNT,
                 .miner = (x >> 9) % 5 == 0 ? FAKE_FAIL : 0,
                 .sector = x % 50,
                 .parts = (x >> 12) % 4,
                 .deadline_ns = (x >> 14) % 3 ? 0 : cuzk_now_ns() + (x % 50) * 1000000u};
        if (submit(v->f, a, true, &t, NULL) == CUZK_OK)
            v->n_listening++;
        else
            v->n_refused++;
        if ((x >> 16) % 7 == 0 && cuzk_engine_unlisten(v->f->e, t.token))
            v->n_listening--;
        if ((x >> 19) % 4 == 0)
            cuzk_engine_cancel(v->f->e, id);
        engine_job_info info[4];
        if (i % 16 == 0)
            cuzk_engine_jobs(v->f->e, info, 4);
    }
    return NULL;
}

/* Every accepted call is answered once, and nothing is left. */
static void nothing_is_lost(void **state)
{
    (void)state;
    fixture f;
    visitor v[4];
    pthread_t thread[4];
    unsigned expected = 0;
    engine_options o = ENGINE_OPTIONS_DEFAULTS;
    o.ageing_ns = 100000; /* so that jobs rise all the time */
    o.max_results = 20;
    start(&f, &o);
    for (unsigned i = 0; i < 4; i++) {
        v[i] = (visitor){&f, i * 1000 + 1, 0, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, visit, &v[i]), 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        expected += v[i].n_listening;
    }
    wait_heard(&f.ear, expected);
    engine_stats s = stats_of(&f);
    while (s.bytes > 0) /* jobs that nobody waits for */
        s = stats_of(&f);
    for (unsigned k = 0; k < CUZK_KIND_COUNT; k++) {
        assert_int_equal(s.kind[k].pending, 0);
        assert_int_equal(s.kind[k].running, 0);
    }
    assert_int_equal(s.n_listeners, 0);
    assert_true(s.n_results <= 20);
    finish(&f);
    assert_int_equal(f.ear.n, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d06_winning_starts_during_porep),
        cmocka_unit_test(urgencies_stack),
        cmocka_unit_test(earliest_deadline_first),
        cmocka_unit_test(d08_window_passes_porep_stream),
        cmocka_unit_test(partitions_are_the_unit),
        cmocka_unit_test(proof_is_put_together),
        cmocka_unit_test(d07_low_is_not_starved),
        cmocka_unit_test(nothing_ages_to_critical),
        cmocka_unit_test(served_queue_does_not_age),
        cmocka_unit_test(paused_job_rises),
        cmocka_unit_test(d11_deadline_at_the_door),
        cmocka_unit_test(late_job_is_kept),
        cmocka_unit_test(c08_cancel_between_partitions),
        cmocka_unit_test(c08_cancel_drops_the_rest),
        cmocka_unit_test(drain_with_partitions_left),
        cmocka_unit_test(waiting_for_memory_lets_others_on),
        cmocka_unit_test(watchdog_names_who_stands_still),
        cmocka_unit_test(g13_snapshot_is_in_order),
        cmocka_unit_test(nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

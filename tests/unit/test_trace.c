/* Spans: rings of many threads read while they are written, trace files, CUZK_TIMING lines on every
 * kind of stderr, cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/perf_counters.h"
#include "base/pool.h"
#include "base/text.h"
#include "base/trace.h"
#include "measure/chrome_trace.h"

/* ---- rings ---- */

typedef struct {
    const char *phase;
    uint64_t n, last_begin;
    unsigned n_bad, n_disorder;
} seen;

static void look(void *ctx, const span_thread *t, const span_event *e)
{
    seen *s = ctx;
    (void)t;
    if (strcmp(e->phase, s->phase) != 0)
        return;
    s->n++;
    /* the writer below keeps these in step: a torn event would not */
    if (e->end_ns != e->begin_ns + 7 || (uint64_t)e->partition != e->begin_ns % 1000 ||
        strncmp(e->label, "torn?", 5) != 0)
        s->n_bad++;
    if (e->begin_ns <= s->last_begin)
        s->n_disorder++;
    s->last_begin = e->begin_ns;
}

typedef struct {
    atomic_bool stop;
    uint64_t n;
} writer_arg;

static void *write_events(void *arg)
{
    writer_arg *w = arg;
    cuzk_trace *trace = cuzk_trace_new("torn?");
    pthread_setname_np(pthread_self(), "ring-writer");
    while (!atomic_load(&w->stop) || w->n < 3 * SPAN_RING_EVENTS) {
        w->n++;
        cuzk_span_ring_put(&(span_event){.phase = "ring_test",
                                         .begin_ns = w->n,
                                         .end_ns = w->n + 7,
                                         .partition = (int)(w->n % 1000),
                                         .label = "torn?"});
    }
    cuzk_trace_free(trace);
    return NULL;
}

static void test_ring_read_while_written(void **state)
{
    (void)state;
    pthread_t thread;
    writer_arg w = {.n = 0};
    uint64_t total = 0;
    assert_int_equal(pthread_create(&thread, NULL, write_events, &w), 0);
    for (int i = 0; i < 200 || total == 0; i++) {
        seen s = {.phase = "ring_test"};
        cuzk_span_ring_visit(look, &s);
        assert_int_equal(s.n_bad, 0);
        assert_int_equal(s.n_disorder, 0);
        assert_true(s.n <= SPAN_RING_EVENTS);
        total += s.n;
    }
    atomic_store(&w.stop, true);
    pthread_join(thread, NULL);
    seen s = {.phase = "ring_test"}; /* the ring outlives its thread, with its last events */
    cuzk_span_ring_visit(look, &s);
    assert_int_equal(s.n, SPAN_RING_EVENTS);
    assert_int_equal(s.last_begin, w.n);
}

static void *one_event(void *arg)
{
    const uint64_t *n = arg;
    cuzk_span_ring_put(&(span_event){.phase = "many_threads",
                                     .begin_ns = *n,
                                     .end_ns = *n + 7,
                                     .partition = (int)(*n % 1000),
                                     .label = "torn?"});
    return NULL;
}

static void count_phase(void *ctx, const span_thread *t, const span_event *e)
{
    unsigned *n = ctx;
    (void)t;
    *n += strcmp(e->phase, "many_threads") == 0;
}

/* More threads than there are rings, one after another: rings go round, the last ones are there. */
static void test_rings_are_reused(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 2 * SPAN_RING_MAX; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, one_event, &i), 0);
        pthread_join(thread, NULL);
    }
    unsigned n = 0;
    cuzk_span_ring_visit(count_phase, &n);
    assert_in_range(n, SPAN_RING_MAX / 2, SPAN_RING_MAX);
}

/* ---- spans and traces ---- */

static void test_records(void **state)
{
    (void)state;
    cuzk_trace *t = cuzk_trace_new("job");
    cuzk_span outer = cuzk_span_begin(t, "outer", CUZK_NO_PARTITION);
    cuzk_span inner = cuzk_span_begin(t, "inner", 3);
    assert_string_equal(cuzk_span_current().phase, "inner");
    assert_string_equal(cuzk_span_current().label, "job");
    cuzk_span_end(&inner);
    assert_string_equal(cuzk_span_current().phase, "outer");
    cuzk_span_end(&inner); /* once only */
    cuzk_span_end(&outer);
    assert_null(cuzk_span_current().phase);
    cuzk_trace_add(t, "queue", CUZK_NO_PARTITION, 5, 12);
    size_t n;
    const cuzk_span_record *r = cuzk_trace_records(t, &n);
    assert_int_equal(n, 3);
    assert_string_equal(r[0].phase, "inner");
    assert_int_equal(r[0].partition, 3);
    assert_true(r[1].begin_ns <= r[0].begin_ns && r[0].end_ns <= r[1].end_ns);
    assert_int_equal(cuzk_trace_total_ns(t, "queue"), 7);
    cuzk_trace_free(t);
    cuzk_span none = cuzk_span_begin(NULL, "without_trace", 0);
    cuzk_span_end(&none);
    cuzk_trace_add(NULL, "nothing", 0, 1, 2);
    assert_int_equal(cuzk_trace_total_ns(NULL, "nothing"), 0);
}

static void busy_task(void *ctx, size_t index, unsigned worker)
{
    (void)ctx;
    (void)index;
    (void)worker;
    uint64_t end = cuzk_now_ns() + 2000000;
    while (cuzk_now_ns() < end)
        continue;
}

typedef struct {
    unsigned n;
    bool named;
} shares;

static void find_share(void *ctx, const span_thread *t, const span_event *e)
{
    shares *s = ctx;
    if (strcmp(e->phase, "shared_work") != 0 || !(e->flags & SPAN_WORKER))
        return;
    s->n++;
    s->named = strncmp(t->name, "share-", 6) == 0 && strcmp(e->label, "pool job") == 0 &&
               e->partition == 4;
}

/* Pool threads show up on tracks of their own, under the caller's phase and job. */
static void test_pool_threads_share_a_span(void **state)
{
    (void)state;
    cuzk_pool *pool;
    cuzk_trace *t = cuzk_trace_new("pool job");
    shares s = {0};
    assert_int_equal(cuzk_pool_new(&pool, 3, "share", NULL), CUZK_OK);
    cuzk_span span = cuzk_span_begin(t, "shared_work", 4);
    cuzk_pool_run(pool, 64, busy_task, NULL);
    cuzk_span_end(&span);
    cuzk_span_ring_visit(find_share, &s);
    assert_true(s.n >= 1);
    assert_true(s.named);
    size_t n;
    cuzk_trace_records(t, &n);
    assert_int_equal(n, 1); /* the job's own record does not count them twice */
    cuzk_trace_free(t);
    cuzk_pool_free(pool);
}

static atomic_uint n_told;

static void told(const char *label, const span_event *e)
{
    if (strcmp(label, "j") == 0 && strcmp(e->phase, "sink") == 0 && e->end_ns - e->begin_ns == 4)
        atomic_fetch_add(&n_told, 1);
}

static void test_sink(void **state)
{
    (void)state;
    cuzk_trace *t = cuzk_trace_new("j");
    cuzk_span_set_sink(told);
    cuzk_trace_add(t, "sink", 0, 1, 5);
    cuzk_span_set_sink(NULL);
    cuzk_trace_add(t, "sink", 0, 1, 5);
    assert_int_equal(atomic_load(&n_told), 1);
    cuzk_trace_free(t);
}

/* ---- trace files ---- */

/* Python reads the JSON and knows the format's rules. */
static const char rules[] =
    "import json,sys\n"
    "d=json.load(open(sys.argv[1]))\n"
    "ev=d['traceEvents']\n"
    "names={};opened={}\n"
    "for e in ev:\n"
    "    for k in('ph','name','pid','tid','ts'): assert k in e,(k,e)\n"
    "    assert e['ph'] in('X','M','b','e'),e\n"
    "    if e['ph']=='X': assert e['dur']>=0 and e['ts']>=0\n"
    "    if e['ph']=='M' and e['name']=='thread_name': names[e['tid']]=e['args']['name']\n"
    "    if e['ph']=='b': opened[e['id'],e['cat'],e['name']]=e['ts']\n"
    "    if e['ph']=='e': assert opened.pop((e['id'],e['cat'],e['name']))<=e['ts']\n"
    "assert not opened\n"
    "assert all(e['tid'] in names for e in ev if e['ph']!='M')\n"
    "x=[e for e in ev if e['name']=='odd_label']\n"
    "assert len(x)==1 and x[0]['args']=={'job':'a \"b\" \\\\ \\u00e9 \\ufffd','partition':2},x\n"
    "w=[e for e in ev if e['name']=='waited']\n"
    "assert [e['ph'] for e in w]==['b','e'] and w[1]['ts']-w[0]['ts']==2.5,w\n"
    "bytid={}\n"
    "for e in ev:\n"
    "    if e['ph']=='X' and e['name'] in('outer','inner'): bytid[e['name']]=e\n"
    "o,i=bytid['outer'],bytid['inner']\n"
    "assert o['tid']==i['tid'] and o['ts']<=i['ts'] and "
    "i['ts']+i['dur']<=o['ts']+o['dur']+0.001\n";

static void test_chrome_json(void **state)
{
    (void)state;
    char path[] = "/tmp/cuzk-trace-XXXXXX", command[4096];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    cuzk_trace *t = cuzk_trace_new("a \"b\" \\ \xc3\xa9 \xff");
    cuzk_span span = cuzk_span_begin(t, "odd_label", 2);
    cuzk_span_end(&span);
    cuzk_trace_add(t, "waited", CUZK_NO_PARTITION, 1000, 3500);
    assert_int_equal(cuzk_trace_write_file(path, NULL), CUZK_OK);
    snprintf(command, sizeof command, "python3 - %s <<'P'\n%sP\n", path, rules);
    assert_int_equal(system(command), 0);
    cuzk_trace_free(t);
    unlink(path);
    cuzk_err err = {0};
    assert_int_not_equal(cuzk_trace_write_file("/nowhere/x/y.json", &err), CUZK_OK);
    assert_non_null(strstr(err.msg, "/nowhere/x/y.json"));
}

/* ---- CUZK_TIMING ---- */

enum { TO_FILE, TO_PIPE, TO_CLOSED_PIPE, TO_CLOSED_FD };

/* A child with stderr as asked for makes two spans; the first line must be there before the second
 * span begins, and the child must live to its end. */
static void time_in_child(const char *mode, int where, char *out, size_t max)
{
    int fd[2], step[2], status;
    char path[] = "/tmp/cuzk-timing-XXXXXX", byte;
    assert_int_equal(pipe(fd), 0);
    assert_int_equal(pipe(step), 0);
    if (where == TO_FILE) {
        close(fd[1]);
        fd[1] = mkstemp(path);
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(fd[0]);
        if (where == TO_CLOSED_FD)
            close(STDERR_FILENO);
        else
            dup2(fd[1], STDERR_FILENO);
        setenv("CUZK_TIMING", mode, 1);
        cuzk_trace *t = cuzk_trace_new("porep 1\xc3\xa9");
        cuzk_trace_add(t, "msm_h", 2, 1000000, 3500000);
        if (read(step[0], &byte, 1) == 1)
            cuzk_trace_add(t, "queue", CUZK_NO_PARTITION, 0, 1000);
        _exit(0);
    }
    if (where != TO_FILE)
        close(fd[1]);
    size_t n = 0;
    if (where == TO_CLOSED_PIPE) {
        close(fd[0]);
    } else if (where == TO_PIPE) {
        ssize_t k = read(fd[0], out, max - 1); /* returns with the first line alone */
        assert_true(k > 0 && memchr(out, '\n', (size_t)k) == out + k - 1);
        n = (size_t)k;
    }
    assert_int_equal(write(step[1], "x", 1), 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    if (where == TO_FILE || where == TO_PIPE) {
        int from = where == TO_FILE ? open(path, O_RDONLY) : fd[0];
        ssize_t k = read(from, out + n, max - 1 - n);
        n += k > 0 ? (size_t)k : 0;
        if (where == TO_FILE)
            close(from);
    }
    out[n] = '\0';
    unlink(path);
    close(step[0]);
    close(step[1]);
    if (where == TO_FILE)
        close(fd[1]);
    if (where != TO_CLOSED_PIPE)
        close(fd[0]);
}

static void test_timing_lines(void **state)
{
    (void)state;
    static const struct {
        const char *mode;
        int where;
        const char *want;
    } cases[] = {
        {"1", TO_FILE,
         "CUZK_TIMING: phase=msm_h job=porep\\x201\\xc3\\xa9 partition=2 ms=2.500\n"
         "CUZK_TIMING: phase=queue job=porep\\x201\\xc3\\xa9 partition=-1 ms=0.001\n"},
        {"1", TO_PIPE,
         "CUZK_TIMING: phase=msm_h job=porep\\x201\\xc3\\xa9 partition=2 ms=2.500\n"
         "CUZK_TIMING: phase=queue job=porep\\x201\\xc3\\xa9 partition=-1 ms=0.001\n"},
        {"1", TO_CLOSED_PIPE, ""},
        {"1", TO_CLOSED_FD, ""},
        {"json", TO_CLOSED_PIPE, ""},
        {"json", TO_PIPE,
         "{\"cuzk_timing\":{\"phase\":\"msm_h\",\"job\":\"porep 1\xc3\xa9\",\"partition\":2,"
         "\"ms\":2.500,\"begin_ns\":1000000}}\n"
         "{\"cuzk_timing\":{\"phase\":\"queue\",\"job\":\"porep 1\xc3\xa9\",\"partition\":null,"
         "\"ms\":0.001,\"begin_ns\":0}}\n"},
        {"0", TO_FILE, ""},
        {"", TO_FILE, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[1024];
        time_in_child(cases[i].mode, cases[i].where, out, sizeof out);
        assert_string_equal(out, cases[i].want);
    }
}

static void test_escapes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *json, *word;
    } cases[] = {
        {"", "", "-"},
        {"porep-1-2", "porep-1-2", "porep-1-2"},
        {"a b\n\"\\\x7f", "a b\\u000a\\\"\\\\\\u007f", "a\\x20b\\x0a\\x22\\x5c\\x7f"},
        {"\xe2\x82\xac", "\xe2\x82\xac", "\\xe2\\x82\\xac"},
        {"\xe2\x82", "\\ufffd\\ufffd", "\\xe2\\x82"},
        {"\xed\xa0\x80x", "\\ufffd\\ufffd\\ufffdx", "\\xed\\xa0\\x80x"},
    };
    char out[64];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(cuzk_json_escape(out, sizeof out, cases[i].text), strlen(cases[i].json));
        assert_string_equal(out, cases[i].json);
        assert_int_equal(cuzk_word_escape(out, sizeof out, cases[i].text), strlen(cases[i].word));
        assert_string_equal(out, cases[i].word);
    }
    assert_int_equal(cuzk_json_escape(out, 4, "ab\n"), 2); /* never half an escape */
    assert_int_equal(cuzk_json_escape(out, 1, "ab"), 0);
}

/* ---- counters and cost ---- */

static void test_counters(void **state)
{
    (void)state;
    char note[256];
    cuzk_counters_note(note, sizeof note);
    assert_non_null(strstr(note, "CUZK_COUNTERS=1"));
    cuzk_counters_set(true);
    cuzk_counters_note(note, sizeof note);
    print_message("%s\n", note);
    assert_non_null(strstr(note, "counters: "));
    uint64_t before[CUZK_N_COUNTERS], after[CUZK_N_COUNTERS];
    bool any = cuzk_counters_read(before);
    if (any && cuzk_counters_have(COUNTER_PAGE_FAULTS)) {
        volatile char *p = cuzk_malloc((size_t)8 << 20);
        assert_non_null(p);
        for (size_t i = 0; i < (size_t)8 << 20; i += 4096)
            p[i] = 1;
        assert_true(cuzk_counters_read(after));
        assert_true(after[COUNTER_PAGE_FAULTS] > before[COUNTER_PAGE_FAULTS]);
        cuzk_free((void *)(uintptr_t)p);
    }
    for (unsigned i = 0; i < CUZK_N_COUNTERS; i++) {
        if (!cuzk_counters_have(i)) /* what is missing is said, not made up */
            assert_non_null(strstr(note, cuzk_counter_name(i)));
    }
    cuzk_counters_set(false);
}

/* Prints the cost. The bound is loose: other programs run meanwhile, and sanitizers slow it. */
static void test_cost(void **state)
{
    (void)state;
    enum { N = 20000 };
    uint64_t best = UINT64_MAX, best_traced = UINT64_MAX;
    for (int rep = 0; rep < 20; rep++) {
        cuzk_trace *t = cuzk_trace_new("cost");
        uint64_t a = cuzk_now_ns();
        for (int i = 0; i < N; i++) {
            cuzk_span s = cuzk_span_begin(NULL, "cost", i);
            cuzk_span_end(&s);
        }
        uint64_t b = cuzk_now_ns();
        for (int i = 0; i < N; i++) {
            cuzk_span s = cuzk_span_begin(t, "cost", i);
            cuzk_span_end(&s);
        }
        uint64_t c = cuzk_now_ns();
        best = b - a < best ? b - a : best;
        best_traced = c - b < best_traced ? c - b : best_traced;
        cuzk_trace_free(t);
    }
    print_message("a span costs %.1f ns, with a trace %.1f ns\n", (double)best / N,
                  (double)best_traced / N);
    assert_true(best / N < 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_ring_read_while_written),
        cmocka_unit_test(test_pool_threads_share_a_span),
        cmocka_unit_test(test_sink),
        cmocka_unit_test(test_chrome_json),
        cmocka_unit_test(test_timing_lines),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_rings_are_reused), /* last: it fills the table of rings */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

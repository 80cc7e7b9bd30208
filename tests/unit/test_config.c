/* Settings: grammars, ranges, names, layers, and that what is printed from the table is what lies
 * in docs/ and contrib/. Cases G01 G02 G03 G05 G06 G07 G09. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/config_text.h"

static char folder[64];

/* A path in the test's folder; valid until the next call. */
static const char *place(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *write_bytes(const char *name, const void *bytes, size_t n)
{
    const char *path = place(name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
    return path;
}

static cuzk_status load_text(cuzk_config **c, const char *text, cuzk_err *err)
{
    cuzk_config_source source = {.path = write_bytes("c.toml", text, strlen(text)),
                                 .ignore_environment = true};
    *c = NULL;
    *err = (cuzk_err){0};
    return cuzk_config_load(c, &source, err);
}

static void refused(const char *text, const char *want)
{
    cuzk_config *c;
    cuzk_err err;
    uint64_t before = cuzk_mem_used();
    if (load_text(&c, text, &err) == CUZK_OK)
        fail_msg("accepted: %s", text);
    if (!strstr(err.msg, want))
        fail_msg("%s\nsays: %s\nwant: %s", text, err.msg, want);
    assert_int_equal(cuzk_mem_used(), before);
}

static cuzk_config *accepted(const char *text)
{
    cuzk_config *c;
    cuzk_err err;
    if (load_text(&c, text, &err) != CUZK_OK)
        fail_msg("%s\nrefused: %s", text, err.msg);
    return c;
}

/* ---- grammars ---- */

static void g03_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes; /* -1: refused */
    } row[] = {
        {"256", 256},
        {"0", 0},
        {"256GiB", (int64_t)256 << 30},
        {"1TiB", (int64_t)1 << 40},
        {"3KiB", 3 << 10},
        {"7MiB", 7 << 20},
        {"5GB", 5000000000},
        {"5MB", 5000000},
        {" 2 GiB ", (int64_t)2 << 30},
        {"8388607TiB", (int64_t)8388607 << 40},
        {"", -1},
        {"256gib", -1},
        {"0.5GiB", -1},
        {"1e3MiB", -1},
        {"-1GiB", -1},
        {"+1GiB", -1},
        {"GiB", -1},
        {"\xd9\xa3GiB", -1}, /* ARABIC-INDIC DIGIT THREE */
        {"99999999999GiB", -1},
        {"8388608TiB", -1},
        {"9223372036854775808", -1},
        {"1G", -1},
        {"1KB", -1},
        {"1 Gi B", -1},
        {"0x10", -1},
        {"auto", -1},
    };
    for (size_t i = 0; i < CUZK_ARRAY_LEN(row); i++) {
        int64_t v = -1;
        bool ok = cuzk_parse_size(&v, row[i].text);
        if (ok != (row[i].bytes >= 0) || v != row[i].bytes)
            fail_msg("\"%s\": %lld", row[i].text, (long long)v);
    }
}

/* The same through a file: integer, float and boolean are not sizes; "auto" is one word. */
static void g03_sizes_in_files(void **state)
{
    (void)state;
    static const char *const bad[] = {"\"\"",      "256",      "0.5",        "true",
                                      "\"auto!\"", "\"Auto\"", "[\"1GiB\"]", "1979-05-27"};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(bad); i++) {
        char text[80];
        snprintf(text, sizeof text, "[memory]\ntotal_budget = %s\n", bad[i]);
        refused(text, "c.toml:2: memory.total_budget: ");
    }
    refused("[memory]\ntotal_budget = 256\n", "put quotes and a unit around it");
    cuzk_config *c = accepted("[memory]\ntotal_budget = \"auto\"\nsafety_margin = \"0\"\n");
    assert_true(c->slot[SETTING_memory_total_budget].value.is_word);
    assert_int_equal(c->slot[SETTING_memory_safety_margin].value.number, 0);
    cuzk_config_free(c);
    c = accepted("[memory]\ntotal_budget = \"1TiB\"\n");
    assert_int_equal(c->slot[SETTING_memory_total_budget].value.number, (int64_t)1 << 40);
    assert_false(c->slot[SETTING_memory_total_budget].value.is_word);
    cuzk_config_free(c);
}

static void durations(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } row[] = {{"5m", 300000},  {"90s", 90000}, {"300", 300000},
               {"1h", 3600000}, {"500ms", 500}, {" 5 m ", 300000},
               {"0", 0},        {"", -1},       {"1.5h", -1},
               {"-5m", -1},     {"5M", -1},     {"5min", -1},
               {"1d", -1},      {"m", -1},      {"9223372036854775807h", -1}};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(row); i++) {
        int64_t v = -1;
        bool ok = cuzk_parse_duration(&v, row[i].text);
        if (ok != (row[i].ms >= 0) || v != row[i].ms)
            fail_msg("\"%s\": %lld", row[i].text, (long long)v);
    }
    cuzk_config *c = accepted("[memory]\neviction_min_idle = 7\n"); /* seconds */
    assert_int_equal(c->slot[SETTING_memory_eviction_min_idle].value.number, 7000);
    cuzk_config_free(c);
    refused("[memory]\neviction_min_idle = 1.5\n", "a number with a point is not accepted");
}

/* The truth table of docs/configuration.md. */
static void g07_booleans(void **state)
{
    (void)state;
    static const struct {
        const char *text; /* NULL: unset */
        int want;         /* -1: refused */
    } row[] = {{NULL, 0},  {"", 0},       {"0", 0},
               {"1", 1},   {"false", 0},  {"no", 0},
               {"off", 0}, {"TRUE", 1},   {"true", 1},
               {"Yes", 1}, {"on", 1},     {"banana", -1},
               {"2", -1},  {"true ", -1}, {"\xe2\x80\x9ctrue\xe2\x80\x9d", -1}};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(row); i++) {
        for (int id = 0; id < SETTING_COUNT; id++) {
            char name[SETTING_NAME_MAX];
            cuzk_config *c = NULL;
            cuzk_err err = {0};
            cuzk_config_source source = {.path = ""};
            const config_setting *s = &cuzk_settings[id];
            if (s->type != TYPE_BOOL)
                continue;
            cuzk_setting_env(name, s);
            if (row[i].text)
                setenv(name, row[i].text, 1);
            cuzk_status st = cuzk_config_load(&c, &source, &err);
            unsetenv(name);
            if (row[i].want < 0) {
                assert_int_equal(st, CUZK_INVAL);
                assert_non_null(strstr(err.msg, name));
                continue;
            }
            assert_int_equal(st, CUZK_OK);
            bool given = row[i].text && row[i].text[0];
            assert_int_equal(c->slot[id].value.flag,
                             given ? row[i].want : strcmp(s->def, "true") == 0);
            cuzk_config_free(c);
        }
    }
}

/* ---- names ---- */

static void g01_unknown_names(void **state)
{
    (void)state;
    refused("[memory]\ntotal_bugdet = \"1GiB\"\n",
            "c.toml:2: unknown key \"total_bugdet\" in [memory]; did you mean total_budget?");
    refused("\n\n[memry]\n", "c.toml:3: unknown section [memry]; did you mean [memory]?");
    refused("[quux]\nx = 1\n", "c.toml:1: unknown section [quux]");
    refused("[daemon]\ntotal_budget = \"1GiB\"\n", "it belongs in [memory]");
    refused("[daemon]\npram_cache = \"x\"\n", "did you mean param_cache in [srs]?");
    refused("listen = \"unix:///x\"\n", "before the first [section]");
    refused("daemon = 5\n", "daemon is a section");
    refused("[daemon.tls]\ncert = \"x\"\n", "unknown section [daemon.tls]");
    refused("[daemon]\nzzzzzzzz = 1\n", "unknown key \"zzzzzzzz\" in [daemon]");
    refused("[[daemon]]\nthreads = 1\n", "daemon");
    refused("[memory]\nsafety_margin = \"1GiB\"\nx=1\n", "c.toml:3:"); /* the first in the file */
}

static void g01_duplicates(void **state)
{
    (void)state;
    refused("[daemon]\nthreads = 1\nmax_jobs = 5\nthreads = 2\n", "c.toml:4: ");
    refused("[daemon]\nthreads = 1\nthreads = 2\n", "already exists");
    refused("[daemon]\nthreads = 1\n[srs]\n[daemon]\nmax_jobs = 5\n", "already exists");
    refused("[daemon]\nthreads\n", "c.toml:2: ");
    refused("[daemon\nthreads = 1\n", "c.toml:1: ");
    refused("[daemon]\nthreads = 99999999999999999999\n", "the number is too large");
}

static const char *note_of(const cuzk_config *c, const char *part)
{
    const char *text;
    bool warning;
    for (size_t i = 0; (text = cuzk_config_note(c, i, &warning)) != NULL; i++) {
        if (warning && strstr(text, part))
            return text;
    }
    return NULL;
}

static void g02_old_names(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name, *instead;
    } row[] = {
        {"[memory]\npinned_budget = \"50GiB\"\n", "memory.pinned_budget", "memory.total_budget"},
        {"[memory]\nworking_memory_budget = \"80GiB\"\n", "memory.working_memory_budget",
         "memory.total_budget"},
        {"[synthesis]\npartition_workers = 7\n", "synthesis.partition_workers",
         "memory.total_budget"},
        {"[synthesis]\nthreads = 4\n", "synthesis.threads", "daemon.threads"},
        {"[daemon]\nstatus_listen = \"127.0.0.1:9000\"\n", "daemon.status_listen", "http.listen"},
    };
    for (size_t i = 0; i < CUZK_ARRAY_LEN(row); i++) {
        cuzk_config *c = accepted(row[i].text);
        const char *note = note_of(c, row[i].name);
        if (!note || !strstr(note, row[i].instead) || !strstr(note, "c.toml:2: "))
            fail_msg("%s: %s", row[i].text, note ? note : "no warning");
        cuzk_config_free(c);
    }
    refused("[memory]\npinned_budget = \"1GiB\"\ntotal_budget = \"2GiB\"\n", "leave the older one");
    refused("[memory]\ntotal_budget = \"2GiB\"\nworking_memory_budget = \"1GiB\"\n",
            "leave the older one (memory.working_memory_budget) out");
    refused("[memory]\ntotal_budget = \"2GiB\"\n[synthesis]\npartition_workers = 1\n",
            "leave the older one (synthesis.partition_workers) out");
    refused("[daemon]\nthreads = 2\n[synthesis]\nthreads = 2\n",
            "leave the older one (synthesis.threads) out");
    refused("[synthesis]\nthreads = 2\n[daemon]\nthreads = 2\n",
            "leave the older one (synthesis.threads) out");
    refused("[memory]\npinned_budget = \"50gib\"\n", "c.toml:2: memory.pinned_budget");

    cuzk_config *c = accepted("[synthesis]\nthreads = 4\n"); /* an alias has its effect */
    assert_int_equal(c->slot[SETTING_daemon_threads].value.number, 4);
    cuzk_config_free(c);
    /* deprecated in the established daemon, of use in this one */
    c = accepted("[srs]\npreload = [\"porep-32g\", \"snap-32g\"]\n");
    assert_null(note_of(c, "preload"));
    assert_int_equal(c->slot[SETTING_srs_preload].value.n_items, 2);
    cuzk_config_free(c);
}

/* ---- files ---- */

static void file_refused(const char *path, cuzk_status want_st, const char *want)
{
    cuzk_config *c = NULL;
    cuzk_err err = {0};
    cuzk_config_source source = {.path = path, .ignore_environment = true};
    cuzk_status st = cuzk_config_load(&c, &source, &err);
    if (st != want_st || !strstr(err.msg, want))
        fail_msg("%s: %s", cuzk_status_name(st), err.msg);
}

static void g05_files(void **state)
{
    (void)state;
    static const char crlf[] = "\xef\xbb\xbf[daemon]\r\nthreads = 3\r\n";
    file_refused(place("absent.toml"), CUZK_NOT_FOUND, "absent.toml");
    file_refused(folder, CUZK_IO, "not a regular file");
    if (geteuid() != 0) {
        const char *path = write_bytes("closed.toml", "", 0);
        chmod(path, 0);
        file_refused(path, CUZK_IO, "closed.toml");
    }
    cuzk_config *c = accepted("");
    bool warning = true;
    assert_non_null(strstr(cuzk_config_note(c, 0, &warning), "is empty"));
    assert_false(warning);
    cuzk_config_free(c);
    c = accepted(crlf);
    assert_int_equal(c->slot[SETTING_daemon_threads].value.number, 3);
    assert_int_equal(c->slot[SETTING_daemon_threads].origin.line, 2);
    cuzk_config_free(c);
    refused("[daemon]\nthreads = 1 # \xff\n", "c.toml:2: byte 0xff is not valid UTF-8");
    refused("[daemon]\n# \xed\xa0\x80\n", "c.toml:2: byte 0xed");
    file_refused(write_bytes("nul.toml", "[daemon]\n\0\n", 11), CUZK_ENCODING, "nul.toml:2: a NUL");

    size_t n = 10000000;
    char *big = malloc(n);
    assert_non_null(big);
    memset(big, '\n', n);
    file_refused(write_bytes("big.toml", big, n), CUZK_BUDGET, "10000000 bytes");
    unlink(place("big.toml"));
    free(big);
}

/* What would make the parser recurse or count for ever. */
static void hostile_files(void **state)
{
    (void)state;
    static const struct {
        const char *head, *piece, *tail, *want;
    } row[] = {
        {"[daemon]\nlisten = ", "[", "", "brackets"},
        {"[daemon]\nx = ", "{a=", "", "brackets"},
        {"a", ".a", " = 1\n", "dots"},
        {"[a", ".a", "]\n", "dots"},
        {"[daemon]\nlisten = [", "\"x\",", "]\n", "4096 commas"},
        {"", "[a]\n", "", "already exists"},
        {"[daemon]\nlisten = \"", "[[", "\"\n", "daemon"}, /* in a string they are text */
        {"[daemon]\n", "# [[[\n", "zz = 1\n", "unknown key"},
    };
    size_t cap = 400000;
    char *text = malloc(cap + 100);
    assert_non_null(text);
    for (size_t i = 0; i < CUZK_ARRAY_LEN(row); i++) {
        size_t n = (size_t)snprintf(text, 100, "%s", row[i].head), k = strlen(row[i].piece);
        for (unsigned j = 0; j < 50000; j++, n += k)
            memcpy(text + n, row[i].piece, k);
        snprintf(text + n, 50, "%s", row[i].tail);
        if (strcmp(row[i].want, "daemon") == 0) {
            cuzk_config_free(accepted(text)); /* addresses are judged by those who listen */
            continue;
        }
        refused(text, row[i].want);
    }
    size_t n = (size_t)snprintf(text, 100, "[daemon]\n");
    for (unsigned j = 0; j < 2000; j++)
        n += (size_t)snprintf(text + n, 30, "k%u = 1\n", j);
    refused(text, "more than 1000 keys");
    free(text);
}

static void g06_ranges(void **state)
{
    (void)state;
    refused("[daemon]\nthreads = 1000000\n", "out of range (0 to 4096)");
    refused("[daemon]\nthreads = -1\n", "out of range");
    refused("[gpus]\ngpu_workers_per_device = 0\n", "out of range (1 to 64)");
    refused("[pipeline]\nmax_gpu_queue_depth = 4294967296\n", "out of range");
    refused("[daemon]\nmax_jobs = 0\n", "out of range (1 to 1000000)");
    refused("[daemon]\nresult_ttl = \"721h\"\n", "out of range (0 to 720h)");
    refused("[daemon]\nmax_message_bytes = \"4GiB\"\n", "out of range (1MiB to 2047MiB)");
    refused("[gpus]\ndevices = [0, -1]\n", "out of range");
    refused("[gpus]\ndevices = [\"0\"]\n", "a string is not accepted");
    refused("[daemon]\nsocket_mode = \"0999\"\n", "octal mode");
    refused("[daemon]\nsocket_mode = 600\n", "octal mode");
    refused("[logging]\nlevel = \"loud\"\n", "one of off error warn info debug");
    refused("[daemon]\ninsecure = \"true\"\n", "leave the quotes out");
    refused("[daemon]\nthreads = \"4\"\n", "leave the quotes out");
    refused("[daemon]\nlisten = [\"\"]\n", "an empty text in a list");
    refused("[daemon]\nlisten = []\n", "an empty list");
}

static void g09_quotes(void **state)
{
    (void)state;
    static const char quoted[] = "\xe2\x80\x9c"
                                 "debug\xe2\x80\x9d";
    refused("[logging]\nlevel = \xe2\x80\x9c"
            "debug\xe2\x80\x9d\n",
            "typographic quote");
    refused("[logging]\nlevel = \"\xe2\x80\x9c"
            "debug\xe2\x80\x9d\"\n",
            "typographic quote");
    refused("[srs]\nparam_cache = \"/data/x \"\n", "a space at an end");
    refused("[srs]\nparam_cache = \"/data/x\\r\"\n", "a carriage return");
    refused("[srs]\nparam_cache = \"/data\\u00a0x\"\n", "a no-break space");
    refused("[daemon]\nlisten = \"unix:///x\\n\"\n", "control character");

    static const char *const value[] = {quoted, "debug ", "debug\r"};
    static const char *const want[] = {"typographic quote", "a space at an end", "carriage return"};
    for (unsigned i = 0; i < 3; i++) {
        cuzk_config *c = NULL;
        cuzk_err err = {0};
        cuzk_config_source source = {.path = ""};
        setenv("CUZK_LOGGING_LEVEL", value[i], 1);
        assert_int_equal(cuzk_config_load(&c, &source, &err), CUZK_INVAL);
        unsetenv("CUZK_LOGGING_LEVEL");
        assert_non_null(strstr(err.msg, "environment CUZK_LOGGING_LEVEL"));
        assert_non_null(strstr(err.msg, want[i]));
    }
}

/* ---- layers ---- */

static void check_origin(const cuzk_config *c, setting_id id, const char *want)
{
    char text[256];
    cuzk_config_origin_text(text, sizeof text, c, &c->slot[id].origin);
    if (!strstr(text, want))
        fail_msg("origin \"%s\" instead of \"%s\"", text, want);
}

static void precedence(void **state)
{
    (void)state;
    static const char text[] = "[daemon]\nmax_jobs = 11\nthreads = 1\n[synthesis]\n"
                               "[logging]\nlevel = \"warn\"\n";
    const char *const set[] = {"daemon.max_jobs=33", "daemon.listen=unix:///a,127.0.0.1:0"};
    cuzk_config_source source = {
        .path = write_bytes("c.toml", text, strlen(text)), .set = set, .n_set = 2};
    cuzk_config *c = NULL;
    cuzk_err err = {0};
    cuzk_daemon_options o = CUZK_DAEMON_DEFAULTS;
    setenv("CUZK_DAEMON_MAX_JOBS", "22", 1);
    setenv("CUZK_SYNTHESIS_THREADS", "2", 1); /* an alias in a higher layer */
    setenv("CUZK_LOG", "debug", 1);
    setenv("CUZK_DAEMON_PROT", "1", 1);
    if (cuzk_config_load(&c, &source, &err) != CUZK_OK)
        fail_msg("%s", err.msg);
    unsetenv("CUZK_DAEMON_MAX_JOBS");
    unsetenv("CUZK_SYNTHESIS_THREADS");
    unsetenv("CUZK_LOG");
    unsetenv("CUZK_DAEMON_PROT");
    cuzk_config_daemon_options(c, &o);
    assert_int_equal(o.max_jobs, 33);
    assert_int_equal(o.n_threads, 2);
    assert_int_equal(o.log.level, CUZK_LOG_LEVEL_DEBUG);
    assert_int_equal(o.n_listen, 2);
    assert_string_equal(o.listen[1], "127.0.0.1:0");
    check_origin(c, SETTING_daemon_max_jobs, "flag --max-jobs");
    check_origin(c, SETTING_daemon_threads, "environment CUZK_SYNTHESIS_THREADS");
    check_origin(c, SETTING_logging_level, "environment CUZK_LOG");
    check_origin(c, SETTING_daemon_shutdown_grace, "default");
    assert_non_null(note_of(c, "environment CUZK_DAEMON_PROT: no setting"));
    cuzk_config_free(c);
}

static void wrong_flags(void **state)
{
    (void)state;
    static const struct {
        const char *set, *want;
    } row[] = {{"daemon.threads", "SECTION.KEY=VALUE"},
               {"daemon.thread=1", "did you mean threads?"},
               {"max_jobs=1", "it belongs in [daemon]"},
               {"daemon.max_jobs=x", "flag --max-jobs: \"x\" is not accepted"},
               {"daemon.result_ttl=x", "flag --set daemon.result_ttl: \"x\" is not accepted"}};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(row); i++) {
        cuzk_config *c = NULL;
        cuzk_err err = {0};
        cuzk_config_source source = {
            .path = "", .ignore_environment = true, .set = &row[i].set, .n_set = 1};
        assert_int_equal(cuzk_config_load(&c, &source, &err), CUZK_INVAL);
        if (!strstr(err.msg, row[i].want))
            fail_msg("%s: %s", row[i].set, err.msg);
    }
}

/* The defaults of the table and those of CUZK_DAEMON_DEFAULTS are the same. */
static void defaults_agree(void **state)
{
    (void)state;
    cuzk_daemon_options a = CUZK_DAEMON_DEFAULTS, b = CUZK_DAEMON_DEFAULTS;
    cuzk_config *c = accepted("");
    cuzk_config_daemon_options(c, &b);
    assert_int_equal(a.max_jobs, b.max_jobs);
    assert_int_equal(a.max_bytes, b.max_bytes);
    assert_int_equal(a.max_results, b.max_results);
    assert_int_equal(a.result_ttl_s, b.result_ttl_s);
    assert_int_equal(a.grace_s, b.grace_s);
    assert_int_equal(a.stop_s, b.stop_s);
    assert_int_equal(a.max_message_bytes, b.max_message_bytes);
    assert_int_equal(a.socket_mode, b.socket_mode);
    assert_int_equal(a.ageing_ms, b.ageing_ms);
    assert_int_equal(a.stall_ms, b.stall_ms);
    assert_int_equal(a.max_memory, b.max_memory);
    assert_int_equal(a.memory_margin, b.memory_margin);
    assert_int_equal(a.eviction_min_idle_s, b.eviction_min_idle_s);
    assert_false(b.allow_insecure_params || b.insecure);
    assert_null(b.cache_dir);
    assert_string_equal(b.http_listen, "127.0.0.1:9821");
    assert_null(b.token_file);
    assert_int_equal(b.n_preload, 0);
    assert_int_equal(b.log.level, 3);
    assert_null(b.params_dir);
    assert_int_equal(b.n_listen, 1);
    assert_string_equal(b.listen[0], CUZK_DEFAULT_ADDRESS);
    cuzk_config_free(c);
}

static void every_option_arrives(void **state)
{
    (void)state;
    cuzk_daemon_options o = CUZK_DAEMON_DEFAULTS;
    cuzk_config *c =
        accepted("[daemon]\nsocket_mode = \"0660\"\ntls_cert = \"c\"\ntls_key = \"k\"\n"
                 "tls_client_ca = \"a\"\ntoken_file = \"t\"\n"
                 "max_message_bytes = \"1MiB\"\nmax_request_bytes = \"2MiB\"\n"
                 "max_results = 3\nresult_ttl = \"1500ms\"\nstop_timeout = 4\n"
                 "[http]\nlisten = \"127.0.0.1:9821\"\n"
                 "[memory]\ntotal_budget = \"0\"\nsafety_margin = \"7MiB\"\n"
                 "eviction_min_idle = \"8s\"\n[srs]\nparam_cache = \"/p\"\n"
                 "preload = [\"porep-2k\"]\nallow_insecure_params = true\n"
                 "verdict_cache_dir = \"none\"\n[scheduler]\nageing = 0\n"
                 "watchdog = \"9ms\"\n[logging]\nlevel = \"trace\"\n"
                 "format = \"logfmt\"\nfile = \"/l\"\n");
    cuzk_config_daemon_options(c, &o);
    assert_int_equal(o.socket_mode, 0660);
    assert_string_equal(o.tls_cert, "c");
    assert_string_equal(o.tls_key, "k");
    assert_string_equal(o.tls_client_ca, "a");
    assert_string_equal(o.token_file, "t");
    assert_int_equal(o.max_message_bytes, 1 << 20);
    assert_int_equal(o.max_bytes, 2 << 20);
    assert_int_equal(o.max_results, 3);
    assert_int_equal(o.result_ttl_s, 2); /* rounded up */
    assert_int_equal(o.stop_s, 4);
    assert_string_equal(o.http_listen, "127.0.0.1:9821");
    assert_int_equal(o.max_memory, 1); /* nothing fits; 0 would mean automatic */
    assert_int_equal(o.memory_margin, 7 << 20);
    assert_int_equal(o.eviction_min_idle_s, 8);
    assert_string_equal(o.params_dir, "/p");
    assert_int_equal(o.n_preload, 1);
    assert_string_equal(o.preload[0], "porep-2k");
    assert_true(o.allow_insecure_params);
    assert_string_equal(o.cache_dir, "");
    assert_int_equal(o.ageing_ms, 0);
    assert_int_equal(o.stall_ms, 9);
    assert_int_equal(o.log.level, CUZK_LOG_LEVEL_DEBUG);
    assert_int_equal(o.log.format, CUZK_LOG_LOGFMT);
    assert_string_equal(o.log.file, "/l");
    cuzk_config_free(c);
}

/* Every allocation fails once: a status, nothing lost. */
static void out_of_memory(void **state)
{
    (void)state;
    static const char text[] = "[daemon]\nlisten = [\"unix:///a\", \"unix:///b\"]\n"
                               "[memory]\npinned_budget = \"1GiB\"\n";
    cuzk_config_source source = {.path = write_bytes("c.toml", text, strlen(text)),
                                 .ignore_environment = true};
    uint64_t before = cuzk_mem_used();
    for (uint64_t n = 1; n < 2000; n++) {
        cuzk_config *c = NULL;
        cuzk_err err = {0};
        cuzk_mem_fail_nth(n);
        cuzk_status st = cuzk_config_load(&c, &source, &err);
        void *probe = cuzk_malloc(1); /* NULL: the n-th was not reached */
        bool reached = probe != NULL;
        cuzk_free(probe);
        cuzk_mem_fail_nth(0);
        assert_true(st == CUZK_OK || st == CUZK_NOMEM);
        cuzk_config_free(c);
        assert_int_equal(cuzk_mem_used(), before);
        if (!reached && st == CUZK_OK)
            return;
    }
    fail_msg("never succeeds");
}

/* ---- what is printed ---- */

static void values_can_be_read_again(void **state)
{
    (void)state;
    char *text = NULL;
    cuzk_err err = {0};
    cuzk_config *c = accepted("[daemon]\nlisten = [\"unix:///a \\\\ \\\" b\", \"[::1]:5\"]\n"
                              "socket_mode = \"0660\"\n[memory]\ntotal_budget = \"7MB\"\n"
                              "[gpus]\ndevices = [1, 2]\n[logging]\nformat = \"json\"\n");
    assert_int_equal(cuzk_config_print(c, CUZK_CONFIG_VALUES, &text, &err), CUZK_OK);
    cuzk_config *d = accepted(text);
    for (int i = 0; i < SETTING_COUNT; i++) {
        if (cuzk_settings[i].state != SETTING_LIVE)
            continue;
        assert_string_equal(c->slot[i].value.text, d->slot[i].value.text);
        assert_int_equal(d->slot[i].origin.layer, LAYER_FILE);
    }
    cuzk_config_free(d);
    cuzk_config_free(c);
    cuzk_config_free_text(text);
}

/* The sample with its settings switched on is what the defaults say. */
static void sample_is_the_defaults(void **state)
{
    (void)state;
    char *text = NULL;
    cuzk_err err = {0};
    assert_int_equal(cuzk_config_print(NULL, CUZK_CONFIG_SAMPLE, &text, &err), CUZK_OK);
    for (char *p = text; p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
        if (p[0] == '#' && p[1] >= 'a' && p[1] <= 'z')
            p[0] = ' ';
    }
    cuzk_config *c = accepted(text), *plain = accepted("");
    for (int i = 0; i < SETTING_COUNT; i++) {
        if (cuzk_settings[i].state != SETTING_LIVE)
            continue;
        assert_int_equal(c->slot[i].origin.layer, LAYER_FILE);
        assert_string_equal(c->slot[i].value.text, plain->slot[i].value.text);
    }
    assert_null(cuzk_config_note(c, 0, NULL));
    cuzk_config_free(c);
    cuzk_config_free(plain);
    cuzk_config_free_text(text);
}

static void compare_with_file(cuzk_config_form form, const char *path, const char *begin,
                              const char *end)
{
    uint8_t *file = NULL;
    size_t n;
    char *text = NULL;
    cuzk_err err = {0};
    assert_int_equal(cuzk_config_print(NULL, form, &text, &err), CUZK_OK);
    if (cuzk_file_read(&file, &n, path, 1 << 20, &err) != CUZK_OK)
        fail_msg("%s; scripts/gen_config_docs makes it", err.msg);
    const char *p = begin ? strstr((const char *)file, begin) : (const char *)file;
    assert_non_null(p);
    p += begin ? strlen(begin) : 0;
    const char *q = end ? strstr(p, end) : p + strlen(p);
    assert_non_null(q);
    if (strlen(text) != (size_t)(q - p) || strncmp(p, text, strlen(text)) != 0)
        fail_msg("%s is not what the table says; run scripts/gen_config_docs", path);
    cuzk_free(file);
    cuzk_config_free_text(text);
}

static void docs_are_current(void **state)
{
    (void)state;
    compare_with_file(CUZK_CONFIG_MARKDOWN, "docs/configuration.md", "<!-- settings -->\n",
                      "<!-- end of settings -->");
    compare_with_file(CUZK_CONFIG_SAMPLE, "contrib/cuzk.toml", NULL, NULL);
    compare_with_file(CUZK_CONFIG_MAN, "contrib/man/cuzk.toml.5", NULL, NULL);
}

static void table_is_sound(void **state)
{
    (void)state;
    for (int i = 0; i < SETTING_COUNT; i++) {
        const config_setting *s = &cuzk_settings[i];
        assert_int_equal(cuzk_setting_find(s->section, s->key), i);
        assert_non_null(s->help);
        assert_non_null(s->def);
        assert_true(s->type != TYPE_ENUM || s->choices);
        assert_true((s->state == SETTING_ALIAS || s->state == SETTING_GONE) ==
                    (s->replaced_by != NULL));
        assert_true(!s->flag || s->type == TYPE_BOOL || s->operand);
        for (int k = 0; k < i; k++)
            assert_false(s->flag && cuzk_settings[k].flag &&
                         strcmp(s->flag, cuzk_settings[k].flag) == 0);
    }
}

static void edit_distances(void **state)
{
    (void)state;
    assert_int_equal(cuzk_edit_distance("", ""), 0);
    assert_int_equal(cuzk_edit_distance("abc", ""), 3);
    assert_int_equal(cuzk_edit_distance("total_bugdet", "total_budget"), 1); /* a swap */
    assert_int_equal(cuzk_edit_distance("kitten", "sitting"), 3);
    assert_int_equal(cuzk_edit_distance("Listen", "listen"), 0);
    assert_false(cuzk_names_are_near("x", "threads"));
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/cuzk-config-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(place("c.toml"));
    unlink(place("nul.toml"));
    unlink(place("closed.toml"));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(g03_sizes),
        cmocka_unit_test(g03_sizes_in_files),
        cmocka_unit_test(durations),
        cmocka_unit_test(g07_booleans),
        cmocka_unit_test(g01_unknown_names),
        cmocka_unit_test(g01_duplicates),
        cmocka_unit_test(g02_old_names),
        cmocka_unit_test(g05_files),
        cmocka_unit_test(hostile_files),
        cmocka_unit_test(g06_ranges),
        cmocka_unit_test(g09_quotes),
        cmocka_unit_test(precedence),
        cmocka_unit_test(wrong_flags),
        cmocka_unit_test(defaults_agree),
        cmocka_unit_test(every_option_arrives),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(values_can_be_read_again),
        cmocka_unit_test(sample_is_the_defaults),
        cmocka_unit_test(docs_are_current),
        cmocka_unit_test(table_is_sound),
        cmocka_unit_test(edit_distances),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

/* Series of samples, as a table and as the JSON object of docs/bench.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench.h"

void bench_report_init(bench_report *r, const char *bench)
{
    time_t now = time(NULL);
    struct tm utc;
    memset(r, 0, sizeof *r);
    r->bench = bench;
    strftime(r->started, sizeof r->started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

void bench_report_fini(bench_report *r)
{
    for (size_t i = 0; i < r->n_series; i++)
        free(r->series[i].value);
    free(r->series);
}

void bench_request(bench_report *r, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (r->n_requests < BENCH_MAX_REQUESTS)
        r->request[r->n_requests++] = slash && slash[1] ? slash + 1 : path;
}

void bench_setting(bench_report *r, const char *name, uint64_t value)
{
    if (r->n_settings == sizeof r->setting / sizeof r->setting[0])
        return;
    r->setting[r->n_settings].name = name;
    r->setting[r->n_settings++].value = value;
}

void bench_setting_threads(bench_report *r, uint64_t threads)
{
    cuzk_bench_machine m;
    cuzk_bench_describe(&m);
    bench_setting(r, "threads", threads ? threads : m.cores);
}

/* ---- samples ---- */

static bench_series *find(const bench_report *r, const char *name)
{
    for (size_t i = 0; i < r->n_series; i++)
        if (strcmp(r->series[i].name, name) == 0)
            return &r->series[i];
    return NULL;
}

const bench_series *bench_find(const bench_report *r, const char *name)
{
    return find(r, name);
}

static bench_series *add_series(bench_report *r, const char *name, const char *unit)
{
    bench_series *all = realloc(r->series, (r->n_series + 1) * sizeof *all);
    if (!all)
        return NULL;
    r->series = all;
    bench_series *s = &all[r->n_series++];
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->unit = unit;
    return s;
}

static bool make_room(bench_series *s)
{
    if (s->n < s->cap)
        return true;
    size_t cap = s->cap ? 2 * s->cap : 16;
    double *p = realloc(s->value, cap * sizeof *p);
    if (!p)
        return false;
    s->value = p;
    s->cap = cap;
    return true;
}

void bench_sample(bench_report *r, const char *name, const char *unit, double value)
{
    bench_series *s = find(r, name);
    if (!s)
        s = add_series(r, name, unit);
    if (s && make_room(s))
        s->value[s->n++] = value;
    else
        r->out_of_memory = true;
}

void bench_phases(bench_report *r, const cuzk_trace *trace)
{
    size_t n;
    const cuzk_span_record *p = cuzk_trace_records(trace, &n);
    for (size_t i = 0; i < n; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = strcmp(p[k].phase, p[i].phase) == 0;
        if (!seen)
            bench_sample(r, p[i].phase, "ms", (double)cuzk_trace_total_ns(trace, p[i].phase) / 1e6);
    }
}

void bench_add_rate(bench_report *r, const char *name, const char *unit, double value)
{
    if (r->n_rates == BENCH_MAX_RATES)
        return;
    bench_rate *rate = &r->rate[r->n_rates++];
    snprintf(rate->name, sizeof rate->name, "%s", name);
    rate->unit = unit;
    rate->value = value;
}

double bench_cpu_ms(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

/* ---- order ---- */

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_min(const bench_series *s)
{
    double m = s->value[0];
    for (size_t i = 1; i < s->n; i++)
        m = s->value[i] < m ? s->value[i] : m;
    return m;
}

double bench_max(const bench_series *s)
{
    double m = s->value[0];
    for (size_t i = 1; i < s->n; i++)
        m = s->value[i] > m ? s->value[i] : m;
    return m;
}

/* Mean of the two middle ones for an even number. */
double bench_median(const bench_series *s)
{
    double *v = malloc(s->n * sizeof *v), m = s->value[s->n / 2];
    if (!v)
        return m;
    memcpy(v, s->value, s->n * sizeof *v);
    qsort(v, s->n, sizeof *v, order);
    m = s->n % 2 ? v[s->n / 2] : (v[s->n / 2 - 1] + v[s->n / 2]) / 2;
    free(v);
    return m;
}

/* ---- output ---- */

static void print_text(const bench_report *r)
{
    cuzk_bench_machine m;
    cuzk_bench_describe(&m);
    printf("cuzk bench %s:", r->bench);
    for (unsigned i = 0; i < r->n_requests; i++)
        printf(" %s", r->request[i]);
    for (unsigned i = 0; i < r->n_settings; i++)
        printf(", %s %llu", r->setting[i].name, (unsigned long long)r->setting[i].value);
    printf("%s%s\n%s, %u cores, %s; cuzk %s (%s), %s\n\n", r->how ? ", " : "", r->how ? r->how : "",
           m.cpu, m.cores, m.path, m.version, m.commit, m.compiler);
    printf("%-30s %5s %12s %12s %12s\n", "sample", "n", "min", "median", "max");
    for (size_t i = 0; i < r->n_series; i++) {
        const bench_series *s = &r->series[i];
        printf("%-30s %5zu %12.3f %12.3f %12.3f %s\n", s->name, s->n, bench_min(s), bench_median(s),
               bench_max(s), s->unit);
    }
    for (unsigned i = 0; i < r->n_rates; i++)
        printf("%s%-30s %44.3f %s\n", i ? "" : "\n", r->rate[i].name, r->rate[i].value,
               r->rate[i].unit);
}

static void json_words(yajl_gen g, const char *key, const char *words)
{
    cli_json_key(g, key);
    yajl_gen_array_open(g);
    for (size_t n; *words; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        yajl_gen_string(g, (const unsigned char *)words, n);
    }
    yajl_gen_array_close(g);
}

static void json_machine(yajl_gen g)
{
    cuzk_bench_machine m;
    cuzk_bench_describe(&m);
    cli_json_key(g, "machine");
    yajl_gen_map_open(g);
    cli_json_string(g, "cpu", m.cpu);
    cli_json_uint(g, "cores", m.cores);
    cli_json_string(g, "path", m.path);
    json_words(g, "features", m.features);
    cli_json_uint(g, "memory_bytes", m.memory_bytes);
    cli_json_string(g, "kernel", m.kernel);
    yajl_gen_map_close(g);
    cli_json_key(g, "build");
    yajl_gen_map_open(g);
    cli_json_string(g, "version", m.version);
    cli_json_string(g, "commit", m.commit);
    cli_json_string(g, "compiler", m.compiler);
    yajl_gen_map_close(g);
}

static void json_workload(yajl_gen g, const bench_report *r)
{
    cli_json_key(g, "workload");
    yajl_gen_map_open(g);
    cli_json_key(g, "requests");
    yajl_gen_array_open(g);
    for (unsigned i = 0; i < r->n_requests; i++)
        yajl_gen_string(g, (const unsigned char *)r->request[i], strlen(r->request[i]));
    yajl_gen_array_close(g);
    if (r->how)
        cli_json_string(g, "synth", r->how);
    for (unsigned i = 0; i < r->n_settings; i++)
        cli_json_uint(g, r->setting[i].name, r->setting[i].value);
    yajl_gen_map_close(g);
}

static void json_series(yajl_gen g, const bench_series *s)
{
    char text[40];
    yajl_gen_map_open(g);
    cli_json_string(g, "name", s->name);
    cli_json_string(g, "unit", s->unit);
    cli_json_string(g, "better", "lower");
    cli_json_key(g, "values");
    yajl_gen_array_open(g);
    for (size_t i = 0; i < s->n; i++) {
        int n = snprintf(text, sizeof text, "%.3f", s->value[i]);
        yajl_gen_number(g, text, (size_t)n);
    }
    yajl_gen_array_close(g);
    cli_json_double(g, "min", bench_min(s));
    cli_json_double(g, "median", bench_median(s));
    cli_json_double(g, "max", bench_max(s));
    yajl_gen_map_close(g);
}

static void json_rates(yajl_gen g, const bench_report *r)
{
    cli_json_key(g, "rates");
    yajl_gen_array_open(g);
    for (unsigned i = 0; i < r->n_rates; i++) {
        yajl_gen_map_open(g);
        cli_json_string(g, "name", r->rate[i].name);
        cli_json_string(g, "unit", r->rate[i].unit);
        cli_json_double(g, "value", r->rate[i].value);
        yajl_gen_map_close(g);
    }
    yajl_gen_array_close(g);
}

yajl_gen bench_json_begin(const bench_report *r)
{
    yajl_gen g = cli_json_begin();
    cli_json_bool(g, "ok", true);
    cli_json_uint(g, "schema", 1);
    cli_json_string(g, "bench", r->bench);
    cli_json_string(g, "started", r->started);
    json_workload(g, r);
    json_machine(g);
    cli_json_switches(g);
    return g;
}

void bench_json_end(yajl_gen g, const bench_report *r)
{
    cli_json_key(g, "samples");
    yajl_gen_array_open(g);
    for (size_t i = 0; i < r->n_series; i++)
        json_series(g, &r->series[i]);
    yajl_gen_array_close(g);
    json_rates(g, r);
    cli_json_end(g);
}

int bench_print(const bench_report *r, bool json)
{
    if (r->out_of_memory)
        return cli_fail_text(json, CUZK_NOMEM, "bench: no memory for the samples");
    if (json)
        bench_json_end(bench_json_begin(r), r);
    else
        print_text(r);
    return 0;
}

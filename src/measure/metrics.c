#include "measure/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- instruments ---- */

static metric_series *find(metric *m, const char *value, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (strncmp(m->series[i].value, value, METRIC_LABEL_BYTES - 1) == 0)
            return &m->series[i];
    }
    return NULL;
}

static metric_series *add_series(metric *m, const char *value)
{
    pthread_mutex_lock(&m->lock);
    unsigned n = atomic_load(&m->n_series);
    if (n == METRIC_MAX_SERIES - 1)
        value = "other"; /* the last place is for all that follow */
    metric_series *s = find(m, value, n);
    if (!s && n < METRIC_MAX_SERIES) {
        s = &m->series[n];
        snprintf(s->value, sizeof s->value, "%s", value);
        atomic_store_explicit(&m->n_series, n + 1, memory_order_release);
    }
    pthread_mutex_unlock(&m->lock);
    return s ? s : &m->series[METRIC_MAX_SERIES - 1];
}

static metric_series *series_of(metric *m, const char *value)
{
    value = value ? value : "";
    unsigned n = atomic_load_explicit(&m->n_series, memory_order_acquire);
    metric_series *s = find(m, value, n);
    return s ? s : add_series(m, value);
}

void cuzk_metric_add(metric *m, const char *value, uint64_t n)
{
    atomic_fetch_add(&series_of(m, value)->total, n);
}

void cuzk_metric_observe_ns(metric *m, const char *value, uint64_t ns)
{
    metric_series *s = series_of(m, value);
    unsigned i = 0;
    while (i < m->n_bounds && ns > m->bound[i])
        i++;
    atomic_fetch_add(&s->total, ns);
    atomic_fetch_add(&s->bucket[i], 1);
}

uint64_t cuzk_metric_total(const metric *m, const char *value)
{
    unsigned n = atomic_load(&m->n_series);
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(m->series[i].value, value ? value : "") == 0)
            return atomic_load(&m->series[i].total);
    }
    return 0;
}

/* ---- the page ---- */

static const char *type_name(const metrics_page *p, metric_type type, const char *name)
{
    static const char *const text[] = {"counter", "gauge", "summary", "histogram", "untyped"};
    size_t n = strlen(name);
    bool total = n > 6 && strcmp(name + n - 6, "_total") == 0;
    return type == METRIC_COUNTER && p->strict && !total ? text[METRIC_UNTYPED] : text[type];
}

void cuzk_page_family(metrics_page *p, metric_type type, const char *name, const char *help)
{
    cuzk_buffer_printf(&p->out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
                       type_name(p, type, name));
}

/* The format's three escapes; control characters that it lets through are left out. */
static void put_label_value(cuzk_buffer *out, const char *value)
{
    for (const char *c = value; *c; c++) {
        if (*c == '\n')
            cuzk_buffer_text(out, "\\n");
        else if (*c == '"' || *c == '\\')
            cuzk_buffer_printf(out, "\\%c", *c);
        else if ((unsigned char)*c >= 0x20)
            cuzk_buffer_put(out, c, 1);
    }
}

static void put_series(metrics_page *p, const char *name, const char *suffix,
                       const metric_label label[], size_t n_labels)
{
    cuzk_buffer_printf(&p->out, "%s%s", name, suffix);
    for (size_t i = 0; i < n_labels; i++) {
        cuzk_buffer_printf(&p->out, "%s%s=\"", i ? "," : "{", label[i].name);
        put_label_value(&p->out, label[i].value);
        cuzk_buffer_text(&p->out, i + 1 == n_labels ? "\"}" : "\"");
    }
}

void cuzk_page_uint(metrics_page *p, const char *name, const char *suffix,
                    const metric_label label[], size_t n_labels, uint64_t value)
{
    put_series(p, name, suffix, label, n_labels);
    cuzk_buffer_printf(&p->out, " %" PRIu64 "\n", value);
}

void cuzk_page_seconds(metrics_page *p, const char *name, const char *suffix,
                       const metric_label label[], size_t n_labels, uint64_t ns)
{
    put_series(p, name, suffix, label, n_labels);
    cuzk_buffer_printf(&p->out, " %" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000u, ns % 1000000000u);
}

void cuzk_page_single(metrics_page *p, metric_type type, const char *name, const char *help,
                      uint64_t value)
{
    cuzk_page_family(p, type, name, help);
    cuzk_page_uint(p, name, "", NULL, 0, value);
}

/* count is taken from the buckets, so that it agrees with them while others observe. */
static void put_histogram(metrics_page *p, const metric *m, const metric_series *s)
{
    char bound[32];
    metric_label label[] = {{m->label, s->value}, {"le", bound}};
    const metric_label *used = m->label ? label : label + 1;
    size_t n_own = m->label ? 1 : 0;
    uint64_t count = 0;
    for (unsigned i = 0; i <= m->n_bounds; i++) {
        count += atomic_load(&s->bucket[i]);
        if (i < m->n_bounds)
            snprintf(bound, sizeof bound, "%g", (double)m->bound[i] / 1e9);
        else
            snprintf(bound, sizeof bound, "+Inf");
        cuzk_page_uint(p, m->name, "_bucket", used, n_own + 1, count);
    }
    cuzk_page_seconds(p, m->name, "_sum", label, n_own, atomic_load(&s->total));
    cuzk_page_uint(p, m->name, "_count", label, n_own, count);
}

void cuzk_page_metric(metrics_page *p, const metric *m)
{
    unsigned n = atomic_load_explicit(&m->n_series, memory_order_acquire);
    if (n == 0 && m->label)
        return; /* a family without series is noise */
    cuzk_page_family(p, m->type, m->name, m->help);
    for (unsigned i = 0; i < n; i++) {
        const metric_label label = {m->label, m->series[i].value};
        if (m->type == METRIC_HISTOGRAM)
            put_histogram(p, m, &m->series[i]);
        else
            cuzk_page_uint(p, m->name, "", &label, m->label ? 1 : 0,
                           atomic_load(&m->series[i].total));
    }
    if (n == 0)
        cuzk_page_uint(p, m->name, "", NULL, 0, 0);
}

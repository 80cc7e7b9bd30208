/* A diagnosis as JSON. Times in ms, memory in KiB, differences are on minus off. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "measure/report.h"

static void put_string(cuzk_buffer *b, const char *key, const char *value)
{
    char text[3000];
    cuzk_json_escape(text, sizeof text, value);
    cuzk_buffer_printf(b, "\"%s\": \"%s\"", key, text);
}

static void put_interval(cuzk_buffer *b, const char *key, cuzk_diagnose_interval x)
{
    cuzk_buffer_printf(b, "\"%s\": {\"estimate\": %.4f, \"low\": %.4f, \"high\": %.4f}", key,
                       x.estimate, x.low, x.high);
}

static void put_verdict(cuzk_buffer *b, const cuzk_diagnose_verdict *v)
{
    cuzk_buffer_text(b, "    {");
    put_string(b, "name", v->name);
    cuzk_buffer_printf(b, ", \"pair\": %s, ", v->pair ? "true" : "false");
    put_string(b, "time", cuzk_verdict_text(v->time));
    cuzk_buffer_text(b, ", ");
    put_string(b, "memory", cuzk_verdict_memory_text(v->memory));
    cuzk_buffer_text(b, ",\n     ");
    put_interval(b, "ms", v->ms);
    cuzk_buffer_printf(b, ", \"percent\": %.3f,\n     ", v->percent);
    put_interval(b, "peak_kb", v->peak_kb);
    cuzk_buffer_text(b, ",\n     \"phases\": [");
    for (unsigned i = 0; i < v->n_shares; i++) {
        cuzk_buffer_text(b, i ? ", {" : "{");
        put_string(b, "name", v->share[i].name);
        cuzk_buffer_text(b, ", ");
        put_interval(b, "ms", v->share[i].ms);
        cuzk_buffer_text(b, "}");
    }
    cuzk_buffer_text(b, "]}");
}

static void put_config(cuzk_buffer *b, const cuzk_diagnosis *d, unsigned c)
{
    char name[64];
    cuzk_diagnosis_config_name(name, d, c);
    cuzk_buffer_text(b, "    {");
    put_string(b, "on", name);
    cuzk_buffer_printf(b, ", \"peak_kb\": %.0f, \"median_ms\": {", cuzk_diagnosis_median_kb(d, c));
    for (unsigned m = 0; m < d->n_metrics; m++) {
        cuzk_buffer_text(b, m ? ", " : "");
        char key[6 * CUZK_DIAGNOSE_NAME_BYTES];
        cuzk_json_escape(key, sizeof key, d->metric[m]);
        cuzk_buffer_printf(b, "\"%s\": %.4f", key, cuzk_diagnosis_median_ms(d, c, m));
    }
    cuzk_buffer_text(b, "},\n     \"samples_ms\": [");
    for (unsigned k = 0; k < d->n_blocks; k++)
        cuzk_buffer_printf(b, "%s%.4f", k ? ", " : "",
                           (double)d->run[(size_t)k * d->plan.n_configs + c].total_ns / 1e6);
    cuzk_buffer_text(b, "]}");
}

static void put_quality(cuzk_buffer *b, const cuzk_diagnosis_quality *q)
{
    cuzk_buffer_printf(b,
                       "  \"blocks\": %" PRIu64 ", \"runs\": %" PRIu64 ", \"run_ms\": %.4f,\n"
                       "  \"noise\": %.6f, \"twin\": %.6f, \"precision\": %.6f,"
                       " \"precise_enough\": %s,\n",
                       q->n_blocks, q->n_runs, q->run_ms, q->noise, q->twin, q->precision,
                       q->precise_enough ? "true" : "false");
}

static void put_all(cuzk_buffer *b, const cuzk_diagnosis *d)
{
    const struct {
        const char *key, *value;
    } head[] = {{"answer", d->answer},   {"workload", d->workload}, {"clock", d->clock},
                {"machine", d->machine}, {"program", d->program},   {"load_average", d->load}};
    cuzk_buffer_text(b, "{\n  \"cuzk_diagnosis\": 1,\n");
    for (size_t i = 0; i < CUZK_ARRAY_LEN(head); i++) {
        cuzk_buffer_text(b, "  ");
        put_string(b, head[i].key, head[i].value);
        cuzk_buffer_text(b, ",\n");
    }
    cuzk_buffer_printf(b, "  \"seed\": %" PRIu64 ", \"seconds\": %.1f,\n", d->plan.seed,
                       d->seconds);
    put_quality(b, &d->quality);
    cuzk_buffer_text(b, "  \"verdicts\": [\n");
    for (unsigned i = 0; i < d->n_verdicts; i++) {
        put_verdict(b, &d->verdict[i]);
        cuzk_buffer_text(b, i + 1 < d->n_verdicts ? ",\n" : "\n");
    }
    cuzk_buffer_text(b, "  ],\n  \"configurations\": [\n");
    for (unsigned c = 0; c < d->plan.n_configs; c++) {
        put_config(b, d, c);
        cuzk_buffer_text(b, c + 1 < d->plan.n_configs ? ",\n" : "\n");
    }
    cuzk_buffer_text(b, "  ]\n}\n");
}

cuzk_status cuzk_diagnosis_write_json(const cuzk_diagnosis *d, const char *path, cuzk_err *err)
{
    cuzk_buffer b = {0};
    put_all(&b, d);
    cuzk_status st = b.failed ? cuzk_fail(err, CUZK_NOMEM, 0, "%s: no memory", path)
                              : cuzk_file_write(path, b.text, b.n, err);
    cuzk_buffer_fini(&b);
    return st;
}

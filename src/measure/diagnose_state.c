#include "measure/diagnose_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/json_reader.h"
#include "base/mem.h"
#include "base/text.h"

#define MAX_STATE_BYTES ((size_t)1 << 30)

/* ---- writing ---- */

static cuzk_status write_line(const diagnose_state *s, cuzk_buffer *line, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    if (line->failed)
        st = cuzk_fail(err, CUZK_NOMEM, 0, "%s: no memory for a line", s->path);
    else if (write(s->fd, line->text, line->n) != (ssize_t)line->n)
        st = cuzk_fail(err, CUZK_IO, errno, "cannot write %s", s->path);
    cuzk_buffer_fini(line);
    return st;
}

static void put_string(cuzk_buffer *b, const char *key, const char *value)
{
    char text[600];
    cuzk_json_escape(text, sizeof text, value);
    cuzk_buffer_printf(b, "\"%s\":\"%s\"", key, text);
}

static void put_header(cuzk_buffer *b, const cuzk_diagnosis *d)
{
    cuzk_buffer_printf(b, "{\"cuzk_diagnose\":1,\"seed\":%" PRIu64 ",", d->plan.seed);
    put_string(b, "workload", d->workload);
    cuzk_buffer_text(b, ",");
    put_string(b, "clock", d->clock);
    cuzk_buffer_text(b, ",\"switches\":[");
    for (unsigned i = 0; i < d->plan.n_switches; i++) {
        char text[6 * CUZK_DIAGNOSE_NAME_BYTES];
        cuzk_json_escape(text, sizeof text, d->switch_name[i]);
        cuzk_buffer_printf(b, "%s\"%s\"", i ? "," : "", text);
    }
    cuzk_buffer_text(b, "]}\n");
}

static void put_curve(cuzk_buffer *b, const char *key, const uint32_t x[], size_t n)
{
    cuzk_buffer_printf(b, ",\"%s\":[", key);
    for (size_t i = 0; i < n; i++)
        cuzk_buffer_printf(b, "%s%" PRIu32, i ? "," : "", x[i]);
    cuzk_buffer_text(b, "]");
}

cuzk_status cuzk_state_add(diagnose_state *s, unsigned block, unsigned config, double took_ms,
                           const cuzk_diagnose_run *run, cuzk_err *err)
{
    cuzk_buffer b = {0};
    if (s->fd < 0)
        return CUZK_OK;
    cuzk_buffer_printf(&b,
                       "{\"block\":%u,\"config\":%u,\"took_ms\":%.0f,\"total_ns\":%" PRIu64
                       ",\"peak_kb\":%" PRIu64 ",\"phases\":[",
                       block, config, took_ms, run->total_ns, run->peak_kb);
    for (size_t i = 0; i < run->n_phases; i++) {
        cuzk_buffer_text(&b, i ? ",{" : "{");
        put_string(&b, "name", run->phase[i].name);
        cuzk_buffer_printf(&b, ",\"ns\":%" PRIu64 "}", run->phase[i].ns);
    }
    cuzk_buffer_text(&b, "]");
    put_curve(&b, "curve_ms", run->curve_ms, run->n_curve);
    put_curve(&b, "curve_kb", run->curve_kb, run->n_curve);
    cuzk_buffer_text(&b, "}\n");
    return write_line(s, &b, err);
}

/* ---- reading ---- */

/* One line of either kind. */
typedef struct {
    cuzk_diagnosis *d;
    unsigned n_switches;
    uint64_t version, seed, block, config, took_ms;
    cuzk_diagnose_run run;
    size_t n_curve_kb;
} line_reader;

static line_reader *line_of(json_reader *r)
{
    return cuzk_json_ctx(r);
}

static bool take_text(json_reader *r, char out[], size_t max, const char *s, size_t n)
{
    if (n >= max || memchr(s, '\0', n))
        return cuzk_json_reject(r, CUZK_ENCODING, "a text of at most %zu bytes is wanted", max - 1);
    memcpy(out, s, n);
    out[n] = '\0';
    return true;
}

static bool agree(json_reader *r, const char *have, const char *s, size_t n)
{
    if (strlen(have) == n && memcmp(have, s, n) == 0)
        return true;
    return cuzk_json_reject(r, CUZK_INVAL, "the file measures \"%.*s\", now it would be \"%s\"",
                            (int)(n < 100 ? n : 100), s, have);
}

static bool on_workload(json_reader *r, size_t index, const char *s, size_t n)
{
    (void)index;
    return agree(r, line_of(r)->d->workload, s, n);
}

static bool on_clock(json_reader *r, size_t index, const char *s, size_t n)
{
    (void)index;
    return agree(r, line_of(r)->d->clock, s, n);
}

static bool on_switch(json_reader *r, size_t index, const char *s, size_t n)
{
    const cuzk_diagnosis *d = line_of(r)->d;
    return agree(r, index < d->plan.n_switches ? d->switch_name[index] : "none", s, n);
}

static bool on_switches_end(json_reader *r, uint64_t seen)
{
    if (seen == line_of(r)->d->plan.n_switches)
        return true;
    return cuzk_json_reject(r, CUZK_INVAL, "the file is about %" PRIu64 " switches, now it is %u",
                            seen, line_of(r)->d->plan.n_switches);
}

static bool on_number(json_reader *r, size_t index, uint64_t value)
{
    line_reader *l = line_of(r);
    uint64_t *const to[] = {&l->block, &l->config, &l->took_ms, &l->run.total_ns, &l->run.peak_kb};
    *to[index] = value;
    return true;
}

static bool on_header_number(json_reader *r, size_t index, uint64_t value)
{
    line_reader *l = line_of(r);
    *(index == 0 ? &l->version : &l->seed) = value;
    return true;
}

static bool on_phase_begin(json_reader *r, size_t index)
{
    line_reader *l = line_of(r);
    if (index >= CUZK_DIAGNOSE_MAX_PHASES)
        return cuzk_json_reject(r, CUZK_ENCODING, "too many phases");
    l->run.n_phases = index + 1;
    return true;
}

static bool on_phase_name(json_reader *r, size_t index, const char *s, size_t n)
{
    cuzk_diagnose_run *run = &line_of(r)->run;
    (void)index;
    return take_text(r, run->phase[run->n_phases - 1].name, CUZK_DIAGNOSE_NAME_BYTES, s, n);
}

static bool on_phase_ns(json_reader *r, size_t index, uint64_t value)
{
    cuzk_diagnose_run *run = &line_of(r)->run;
    (void)index;
    run->phase[run->n_phases - 1].ns = value;
    return true;
}

static bool on_curve_ms(json_reader *r, size_t index, uint64_t value)
{
    cuzk_diagnose_run *run = &line_of(r)->run;
    run->curve_ms[index] = (uint32_t)value;
    run->n_curve = index + 1;
    return true;
}

static bool on_curve_kb(json_reader *r, size_t index, uint64_t value)
{
    line_reader *l = line_of(r);
    l->run.curve_kb[index] = (uint32_t)value;
    l->n_curve_kb = index + 1;
    return true;
}

static const json_type t_number = {.kind = JSON_UINT, .uint = on_number};
static const json_type t_header_number = {.kind = JSON_UINT, .uint = on_header_number};
static const json_type t_workload = {.kind = JSON_STRING, .string = on_workload};
static const json_type t_clock = {.kind = JSON_STRING, .string = on_clock};
static const json_type t_switch = {.kind = JSON_STRING, .string = on_switch};
static const json_type t_switches = {.kind = JSON_ARRAY,
                                     .element = &t_switch,
                                     .max = CUZK_DIAGNOSE_MAX_SWITCHES,
                                     .end = on_switches_end};
static const json_field f_header[] = {{"cuzk_diagnose", &t_header_number, false},
                                      {"seed", &t_header_number, false},
                                      {"workload", &t_workload, false},
                                      {"clock", &t_clock, false},
                                      {"switches", &t_switches, false}};
static const json_type t_header = {
    .kind = JSON_OBJECT, .field = f_header, .n_fields = CUZK_ARRAY_LEN(f_header)};

static const json_type t_phase_name = {.kind = JSON_STRING, .string = on_phase_name};
static const json_type t_phase_ns = {.kind = JSON_UINT, .uint = on_phase_ns};
static const json_field f_phase[] = {{"name", &t_phase_name, false}, {"ns", &t_phase_ns, false}};
static const json_type t_phase = {.kind = JSON_OBJECT,
                                  .field = f_phase,
                                  .n_fields = CUZK_ARRAY_LEN(f_phase),
                                  .begin = on_phase_begin};
static const json_type t_phases = {
    .kind = JSON_ARRAY, .element = &t_phase, .max = CUZK_DIAGNOSE_MAX_PHASES};
static const json_type t_ms = {.kind = JSON_UINT, .uint = on_curve_ms};
static const json_type t_kb = {.kind = JSON_UINT, .uint = on_curve_kb};
static const json_type t_curve_ms = {
    .kind = JSON_ARRAY, .element = &t_ms, .max = CUZK_DIAGNOSE_MAX_CURVE};
static const json_type t_curve_kb = {
    .kind = JSON_ARRAY, .element = &t_kb, .max = CUZK_DIAGNOSE_MAX_CURVE};
static const json_field f_run[] = {
    {"block", &t_number, false},      {"config", &t_number, false},
    {"took_ms", &t_number, false},    {"total_ns", &t_number, false},
    {"peak_kb", &t_number, false},    {"phases", &t_phases, false},
    {"curve_ms", &t_curve_ms, false}, {"curve_kb", &t_curve_kb, false}};
static const json_type t_run = {
    .kind = JSON_OBJECT, .field = f_run, .n_fields = CUZK_ARRAY_LEN(f_run)};

static cuzk_status read_header(cuzk_diagnosis *d, const char *path, const char *text, size_t n,
                               cuzk_err *err)
{
    line_reader l = {.d = d};
    cuzk_status st = cuzk_json_read(path, (const uint8_t *)text, n, &t_header, &l, err);
    if (st != CUZK_OK)
        return st;
    if (l.version != 1)
        return cuzk_fail(err, CUZK_INVAL, 0, "%s: format %" PRIu64 "; this cuzk knows format 1",
                         path, l.version);
    if (l.seed != d->plan.seed)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "%s was begun with seed %" PRIu64 ", now it is %" PRIu64, path, l.seed,
                         d->plan.seed);
    return CUZK_OK;
}

static cuzk_status read_run(cuzk_diagnosis *d, const char *path, const char *text, size_t n,
                            cuzk_err *err)
{
    line_reader *l = cuzk_calloc(1, sizeof *l);
    if (!l)
        return cuzk_fail(err, CUZK_NOMEM, 0, "%s: no memory", path);
    l->d = d;
    cuzk_status st = cuzk_json_read(path, (const uint8_t *)text, n, &t_run, l, err);
    bool fits =
        l->config < d->plan.n_configs && l->n_curve_kb == l->run.n_curve && l->run.total_ns > 0;
    if (st == CUZK_OK && !fits)
        st = cuzk_fail(err, CUZK_INVAL, 0, "%s: a run of configuration %" PRIu64 " of %u", path,
                       l->config, d->plan.n_configs);
    if (st == CUZK_OK && l->block < d->max_blocks) {
        size_t at = (size_t)l->block * d->plan.n_configs + (size_t)l->config;
        d->run[at] = l->run;
        d->done[at] = true;
        d->seconds += (double)l->took_ms / 1e3;
    }
    cuzk_free(l);
    return st;
}

/* *whole: bytes up to the end of the last whole line. */
static cuzk_status read_lines(cuzk_diagnosis *d, const char *path, const char *text, size_t n,
                              size_t *whole, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    char name[300];
    unsigned number = 0;
    *whole = 0;
    while (st == CUZK_OK && *whole < n) {
        const char *line = text + *whole, *end = memchr(line, '\n', n - *whole);
        if (!end)
            break;
        size_t length = (size_t)(end - line);
        snprintf(name, sizeof name, "%.200s, line %u", path, ++number);
        st = number == 1 ? read_header(d, name, line, length, err)
                         : read_run(d, name, line, length, err);
        *whole += length + 1;
    }
    return st;
}

/* ---- entry ---- */

static cuzk_status read_state(diagnose_state *s, cuzk_diagnosis *d, bool *empty, cuzk_err *err)
{
    uint8_t *text = NULL;
    size_t n = 0, whole = 0;
    cuzk_status st;
    CUZK_TRY(cuzk_file_read(&text, &n, s->path, MAX_STATE_BYTES, err));
    CUZK_TRY(read_lines(d, s->path, (const char *)text, n, &whole, err));
    if (whole < n && ftruncate(s->fd, (off_t)whole) != 0)
        st = cuzk_fail(err, CUZK_IO, errno, "cannot cut the last line off %s", s->path);
    *empty = whole == 0;
out:
    cuzk_free(text);
    return st;
}

static cuzk_status open_file(diagnose_state *s, bool resume, cuzk_err *err)
{
    int flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | (resume ? 0 : O_EXCL);
    s->fd = open(s->path, flags, 0644);
    if (s->fd < 0 && errno == EEXIST)
        return cuzk_fail(err, CUZK_EXISTS, 0,
                         "%s exists: go on with it (--resume), or name another file", s->path);
    if (s->fd < 0)
        return cuzk_fail(err, CUZK_IO, errno, "cannot open %s", s->path);
    if (flock(s->fd, LOCK_EX | LOCK_NB) != 0)
        return cuzk_fail(err, CUZK_EXISTS, 0, "%s is being written by another diagnosis", s->path);
    return CUZK_OK;
}

cuzk_status cuzk_state_open(diagnose_state *s, cuzk_diagnosis *d, const char *path, bool resume,
                            cuzk_err *err)
{
    bool empty = true;
    cuzk_buffer header = {0};
    cuzk_status st = CUZK_OK;
    *s = (diagnose_state){.fd = -1, .path = path};
    if (!path)
        return CUZK_OK;
    CUZK_TRY(open_file(s, resume, err));
    CUZK_TRY(read_state(s, d, &empty, err));
    if (empty) {
        put_header(&header, d);
        CUZK_TRY(write_line(s, &header, err));
    }
    return CUZK_OK;
out:
    cuzk_state_close(s);
    return st;
}

void cuzk_state_close(diagnose_state *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

/* The look at a TOML file before it is parsed, and what the C side of the shim needs. */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "config/toml_reader.h"

typedef enum { SCAN_PLAIN, SCAN_COMMENT, SCAN_STRING } scan_state;

typedef struct {
    const char *p, *end;
    unsigned line, depth, dots, commas;
    scan_state state;
    char quote;     /* of the string we are in */
    unsigned width; /* 1 or 3 quotes */
} scan;

static unsigned count_quotes(const scan *s, char quote)
{
    unsigned n = 0;
    while (s->p + n < s->end && s->p[n] == quote && n < 3)
        n++;
    return n;
}

static void in_string(scan *s)
{
    char c = *s->p;
    if (c == '\\' && s->quote == '"' && s->p + 1 < s->end && s->p[1] != '\n') {
        s->p += 2;
        return;
    }
    if (c == s->quote && count_quotes(s, c) >= s->width) {
        s->p += s->width;
        s->state = SCAN_PLAIN;
        return;
    }
    if (c == '\n' && s->width == 1) /* not closed: the parser says so */
        s->state = SCAN_PLAIN;
    else
        s->p++;
}

static void in_plain(scan *s)
{
    char c = *s->p;
    s->dots += c == '.';
    s->commas += c == ',';
    if (c == '[' || c == '{')
        s->depth++;
    if ((c == ']' || c == '}') && s->depth)
        s->depth--;
    if (c == '#')
        s->state = SCAN_COMMENT;
    if (c != '"' && c != '\'') {
        s->p++;
        return;
    }
    unsigned n = count_quotes(s, c);
    s->p += n;
    if (n == 2) /* "" */
        return;
    s->state = SCAN_STRING;
    s->quote = c;
    s->width = n;
}

static void end_line(scan *s)
{
    s->line++;
    s->dots = 0;
    if (s->state == SCAN_COMMENT)
        s->state = SCAN_PLAIN;
    s->p++;
}

static cuzk_status scan_nesting(scan *s, cuzk_err *err)
{
    while (s->p < s->end) {
        bool newline = *s->p == '\n' && !(s->state == SCAN_STRING && s->width == 1);
        if (newline)
            end_line(s);
        else if (s->state == SCAN_COMMENT)
            s->p++;
        else if (s->state == SCAN_STRING)
            in_string(s);
        else
            in_plain(s);
        if (s->depth > TOML_MAX_DEPTH)
            return cuzk_fail(err, CUZK_BUDGET, 0, "more than %u brackets inside each other",
                             TOML_MAX_DEPTH);
        if (s->dots > TOML_MAX_DOTS)
            return cuzk_fail(err, CUZK_BUDGET, 0, "more than %u dots in one line", TOML_MAX_DOTS);
        if (s->commas > TOML_MAX_COMMAS)
            return cuzk_fail(err, CUZK_BUDGET, 0, "more than %u commas", TOML_MAX_COMMAS);
    }
    return CUZK_OK;
}

static cuzk_status scan_bytes(const char *text, size_t n, unsigned *line, cuzk_err *err)
{
    for (size_t i = 0, k; i < n; i += k) {
        k = utf8_sequence((const uint8_t *)text + i, (const uint8_t *)text + n);
        *line += text[i] == '\n';
        if (k == 0)
            return cuzk_fail(err, CUZK_ENCODING, 0,
                             "byte 0x%02x is not valid UTF-8; save the file as UTF-8",
                             (unsigned char)text[i]);
        if (text[i] == '\0')
            return cuzk_fail(err, CUZK_ENCODING, 0, "a NUL byte; this is no text file");
    }
    return CUZK_OK;
}

cuzk_status cuzk_toml_scan(const char *text, size_t n, unsigned *line, cuzk_err *err)
{
    *line = 0;
    if (n > TOML_MAX_BYTES)
        return cuzk_fail(err, CUZK_BUDGET, 0, "%zu bytes; at most %zu are read", n, TOML_MAX_BYTES);
    *line = 1;
    cuzk_status st = scan_bytes(text, n, line, err);
    if (st != CUZK_OK)
        return st;
    scan s = {.p = text, .end = text + n, .line = 1};
    st = scan_nesting(&s, err);
    *line = s.line;
    return st;
}

const char *cuzk_toml_type_name(toml_type type)
{
    static const char *const name[] = {
        "a string", "a whole number", "true or false", "a number with a point",
        "a date",   "an array",       "a table"};
    return name[type];
}

static void entry_fini(toml_entry *e)
{
    for (size_t i = 0; i < e->n_items; i++)
        entry_fini(&e->item[i]); /* arrays in arrays: not deeper than TOML_MAX_DEPTH */
    cuzk_free(e->item);
    cuzk_free(e->section);
    cuzk_free(e->key);
    cuzk_free(e->text);
}

void cuzk_toml_fini(toml_document *d)
{
    for (size_t i = 0; i < d->n; i++)
        entry_fini(&d->entry[i]);
    cuzk_free(d->entry);
    *d = (toml_document){0};
}

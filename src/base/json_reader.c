/* A loop over tokens; a stack of frames follows the type table.
 *
 * C1 outputs have tens of megabytes, nearly all of it arrays of 32 bytes; these have a path of
 * their own (cuzk_json_lex_bytes32). Tried and dropped: yajl, which calls back for each number. The
 * real C1 of a 32 GiB sector: 48 MB/s with it.
 */
#include "base/json_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json_lexer.h"

#define SKIPPING (-1)

typedef struct {
    const json_type *type;
    size_t n;      /* elements begun */
    size_t wanted; /* ARRAY, BYTES32: exact or largest number of elements */
    uint64_t seen; /* OBJECT: a bit per key; VARIANT: its only key */
    int field;     /* key whose value is read or was read last, SKIPPING for an unknown one */
    size_t index;  /* of this value in its parent */
} frame;

struct json_reader {
    const char *name;
    const json_type *root;
    void *ctx;
    cuzk_err *err;
    cuzk_status st;
    json_lexer x;
    const uint8_t *text;
    const uint8_t *token; /* where it begins */
    int depth;            /* frames in use */
    int skip;             /* > 0: nested values inside an unknown key */
    frame stack[JSON_MAX_DEPTH];
    uint8_t bytes[32];
    uint64_t objects; /* a bit per open bracket, the innermost lowest: braces */
    int level;        /* open brackets, known and unknown ones */
    bool fresh;       /* the innermost has no element yet */
};

/* ---- where we are -------------------------------------------------------------------------- */

void *cuzk_json_ctx(const json_reader *r)
{
    return r->ctx;
}

static size_t offset(const json_reader *r)
{
    return (size_t)(r->token - r->text);
}

static void add_text(char *out, size_t size, const char *fmt, ...) CUZK_PRINTF(3, 4);
static void add_text(char *out, size_t size, const char *fmt, ...)
{
    size_t n = strlen(out);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(out + n, size - n, fmt, ap);
    va_end(ap);
}

static void path_text(const json_reader *r, char *out, size_t size)
{
    out[0] = '\0';
    for (int i = 0; i < r->depth; i++) {
        const frame *f = &r->stack[i];
        bool named = f->type->kind == JSON_OBJECT || f->type->kind == JSON_VARIANT;
        if (named && f->field >= 0)
            add_text(out, size, "%s%s", out[0] ? "." : "", f->type->field[f->field].name);
        else if (!named && f->n > 0)
            add_text(out, size, "[%zu]", f->n - 1);
    }
}

bool cuzk_json_reject(json_reader *r, cuzk_status st, const char *fmt, ...)
{
    char path[200], msg[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    path_text(r, path, sizeof path);
    r->st = cuzk_fail(r->err, st, 0, "%s: %s%s%s (byte %zu)", r->name, path, path[0] ? ": " : "",
                      msg, offset(r));
    return false;
}

/* ---- values -------------------------------------------------------------------------------- */

static const char *kind_text(json_kind kind)
{
    static const char *const text[] = {"an object",  "an object with one key",
                                       "an array",   "an array of 32 bytes",
                                       "an integer", "a string",
                                       "null"};
    return text[kind];
}

static bool type_mismatch(json_reader *r, const json_type *t, const char *got)
{
    return cuzk_json_reject(r, CUZK_ENCODING, "%s where %s is expected", got, kind_text(t->kind));
}

/* The type that the next value must have, and its index. NULL: refused, or r->skip is set. */
static const json_type *next_value(json_reader *r, size_t *index)
{
    if (r->depth == 0) {
        *index = 0;
        return r->root;
    }
    frame *f = &r->stack[r->depth - 1];
    switch (f->type->kind) {
    case JSON_ARRAY:
        if (f->n == f->wanted) {
            r->depth--; /* name the array, not the element */
            cuzk_json_reject(r, CUZK_ENCODING, "more than %zu elements", f->wanted);
            return NULL;
        }
        *index = f->n++;
        return f->type->element;
    case JSON_BYTES32: {
        f->n++;
        cuzk_json_reject(r, CUZK_ENCODING, "a byte (0 to 255) is expected");
        return NULL;
    }
    default:
        *index = (size_t)f->field;
        return f->type->field[f->field].type;
    }
}

/* True when the value belongs to an unknown key; such values are only counted for depth. */
static bool skipping(const json_reader *r)
{
    return r->skip > 0 || (r->depth > 0 && r->stack[r->depth - 1].field == SKIPPING);
}

static bool open_skipped(json_reader *r)
{
    r->skip++;
    if (r->depth + r->skip <= JSON_MAX_DEPTH)
        return true;
    return cuzk_json_reject(r, CUZK_ENCODING, "nested deeper than %d levels", JSON_MAX_DEPTH);
}

static bool open_value(json_reader *r, const json_type *t, size_t index)
{
    if (r->depth == JSON_MAX_DEPTH)
        return cuzk_json_reject(r, CUZK_ENCODING, "nested deeper than %d levels", JSON_MAX_DEPTH);
    size_t wanted = t->kind == JSON_BYTES32 ? 32 : t->length ? t->length(r->ctx) : t->max;
    if (t->begin && !t->begin(r, index))
        return false;
    r->stack[r->depth++] = (frame){.type = t, .wanted = wanted, .index = index};
    r->stack[r->depth - 1].field = t->kind == JSON_ARRAY || t->kind == JSON_BYTES32 ? 0 : -2;
    return true;
}

static bool parse_uint(uint64_t *out, const char *s, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned digit = (unsigned)s[i] - '0';
        if (digit > 9 || v > UINT64_MAX / 10 || v * 10 > UINT64_MAX - digit)
            return false;
        v = v * 10 + digit;
    }
    *out = v;
    return n > 0;
}

static bool read_byte(json_reader *r, frame *f, const char *s, size_t n)
{
    uint64_t v;
    if (f->n == 32) {
        r->depth--;
        return cuzk_json_reject(r, CUZK_ENCODING, "more than 32 bytes");
    }
    f->n++;
    if (n > 3 || !parse_uint(&v, s, n) || v > 255)
        return cuzk_json_reject(r, CUZK_ENCODING, "%.*s is not a byte (0 to 255)",
                                (int)(n < 24 ? n : 24), s);
    r->bytes[f->n - 1] = (uint8_t)v;
    return true;
}

/* ---- tokens ------------------------------------------------------------------------- */

static bool on_number(json_reader *r, const char *s, size_t n)
{
    if (r->depth > 0 && r->stack[r->depth - 1].type->kind == JSON_BYTES32 && r->skip == 0)
        return read_byte(r, &r->stack[r->depth - 1], s, n);
    if (skipping(r))
        return true;
    size_t index;
    uint64_t v;
    const json_type *t = next_value(r, &index);
    if (!t)
        return false;
    if (t->kind != JSON_UINT)
        return type_mismatch(r, t, "a number");
    if (!parse_uint(&v, s, n))
        return cuzk_json_reject(r, CUZK_ENCODING, "%.*s is not an integer from 0 to 2^64 - 1",
                                (int)(n < 40 ? n : 40), s);
    return !t->uint || t->uint(r, index, v);
}

static bool on_string(json_reader *r, const uint8_t *s, size_t n)
{
    if (skipping(r))
        return true;
    size_t index;
    const json_type *t = next_value(r, &index);
    if (!t)
        return false;
    if (t->kind != JSON_STRING)
        return type_mismatch(r, t, "a string");
    return !t->string || t->string(r, index, (const char *)s, n);
}

static bool scalar(json_reader *r, const char *what, json_kind kind)
{
    if (skipping(r))
        return true;
    size_t index;
    const json_type *t = next_value(r, &index);
    if (!t)
        return false;
    return t->kind == kind || type_mismatch(r, t, what);
}

static bool on_open(json_reader *r, bool is_object)
{
    if (skipping(r))
        return open_skipped(r);
    size_t index;
    const json_type *t = next_value(r, &index);
    if (!t)
        return false;
    bool named = t->kind == JSON_OBJECT || t->kind == JSON_VARIANT;
    bool listed = t->kind == JSON_ARRAY || t->kind == JSON_BYTES32;
    if (is_object ? !named : !listed)
        return type_mismatch(r, t, is_object ? "an object" : "an array");
    return open_value(r, t, index);
}

static bool unknown_key(json_reader *r, frame *f, const char *s, size_t n)
{
    f->field = SKIPPING;
    if (f->type->kind == JSON_OBJECT)
        return true;
    return cuzk_json_reject(r, CUZK_ENCODING, "unknown alternative '%.*s'", (int)(n < 60 ? n : 60),
                            s);
}

static bool on_key(json_reader *r, const uint8_t *s, size_t n)
{
    if (r->skip > 0)
        return true;
    frame *f = &r->stack[r->depth - 1];
    const json_type *t = f->type;
    if (t->kind == JSON_VARIANT && f->n++ > 0)
        return cuzk_json_reject(r, CUZK_ENCODING, "a second key after the only one");
    for (size_t i = 0; i < t->n_fields; i++) {
        if (strlen(t->field[i].name) != n || memcmp(t->field[i].name, s, n) != 0)
            continue;
        f->field = (int)i;
        if (f->seen >> i & 1)
            return cuzk_json_reject(r, CUZK_ENCODING, "the key is there twice");
        f->seen |= (uint64_t)1 << i;
        return true;
    }
    return unknown_key(r, f, (const char *)s, n);
}

static bool check_keys(json_reader *r, const frame *f)
{
    if (f->type->kind == JSON_VARIANT)
        return f->seen || cuzk_json_reject(r, CUZK_ENCODING, "no key in an object of one key");
    for (size_t i = 0; i < f->type->n_fields; i++) {
        const json_field *field = &f->type->field[i];
        if (!field->optional && !(f->seen >> i & 1))
            return cuzk_json_reject(r, CUZK_ENCODING, "the key \"%s\" is missing", field->name);
    }
    return true;
}

static bool check_count(json_reader *r, const frame *f)
{
    if (f->type->kind == JSON_BYTES32)
        return f->n == 32 || cuzk_json_reject(r, CUZK_ENCODING, "%zu bytes instead of 32", f->n);
    if (!f->type->length || f->n == f->wanted)
        return true;
    return cuzk_json_reject(r, CUZK_ENCODING, "%zu elements instead of %zu", f->n, f->wanted);
}

static bool on_close(json_reader *r)
{
    if (r->skip > 0) {
        r->skip--;
        return true;
    }
    const frame f = r->stack[--r->depth]; /* from here on messages name the value itself */
    bool named = f.type->kind == JSON_OBJECT || f.type->kind == JSON_VARIANT;
    if (named ? !check_keys(r, &f) : !check_count(r, &f))
        return false;
    if (f.type->kind == JSON_BYTES32)
        return !f.type->bytes || f.type->bytes(r, f.index, r->bytes);
    return !f.type->end || f.type->end(r, named ? f.seen : f.n);
}

/* ---- the whole text ------------------------------------------------------------------------ */

static bool syntax_error(json_reader *r, const char *what)
{
    r->token = r->x.p;
    if (r->x.p == r->x.end)
        what = "parse error: premature end of the text";
    return cuzk_json_reject(r, CUZK_ENCODING, "%s", what);
}

/* After a failure of the lexer, which has left p where it is. */
static bool lexer_error(json_reader *r)
{
    if (r->x.wrong)
        return syntax_error(r, r->x.wrong);
    return cuzk_json_reject(r, CUZK_NOMEM, "no memory to read JSON");
}

static bool take_string(json_reader *r, const uint8_t **s, size_t *n)
{
    r->token = r->x.p + 1;
    return cuzk_json_lex_string(&r->x, s, n) || lexer_error(r);
}

static bool open_bracket(json_reader *r, bool is_object)
{
    r->x.p++;
    if (!on_open(r, is_object))
        return false;
    r->objects = r->objects << 1 | is_object;
    r->level++; /* at most JSON_MAX_DEPTH, as on_open sees to */
    r->fresh = true;
    frame *f = r->depth ? &r->stack[r->depth - 1] : NULL;
    if (!is_object && r->skip == 0 && f && f->type->kind == JSON_BYTES32 &&
        cuzk_json_lex_bytes32(&r->x, r->bytes)) {
        r->x.p--; /* the closing bracket is the loop's */
        f->n = 32;
    }
    return true;
}

static bool word(json_reader *r)
{
    if (cuzk_json_lex_word(&r->x, "null"))
        return scalar(r, "null", JSON_NULL);
    if (cuzk_json_lex_word(&r->x, "true"))
        return scalar(r, "true", (json_kind)-1);
    if (cuzk_json_lex_word(&r->x, "false"))
        return scalar(r, "false", (json_kind)-1);
    static const char structure[] = "]},:"; /* tokens, only not here */
    bool token = *r->x.p && strchr(structure, *r->x.p);
    return syntax_error(r, token ? "parse error: a value is expected"
                                 : "lexical error: a character that begins no value");
}

/* The value at p; of arrays and objects only the opening bracket. */
static bool value(json_reader *r)
{
    const uint8_t *s;
    size_t n;
    cuzk_json_skip_space(&r->x);
    if (r->x.p == r->x.end)
        return syntax_error(r, "");
    r->token = r->x.p;
    uint8_t c = *r->x.p;
    if (c == '{' || c == '[')
        return open_bracket(r, c == '{');
    r->fresh = false;
    if (c == '"')
        return take_string(r, &s, &n) && on_string(r, s, n);
    if (c == '-' || (c >= '0' && c <= '9'))
        return (cuzk_json_lex_number(&r->x, &s, &n) || lexer_error(r)) &&
               on_number(r, (const char *)s, n);
    return word(r);
}

static bool key(json_reader *r)
{
    const uint8_t *s;
    size_t n;
    cuzk_json_skip_space(&r->x);
    if (r->x.p == r->x.end || *r->x.p != '"')
        return syntax_error(r, r->x.p < r->x.end && strchr("{}[],:0123456789-tfn", *r->x.p)
                                   ? "parse error: a key is expected"
                                   : "lexical error: a key is expected");
    if (!take_string(r, &s, &n) || !on_key(r, s, n))
        return false;
    cuzk_json_skip_space(&r->x);
    if (r->x.p == r->x.end || *r->x.p != ':')
        return syntax_error(r, "parse error: a colon is expected after a key");
    r->x.p++;
    return true;
}

/* One element of the innermost bracket, or its end. */
static bool element(json_reader *r)
{
    bool is_object = r->objects & 1;
    cuzk_json_skip_space(&r->x);
    if (r->x.p == r->x.end)
        return syntax_error(r, "");
    r->token = r->x.p;
    if (*r->x.p == (is_object ? '}' : ']')) {
        r->x.p++;
        r->objects >>= 1;
        r->level--;
        r->fresh = false;
        return on_close(r);
    }
    if (!r->fresh && *r->x.p++ != ',') {
        r->x.p--;
        return syntax_error(r, "parse error: a comma or the end of the bracket is expected");
    }
    return (!is_object || key(r)) && value(r);
}

static void drive(json_reader *r)
{
    bool ok = value(r);
    while (ok && r->level > 0)
        ok = element(r);
    cuzk_json_skip_space(&r->x);
    if (ok && r->x.p < r->x.end)
        syntax_error(r, "parse error: something follows the value");
}

cuzk_status cuzk_json_read(const char *name, const uint8_t *text, size_t n, const json_type *root,
                           void *ctx, cuzk_err *err)
{
    json_reader r = {.name = name, .root = root, .ctx = ctx, .err = err, .text = text};
    r.x = (json_lexer){.p = text, .end = text + n};
    r.token = text;
    drive(&r);
    cuzk_json_lexer_fini(&r.x);
    return r.st;
}

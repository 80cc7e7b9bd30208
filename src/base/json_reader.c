/* yajl calls back once per token; a stack of frames follows the type table.
 *
 * yajl does not look at the results of its allocations, so ours leaves through longjmp when memory
 * is out; all of its blocks are in a list of the reader and freed from there (yajl_free is not
 * used).
 */
#include "base/json_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "base/mem.h"

#define SKIPPING (-1)

typedef struct {
    const json_type *type;
    size_t n;      /* elements begun */
    size_t wanted; /* ARRAY, BYTES32: exact or largest number of elements */
    uint64_t seen; /* OBJECT: a bit per key; VARIANT: its only key */
    int field;     /* key whose value is read or was read last, SKIPPING for an unknown one */
    size_t index;  /* of this value in its parent */
} frame;

typedef struct block {
    struct block *next, **link;
    size_t bytes;
} block;
#define BLOCK_HEADER 64 /* keeps what follows aligned */

struct json_reader {
    const char *name;
    const json_type *root;
    void *ctx;
    cuzk_err *err;
    cuzk_status st;
    yajl_handle yajl;
    const uint8_t *text;
    size_t n_text;
    const uint8_t *token; /* number or string just read; NULL for brackets */
    bool at_end;
    int depth; /* frames in use */
    int skip;  /* > 0: nested values inside an unknown key */
    frame stack[JSON_MAX_DEPTH];
    uint8_t bytes[32];
    block *blocks;
    jmp_buf out_of_memory;
};

/* ---- allocation for yajl ------------------------------------------------------------------- */

static void unlink_block(block *b)
{
    *b->link = b->next;
    if (b->next)
        b->next->link = b->link;
}

static void link_block(json_reader *r, block *b)
{
    b->next = r->blocks;
    b->link = &r->blocks;
    if (b->next)
        b->next->link = &b->next;
    r->blocks = b;
}

static void free_one(void *ctx, void *p)
{
    (void)ctx;
    if (!p)
        return;
    block *b = (block *)(void *)((char *)p - BLOCK_HEADER);
    unlink_block(b);
    cuzk_free(b);
}

static void *alloc_one(void *ctx, size_t bytes)
{
    json_reader *r = ctx;
    block *b = bytes < SIZE_MAX - BLOCK_HEADER ? cuzk_malloc(BLOCK_HEADER + bytes) : NULL;
    if (!b)
        longjmp(r->out_of_memory, 1);
    b->bytes = bytes;
    link_block(r, b);
    return (char *)b + BLOCK_HEADER;
}

static void *realloc_one(void *ctx, void *p, size_t bytes)
{
    void *q = alloc_one(ctx, bytes);
    if (p) {
        const block *old = (const block *)(const void *)((char *)p - BLOCK_HEADER);
        memcpy(q, p, old->bytes < bytes ? old->bytes : bytes);
        free_one(ctx, p);
    }
    return q;
}

static void free_all(json_reader *r)
{
    while (r->blocks)
        free_one(r, (char *)r->blocks + BLOCK_HEADER);
}

/* ---- where we are -------------------------------------------------------------------------- */

void *cuzk_json_ctx(const json_reader *r)
{
    return r->ctx;
}

static size_t offset(const json_reader *r)
{
    if (r->at_end)
        return r->n_text;
    if (r->token && r->token >= r->text && r->token < r->text + r->n_text)
        return (size_t)(r->token - r->text);
    size_t n = yajl_get_bytes_consumed(r->yajl);
    return n ? n - 1 : 0;
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

/* ---- yajl's events ------------------------------------------------------------------------- */

static int on_number(void *ctx, const char *s, size_t n)
{
    json_reader *r = ctx;
    r->token = (const uint8_t *)s;
    if (r->depth > 0 && r->stack[r->depth - 1].type->kind == JSON_BYTES32 && r->skip == 0)
        return read_byte(r, &r->stack[r->depth - 1], s, n);
    if (skipping(r))
        return 1;
    size_t index;
    uint64_t v;
    const json_type *t = next_value(r, &index);
    if (!t)
        return 0;
    if (t->kind != JSON_UINT)
        return type_mismatch(r, t, "a number");
    if (!parse_uint(&v, s, n))
        return cuzk_json_reject(r, CUZK_ENCODING, "%.*s is not an integer from 0 to 2^64 - 1",
                                (int)(n < 40 ? n : 40), s);
    return !t->uint || t->uint(r, index, v);
}

static int on_string(void *ctx, const unsigned char *s, size_t n)
{
    json_reader *r = ctx;
    r->token = s;
    if (skipping(r))
        return 1;
    size_t index;
    const json_type *t = next_value(r, &index);
    if (!t)
        return 0;
    if (t->kind != JSON_STRING)
        return type_mismatch(r, t, "a string");
    return !t->string || t->string(r, index, (const char *)s, n);
}

static int scalar(json_reader *r, const char *what, json_kind kind)
{
    r->token = NULL;
    if (skipping(r))
        return 1;
    size_t index;
    const json_type *t = next_value(r, &index);
    if (!t)
        return 0;
    return t->kind == kind || type_mismatch(r, t, what);
}

static int on_null(void *ctx)
{
    return scalar(ctx, "null", JSON_NULL);
}

static int on_boolean(void *ctx, int value)
{
    return scalar(ctx, value ? "true" : "false", (json_kind)-1);
}

static int on_open(json_reader *r, bool is_object)
{
    r->token = NULL;
    if (skipping(r))
        return open_skipped(r);
    size_t index;
    const json_type *t = next_value(r, &index);
    if (!t)
        return 0;
    bool named = t->kind == JSON_OBJECT || t->kind == JSON_VARIANT;
    bool listed = t->kind == JSON_ARRAY || t->kind == JSON_BYTES32;
    if (is_object ? !named : !listed)
        return type_mismatch(r, t, is_object ? "an object" : "an array");
    return open_value(r, t, index);
}

static int on_open_object(void *ctx)
{
    return on_open(ctx, true);
}

static int on_open_array(void *ctx)
{
    return on_open(ctx, false);
}

static int unknown_key(json_reader *r, frame *f, const char *s, size_t n)
{
    f->field = SKIPPING;
    if (f->type->kind == JSON_OBJECT)
        return 1;
    return cuzk_json_reject(r, CUZK_ENCODING, "unknown alternative '%.*s'", (int)(n < 60 ? n : 60),
                            s);
}

static int on_key(void *ctx, const unsigned char *s, size_t n)
{
    json_reader *r = ctx;
    r->token = s;
    if (r->skip > 0)
        return 1;
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
        return 1;
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

static int on_close(void *ctx)
{
    json_reader *r = ctx;
    r->token = NULL;
    if (r->skip > 0) {
        r->skip--;
        return 1;
    }
    const frame f = r->stack[--r->depth]; /* from here on messages name the value itself */
    bool named = f.type->kind == JSON_OBJECT || f.type->kind == JSON_VARIANT;
    if (named ? !check_keys(r, &f) : !check_count(r, &f))
        return 0;
    if (f.type->kind == JSON_BYTES32)
        return !f.type->bytes || f.type->bytes(r, f.index, r->bytes);
    return !f.type->end || f.type->end(r, named ? f.seen : f.n);
}

/* ---- the whole text ------------------------------------------------------------------------ */

static bool hex4(unsigned *out, const uint8_t *s, const uint8_t *end)
{
    unsigned v = 0;
    if (end - s < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        unsigned c = s[i] | 32u;
        unsigned digit = c >= 'a' && c <= 'f' ? c - 'a' + 10 : s[i] - (unsigned)'0';
        if (digit > 15)
            return false;
        v = v << 4 | digit;
    }
    *out = v;
    return true;
}

/* yajl turns half a surrogate pair into '?'; other readers refuse it, and so do we. Backslashes
 * stand only in strings, so looking at each of them is enough. Returns its place or NULL. */
static const uint8_t *lone_surrogate(const uint8_t *s, const uint8_t *end)
{
    while (s < end && (s = memchr(s, '\\', (size_t)(end - s))) != NULL) {
        unsigned high, low;
        if (end - s < 2)
            break;
        if (s[1] != 'u' || !hex4(&high, s + 2, end) || high < 0xd800 || high > 0xdfff) {
            s += 2;
            continue;
        }
        if (high > 0xdbff || end - s < 12 || s[6] != '\\' || s[7] != 'u' ||
            !hex4(&low, s + 8, end) || low < 0xdc00 || low > 0xdfff)
            return s;
        s += 12;
    }
    return NULL;
}

static void syntax_error(json_reader *r)
{
    char *text = (char *)yajl_get_error(r->yajl, 0, r->text, r->n_text);
    size_t n = strcspn(text, "\n");
    cuzk_json_reject(r, CUZK_ENCODING, "%.*s", (int)(n < 120 ? n : 120), text);
}

static void drive(json_reader *r)
{
    static const yajl_callbacks events = {
        .yajl_null = on_null,
        .yajl_boolean = on_boolean,
        .yajl_number = on_number,
        .yajl_string = on_string,
        .yajl_start_map = on_open_object,
        .yajl_map_key = on_key,
        .yajl_end_map = on_close,
        .yajl_start_array = on_open_array,
        .yajl_end_array = on_close,
    };
    yajl_alloc_funcs funcs = {alloc_one, realloc_one, free_one, r};
    r->yajl = yajl_alloc(&events, &funcs, r);
    yajl_status status = yajl_parse(r->yajl, r->text, r->n_text);
    if (status == yajl_status_ok) {
        r->at_end = true;
        status = yajl_complete_parse(r->yajl);
    }
    r->token = NULL;
    if (status == yajl_status_error)
        syntax_error(r);
}

static void read_text(json_reader *r)
{
    if (setjmp(r->out_of_memory) == 0)
        drive(r);
    else
        r->st = cuzk_fail(r->err, CUZK_NOMEM, 0, "%s: no memory to read JSON", r->name);
    free_all(r);
}

cuzk_status cuzk_json_read(const char *name, const uint8_t *text, size_t n, const json_type *root,
                           void *ctx, cuzk_err *err)
{
    const uint8_t *bad = lone_surrogate(text, text + n);
    if (bad)
        return cuzk_fail(err, CUZK_ENCODING, 0, "%s: half a surrogate pair (byte %zu)", name,
                         (size_t)(bad - text));
    json_reader r = {.name = name, .root = root, .ctx = ctx, .err = err, .text = text, .n_text = n};
    read_text(&r);
    return r.st;
}

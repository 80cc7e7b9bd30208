/* Strict JSON into C structures: a table of types says what is expected, hooks take the values.
 *
 * Nothing recurses and no tree is kept. For every value the reader
 * knows the path and the byte offset, which is what errors name. Strict means: every key that is
 * not optional must be there once, counts are exact, integers are plain digits in range, depth is
 * at most JSON_MAX_DEPTH, nothing but white space follows. Unknown keys are skipped, as serde does.
 */
#ifndef CUZK_BASE_JSON_READER_H
#define CUZK_BASE_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define JSON_MAX_DEPTH 32

typedef enum {
    JSON_OBJECT,
    JSON_VARIANT, /* an object with exactly one key, which names the alternative */
    JSON_ARRAY,
    JSON_BYTES32, /* an array of 32 integers 0..255 */
    JSON_UINT,    /* integer below 2^64 */
    JSON_STRING,
    JSON_NULL
} json_kind;

typedef struct json_reader json_reader;
typedef struct json_type json_type;

typedef struct {
    const char *name;
    const json_type *type;
    bool optional;
} json_field;

/* Hooks return false after cuzk_json_reject. index is the position of the value in its array, or of
 * its key in the field list. Each may be NULL. */
struct json_type {
    json_kind kind;
    const json_field *field; /* OBJECT, VARIANT; at most 64 */
    size_t n_fields;
    const json_type *element;    /* ARRAY */
    size_t (*length)(void *ctx); /* ARRAY: exact number of elements, asked when it begins */
    size_t max;                  /* ARRAY without length: the most elements */
    bool (*begin)(json_reader *r, size_t index); /* OBJECT, VARIANT, ARRAY */
    bool (*end)(json_reader *r, uint64_t seen);  /* OBJECT: bit per key given; ARRAY: elements */
    bool (*bytes)(json_reader *r, size_t index, const uint8_t b[32]);
    bool (*uint)(json_reader *r, size_t index, uint64_t value);
    bool (*string)(json_reader *r, size_t index, const char *s, size_t n); /* not NUL-terminated */
};

/* name begins every message. CUZK_ENCODING for what is wrong with the text, or what a hook said. */
cuzk_status cuzk_json_read(const char *name, const uint8_t *text, size_t n, const json_type *root,
                           void *ctx, cuzk_err *err);

void *cuzk_json_ctx(const json_reader *r);
/* For hooks: fails the reading with "name: path: message (byte n)". Returns false. */
bool cuzk_json_reject(json_reader *r, cuzk_status st, const char *fmt, ...) CUZK_PRINTF(3, 4);

#endif

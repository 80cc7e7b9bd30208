/* TOML files as a flat list of keys with typed values and line numbers. A shim in C++ over toml11
 * (toml_reader.cc, the only C++ of cuzk); no exception leaves it.
 *
 * toml11 descends by recursion and finds the line of a value by counting from the start, so what
 * goes in is bounded first (toml_scan.c): size, nesting, number of keys. */
#ifndef CUZK_CONFIG_TOML_READER_H
#define CUZK_CONFIG_TOML_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuzk/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TOML_MAX_BYTES   ((size_t)1 << 20)
#define TOML_MAX_DEPTH   16u   /* of brackets */
#define TOML_MAX_DOTS    32u   /* outside strings, in one line */
#define TOML_MAX_COMMAS  4096u /* outside strings; toml11 takes quadratic time over an array */
#define TOML_MAX_ENTRIES 1000u
#define TOML_MAX_ITEMS   1000u /* of one array */

typedef enum {
    TOML_STRING,
    TOML_INT,
    TOML_BOOL,
    TOML_FLOAT,
    TOML_DATETIME,
    TOML_ARRAY,
    TOML_TABLE
} toml_type;

typedef struct toml_entry toml_entry;
struct toml_entry {
    char *section; /* tables joined by dots; "" at the top. NULL in arrays */
    char *key;     /* NULL in arrays */
    unsigned line;
    toml_type type;
    char *text;      /* STRING; no NUL inside */
    int64_t integer; /* INT */
    bool flag;       /* BOOL */
    toml_entry *item;
    size_t n_items; /* ARRAY */
};

/* In order of lines. A table is an entry of its own, before those in it. */
typedef struct {
    toml_entry *entry;
    size_t n;
} toml_document;

/* text[n] is NUL. On failure *line is where (0: nowhere in particular) and the message does not
 * repeat it. CUZK_ENCODING, CUZK_BUDGET, CUZK_NOMEM. A byte order mark and CR LF are accepted. */
cuzk_status cuzk_toml_read(toml_document *out, const char *text, size_t n, unsigned *line,
                           cuzk_err *err);
void cuzk_toml_fini(toml_document *d); /* accepts a zeroed one */

const char *cuzk_toml_type_name(toml_type type); /* "a string" */

/* What toml11 must not be asked: bad UTF-8, NUL, too large or too deep. */
cuzk_status cuzk_toml_scan(const char *text, size_t n, unsigned *line, cuzk_err *err);

#ifdef __cplusplus
}
#endif
#endif

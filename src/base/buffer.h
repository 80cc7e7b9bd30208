/* A growing text. A failed append is remembered and the rest ignored, so only the end is checked.
 */
#ifndef CUZK_BASE_BUFFER_H
#define CUZK_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

typedef struct {
    char *text; /* NUL-terminated once something has been put */
    size_t n, cap;
    bool failed; /* out of memory */
} cuzk_buffer;

void cuzk_buffer_put(cuzk_buffer *b, const void *bytes, size_t n);
void cuzk_buffer_text(cuzk_buffer *b, const char *text);
void cuzk_buffer_printf(cuzk_buffer *b, const char *fmt, ...) CUZK_PRINTF(2, 3); /* up to 4 KiB */
void cuzk_buffer_fini(cuzk_buffer *b);

#endif

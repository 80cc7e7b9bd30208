#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static bool make_room(cuzk_buffer *b, size_t n)
{
    size_t want, cap = b->cap ? b->cap : 1024;
    if (b->failed || !cuzk_size_add(&want, b->n, n + 1)) {
        b->failed = true;
        return false;
    }
    while (cap < want && cap < want + cap) /* the second stops at an overflow */
        cap *= 2;
    if (cap == b->cap)
        return true;
    char *p = cuzk_realloc(b->text, cap);
    if (!p) {
        b->failed = true;
        return false;
    }
    b->text = p;
    b->cap = cap;
    return true;
}

void cuzk_buffer_put(cuzk_buffer *b, const void *bytes, size_t n)
{
    if (!make_room(b, n))
        return;
    memcpy(b->text + b->n, bytes, n);
    b->n += n;
    b->text[b->n] = '\0';
}

void cuzk_buffer_text(cuzk_buffer *b, const char *text)
{
    cuzk_buffer_put(b, text, strlen(text));
}

void cuzk_buffer_printf(cuzk_buffer *b, const char *fmt, ...)
{
    char line[4096];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof line)
        b->failed = true;
    else
        cuzk_buffer_put(b, line, (size_t)n);
}

void cuzk_buffer_fini(cuzk_buffer *b)
{
    cuzk_free(b->text);
    *b = (cuzk_buffer){0};
}

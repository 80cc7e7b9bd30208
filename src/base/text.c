#include "base/text.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* The JSON form of the character at p in piece; returns how many bytes of p it stands for. */
static size_t json_piece(char piece[8], const uint8_t *p)
{
    size_t n = utf8_sequence(p, p + strnlen((const char *)p, 4));
    if (n == 0) {
        snprintf(piece, 8, "\\ufffd");
        return 1;
    }
    if (*p < 0x20 || *p == 0x7f)
        snprintf(piece, 8, "\\u%04x", (unsigned)*p);
    else if (*p == '"' || *p == '\\')
        snprintf(piece, 8, "\\%c", *p);
    else
        snprintf(piece, 8, "%.*s", (int)n, (const char *)p);
    return n;
}

static size_t word_piece(char piece[8], const uint8_t *p)
{
    if (*p <= 0x20 || *p >= 0x7f || *p == '"' || *p == '\\')
        snprintf(piece, 8, "\\x%02x", (unsigned)*p);
    else
        snprintf(piece, 8, "%c", *p);
    return 1;
}

static size_t escape(char *out, size_t max, const char *text,
                     size_t (*piece_of)(char piece[8], const uint8_t *p))
{
    const uint8_t *p = (const uint8_t *)text;
    size_t n = 0;
    while (*p) {
        char piece[8];
        p += piece_of(piece, p);
        size_t k = strlen(piece);
        if (n + k >= max)
            break;
        memcpy(out + n, piece, k);
        n += k;
    }
    out[n] = '\0';
    return n;
}

size_t cuzk_json_escape(char *out, size_t max, const char *text)
{
    return escape(out, max, text, json_piece);
}

size_t cuzk_word_escape(char *out, size_t max, const char *text)
{
    return escape(out, max, *text ? text : "-", word_piece);
}

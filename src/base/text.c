#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* [Unicode, table 3-7] */
size_t cuzk_utf8_sequence(const uint8_t *p)
{
    uint8_t low = 0x80, high = 0xbf; /* range of the second byte */
    size_t n;
    if (p[0] < 0x80)
        return 1;
    if (p[0] >= 0xc2 && p[0] <= 0xdf)
        n = 2;
    else if (p[0] >= 0xe0 && p[0] <= 0xef)
        n = 3;
    else if (p[0] >= 0xf0 && p[0] <= 0xf4)
        n = 4;
    else
        return 0;
    if (p[0] == 0xe0)
        low = 0xa0; /* shorter forms exist */
    if (p[0] == 0xed)
        high = 0x9f; /* surrogates */
    if (p[0] == 0xf0)
        low = 0x90; /* shorter forms exist */
    if (p[0] == 0xf4)
        high = 0x8f; /* above U+10FFFF */
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) /* also stops at the NUL */
            return 0;
    }
    return n;
}

/* The JSON form of the character at p in piece; returns how many bytes of p it stands for. */
static size_t json_piece(char piece[8], const uint8_t *p)
{
    size_t n = cuzk_utf8_sequence(p);
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

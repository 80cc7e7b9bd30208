/* Well-formed UTF-8 [Unicode, table 3-7]. */
#ifndef CUZK_BASE_UTF8_H
#define CUZK_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the well-formed sequence at p, which ends before end; 0 if there is none. */
static inline size_t utf8_sequence(const uint8_t *p, const uint8_t *end)
{
    uint8_t low = 0x80, high = 0xbf; /* range of the second byte */
    size_t n;
    if (p == end)
        return 0;
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
    if ((size_t)(end - p) < n)
        return 0;
    if (p[0] == 0xe0 || p[0] == 0xf0)
        low = p[0] == 0xe0 ? 0xa0 : 0x90; /* shorter forms exist */
    if (p[0] == 0xed || p[0] == 0xf4)
        high = p[0] == 0xed ? 0x9f : 0x8f; /* surrogates; above U+10FFFF */
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    }
    return n;
}

#endif

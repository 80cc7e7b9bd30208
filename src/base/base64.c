#include "base/base64.h"

#include <stdbool.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Value of a character plus 1; 0 for what is in neither alphabet. */
static const uint8_t value_plus_1[256] = {
    [' '] = 0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  63, 0,  63, 0,  64,
    ['0'] = 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 0,  0,  0,  0,  0,  0,
    ['@'] = 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
    ['P'] = 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 0,  0,  0,  0,  64,
    ['`'] = 0,  27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41,
    ['p'] = 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 0,  0,  0,  0,  0,
};

typedef struct {
    uint8_t *out;
    size_t n_out;
    uint32_t bits; /* pending sextets, latest lowest */
    unsigned n_sextets, n_padding;
    char special; /* the alphabet seen so far: '+' standard, '-' URL-safe, 0 open */
} decoder;

static void flush(decoder *d, unsigned n_bytes)
{
    for (unsigned i = 0; i < n_bytes; i++)
        d->out[d->n_out++] = (uint8_t)(d->bits >> (16 - 8 * i));
    d->bits = 0;
    d->n_sextets = 0;
}

/* NULL, or what is wrong with c. */
static const char *put(decoder *d, char c)
{
    if (c == '=') {
        d->n_padding++;
        return d->n_sextets + d->n_padding <= 4 && d->n_sextets >= 2 ? NULL
                                                                     : "padding out of place";
    }
    unsigned v = value_plus_1[(unsigned char)c];
    if (v == 0)
        return "a character that is not base64";
    if (d->n_padding)
        return "a character after the padding";
    if (v >= 63) {
        char kind = c == '+' || c == '/' ? '+' : '-';
        if (d->special && d->special != kind)
            return "a mixture of the standard and the URL-safe alphabet";
        d->special = kind;
    }
    d->bits = d->bits << 6 | (v - 1);
    if (++d->n_sextets == 4)
        flush(d, 3);
    return NULL;
}

/* NULL, or what is wrong with the end. */
static const char *finish(decoder *d)
{
    if (d->n_sextets == 0)
        return d->n_out ? NULL : "no characters";
    if (d->n_sextets == 1)
        return "one character more than whole bytes need";
    if (d->n_padding && d->n_sextets + d->n_padding != 4)
        return "padding that is too short";
    unsigned n_bytes = d->n_sextets - 1;
    d->bits <<= 6 * (4 - d->n_sextets);
    if (d->bits & ((1u << (24 - 8 * n_bytes)) - 1))
        return "left-over bits that are not zero";
    flush(d, n_bytes);
    return NULL;
}

/* Whole groups of four ordinary characters, as far as they go; put() sees to the rest. */
static size_t put_groups(decoder *d, const char *text, size_t n)
{
    size_t i = 0;
    for (; d->n_sextets == 0 && d->n_padding == 0 && i + 4 <= n; i += 4) {
        uint32_t bits = 0;
        for (unsigned k = 0; k < 4; k++) {
            unsigned v = value_plus_1[(unsigned char)text[i + k]] - 1u; /* 2^32 - 1: not one */
            if (v >= 62)
                return i; /* the last two differ between the alphabets */
            bits = bits << 6 | v;
        }
        d->out[d->n_out++] = (uint8_t)(bits >> 16);
        d->out[d->n_out++] = (uint8_t)(bits >> 8);
        d->out[d->n_out++] = (uint8_t)bits;
    }
    return i;
}

static bool is_line_break(const char *text, size_t n, size_t i)
{
    return text[i] == '\n' || (text[i] == '\r' && i + 1 < n && text[i + 1] == '\n');
}

cuzk_status cuzk_base64_decode(uint8_t *out, size_t *n_out, const char *text, size_t n,
                               cuzk_err *err)
{
    decoder d = {.out = out};
    const char *wrong = NULL;
    size_t i;
    for (i = 0; i < n; i++) {
        i += put_groups(&d, text + i, n - i);
        if (i == n)
            break;
        if (is_line_break(text, n, i))
            continue;
        wrong = put(&d, text[i]);
        if (wrong)
            break;
    }
    if (!wrong)
        wrong = finish(&d);
    if (wrong)
        return cuzk_fail(err, CUZK_ENCODING, 0, "base64 has %s at character %zu", wrong, i);
    *n_out = d.n_out;
    return CUZK_OK;
}

void cuzk_base64_encode(char *out, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)bytes[i] << 16;
        v |= i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0;
        v |= i + 2 < n ? bytes[i + 2] : 0;
        for (unsigned k = 0; k < 4; k++)
            *out++ = alphabet[v >> (18 - 6 * k) & 63];
        if (i + 1 >= n)
            out[-2] = '=';
        if (i + 2 >= n)
            out[-1] = '=';
    }
}

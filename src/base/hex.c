#include "base/hex.h"

void cuzk_hex_encode(char *out, const uint8_t *bytes, size_t n)
{
    static const char digit[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digit[bytes[i] >> 4];
        out[2 * i + 1] = digit[bytes[i] & 15];
    }
    out[2 * n] = '\0';
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool cuzk_hex_decode(uint8_t *out, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++) {
        int hi = digit_value(text[2 * i]);
        if (hi < 0)
            return false;
        int lo = digit_value(text[2 * i + 1]);
        if (lo < 0)
            return false;
        out[i] = (uint8_t)(hi << 4 | lo);
    }
    return text[2 * n] == '\0';
}

/* Lower-case hexadecimal text. */
#ifndef CUZK_BASE_HEX_H
#define CUZK_BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes 2 * n digits and a NUL to out. */
void cuzk_hex_encode(char *out, const uint8_t *bytes, size_t n);
/* Exactly 2 * n digits (either case) and the end of text; false otherwise, out unspecified. */
bool cuzk_hex_decode(uint8_t *out, size_t n, const char *text);

#endif

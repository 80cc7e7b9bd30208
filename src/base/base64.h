/* Base64 as senders really write it: standard or URL-safe alphabet, padded or not, in lines or not.
 */
#ifndef CUZK_BASE_BASE64_H
#define CUZK_BASE_BASE64_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Enough room for the bytes of n characters. */
#define CUZK_BASE64_DECODED_MAX(n) ((n) / 4 * 3 + 3)
/* Characters for n bytes, padded, without a NUL. */
#define CUZK_BASE64_ENCODED(n) (((n) + 2) / 3 * 4)

/* CUZK_ENCODING with the offset of the character that is wrong. Line breaks (LF or CR LF) may stand
 * between characters. Refused: other white space, a mixture of both alphabets, wrong padding, bits
 * left over that are not zero, and empty text. */
cuzk_status cuzk_base64_decode(uint8_t *out, size_t *n_out, const char *text, size_t n,
                               cuzk_err *err);
void cuzk_base64_encode(char *out, const uint8_t *bytes, size_t n); /* standard, padded, no NUL */

#endif

/* Text from outside inside text of ours: JSON strings, words of a line. */
#ifndef CUZK_BASE_TEXT_H
#define CUZK_BASE_TEXT_H

#include <stddef.h>

/* Writes text as the inside of a JSON string. Bytes that are not UTF-8 become U+FFFD. Cuts before
 * what does not fit into max bytes with the NUL. Returns the length. max >= 1. */
size_t cuzk_json_escape(char *out, size_t max, const char *text);

/* Writes text as one word: blanks, quotes, backslashes and all outside 0x21..0x7e as \xHH; "-" for
 * the empty text. Otherwise as above. max >= 2. */
size_t cuzk_word_escape(char *out, size_t max, const char *text);

#endif

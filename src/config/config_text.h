/* Small work on text: edit distance, and what a reader of a screen cannot see. */
#ifndef CUZK_CONFIG_CONFIG_TEXT_H
#define CUZK_CONFIG_CONFIG_TEXT_H

#include <stdbool.h>

/* Letters to insert, remove, change or swap to make b of a, ignoring case; names longer than 63
 * bytes are far from everything (64). */
unsigned cuzk_edit_distance(const char *a, const char *b);

/* Whether b is near enough to a to be suggested. */
bool cuzk_names_are_near(const char *a, const char *b);

/* A typographic quote or an odd space that text contains, in words; NULL if none. */
const char *cuzk_text_mark(const char *text);

/* What is wrong with a text that was typed or pasted though it may look right: a mark as above,
 * white space at an end, a control character. NULL when nothing is. */
const char *cuzk_text_flaw(const char *text);

#endif

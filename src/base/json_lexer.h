/* JSON tokens [RFC 8259] from a text in memory. Strings come out decoded and are valid UTF-8. */
#ifndef CUZK_BASE_JSON_LEXER_H
#define CUZK_BASE_JSON_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const uint8_t *p, *end; /* what is still to be read */
    const char *wrong;      /* after a failure; NULL: no memory. p is where */
    uint8_t *scratch;       /* strings with escapes */
    size_t scratch_bytes;
} json_lexer;

void cuzk_json_skip_space(json_lexer *x);
/* p is at the opening quote, afterwards behind the closing one. *s lives until the next string. */
bool cuzk_json_lex_string(json_lexer *x, const uint8_t **s, size_t *n);
/* p is at a minus or a digit. */
bool cuzk_json_lex_number(json_lexer *x, const uint8_t **s, size_t *n);
/* Whether word stands at p; if so it is passed. */
bool cuzk_json_lex_word(json_lexer *x, const char *word);
/* p is behind an opening bracket: 32 numbers from 0 to 255 without spaces, as their usual writers
 * write them, and the closing bracket. False: something else, and p has not moved. */
bool cuzk_json_lex_bytes32(json_lexer *x, uint8_t out[32]);
void cuzk_json_lexer_fini(json_lexer *x);

#endif

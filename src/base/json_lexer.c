#include "base/json_lexer.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

static bool fail(json_lexer *x, const uint8_t *at, const char *wrong)
{
    x->p = at;
    x->wrong = wrong;
    return false;
}

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

void cuzk_json_skip_space(json_lexer *x)
{
    const uint8_t *p = x->p;
    uint64_t eight, spaces;
    memset(&spaces, ' ', sizeof spaces);
    while (p < x->end && is_space(*p)) {
        p++;
        while (x->end - p >= 8 && (memcpy(&eight, p, 8), eight == spaces))
            p += 8;
    }
    x->p = p;
}

/* ---- strings ---- */

/* Nothing that needs a second look: printable ASCII without a backslash. The loop has no branch, so
 * that the compiler makes vectors of it. */
static bool is_plain(const uint8_t *s, size_t n)
{
    unsigned odd = 0;
    for (size_t i = 0; i < n; i++)
        odd |= (s[i] < 0x20) | (s[i] >= 0x80) | (s[i] == '\\');
    return !odd;
}

/* The quote that ends a string which begins at s; NULL: none. */
static const uint8_t *closing_quote(const uint8_t *s, const uint8_t *end)
{
    while ((s = memchr(s, '"', (size_t)(end - s))) != NULL) {
        size_t n = 0; /* backslashes before it; the opening quote stops the count */
        while (s[-1 - (ptrdiff_t)n] == '\\')
            n++;
        if (n % 2 == 0)
            return s;
        s++;
    }
    return NULL;
}

static bool hex4(unsigned *out, const uint8_t *s, const uint8_t *end)
{
    unsigned v = 0;
    if (end - s < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        unsigned c = s[i] | 32u;
        unsigned digit = c >= 'a' && c <= 'f' ? c - 'a' + 10 : s[i] - (unsigned)'0';
        if (digit > 15)
            return false;
        v = v << 4 | digit;
    }
    *out = v;
    return true;
}

static size_t put_utf8(uint8_t *out, unsigned c)
{
    if (c < 0x80) {
        out[0] = (uint8_t)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (uint8_t)(0x80 | (c & 0x3f));
    out[0] = (uint8_t)(0xf00 >> n | c);
    return n;
}

/* \uXXXX at s, both halves of a pair: its length, 0 when it is none. */
static size_t unicode_escape(const uint8_t *s, const uint8_t *end, unsigned *c)
{
    unsigned low;
    if (!hex4(c, s + 2, end) || (*c >= 0xdc00 && *c <= 0xdfff))
        return 0;
    if (*c < 0xd800 || *c > 0xdbff)
        return 6;
    if (end - s < 12 || s[6] != '\\' || s[7] != 'u' || !hex4(&low, s + 8, end) || low < 0xdc00 ||
        low > 0xdfff)
        return 0;
    *c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);
    return 12;
}

/* One escape at s: bytes written to out, and *used of s; *used 0 when it is none. */
static size_t escape(uint8_t *out, const uint8_t *s, const uint8_t *end, size_t *used)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    unsigned c;
    if (end - s >= 2 && s[1] == 'u') {
        *used = unicode_escape(s, end, &c);
        return *used ? put_utf8(out, c) : 0;
    }
    const char *k = end - s >= 2 && s[1] ? strchr(from, s[1]) : NULL;
    *used = k ? 2 : 0;
    if (k)
        out[0] = (uint8_t)to[k - from];
    return k != NULL;
}

/* An escape is never shorter than what it stands for. */
static bool decode(json_lexer *x, const uint8_t *s, const uint8_t *end, size_t *n)
{
    uint8_t *out = x->scratch;
    while (s < end) {
        size_t used = 0;
        if (*s < 0x20)
            return fail(x, s, "lexical error: a control character inside a string");
        if (*s == '\\') {
            out += escape(out, s, end, &used);
            if (!used)
                return fail(x, s,
                            end - s >= 6 && s[1] == 'u' && hex4(&(unsigned){0}, s + 2, end)
                                ? "half a surrogate pair"
                                : "lexical error: a backslash that begins no escape");
        } else {
            used = utf8_sequence(s, end);
            if (!used)
                return fail(x, s, "lexical error: bytes that are not UTF8");
            memcpy(out, s, used);
            out += used;
        }
        s += used;
    }
    *n = (size_t)(out - x->scratch);
    return true;
}

bool cuzk_json_lex_string(json_lexer *x, const uint8_t **s, size_t *n)
{
    const uint8_t *begin = x->p + 1, *end = closing_quote(begin, x->end);
    if (!end)
        return fail(x, x->end, "parse error: premature end inside a string");
    *n = (size_t)(end - begin);
    *s = begin;
    if (!is_plain(begin, *n)) {
        if (x->scratch_bytes < *n) {
            uint8_t *larger = cuzk_realloc(x->scratch, *n);
            if (!larger)
                return fail(x, begin, NULL);
            x->scratch = larger;
            x->scratch_bytes = *n;
        }
        if (!decode(x, begin, end, n))
            return false;
        *s = x->scratch;
    }
    x->p = end + 1;
    return true;
}

void cuzk_json_lexer_fini(json_lexer *x)
{
    cuzk_free(x->scratch);
    x->scratch = NULL;
    x->scratch_bytes = 0;
}

/* ---- numbers and words ---- */

static const uint8_t *digits(const uint8_t *p, const uint8_t *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

bool cuzk_json_lex_number(json_lexer *x, const uint8_t **s, size_t *n)
{
    static const char wrong[] = "lexical error: a number that is none";
    const uint8_t *p = x->p + (*x->p == '-'), *q;
    *s = x->p;
    q = digits(p, x->end);
    if (q == p)
        return fail(x, *s, wrong);
    p = *p == '0' ? p + 1 : q; /* 01 is 0 and then a 1 out of place */
    if (p < x->end && *p == '.') {
        q = digits(p + 1, x->end);
        if (q == p + 1)
            return fail(x, *s, wrong);
        p = q;
    }
    if (p < x->end && (*p == 'e' || *p == 'E')) {
        p++;
        p += p < x->end && (*p == '+' || *p == '-');
        q = digits(p, x->end);
        if (q == p)
            return fail(x, *s, wrong);
        p = q;
    }
    *n = (size_t)(p - *s);
    x->p = p;
    return true;
}

bool cuzk_json_lex_word(json_lexer *x, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(x->end - x->p) < n || memcmp(x->p, word, n) != 0)
        return false;
    x->p += n;
    return true;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Four characters at a time: with 0x30 taken off, digits are 0 to 9, and adding 0x76 sets the top
 * bit of all others (with their own top bit ored in). */
bool cuzk_json_lex_bytes32(json_lexer *x, uint8_t out[32])
{
    const uint8_t *p = x->p;
    for (unsigned i = 0; i < 32; i++) {
        uint32_t w;
        if (x->end - p < 4)
            return false;
        memcpy(&w, p, 4);
        w ^= 0x30303030u;
        uint32_t other = (((w & 0x7f7f7f7fu) + 0x76767676u) | w) & 0x80808080u;
        if (!other || (other & 0x80u))
            return false;                                /* four digits, or none */
        unsigned n = (unsigned)__builtin_ctz(other) / 8; /* 1 to 3 */
        uint32_t d = w << (8 * (4 - n));                 /* the last digit on top */
        unsigned v = (d >> 24) + 10 * (d >> 16 & 0xff) + 100 * (d >> 8 & 0xff);
        if (v > 255 || (n > 1 && (w & 0xff) == 0) || p[n] != (i < 31 ? ',' : ']'))
            return false;
        out[i] = (uint8_t)v;
        p += n + 1;
    }
    x->p = p;
    return true;
}
#else
bool cuzk_json_lex_bytes32(json_lexer *x, uint8_t out[32])
{
    (void)x;
    (void)out;
    return false; /* the general way does it as well */
}
#endif

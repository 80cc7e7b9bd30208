#include "config/config_text.h"

#include <ctype.h>
#include <string.h>

#include "base/compiler.h"

#define MAX_NAME    63u
#define TYPOGRAPHIC "it has a typographic quote; plain ones are ' and \""

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: three rows of the table are enough. */
unsigned cuzk_edit_distance(const char *a, const char *b)
{
    unsigned row[3][MAX_NAME + 2];
    size_t na = strlen(a), nb = strlen(b);
    if (na > MAX_NAME || nb > MAX_NAME)
        return MAX_NAME + 1;
    for (unsigned j = 0; j <= nb; j++)
        row[0][j] = j;
    for (unsigned i = 1; i <= na; i++) {
        unsigned *now = row[i % 3];
        const unsigned *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (unsigned j = 1; j <= nb; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return row[na % 3][nb];
}

bool cuzk_names_are_near(const char *a, const char *b)
{
    size_t n = strlen(a) > strlen(b) ? strlen(a) : strlen(b);
    return cuzk_edit_distance(a, b) <= (n + 2) / 4 + (n > 2);
}

const char *cuzk_text_mark(const char *text)
{
    static const struct {
        const char *bytes, *flaw;
    } mark[] = {
        {"\xe2\x80\x98", TYPOGRAPHIC},
        {"\xe2\x80\x99", TYPOGRAPHIC},
        {"\xe2\x80\x9a", TYPOGRAPHIC},
        {"\xe2\x80\x9c", TYPOGRAPHIC},
        {"\xe2\x80\x9d", TYPOGRAPHIC},
        {"\xe2\x80\x9e", TYPOGRAPHIC},
        {"\xc2\xab", TYPOGRAPHIC},
        {"\xc2\xbb", TYPOGRAPHIC},
        {"\xc2\xa0", "it has a no-break space"},
        {"\xe2\x80\x8b", "it has a space of no width"},
        {"\xef\xbb\xbf", "it has a byte order mark"},
    };
    for (size_t i = 0; i < CUZK_ARRAY_LEN(mark); i++) {
        if (strstr(text, mark[i].bytes))
            return mark[i].flaw;
    }
    return NULL;
}

const char *cuzk_text_flaw(const char *text)
{
    const char *mark = cuzk_text_mark(text);
    if (mark)
        return mark;
    size_t n = strlen(text);
    if (n && text[n - 1] == '\r')
        return "it ends with a carriage return";
    if (n && (text[0] == ' ' || text[n - 1] == ' '))
        return "it has a space at an end";
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return "it has a control character";
    }
    return NULL;
}

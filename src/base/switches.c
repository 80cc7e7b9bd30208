#include "base/switches.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

typedef struct {
    const char *name, *what, *where, *measured;
    bool on;
} row;

static const row rows[CUZK_SWITCH_COUNT] = {
#define X(id, name, on, what, where, measured) {name, what, where, measured, on},
    CUZK_SWITCH_MAP(X)
#undef X
};

#define X(id, name, on, what, where, measured) | (uint64_t)(on) << CUZK_SWITCH_##id
#define DEFAULT_BITS                           ((uint64_t)0 CUZK_SWITCH_MAP(X))

_Atomic uint64_t cuzk_switch_bits = DEFAULT_BITS;

static const uint64_t default_bits = DEFAULT_BITS;
#undef X

bool cuzk_switch_at(cuzk_switch_info *out, size_t i)
{
    if (i >= CUZK_SWITCH_COUNT)
        return false;
    const row *r = &rows[i];
    *out = (cuzk_switch_info){
        r->name, r->what, r->where, r->measured, cuzk_switch_on((cuzk_switch)i), r->on};
    return true;
}

/* ---- words ---- */

typedef struct {
    const char *p;
    size_t n;
} word;

static word trim(const char *begin, const char *end)
{
    while (begin < end && isspace((unsigned char)*begin))
        begin++;
    while (begin < end && isspace((unsigned char)end[-1]))
        end--;
    return (word){begin, (size_t)(end - begin)};
}

static bool equal(word w, const char *text)
{
    return strlen(text) == w.n && strncasecmp(w.p, text, w.n) == 0;
}

#define NAME_MAX_CHARS 32u

/* Edits (insert, delete, replace a letter) from w to text; both at most NAME_MAX_CHARS. */
static unsigned edits(word w, const char *text)
{
    unsigned d[NAME_MAX_CHARS + 1], n = (unsigned)strlen(text);
    for (unsigned j = 0; j <= n; j++)
        d[j] = j;
    for (unsigned i = 0; i < w.n; i++) {
        unsigned diagonal = d[0];
        d[0] = i + 1;
        for (unsigned j = 0; j < n; j++) {
            bool same = tolower((unsigned char)w.p[i]) == tolower((unsigned char)text[j]);
            unsigned replace = diagonal + !same, best = d[j] < d[j + 1] ? d[j] : d[j + 1];
            diagonal = d[j + 1];
            d[j + 1] = best + 1 < replace ? best + 1 : replace;
        }
    }
    return d[n];
}

static const char *nearest(word w)
{
    const char *best = rows[0].name;
    unsigned least = UINT32_MAX;
    for (size_t i = 0; w.n <= NAME_MAX_CHARS && i < CUZK_SWITCH_COUNT; i++) {
        bool same_letter =
            w.n > 0 && tolower((unsigned char)*w.p) == tolower((unsigned char)rows[i].name[0]);
        unsigned k = 2 * edits(w, rows[i].name) + !same_letter; /* B2 is nearer to B1 than to A2 */
        if (k < least) {
            least = k;
            best = rows[i].name;
        }
    }
    return best;
}

/* ---- lists ---- */

static cuzk_status parse_value(bool *on, word name, word w, cuzk_err *err)
{
    static const struct {
        const char *text;
        bool on;
    } values[] = {{"on", true},   {"off", false},   {"yes", true}, {"no", false},
                  {"true", true}, {"false", false}, {"1", true},   {"0", false}};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(values); i++) {
        if (equal(w, values[i].text)) {
            *on = values[i].on;
            return CUZK_OK;
        }
    }
    return cuzk_fail(err, CUZK_INVAL, 0, "switch %.*s: \"%.*s\" is not a value; on or off is",
                     (int)name.n, name.p, (int)(w.n < 40 ? w.n : 40), w.p);
}

static cuzk_status parse_name(size_t *index, word w, cuzk_err *err)
{
    for (size_t i = 0; i < CUZK_SWITCH_COUNT; i++) {
        if (equal(w, rows[i].name)) {
            *index = i;
            return CUZK_OK;
        }
    }
    return cuzk_fail(err, CUZK_INVAL, 0,
                     "there is no switch \"%.*s\"; the nearest is %s (`cuzk opts` lists all)",
                     (int)(w.n < 40 ? w.n : 40), w.p, nearest(w));
}

typedef struct {
    uint64_t named, on;
} settings;

/* NAME=VALUE into s. */
static cuzk_status parse_entry(settings *s, const char *begin, const char *end, cuzk_err *err)
{
    const char *sign = memchr(begin, '=', (size_t)(end - begin));
    word name = trim(begin, sign ? sign : end);
    size_t i = 0;
    bool on = false;
    cuzk_status st = parse_name(&i, name, err);
    if (st != CUZK_OK)
        return st;
    if (!sign)
        return cuzk_fail(err, CUZK_INVAL, 0, "switch %s: the value is missing (%s=on, %s=off)",
                         rows[i].name, rows[i].name, rows[i].name);
    if (s->named >> i & 1)
        return cuzk_fail(err, CUZK_INVAL, 0, "switch %s is given twice", rows[i].name);
    st = parse_value(&on, name, trim(sign + 1, end), err);
    s->named |= (uint64_t)1 << i;
    s->on |= (uint64_t)on << i;
    return st;
}

static cuzk_status parse_list(settings *s, const char *list, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    const char *end = list + strlen(list);
    word all = trim(list, end);
    if (equal(all, "default")) {
        *s = (settings){((uint64_t)1 << CUZK_SWITCH_COUNT) - 1, default_bits};
        return CUZK_OK;
    }
    for (const char *p = list; all.n > 0 && st == CUZK_OK; p++) {
        const char *comma = strchr(p, ',');
        st = parse_entry(s, p, comma ? comma : end, err);
        if (!comma)
            break;
        p = comma;
    }
    return st;
}

cuzk_status cuzk_switches_check(const char *list, cuzk_err *err)
{
    settings s = {0, 0};
    return parse_list(&s, list, err);
}

/* Blocks that are kept were mapped under the old setting. */
static const uint64_t page_bits = (uint64_t)1 << CUZK_SWITCH_B1 |
                                  (uint64_t)1 << CUZK_SWITCH_KEPT_PAGES |
                                  (uint64_t)1 << CUZK_SWITCH_HUGE_PAGES;

cuzk_status cuzk_switches_set(const char *list, cuzk_err *err)
{
    settings s = {0, 0};
    cuzk_status st = parse_list(&s, list, err);
    if (st != CUZK_OK)
        return st;
    uint64_t old = atomic_load(&cuzk_switch_bits), bits;
    do {
        bits = (old & ~s.named) | s.on;
    } while (!atomic_compare_exchange_weak(&cuzk_switch_bits, &old, bits));
    if ((old ^ bits) & page_bits)
        cuzk_mem_trim();
    return CUZK_OK;
}

cuzk_status cuzk_switches_from_environment(cuzk_err *err)
{
    const char *list = getenv("CUZK_OPTS");
    cuzk_status st = list ? cuzk_switches_set(list, err) : CUZK_OK;
    return st == CUZK_OK ? st : cuzk_err_prefix(err, st, "CUZK_OPTS");
}

static cuzk_err at_start; /* written before main */

/* So that every user of the library obeys, tests too. */
CUZK_CONSTRUCTOR static void read_environment(void)
{
    (void)cuzk_switches_from_environment(&at_start);
}

cuzk_status cuzk_switches_environment_error(cuzk_err *err)
{
    if (at_start.status != CUZK_OK && err)
        *err = at_start;
    return at_start.status;
}

void cuzk_switches_format(char out[], size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < CUZK_SWITCH_COUNT && at < n; i++) {
        int k = snprintf(out + at, n - at, "%s%s=%s", i ? "," : "", rows[i].name,
                         cuzk_switch_on((cuzk_switch)i) ? "on" : "off");
        at += k > 0 ? (size_t)k : 0;
    }
}

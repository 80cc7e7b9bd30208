/* Values of settings: from text, from TOML, with ranges. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "config/setting.h"
#include "config/config_text.h"

#define MAX_SHOWN 80 /* bytes of a value in a message */

/* ---- grammars ---- */

static void trim(const char **begin, const char **end)
{
    while (*begin < *end && isspace((unsigned char)**begin))
        (*begin)++;
    while (*end > *begin && isspace((unsigned char)(*end)[-1]))
        (*end)--;
}

/* Decimal digits and nothing else; false also when it does not fit. */
static bool parse_digits(int64_t *out, const char *p, const char *end)
{
    int64_t v = 0;
    if (p == end)
        return false;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9' || __builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, *p - '0', &v))
            return false;
    }
    *out = v;
    return true;
}

typedef struct {
    const char *suffix;
    int64_t factor;
} unit;

/* number [blanks] [suffix], blanks around; the longer suffixes come first in the table. */
static bool parse_with_unit(int64_t *out, const char *text, const unit units[], size_t n)
{
    const char *p = text, *end = text + strlen(text);
    int64_t factor = 1, v;
    trim(&p, &end);
    for (size_t i = 0; i < n; i++) {
        size_t k = strlen(units[i].suffix);
        if ((size_t)(end - p) >= k && memcmp(end - k, units[i].suffix, k) == 0) {
            factor = units[i].factor;
            end -= k;
            trim(&p, &end);
            break;
        }
    }
    if (!parse_digits(&v, p, end) || __builtin_mul_overflow(v, factor, &v))
        return false;
    *out = v;
    return true;
}

bool cuzk_parse_size(int64_t *bytes, const char *text)
{
    static const unit size_unit[] = {{"KiB", (int64_t)1 << 10}, {"MiB", (int64_t)1 << 20},
                                     {"GiB", (int64_t)1 << 30}, {"TiB", (int64_t)1 << 40},
                                     {"MB", 1000000},           {"GB", 1000000000}};
    return parse_with_unit(bytes, text, size_unit, CUZK_ARRAY_LEN(size_unit));
}

bool cuzk_parse_duration(int64_t *ms, const char *text)
{
    static const unit time_unit[] = {
        {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"", 1000}};
    return parse_with_unit(ms, text, time_unit, CUZK_ARRAY_LEN(time_unit));
}

bool cuzk_parse_bool(bool *out, const char *text)
{
    static const char *const word[] = {"false", "0", "no", "off", "true", "1", "yes", "on"};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(word); i++) {
        if (strcasecmp(text, word[i]) == 0) {
            *out = i >= 4;
            return true;
        }
    }
    return false;
}

static bool parse_mode(int64_t *out, const char *text)
{
    size_t n = strspn(text, "01234567");
    if (n < 3 || n > 4 || text[n])
        return false;
    *out = 0;
    for (const char *p = text; *p; p++)
        *out = *out * 8 + (*p - '0');
    return *out <= 0777;
}

static bool parse_int(int64_t *out, const char *text)
{
    bool negative = text[0] == '-';
    if (!parse_digits(out, text + negative, text + strlen(text)))
        return false;
    *out = negative ? -*out : *out;
    return true;
}

static bool parse_choice(int64_t *out, const char *choices, const char *text)
{
    size_t n = strlen(text);
    *out = 0;
    for (const char *p = choices; *p; (*out)++) {
        size_t k = strcspn(p, " ");
        if (k == n && strncasecmp(p, text, n) == 0)
            return true;
        p += k + (p[k] == ' ');
    }
    return false;
}

/* ---- values ---- */

void cuzk_value_fini(config_value *v)
{
    for (size_t i = 0; i < v->n_items; i++)
        cuzk_free(v->item[i]);
    cuzk_free(v->text);
    *v = (config_value){0};
}

static const char *wanted(const config_setting *s)
{
    switch (s->type) {
    case TYPE_BOOL:
        return "true or false is wanted (also 1, yes, on; 0, no, off)";
    case TYPE_INT:
    case TYPE_INTS:
        return "a whole number is wanted";
    case TYPE_SIZE:
        return s->word ? "a size is wanted, as in \"256GiB\" (KiB, MiB, GiB, TiB, MB, GB; whole "
                         "numbers), or \"auto\""
                       : "a size is wanted, as in \"256GiB\" (KiB, MiB, GiB, TiB, MB, GB; whole "
                         "numbers)";
    case TYPE_DURATION:
        return "a duration is wanted, as in \"90s\" (ms, s, m, h; whole numbers; none: seconds)";
    case TYPE_MODE:
        return "an octal mode is wanted, as in \"0660\"";
    case TYPE_ENUM:
        return s->choices;
    default:
        return "text is wanted";
    }
}

/* The value with what cannot be shown replaced, so that a message stays one clean line. */
static void show(char out[MAX_SHOWN], const char *text)
{
    size_t n = 0;
    for (; text[n] && n < MAX_SHOWN - 4; n++)
        out[n] = (unsigned char)text[n] < 0x20 || text[n] == 0x7f ? '?' : text[n];
    while (text[n] && n && ((unsigned char)out[n - 1] & 0xc0) == 0x80)
        n--; /* not within a character */
    snprintf(out + n, 4, "%s", text[n] ? "..." : "");
}

static cuzk_status refuse(const config_setting *s, const char *text, cuzk_err *err)
{
    char shown[MAX_SHOWN];
    const char *flaw = cuzk_text_flaw(text);
    show(shown, text);
    return cuzk_fail(err, CUZK_INVAL, 0, "\"%s\" is not accepted: %s%s%s%s", shown,
                     flaw ? flaw : "", flaw ? "; " : "", s->type == TYPE_ENUM ? "one of " : "",
                     wanted(s));
}

static cuzk_status check_range(const config_setting *s, int64_t v, const char *text, cuzk_err *err)
{
    char range[64];
    if (v >= s->min && v <= s->max)
        return CUZK_OK;
    cuzk_setting_range_text(range, sizeof range, s);
    return cuzk_fail(err, CUZK_INVAL, 0, "%.*s is out of range (%s)", MAX_SHOWN, text, range);
}

static cuzk_status parse_number(config_value *v, const config_setting *s, const char *text,
                                cuzk_err *err)
{
    bool ok = false;
    v->is_word = s->word && strcmp(text, s->word) == 0;
    if (v->is_word)
        return CUZK_OK;
    if (s->type == TYPE_SIZE)
        ok = cuzk_parse_size(&v->number, text);
    if (s->type == TYPE_DURATION)
        ok = cuzk_parse_duration(&v->number, text);
    if (s->type == TYPE_INT)
        ok = parse_int(&v->number, text);
    return ok ? check_range(s, v->number, text, err) : refuse(s, text, err);
}

static cuzk_status check_item(const config_setting *s, const char *text, cuzk_err *err)
{
    int64_t v;
    if (s->type == TYPE_INTS)
        return parse_int(&v, text) ? check_range(s, v, text, err) : refuse(s, text, err);
    if (!text[0])
        return cuzk_fail(err, CUZK_INVAL, 0, "an empty text in a list");
    return cuzk_text_flaw(text) ? refuse(s, text, err) : CUZK_OK;
}

static cuzk_status add_item(config_value *v, const config_setting *s, const char *text, size_t n,
                            cuzk_err *err)
{
    if (v->n_items == SETTING_MAX_LIST)
        return cuzk_fail(err, CUZK_INVAL, 0, "a list may have at most %u values", SETTING_MAX_LIST);
    char *item = cuzk_malloc(n + 1);
    if (!item)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for the configuration");
    memcpy(item, text, n);
    item[n] = '\0';
    v->item[v->n_items++] = item;
    return check_item(s, item, err);
}

static cuzk_status parse_list(config_value *v, const config_setting *s, const char *text,
                              cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    for (const char *p = text; *p && st == CUZK_OK;) {
        const char *end = p + strcspn(p, ","), *next = end + (*end == ',');
        if (s->type == TYPE_STRINGS || s->type == TYPE_INTS || *end || p != text)
            trim(&p, &end);
        st = add_item(v, s, p, (size_t)(end - p), err);
        p = next;
    }
    return st;
}

static cuzk_status parse_value(config_value *v, const config_setting *s, const char *text,
                               cuzk_err *err)
{
    switch (s->type) {
    case TYPE_BOOL:
        return cuzk_parse_bool(&v->flag, text) ? CUZK_OK : refuse(s, text, err);
    case TYPE_INT:
    case TYPE_SIZE:
    case TYPE_DURATION:
        return parse_number(v, s, text, err);
    case TYPE_MODE:
        return parse_mode(&v->number, text) ? CUZK_OK : refuse(s, text, err);
    case TYPE_ENUM:
        return parse_choice(&v->number, s->choices, text) ? CUZK_OK : refuse(s, text, err);
    case TYPE_STRINGS:
    case TYPE_ADDRESSES:
    case TYPE_INTS:
        return parse_list(v, s, text, err);
    default:
        return cuzk_text_flaw(text) ? refuse(s, text, err) : CUZK_OK;
    }
}

static cuzk_status finish(config_value *out, const config_setting *s, config_value *v,
                          const char *text, cuzk_status st, cuzk_err *err)
{
    if (st == CUZK_OK && s->type == TYPE_ADDRESSES && v->n_items == 0)
        st = cuzk_fail(err, CUZK_INVAL, 0, "an empty list is not accepted: give an address");
    if (st == CUZK_OK) {
        v->text = cuzk_strdup(text);
        if (!v->text)
            st = cuzk_fail(err, CUZK_NOMEM, 0, "no memory for the configuration");
    }
    if (st == CUZK_OK)
        *out = *v;
    else
        cuzk_value_fini(v);
    return st;
}

cuzk_status cuzk_value_from_text(config_value *out, const config_setting *s, const char *text,
                                 cuzk_err *err)
{
    config_value v = {0};
    /* the default "" of what is no text means: nothing given */
    bool none = !text[0] && s->state == SETTING_GONE;
    cuzk_status st = none ? CUZK_OK : parse_value(&v, s, text, err);
    return finish(out, s, &v, text, st, err);
}

static cuzk_status wrong_type(const config_setting *s, const toml_entry *e, cuzk_err *err)
{
    const char *remedy = "";
    if (e->type == TOML_STRING && (s->type == TYPE_BOOL || s->type == TYPE_INT))
        remedy = "; leave the quotes out";
    if (e->type == TOML_INT && s->type == TYPE_SIZE)
        remedy = "; put quotes and a unit around it";
    return cuzk_fail(err, CUZK_INVAL, 0, "%s is not accepted: %s%s%s", cuzk_toml_type_name(e->type),
                     s->type == TYPE_ENUM ? "one of " : "", wanted(s), remedy);
}

static cuzk_status from_array(config_value *v, const config_setting *s, const toml_entry *e,
                              cuzk_err *err)
{
    toml_type item_type = s->type == TYPE_INTS ? TOML_INT : TOML_STRING;
    for (size_t i = 0; i < e->n_items; i++) {
        char number[24];
        const toml_entry *item = &e->item[i];
        if (item->type != item_type)
            return wrong_type(s, item, err);
        snprintf(number, sizeof number, "%lld", (long long)item->integer);
        const char *text = item_type == TOML_INT ? number : item->text;
        cuzk_status st = add_item(v, s, text, strlen(text), err);
        if (st != CUZK_OK)
            return st;
    }
    return CUZK_OK;
}

static cuzk_status join_items(char **out, const config_value *v, cuzk_err *err)
{
    size_t n = 1;
    for (size_t i = 0; i < v->n_items; i++)
        n += strlen(v->item[i]) + 1;
    char *text = cuzk_malloc(n), *p = text;
    if (!text)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for the configuration");
    *p = '\0';
    for (size_t i = 0; i < v->n_items; i++)
        p += snprintf(p, n - (size_t)(p - text), "%s%s", i ? "," : "", v->item[i]);
    *out = text;
    return CUZK_OK;
}

static bool is_list(const config_setting *s)
{
    return s->type == TYPE_STRINGS || s->type == TYPE_ADDRESSES || s->type == TYPE_INTS;
}

/* A list as a list; one text also alone. Commas in a text of TOML do not separate. */
static cuzk_status list_from_toml(config_value *out, const config_setting *s, const toml_entry *e,
                                  cuzk_err *err)
{
    config_value v = {0};
    char *text = NULL;
    cuzk_status st;
    if (e->type == TOML_ARRAY)
        st = from_array(&v, s, e, err);
    else if (e->type == TOML_STRING && s->type != TYPE_INTS)
        st = add_item(&v, s, e->text, strlen(e->text), err);
    else
        st = wrong_type(s, e, err);
    if (st == CUZK_OK)
        st = join_items(&text, &v, err);
    st = finish(out, s, &v, text ? text : "", st, err);
    cuzk_free(text);
    return st;
}

cuzk_status cuzk_value_from_toml(config_value *out, const config_setting *s, const toml_entry *e,
                                 cuzk_err *err)
{
    char number[24];
    if (is_list(s))
        return list_from_toml(out, s, e, err);
    bool int_ok = s->type == TYPE_INT || s->type == TYPE_DURATION;
    if (e->type == TOML_BOOL && s->type == TYPE_BOOL)
        return cuzk_value_from_text(out, s, e->flag ? "true" : "false", err);
    if (e->type == TOML_INT && int_ok) {
        snprintf(number, sizeof number, "%lld", (long long)e->integer);
        return cuzk_value_from_text(out, s, number, err);
    }
    if (e->type != TOML_STRING || s->type == TYPE_BOOL || s->type == TYPE_INT)
        return wrong_type(s, e, err);
    if (s->state == SETTING_GONE && !e->text[0])
        return wrong_type(s, e, err);
    return cuzk_value_from_text(out, s, e->text, err);
}

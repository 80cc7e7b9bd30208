/* What is printed from the table and from a configuration: values, sample, documentation. */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/mem.h"
#include "config/config.h"

static bool is_number(setting_type t)
{
    return t == TYPE_BOOL || t == TYPE_INT;
}

static bool is_list(setting_type t)
{
    return t == TYPE_STRINGS || t == TYPE_ADDRESSES || t == TYPE_INTS;
}

/* A TOML basic string. */
static void put_quoted(cuzk_buffer *b, const char *text, size_t n)
{
    cuzk_buffer_text(b, "\"");
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"' || text[i] == '\\')
            cuzk_buffer_text(b, "\\");
        cuzk_buffer_put(b, &text[i], 1);
    }
    cuzk_buffer_text(b, "\"");
}

static void put_default(cuzk_buffer *b, const config_setting *s)
{
    if (is_list(s->type)) {
        cuzk_buffer_text(b, "[");
        if (s->def[0])
            put_quoted(b, s->def, strlen(s->def));
        cuzk_buffer_text(b, "]");
    } else if (is_number(s->type)) {
        cuzk_buffer_text(b, s->def);
    } else {
        put_quoted(b, s->def, strlen(s->def));
    }
}

static void put_value(cuzk_buffer *b, const config_setting *s, const config_value *v)
{
    if (s->type == TYPE_BOOL) {
        cuzk_buffer_text(b, v->flag ? "true" : "false");
    } else if (s->type == TYPE_INT) {
        cuzk_buffer_printf(b, "%lld", (long long)v->number);
    } else if (is_list(s->type)) {
        cuzk_buffer_text(b, "[");
        for (size_t i = 0; i < v->n_items; i++) {
            cuzk_buffer_text(b, i ? ", " : "");
            if (s->type == TYPE_INTS)
                cuzk_buffer_text(b, v->item[i]);
            else
                put_quoted(b, v->item[i], strlen(v->item[i]));
        }
        cuzk_buffer_text(b, "]");
    } else {
        put_quoted(b, v->text, strlen(v->text));
    }
}

/* ---- values with origins ---- */

static void print_slot(cuzk_buffer *b, const cuzk_config *c, const config_setting *s,
                       const config_slot *slot)
{
    char where[256], name[SETTING_NAME_MAX];
    const config_setting *given_as = slot->origin.given_as;
    cuzk_config_origin_text(where, sizeof where, c, &slot->origin);
    cuzk_setting_name(name, given_as);
    cuzk_buffer_printf(b, "%s%s = ", s->state == SETTING_GONE ? "# " : "", s->key);
    put_value(b, s, &slot->value);
    cuzk_buffer_printf(b, "  # %s%s%s%s\n", where, given_as != s ? ", as " : "",
                       given_as != s ? name : "", s->state != SETTING_LIVE ? "; no effect" : "");
}

/* Of keys without effect only those that were given. */
static void print_values(cuzk_buffer *b, const cuzk_config *c)
{
    const char *section = "";
    for (int i = 0; i < SETTING_COUNT; i++) {
        const config_setting *s = &cuzk_settings[i];
        const config_slot *slot = &c->slot[i];
        if (s->state == SETTING_ALIAS ||
            (s->state != SETTING_LIVE && slot->origin.layer == LAYER_DEFAULT))
            continue;
        if (strcmp(section, s->section) != 0)
            cuzk_buffer_printf(b, "%s[%s]\n", section[0] ? "\n" : "", s->section);
        section = s->section;
        print_slot(b, c, s, slot);
    }
}

/* ---- text broken into lines ---- */

static void put_wrapped(cuzk_buffer *b, const char *head, const char *text, size_t width)
{
    size_t column = 0;
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, " ");
        if (column && column + 1 + n > width) {
            cuzk_buffer_text(b, "\n");
            column = 0;
        }
        cuzk_buffer_text(b, column ? " " : head);
        column += column ? 1 : strlen(head);
        cuzk_buffer_put(b, p, n);
        column += n;
        p += n + (p[n] == ' ');
    }
    cuzk_buffer_text(b, "\n");
}

static void print_sample(cuzk_buffer *b)
{
    put_wrapped(b, "# ",
                "Settings of `cuzk serve`, each with its default. Made by `cuzk config docs "
                "--sample`; docs/configuration.md explains. A file needs only what differs.",
                78);
    const char *section = "";
    for (int i = 0; i < SETTING_COUNT; i++) {
        const config_setting *s = &cuzk_settings[i];
        char range[96];
        if (s->state != SETTING_LIVE)
            continue;
        if (strcmp(section, s->section) != 0)
            cuzk_buffer_printf(b, "\n[%s]\n", s->section);
        section = s->section;
        put_wrapped(b, "# ", s->help, 78);
        cuzk_setting_range_text(range, sizeof range, s);
        if (range[0])
            cuzk_buffer_printf(b, "# (%s)\n", range);
        cuzk_buffer_printf(b, "#%s = ", s->key);
        put_default(b, s);
        cuzk_buffer_text(b, "\n");
    }
}

/* ---- markdown ---- */

static void put_row(cuzk_buffer *b, const config_setting *s)
{
    char env[SETTING_NAME_MAX], range[96];
    cuzk_setting_env(env, s);
    cuzk_setting_range_text(range, sizeof range, s);
    cuzk_buffer_printf(b, "| `%s` | %s%s%s%s | `", s->key, cuzk_setting_type_text(s),
                       range[0] ? " (" : "", range, range[0] ? ")" : "");
    put_default(b, s);
    cuzk_buffer_printf(b, "` | `%s`%s%s%s | ", env, s->env ? ", `" : "", s->env ? s->env : "",
                       s->env ? "`" : "");
    if (s->flag)
        cuzk_buffer_printf(b, "`--%s`", s->flag);
    cuzk_buffer_printf(b, " | %s |\n", s->help);
}

static void print_live_tables(cuzk_buffer *b)
{
    const char *section = "";
    for (int i = 0; i < SETTING_COUNT; i++) {
        const config_setting *s = &cuzk_settings[i];
        if (s->state != SETTING_LIVE)
            continue;
        if (strcmp(section, s->section) != 0)
            cuzk_buffer_printf(b,
                               "\n### [%s]\n\n| key | type | default | environment | flag | "
                               "meaning |\n| --- | --- | --- | --- | --- | --- |\n",
                               s->section);
        section = s->section;
        put_row(b, s);
    }
}

static void print_markdown(cuzk_buffer *b)
{
    print_live_tables(b);
    cuzk_buffer_text(b, "\n### Keys of the established daemon\n\n"
                        "| key | here |\n| --- | --- |\n");
    for (int i = 0; i < SETTING_COUNT; i++) {
        const config_setting *s = &cuzk_settings[i];
        if (s->state == SETTING_ALIAS)
            cuzk_buffer_printf(b, "| `%s.%s` | a warning; means `%s` |\n", s->section, s->key,
                               s->replaced_by);
        if (s->state == SETTING_GONE)
            cuzk_buffer_printf(b, "| `%s.%s` | a warning; use `%s`: %s |\n", s->section, s->key,
                               s->replaced_by, s->help);
        if (s->state == SETTING_INERT)
            cuzk_buffer_printf(b, "| `%s.%s` | accepted, without effect (%s) |\n", s->section,
                               s->key, s->help);
    }
}

/* ---- manual page ---- */

/* troff: a leading dot or quote is a request, a minus is a hyphen, a backslash escapes. */
static void put_troff(cuzk_buffer *b, const char *text)
{
    for (const char *p = text; *p; p++) {
        if (*p == '\\')
            cuzk_buffer_text(b, "\\e");
        else if (*p == '-')
            cuzk_buffer_text(b, "\\-");
        else if (p == text && (*p == '.' || *p == '\''))
            cuzk_buffer_printf(b, "\\&%c", *p);
        else
            cuzk_buffer_put(b, p, 1);
    }
}

static void put_man_setting(cuzk_buffer *b, const config_setting *s)
{
    char env[SETTING_NAME_MAX], range[96];
    cuzk_setting_env(env, s);
    cuzk_setting_range_text(range, sizeof range, s);
    cuzk_buffer_printf(b, ".TP\n.B %s\n", s->key);
    put_troff(b, s->help);
    cuzk_buffer_printf(b, ".\n.br\n%s", cuzk_setting_type_text(s));
    if (range[0])
        cuzk_buffer_printf(b, " (%s)", range);
    cuzk_buffer_text(b, "; default ");
    cuzk_buffer_text(b, s->def[0] ? "" : "none");
    put_troff(b, s->def);
    cuzk_buffer_printf(b, "; \\fB%s\\fR", env);
    if (s->flag) {
        cuzk_buffer_text(b, "; \\fB\\-\\-");
        put_troff(b, s->flag);
        cuzk_buffer_text(b, "\\fR");
    }
    cuzk_buffer_text(b, "\n");
}

static void print_man(cuzk_buffer *b)
{
    const char *section = "";
    cuzk_buffer_text(b, ".\\\" GENERATED by cuzk config docs --man; do not edit\n"
                        ".TH CUZK.TOML 5 \"\" \"cuzk " CUZK_VERSION "\" \"File formats\"\n"
                        ".SH NAME\ncuzk.toml \\- settings of the proving daemon cuzk serve\n"
                        ".SH DESCRIPTION\n"
                        "A flag wins over the environment, the environment over the file. The file "
                        "is the one of \\fB\\-\\-config\\fR or \\fBCUZK_CONFIG\\fR, else\n"
                        ".IR " CUZK_DEFAULT_CONFIG ".\n");
    for (int i = 0; i < SETTING_COUNT; i++) {
        const config_setting *s = &cuzk_settings[i];
        if (s->state != SETTING_LIVE)
            continue;
        if (strcmp(section, s->section) != 0)
            cuzk_buffer_printf(b, ".SH [%s]\n", s->section);
        section = s->section;
        put_man_setting(b, s);
    }
    cuzk_buffer_text(b,
                     ".SH SEE ALSO\ncuzk config check, cuzk config show, cuzk serve \\-\\-help\n");
}

static void print_names(cuzk_buffer *b)
{
    for (int i = 0; i < SETTING_COUNT; i++) {
        if (cuzk_settings[i].state == SETTING_LIVE)
            cuzk_buffer_printf(b, "%s.%s\n", cuzk_settings[i].section, cuzk_settings[i].key);
    }
}

/* ---- */

cuzk_status cuzk_config_print(const cuzk_config *c, cuzk_config_form form, char **text,
                              cuzk_err *err)
{
    cuzk_buffer b = {0};
    if (form == CUZK_CONFIG_VALUES)
        print_values(&b, c);
    if (form == CUZK_CONFIG_SAMPLE)
        print_sample(&b);
    if (form == CUZK_CONFIG_MARKDOWN)
        print_markdown(&b);
    if (form == CUZK_CONFIG_MAN)
        print_man(&b);
    if (form == CUZK_CONFIG_NAMES)
        print_names(&b);
    if (b.failed || !b.text) {
        cuzk_buffer_fini(&b);
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for the text");
    }
    *text = b.text;
    return CUZK_OK;
}

void cuzk_config_free_text(char *text)
{
    cuzk_free(text);
}

bool cuzk_config_flag_at(size_t i, cuzk_config_flag *out)
{
    for (int k = 0; k < SETTING_COUNT; k++) {
        const config_setting *s = &cuzk_settings[k];
        if (!s->flag || i-- > 0)
            continue;
        *out = (cuzk_config_flag){.flag = s->flag,
                                  .operand = s->type == TYPE_BOOL ? NULL : s->operand,
                                  .help = s->help,
                                  .fallback = s->def,
                                  .is_list = is_list(s->type)};
        cuzk_setting_name(out->setting, s);
        return true;
    }
    return false;
}

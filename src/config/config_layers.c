/* The layers of a configuration, and what two of its settings may say to each other. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "config/config.h"
#include "config/config_text.h"

static int find_name(const char *name)
{
    for (int i = 0; i < SETTING_COUNT; i++) {
        char other[SETTING_NAME_MAX];
        cuzk_setting_name(other, &cuzk_settings[i]);
        if (strcmp(name, other) == 0)
            return i;
    }
    return -1;
}

/* ---- one value ---- */

static cuzk_status contradiction(const cuzk_config *c, const config_origin *a,
                                 const config_origin *b, cuzk_err *err)
{
    char name_a[SETTING_NAME_MAX], name_b[SETTING_NAME_MAX], where_a[160], where_b[160];
    cuzk_setting_name(name_a, a->given_as);
    cuzk_setting_name(name_b, b->given_as);
    cuzk_config_origin_text(where_a, sizeof where_a, c, a);
    cuzk_config_origin_text(where_b, sizeof where_b, c, b);
    return cuzk_fail(
        err, CUZK_INVAL, 0, "%s: %s, and %s: %s, say the same thing; leave the older one (%s) out",
        where_a, name_a, where_b, name_b, a->given_as->state == SETTING_LIVE ? name_b : name_a);
}

static void note_old_name(cuzk_config *c, const config_origin *o)
{
    const config_setting *s = o->given_as;
    char name[SETTING_NAME_MAX], where[160];
    cuzk_setting_name(name, s);
    cuzk_config_origin_text(where, sizeof where, c, o);
    if (s->state == SETTING_GONE)
        cuzk_config_add_note(c, true, "%s: %s has no effect any more; use %s (%s)", where, name,
                             s->replaced_by, s->help);
    if (s->state == SETTING_ALIAS)
        cuzk_config_add_note(c, true, "%s: %s is accepted for %s; use the new name", where, name,
                             s->replaced_by);
    if (s->state == SETTING_INERT)
        cuzk_config_add_note(c, false, "%s: %s has no effect in this daemon", where, name);
}

/* Takes *v over. An alias goes to the setting that it means. */
static cuzk_status put(cuzk_config *c, int id, config_value *v, config_origin o, cuzk_err *err)
{
    const config_setting *s = &cuzk_settings[id];
    o.given_as = s;
    config_slot *slot = &c->slot[s->state == SETTING_ALIAS ? find_name(s->replaced_by) : id];
    if (slot->origin.layer == o.layer && slot->origin.given_as != s) {
        cuzk_value_fini(v);
        return contradiction(c, &slot->origin, &o, err);
    }
    cuzk_value_fini(&slot->value);
    slot->value = *v;
    slot->origin = o;
    note_old_name(c, &o);
    return CUZK_OK;
}

/* A setting that is gone and the one that replaced it, both in one layer: somebody is mistaken. */
static cuzk_status check_heirs(const cuzk_config *c, config_layer layer, cuzk_err *err)
{
    for (int i = 0; i < SETTING_COUNT; i++) {
        const config_setting *s = &cuzk_settings[i];
        if (s->state != SETTING_GONE || c->slot[i].origin.layer != layer)
            continue;
        const config_slot *heir = &c->slot[find_name(s->replaced_by)];
        if (heir->origin.layer == layer)
            return contradiction(c, &c->slot[i].origin, &heir->origin, err);
    }
    return CUZK_OK;
}

/* ---- defaults ---- */

cuzk_status cuzk_config_apply_defaults(cuzk_config *c, cuzk_err *err)
{
    for (int i = 0; i < SETTING_COUNT; i++) {
        const config_setting *s = &cuzk_settings[i];
        if (s->state == SETTING_ALIAS)
            continue;
        cuzk_status st = cuzk_value_from_text(&c->slot[i].value, s, s->def, err);
        if (st != CUZK_OK)
            return cuzk_err_prefix(err, st, "default of %s.%s", s->section, s->key);
        c->slot[i].origin = (config_origin){.layer = LAYER_DEFAULT, .given_as = s};
    }
    return CUZK_OK;
}

/* ---- the file ---- */

static cuzk_status unknown_key(const toml_entry *e, cuzk_err *err)
{
    char hint[200];
    if (!e->section[0] && e->type != TOML_TABLE) {
        bool is_section = cuzk_setting_section_exists(e->key);
        if (is_section)
            return cuzk_fail(err, CUZK_INVAL, 0, "%s is a section: write [%s], keys below", e->key,
                             e->key);
        cuzk_setting_suggest(hint, sizeof hint, "", e->key);
        return cuzk_fail(err, CUZK_INVAL, 0, "unknown key \"%.80s\" before the first [section]%s%s",
                         e->key, hint[0] ? "; " : "", hint);
    }
    const char *section = e->type == TOML_TABLE ? e->key : e->section;
    cuzk_setting_suggest(hint, sizeof hint, section, e->type == TOML_TABLE ? "" : e->key);
    if (e->type == TOML_TABLE)
        return cuzk_fail(err, CUZK_INVAL, 0, "unknown section [%.80s%s%.80s]%s%s", e->section,
                         e->section[0] ? "." : "", e->key, hint[0] ? "; " : "", hint);
    return cuzk_fail(err, CUZK_INVAL, 0, "unknown key \"%.80s\" in [%.80s]%s%s", e->key, e->section,
                     hint[0] ? "; " : "", hint);
}

static cuzk_status apply_entry(cuzk_config *c, const toml_entry *e, cuzk_err *err)
{
    bool is_section = !e->section[0] && cuzk_setting_section_exists(e->key);
    if (e->type == TOML_TABLE && is_section)
        return CUZK_OK;
    int id = cuzk_setting_find(e->section, e->key);
    if (id < 0)
        return cuzk_err_prefix(err, unknown_key(e, err), "%s:%u", c->path ? c->path : "file",
                               e->line);
    config_value v = {0};
    cuzk_status st = cuzk_value_from_toml(&v, &cuzk_settings[id], e, err);
    if (st != CUZK_OK)
        return cuzk_err_prefix(err, st, "%s:%u: %s.%s", c->path ? c->path : "file", e->line,
                               e->section, e->key);
    return put(c, id, &v, (config_origin){.layer = LAYER_FILE, .line = e->line}, err);
}

/* What is odd in the line that the parser did not like. */
static const char *mark_in_line(const char *text, unsigned line)
{
    char copy[256];
    for (unsigned i = 1; i < line && text; i++) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    if (!text || line == 0)
        return NULL;
    if (memcmp(text, "\xef\xbb\xbf", strnlen(text, 3)) == 0 && strnlen(text, 3) == 3)
        text += 3;
    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(text, "\n"), text);
    return cuzk_text_mark(copy);
}

cuzk_status cuzk_config_apply_toml(cuzk_config *c, const char *text, size_t n, cuzk_err *err)
{
    toml_document d = {0};
    unsigned line = 0;
    const char *path = c->path ? c->path : "file";
    cuzk_status st = cuzk_toml_read(&d, text, n, &line, err);
    if (st != CUZK_OK) {
        const char *mark = mark_in_line(text, line);
        if (mark && err)
            snprintf(err->msg + strlen(err->msg), sizeof err->msg - strlen(err->msg), "; %s", mark);
        return line ? cuzk_err_prefix(err, st, "%s:%u", path, line)
                    : cuzk_err_prefix(err, st, "%s", path);
    }
    for (size_t i = 0; i < d.n && st == CUZK_OK; i++)
        st = apply_entry(c, &d.entry[i], err);
    if (st == CUZK_OK)
        st = check_heirs(c, LAYER_FILE, err);
    cuzk_toml_fini(&d);
    return st;
}

/* ---- the environment ---- */

/* An empty variable counts as unset: units and containers clear one that way. */
static const char *environment_value(char name[SETTING_NAME_MAX], const config_setting *s)
{
    cuzk_setting_env(name, s);
    const char *v = getenv(name);
    if ((!v || !v[0]) && s->env) {
        snprintf(name, SETTING_NAME_MAX, "%s", s->env);
        v = getenv(name);
    }
    return v && v[0] ? v : NULL;
}

static bool is_variable_of_a_setting(const char *name, size_t n)
{
    for (int i = 0; i < SETTING_COUNT; i++) {
        char other[SETTING_NAME_MAX];
        const char *second = cuzk_settings[i].env;
        cuzk_setting_env(other, &cuzk_settings[i]);
        if ((strlen(other) == n && memcmp(name, other, n) == 0) ||
            (second && strlen(second) == n && memcmp(name, second, n) == 0))
            return true;
    }
    return false;
}

/* CUZK_SECTION_...: a warning only, since others set such names as well (CUZK_DAEMON_PORT of an
 * orchestrator's service named cuzk-daemon). */
static void note_unknown_variable(cuzk_config *c, const char *variable)
{
    char section[SETTING_NAME_MAX], key[SETTING_NAME_MAX], hint[200];
    size_t n = strcspn(variable, "=");
    if (strncmp(variable, "CUZK_", 5) != 0 || n >= SETTING_NAME_MAX ||
        is_variable_of_a_setting(variable, n))
        return;
    snprintf(section, sizeof section, "%.*s", (int)(n - 5), variable + 5);
    for (char *p = section; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    char *dash = strchr(section, '_');
    if (!dash)
        return;
    snprintf(key, sizeof key, "%s", dash + 1);
    *dash = '\0';
    if (!cuzk_setting_section_exists(section))
        return;
    cuzk_setting_suggest(hint, sizeof hint, section, key);
    cuzk_config_add_note(c, true, "environment %.*s: no setting of [%s] has this name%s%s", (int)n,
                         variable, section, hint[0] ? "; " : "", hint);
}

/* What the established daemon and its libraries read and this one does not. */
static void note_foreign_variables(cuzk_config *c)
{
    static const struct {
        const char *name, *instead;
    } foreign[] = {
        {"RUST_LOG", "; logging.level does"},
        {"CUZK_DISABLE_PCE", ""},
        {"CUZK_DISABLE_SPLIT_PROVE", ""},
        {"CUZK_VALIDATE_PARTITIONS", ": every proof is verified"},
        {"FIL_PROOFS_VERIFY_PRODUCTION_PARAMS", ": production parameters are always checked"},
    };
    for (size_t i = 0; i < CUZK_ARRAY_LEN(foreign); i++) {
        const char *v = getenv(foreign[i].name);
        if (v && v[0])
            cuzk_config_add_note(c, false, "environment %s: has no effect in this daemon%s",
                                 foreign[i].name, foreign[i].instead);
    }
}

cuzk_status cuzk_config_apply_environment(cuzk_config *c, cuzk_err *err)
{
    for (int i = 0; i < SETTING_COUNT; i++) {
        config_origin o = {.layer = LAYER_ENVIRONMENT};
        config_value v = {0};
        const char *text = environment_value(o.name, &cuzk_settings[i]);
        if (!text)
            continue;
        cuzk_status st = cuzk_value_from_text(&v, &cuzk_settings[i], text, err);
        if (st != CUZK_OK)
            return cuzk_err_prefix(err, st, "environment %s", o.name);
        st = put(c, i, &v, o, err);
        if (st != CUZK_OK)
            return st;
    }
    for (char **p = environ; p && *p; p++)
        note_unknown_variable(c, *p);
    note_foreign_variables(c);
    return check_heirs(c, LAYER_ENVIRONMENT, err);
}

/* ---- flags ---- */

static cuzk_status apply_flag(cuzk_config *c, const char *text, cuzk_err *err)
{
    char name[SETTING_NAME_MAX], hint[200], where[160];
    size_t n = strcspn(text, "=");
    config_origin o = {.layer = LAYER_FLAG};
    config_value v = {0};
    if (!text[n] || n >= sizeof name)
        return cuzk_fail(err, CUZK_INVAL, 0, "--set %.80s: SECTION.KEY=VALUE is wanted", text);
    snprintf(name, sizeof name, "%.*s", (int)n, text);
    int id = find_name(name);
    if (id < 0) {
        char *dot = strchr(name, '.'), *key = dot ? dot + 1 : name;
        if (dot)
            *dot = '\0';
        cuzk_setting_suggest(hint, sizeof hint, dot ? name : "", key);
        return cuzk_fail(err, CUZK_INVAL, 0, "--set %.80s: no setting has this name%s%s", text,
                         hint[0] ? "; " : "", hint);
    }
    o.given_as = &cuzk_settings[id];
    cuzk_config_origin_text(where, sizeof where, c, &o);
    cuzk_status st = cuzk_value_from_text(&v, &cuzk_settings[id], text + n + 1, err);
    return st == CUZK_OK ? put(c, id, &v, o, err) : cuzk_err_prefix(err, st, "%s", where);
}

cuzk_status cuzk_config_apply_flags(cuzk_config *c, const char *const set[], size_t n,
                                    cuzk_err *err)
{
    for (size_t i = 0; i < n; i++) {
        cuzk_status st = apply_flag(c, set[i], err);
        if (st != CUZK_OK)
            return st;
    }
    return check_heirs(c, LAYER_FLAG, err);
}

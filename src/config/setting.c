#include "config/setting.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "config/config_text.h"
#include "cuzk/daemon.h"

const config_setting cuzk_settings[SETTING_COUNT] = {
#define SETTING(s, k, ...) {.section = #s, .key = #k, __VA_ARGS__},
#include "config/settings.inc"
#undef SETTING
};

void cuzk_setting_name(char out[SETTING_NAME_MAX], const config_setting *s)
{
    snprintf(out, SETTING_NAME_MAX, "%s.%s", s->section, s->key);
}

void cuzk_setting_env(char out[SETTING_NAME_MAX], const config_setting *s)
{
    snprintf(out, SETTING_NAME_MAX, "CUZK_%s_%s", s->section, s->key);
    for (char *p = out; *p; p++)
        *p = (char)toupper((unsigned char)*p);
}

const char *cuzk_setting_type_text(const config_setting *s)
{
    static const char *const name[TYPE_COUNT] = {
        "boolean",       "whole number",      "size",
        "duration",      "octal mode",        "text",
        "path",          "address",           "a choice",
        "list of texts", "list of addresses", "list of numbers"};
    return name[s->type];
}

static void put_bound(char *out, size_t max, const config_setting *s, int64_t v)
{
    if (s->type == TYPE_SIZE && v && v % (1 << 20) == 0)
        snprintf(out, max, "%lldMiB", (long long)(v >> 20));
    else if (s->type == TYPE_DURATION && v % 86400000 == 0 && v)
        snprintf(out, max, "%lldh", (long long)(v / 3600000));
    else
        snprintf(out, max, "%lld", (long long)v);
}

void cuzk_setting_range_text(char *out, size_t max, const config_setting *s)
{
    char low[32], high[32];
    out[0] = '\0';
    if (s->type == TYPE_ENUM)
        snprintf(out, max, "%s", s->choices);
    if (s->type != TYPE_INT && s->type != TYPE_INTS && s->type != TYPE_SIZE &&
        s->type != TYPE_DURATION)
        return;
    put_bound(low, sizeof low, s, s->min);
    put_bound(high, sizeof high, s, s->max);
    if (s->max != INT64_MAX)
        snprintf(out, max, "%s to %s", low, high);
    else if (s->min > 0)
        snprintf(out, max, "%s or more", low);
}

int cuzk_setting_find(const char *section, const char *key)
{
    for (int i = 0; i < SETTING_COUNT; i++) {
        if (strcmp(cuzk_settings[i].section, section) == 0 &&
            strcmp(cuzk_settings[i].key, key) == 0)
            return i;
    }
    return -1;
}

bool cuzk_setting_section_exists(const char *section)
{
    for (int i = 0; i < SETTING_COUNT; i++) {
        if (strcmp(cuzk_settings[i].section, section) == 0)
            return true;
    }
    return false;
}

static void suggest_section(char *out, size_t max, const char *section)
{
    const char *best = NULL;
    unsigned least = 0;
    for (int i = 0; i < SETTING_COUNT; i++) {
        unsigned d = cuzk_edit_distance(section, cuzk_settings[i].section);
        if (cuzk_names_are_near(section, cuzk_settings[i].section) && (!best || d < least)) {
            best = cuzk_settings[i].section;
            least = d;
        }
    }
    if (best)
        snprintf(out, max, "did you mean [%s]?", best);
}

void cuzk_setting_suggest(char *out, size_t max, const char *section, const char *key)
{
    const config_setting *best = NULL;
    unsigned least = 0;
    out[0] = '\0';
    for (int i = 0; i < SETTING_COUNT; i++) {
        const config_setting *s = &cuzk_settings[i];
        bool same_section = strcmp(s->section, section) == 0;
        unsigned d = 2 * cuzk_edit_distance(key, s->key) + !same_section;
        if (cuzk_names_are_near(key, s->key) && (!best || d < least)) {
            best = s;
            least = d;
        }
    }
    if (best && strcmp(best->key, key) == 0)
        snprintf(out, max, "it belongs in [%s]", best->section);
    else if (best && strcmp(best->section, section) == 0)
        snprintf(out, max, "did you mean %s?", best->key);
    else if (best)
        snprintf(out, max, "did you mean %s in [%s]?", best->key, best->section);
    else if (!cuzk_setting_section_exists(section))
        suggest_section(out, max, section);
}

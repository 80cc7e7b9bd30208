/* Loading: where the file is, the layers in order, notes. */
#include "config/config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define PATH_ENV "CUZK_CONFIG"

void cuzk_config_add_note(cuzk_config *c, bool warning, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    char *copy = c->n_notes < CONFIG_MAX_NOTES ? cuzk_strdup(text) : NULL;
    if (!copy)
        return;
    c->note_text[c->n_notes] = copy;
    c->note[c->n_notes++] = (cuzk_daemon_note){copy, warning};
}

const char *cuzk_config_note(const cuzk_config *c, size_t i, bool *is_warning)
{
    if (i >= c->n_notes)
        return NULL;
    if (is_warning)
        *is_warning = c->note[i].is_warning;
    return c->note[i].text;
}

const char *cuzk_config_path(const cuzk_config *c)
{
    return c->path;
}

void cuzk_config_origin_text(char *out, size_t max, const cuzk_config *c, const config_origin *o)
{
    char name[SETTING_NAME_MAX];
    switch (o->layer) {
    case LAYER_DEFAULT:
        snprintf(out, max, "default");
        break;
    case LAYER_FILE:
        snprintf(out, max, "%s:%u", c->path ? c->path : "file", o->line);
        break;
    case LAYER_ENVIRONMENT:
        snprintf(out, max, "environment %s", o->name);
        break;
    case LAYER_FLAG:
        cuzk_setting_name(name, o->given_as);
        if (o->given_as->flag)
            snprintf(out, max, "flag --%s", o->given_as->flag);
        else
            snprintf(out, max, "flag --set %s", name);
        break;
    }
}

static cuzk_status read_file(cuzk_config *c, const char *path, cuzk_err *err)
{
    cuzk_status st;
    uint8_t *text = NULL;
    size_t n;
    c->path = cuzk_strdup(path);
    if (!c->path)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for the configuration");
    CUZK_TRY(cuzk_file_read(&text, &n, path, TOML_MAX_BYTES, err));
    CUZK_TRY(cuzk_config_apply_toml(c, (const char *)text, n, err));
    if (n == 0)
        cuzk_config_add_note(c, false, "configuration %s is empty: defaults hold", path);
out:
    cuzk_free(text);
    return st == CUZK_OK ? st : cuzk_err_prefix(err, st, "configuration");
}

/* A default file that cannot be looked at (permissions of a folder) is no missing one. */
static bool is_missing(const char *path)
{
    return access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

static cuzk_status find_and_read(cuzk_config *c, const cuzk_config_source *source, cuzk_err *err)
{
    const char *path = source->path;
    if (!path && !source->ignore_environment) {
        path = getenv(PATH_ENV);
        path = path && path[0] ? path : NULL;
    }
    if (path)
        return path[0] ? read_file(c, path, err) : CUZK_OK;
    if (!is_missing(CUZK_DEFAULT_CONFIG))
        return read_file(c, CUZK_DEFAULT_CONFIG, err);
    if (!is_missing(CUZK_ESTABLISHED_CONFIG))
        return read_file(c, CUZK_ESTABLISHED_CONFIG, err);
    cuzk_config_add_note(c, false,
                         "no configuration file (" CUZK_DEFAULT_CONFIG
                         "): defaults, environment and flags hold");
    return CUZK_OK;
}

cuzk_status cuzk_config_load(cuzk_config **out, const cuzk_config_source *source, cuzk_err *err)
{
    cuzk_status st;
    cuzk_config *c = cuzk_calloc(1, sizeof *c);
    if (!c)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for the configuration");
    CUZK_TRY(cuzk_config_apply_defaults(c, err));
    CUZK_TRY(find_and_read(c, source, err));
    if (!source->ignore_environment)
        CUZK_TRY(cuzk_config_apply_environment(c, err));
    CUZK_TRY(cuzk_config_apply_flags(c, source->set, source->n_set, err));
    *out = c;
    c = NULL;
out:
    cuzk_config_free(c);
    return st;
}

void cuzk_config_free(cuzk_config *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n_notes; i++)
        cuzk_free(c->note_text[i]);
    for (size_t i = 0; i < SETTING_COUNT; i++)
        cuzk_value_fini(&c->slot[i].value);
    cuzk_free(c->path);
    cuzk_free(c);
}

/* Settings of the daemon: file < environment < flags (docs/configuration.md). */
#ifndef CUZK_CONFIG_H
#define CUZK_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "cuzk/daemon.h"
#include "cuzk/error.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define CUZK_DEFAULT_CONFIG "/etc/cuzk/cuzk.toml"
#define CUZK_ESTABLISHED_CONFIG                                                                    \
    "/data/zk/cuzk.toml" /* of the established daemon; looked for next */

typedef struct cuzk_config cuzk_config;

typedef struct {
    /* A file that must exist. NULL: $CUZK_CONFIG, which must exist as well, else the first of the
     * two above that does; "" reads none. */
    const char *path;
    bool ignore_environment;
    const char *const *set; /* "section.key=value", as flags give them */
    size_t n_set;
} cuzk_config_source;

/* Refuses unknown names, values outside their range and contradictions; the message names the
 * place (file:line, variable or flag) and what would be right. */
cuzk_status cuzk_config_load(cuzk_config **out, const cuzk_config_source *source, cuzk_err *err);
void cuzk_config_free(cuzk_config *c); /* accepts NULL */

/* Which file was read; NULL if none. */
const char *cuzk_config_path(const cuzk_config *c);

/* What there is to say although it was accepted: old names, keys without effect, no file. NULL
 * beyond the last. */
const char *cuzk_config_note(const cuzk_config *c, size_t i, bool *is_warning);

/* Fills what the settings decide; other fields stay. The texts are c's. */
void cuzk_config_daemon_options(const cuzk_config *c, cuzk_daemon_options *out);

typedef enum {
    CUZK_CONFIG_VALUES,   /* every setting with its origin, as TOML */
    CUZK_CONFIG_SAMPLE,   /* a file with all settings, commented out */
    CUZK_CONFIG_MARKDOWN, /* the table of docs/configuration.md */
    CUZK_CONFIG_MAN,      /* cuzk.toml(5) */
    CUZK_CONFIG_NAMES,    /* section.key, one a line */
} cuzk_config_form;

/* c may be NULL except for VALUES. *text is freed with cuzk_config_free_text. */
cuzk_status cuzk_config_print(const cuzk_config *c, cuzk_config_form form, char **text,
                              cuzk_err *err);
void cuzk_config_free_text(char *text); /* accepts NULL */

/* The flags of `cuzk serve` that stand for settings. */
typedef struct {
    const char *flag;    /* without -- */
    const char *operand; /* NULL: none, the flag alone means true */
    const char *help;
    const char *fallback; /* the default, as text; "" if there is none */
    char setting[96];     /* section.key */
    bool is_list;         /* may be given several times */
} cuzk_config_flag;
bool cuzk_config_flag_at(size_t i, cuzk_config_flag *out); /* false beyond the last */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

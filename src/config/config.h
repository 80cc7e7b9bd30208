/* The configuration as loaded: a value and an origin for every setting. cuzk/config.h is what the
 * program sees of it. */
#ifndef CUZK_CONFIG_CONFIG_H
#define CUZK_CONFIG_CONFIG_H

#include "config/setting.h"
#include "cuzk/config.h"

/* In order of precedence. */
typedef enum { LAYER_DEFAULT, LAYER_FILE, LAYER_ENVIRONMENT, LAYER_FLAG } config_layer;

typedef struct {
    config_layer layer;
    unsigned line;                  /* FILE */
    char name[SETTING_NAME_MAX];    /* ENVIRONMENT: of the variable */
    const config_setting *given_as; /* the setting itself, or the alias that was used */
} config_origin;

typedef struct {
    config_value value;
    config_origin origin;
} config_slot;

#define CONFIG_MAX_NOTES 64u

struct cuzk_config {
    char *path; /* of the file that was read; NULL if none */
    config_slot slot[SETTING_COUNT];
    char *note_text[CONFIG_MAX_NOTES];
    cuzk_daemon_note note[CONFIG_MAX_NOTES]; /* its texts are the above */
    size_t n_notes;
};

/* "default", "/etc/cuzk/cuzk.toml:12", "environment CUZK_X", "flag --x" */
void cuzk_config_origin_text(char *out, size_t max, const cuzk_config *c, const config_origin *o);

/* Remembers a line for the log; one that has no place any more is dropped. */
void cuzk_config_add_note(cuzk_config *c, bool warning, const char *fmt, ...) CUZK_PRINTF(3, 4);

/* Layers, lowest first. Each refuses what it does not understand and names the place. */
cuzk_status cuzk_config_apply_defaults(cuzk_config *c, cuzk_err *err);
cuzk_status cuzk_config_apply_toml(cuzk_config *c, const char *text, size_t n, cuzk_err *err);
cuzk_status cuzk_config_apply_environment(cuzk_config *c, cuzk_err *err);
cuzk_status cuzk_config_apply_flags(cuzk_config *c, const char *const set[], size_t n,
                                    cuzk_err *err);

#endif

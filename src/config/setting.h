/* The table of settings: every name, type, range, default, environment variable, flag and text is
 * written once, in settings.inc. Parsing, help, man page, completion and docs/configuration.md
 * come from it. */
#ifndef CUZK_CONFIG_SETTING_H
#define CUZK_CONFIG_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "config/toml_reader.h"

typedef enum {
    TYPE_BOOL,
    TYPE_INT,
    TYPE_SIZE,     /* bytes */
    TYPE_DURATION, /* milliseconds */
    TYPE_MODE,     /* of a file, octal */
    TYPE_STRING,
    TYPE_PATH,
    TYPE_ADDRESS, /* its form is checked by those who listen (cuzk_daemon_check) */
    TYPE_ENUM,
    TYPE_STRINGS,
    TYPE_ADDRESSES,
    TYPE_INTS,
    TYPE_COUNT
} setting_type;

typedef enum {
    SETTING_LIVE,
    SETTING_ALIAS, /* the old name of replaced_by: a note, and the value goes there */
    SETTING_GONE,  /* no effect any more, replaced_by does what it did: a warning */
    SETTING_INERT, /* of the established daemon; without effect in this one: a note */
} setting_state;

typedef struct {
    const char *section, *key;
    setting_type type;
    setting_state state;
    const char *def;     /* as in the environment */
    const char *word;    /* SIZE: a word that is accepted instead of a number */
    int64_t min, max;    /* INT, SIZE, DURATION, INTS: of each; in the unit of the type */
    const char *choices; /* ENUM: "a b c" */
    const char *env;     /* a second environment variable; the first is CUZK_SECTION_KEY */
    const char *flag;    /* of `cuzk serve`, without --; NULL: --set only */
    const char *operand; /* of the flag */
    const char *replaced_by;
    bool on_hangup; /* is read again at SIGHUP */
    const char *help;
} config_setting;

/* SETTING_daemon_listen, ... */
typedef enum {
#define SETTING(section, key, ...) SETTING_##section##_##key,
#include "config/settings.inc"
#undef SETTING
    SETTING_COUNT
} setting_id;

extern const config_setting cuzk_settings[SETTING_COUNT];

#define SETTING_NAME_MAX 96u
#define SETTING_MAX_LIST 64u

void cuzk_setting_name(char out[SETTING_NAME_MAX], const config_setting *s); /* memory.x */
void cuzk_setting_env(char out[SETTING_NAME_MAX], const config_setting *s);  /* CUZK_MEMORY_X */
const char *cuzk_setting_type_text(const config_setting *s); /* for docs: "duration" */
void cuzk_setting_range_text(char *out, size_t max, const config_setting *s); /* "" if none */

int cuzk_setting_find(const char *section, const char *key); /* -1: none */
bool cuzk_setting_section_exists(const char *section);

/* A sentence about a name that does not exist: another section that has the key, or the nearest
 * name. "" when nothing is near. */
void cuzk_setting_suggest(char *out, size_t max, const char *section, const char *key);

/* A value. text is its canonical form: what `config show` prints, unquoted. */
typedef struct {
    char *text;
    bool flag;      /* BOOL */
    bool is_word;   /* SIZE: the word was given; number is 0 */
    int64_t number; /* INT, SIZE, DURATION, MODE; ENUM: which choice */
    char *item[SETTING_MAX_LIST];
    size_t n_items;
} config_value;

void cuzk_value_fini(config_value *v); /* leaves it zeroed */

/* From the environment or a flag. Lists are separated by commas. The message names the value and
 * what is wanted, not the setting. */
cuzk_status cuzk_value_from_text(config_value *out, const config_setting *s, const char *text,
                                 cuzk_err *err);
cuzk_status cuzk_value_from_toml(config_value *out, const config_setting *s, const toml_entry *e,
                                 cuzk_err *err);

/* The grammars (docs/configuration.md). */
bool cuzk_parse_size(int64_t *bytes, const char *text);
bool cuzk_parse_duration(int64_t *ms, const char *text);
bool cuzk_parse_bool(bool *out, const char *text);

#endif

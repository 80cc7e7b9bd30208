/* libFuzzer target: a configuration file. What is accepted can be printed, and read again.
 * Corpus, build and run: docs/fuzzing.md. */
#include <string.h>

#include "base/mem.h"
#include "config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void read_again(const cuzk_config *c)
{
    char *text = NULL;
    cuzk_config *again = cuzk_calloc(1, sizeof *again);
    if (!again || cuzk_config_print(c, CUZK_CONFIG_VALUES, &text, NULL) != CUZK_OK)
        __builtin_trap();
    if (cuzk_config_apply_defaults(again, NULL) != CUZK_OK ||
        cuzk_config_apply_toml(again, text, strlen(text), NULL) != CUZK_OK)
        __builtin_trap();
    for (int i = 0; i < SETTING_COUNT; i++) {
        const char *a = c->slot[i].value.text, *b = again->slot[i].value.text;
        if (cuzk_settings[i].state == SETTING_LIVE && strcmp(a, b) != 0)
            __builtin_trap();
    }
    cuzk_config_free_text(text);
    cuzk_config_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    cuzk_err err = {0};
    char *text = cuzk_malloc(n + 1);
    cuzk_config *c = cuzk_calloc(1, sizeof *c);
    if (!text || !c)
        __builtin_trap();
    memcpy(text, data, n);
    text[n] = '\0';
    if (cuzk_config_apply_defaults(c, &err) != CUZK_OK)
        __builtin_trap();
    if (cuzk_config_apply_toml(c, text, n, &err) == CUZK_OK)
        read_again(c);
    else if (!err.msg[0])
        __builtin_trap();
    cuzk_config_free(c);
    cuzk_free(text);
    return 0;
}

/* The flags that stand for settings, made from the table of settings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static void make_help(char *out, size_t max, cuzk_config_flag f)
{
    bool has_default = f.operand && f.fallback[0];
    snprintf(out, max, "%s%s%s%s [%s]", f.help, has_default ? "; default " : "",
             has_default ? f.fallback : "", f.is_list ? "; repeatable" : "", f.setting);
}

unsigned cli_settings_options(cli_settings *s, cli_option out[])
{
    unsigned n = 0;
    out[n++] = (cli_option){"config", CLI_STRING, &s->path, "FILE",
                            "settings (TOML) that must exist; \"\" reads none; default: "
                            "$CUZK_CONFIG, " CUZK_DEFAULT_CONFIG ", " CUZK_ESTABLISHED_CONFIG};
    for (s->n = 0; s->n < CLI_MAX_SETTINGS && cuzk_config_flag_at(s->n, &s->flag[s->n]); s->n++) {
        const cuzk_config_flag *f = &s->flag[s->n];
        make_help(s->help[s->n], sizeof s->help[s->n], *f);
        out[n++] = (cli_option){f->flag, f->operand ? CLI_STRING_LIST : CLI_FLAG,
                                f->operand ? (void *)&s->value[s->n] : (void *)&s->on[s->n],
                                f->operand, s->help[s->n]};
    }
    out[n++] = (cli_option){"set", CLI_STRING_LIST, &s->set, "KEY=VALUE",
                            "any setting, as in --set daemon.result_ttl=2h (`cuzk config docs`)"};
    return n;
}

/* "section.key=a,b" of all values of a list, of the last one otherwise. */
static char *assignment(const cuzk_config_flag *f, bool on, const cli_list *v)
{
    size_t n = strlen(f->setting) + 8;
    for (unsigned i = 0; i < v->n; i++)
        n += strlen(v->value[i]) + 1;
    char *text = malloc(n);
    if (!text)
        return NULL;
    size_t k = (size_t)snprintf(text, n, "%s=%s", f->setting, on ? "true" : "");
    for (unsigned i = f->is_list || v->n == 0 ? 0 : v->n - 1; i < v->n; i++)
        k += (size_t)snprintf(text + k, n - k, "%s%s", text[k - 1] == '=' ? "" : ",", v->value[i]);
    return text;
}

bool cli_settings_source(cli_settings *s, cuzk_config_source *source)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (!s->on[i] && s->value[i].n == 0)
            continue;
        s->made[i] = assignment(&s->flag[i], s->on[i], &s->value[i]);
        if (!s->made[i])
            return false;
        s->all[n++] = s->made[i];
    }
    for (unsigned i = 0; i < s->set.n; i++)
        s->all[n++] = s->set.value[i];
    *source = (cuzk_config_source){.path = s->path, .set = s->all, .n_set = n};
    return true;
}

void cli_settings_fini(cli_settings *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->made[i]);
}

/* From settings to the options of the daemon. */
#include <string.h>

#include "config/config.h"

static const config_value *value_of(const cuzk_config *c, setting_id id)
{
    return &c->slot[id].value;
}

static const char *text_of(const cuzk_config *c, setting_id id)
{
    const char *text = value_of(c, id)->text;
    return text && text[0] ? text : NULL;
}

static unsigned seconds_of(const cuzk_config *c, setting_id id)
{
    return (unsigned)((value_of(c, id)->number + 999) / 1000); /* the ranges are below 2^32 s */
}

static void fill_log(const cuzk_config *c, cuzk_log_options *out)
{
    int64_t level = value_of(c, SETTING_logging_level)->number;
    out->level = level > CUZK_LOG_LEVEL_DEBUG ? CUZK_LOG_LEVEL_DEBUG : (int)level; /* trace */
    out->format = (cuzk_log_format)value_of(c, SETTING_logging_format)->number;
    out->file = text_of(c, SETTING_logging_file);
}

static void fill_access(const cuzk_config *c, cuzk_daemon_options *out)
{
    const config_value *listen = value_of(c, SETTING_daemon_listen);
    out->listen = (const char *const *)listen->item;
    out->n_listen = listen->n_items;
    out->insecure = value_of(c, SETTING_daemon_insecure)->flag;
    out->socket_mode = (unsigned)value_of(c, SETTING_daemon_socket_mode)->number;
    out->tls_cert = text_of(c, SETTING_daemon_tls_cert);
    out->tls_key = text_of(c, SETTING_daemon_tls_key);
    out->tls_client_ca = text_of(c, SETTING_daemon_tls_client_ca);
    out->token_file = text_of(c, SETTING_daemon_token_file);
    out->http_listen = text_of(c, SETTING_http_listen);
}

/* For the prover 0 is automatic, so a budget or margin of 0 becomes one byte. */
static uint64_t bytes_of(const cuzk_config *c, setting_id id)
{
    const config_value *v = value_of(c, id);
    return v->is_word ? 0 : v->number > 0 ? (uint64_t)v->number : 1;
}

static void fill_prover(const cuzk_config *c, cuzk_daemon_options *out)
{
    const config_value *preload = value_of(c, SETTING_srs_preload);
    const char *cache = text_of(c, SETTING_srs_verdict_cache_dir);
    out->params_dir = text_of(c, SETTING_srs_param_cache);
    out->n_threads = (unsigned)value_of(c, SETTING_daemon_threads)->number;
    out->opts = text_of(c, SETTING_daemon_opts);
    out->max_memory = bytes_of(c, SETTING_memory_total_budget);
    out->memory_margin = bytes_of(c, SETTING_memory_safety_margin);
    out->eviction_min_idle_s = seconds_of(c, SETTING_memory_eviction_min_idle);
    out->allow_insecure_params = value_of(c, SETTING_srs_allow_insecure_params)->flag;
    out->cache_dir = cache && strcmp(cache, "none") == 0 ? "" : cache;
    out->preload = (const char *const *)preload->item;
    out->n_preload = preload->n_items;
}

static void fill_jobs(const cuzk_config *c, cuzk_daemon_options *out)
{
    out->max_jobs = (size_t)value_of(c, SETTING_daemon_max_jobs)->number;
    out->max_bytes = (uint64_t)value_of(c, SETTING_daemon_max_request_bytes)->number;
    out->max_message_bytes = (size_t)value_of(c, SETTING_daemon_max_message_bytes)->number;
    out->max_results = (size_t)value_of(c, SETTING_daemon_max_results)->number;
    out->result_ttl_s = seconds_of(c, SETTING_daemon_result_ttl);
    out->grace_s = seconds_of(c, SETTING_daemon_shutdown_grace);
    out->stop_s = seconds_of(c, SETTING_daemon_stop_timeout);
    out->ageing_ms = (uint64_t)value_of(c, SETTING_scheduler_ageing)->number;
    out->stall_ms = (uint64_t)value_of(c, SETTING_scheduler_watchdog)->number;
}

static void fill_measure(const cuzk_config *c, cuzk_daemon_options *out)
{
    out->timing = (int)value_of(c, SETTING_logging_timing)->number;
    out->memory_csv = text_of(c, SETTING_logging_memory_csv);
    out->memory_interval_ms = (uint64_t)value_of(c, SETTING_logging_memory_interval)->number;
}

void cuzk_config_daemon_options(const cuzk_config *c, cuzk_daemon_options *out)
{
    fill_access(c, out);
    fill_prover(c, out);
    fill_jobs(c, out);
    fill_measure(c, out);
    fill_log(c, &out->log);
    out->notes = c->note;
    out->n_notes = c->n_notes;
}

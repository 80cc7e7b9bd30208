/* From settings to the options of the daemon. */
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

void cuzk_config_daemon_options(const cuzk_config *c, cuzk_daemon_options *out)
{
    const config_value *listen = value_of(c, SETTING_daemon_listen);
    out->listen = (const char *const *)listen->item;
    out->n_listen = listen->n_items;
    out->insecure = value_of(c, SETTING_daemon_insecure)->flag;
    out->params_dir = text_of(c, SETTING_srs_param_cache);
    out->n_threads = (unsigned)value_of(c, SETTING_daemon_threads)->number;
    out->max_jobs = (size_t)value_of(c, SETTING_daemon_max_jobs)->number;
    out->max_bytes = (uint64_t)value_of(c, SETTING_daemon_max_request_bytes)->number;
    out->max_results = (size_t)value_of(c, SETTING_daemon_max_results)->number;
    out->result_ttl_s = seconds_of(c, SETTING_daemon_result_ttl);
    out->grace_s = seconds_of(c, SETTING_daemon_shutdown_grace);
    out->stop_s = seconds_of(c, SETTING_daemon_stop_timeout);
    out->http_listen = text_of(c, SETTING_http_listen);
    out->timing = (int)value_of(c, SETTING_logging_timing)->number;
    out->memory_csv = text_of(c, SETTING_logging_memory_csv);
    out->memory_interval_ms = (uint64_t)value_of(c, SETTING_logging_memory_interval)->number;
    fill_log(c, &out->log);
    out->notes = c->note;
    out->n_notes = c->n_notes;
}

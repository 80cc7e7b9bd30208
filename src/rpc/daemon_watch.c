#include "rpc/daemon_watch.h"

#include "base/timing_line.h"
#include "engine/log.h"
#include "http/http_pages.h"
#include "measure/instruments.h"

static uint64_t budget_used(void *ctx)
{
    budget_stats b;
    cuzk_engine_budget(ctx, &b);
    return b.used;
}

static void start_monitor(daemon_watch *w, const cuzk_daemon_options *opt, engine *e)
{
    cuzk_err err = {0};
    const memory_monitor_options mo = {.interval_ms = opt->memory_interval_ms,
                                       .csv_path = opt->memory_csv,
                                       .budget_used = budget_used,
                                       .ctx = e};
    if (mo.interval_ms && cuzk_memory_monitor_start(&w->memory, &mo, &err) != CUZK_OK)
        cuzk_log(CUZK_LOG_ERROR, NULL, "memory monitor: %s; going on without", err.msg);
}

static cuzk_status start_http(daemon_watch *w, const cuzk_daemon_options *opt, engine *e,
                              cuzk_err *err)
{
    http_options ho = HTTP_DEFAULTS;
    cuzk_err own = {0};
    ho.listen = opt->http_listen;
    ho.insecure = opt->insecure;
    ho.pages = cuzk_http_pages;
    ho.n_pages = cuzk_http_n_pages;
    ho.ctx = e;
    cuzk_status st = cuzk_http_start(&w->http, &ho, &own);
    if (st == CUZK_OK) {
        cuzk_log(CUZK_LOG_INFO, NULL, "http on %s", cuzk_http_address(w->http));
    } else if (st == CUZK_INVAL) {
        return cuzk_fail(err, st, 0, "%s", own.msg);
    } else {
        cuzk_log(CUZK_LOG_ERROR, NULL, "%s; going on without", own.msg);
    }
    return CUZK_OK;
}

cuzk_status cuzk_daemon_watch_start(daemon_watch *w, const cuzk_daemon_options *opt, engine *e,
                                    cuzk_err *err)
{
    if (opt->timing)
        cuzk_timing_set_mode((timing_mode)opt->timing);
    cuzk_measure_start();
    start_monitor(w, opt, e);
    if (!opt->http_listen || !opt->http_listen[0])
        return CUZK_OK;
    return start_http(w, opt, e, err);
}

void cuzk_daemon_watch_stop(daemon_watch *w)
{
    cuzk_http_stop(w->http);
    cuzk_memory_monitor_stop(w->memory);
    *w = (daemon_watch){0};
}

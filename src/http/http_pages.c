#include "http/http_pages.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "engine/engine_metrics.h"
#include "measure/chrome_trace.h"

#define JSON_TYPE "application/json"

static void answer_text(http_answer *out, const char *text)
{
    out->body = cuzk_strdup(text);
    out->n = strlen(text);
}

static void metrics(void *ctx, http_answer *out)
{
    out->type = "text/plain; version=0.0.4; charset=utf-8";
    out->body = cuzk_engine_metrics(ctx, true);
    out->n = out->body ? strlen(out->body) : 0;
}

/* Answered as long as the process works at all. */
static void healthz(void *ctx, http_answer *out)
{
    (void)ctx;
    answer_text(out, "ok\n");
}

/* ---- ready ---- */

static bool is_loading(engine *e, char reason[HTTP_REASON_BYTES])
{
    cuzk_preload_report r;
    cuzk_engine_preload_report(e, &r);
    if (r.n_done >= r.n_all)
        return false;
    snprintf(reason, HTTP_REASON_BYTES, "loading %u %% (%s; %u of %u circuits done)", r.percent,
             r.circuit, r.n_done, r.n_all);
    return true;
}

/* Where it can be told: a backend with a list of files that lists none. */
static bool has_no_parameters(engine *e)
{
    const engine_backend *b = cuzk_engine_backend(e);
    cuzk_prover_srs_info one;
    return b->on_disk && cuzk_engine_on_disk(e, &one, 1) == 0 &&
           cuzk_engine_loaded(e, &one, 1) == 0;
}

static void tell_failures(engine *e, char reason[HTTP_REASON_BYTES])
{
    cuzk_preload_report r;
    cuzk_engine_preload_report(e, &r);
    if (r.n_failed)
        snprintf(reason, HTTP_REASON_BYTES, "ready; %u of %u circuits could not be loaded: %.150s",
                 r.n_failed, r.n_all, r.error.msg);
    else
        snprintf(reason, HTTP_REASON_BYTES, "ready");
}

bool cuzk_http_ready(engine *e, char reason[HTTP_REASON_BYTES])
{
    engine_stats s;
    cuzk_engine_stats(e, &s);
    if (s.draining) {
        snprintf(reason, HTTP_REASON_BYTES, "draining: the daemon is about to end");
        return false;
    }
    if (is_loading(e, reason))
        return false;
    if (has_no_parameters(e)) {
        snprintf(reason, HTTP_REASON_BYTES,
                 "no parameter files: see srs.param_cache and `cuzk params`");
        return false;
    }
    tell_failures(e, reason);
    return true;
}

static void readyz(void *ctx, http_answer *out)
{
    char reason[HTTP_REASON_BYTES], line[HTTP_REASON_BYTES + 2];
    out->status = cuzk_http_ready(ctx, reason) ? 200 : 503;
    snprintf(line, sizeof line, "%s\n", reason);
    answer_text(out, line);
}

/* ---- JSON ---- */

static void status(void *ctx, http_answer *out)
{
    out->type = JSON_TYPE;
    out->body = cuzk_status_json(ctx, &out->n);
}

static void trace(void *ctx, http_answer *out)
{
    (void)ctx;
    out->type = JSON_TYPE;
    if (cuzk_chrome_trace(&out->body, &out->n, NULL) != CUZK_OK)
        out->body = NULL;
}

const http_page cuzk_http_pages[] = {
    {"/metrics", false, metrics}, {"/healthz", false, healthz}, {"/readyz", false, readyz},
    {"/status", true, status},    {"/trace", false, trace},
};
const size_t cuzk_http_n_pages = CUZK_ARRAY_LEN(cuzk_http_pages);

/* The daemon's pages: /metrics, /healthz, /readyz, /status, /trace (docs/http.md). */
#ifndef CUZK_HTTP_HTTP_PAGES_H
#define CUZK_HTTP_HTTP_PAGES_H

#include "engine/engine.h"
#include "http/http_server.h"

/* For http_options, whose ctx is then the engine. */
extern const http_page cuzk_http_pages[];
extern const size_t cuzk_http_n_pages;

#define HTTP_REASON_BYTES 256u
/* May a client send requests? reason: in a sentence, also when it may. Never waits. */
bool cuzk_http_ready(engine *e, char reason[HTTP_REASON_BYTES]);

/* The document of /status (formats.md 3) in a new string (cuzk_free); NULL when out of memory. */
char *cuzk_status_json(engine *e, size_t *n);

#endif

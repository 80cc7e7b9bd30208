/* Pages over HTTP/1.1 for GET and HEAD, by libmicrohttpd, on two threads of its own. It knows no
 * page: those are functions that make an answer from what they find at once. */
#ifndef CUZK_HTTP_HTTP_SERVER_H
#define CUZK_HTTP_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct {
    unsigned status;  /* 200 before the page's function is called */
    const char *type; /* static; "text/plain; charset=utf-8" before */
    char *body;       /* of cuzk_malloc; the server frees it. NULL: the answer is 500 */
    size_t n;
} http_answer;

typedef struct {
    const char *path; /* exactly; a query is ignored */
    bool any_origin;  /* pages of other origins may read it (Access-Control-Allow-Origin: *) */
    void (*fn)(void *ctx, http_answer *out); /* on a thread of the server; must not wait */
} http_page;

typedef struct {
    const char *listen; /* host:port, [ipv6]:port; port 0: the kernel chooses */
    bool insecure;      /* also beyond loopback */
    const http_page *pages;
    size_t n_pages;
    void *ctx;
    unsigned max_connections, timeout_s;
} http_options;

#define HTTP_DEFAULTS                                                                              \
    {                                                                                              \
        .max_connections = 64, .timeout_s = 10                                                     \
    }

typedef struct http_server http_server;

/* CUZK_INVAL: the address is not one, or is beyond loopback without insecure. CUZK_IO: it cannot be
 * bound now. */
cuzk_status cuzk_http_start(http_server **out, const http_options *opt, cuzk_err *err);
const char *cuzk_http_address(const http_server *s); /* as bound: "127.0.0.1:9821" */
void cuzk_http_stop(http_server *s);                 /* accepts NULL; waits for answers under way */

#endif

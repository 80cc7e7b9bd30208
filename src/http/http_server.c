#include "http/http_server.h"

#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "engine/log.h"
#include "http/http_bind.h"
#include "measure/instruments.h"

#define N_THREADS        2u                 /* one may be sending a large trace */
#define CONNECTION_BYTES ((size_t)16 << 10) /* request line and headers; more is 414 or 431 */

struct http_server {
    http_options opt;
    int fd;
    char address[HTTP_ADDRESS_BYTES];
    struct MHD_Daemon *daemon;
};

static const http_page *find_page(const http_server *s, const char *url)
{
    for (size_t i = 0; i < s->opt.n_pages; i++) {
        if (strcmp(s->opt.pages[i].path, url) == 0)
            return &s->opt.pages[i];
    }
    return NULL;
}

static struct MHD_Response *fixed_text(const char *text)
{
    union {
        const char *in;
        void *out;
    } u = {text}; /* only read: MHD_RESPMEM_PERSISTENT */
    return MHD_create_response_from_buffer(strlen(text), u.out, MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result send_answer(struct MHD_Connection *c, unsigned status,
                                   struct MHD_Response *r, const char *type)
{
    if (!r)
        return MHD_NO;
    MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    enum MHD_Result rc = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return rc;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status, const char *text)
{
    struct MHD_Response *r = fixed_text(text);
    if (r && status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    return send_answer(c, status, r, "text/plain; charset=utf-8");
}

static enum MHD_Result show(const http_server *s, struct MHD_Connection *c, const http_page *page)
{
    http_answer a = {.status = MHD_HTTP_OK, .type = "text/plain; charset=utf-8"};
    page->fn(s->opt.ctx, &a);
    if (!a.body)
        return refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "no memory for the answer\n");
    struct MHD_Response *r =
        MHD_create_response_from_buffer_with_free_callback(a.n, a.body, cuzk_free);
    if (!r) {
        cuzk_free(a.body);
        return MHD_NO;
    }
    if (page->any_origin)
        MHD_add_response_header(r, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    return send_answer(c, a.status, r, a.type);
}

/* Called when the headers are there, and again at the end of the request. */
static enum MHD_Result answer(void *ctx, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *n_upload, void **seen)
{
    const http_server *s = ctx;
    static int mark;
    (void)version;
    (void)upload;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "405 Method Not Allowed\n");
    if (!*seen) {
        *seen = &mark;
        return MHD_YES;
    }
    *n_upload = 0; /* the body of a GET is not looked at */
    const http_page *page = find_page(s, url);
    cuzk_measure_http(page ? page->path : "other");
    return page ? show(s, c, page) : refuse(c, MHD_HTTP_NOT_FOUND, "404 Not Found\n");
}

static void CUZK_PRINTF(2, 0) log_line(void *ctx, const char *fmt, va_list ap)
{
    char text[400];
    (void)ctx;
    vsnprintf(text, sizeof text, fmt, ap);
    text[strcspn(text, "\n")] = '\0';
    cuzk_log(CUZK_LOG_DEBUG, NULL, "http: %s", text);
}

static cuzk_status start_daemon(http_server *s, cuzk_err *err)
{
    const struct MHD_OptionItem option[] = {
        {MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)log_line, NULL},
        {MHD_OPTION_LISTEN_SOCKET, s->fd, NULL},
        {MHD_OPTION_THREAD_POOL_SIZE, N_THREADS, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)s->opt.max_connections, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, (intptr_t)s->opt.timeout_s, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)CONNECTION_BYTES, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    s->daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG, 0, NULL, NULL,
                                 answer, s, MHD_OPTION_ARRAY, option, MHD_OPTION_END);
    if (!s->daemon)
        return cuzk_fail(err, CUZK_NOMEM, 0, "http: the server on %s cannot be started",
                         s->address);
    return CUZK_OK;
}

cuzk_status cuzk_http_start(http_server **out, const http_options *opt, cuzk_err *err)
{
    cuzk_status st;
    http_server *s = cuzk_calloc(1, sizeof *s);
    if (!s)
        return cuzk_fail(err, CUZK_NOMEM, 0, "http: no memory");
    s->opt = *opt;
    s->fd = -1;
    CUZK_TRY(cuzk_http_bind(&s->fd, s->address, opt->listen, opt->insecure, err));
    CUZK_TRY(start_daemon(s, err));
    *out = s;
    return CUZK_OK;
out:
    cuzk_http_stop(s);
    return st;
}

const char *cuzk_http_address(const http_server *s)
{
    return s->address;
}

void cuzk_http_stop(http_server *s)
{
    if (!s)
        return;
    if (s->daemon)
        MHD_stop_daemon(s->daemon); /* closes the socket too */
    else if (s->fd >= 0)
        close(s->fd);
    cuzk_free(s);
}

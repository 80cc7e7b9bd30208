#include "http/http_bind.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HOST_BYTES 254u
#define BACKLOG    64

typedef struct {
    char host[HOST_BYTES], port[8];
} endpoint;

static cuzk_status not_an_address(const char *listen, const char *why, cuzk_err *err)
{
    return cuzk_fail(err, CUZK_INVAL, 0,
                     "http.listen is \"%.200s\": %s; host:port or [ipv6]:port is wanted, as in "
                     "127.0.0.1:9821",
                     listen, why);
}

static cuzk_status split(endpoint *e, const char *listen, cuzk_err *err)
{
    bool bracket = listen[0] == '[';
    const char *host = listen + bracket;
    const char *end = bracket ? strchr(listen, ']') : strrchr(listen, ':');
    const char *port = end ? end + bracket : NULL;
    if (!end || *port != ':')
        return not_an_address(listen, "there is no port", err);
    size_t n_host = (size_t)(end - host), n_port = strlen(++port);
    if (n_host == 0 || n_host >= sizeof e->host)
        return not_an_address(listen, "there is no host", err);
    if (!bracket && memchr(host, ':', n_host))
        return not_an_address(listen, "an IPv6 address belongs into brackets", err);
    if (n_port == 0 || n_port > 5 || port[strspn(port, "0123456789")] ||
        strtoul(port, NULL, 10) > 65535)
        return not_an_address(listen, "the port is not a number up to 65535", err);
    snprintf(e->host, sizeof e->host, "%.*s", (int)n_host, host);
    snprintf(e->port, sizeof e->port, "%s", port);
    return CUZK_OK;
}

static bool is_loopback(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)a;
        return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
    }
    const struct in6_addr *v6 = &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(v6) || (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == 127);
}

static cuzk_status resolve(struct addrinfo **out, const char *listen, bool insecure, cuzk_err *err)
{
    endpoint e;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    cuzk_status st = split(&e, listen, err);
    if (st != CUZK_OK)
        return st;
    int rc = getaddrinfo(e.host, e.port, &hints, out);
    if (rc != 0)
        return not_an_address(listen, gai_strerror(rc), err);
    for (const struct addrinfo *a = *out; a && !insecure; a = a->ai_next) {
        if (is_loopback(a->ai_addr))
            continue;
        freeaddrinfo(*out);
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "http.listen is %.200s, which can be reached from other machines, and "
                         "there is no authentication: listen on 127.0.0.1, or set daemon.insecure "
                         "(--insecure-listen)",
                         listen);
    }
    return CUZK_OK;
}

cuzk_status cuzk_http_resolve(const char *listen, bool insecure, cuzk_err *err)
{
    struct addrinfo *list;
    cuzk_status st = resolve(&list, listen, insecure, err);
    if (st == CUZK_OK)
        freeaddrinfo(list);
    return st;
}

/* -1 with errno set */
static int bind_one(const struct addrinfo *a)
{
    int one = 1, fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one); /* a restart need not wait */
    if (a->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

static void name_of(int fd, char address[HTTP_ADDRESS_BYTES])
{
    struct sockaddr_storage a;
    socklen_t n = sizeof a;
    char host[HOST_BYTES] = "?", port[8] = "?";
    if (getsockname(fd, (struct sockaddr *)&a, &n) == 0)
        getnameinfo((const struct sockaddr *)&a, n, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(address, HTTP_ADDRESS_BYTES, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

cuzk_status cuzk_http_bind(int *fd, char address[HTTP_ADDRESS_BYTES], const char *listen,
                           bool insecure, cuzk_err *err)
{
    struct addrinfo *list;
    cuzk_status st = resolve(&list, listen, insecure, err);
    if (st != CUZK_OK)
        return st;
    *fd = -1;
    for (const struct addrinfo *a = list; a && *fd < 0; a = a->ai_next)
        *fd = bind_one(a);
    int why = errno;
    freeaddrinfo(list);
    if (*fd < 0)
        return cuzk_fail(err, CUZK_IO, why, "http.listen: cannot listen on %.200s", listen);
    name_of(*fd, address);
    return CUZK_OK;
}

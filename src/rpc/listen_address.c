#include "rpc/listen_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

/* ---- parsing ---- */

/* libgrpc takes "unix:PATH" as a URI, so what is special there is escaped. */
static void set_unix_target(rpc_address *a)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-~";
    size_t n = (size_t)snprintf(a->target, sizeof a->target, "unix:");
    for (const char *p = a->path; *p; p++)
        n += (size_t)snprintf(a->target + n, sizeof a->target - n,
                              strchr(plain, *p) ? "%c" : "%%%02X", (unsigned char)*p);
}

static cuzk_status parse_unix(rpc_address *a, const char *text, cuzk_err *err)
{
    const char *path = text + strlen("unix:");
    if (strncmp(path, "//", 2) == 0) {
        path += 2;
        if (*path != '/')
            return cuzk_fail(err, CUZK_INVAL, 0,
                             "address \"%s\": unix:// needs an absolute path, as in "
                             "unix:///run/cuzk/cuzk.sock",
                             text);
    }
    if (!*path)
        return cuzk_fail(err, CUZK_INVAL, 0, "address \"%s\": no path after unix:", text);
    if (strlen(path) > SOCKET_PATH_MAX)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "address: socket path has %zu bytes, at most %u are possible; choose a "
                         "shorter one",
                         strlen(path), SOCKET_PATH_MAX);
    a->is_unix = a->is_loopback = true;
    snprintf(a->path, sizeof a->path, "%s", path);
    snprintf(a->text, sizeof a->text, "unix:%s%s", *path == '/' ? "//" : "", path);
    set_unix_target(a);
    return CUZK_OK;
}

static bool host_is_loopback(const char *host)
{
    struct in_addr v4;
    struct in6_addr v6;
    if (strcmp(host, "localhost") == 0)
        return true;
    if (inet_pton(AF_INET, host, &v4) == 1)
        return (ntohl(v4.s_addr) >> 24) == 127;
    return inet_pton(AF_INET6, host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

static bool parse_port(unsigned *out, const char *s)
{
    unsigned v = 0;
    if (!*s || strlen(s) > 5)
        return false;
    for (; *s; s++) {
        if (*s < '0' || *s > '9')
            return false;
        v = 10 * v + (unsigned)(*s - '0');
    }
    *out = v;
    return v <= 65535;
}

void cuzk_address_set_port(rpc_address *a, unsigned port)
{
    a->port = port;
    bool v6 = strchr(a->host, ':') != NULL;
    snprintf(a->text, sizeof a->text, "%s%s%s:%u", v6 ? "[" : "", a->host, v6 ? "]" : "", port);
    snprintf(a->target, sizeof a->target, "%s", a->text);
}

/* Letters, digits, dots and dashes, or an IPv6 address: nothing that libgrpc could take for a
 * scheme. */
static bool host_is_plain(const char *host, bool bracketed)
{
    struct in6_addr v6;
    if (bracketed)
        return inet_pton(AF_INET6, host, &v6) == 1;
    return *host && strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789.-_") == strlen(host);
}

static cuzk_status parse_tcp(rpc_address *a, const char *text, cuzk_err *err)
{
    bool bracketed = text[0] == '[';
    const char *host = text + bracketed;
    const char *end = bracketed ? strstr(host, "]:") : strrchr(host, ':');
    unsigned port = 0;
    if (end && (size_t)(end - host) < sizeof a->host) {
        memcpy(a->host, host, (size_t)(end - host));
        a->host[end - host] = '\0';
    }
    if (!host_is_plain(a->host, bracketed) || !parse_port(&port, end + 1 + bracketed))
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "address \"%.200s\": expected host:port, [ipv6]:port, unix:///path or "
                         "unix:path",
                         text);
    a->is_loopback = host_is_loopback(a->host);
    cuzk_address_set_port(a, port);
    return CUZK_OK;
}

cuzk_status cuzk_address_parse(rpc_address *out, const char *text, cuzk_err *err)
{
    memset(out, 0, sizeof *out);
    if (strncmp(text, "unix:", 5) == 0)
        return parse_unix(out, text, err);
    return parse_tcp(out, text, err);
}

/* ---- the file of a unix socket ---- */

static bool below(const char *dir, const char *root)
{
    size_t n = root ? strlen(root) : 0;
    return n > 1 && root[0] == '/' && strncmp(dir, root, n) == 0 &&
           (root[n - 1] == '/' || dir[n] == '/' || dir[n] == '\0') && !strstr(dir, "/..");
}

static void parent_of(char dir[SOCKET_PATH_MAX + 1], const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = !slash ? 0 : slash == path ? 1 : (size_t)(slash - path);
    memcpy(dir, path, n);
    dir[n] = '\0';
    if (n == 0) {
        dir[0] = '.';
        dir[1] = '\0';
    }
}

static cuzk_status open_parent(socket_claim *c, cuzk_err *err)
{
    char dir[SOCKET_PATH_MAX + 1];
    parent_of(dir, c->path);
    c->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (c->dir_fd < 0 && errno == ENOENT &&
        (below(dir, "/run") || below(dir, "/var/run") || below(dir, getenv("XDG_RUNTIME_DIR")))) {
        cuzk_status st = cuzk_make_dirs(dir, err);
        if (st != CUZK_OK)
            return st;
        c->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (c->dir_fd < 0)
        return cuzk_fail(err, CUZK_IO, errno,
                         "socket %s: folder %s (make it first, or choose another path)", c->path,
                         dir);
    return CUZK_OK;
}

/* The lock is held for milliseconds by honest holders; 5 s says that somebody else sits on it. */
static cuzk_status lock_parent(const socket_claim *c, cuzk_err *err)
{
    uint64_t give_up = cuzk_now_ns() + (uint64_t)5 * 1000000000u;
    while (flock(c->dir_fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return cuzk_fail(err, CUZK_IO, errno, "socket %s: lock of its folder", c->path);
        if (cuzk_now_ns() > give_up)
            return cuzk_fail(err, CUZK_UNAVAILABLE, 0,
                             "socket %s: another process keeps its folder locked", c->path);
        nanosleep(&(struct timespec){0, 5000000}, NULL); /* flock has no timed form */
    }
    return CUZK_OK;
}

typedef enum { SOCKET_STALE, SOCKET_LIVE, SOCKET_UNKNOWN } socket_state;

/* Connects without waiting. A listener with a full backlog gives EAGAIN: alive, only busy or
 * stopped. */
static socket_state probe(const char *path, pid_t *pid, int *error)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    memcpy(sa.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        *error = errno;
        return SOCKET_UNKNOWN;
    }
    int rc = connect(fd, (const struct sockaddr *)&sa, sizeof sa);
    *error = rc == 0 ? 0 : errno;
    struct ucred peer;
    socklen_t n = sizeof peer;
    *pid = rc == 0 && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 ? peer.pid : 0;
    close(fd);
    if (rc == 0 || *error == EAGAIN || *error == EINPROGRESS)
        return SOCKET_LIVE;
    return *error == ECONNREFUSED ? SOCKET_STALE : SOCKET_UNKNOWN;
}

static const char *file_kind(mode_t mode)
{
    if (S_ISLNK(mode))
        return "a symbolic link";
    if (S_ISDIR(mode))
        return "a folder";
    return S_ISREG(mode) ? "a regular file" : "not a socket";
}

static cuzk_status clear_path(const char *path, cuzk_err *err)
{
    struct stat sb;
    if (lstat(path, &sb) != 0) {
        if (errno == ENOENT)
            return CUZK_OK;
        return cuzk_fail(err, CUZK_IO, errno, "socket %s", path);
    }
    if (!S_ISSOCK(sb.st_mode))
        return cuzk_fail(err, CUZK_EXISTS, 0,
                         "socket %s: the path holds %s, which is left alone; remove it or choose "
                         "another path",
                         path, file_kind(sb.st_mode));
    pid_t pid = 0;
    int error = 0;
    switch (probe(path, &pid, &error)) {
    case SOCKET_LIVE:
        if (pid > 0)
            return cuzk_fail(err, CUZK_EXISTS, 0, "socket %s: a daemon is already running (pid %d)",
                             path, (int)pid);
        return cuzk_fail(err, CUZK_EXISTS, 0, "socket %s: a daemon is already running", path);
    case SOCKET_UNKNOWN:
        return cuzk_fail(err, CUZK_IO, error, "socket %s: cannot tell whether it is in use", path);
    case SOCKET_STALE:
        break;
    }
    if (unlink(path) != 0)
        return cuzk_fail(err, CUZK_IO, errno, "socket %s: removing the stale one", path);
    return CUZK_OK;
}

static void unlock_parent(socket_claim *c)
{
    if (c->dir_fd >= 0)
        close(c->dir_fd); /* the lock goes with it */
    c->dir_fd = -1;
}

cuzk_status cuzk_socket_claim_begin(socket_claim *c, const char *path, cuzk_err *err)
{
    cuzk_status st;
    memset(c, 0, sizeof *c);
    c->dir_fd = -1;
    snprintf(c->path, sizeof c->path, "%s", path);
    CUZK_TRY(open_parent(c, err));
    CUZK_TRY(lock_parent(c, err));
    CUZK_TRY(clear_path(path, err));
    return CUZK_OK;
out:
    unlock_parent(c);
    return st;
}

void cuzk_socket_claim_bound(socket_claim *c, bool ok)
{
    struct stat sb;
    if (ok && lstat(c->path, &sb) == 0 && S_ISSOCK(sb.st_mode)) {
        c->dev = sb.st_dev;
        c->ino = sb.st_ino;
        c->bound = true;
    }
    unlock_parent(c);
}

void cuzk_socket_claim_end(socket_claim *c)
{
    struct stat sb;
    unlock_parent(c);
    if (c->bound && lstat(c->path, &sb) == 0 && S_ISSOCK(sb.st_mode) && sb.st_dev == c->dev &&
        sb.st_ino == c->ino)
        unlink(c->path);
    c->bound = false;
}

#include "rpc/sd_notify.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

bool cuzk_sd_notify(const char *fmt, ...)
{
    char text[512];
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const char *path = getenv("NOTIFY_SOCKET");
    size_t n = path ? strlen(path) : 0;
    /* an absolute path, or an abstract name written with @ for its leading NUL */
    if (n < 2 || n >= sizeof to.sun_path || (path[0] != '/' && path[0] != '@'))
        return false;
    memcpy(to.sun_path, path, n);
    if (path[0] == '@')
        to.sun_path[0] = '\0';
    va_list ap;
    va_start(ap, fmt);
    int length = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (length <= 0 || (size_t)length >= sizeof text)
        return false;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    ssize_t sent = sendto(fd, text, (size_t)length, MSG_NOSIGNAL, (const struct sockaddr *)&to,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
    close(fd);
    return sent == length;
}

static bool read_number(uint64_t *out, const char *name)
{
    const char *v = getenv(name);
    char *end;
    if (!v || v[0] < '0' || v[0] > '9')
        return false;
    *out = strtoull(v, &end, 10);
    return *end == '\0';
}

uint64_t cuzk_sd_watchdog_ms(void)
{
    uint64_t pid, us;
    if (read_number(&pid, "WATCHDOG_PID") && pid != (uint64_t)getpid())
        return 0; /* meant for another process */
    if (!read_number(&us, "WATCHDOG_USEC") || us == 0)
        return 0;
    uint64_t ms = us / 2000;
    return ms ? ms : 1;
}

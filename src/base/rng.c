#include "base/rng.h"

#include <errno.h>
#include <sys/random.h>

cuzk_status cuzk_random_bytes(void *out, size_t n, cuzk_err *err)
{
    unsigned char *p = out;
    while (n > 0) {
        ssize_t got = getrandom(p, n, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return cuzk_fail(err, CUZK_INTERNAL, errno, "getrandom gave no randomness");
        p += got;
        n -= (size_t)got;
    }
    return CUZK_OK;
}

/* The listening socket of the HTTP server. */
#ifndef CUZK_HTTP_HTTP_BIND_H
#define CUZK_HTTP_HTTP_BIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define HTTP_ADDRESS_BYTES 300u

/* Host names are looked up. Of several addresses of a name the first that can be bound counts, and
 * none may be beyond loopback unless insecure is set. address: as bound. */
cuzk_status cuzk_http_bind(int *fd, char address[HTTP_ADDRESS_BYTES], const char *listen,
                           bool insecure, cuzk_err *err);
/* Everything but binding. */
cuzk_status cuzk_http_resolve(const char *listen, bool insecure, cuzk_err *err);

#endif

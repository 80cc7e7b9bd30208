/* What of the daemon's options can be refused without opening anything. */
#include "base/error.h"
#include "cuzk/daemon.h"
#include "rpc/listen_address.h"

static cuzk_status check_listen(const char *text, bool insecure, cuzk_err *err)
{
    rpc_address a;
    cuzk_status st = cuzk_address_parse(&a, text, err);
    if (st == CUZK_OK && !a.is_loopback && !insecure)
        st = cuzk_fail(err, CUZK_INVAL, 0,
                       "address \"%s\" can be reached from other machines and there is no "
                       "authentication; use a unix socket or loopback, or allow it with "
                       "daemon.insecure = true (--insecure-listen)",
                       text);
    return st;
}

cuzk_status cuzk_daemon_check(const cuzk_daemon_options *opt, cuzk_err *err)
{
    for (size_t i = 0; i < opt->n_listen; i++) {
        cuzk_status st = check_listen(opt->listen[i], opt->insecure, err);
        if (st != CUZK_OK)
            return st;
    }
    return CUZK_OK;
}

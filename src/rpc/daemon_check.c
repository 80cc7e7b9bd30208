/* What of the daemon's options can be refused without opening anything. */
#include "base/error.h"
#include "base/switches.h"
#include "cuzk/daemon.h"
#include "filecoin/circuit_id.h"
#include "http/http_bind.h"
#include "rpc/listen_address.h"

static cuzk_status check_listen(const char *text, const cuzk_daemon_options *opt, cuzk_err *err)
{
    rpc_address a;
    cuzk_status st = cuzk_address_parse(&a, text, err);
    if (st == CUZK_OK && !a.is_loopback && !opt->insecure && !opt->tls_cert && !opt->token_file)
        st =
            cuzk_fail(err, CUZK_INVAL, 0,
                      "address \"%s\" can be reached from other machines, and nothing says who may "
                      "call: give a certificate (daemon.tls_cert, tls_key) or a token "
                      "(daemon.token_file), listen on loopback or a unix socket, or allow it with "
                      "daemon.insecure = true (--insecure-listen)",
                      text);
    return st;
}

cuzk_status cuzk_daemon_check(const cuzk_daemon_options *opt, cuzk_err *err)
{
    circuit_id id;
    cuzk_status st = CUZK_OK;
    for (size_t i = 0; st == CUZK_OK && i < opt->n_listen; i++)
        st = check_listen(opt->listen[i], opt, err);
    if (st == CUZK_OK && opt->http_listen && opt->http_listen[0])
        st = cuzk_http_resolve(opt->http_listen, opt->insecure, err);
    if (st == CUZK_OK && (opt->tls_cert == NULL) != (opt->tls_key == NULL))
        st = cuzk_fail(err, CUZK_INVAL, 0, "daemon.tls_cert and daemon.tls_key go together");
    if (st == CUZK_OK && opt->tls_client_ca && !opt->tls_cert)
        st = cuzk_fail(err, CUZK_INVAL, 0, "daemon.tls_client_ca needs tls_cert and tls_key");
    for (size_t i = 0; st == CUZK_OK && i < opt->n_preload; i++) {
        st = cuzk_circuit_id_parse(&id, opt->preload[i], err);
        if (st != CUZK_OK)
            cuzk_err_prefix(err, st, "srs.preload");
    }
    if (st == CUZK_OK && opt->opts) {
        st = cuzk_switches_check(opt->opts, err);
        if (st != CUZK_OK)
            cuzk_err_prefix(err, st, "daemon.opts");
    }
    return st;
}

/* What looks at the daemon from the side: HTTP pages, memory monitor, histograms of phases. */
#ifndef CUZK_RPC_DAEMON_WATCH_H
#define CUZK_RPC_DAEMON_WATCH_H

#include "cuzk/daemon.h"
#include "engine/engine.h"
#include "http/http_server.h"
#include "measure/memory_monitor.h"

typedef struct {
    http_server *http;
    memory_monitor *memory;
} daemon_watch;

/* A wrong address is an error. One that is taken, or a CSV file that cannot be written, is logged
 * and done without: proofs matter more. */
cuzk_status cuzk_daemon_watch_start(daemon_watch *w, const cuzk_daemon_options *opt, engine *e,
                                    cuzk_err *err);
void cuzk_daemon_watch_stop(daemon_watch *w); /* before the engine goes */

#endif

/* The daemon's loop with a prover of the caller's choice; cuzk_daemon_run brings the real one. */
#ifndef CUZK_RPC_DAEMON_LOOP_H
#define CUZK_RPC_DAEMON_LOOP_H

#include <signal.h>

#include "cuzk/daemon.h"
#include "engine/engine.h"

/* Blocks SIGTERM, SIGINT and SIGHUP (before any thread is made, so that all inherit it) and ignores
 * SIGPIPE: a closed log or client must not end the daemon. */
void cuzk_daemon_block_signals(sigset_t *blocked);

/* Opens the log as the options say and writes the notes about the settings. Before anything else
 * that logs. */
cuzk_status cuzk_daemon_open_log(const cuzk_daemon_options *opt, cuzk_err *err);

cuzk_status cuzk_daemon_serve(const cuzk_daemon_options *opt, const engine_backend *backend,
                              const sigset_t *signals, cuzk_err *err);

#endif

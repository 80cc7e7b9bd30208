/* Addresses to listen on or to dial, and the care that a unix socket's file needs.
 *
 *   host:port  [::1]:port          TCP; port 0 lets the kernel choose
 *   unix:///abs/path  unix:path    unix socket
 */
#ifndef CUZK_RPC_LISTEN_ADDRESS_H
#define CUZK_RPC_LISTEN_ADDRESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

#define SOCKET_PATH_MAX 107u /* sizeof sun_path, without the NUL */

typedef struct {
    bool is_unix;
    bool is_loopback;               /* TCP: cannot be reached from outside; true for unix */
    char path[SOCKET_PATH_MAX + 1]; /* unix */
    char host[256];                 /* TCP, without brackets */
    unsigned port;
    char target[512]; /* as libgrpc wants it */
    char text[320];   /* for people: canonical form */
} rpc_address;

cuzk_status cuzk_address_parse(rpc_address *out, const char *text, cuzk_err *err);
void cuzk_address_set_port(rpc_address *a, unsigned port); /* TCP: rewrites target and text */

/* A claim on a unix socket path, from before the bind to the end.
 *
 * begin refuses a path that holds anything but a socket, or a socket that somebody listens on (also
 * one who is stopped or busy), and removes a stale one. It takes a lock on the parent folder, which
 * bound lets go, so that of many starters exactly one wins. A missing parent folder is made only
 * below /run, /var/run and $XDG_RUNTIME_DIR. */
typedef struct {
    char path[SOCKET_PATH_MAX + 1];
    int dir_fd; /* locked while >= 0 */
    dev_t dev;
    ino_t ino;
    bool bound;
} socket_claim;

cuzk_status cuzk_socket_claim_begin(socket_claim *c, const char *path, cuzk_err *err);
/* After the bind (or its failure): remembers which file is ours and lets the lock go. */
void cuzk_socket_claim_bound(socket_claim *c, bool ok);
/* Removes the socket if it is still the one that we bound. */
void cuzk_socket_claim_end(socket_claim *c);

#endif

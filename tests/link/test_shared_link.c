/* A user's program: public headers only, linked to libcuzk.so. */
#include <stdio.h>
#include <string.h>

#include "cuzk/client.h"
#include "cuzk/cuzk.h"
#include "cuzk/daemon.h"
#include "cuzk/synth.h"

int main(void)
{
    cuzk_circuit_summary s;
    cuzk_err err = {0};
    if (cuzk_circuit_digest(&s, "wpost-2k", NULL, &err) != CUZK_OK) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    printf("cuzk %s, %s arithmetic: wpost-2k has %llu rows\n", cuzk_version(), cuzk_arithmetic(),
           (unsigned long long)s.n_rows);
    cuzk_client *client;
    cuzk_status st = cuzk_client_connect(&client, "unix:///nonexistent/cuzk.sock", 100, &err);
    return s.n_rows == 21866 && st == CUZK_UNAVAILABLE &&
                   cuzk_request_open(NULL, "", &err) != CUZK_OK
               ? 0
               : 1;
}

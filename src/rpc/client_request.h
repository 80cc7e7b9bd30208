/* From a request read from files to a request for the daemon, for `cuzk submit`. */
#ifndef CUZK_RPC_CLIENT_REQUEST_H
#define CUZK_RPC_CLIENT_REQUEST_H

#include "cuzk/client.h"
#include "filecoin/request.h"

/* Points into msg; proofs has room for msg->n_vanilla_proofs. */
void cuzk_client_request_of(cuzk_client_request *out, cuzk_bytes proofs[],
                            const request_message *msg);

#endif

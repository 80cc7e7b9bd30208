/* The methods of cuzk.v1.ProvingEngine on top of an engine. docs/grpc.md says how each behaves. */
#ifndef CUZK_RPC_SERVICE_H
#define CUZK_RPC_SERVICE_H

#include "engine/engine.h"
#include "rpc/grpc_server.h"

/* For rpc_server_options, whose ctx is then the engine. */
extern const rpc_method cuzk_service_methods[];
extern const size_t cuzk_service_n_methods;

/* Prometheus text (formats.md 1.4) in a new string (cuzk_free); NULL when out of memory. */
char *cuzk_service_metrics(engine *e);

#endif

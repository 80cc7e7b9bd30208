/* The methods of cuzk.v1.ProvingEngine on top of an engine. docs/grpc.md says how each behaves. */
#ifndef CUZK_RPC_SERVICE_H
#define CUZK_RPC_SERVICE_H

#include "engine/engine.h"
#include "rpc/grpc_server.h"

/* For rpc_server_options, whose ctx is then the engine. */
extern const rpc_method cuzk_service_methods[];
extern const size_t cuzk_service_n_methods;

/* grpc.health.v1 (health.c): serving unless the daemon is ending or still loads parameters. */
void cuzk_health_check(void *ctx, rpc_call *call, const uint8_t *msg, size_t n);
void cuzk_health_watch(void *ctx, rpc_call *call, const uint8_t *msg, size_t n);
void cuzk_health_tick(void *ctx, rpc_call *call);
/* grpc.reflection, v1 and v1alpha (reflection.c). */
void cuzk_reflection_info(void *ctx, rpc_call *call, const uint8_t *msg, size_t n);

/* Prometheus text (formats.md 1.4) in a new string (cuzk_free); NULL when out of memory. */
char *cuzk_service_metrics(engine *e);

#endif

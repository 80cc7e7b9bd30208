/* grpc.health.v1.Health. Watch keeps the state that it told last as the call's note. */
#include <string.h>

#include "base/mem.h"
#include <grpc/health/v1/health.pb-c.h>
#include "rpc/service.h"
#include "rpc/wire.h"

#define SERVING     GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING
#define NOT_SERVING GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__NOT_SERVING
#define UNKNOWN     GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVICE_UNKNOWN

typedef Grpc__Health__V1__HealthCheckResponse__ServingStatus health;

static health state_of(engine *e)
{
    engine_stats stats;
    cuzk_preload_report load;
    cuzk_engine_stats(e, &stats);
    cuzk_engine_preload_report(e, &load);
    return stats.draining || load.n_done < load.n_all ? NOT_SERVING : SERVING;
}

/* SERVING for a service that we offer. False: the call has been answered. */
static bool read_request(health *known, rpc_call *call, const uint8_t *msg, size_t n)
{
    wire_message w;
    cuzk_err err = {0};
    cuzk_status st =
        cuzk_wire_unpack(&w, &grpc__health__v1__health_check_request__descriptor, msg, n, &err);
    if (st != CUZK_OK) {
        cuzk_rpc_fail(call, st, err.msg);
        return false;
    }
    const char *name = ((const Grpc__Health__V1__HealthCheckRequest *)w.message)->service;
    *known = !*name || strcmp(name, "cuzk.v1.ProvingEngine") == 0 ? SERVING : UNKNOWN;
    cuzk_wire_fini(&w);
    return true;
}

static uint8_t *pack(health state, size_t *n)
{
    Grpc__Health__V1__HealthCheckResponse r = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
    r.status = state;
    return cuzk_wire_pack(&r.base, n);
}

void cuzk_health_check(void *ctx, rpc_call *call, const uint8_t *msg, size_t n)
{
    health known;
    if (!read_request(&known, call, msg, n))
        return;
    if (known == UNKNOWN) {
        cuzk_rpc_fail(call, CUZK_NOT_FOUND, "service not known here; try \"\"");
        return;
    }
    size_t n_out = 0;
    uint8_t *out = pack(state_of(ctx), &n_out);
    if (out)
        cuzk_rpc_reply(call, out, n_out);
    else
        cuzk_rpc_fail(call, CUZK_NOMEM, "no memory for the answer; try again later");
    cuzk_free(out);
}

/* Memory is short or the last message still on its way: the next tick tries again. */
static void tell(rpc_call *call, health state)
{
    size_t n = 0;
    uint8_t *out = pack(state, &n);
    if (out && cuzk_rpc_send(call, out, n))
        cuzk_rpc_set_note(call, (int)state);
    cuzk_free(out);
}

void cuzk_health_watch(void *ctx, rpc_call *call, const uint8_t *msg, size_t n)
{
    health known;
    if (!msg) { /* the client has no more to say, but listens */
        if (cuzk_rpc_note(call) == 0)
            cuzk_rpc_fail(call, CUZK_INVAL, "the call carries no message");
        return;
    }
    if (cuzk_rpc_note(call) != 0) {
        cuzk_rpc_fail(call, CUZK_INVAL, "one request is all that Watch takes");
        return;
    }
    if (!read_request(&known, call, msg, n))
        return;
    cuzk_rpc_set_note(call, known == UNKNOWN ? (int)UNKNOWN : -1);
    tell(call, known == UNKNOWN ? UNKNOWN : state_of(ctx));
}

void cuzk_health_tick(void *ctx, rpc_call *call)
{
    int told = cuzk_rpc_note(call);
    if (told == 0 || told == (int)UNKNOWN)
        return;
    health state = state_of(ctx);
    if (told != (int)state)
        tell(call, state);
}

/* Service, engine with the fake prover, and a client over a unix socket, in one process. */
#ifndef RPC_FIXTURE_H
#define RPC_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuzk/client.h"
#include "e2e/fake_prover.h"
#include "engine/log.h"
#include "rpc/service.h"

#define CALL_MS 20000u

typedef struct {
    char dir[64], path[96], address[128];
    fake_prover fake;
    engine *e;
    rpc_server *s;
    cuzk_client *c;
} fixture;

/* Zeros mean the defaults. */
typedef struct {
    size_t max_message_bytes, max_jobs;
    unsigned read_timeout_s;
} fixture_options;

static inline void start_options(fixture *f, fixture_options o)
{
    cuzk_log_set_level(CUZK_LOG_OFF);
    memset(f, 0, sizeof *f);
    snprintf(f->dir, sizeof f->dir, "/tmp/cuzk-rpc-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    snprintf(f->path, sizeof f->path, "%s/a b%%.sock",
             f->dir); /* what a URI would have to escape */
    snprintf(f->address, sizeof f->address, "unix://%s", f->path);
    fake_init(&f->fake);
    engine_options eo = ENGINE_OPTIONS_DEFAULTS;
    if (o.max_jobs)
        eo.max_jobs = o.max_jobs;
    engine_backend b = fake_backend(&f->fake);
    assert_int_equal(cuzk_engine_new(&f->e, &eo, &b, NULL), CUZK_OK);
    rpc_server_options so = RPC_SERVER_DEFAULTS;
    so.methods = cuzk_service_methods;
    so.n_methods = cuzk_service_n_methods;
    so.ctx = f->e;
    if (o.max_message_bytes)
        so.max_message_bytes = o.max_message_bytes;
    if (o.read_timeout_s)
        so.read_timeout_s = o.read_timeout_s;
    cuzk_err err = {0};
    assert_int_equal(cuzk_rpc_server_new(&f->s, &so, &err), CUZK_OK);
    if (cuzk_rpc_server_listen(f->s, f->address, &err) != CUZK_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(cuzk_rpc_server_listen(f->s, "127.0.0.1:0", &err), CUZK_OK);
    assert_int_equal(cuzk_rpc_server_start(f->s, &err), CUZK_OK);
    if (cuzk_client_connect(&f->c, f->address, 5000, &err) != CUZK_OK)
        fail_msg("%s", err.msg);
}

static inline void start(fixture *f, size_t max_message_bytes)
{
    start_options(f, (fixture_options){.max_message_bytes = max_message_bytes});
}

static inline void finish(fixture *f)
{
    fake_open_gate(&f->fake);
    cuzk_client_close(f->c);
    cuzk_rpc_server_free(f->s);
    cuzk_engine_free(f->e);
    assert_int_equal(access(f->path, F_OK), -1); /* the socket is gone */
    assert_int_equal(rmdir(f->dir), 0);          /* and nothing else was left */
    assert_int_equal(f->fake.n_parsed, f->fake.n_freed);
}

static inline cuzk_client_request request(const char *id, uint64_t miner, uint64_t sector)
{
    cuzk_client_request r = {.size = sizeof r, .request_id = id, .kind = CUZK_PROOF_POREP};
    r.miner_id = miner;
    r.sector_number = sector;
    r.vanilla_proof = (cuzk_bytes){(const uint8_t *)"x", 1};
    return r;
}

#endif

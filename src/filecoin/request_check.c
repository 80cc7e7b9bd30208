/* Runs the independent parts of a check, on a pool when there is one. Parts run without an error
 * object; the first that failed runs again to tell why, so the message does not depend on timing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "filecoin/vanilla_check.h"

#define MAX_NAMED 16

typedef struct {
    const proof_request *req;
    bool *bad; /* a part each */
} parts;

static size_t count_parts(const proof_request *req)
{
    switch (req->kind) {
    case CUZK_KIND_POREP:
        return (size_t)req->n_partitions * req->shape->porep_challenges;
    case CUZK_KIND_UPDATE:
        return req->n_partitions;
    default:
        return req->n_sectors;
    }
}

static cuzk_status check_part(const proof_request *req, size_t i, cuzk_err *err)
{
    switch (req->kind) {
    case CUZK_KIND_POREP:
        return cuzk_check_porep_challenge(req, i, err);
    case CUZK_KIND_UPDATE:
        return cuzk_check_update_partition(req, i, err);
    default:
        return cuzk_check_post_sector(req, i, err);
    }
}

static void run_part(void *ctx, size_t i, unsigned worker)
{
    (void)worker;
    const parts *p = ctx;
    p->bad[i] = check_part(p->req, i, NULL) != CUZK_OK;
}

/* Adds which sectors are faulty to the message about the first one. */
static void name_faulty(cuzk_err *err, const proof_request *req, const bool bad[])
{
    size_t n_bad = 0, n = strlen(err->msg), size = sizeof err->msg;
    n += (size_t)snprintf(err->msg + n, size - n, "; faulty_sectors=[");
    for (size_t i = 0; i < req->n_sectors; i++) {
        if (bad[i] && n_bad++ < MAX_NAMED && n < size)
            n += (size_t)snprintf(err->msg + n, size - n, "%s%" PRIu64, n_bad > 1 ? "," : "",
                                  req->sector[i].sector_id);
    }
    if (n < size)
        snprintf(err->msg + n, size - n, "%s] (%zu of %zu)", n_bad > MAX_NAMED ? ",..." : "", n_bad,
                 req->n_sectors);
}

cuzk_status cuzk_request_check_on(cuzk_pool *pool, const proof_request *req, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    size_t n = count_parts(req);
    parts p = {req, CUZK_NEW_ARRAY(bool, n + 1)};
    if (!p.bad)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory to check a request");
    if (!cuzk_pool_try(pool, n, run_part, &p)) {
        st = cuzk_fail(err, CUZK_CANCELLED, 0, "cancelled during the check of the request");
        goto out;
    }
    for (size_t i = 0; i < n && st == CUZK_OK; i++)
        st = p.bad[i] ? check_part(req, i, err) : CUZK_OK;
    if (st == CUZK_UNSATISFIED && err && req->sector)
        name_faulty(err, req, p.bad);
out:
    cuzk_free(p.bad);
    return st;
}

cuzk_status cuzk_request_check(const proof_request *req, cuzk_err *err)
{
    return cuzk_request_check_on(NULL, req, err);
}

size_t cuzk_request_faulty_sectors(uint64_t id[], size_t max, const proof_request *req)
{
    size_t n = 0;
    for (size_t i = 0; i < req->n_sectors; i++) {
        if (cuzk_check_post_sector(req, i, NULL) == CUZK_OK)
            continue;
        if (n < max)
            id[n] = req->sector[i].sector_id;
        n++;
    }
    return n;
}

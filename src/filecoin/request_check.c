#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "filecoin/vanilla_check.h"

#define MAX_NAMED 16

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

/* Adds which sectors are faulty to the message about the first one. */
static void name_faulty(cuzk_err *err, const proof_request *req)
{
    uint64_t id[MAX_NAMED];
    size_t n_faulty = cuzk_request_faulty_sectors(id, MAX_NAMED, req);
    size_t n = strlen(err->msg), size = sizeof err->msg;
    n += (size_t)snprintf(err->msg + n, size - n, "; faulty_sectors=[");
    for (size_t i = 0; i < n_faulty && i < MAX_NAMED && n < size; i++)
        n += (size_t)snprintf(err->msg + n, size - n, "%s%" PRIu64, i ? "," : "", id[i]);
    if (n < size)
        snprintf(err->msg + n, size - n, "%s] (%zu of %zu)", n_faulty > MAX_NAMED ? ",..." : "",
                 n_faulty, req->n_sectors);
}

static cuzk_status check_post(const proof_request *req, cuzk_err *err)
{
    for (size_t i = 0; i < req->n_sectors; i++) {
        cuzk_status st = cuzk_check_post_sector(req, i, err);
        if (st == CUZK_OK)
            continue;
        if (err)
            name_faulty(err, req);
        return st;
    }
    return CUZK_OK;
}

cuzk_status cuzk_request_check(const proof_request *req, cuzk_err *err)
{
    switch (req->kind) {
    case CUZK_KIND_POREP:
        return cuzk_check_porep(req, err);
    case CUZK_KIND_UPDATE:
        return cuzk_check_update(req, err);
    default:
        return check_post(req, err);
    }
}

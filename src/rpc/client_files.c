/* A request folder for the daemon. */
#include "base/error.h"
#include "base/mem.h"
#include "cuzk/client.h"
#include "filecoin/request.h"
#include "rpc/client_request.h"

struct cuzk_client_files {
    request_files files;
    cuzk_bytes *proofs;
};

cuzk_status cuzk_client_files_read(cuzk_client_files **files, cuzk_client_request *out,
                                   const char *path, cuzk_err *err)
{
    cuzk_client_files *f = cuzk_calloc(1, sizeof *f);
    if (!f)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for the request in %s", path);
    cuzk_status st = cuzk_request_files_read(&f->files, path, err);
    if (st != CUZK_OK) {
        cuzk_free(f);
        return st;
    }
    f->proofs = CUZK_NEW_ARRAY(cuzk_bytes, f->files.msg.n_vanilla_proofs);
    if (!f->proofs) {
        cuzk_client_files_free(f);
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for the request in %s", path);
    }
    cuzk_client_request_of(out, f->proofs, &f->files.msg);
    *files = f;
    return CUZK_OK;
}

void cuzk_client_files_free(cuzk_client_files *files)
{
    if (!files)
        return;
    cuzk_request_files_fini(&files->files);
    cuzk_free(files->proofs);
    cuzk_free(files);
}

/* A request by path, or made up for the name of a circuit. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "cuzk/synth.h"

/* Removes a folder of plain files. */
static void remove_folder(const char *dir)
{
    char path[CUZK_PATH_BYTES + 257]; /* a name has at most 255 bytes */
    DIR *d = opendir(dir);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (e->d_name[0] != '.')
            unlink(path);
    }
    closedir(d);
    rmdir(dir);
}

static cuzk_status open_synthetic(cuzk_request **req, const char *circuit, cuzk_err *err)
{
    char dir[CUZK_PATH_BYTES];
    const char *tmp = getenv("TMPDIR");
    cuzk_synth_options opt = CUZK_SYNTH_OPTIONS_DEFAULTS;
    snprintf(dir, sizeof dir, "%s/cuzk-request-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir)) {
        err->status = CUZK_IO;
        snprintf(err->msg, sizeof err->msg, "cannot make a folder like %.120s", dir);
        return CUZK_IO;
    }
    cuzk_status st = cuzk_synth_request(NULL, circuit, dir, &opt, err);
    if (st == CUZK_OK)
        st = cuzk_request_open(req, dir, err);
    remove_folder(dir);
    return st;
}

cuzk_status cli_open_request(cuzk_request **req, const char *name, cuzk_err *err)
{
    if (access(name, R_OK) == 0 || strchr(name, '/'))
        return cuzk_request_open(req, name, err);
    return open_synthetic(req, name, err);
}

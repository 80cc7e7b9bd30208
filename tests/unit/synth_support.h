/* A scratch folder for generated requests, and generating with a check of the outcome. */
#ifndef CUZK_TESTS_SYNTH_SUPPORT_H
#define CUZK_TESTS_SYNTH_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hex.h"
#include "base/mem.h"
#include "cuzk/synth.h"
#include "filecoin/request.h"

static char scratch[256];

static inline int make_scratch(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(scratch, sizeof scratch, "%s/cuzk-synth.XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(scratch) ? 0 : -1;
}

static inline int remove_entry(const char *path, const struct stat *info, int type,
                               struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

static inline void remove_tree(const char *dir)
{
    nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline int remove_scratch(void **state)
{
    (void)state;
    remove_tree(scratch);
    return 0;
}

/* scratch/name; the string lives until the next call but three. */
static inline const char *scratch_path(const char *name)
{
    static char path[4][512];
    static unsigned next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", scratch, name);
    return p;
}

static inline cuzk_synth_result generate(const char *circuit, const char *name,
                                         const cuzk_synth_options *opt)
{
    cuzk_err err = {0};
    cuzk_synth_result r;
    remove_tree(scratch_path(name));
    if (cuzk_synth_request(&r, circuit, scratch_path(name), opt, &err) != CUZK_OK)
        fail_msg("%s: %s", circuit, err.msg);
    return r;
}

/* Reads the folder as any request and checks all of its content. */
static inline cuzk_status check_request(const char *name, cuzk_err *err)
{
    proof_request *req = NULL;
    *err = (cuzk_err){0};
    cuzk_status st = cuzk_request_load(&req, scratch_path(name), err);
    if (st == CUZK_OK)
        st = cuzk_request_check(req, err);
    cuzk_request_free(req);
    return st;
}

#endif

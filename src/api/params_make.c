/* Making test parameters (cuzk/cuzk.h). One maker at a time in a folder; what is there already is
 * used if it is what would be made, and never overwritten if it is anything else. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/pool.h"
#include "cuzk/cuzk.h"
#include "engine/insecure.h"
#include "engine/log.h"
#include "engine/params_dir.h"
#include "filecoin/circuits.h"

typedef struct {
    circuit_id id;
    const char *dir;
    char *params, *vk; /* paths */
    int lock;          /* descriptor of the folder; the kernel unlocks it when we die */
} maker;

/* ---- one at a time ---- */

static cuzk_status lock_folder(maker *m, cuzk_err *err)
{
    m->lock = open(m->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (m->lock < 0)
        return cuzk_fail(err, CUZK_IO, errno, "cannot open the folder %s", m->dir);
    if (flock(m->lock, LOCK_EX | LOCK_NB) == 0)
        return CUZK_OK;
    if (errno == EWOULDBLOCK) {
        cuzk_log(CUZK_LOG_INFO, NULL, "another cuzk makes parameters in %s; waiting for it",
                 m->dir);
        while (flock(m->lock, LOCK_EX) != 0) {
            if (errno != EINTR)
                return cuzk_fail(err, CUZK_IO, errno, "cannot lock the folder %s", m->dir);
        }
        return CUZK_OK;
    }
    cuzk_log(CUZK_LOG_WARN, NULL, "%s cannot be locked (%s); make parameters there once at a time",
             m->dir, strerrordesc_np(errno));
    return CUZK_OK;
}

/* What a maker left that was killed: NAME.part-<pid>. Only under the lock. */
static void remove_leftovers(const maker *m)
{
    char stem[CIRCUIT_STEM_BYTES];
    DIR *d = opendir(m->dir);
    cuzk_circuit_stem(stem, m->id);
    size_t n = strlen(stem);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strncmp(e->d_name, stem, n) == 0 && strstr(e->d_name + n, ".part-"))
            unlinkat(m->lock, e->d_name, 0);
    }
    if (d)
        closedir(d);
}

/* ---- what is there already ---- */

static bool right_counts(const maker *m, const groth16_params_info *i)
{
    circuit_counts c;
    if (!cuzk_circuit_counts(&c, m->id))
        return i->n_ic == cuzk_circuit_n_inputs(m->id) + 1;
    return i->file_bytes == cuzk_circuit_params_bytes(&c) && i->n_ic == c.n_inputs &&
           i->n_l == c.n_aux;
}

static cuzk_status foreign(const char *path, cuzk_err *err)
{
    return cuzk_fail(err, CUZK_EXISTS, 0,
                     "%s exists and is not what would be made; cuzk does not overwrite parameters: "
                     "move it away, or name another folder",
                     path);
}

/* A complete .params file made from the same secrets; its .vk is made anew if it is missing. */
static cuzk_status use_existing(bool *done, const maker *m, cuzk_err *err)
{
    groth16_params_info info;
    groth16_vk vk = {0};
    cuzk_status st = cuzk_params_info(&info, m->params, err);
    if (st == CUZK_NOT_FOUND)
        return access(m->vk, F_OK) == 0 ? foreign(m->vk, err) : CUZK_OK;
    if (st == CUZK_PARAMS || (st == CUZK_OK && !right_counts(m, &info)))
        return foreign(m->params, err);
    CUZK_TRY(st);
    CUZK_TRY(cuzk_params_read_vk(&vk, m->params, err));
    if (!cuzk_insecure_vk(&vk))
        st = foreign(m->params, err);
    else if (access(m->vk, F_OK) != 0)
        st = cuzk_vk_write(&vk, m->vk, err);
    *done = st == CUZK_OK;
out:
    cuzk_vk_fini(&vk);
    return st;
}

/* ---- making ---- */

static cuzk_status check_space(const maker *m, cuzk_err *err)
{
    struct statvfs s;
    circuit_counts c;
    if (!cuzk_circuit_counts(&c, m->id) || fstatvfs(m->lock, &s) != 0)
        return CUZK_OK; /* then writing will tell */
    uint64_t need = cuzk_circuit_params_bytes(&c), left = (uint64_t)s.f_bavail * s.f_frsize;
    if (need <= left)
        return CUZK_OK;
    return cuzk_fail(err, CUZK_IO, ENOSPC, "%s needs %" PRIu64 " bytes, the disk has %" PRIu64,
                     m->params, need, left);
}

static cuzk_status make_files(const maker *m, unsigned n_threads, cuzk_trace *trace, cuzk_err *err)
{
    cuzk_pool *pool = NULL;
    groth16_secrets secrets;
    const circuit_instance blank = {.id = m->id};
    const cs_circuit circuit = cuzk_circuit_of(&blank);
    cuzk_status st;
    CUZK_TRY(check_space(m, err));
    CUZK_TRY(cuzk_pool_new(&pool, n_threads, "cuzk-setup", err));
    cuzk_insecure_secrets(&secrets);
    CUZK_TRY(cuzk_groth16_setup(&circuit, &secrets, m->params, m->vk, pool, trace, err));
out:
    cuzk_pool_free(pool);
    return st;
}

static cuzk_status make_once(maker *m, unsigned n_threads, cuzk_trace *trace, cuzk_err *err)
{
    cuzk_status st;
    bool done = false;
    CUZK_TRY(cuzk_make_dirs(m->dir, err));
    m->params = cuzk_params_path(m->dir, m->id, "params");
    m->vk = cuzk_params_path(m->dir, m->id, "vk");
    if (!m->params || !m->vk)
        return cuzk_fail(err, CUZK_NOMEM, 0, "params make: no memory");
    CUZK_TRY(lock_folder(m, err));
    remove_leftovers(m);
    CUZK_TRY(use_existing(&done, m, err));
    if (!done)
        CUZK_TRY(make_files(m, n_threads, trace, err));
out:
    return st;
}

cuzk_status cuzk_params_make_insecure(const char *circuit, const char *dir, unsigned n_threads,
                                      cuzk_trace *trace, char params_path[CUZK_PATH_BYTES],
                                      cuzk_err *err)
{
    maker m = {.dir = dir, .lock = -1};
    cuzk_status st = cuzk_circuit_id_parse(&m.id, circuit, err);
    if (st == CUZK_OK)
        st = make_once(&m, n_threads, trace, err);
    if (st == CUZK_OK)
        snprintf(params_path, CUZK_PATH_BYTES, "%s", m.params);
    if (m.lock >= 0)
        close(m.lock);
    cuzk_free(m.vk);
    cuzk_free(m.params);
    return st;
}

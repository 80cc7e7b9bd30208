#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static cuzk_status open_failed(const char *path, cuzk_err *err)
{
    cuzk_status st = errno == ENOENT || errno == ENOTDIR ? CUZK_NOT_FOUND : CUZK_IO;
    return cuzk_fail(err, st, errno, "cannot open %s", path);
}

static cuzk_status read_all(int fd, uint8_t *buf, size_t n, const char *path, cuzk_err *err)
{
    size_t done = 0;
    while (done < n) {
        ssize_t got = read(fd, buf + done, n - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cuzk_fail(err, CUZK_IO, errno, "cannot read %s at byte %zu", path, done);
        if (got == 0)
            return cuzk_fail(err, CUZK_IO, 0, "%s shrank while it was read (%zu of %zu bytes)",
                             path, done, n);
        done += (size_t)got;
    }
    return CUZK_OK;
}

cuzk_status cuzk_file_read(uint8_t **out, size_t *n_bytes, const char *path, size_t max_bytes,
                           cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    uint8_t *buf = NULL;
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not make us wait */
    if (fd < 0)
        return open_failed(path, err);
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        st = cuzk_fail(err, CUZK_IO, 0, "%s is not a regular file", path);
        goto out;
    }
    size_t n = (size_t)info.st_size;
    if (n > max_bytes) {
        st = cuzk_fail(err, CUZK_BUDGET, 0, "%s has %zu bytes, more than the limit of %zu", path, n,
                       max_bytes);
        goto out;
    }
    buf = cuzk_malloc(n + 1);
    if (!buf) {
        st = cuzk_fail(err, CUZK_NOMEM, 0, "no memory for the %zu bytes of %s", n, path);
        goto out;
    }
    CUZK_TRY(read_all(fd, buf, n, path, err));
    buf[n] = 0;
    *out = buf;
    *n_bytes = n;
    buf = NULL;
out:
    cuzk_free(buf);
    close(fd);
    return st;
}

cuzk_status cuzk_file_writer_open(cuzk_file_writer *w, const char *path, cuzk_err *err)
{
    memset(w, 0, sizeof *w);
    size_t n = strlen(path) + 32;
    w->path = cuzk_strdup(path);
    w->part_path = cuzk_malloc(n);
    if (!w->path || !w->part_path) {
        cuzk_file_writer_abort(w);
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory to write %s", path);
    }
    snprintf(w->part_path, n, "%s.part-%ld", path, (long)getpid());
    w->f = fopen(w->part_path, "wbe");
    if (!w->f) {
        cuzk_status st = cuzk_fail(err, CUZK_IO, errno, "cannot create %s", w->part_path);
        cuzk_file_writer_abort(w);
        return st;
    }
    return CUZK_OK;
}

cuzk_status cuzk_file_writer_put(cuzk_file_writer *w, const void *data, size_t n, cuzk_err *err)
{
    if (fwrite(data, 1, n, w->f) != n)
        return cuzk_fail(err, CUZK_IO, errno, "cannot write %zu bytes to %s", n, w->part_path);
    return CUZK_OK;
}

cuzk_status cuzk_file_writer_commit(cuzk_file_writer *w, cuzk_err *err)
{
    bool ok = fflush(w->f) == 0 && (w->no_sync || fsync(fileno(w->f)) == 0);
    int sys = errno;
    ok = fclose(w->f) == 0 && ok;
    w->f = NULL;
    if (ok && rename(w->part_path, w->path) != 0) {
        ok = false;
        sys = errno;
    }
    cuzk_status st = CUZK_OK;
    if (!ok)
        st = cuzk_fail(err, CUZK_IO, sys, "cannot complete %s", w->path);
    cuzk_file_writer_abort(w);
    return st;
}

void cuzk_file_writer_abort(cuzk_file_writer *w)
{
    if (w->f)
        fclose(w->f);
    if (w->part_path)
        unlink(w->part_path); /* after a commit the name is gone already */
    cuzk_free(w->part_path);
    cuzk_free(w->path);
    memset(w, 0, sizeof *w);
}

cuzk_status cuzk_file_write(const char *path, const void *data, size_t n, cuzk_err *err)
{
    cuzk_file_writer w;
    cuzk_status st = cuzk_file_writer_open(&w, path, err);
    if (st != CUZK_OK)
        return st;
    st = cuzk_file_writer_put(&w, data, n, err);
    if (st == CUZK_OK)
        return cuzk_file_writer_commit(&w, err);
    cuzk_file_writer_abort(&w);
    return st;
}

char *cuzk_path_join(const char *dir, const char *name)
{
    size_t n = strlen(dir) + strlen(name) + 2;
    char *p = cuzk_malloc(n);
    if (!p)
        return NULL;
    bool slash = dir[0] && dir[strlen(dir) - 1] == '/';
    snprintf(p, n, "%s%s%s", dir, slash || !dir[0] ? "" : "/", name);
    return p;
}

cuzk_status cuzk_make_dirs(const char *dir, cuzk_err *err)
{
    char *path = cuzk_strdup(dir);
    if (!path)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory to create %s", dir);
    cuzk_status st = CUZK_OK;
    for (char *p = path + 1; st == CUZK_OK; p++) {
        char c = *p;
        if (c != '/' && c != '\0')
            continue;
        *p = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            st = cuzk_fail(err, CUZK_IO, errno, "cannot create folder %s", path);
        *p = c;
        if (c == '\0')
            break;
    }
    cuzk_free(path);
    return st;
}

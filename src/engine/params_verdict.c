#include "engine/params_verdict.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/hex.h"
#include "base/mem.h"
#include "engine/log.h"

#define MAX_VERDICTS   256u /* 48 circuits; files replaced now and then */
#define READ_BYTES     ((size_t)4 << 20)
#define MAX_FILE_BYTES ((size_t)1 << 20)
#define LINE_BYTES     200u
#define CHECK_CHARS    8u
#define FILE_NAME      "params-digests"

typedef struct {
    uint64_t device, inode, bytes;
    int64_t changed_s;
    int64_t changed_ns;
} identity;

typedef struct {
    identity id;
    char digest[PARAMS_DIGEST_CHARS + 1];
    bool read_here; /* by this process, not taken from the file */
} verdict;

struct params_verdicts {
    pthread_mutex_t lock; /* guards all below; held while the small file is written */
    char *folder;         /* "" when none */
    bool told_no_file;    /* that it cannot be written */
    size_t n;
    verdict entry[MAX_VERDICTS]; /* oldest first */
};

/* ---- the file ---- */

static char *default_folder(void)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (xdg && xdg[0] == '/')
        return cuzk_path_join(xdg, "cuzk");
    if (home && home[0] == '/')
        return cuzk_path_join(home, ".cache/cuzk");
    return cuzk_strdup("/var/cache/cuzk");
}

static void check_value(char out[CHECK_CHARS + 1], const char *text, size_t n)
{
    uint8_t digest[64];
    char hex[129];
    cuzk_blake2b512(digest, text, n);
    cuzk_hex_encode(hex, digest, 64);
    memcpy(out, hex, CHECK_CHARS);
    out[CHECK_CHARS] = '\0';
}

static int format_line(char out[LINE_BYTES], const verdict *v)
{
    char check[CHECK_CHARS + 1];
    int n = snprintf(
        out, LINE_BYTES, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 ".%09" PRId64 " %s",
        v->id.device, v->id.inode, v->id.bytes, v->id.changed_s, v->id.changed_ns, v->digest);
    check_value(check, out, (size_t)n);
    return n + snprintf(out + n, LINE_BYTES - (size_t)n, " %s\n", check);
}

/* The line must be exactly what format_line makes of its values. */
static bool parse_line(verdict *v, const char *line, size_t n)
{
    char text[LINE_BYTES], again[LINE_BYTES], check[CHECK_CHARS + 2];
    if (n == 0 || n + 2 > sizeof text)
        return false;
    memcpy(text, line, n);
    text[n] = '\n';
    text[n + 1] = '\0';
    *v = (verdict){.read_here = false};
    int got = sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNd64 ".%" SCNd64 " %32s %9s",
                     &v->id.device, &v->id.inode, &v->id.bytes, &v->id.changed_s, &v->id.changed_ns,
                     v->digest, check);
    if (got != 7 || strlen(v->digest) != PARAMS_DIGEST_CHARS)
        return false;
    format_line(again, v);
    return strcmp(again, text) == 0;
}

static void keep(params_verdicts *v, const verdict *new);

static void parse_file(params_verdicts *v, const char *text, size_t n, const char *path)
{
    unsigned line_number = 0;
    for (const char *line = text, *end; line < text + n; line = end + 1) {
        verdict one;
        size_t left = (size_t)(text + n - line);
        end = memchr(line, '\n', left);
        if (!end)
            end = text + n;
        line_number++;
        if (parse_line(&one, line, (size_t)(end - line)))
            keep(v, &one);
        else
            cuzk_log(CUZK_LOG_WARN, NULL,
                     "%s: line %u is damaged and ignored; the file it was about is read again",
                     path, line_number);
    }
}

static void load(params_verdicts *v)
{
    uint8_t *bytes = NULL;
    size_t n;
    cuzk_err err;
    char *path = v->folder[0] ? cuzk_path_join(v->folder, FILE_NAME) : NULL;
    if (!path)
        return;
    cuzk_status st = cuzk_file_read(&bytes, &n, path, MAX_FILE_BYTES, &err);
    if (st == CUZK_OK)
        parse_file(v, (const char *)bytes, n, path);
    else if (st != CUZK_NOT_FOUND)
        cuzk_log(CUZK_LOG_WARN, NULL, "digests of parameter files are not reused: %s", err.msg);
    cuzk_free(bytes);
    cuzk_free(path);
}

static cuzk_status write_all(params_verdicts *v, const char *path, cuzk_err *err)
{
    cuzk_file_writer w;
    cuzk_status st = cuzk_make_dirs(v->folder, err);
    if (st != CUZK_OK)
        return st;
    CUZK_TRY(cuzk_file_writer_open(&w, path, err));
    for (size_t i = 0; st == CUZK_OK && i < v->n; i++) {
        char line[LINE_BYTES];
        int n = format_line(line, &v->entry[i]);
        st = cuzk_file_writer_put(&w, line, (size_t)n, err);
    }
    if (st == CUZK_OK)
        return cuzk_file_writer_commit(&w, err);
    cuzk_file_writer_abort(&w);
out:
    return st;
}

/* Lines that another process added meanwhile are lost: that costs it one reading. */
static void save(params_verdicts *v)
{
    cuzk_err err = {0};
    char *path = v->folder[0] ? cuzk_path_join(v->folder, FILE_NAME) : NULL;
    if (!path)
        return;
    if (write_all(v, path, &err) != CUZK_OK && !v->told_no_file) {
        v->told_no_file = true;
        cuzk_log(CUZK_LOG_WARN, NULL,
                 "digests of parameter files are not kept, they will be read again after the next "
                 "start: %s",
                 err.msg);
    }
    cuzk_free(path);
}

/* ---- memory ---- */

cuzk_status cuzk_verdicts_new(params_verdicts **out, const char *folder, cuzk_err *err)
{
    params_verdicts *v = cuzk_calloc(1, sizeof *v);
    char *name = folder ? cuzk_strdup(folder) : default_folder();
    if (!v || !name) {
        cuzk_free(v);
        cuzk_free(name);
        return cuzk_fail(err, CUZK_NOMEM, 0, "digests of parameter files: no memory");
    }
    pthread_mutex_init(&v->lock, NULL);
    v->folder = name;
    load(v);
    *out = v;
    return CUZK_OK;
}

void cuzk_verdicts_free(params_verdicts *v)
{
    if (!v)
        return;
    pthread_mutex_destroy(&v->lock);
    cuzk_free(v->folder);
    cuzk_free(v);
}

const char *cuzk_verdicts_folder(const params_verdicts *v)
{
    return v->folder;
}

static bool same_file(const identity *a, const identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes &&
           a->changed_s == b->changed_s && a->changed_ns == b->changed_ns;
}

static void forget(params_verdicts *v, size_t i)
{
    memmove(&v->entry[i], &v->entry[i + 1], (v->n - i - 1) * sizeof v->entry[0]);
    v->n--;
}

/* One entry an inode; the oldest goes when there are too many. */
static void keep(params_verdicts *v, const verdict *new)
{
    for (size_t i = v->n; i-- > 0;) {
        if (v->entry[i].id.device == new->id.device && v->entry[i].id.inode == new->id.inode)
            forget(v, i);
    }
    if (v->n == MAX_VERDICTS)
        forget(v, 0);
    v->entry[v->n++] = *new;
}

static bool find(verdict *out, params_verdicts *v, const identity *id)
{
    bool found = false;
    pthread_mutex_lock(&v->lock);
    for (size_t i = 0; !found && i < v->n; i++) {
        found = same_file(&v->entry[i].id, id);
        if (found)
            *out = v->entry[i];
    }
    pthread_mutex_unlock(&v->lock);
    return found;
}

static void remember(params_verdicts *v, const verdict *new)
{
    pthread_mutex_lock(&v->lock);
    keep(v, new);
    save(v);
    pthread_mutex_unlock(&v->lock);
}

/* ---- reading ---- */

static cuzk_status identify(identity *out, const params_file *f, cuzk_err *err)
{
    struct stat s;
    if (fstat(f->fd, &s) != 0)
        return cuzk_fail(err, CUZK_IO, 0, "cannot look at %s", f->path);
    *out = (identity){.device = (uint64_t)s.st_dev,
                      .inode = (uint64_t)s.st_ino,
                      .bytes = (uint64_t)s.st_size,
                      .changed_s = s.st_mtim.tv_sec,
                      .changed_ns = s.st_mtim.tv_nsec};
    return CUZK_OK;
}

static cuzk_status hash_all(cuzk_hash *h, uint8_t *buffer, const params_file *f, cuzk_err *err)
{
    for (uint64_t at = 0; at < f->file_bytes;) {
        uint64_t left = f->file_bytes - at;
        size_t n = left < READ_BYTES ? (size_t)left : READ_BYTES;
        cuzk_status st = cuzk_params_pread(f, buffer, at, n, err);
        if (st != CUZK_OK)
            return st;
        cuzk_hash_update(h, buffer, n);
        at += n;
    }
    return CUZK_OK;
}

cuzk_status cuzk_params_digest(char out[PARAMS_DIGEST_CHARS + 1], const params_file *f,
                               cuzk_err *err)
{
    cuzk_status st;
    uint8_t digest[64];
    cuzk_hash *h = cuzk_hash_new(CUZK_HASH_BLAKE2B512);
    uint8_t *buffer = cuzk_malloc(READ_BYTES);
    if (!h || !buffer) {
        st = cuzk_fail(err, CUZK_NOMEM, 0, "%s: no memory to read it for its digest", f->path);
        goto out;
    }
    CUZK_TRY(hash_all(h, buffer, f, err));
    cuzk_hash_finish(h, digest);
    cuzk_hex_encode(out, digest, PARAMS_DIGEST_BYTES);
out:
    cuzk_free(buffer);
    cuzk_hash_free(h);
    return st;
}

/* What the file has, and that it had it from begin to end of the reading. */
static cuzk_status read_verdict(verdict *out, const params_file *f, cuzk_err *err)
{
    verdict v = {.read_here = true};
    identity after = {0};
    cuzk_status st;
    CUZK_TRY(identify(&v.id, f, err));
    CUZK_TRY(cuzk_params_digest(v.digest, f, err));
    CUZK_TRY(identify(&after, f, err));
    if (!same_file(&v.id, &after))
        st = cuzk_fail(err, CUZK_IO, 0,
                       "%s changed while it was read; try again when it is complete", f->path);
    else
        *out = v;
out:
    return st;
}

/* A second opinion before a file is refused, from the disk if the kernel is so kind (B16). */
static cuzk_status read_again(const params_file *f, const verdict *first, cuzk_err *err)
{
    verdict second;
    posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED);
    cuzk_status st = read_verdict(&second, f, err);
    if (st != CUZK_OK || strcmp(first->digest, second.digest) == 0)
        return st;
    return cuzk_fail(err, CUZK_IO, 0,
                     "%s: unstable reads: its digest was first %s, then %s; suspect memory or disk",
                     f->path, first->digest, second.digest);
}

static cuzk_status refuse(const params_file *f, const char *found, const char *expected,
                          cuzk_err *err)
{
    return cuzk_fail(err, CUZK_CORRUPT, 0,
                     "%s is damaged: its digest is %s, that of Filecoin's file is %s; fetch it "
                     "again (cuzk does not touch it)",
                     f->path, found, expected);
}

bool cuzk_verdict_known(params_verdicts *v, const params_file *f)
{
    identity id = {0};
    verdict known;
    return identify(&id, f, NULL) == CUZK_OK && find(&known, v, &id);
}

cuzk_status cuzk_verdict_check(params_verdicts *v, const params_file *f, const char *expected,
                               cuzk_err *err)
{
    identity id = {0};
    verdict known, seen;
    cuzk_status st;
    CUZK_TRY(identify(&id, f, err));
    bool found = find(&known, v, &id), good = found && strcmp(known.digest, expected) == 0;
    if (good)
        return CUZK_OK;
    if (found && known.read_here)
        return refuse(f, known.digest, expected, err);
    CUZK_TRY(read_verdict(&seen, f, err));
    good = strcmp(seen.digest, expected) == 0;
    if (!good)
        CUZK_TRY(read_again(f, &seen, err));
    remember(v, &seen);
    if (!good)
        st = refuse(f, seen.digest, expected, err);
out:
    return st;
}

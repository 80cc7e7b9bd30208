#include "engine/srs_load.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/hex.h"
#include "base/mem.h"
#include "engine/log.h"
#include "engine/params_dir.h"

#define POLL_NS 50000000

/* One load from open to close. */
typedef struct {
    const srs_loader *loader;
    circuit_id id;
    char name[24];
    char *path;
    params_file file;
    const char *expected; /* digest that the whole file must have; NULL: any */
    cuzk_trace *trace;
} load_run;

uint64_t cuzk_srs_bytes(const groth16_srs *s)
{
    return (s->vk.n_ic + s->n_h + s->n_l + s->n_a + s->n_b) * sizeof(g1_affine) +
           s->n_b * sizeof(g2_affine);
}

uint64_t cuzk_srs_file_bytes(const char *params_dir, circuit_id id)
{
    struct stat s;
    char *path = cuzk_params_path(params_dir, id, "params");
    bool there = path && stat(path, &s) == 0 && S_ISREG(s.st_mode);
    cuzk_free(path);
    return there ? (uint64_t)s.st_size : 0;
}

/* ---- finding ---- */

static cuzk_status missing_params(const char *params_dir, const char *path, circuit_id id,
                                  cuzk_err *err)
{
    char name[24];
    cuzk_circuit_id_format(name, id);
    cuzk_status st = cuzk_params_dir_check(params_dir, err);
    if (st != CUZK_OK)
        return cuzk_err_prefix(err, st, "no parameters for %s", name);
    return cuzk_fail(
        err, CUZK_PARAMS, 0,
        "no parameters for %s: %s does not exist; fetch Filecoin's parameters into that "
        "folder, name another with --params, or for tests run `cuzk params make %s "
        "--insecure-test-secrets --out DIR`",
        name, path, name);
}

cuzk_status cuzk_srs_find(const char *params_dir, circuit_id id, cuzk_err *err)
{
    struct stat s;
    cuzk_status st = CUZK_OK;
    char *path = cuzk_params_path(params_dir, id, "params");
    if (!path)
        return cuzk_fail(err, CUZK_NOMEM, 0, "parameters: no memory");
    if (stat(path, &s) != 0)
        st = missing_params(params_dir, path, id, err);
    cuzk_free(path);
    return st;
}

/* ---- is it the circuit's? ---- */

static cuzk_status check_section(const load_run *r, params_section s, uint64_t want, cuzk_err *err)
{
    size_t n = r->file.section[s].n;
    if (n == want)
        return CUZK_OK;
    return cuzk_fail(err, CUZK_PARAMS, 0,
                     "%s: section %s has %zu points, the circuit %s needs %llu; it is the file of "
                     "another circuit or of another release",
                     r->path, cuzk_section_name(s), n, r->name, (unsigned long long)want);
}

static cuzk_status check_counts(const load_run *r, cuzk_err *err)
{
    circuit_counts c;
    cuzk_status st;
    CUZK_TRY(check_section(r, SECTION_IC, cuzk_circuit_n_inputs(r->id) + 1, err));
    if (!cuzk_circuit_counts(&c, r->id))
        return CUZK_OK; /* of a size without published parameters: the prover compares */
    CUZK_TRY(
        check_section(r, SECTION_H, ((uint64_t)1 << cuzk_lg_ceil(c.n_rows + c.n_inputs)) - 1, err));
    CUZK_TRY(check_section(r, SECTION_L, c.n_aux, err));
    CUZK_TRY(check_section(r, SECTION_A, c.n_inputs + c.a_aux, err));
    CUZK_TRY(check_section(r, SECTION_B_G1, c.b_inputs + c.b_aux, err));
    CUZK_TRY(check_section(r, SECTION_B_G2, c.b_inputs + c.b_aux, err));
out:
    return st;
}

/* ---- whose is it? ---- */

/* The key at the begin of the file, byte for byte what the .vk file has. */
typedef struct {
    uint8_t *bytes;
    size_t n;
} key_bytes;

static cuzk_status read_key(key_bytes *key, const load_run *r, cuzk_err *err)
{
    key->n = VK_POINTS_BYTES + 4 + r->file.section[SECTION_IC].n * G1_FILE_BYTES;
    key->bytes = cuzk_malloc(key->n);
    if (!key->bytes)
        return cuzk_fail(err, CUZK_NOMEM, 0, "%s: no memory for its key", r->path);
    return cuzk_params_pread(&r->file, key->bytes, 0, key->n, err);
}

static cuzk_status compare_vk_file(const load_run *r, const key_bytes *key, cuzk_err *err)
{
    uint8_t *bytes = NULL;
    size_t n = 0;
    char *path = cuzk_params_path(r->loader->params_dir, r->id, "vk");
    if (!path)
        return cuzk_fail(err, CUZK_NOMEM, 0, "%s: no memory for its key", r->path);
    cuzk_status st = cuzk_file_read(&bytes, &n, path, key->n, err);
    bool pair = st == CUZK_OK && n == key->n && memcmp(bytes, key->bytes, n) == 0;
    if (pair || st == CUZK_NOT_FOUND) /* only those who verify need it */
        st = CUZK_OK;
    else if (st == CUZK_OK && n == 0)
        st = cuzk_fail(err, CUZK_PARAMS, 0, "%s is empty; did a download fail?", path);
    else if (st == CUZK_OK || st == CUZK_BUDGET) /* other bytes, more bytes */
        st = cuzk_fail(err, CUZK_PARAMS, 0,
                       "%s is not the key that begins the .params file beside it: they are not a "
                       "pair; fetch both again",
                       path);
    cuzk_free(bytes);
    cuzk_free(path);
    return st;
}

static bool has_digest(const key_bytes *key, const char *expected)
{
    uint8_t digest[64];
    char hex[PARAMS_DIGEST_CHARS + 1];
    cuzk_blake2b512(digest, key->bytes, key->n);
    cuzk_hex_encode(hex, digest, PARAMS_DIGEST_BYTES);
    return strcmp(hex, expected) == 0;
}

/* Whose key it is decides whose file it ought to be. */
static cuzk_status check_origin(load_run *r, const key_bytes *key, cuzk_err *err)
{
    const params_digests *d = r->loader->digests(r->id);
    bool published = d && has_digest(key, d->vk), real = r->loader->is_real(r->id);
    r->expected = published && real ? d->params : NULL;
    if (published)
        return CUZK_OK;
    if (real && !r->loader->allow_insecure)
        return cuzk_fail(err, CUZK_PARAMS, 0,
                         "%s is not Filecoin's file for %s: its key is another's, so proofs made "
                         "with it are worth nothing; fetch Filecoin's, or for tests give "
                         "--allow-insecure-params",
                         r->path, r->name);
    cuzk_log(CUZK_LOG_WARN, NULL,
             "parameters of %s are self-made: proofs made with %s are good for tests only", r->name,
             r->path);
    return CUZK_OK;
}

static cuzk_status check_file(load_run *r, cuzk_err *err)
{
    key_bytes key = {0};
    cuzk_status st;
    CUZK_TRY(check_counts(r, err));
    CUZK_TRY(read_key(&key, r, err));
    CUZK_TRY(compare_vk_file(r, &key, err));
    CUZK_TRY(check_origin(r, &key, err));
out:
    cuzk_free(key.bytes);
    return st;
}

/* ---- the digest, beside the points ---- */

typedef struct {
    const load_run *run;
    params_file file; /* its own cancel flag: it ends as well when a point is bad */
    atomic_bool stop;
    pthread_t thread;
    bool started;
    cuzk_status st;
    cuzk_err err;
} digest_check;

static void *digest_main(void *ctx)
{
    digest_check *d = ctx;
    cuzk_span span = cuzk_span_begin(d->run->trace, "srs_digest", CUZK_NO_PARTITION);
    d->st = cuzk_verdict_check(d->run->loader->verdicts, &d->file, d->run->expected, &d->err);
    cuzk_span_end(&span);
    return NULL;
}

/* Streamed there is nothing to do beside it. Without a thread it is done first as well. */
static void digest_begin(digest_check *d, const load_run *r, bool known, bool streamed)
{
    *d = (digest_check){.run = r, .file = r->file, .st = CUZK_OK};
    if (!r->expected)
        return;
    if (!known && !streamed) {
        d->file.cancel = &d->stop;
        d->started = pthread_create(&d->thread, NULL, digest_main, d) == 0;
    }
    if (d->started) {
        pthread_setname_np(d->thread, "cuzk-digest");
        return;
    }
    d->file.cancel = r->file.cancel;
    digest_main(d);
}

static bool timed_out(digest_check *d)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += POLL_NS;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return pthread_timedjoin_np(d->thread, NULL, &t) == ETIMEDOUT;
}

/* The points are there, or not (failed). */
static void digest_end(digest_check *d, bool failed)
{
    const atomic_bool *cancel = d->run->file.cancel;
    while (d->started) {
        if (failed || (cancel && atomic_load(cancel)))
            atomic_store(&d->stop, true);
        d->started = timed_out(d);
    }
}

/* ---- all of it ---- */

static void watch_begin(load_run *r, const srs_watch *watch, bool hash, bool streamed)
{
    r->file.done = watch->done;
    r->file.cancel = watch->cancel;
    if (watch->all_bytes)
        atomic_store(watch->all_bytes, r->file.file_bytes * ((streamed ? 0u : 1u) + hash));
}

static cuzk_status load_open(groth16_srs *out, load_run *r, bool streamed, const srs_watch *watch,
                             cuzk_err *err)
{
    digest_check d;
    cuzk_status st = check_file(r, err);
    if (st != CUZK_OK)
        return st;
    bool known = r->expected && cuzk_verdict_known(r->loader->verdicts, &r->file);
    watch_begin(r, watch, r->expected && !known, streamed);
    digest_begin(&d, r, known, streamed);
    bool wanted = d.started || d.st == CUZK_OK;
    if (wanted)
        st = cuzk_srs_of_file(out, &r->file, streamed, r->loader->pool, err);
    digest_end(&d, st != CUZK_OK);
    if (st != CUZK_OK || d.st == CUZK_OK)
        return st;
    if (wanted)
        cuzk_srs_fini(out);
    if (err)
        *err = d.err;
    return d.st;
}

cuzk_status cuzk_srs_load(groth16_srs *out, const srs_loader *l, circuit_id id, bool streamed,
                          const srs_watch *watch, cuzk_trace *trace, cuzk_err *err)
{
    load_run r = {.loader = l, .id = id, .trace = trace};
    cuzk_circuit_id_format(r.name, id);
    r.path = cuzk_params_path(l->params_dir, id, "params");
    if (!r.path)
        return cuzk_fail(err, CUZK_NOMEM, 0, "parameters: no memory");
    cuzk_span span = cuzk_span_begin(trace, "srs_load", CUZK_NO_PARTITION);
    cuzk_status st = cuzk_params_open(&r.file, r.path, SECTION_COUNT, err);
    if (st == CUZK_NOT_FOUND)
        st = missing_params(l->params_dir, r.path, id, err);
    else if (st == CUZK_OK)
        st = load_open(out, &r, streamed, watch, err);
    cuzk_params_close(&r.file);
    cuzk_span_end(&span);
    cuzk_free(r.path);
    return st;
}

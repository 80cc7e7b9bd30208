#include "engine/srs_cache.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "engine/params_dir.h"

#define MAX_SLOTS 128 /* 4 kinds of 12 shapes, resident and streamed */

typedef enum { SLOT_EMPTY, SLOT_LOADING, SLOT_READY } slot_state;

typedef struct {
    slot_state state;
    circuit_id id;
    bool streamed;
    groth16_srs srs;
    uint64_t bytes;
    unsigned ref_count;
} srs_slot;

struct srs_cache {
    pthread_mutex_t lock; /* guards slot[], not the contents of a READY srs */
    pthread_cond_t loaded;
    srs_slot slot[MAX_SLOTS];
    char *params_dir;
    cuzk_pool *pool;
};

cuzk_status cuzk_srs_cache_new(srs_cache **out, const char *params_dir, cuzk_pool *pool,
                               cuzk_err *err)
{
    srs_cache *c = cuzk_calloc(1, sizeof *c);
    char *dir = cuzk_strdup(params_dir);
    if (!c || !dir) {
        cuzk_free(c);
        cuzk_free(dir);
        return cuzk_fail(err, CUZK_NOMEM, 0, "parameter cache: no memory");
    }
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->loaded, NULL);
    c->params_dir = dir;
    c->pool = pool;
    *out = c;
    return CUZK_OK;
}

void cuzk_srs_cache_free(srs_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < MAX_SLOTS; i++) {
        if (cache->slot[i].state == SLOT_READY)
            cuzk_srs_fini(&cache->slot[i].srs);
    }
    pthread_cond_destroy(&cache->loaded);
    pthread_mutex_destroy(&cache->lock);
    cuzk_free(cache->params_dir);
    cuzk_free(cache);
}

/* The slot of id, or a free one. One exists: there are fewer circuits than slots. */
static srs_slot *find_slot(srs_cache *cache, circuit_id id, bool streamed)
{
    srs_slot *empty = NULL;
    for (size_t i = 0; i < MAX_SLOTS; i++) {
        srs_slot *s = &cache->slot[i];
        if (s->state == SLOT_EMPTY)
            empty = empty ? empty : s;
        else if (s->id.kind == id.kind && s->id.shape == id.shape && s->streamed == streamed)
            return s;
    }
    return empty;
}

static cuzk_status missing_params(const char *path, circuit_id id, cuzk_err *err)
{
    char name[24];
    cuzk_circuit_id_format(name, id);
    return cuzk_fail(
        err, CUZK_PARAMS, 0,
        "no parameters for %s: %s does not exist; fetch Filecoin's parameters into that "
        "folder, name another with --params, or for tests run `cuzk params make %s "
        "--insecure-test-secrets --out DIR`",
        name, path, name);
}

static cuzk_status load(srs_cache *cache, circuit_id id, bool streamed, groth16_srs *srs,
                        cuzk_trace *trace, cuzk_err *err)
{
    char *path = cuzk_params_path(cache->params_dir, id, "params");
    if (!path)
        return cuzk_fail(err, CUZK_NOMEM, 0, "parameter cache: no memory");
    cuzk_span span = cuzk_span_begin(trace, "srs_load", CUZK_NO_PARTITION);
    cuzk_status st =
        streamed ? cuzk_srs_open(srs, path, err) : cuzk_srs_read(srs, path, cache->pool, err);
    cuzk_span_end(&span);
    if (st == CUZK_NOT_FOUND)
        st = missing_params(path, id, err);
    if (st == CUZK_OK) {
        st = cuzk_params_check_ic(&srs->vk, id, path, err);
        if (st != CUZK_OK)
            cuzk_srs_fini(srs);
    }
    cuzk_free(path);
    return st;
}

static uint64_t srs_bytes(const groth16_srs *s)
{
    return (s->vk.n_ic + s->n_h + s->n_l + s->n_a + s->n_b) * sizeof(g1_affine) +
           s->n_b * sizeof(g2_affine);
}

cuzk_status cuzk_srs_cache_acquire(srs_cache *cache, circuit_id id, bool streamed,
                                   const groth16_srs **out, bool *loaded_before, cuzk_trace *trace,
                                   cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    pthread_mutex_lock(&cache->lock);
    srs_slot *s = find_slot(cache, id, streamed);
    while (s->state == SLOT_LOADING) {
        pthread_cond_wait(&cache->loaded, &cache->lock);
        s = find_slot(cache, id, streamed);
    }
    if (loaded_before)
        *loaded_before = s->state == SLOT_READY;
    if (s->state == SLOT_EMPTY) {
        s->state = SLOT_LOADING;
        s->id = id;
        s->streamed = streamed;
        pthread_mutex_unlock(&cache->lock);
        groth16_srs srs;
        st = load(cache, id, streamed, &srs, trace, err);
        pthread_mutex_lock(&cache->lock);
        s->state = st == CUZK_OK ? SLOT_READY : SLOT_EMPTY;
        if (st == CUZK_OK) {
            s->srs = srs;
            s->bytes = srs_bytes(&srs);
        }
        pthread_cond_broadcast(&cache->loaded);
    }
    if (st == CUZK_OK) {
        s->ref_count++;
        *out = &s->srs;
    }
    pthread_mutex_unlock(&cache->lock);
    return st;
}

void cuzk_srs_cache_release(srs_cache *cache, const groth16_srs *srs)
{
    if (!srs)
        return;
    pthread_mutex_lock(&cache->lock);
    for (size_t i = 0; i < MAX_SLOTS; i++) {
        if (&cache->slot[i].srs == srs)
            cache->slot[i].ref_count--;
    }
    pthread_mutex_unlock(&cache->lock);
}

bool cuzk_srs_cache_has(srs_cache *cache, circuit_id id)
{
    pthread_mutex_lock(&cache->lock);
    const srs_slot *s = find_slot(cache, id, false);
    bool has = s->state == SLOT_READY;
    pthread_mutex_unlock(&cache->lock);
    return has;
}

size_t cuzk_srs_cache_list(srs_cache *cache, cuzk_prover_srs_info out[], size_t max)
{
    size_t n = 0;
    pthread_mutex_lock(&cache->lock);
    for (size_t i = 0; i < MAX_SLOTS; i++) {
        const srs_slot *s = &cache->slot[i];
        if (s->state != SLOT_READY || s->streamed)
            continue;
        if (n < max) {
            cuzk_circuit_id_format(out[n].circuit, s->id);
            out[n].bytes = s->bytes;
            out[n].ref_count = s->ref_count;
        }
        n++;
    }
    pthread_mutex_unlock(&cache->lock);
    return n;
}

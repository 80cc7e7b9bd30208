#include "engine/circuit_cache.h"

#include <pthread.h>

#include "base/mem.h"
#include "filecoin/circuits.h"

#define MAX_CIRCUITS 64 /* 4 kinds of 12 shapes */

typedef struct {
    circuit_id id;
    compiled_circuit *circuit;
} cache_entry;

struct circuit_cache {
    pthread_mutex_t lock; /* guards all below, also while compiling */
    size_t n;
    cache_entry entry[MAX_CIRCUITS];
};

cuzk_status cuzk_circuit_cache_new(circuit_cache **out, cuzk_err *err)
{
    circuit_cache *c = (circuit_cache *)cuzk_calloc(1, sizeof *c);
    if (!c)
        return cuzk_fail(err, CUZK_NOMEM, 0, "circuit cache: no memory");
    pthread_mutex_init(&c->lock, NULL);
    *out = c;
    return CUZK_OK;
}

void cuzk_circuit_cache_free(circuit_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < cache->n; i++)
        cuzk_compiled_free(cache->entry[i].circuit);
    pthread_mutex_destroy(&cache->lock);
    cuzk_free(cache);
}

static const compiled_circuit *find(const circuit_cache *c, circuit_id id)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->entry[i].id.kind == id.kind && c->entry[i].id.shape == id.shape)
            return c->entry[i].circuit;
    }
    return NULL;
}

static cuzk_status add(circuit_cache *c, circuit_id id, cuzk_trace *trace, cuzk_err *err)
{
    const circuit_instance blank = {.id = id};
    const cs_circuit circuit = cuzk_circuit_of(&blank);
    compiled_circuit *k = NULL;
    if (c->n == MAX_CIRCUITS)
        return cuzk_fail(err, CUZK_INTERNAL, 0, "circuit cache: more than %d circuits",
                         MAX_CIRCUITS);
    cuzk_span span = cuzk_span_begin(trace, "compile", CUZK_NO_PARTITION);
    cuzk_status st = cuzk_compile(&k, &circuit, err);
    cuzk_span_end(&span);
    if (st == CUZK_OK)
        c->entry[c->n++] = (cache_entry){id, k};
    return st;
}

cuzk_status cuzk_circuit_cache_get(circuit_cache *cache, circuit_id id,
                                   const compiled_circuit **out, cuzk_trace *trace, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    pthread_mutex_lock(&cache->lock);
    const compiled_circuit *k = find(cache, id);
    if (!k) {
        st = add(cache, id, trace, err);
        k = find(cache, id);
    }
    pthread_mutex_unlock(&cache->lock);
    if (st == CUZK_OK)
        *out = k;
    return st;
}

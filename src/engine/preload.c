#include "engine/preload.h"

#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/log.h"
#include "engine/prover_memory.h"

typedef struct {
    circuit_id id;
    uint64_t bytes; /* of the file */
} wanted;

struct preload {
    prover_memory *memory;
    const char *params_dir;
    atomic_bool stop;
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below; item is constant once started */
    bool started;
    wanted *item;
    unsigned n, n_done, n_failed;
    cuzk_err error; /* of the first that failed */
};

cuzk_status cuzk_preload_new(preload **out, prover_memory *m, const char *params_dir, cuzk_err *err)
{
    preload *p = cuzk_calloc(1, sizeof *p);
    if (!p)
        return cuzk_fail(err, CUZK_NOMEM, 0, "preload: no memory");
    p->memory = m;
    p->params_dir = params_dir;
    pthread_mutex_init(&p->lock, NULL);
    *out = p;
    return CUZK_OK;
}

void cuzk_preload_free(preload *p)
{
    if (!p)
        return;
    atomic_store(&p->stop, true);
    if (p->started)
        pthread_join(p->thread, NULL);
    pthread_mutex_destroy(&p->lock);
    cuzk_free(p->item);
    cuzk_free(p);
}

static void tell(const wanted *w, cuzk_status st, const cuzk_err *err, uint64_t ns)
{
    char name[24];
    cuzk_circuit_id_format(name, w->id);
    if (st == CUZK_OK)
        cuzk_log(CUZK_LOG_INFO, NULL, "parameters of %s are loaded: %.1f MB in %.1f s", name,
                 (double)w->bytes / 1e6, (double)ns / 1e9);
    else if (st != CUZK_CANCELLED)
        cuzk_log(CUZK_LOG_ERROR, NULL, "parameters of %s are not preloaded: %s", name, err->msg);
}

static void load_one(preload *p, const wanted *w)
{
    cuzk_err err = {0};
    bool unused;
    const preload_wish wish = {.cancel = &p->stop};
    uint64_t begin = cuzk_now_ns();
    cuzk_status st = cuzk_memory_preload(p->memory, w->id, &wish, &unused, NULL, &err);
    tell(w, st, &err, cuzk_now_ns() - begin);
    pthread_mutex_lock(&p->lock);
    if (st != CUZK_OK && p->n_failed++ == 0)
        p->error = err;
    p->n_done++;
    pthread_mutex_unlock(&p->lock);
}

static void *preload_main(void *ctx)
{
    preload *p = ctx;
    for (unsigned i = 0; i < p->n && !atomic_load(&p->stop); i++)
        load_one(p, &p->item[i]);
    return NULL;
}

static cuzk_status start(preload *p, const circuit_id id[], size_t n, cuzk_err *err)
{
    if (p->started)
        return cuzk_fail(err, CUZK_INVAL, 0, "parameters are being preloaded already");
    p->item = CUZK_NEW_ARRAY(wanted, n);
    if (!p->item)
        return cuzk_fail(err, CUZK_NOMEM, 0, "preload: no memory for %zu circuits", n);
    for (size_t i = 0; i < n; i++)
        p->item[i] = (wanted){id[i], cuzk_srs_file_bytes(p->params_dir, id[i])};
    p->n = (unsigned)n;
    int sys = pthread_create(&p->thread, NULL, preload_main, p);
    if (sys != 0) {
        p->n = 0;
        return cuzk_fail(err, CUZK_NOMEM, sys, "preload: no thread");
    }
    pthread_setname_np(p->thread, "cuzk-preload");
    p->started = true;
    return CUZK_OK;
}

cuzk_status cuzk_preload_begin(preload *p, const circuit_id id[], size_t n, cuzk_err *err)
{
    if (n == 0)
        return CUZK_OK;
    pthread_mutex_lock(&p->lock);
    cuzk_status st = start(p, id, n, err);
    pthread_mutex_unlock(&p->lock);
    return st;
}

/* Whole files before the one that loads, and its share; at most 99 before the end. */
static unsigned percent_of(const preload *p)
{
    double done = 0, all = 0;
    for (unsigned i = 0; i < p->n; i++) {
        double bytes = (double)p->item[i].bytes;
        all += bytes;
        if (i < p->n_done)
            done += bytes;
        else if (i == p->n_done)
            done +=
                bytes * cuzk_holdings_percent(cuzk_memory_holdings(p->memory), p->item[i].id) / 100;
    }
    if (p->n_done == p->n)
        return 100;
    unsigned percent = all > 0 ? (unsigned)(100 * done / all) : 0;
    return percent < 99 ? percent : 99;
}

void cuzk_preload_look(preload *p, cuzk_preload_report *out)
{
    *out = (cuzk_preload_report){.n_all = 0};
    pthread_mutex_lock(&p->lock);
    if (p->n > 0) {
        out->n_all = p->n;
        out->n_done = p->n_done;
        out->n_failed = p->n_failed;
        out->error = p->error;
        out->percent = percent_of(p);
        if (p->n_done < p->n)
            cuzk_circuit_id_format(out->circuit, p->item[p->n_done].id);
    }
    pthread_mutex_unlock(&p->lock);
}

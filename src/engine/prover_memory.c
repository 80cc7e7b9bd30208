#include "engine/prover_memory.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/switches.h"
#include "engine/log.h"
#include "engine/memory_available.h"
#include "engine/params_dir.h"
#include "filecoin/circuits.h"

#define GIB        (1024.0 * 1024.0 * 1024.0)
#define MAX_SHAPES 16u
/* Asking the system what is available takes as long as 50 us: only for what matters. */
#define ASK_SYSTEM_BYTES ((uint64_t)256 << 20)

struct prover_memory {
    cuzk_budget *budget;
    holdings *holdings;
    srs_loader loader;
    cuzk_srs_mode mode;
    bool compiled; /* unless switch compact-witness is off */
    bool fixed;    /* the budget was configured: nobody asks the system */
    uint64_t total;
    char source[96];
    const char *params_source; /* static */

    preload *preload;

    pthread_mutex_t lock;                             /* guards file_bytes */
    uint64_t file_bytes[CUZK_KIND_COUNT][MAX_SHAPES]; /* as last seen; 0: no file */
};

cuzk_budget *cuzk_memory_budget(prover_memory *m)
{
    return m->budget;
}

holdings *cuzk_memory_holdings(prover_memory *m)
{
    return m->holdings;
}

preload *cuzk_memory_preloading(prover_memory *m)
{
    return m->preload;
}

/* ---- files ---- */

static uint64_t look_at_file(prover_memory *m, circuit_id id)
{
    uint64_t bytes = cuzk_srs_file_bytes(m->loader.params_dir, id);
    size_t shape = (size_t)(id.shape - cuzk_shapes);
    CUZK_DASSERT(shape < MAX_SHAPES);
    pthread_mutex_lock(&m->lock);
    m->file_bytes[id.kind][shape] = bytes;
    pthread_mutex_unlock(&m->lock);
    return bytes;
}

static void look_at_all_files(prover_memory *m)
{
    for (int kind = 0; kind < CUZK_KIND_COUNT; kind++) {
        for (size_t i = 0; i < cuzk_n_shapes; i++) {
            circuit_id id = {(cuzk_kind)kind, &cuzk_shapes[i]};
            if (cuzk_circuit_exists(id))
                look_at_file(m, id);
        }
    }
}

size_t cuzk_memory_on_disk(prover_memory *m, cuzk_prover_srs_info out[], size_t max)
{
    size_t n = 0;
    for (int kind = 0; kind < CUZK_KIND_COUNT; kind++) {
        for (size_t i = 0; i < cuzk_n_shapes; i++) {
            circuit_id id = {(cuzk_kind)kind, &cuzk_shapes[i]};
            pthread_mutex_lock(&m->lock);
            uint64_t bytes = m->file_bytes[kind][i];
            pthread_mutex_unlock(&m->lock);
            if (bytes == 0 || cuzk_holdings_listed(m->holdings, id))
                continue;
            if (n < max) {
                out[n] = (cuzk_prover_srs_info){.tier = SRS_COLD, .file_bytes = bytes};
                cuzk_circuit_id_format(out[n].circuit, id);
            }
            n++;
        }
    }
    return n;
}

/* ---- new, free ---- */

static uint64_t choose_total(prover_memory *m, const cuzk_prover_options *opt)
{
    memory_total t;
    m->fixed = opt->max_memory != 0;
    if (m->fixed) {
        snprintf(m->source, sizeof m->source, "as configured");
        return opt->max_memory;
    }
    cuzk_memory_total(&t, "");
    if (t.bytes == UINT64_MAX)
        return t.bytes;
    uint64_t margin = opt->memory_margin ? opt->memory_margin : cuzk_memory_margin(t.bytes);
    snprintf(m->source, sizeof m->source, "%.70s less a margin", t.source);
    return t.bytes > margin ? t.bytes - margin : 0;
}

static bool same_folder(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static cuzk_status make_loader(prover_memory *m, const cuzk_prover_options *opt,
                               const char *params_dir, cuzk_pool *pool, cuzk_err *err)
{
    m->loader = (srs_loader){.params_dir = params_dir,
                             .pool = pool,
                             .allow_insecure = opt->allow_insecure_params || opt->insecure_test_rs,
                             .digests = cuzk_params_table_find,
                             .is_real = cuzk_params_are_real};
    cuzk_status st = cuzk_verdicts_new(&m->loader.verdicts, opt->cache_dir, err);
    if (st == CUZK_OK && same_folder(cuzk_verdicts_folder(m->loader.verdicts), params_dir))
        st = cuzk_fail(err, CUZK_INVAL, 0,
                       "the cache folder '%s' is the parameter folder, where cuzk does not write; "
                       "name another",
                       params_dir);
    return st;
}

cuzk_status cuzk_prover_memory_new(prover_memory **out, const cuzk_prover_options *opt,
                                   const char *params_dir, cuzk_pool *pool, cuzk_err *err)
{
    cuzk_status st;
    prover_memory *m = cuzk_calloc(1, sizeof *m);
    if (!m)
        return cuzk_fail(err, CUZK_NOMEM, 0, "prover: no memory");
    pthread_mutex_init(&m->lock, NULL);
    m->mode = opt->srs;
    m->compiled = !opt->interpreted;
    m->total = choose_total(m, opt);
    m->params_source = cuzk_params_dir_source(opt->params_dir);
    CUZK_TRY(make_loader(m, opt, params_dir, pool, err));
    CUZK_TRY(cuzk_budget_new(&m->budget, m->total, err));
    CUZK_TRY(cuzk_holdings_new(&m->holdings, m->budget,
                               (uint64_t)opt->eviction_min_idle_s * 1000000000u, err));
    CUZK_TRY(cuzk_preload_new(&m->preload, m, params_dir, err));
    cuzk_budget_on_reclaim(m->budget, cuzk_holdings_reclaim, m->holdings);
    look_at_all_files(m);
    *out = m;
    return CUZK_OK;
out:
    cuzk_prover_memory_free(m);
    return st;
}

void cuzk_prover_memory_free(prover_memory *m)
{
    if (!m)
        return;
    cuzk_preload_free(m->preload);
    cuzk_holdings_free(m->holdings);
    cuzk_budget_free(m->budget);
    cuzk_verdicts_free(m->loader.verdicts);
    pthread_mutex_destroy(&m->lock);
    cuzk_free(m);
}

void cuzk_memory_log(const prover_memory *m)
{
    cuzk_err err;
    cuzk_log(CUZK_LOG_INFO, NULL, "parameter folder: %s (%s)", m->loader.params_dir,
             m->params_source);
    if (cuzk_params_dir_check(m->loader.params_dir, &err) != CUZK_OK)
        cuzk_log(CUZK_LOG_WARN, NULL, "%s", err.msg);
    if (m->total == UINT64_MAX)
        cuzk_log(CUZK_LOG_WARN, NULL, "memory budget: none, the system does not say what it has");
    else
        cuzk_log(CUZK_LOG_INFO, NULL, "memory budget: %.3f GiB (%s)", (double)m->total / GIB,
                 m->source);
}

/* ---- planning ---- */

static bool compiles(const prover_memory *m)
{
    return m->compiled && cuzk_switch_on(CUZK_SWITCH_COMPACT_WITNESS);
}

static memory_question question_of(const prover_memory *m, circuit_id id, uint64_t available)
{
    bool hot = cuzk_holdings_has(m->holdings, HOLDING_SRS, id);
    return (memory_question){.mode = hot && m->mode == CUZK_SRS_AUTO ? CUZK_SRS_RESIDENT : m->mode,
                             .compiled = compiles(m),
                             .n_threads = cuzk_pool_size(m->loader.pool),
                             .available = available,
                             .total = m->total};
}

/* What the system has for us, with what we hold: that can be given up. */
static uint64_t available_to_us(const prover_memory *m)
{
    budget_stats s;
    uint64_t now = cuzk_memory_available("");
    cuzk_budget_stats(m->budget, &s);
    return now < UINT64_MAX - s.used ? now + s.used : UINT64_MAX;
}

static cuzk_status plan(memory_answer *out, const prover_memory *m, circuit_id id, cuzk_err *err)
{
    memory_question q = question_of(m, id, UINT64_MAX);
    cuzk_status st = cuzk_memory_plan(out, id, &q, err);
    if (st != CUZK_OK || m->fixed)
        return st;
    uint64_t new_bytes = out->partition_bytes;
    if (!cuzk_holdings_has(m->holdings, out->streamed ? HOLDING_STREAM : HOLDING_SRS, id))
        new_bytes += out->srs_bytes;
    if (new_bytes < ASK_SYSTEM_BYTES)
        return st;
    q.available = available_to_us(m);
    return cuzk_memory_plan(out, id, &q, err);
}

/* Can it ever be made here? */
cuzk_status cuzk_memory_admit(prover_memory *m, circuit_id id, cuzk_err *err)
{
    memory_answer unused;
    memory_question q = question_of(m, id, UINT64_MAX);
    cuzk_status st = cuzk_memory_plan(&unused, id, &q, err);
    if (st != CUZK_OK || cuzk_holdings_listed(m->holdings, id))
        return st;
    return cuzk_srs_find(m->loader.params_dir, id, err);
}

/* ---- reserving ---- */

typedef struct {
    memory_lease *lease;
    bool parameters_only, reclaim;
} attempt;

static void undo_pins(memory_lease *l)
{
    cuzk_holdings_undo_pin(l->memory->holdings, l->srs_holding);
    cuzk_holdings_undo_pin(l->memory->holdings, l->circuit_holding);
    l->srs_holding = l->circuit_holding = NULL;
}

/* Pins what is there and adds up what is not. */
static void pin_or_count(memory_lease *l, const attempt *a, budget_token *own, budget_token *need)
{
    holdings *h = l->memory->holdings;
    l->srs_holding = cuzk_holdings_pin(h, l->plan.streamed ? HOLDING_STREAM : HOLDING_SRS, l->id);
    if (l->srs_holding)
        own->bytes[BUDGET_SRS] = l->srs_holding->bytes;
    else
        need->bytes[BUDGET_SRS] = l->plan.srs_bytes;
    if (a->parameters_only)
        return;
    need->bytes[BUDGET_PARTITION] = l->plan.partition_bytes;
    if (!l->compiles)
        return;
    l->circuit_holding = cuzk_holdings_pin(h, HOLDING_CIRCUIT, l->id);
    if (l->circuit_holding)
        own->bytes[BUDGET_CIRCUIT] = l->circuit_holding->bytes;
    else
        need->bytes[BUDGET_CIRCUIT] = l->plan.circuit_bytes;
}

/* The tokens are taken: places for what we have to make. Only one thread at a time is here, so what
 * was absent still is. */
static cuzk_status begin_making(memory_lease *l, const attempt *a, const budget_token *need,
                                cuzk_err *err)
{
    holdings *h = l->memory->holdings;
    holding_kind kind = l->plan.streamed ? HOLDING_STREAM : HOLDING_SRS;
    budget_token rest = *need;
    if (!l->srs_holding) {
        l->srs_holding = cuzk_holdings_begin(h, kind, l->id, need->bytes[BUDGET_SRS]);
        l->make_srs = l->srs_holding != NULL;
        rest.bytes[BUDGET_SRS] = l->make_srs ? 0 : rest.bytes[BUDGET_SRS];
    }
    if (!l->circuit_holding && !a->parameters_only && l->compiles) {
        l->circuit_holding =
            cuzk_holdings_begin(h, HOLDING_CIRCUIT, l->id, need->bytes[BUDGET_CIRCUIT]);
        l->make_circuit = l->circuit_holding != NULL;
        rest.bytes[BUDGET_CIRCUIT] = l->make_circuit ? 0 : rest.bytes[BUDGET_CIRCUIT];
    }
    bool all = l->srs_holding && (l->circuit_holding || a->parameters_only || !l->compiles);
    if (all) {
        l->partition_bytes = need->bytes[BUDGET_PARTITION];
        return CUZK_OK;
    }
    cuzk_budget_release(l->memory->budget, &rest);
    return cuzk_fail(err, CUZK_INTERNAL, 0, "too many parameters are held at a time");
}

/* The allocator keeps freed pages for the next block. What it keeps will serve this job; more than
 * that is returned when it could make the process larger than the budget. */
static void trim_pages(const prover_memory *m, const budget_token *need)
{
    budget_stats s;
    uint64_t kept = cuzk_mem_kept(), taken = cuzk_budget_token_sum(need);
    cuzk_budget_stats(m->budget, &s);
    if (kept > taken && s.used - taken + kept > s.total)
        cuzk_mem_trim();
}

static cuzk_status try_reserve(void *ctx, cuzk_err *err)
{
    const attempt *a = ctx;
    memory_lease *l = a->lease;
    budget_token own = {.bytes[0] = 0}, need = {.bytes[0] = 0};
    pin_or_count(l, a, &own, &need);
    if (cuzk_budget_take(l->memory->budget, &need, &own, a->reclaim)) {
        trim_pages(l->memory, &need);
        return begin_making(l, a, &need, err);
    }
    undo_pins(l);
    return CUZK_BUDGET;
}

static void tell_memory(void *ctx)
{
    const memory_lease *l = ctx;
    l->wish.waiting(l->wish.waiting_ctx, "wait_memory");
}

cuzk_status cuzk_lease_reserve(memory_lease *lease, prover_memory *m, circuit_id id,
                               const lease_wish *wish, cuzk_err *err)
{
    char name[24];
    attempt a = {.lease = lease, .reclaim = true};
    *lease = (memory_lease){.memory = m, .id = id, .wish = *wish, .compiles = compiles(m)};
    cuzk_status st = plan(&lease->plan, m, id, err);
    if (st != CUZK_OK)
        return st;
    if (lease->plan.srs_bytes == 0) /* no counts: the file says what it takes in memory */
        lease->plan.srs_bytes = lease->plan.streamed ? 0 : look_at_file(m, id);
    cuzk_circuit_id_format(name, id);
    const budget_wish w = {.urgency = wish->urgency,
                           .cancel = wish->cancel,
                           .what = name,
                           .waiting = wish->waiting ? tell_memory : NULL,
                           .waiting_ctx = lease};
    return cuzk_budget_wait(m->budget, try_reserve, &a, &w, err);
}

/* ---- making ---- */

static cuzk_status make_srs(memory_lease *l, cuzk_trace *trace, cuzk_err *err)
{
    holding *o = l->srs_holding;
    const srs_watch watch = {&o->done, &o->all_bytes, l->wish.cancel};
    cuzk_status st =
        cuzk_srs_load(&o->srs, &l->memory->loader, l->id, l->plan.streamed, &watch, trace, err);
    look_at_file(l->memory, l->id);
    if (st == CUZK_OK && !l->plan.streamed) {
        CUZK_DASSERT(cuzk_srs_bytes(&o->srs) <= o->bytes); /* the counts have been checked */
        cuzk_holdings_shrink(l->memory->holdings, o, cuzk_srs_bytes(&o->srs));
    }
    l->make_srs = false;
    cuzk_holdings_finish(l->memory->holdings, o, st == CUZK_OK);
    return st;
}

static cuzk_status make_circuit(memory_lease *l, cuzk_trace *trace, cuzk_err *err)
{
    const circuit_instance blank = {.id = l->id};
    const cs_circuit circuit = cuzk_circuit_of(&blank);
    compiled_info info;
    holding *o = l->circuit_holding;
    cuzk_span span = cuzk_span_begin(trace, "compile", CUZK_NO_PARTITION);
    cuzk_status st = cuzk_compile(&o->circuit, &circuit, err);
    cuzk_span_end(&span);
    if (st == CUZK_OK) {
        cuzk_compiled_info(&info, o->circuit);
        cuzk_holdings_shrink(l->memory->holdings, o, info.bytes);
    }
    l->make_circuit = false;
    cuzk_holdings_finish(l->memory->holdings, o, st == CUZK_OK);
    return st;
}

/* Until another has made it. */
static cuzk_status await(const memory_lease *l, const holding *o, cuzk_err *err)
{
    holdings *h = l->memory->holdings;
    if (l->wish.waiting && !cuzk_holdings_ready(h, o))
        l->wish.waiting(l->wish.waiting_ctx, "wait_params");
    return cuzk_holdings_await(h, o, l->wish.cancel, err);
}

/* CUZK_NOT_FOUND: who was making it failed. */
static cuzk_status fill_once(memory_lease *l, cuzk_trace *trace, cuzk_err *err)
{
    cuzk_status st;
    if (l->make_srs)
        CUZK_TRY(make_srs(l, trace, err));
    CUZK_TRY(await(l, l->srs_holding, err));
    l->srs = &l->srs_holding->srs;
    if (!l->circuit_holding)
        return CUZK_OK;
    if (l->make_circuit)
        CUZK_TRY(make_circuit(l, trace, err));
    CUZK_TRY(await(l, l->circuit_holding, err));
    l->compiled = l->circuit_holding->circuit;
out:
    return st;
}

cuzk_status cuzk_lease_fill(memory_lease *l, cuzk_trace *trace, cuzk_err *err)
{
    cuzk_status st;
    /* Another's failure may have been his own, a cancelled load say: try ourselves. */
    while ((st = fill_once(l, trace, err)) == CUZK_NOT_FOUND) {
        const memory_lease again = *l;
        cuzk_lease_release(l);
        st = cuzk_lease_reserve(l, again.memory, again.id, &again.wish, err);
        if (st != CUZK_OK)
            break;
    }
    return st;
}

void cuzk_lease_release(memory_lease *l)
{
    prover_memory *m = l->memory;
    if (!m)
        return;
    if (l->make_srs)
        cuzk_holdings_finish(m->holdings, l->srs_holding, false);
    if (l->make_circuit)
        cuzk_holdings_finish(m->holdings, l->circuit_holding, false);
    cuzk_holdings_unpin(m->holdings, l->circuit_holding);
    cuzk_holdings_unpin(m->holdings, l->srs_holding);
    if (l->partition_bytes > 0)
        cuzk_budget_release_one(m->budget, BUDGET_PARTITION, l->partition_bytes);
    *l = (memory_lease){.memory = NULL};
}

/* ---- preloading ---- */

static cuzk_status reserve_parameters(memory_lease *l, prover_memory *m, circuit_id id,
                                      const preload_wish *wish, cuzk_err *err)
{
    char name[24];
    attempt a = {.lease = l, .parameters_only = true, .reclaim = wish->evict_others};
    *l = (memory_lease){.memory = m, .id = id, .wish = {.cancel = wish->cancel}};
    cuzk_status st = plan(&l->plan, m, id, err);
    if (st != CUZK_OK)
        return st;
    if (l->plan.srs_bytes == 0)
        l->plan.srs_bytes = l->plan.streamed ? 0 : look_at_file(m, id);
    cuzk_circuit_id_format(name, id);
    const budget_wish w = {.urgency = -1, .now = true, .cancel = wish->cancel, .what = name};
    return cuzk_budget_wait(m->budget, try_reserve, &a, &w, err);
}

cuzk_status cuzk_memory_preload(prover_memory *m, circuit_id id, const preload_wish *wish,
                                bool *already_loaded, cuzk_trace *trace, cuzk_err *err)
{
    memory_lease lease = {.memory = NULL};
    cuzk_status st = CUZK_OK;
    bool there = cuzk_holdings_has(m->holdings, HOLDING_SRS, id);
    if (!there) {
        CUZK_TRY(reserve_parameters(&lease, m, id, wish, err));
        there = !lease.make_srs && cuzk_holdings_ready(m->holdings, lease.srs_holding);
        st = fill_once(&lease, trace, err);
        if (st == CUZK_NOT_FOUND)
            st = cuzk_fail(err, CUZK_UNAVAILABLE, 0,
                           "the parameters were being loaded and that failed; try again");
    }
    if (st == CUZK_OK && already_loaded)
        *already_loaded = there;
out:
    cuzk_lease_release(&lease);
    return st;
}

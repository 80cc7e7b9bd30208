#include "engine/holdings.h"

#include <pthread.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/log.h"
#include "measure/instruments.h"

/* Parameters in memory, open, and circuits, of 4 kinds of 12 shapes; and failed ones that somebody
 * has not looked at yet. */
#define MAX_HOLDINGS 192
#define POLL_NS      100000000u

struct holdings {
    pthread_mutex_t lock; /* guards the entries as holdings.h says, and n_loads */
    pthread_cond_t made;
    cuzk_budget *budget;
    uint64_t min_idle_ns, n_loads;
    holding one[MAX_HOLDINGS];
};

cuzk_status cuzk_holdings_new(holdings **out, cuzk_budget *budget, uint64_t min_idle_ns,
                              cuzk_err *err)
{
    pthread_condattr_t attr;
    holdings *h = cuzk_calloc(1, sizeof *h);
    if (!h)
        return cuzk_fail(err, CUZK_NOMEM, 0, "parameters: no memory");
    pthread_mutex_init(&h->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&h->made, &attr);
    pthread_condattr_destroy(&attr);
    h->budget = budget;
    h->min_idle_ns = min_idle_ns;
    *out = h;
    return CUZK_OK;
}

static budget_kind token_kind(holding_kind kind)
{
    return kind == HOLDING_CIRCUIT ? BUDGET_CIRCUIT : BUDGET_SRS;
}

/* The thing itself, then its token: in this order the budget never says less than there is. */
static void destroy(holdings *h, holding_kind kind, groth16_srs *srs, compiled_circuit *circuit,
                    uint64_t bytes)
{
    if (kind == HOLDING_CIRCUIT)
        cuzk_compiled_free(circuit);
    else
        cuzk_srs_fini(srs);
    cuzk_budget_release_one(h->budget, token_kind(kind), bytes);
}

void cuzk_holdings_free(holdings *h)
{
    if (!h)
        return;
    for (size_t i = 0; i < MAX_HOLDINGS; i++) {
        holding *o = &h->one[i];
        CUZK_DASSERT(o->n_pins == 0);
        if (o->state == HOLDING_READY)
            destroy(h, o->kind, &o->srs, o->circuit, o->bytes);
    }
    pthread_cond_destroy(&h->made);
    pthread_mutex_destroy(&h->lock);
    cuzk_free(h);
}

static void count(void (*counter)(const char *circuit), circuit_id id)
{
    char name[24];
    cuzk_circuit_id_format(name, id);
    counter(name);
}

/* ---- pins ---- */

static bool is_there(const holding *o)
{
    return o->state == HOLDING_READY || o->state == HOLDING_MAKING;
}

static holding *find(holdings *h, holding_kind kind, circuit_id id)
{
    for (size_t i = 0; i < MAX_HOLDINGS; i++) {
        holding *o = &h->one[i];
        if (is_there(o) && o->kind == kind && o->id.kind == id.kind && o->id.shape == id.shape)
            return o;
    }
    return NULL;
}

holding *cuzk_holdings_pin(holdings *h, holding_kind kind, circuit_id id)
{
    pthread_mutex_lock(&h->lock);
    holding *o = find(h, kind, id);
    if (o)
        o->n_pins++;
    pthread_mutex_unlock(&h->lock);
    return o;
}

bool cuzk_holdings_has(holdings *h, holding_kind kind, circuit_id id)
{
    pthread_mutex_lock(&h->lock);
    const holding *o = find(h, kind, id);
    bool has = o && o->state == HOLDING_READY;
    pthread_mutex_unlock(&h->lock);
    return has;
}

bool cuzk_holdings_listed(holdings *h, circuit_id id)
{
    pthread_mutex_lock(&h->lock);
    bool listed = find(h, HOLDING_SRS, id) || find(h, HOLDING_STREAM, id);
    pthread_mutex_unlock(&h->lock);
    return listed;
}

bool cuzk_holdings_ready(holdings *h, const holding *one)
{
    pthread_mutex_lock(&h->lock);
    bool ready = one->state == HOLDING_READY;
    pthread_mutex_unlock(&h->lock);
    return ready;
}

holding *cuzk_holdings_begin(holdings *h, holding_kind kind, circuit_id id, uint64_t bytes)
{
    holding *o = NULL;
    pthread_mutex_lock(&h->lock);
    CUZK_DASSERT(!find(h, kind, id));
    for (size_t i = 0; !o && i < MAX_HOLDINGS; i++)
        o = h->one[i].state == HOLDING_ABSENT ? &h->one[i] : NULL;
    if (o) {
        o->kind = kind;
        o->id = id;
        o->bytes = bytes;
        o->circuit = NULL;
        o->state = HOLDING_MAKING;
        o->n_pins = 1;
        atomic_store(&o->done, 0);
        atomic_store(&o->all_bytes, 0);
    }
    pthread_mutex_unlock(&h->lock);
    return o;
}

void cuzk_holdings_finish(holdings *h, holding *one, bool made)
{
    pthread_mutex_lock(&h->lock);
    one->state = made ? HOLDING_READY : HOLDING_FAILED;
    h->n_loads += made && one->kind == HOLDING_SRS;
    if (made && one->kind == HOLDING_SRS)
        count(cuzk_measure_srs_loaded, one->id);
    pthread_cond_broadcast(&h->made);
    pthread_mutex_unlock(&h->lock);
    if (!made)
        cuzk_budget_release_one(h->budget, token_kind(one->kind), one->bytes);
}

void cuzk_holdings_shrink(holdings *h, holding *one, uint64_t bytes)
{
    pthread_mutex_lock(&h->lock);
    uint64_t rest = bytes < one->bytes ? one->bytes - bytes : 0;
    one->bytes -= rest;
    pthread_mutex_unlock(&h->lock);
    if (rest > 0)
        cuzk_budget_release_one(h->budget, token_kind(one->kind), rest);
}

static bool drop_pin(holding *one)
{
    CUZK_DASSERT(one->n_pins > 0);
    bool idle = --one->n_pins == 0;
    if (idle && one->state == HOLDING_FAILED)
        one->state = HOLDING_ABSENT;
    return idle;
}

void cuzk_holdings_undo_pin(holdings *h, holding *one)
{
    if (!one)
        return;
    pthread_mutex_lock(&h->lock);
    drop_pin(one);
    pthread_mutex_unlock(&h->lock);
}

void cuzk_holdings_unpin(holdings *h, holding *one)
{
    if (!one)
        return;
    pthread_mutex_lock(&h->lock);
    one->last_used_ns = cuzk_now_ns();
    bool idle = drop_pin(one);
    pthread_mutex_unlock(&h->lock);
    if (idle)
        cuzk_budget_poke(h->budget);
}

static void wait_a_little(holdings *h)
{
    struct timespec t;
    uint64_t until = cuzk_now_ns() + POLL_NS;
    t.tv_sec = (time_t)(until / 1000000000u);
    t.tv_nsec = (long)(until % 1000000000u);
    pthread_cond_timedwait(&h->made, &h->lock, &t);
}

cuzk_status cuzk_holdings_await(holdings *h, const holding *one, const atomic_bool *cancel,
                                cuzk_err *err)
{
    bool cancelled = false;
    pthread_mutex_lock(&h->lock);
    while (one->state == HOLDING_MAKING && !cancelled) {
        wait_a_little(h);
        cancelled = cancel && atomic_load(cancel);
    }
    holding_state state = one->state;
    pthread_mutex_unlock(&h->lock);
    if (state == HOLDING_READY)
        return CUZK_OK;
    if (state == HOLDING_MAKING)
        return cuzk_fail(err, CUZK_CANCELLED, 0, "cancelled while parameters were loaded");
    return cuzk_fail(err, CUZK_NOT_FOUND, 0, "parameters could not be loaded");
}

/* ---- giving up ---- */

/* What was taken out under the lock and is destroyed outside of it. */
typedef struct {
    holding_kind kind;
    circuit_id id;
    groth16_srs srs;
    compiled_circuit *circuit;
    uint64_t bytes;
} victim;

static void take_out(victim *v, holding *o)
{
    *v = (victim){
        .kind = o->kind, .id = o->id, .srs = o->srs, .circuit = o->circuit, .bytes = o->bytes};
    o->state = HOLDING_ABSENT;
    if (o->kind == HOLDING_SRS)
        count(cuzk_measure_srs_evicted, o->id);
}

/* The youngest that may go. Recently used things are kept for those who will want them again, as
 * long as somebody works; a machine that does nothing keeps nothing for anybody. */
static uint64_t used_before(const holdings *h)
{
    budget_stats s;
    uint64_t now = cuzk_now_ns();
    cuzk_budget_stats(h->budget, &s);
    if (s.kind[BUDGET_PARTITION] == 0)
        return now;
    return now > h->min_idle_ns ? now - h->min_idle_ns : 0;
}

static bool may_go(const holding *o, uint64_t before_ns)
{
    return o->state == HOLDING_READY && o->n_pins == 0 && o->last_used_ns <= before_ns;
}

static bool enough_idle(const holdings *h, uint64_t need, uint64_t before_ns)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < MAX_HOLDINGS; i++) {
        if (may_go(&h->one[i], before_ns))
            sum += h->one[i].bytes;
    }
    return sum >= need;
}

static holding *oldest_idle(holdings *h, uint64_t before_ns)
{
    holding *oldest = NULL;
    for (size_t i = 0; i < MAX_HOLDINGS; i++) {
        holding *o = &h->one[i];
        if (may_go(o, before_ns) && (!oldest || o->last_used_ns < oldest->last_used_ns))
            oldest = o;
    }
    return oldest;
}

static void tell(const victim *v)
{
    char name[24];
    cuzk_circuit_id_format(name, v->id);
    cuzk_log(CUZK_LOG_INFO, NULL, "%s of %s given up for a job that waits: %.1f MB",
             v->kind == HOLDING_CIRCUIT ? "compiled circuit" : "parameters", name,
             (double)v->bytes / 1e6);
}

bool cuzk_holdings_reclaim(void *ctx, uint64_t need)
{
    holdings *h = ctx;
    bool any = false;
    for (uint64_t freed = 0; freed < need;) {
        victim v;
        uint64_t before_ns = used_before(h);
        pthread_mutex_lock(&h->lock);
        bool enough = enough_idle(h, need - freed, before_ns);
        holding *o = enough ? oldest_idle(h, before_ns) : NULL;
        if (o)
            take_out(&v, o);
        pthread_mutex_unlock(&h->lock);
        if (!o)
            break;
        tell(&v);
        freed += v.bytes;
        any = true;
        destroy(h, v.kind, &v.srs, v.circuit, v.bytes);
    }
    if (any)
        cuzk_mem_trim(); /* else the pages stay ours, and others could be added to them */
    return any;
}

static void evict_one(holdings *h, holding_kind kind, circuit_id id, cuzk_evict_result *out)
{
    victim v;
    pthread_mutex_lock(&h->lock);
    holding *o = find(h, kind, id);
    bool idle = o && o->state == HOLDING_READY && o->n_pins == 0;
    if (o) {
        out->was_loaded |= o->state == HOLDING_READY;
        out->busy |= !idle;
        out->ref_count += o->n_pins;
    }
    if (idle)
        take_out(&v, o);
    pthread_mutex_unlock(&h->lock);
    if (!idle)
        return;
    out->freed_bytes += v.bytes;
    destroy(h, v.kind, &v.srs, v.circuit, v.bytes);
}

void cuzk_holdings_evict(holdings *h, circuit_id id, cuzk_evict_result *out)
{
    *out = (cuzk_evict_result){.was_loaded = false};
    evict_one(h, HOLDING_SRS, id, out);
    evict_one(h, HOLDING_STREAM, id, out);
    if (out->freed_bytes > 0)
        cuzk_mem_trim();
}

/* ---- looking ---- */

static unsigned percent_of(const holding *one)
{
    uint64_t all = atomic_load_explicit(&one->all_bytes, memory_order_relaxed);
    uint64_t done = atomic_load_explicit(&one->done, memory_order_relaxed);
    if (all == 0)
        return 0;
    return done < all ? (unsigned)(100.0 * (double)done / (double)all) : 99;
}

static void describe(cuzk_prover_srs_info *out, const holding *o, uint64_t now)
{
    bool ready = o->state == HOLDING_READY;
    *out = (cuzk_prover_srs_info){.bytes = o->bytes, .ref_count = o->n_pins, .loading = !ready};
    cuzk_circuit_id_format(out->circuit, o->id);
    out->tier = !ready ? SRS_COLD : o->kind == HOLDING_SRS ? SRS_HOT : SRS_WARM;
    out->percent = ready ? 100 : percent_of(o);
    out->idle_ns = ready && o->n_pins == 0 ? now - o->last_used_ns : 0;
}

size_t cuzk_holdings_list(holdings *h, cuzk_prover_srs_info out[], size_t max)
{
    size_t n = 0;
    pthread_mutex_lock(&h->lock);
    uint64_t now = cuzk_now_ns();
    for (size_t i = 0; i < MAX_HOLDINGS; i++) {
        const holding *o = &h->one[i];
        if (!is_there(o) || o->kind == HOLDING_CIRCUIT)
            continue;
        if (n < max)
            describe(&out[n], o, now);
        n++;
    }
    pthread_mutex_unlock(&h->lock);
    return n;
}

unsigned cuzk_holdings_percent(holdings *h, circuit_id id)
{
    unsigned percent = 0;
    pthread_mutex_lock(&h->lock);
    const holding *o = find(h, HOLDING_SRS, id);
    if (!o)
        o = find(h, HOLDING_STREAM, id);
    if (o)
        percent = o->state == HOLDING_READY ? 100 : percent_of(o);
    pthread_mutex_unlock(&h->lock);
    return percent;
}

uint64_t cuzk_holdings_n_loads(holdings *h)
{
    pthread_mutex_lock(&h->lock);
    uint64_t n = h->n_loads;
    pthread_mutex_unlock(&h->lock);
    return n;
}

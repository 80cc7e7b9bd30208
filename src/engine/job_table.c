#include "engine/job_table.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

void cuzk_link_init(list_link *list)
{
    list->next = list->prev = list;
}

bool cuzk_link_empty(const list_link *list)
{
    return list->next == list;
}

void cuzk_link_push(list_link *list, list_link *item)
{
    item->prev = list->prev;
    item->next = list;
    list->prev->next = item;
    list->prev = item;
}

void cuzk_link_remove(list_link *item)
{
    item->prev->next = item->next;
    item->next->prev = item->prev;
    cuzk_link_init(item); /* so that removing twice is harmless */
}

/* The link is the first member of both kinds of item. */
static job *job_of(list_link *at)
{
    return (job *)(void *)at;
}

static job_listener *listener_of(list_link *at)
{
    return (job_listener *)(void *)at;
}

void cuzk_job_table_init(job_table *t)
{
    memset(t, 0, sizeof *t);
    for (size_t i = 0; i < PRIORITY_COUNT; i++)
        cuzk_link_init(&t->queue[i]);
    cuzk_link_init(&t->running);
    cuzk_link_init(&t->results);
    cuzk_link_init(&t->listeners);
}

void cuzk_job_table_fini(job_table *t)
{
    for (size_t i = 0; i < ID_BUCKETS; i++) {
        while (t->bucket[i])
            cuzk_job_forget(t, t->bucket[i]);
    }
}

job *cuzk_job_new(const char *id, cuzk_err *err)
{
    job *j = cuzk_calloc(1, sizeof *j);
    if (!j) {
        cuzk_fail(err, CUZK_NOMEM, 0, "job: %zu bytes", sizeof *j);
        return NULL;
    }
    cuzk_link_init(&j->at);
    snprintf(j->id, sizeof j->id, "%s", id);
    j->refs = 1;
    return j;
}

void cuzk_job_unref(job *j)
{
    if (!j || --j->refs > 0)
        return;
    cuzk_free(j->proof);
    cuzk_free(j);
}

/* FNV-1a: ids are short, and a client that makes them collide only slows its own look-ups down. */
static size_t bucket_of(const char *id)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (const unsigned char *p = (const unsigned char *)id; *p; p++)
        h = (h ^ *p) * 0x100000001b3u;
    return (size_t)((h ^ (h >> 32)) % ID_BUCKETS);
}

job *cuzk_job_find(const job_table *t, const char *id)
{
    job *j = t->bucket[bucket_of(id)];
    while (j && strcmp(j->id, id) != 0)
        j = j->bucket_next;
    return j;
}

void cuzk_job_insert(job_table *t, job *j)
{
    job *old = cuzk_job_find(t, j->id);
    if (old)
        cuzk_job_forget(t, old);
    size_t b = bucket_of(j->id);
    j->bucket_next = t->bucket[b];
    t->bucket[b] = j;
    j->in_table = true;
}

void cuzk_job_forget(job_table *t, job *j)
{
    if (!j->in_table)
        return;
    job **p = &t->bucket[bucket_of(j->id)];
    while (*p != j)
        p = &(*p)->bucket_next;
    *p = j->bucket_next;
    j->in_table = false;
    if (!cuzk_link_empty(&j->at) && j->state == JOB_ENDED) {
        t->n_results--;
        cuzk_link_remove(&j->at);
    }
    cuzk_job_unref(j);
}

void cuzk_job_enqueue(job_table *t, job *j, uint64_t now_ns)
{
    j->state = JOB_WAITING;
    if (!j->started) {
        j->seq = ++t->n_jobs;
        j->level = j->priority;
        t->n_waiting++;
    }
    if (j->started || cuzk_link_empty(&t->queue[j->priority]))
        t->turn_ns[j->priority] = now_ns;
    cuzk_link_push(&t->queue[j->priority], &j->at);
}

void cuzk_job_unqueue(job_table *t, job *j)
{
    cuzk_link_remove(&j->at);
    if (!j->started)
        t->n_waiting--;
}

/* ---- whose turn it is ---- */

static uint64_t due_of(const job *j, uint64_t now_ns, uint64_t ageing_ns)
{
    if (j->deadline_ns > now_ns)
        return j->deadline_ns;
    return j->submitted_ns > UINT64_MAX - ageing_ns ? UINT64_MAX : j->submitted_ns + ageing_ns;
}

bool cuzk_job_before(const job *a, const job *b, uint64_t now_ns, uint64_t ageing_ns)
{
    if (a->level != b->level)
        return a->level > b->level;
    uint64_t due_a = due_of(a, now_ns, ageing_ns), due_b = due_of(b, now_ns, ageing_ns);
    return due_a != due_b ? due_a < due_b : a->seq < b->seq;
}

/* Where a job of this priority stands that has had no turn for so long. Not to CRITICAL: what has
 * seconds left must not wait for what has waited. */
engine_priority cuzk_job_aged(engine_priority p, uint64_t waited_ns, uint64_t ageing_ns)
{
    uint64_t steps = ageing_ns ? waited_ns / ageing_ns : 0;
    if (p >= PRIORITY_HIGH || steps == 0)
        return p;
    return steps >= (uint64_t)(PRIORITY_HIGH - p) ? PRIORITY_HIGH : (engine_priority)(p + steps);
}

static job *first_of(const job_table *t, engine_priority p, uint64_t now_ns, uint64_t ageing_ns,
                     bool fresh)
{
    job *best = NULL;
    for (list_link *at = t->queue[p].next; at != &t->queue[p]; at = at->next) {
        job *j = job_of(at);
        if ((fresh || j->started) && (!best || cuzk_job_before(j, best, now_ns, ageing_ns)))
            best = j;
    }
    return best;
}

/* One job of a queue rises at a time, the first: a long queue that is served needs no help. */
job *cuzk_job_next(job_table *t, uint64_t now_ns, uint64_t ageing_ns, engine_priority floor,
                   bool fresh, uint64_t *n_aged)
{
    job *best = NULL;
    for (int p = floor + 1; p < PRIORITY_COUNT; p++) {
        job *j = first_of(t, (engine_priority)p, now_ns, ageing_ns, fresh);
        if (!j)
            continue;
        uint64_t since = t->turn_ns[p];
        engine_priority level =
            cuzk_job_aged(j->priority, now_ns > since ? now_ns - since : 0, ageing_ns);
        if (level > j->level) {
            j->level = level;
            ++*n_aged;
        }
        if (!best || cuzk_job_before(j, best, now_ns, ageing_ns))
            best = j;
    }
    return best;
}

job *cuzk_job_any_waiting(job_table *t, bool started)
{
    for (size_t p = 0; p < PRIORITY_COUNT; p++) {
        for (list_link *at = t->queue[p].next; at != &t->queue[p]; at = at->next) {
            if (started || !job_of(at)->started)
                return job_of(at);
        }
    }
    return NULL;
}

void cuzk_job_keep_result(job_table *t, job *j)
{
    if (!j->in_table)
        return; /* a newer job of the same id took its place */
    cuzk_link_push(&t->results, &j->at);
    t->n_results++;
}

void cuzk_job_trim_results(job_table *t, uint64_t ended_before_ns, size_t max)
{
    while (!cuzk_link_empty(&t->results)) {
        job *j = job_of(t->results.next);
        if (j->ended_ns >= ended_before_ns && t->n_results <= max)
            return;
        cuzk_job_forget(t, j);
    }
}

static uint64_t deadline_after(uint64_t now_ns, uint64_t timeout_ms)
{
    if (timeout_ms == 0 || timeout_ms > (UINT64_MAX - now_ns) / 1000000u)
        return 0; /* beyond the clock's range is for ever */
    return now_ns + timeout_ms * 1000000u;
}

job_listener *cuzk_listener_add(job_table *t, job *j, const engine_listener *call, uint64_t now_ns)
{
    job_listener *l = cuzk_calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->job = j;
    l->token = ++t->last_token;
    l->deadline_ns = deadline_after(now_ns, call->timeout_ms);
    l->call = *call;
    cuzk_link_push(&t->listeners, &l->at);
    t->n_listeners++;
    return l;
}

void cuzk_listener_remove(job_table *t, job_listener *l)
{
    cuzk_link_remove(&l->at);
    t->n_listeners--;
}

/* One list for all jobs: a scan of at most max_listeners entries when a job ends, and no index. */
void cuzk_listener_take(job_table *t, list_link *list, const job *j, uint64_t due_ns)
{
    list_link *next;
    for (list_link *at = t->listeners.next; at != &t->listeners; at = next) {
        next = at->next;
        job_listener *l = listener_of(at);
        bool due = due_ns == UINT64_MAX || (l->deadline_ns != 0 && l->deadline_ns <= due_ns);
        if (!due || (j && l->job != j))
            continue;
        cuzk_listener_remove(t, l);
        l->job->refs++;
        cuzk_link_push(list, &l->at);
    }
}

job_listener *cuzk_listener_find(job_table *t, uint64_t token)
{
    for (list_link *at = t->listeners.next; at != &t->listeners; at = at->next) {
        if (listener_of(at)->token == token)
            return listener_of(at);
    }
    return NULL;
}

uint64_t cuzk_listener_next_deadline(const job_table *t)
{
    uint64_t next = UINT64_MAX;
    for (list_link *at = t->listeners.next; at != &t->listeners; at = at->next) {
        uint64_t d = listener_of(at)->deadline_ns;
        if (d != 0 && d < next)
            next = d;
    }
    return next;
}

uint32_t cuzk_listener_count(const job_table *t, const job *j)
{
    uint32_t n = 0;
    for (list_link *at = t->listeners.next; at != &t->listeners; at = at->next)
        n += listener_of(at)->job == j;
    return n;
}

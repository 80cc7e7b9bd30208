#include "measure/job_board.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

/* A ring of jobs in the order of their first spans; the oldest makes room. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static board_job board[JOB_BOARD_JOBS];
static uint64_t n_jobs;

/* The newest of that id: a job that is proved anew begins a new entry. */
static board_job *find(const char *job_id)
{
    for (uint64_t i = n_jobs; i > 0 && n_jobs - i < JOB_BOARD_JOBS; i--) {
        board_job *j = &board[(i - 1) % JOB_BOARD_JOBS];
        if (strcmp(j->job_id, job_id) == 0)
            return j;
    }
    return NULL;
}

static board_job *find_or_add(const char *job_id, uint64_t begin_ns)
{
    board_job *j = find(job_id);
    if (j && j->ended_ns == 0)
        return j;
    j = &board[n_jobs++ % JOB_BOARD_JOBS];
    memset(j, 0, sizeof *j);
    snprintf(j->job_id, sizeof j->job_id, "%s", job_id);
    j->first_ns = begin_ns;
    return j;
}

void cuzk_job_board_span(const char *job_id, const span_event *e)
{
    pthread_mutex_lock(&lock);
    board_job *j = find_or_add(job_id, e->begin_ns);
    if (e->partition >= 0 && (uint32_t)e->partition < JOB_BOARD_PARTITIONS) {
        board_partition *p = &j->partition[e->partition];
        uint64_t ns = e->end_ns - e->begin_ns;
        p->seen = true;
        if (strcmp(e->phase, "witness") == 0)
            p->witness_ns += ns;
        else
            p->proof_ns += ns;
        p->done = strcmp(e->phase, "self_check") == 0;
    }
    pthread_mutex_unlock(&lock);
}

void cuzk_job_board_end(const char *job_id, int kind, bool completed)
{
    pthread_mutex_lock(&lock);
    board_job *j = find(job_id);
    if (j && j->ended_ns == 0) {
        j->ended_ns = cuzk_now_ns();
        j->completed = completed;
        j->kind = kind;
    }
    pthread_mutex_unlock(&lock);
}

bool cuzk_job_board_find(const char *job_id, board_job *out)
{
    pthread_mutex_lock(&lock);
    const board_job *j = find(job_id);
    if (j)
        *out = *j;
    pthread_mutex_unlock(&lock);
    return j != NULL;
}

size_t cuzk_job_board_ended(board_job out[], size_t max, uint64_t now_ns)
{
    size_t n = 0;
    pthread_mutex_lock(&lock);
    uint64_t first = n_jobs > JOB_BOARD_JOBS ? n_jobs - JOB_BOARD_JOBS : 0;
    for (uint64_t i = first; i < n_jobs && n < max; i++) {
        const board_job *j = &board[i % JOB_BOARD_JOBS];
        if (j->ended_ns && j->ended_ns + JOB_BOARD_KEEP_NS > now_ns)
            out[n++] = *j;
    }
    pthread_mutex_unlock(&lock);
    return n;
}

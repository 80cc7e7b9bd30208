/* How far the partitions of recent jobs are, learnt from their spans: for people who look. The last
 * 64 jobs are on it; an ended one stays for 30 seconds. Thread-safe. */
#ifndef CUZK_MEASURE_JOB_BOARD_H
#define CUZK_MEASURE_JOB_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span_ring.h"

#define JOB_BOARD_JOBS       64u
#define JOB_BOARD_PARTITIONS 32u
#define JOB_BOARD_ID_BYTES   257u
#define JOB_BOARD_KEEP_NS    UINT64_C(30000000000)

typedef struct {
    uint64_t witness_ns, proof_ns; /* so far: phase witness; all the others */
    bool seen, done;               /* done: the self-check is over */
} board_partition;

typedef struct {
    char job_id[JOB_BOARD_ID_BYTES];
    uint64_t first_ns; /* of its first span */
    uint64_t ended_ns; /* 0: it goes on */
    bool completed;
    int kind; /* as the engine numbers them; known at the end */
    board_partition partition[JOB_BOARD_PARTITIONS]; /* by number; higher ones are not kept */
} board_job;

void cuzk_job_board_span(const char *job_id, const span_event *e);
void cuzk_job_board_end(const char *job_id, int kind, bool completed);

/* Copies what is known of one job; false: nothing. */
bool cuzk_job_board_find(const char *job_id, board_job *out);
/* Jobs that ended within the last 30 s before now_ns, newest last. */
size_t cuzk_job_board_ended(board_job out[], size_t max, uint64_t now_ns);

#endif

/* The progress line: a thread that wakes twice a second and redraws one line on a terminal. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

struct cli_progress {
    pthread_t thread;
    pthread_mutex_t lock; /* guards phase, partition, stop */
    pthread_cond_t wake;
    const char *what, *phase;
    int partition;
    bool stop;
    double begin;
};

static void draw(const cli_progress *p)
{
    double s = cli_now() - p->begin;
    if (s < 2)
        return;
    fprintf(stderr, "\r\033[K%s: %.0f s", p->what, s);
    if (p->phase)
        fprintf(stderr, ", %s", p->phase);
    if (p->phase && p->partition != CUZK_NO_PARTITION)
        fprintf(stderr, " of partition %d", p->partition);
    fflush(stderr);
}

static void *progress_main(void *arg)
{
    cli_progress *p = arg;
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += 500000000;
        t.tv_sec += t.tv_nsec / 1000000000;
        t.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&p->wake, &p->lock, &t);
        if (!p->stop)
            draw(p);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

cli_progress *cli_progress_start(const char *what)
{
    if (!isatty(STDERR_FILENO))
        return NULL;
    cli_progress *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->what = what;
    p->partition = CUZK_NO_PARTITION;
    p->begin = cli_now();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    if (pthread_create(&p->thread, NULL, progress_main, p) != 0) {
        free(p);
        return NULL;
    }
    return p;
}

void cli_progress_phase(void *progress, const char *phase, int partition)
{
    cli_progress *p = progress;
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->phase = phase;
    p->partition = partition;
    pthread_mutex_unlock(&p->lock);
}

void cli_progress_stop(cli_progress *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    if (cli_now() - p->begin >= 2)
        fprintf(stderr, "\r\033[K");
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

#include "base/plant.h"

#ifdef CUZK_PLANT
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/mem.h"
#include "base/switches.h"

typedef struct {
    uint64_t switches; /* bits of cuzk_switch_bits that must all be set */
    char place[24];
    double percent;
    size_t memory_bytes;
} plant;

static plant planted;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *held; /* one proof at a time is what diagnose runs */

static void add_switch(const char *name)
{
    cuzk_switch_info s;
    size_t i = 0;
    while (cuzk_switch_at(&s, i) && strcasecmp(s.name, name) != 0)
        i++;
    if (i < CUZK_SWITCH_COUNT)
        planted.switches |= UINT64_C(1) << i;
    else
        fprintf(stderr, "cuzk: CUZK_PLANT: there is no switch %s\n", name);
}

static void add_word(char *word)
{
    char *value = strchr(word, '=');
    if (!value)
        return;
    *value++ = '\0';
    if (strcmp(word, "place") == 0)
        snprintf(planted.place, sizeof planted.place, "%s", value);
    else if (strcmp(word, "percent") == 0)
        planted.percent = strtod(value, NULL);
    else if (strcmp(word, "memory") == 0)
        planted.memory_bytes = (size_t)strtoul(value, NULL, 10) << 20;
    else if (strcmp(word, "on") == 0)
        for (char *name; (name = strsep(&value, "+")) != NULL;)
            add_switch(name);
}

static void read_plant(void)
{
    char text[256], *rest = text;
    const char *given = getenv("CUZK_PLANT");
    snprintf(text, sizeof text, "%s", given ? given : "");
    for (char *word; (word = strsep(&rest, ",")) != NULL;)
        add_word(word);
}

static uint64_t thread_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The work of the phase, and so the delay, does not hang on who else uses the machine. */
static void burn(uint64_t begin_ns)
{
    uint64_t now = thread_ns();
    uint64_t until = now + (uint64_t)((double)(now - begin_ns) * planted.percent / 100);
    while (thread_ns() < until)
        continue;
}

static void hold_memory(const char *phase, bool on)
{
    if (held && strcmp(phase, "self_check") == 0) {
        cuzk_free(held);
        held = NULL;
    }
    if (on && !held && planted.memory_bytes && strcmp(phase, "srs_load") == 0) {
        held = cuzk_malloc(planted.memory_bytes);
        if (held)
            memset(held, 1, planted.memory_bytes);
    }
}

static _Thread_local uint64_t begin_ns; /* of the place, which is not nested in itself */

static bool is_place(const char *phase)
{
    pthread_once(&once, read_plant);
    return planted.percent > 0 && strcmp(phase, planted.place) == 0;
}

void cuzk_plant_phase_begin(const char *phase)
{
    if (is_place(phase))
        begin_ns = thread_ns();
}

void cuzk_plant_phase_end(const char *phase)
{
    bool here = is_place(phase);
    uint64_t bits = atomic_load(&cuzk_switch_bits);
    bool on = (bits & planted.switches) == planted.switches;
    hold_memory(phase, on);
    if (on && here)
        burn(begin_ns);
}
#endif

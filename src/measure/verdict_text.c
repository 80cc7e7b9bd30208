#include "measure/verdict_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *cuzk_verdict_text(cuzk_verdict v)
{
    static const char *const text[] = {"no effect seen", "faster", "slower", "too noisy to tell"};
    return v <= CUZK_TOO_NOISY ? text[v] : "?";
}

const char *cuzk_verdict_memory_text(cuzk_verdict v)
{
    static const char *const text[] = {"no effect seen", "less memory", "more memory",
                                       "too noisy to tell"};
    return v <= CUZK_TOO_NOISY ? text[v] : "?";
}

void cuzk_diagnosis_config_name(char out[64], const cuzk_diagnosis *d, unsigned config)
{
    uint32_t mask = d->plan.mask[config], all = (UINT32_C(1) << d->plan.n_switches) - 1;
    unsigned n_on = cuzk_popcount64(mask);
    bool but = n_on + 1 == d->plan.n_switches && n_on > 1;
    size_t at = 0;
    out[0] = '\0';
    if (mask == 0 || (mask == all && n_on > 1)) {
        snprintf(out, 64, "%s", mask ? "all" : "nothing");
        return;
    }
    if (but)
        at = (size_t)snprintf(out, 64, "all but ");
    uint32_t named = but ? all & ~mask : mask;
    const char *glue = "";
    for (unsigned i = 0; i < d->plan.n_switches && at < 64; i++) {
        if (!(named >> i & 1))
            continue;
        at += (size_t)snprintf(out + at, 64 - at, "%s%s", glue, d->switch_name[i]);
        glue = " + ";
    }
}

/* ---- the answer ---- */

static void say(cuzk_diagnosis *d, const char *fmt, ...) CUZK_PRINTF(2, 3);
static void say(cuzk_diagnosis *d, const char *fmt, ...)
{
    size_t n = strlen(d->answer);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(d->answer + n, sizeof d->answer - n, fmt, ap);
    va_end(ap);
}

static const char *sign_of(double x)
{
    return x < 0 ? "-" : "+";
}

/* A verdict that a phase decided, the whole run being unclear, is told of that phase alone. */
static bool say_phase(cuzk_diagnosis *d, const cuzk_diagnose_verdict *v)
{
    bool slower = v->time == CUZK_SLOWER;
    if (slower ? v->ms.low > 0 : v->ms.high < 0)
        return false;
    for (unsigned i = 0; i < v->n_shares; i++) {
        double ms = v->share[i].ms.estimate;
        if ((ms > 0) != slower)
            continue;
        say(d, "%s%s make%s %s %s: %s%.1f ms, of the whole run nothing can be said.",
            d->answer[0] ? " " : "", v->name, v->pair ? " together" : "s", v->share[i].name,
            slower ? "slower" : "faster", sign_of(ms), fabs(ms));
        return true;
    }
    return false;
}

static void say_time(cuzk_diagnosis *d, const cuzk_diagnose_verdict *v)
{
    if (say_phase(d, v))
        return;
    say(d, "%s%s make%s it %s: %s%.1f ms (%s%.1f %%)", d->answer[0] ? " " : "", v->name,
        v->pair ? " together" : "s", v->time == CUZK_SLOWER ? "slower" : "faster",
        sign_of(v->ms.estimate), fabs(v->ms.estimate), sign_of(v->ms.estimate), fabs(v->percent));
    if (v->n_shares > 0)
        say(d, ", %s%.1f ms of it in %s", sign_of(v->share[0].ms.estimate),
            fabs(v->share[0].ms.estimate), v->share[0].name);
    say(d, ".");
}

static unsigned say_times(cuzk_diagnosis *d, cuzk_verdict which)
{
    unsigned n = 0;
    for (unsigned i = 0; i < d->n_verdicts; i++) {
        if (d->verdict[i].time != which)
            continue;
        say_time(d, &d->verdict[i]);
        n++;
    }
    return n;
}

static void say_memory(cuzk_diagnosis *d)
{
    for (unsigned i = 0; i < d->n_verdicts; i++) {
        const cuzk_diagnose_verdict *v = &d->verdict[i];
        if (v->memory != CUZK_SLOWER && v->memory != CUZK_FASTER)
            continue;
        say(d, " %s take%s %.1f MiB %s memory.", v->name, v->pair ? " together" : "s",
            fabs(v->peak_kb.estimate) / 1024, v->memory == CUZK_SLOWER ? "more" : "less");
    }
}

static unsigned count(const cuzk_diagnosis *d, cuzk_verdict which)
{
    unsigned n = 0;
    for (unsigned i = 0; i < d->n_verdicts; i++)
        n += d->verdict[i].time == which;
    return n;
}

void cuzk_verdict_answer(cuzk_diagnosis *d)
{
    d->answer[0] = '\0';
    unsigned n_noisy = count(d, CUZK_TOO_NOISY);
    if (say_times(d, CUZK_SLOWER) == 0 && n_noisy == 0)
        say(d, "None of the switches makes it slower.");
    else if (count(d, CUZK_SLOWER) == 0)
        say(d, "No switch was seen to make it slower.");
    say_times(d, CUZK_FASTER);
    say_memory(d);
    if (n_noisy > 0)
        say(d,
            " The machine was too noisy to tell about %u of the switches: an effect below %.1f %% "
            "would not have been seen.",
            n_noisy, 100 * d->quality.precision);
}

/* ---- for callers ---- */

const char *cuzk_diagnosis_answer(const cuzk_diagnosis *d)
{
    return d->answer;
}

bool cuzk_diagnosis_verdict(cuzk_diagnose_verdict *out, const cuzk_diagnosis *d, size_t i)
{
    if (i >= d->n_verdicts)
        return false;
    *out = d->verdict[i];
    return true;
}

void cuzk_diagnosis_quality_of(cuzk_diagnosis_quality *out, const cuzk_diagnosis *d)
{
    *out = d->quality;
}

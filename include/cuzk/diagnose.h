/* Which of several switches makes a workload slower, faster, or larger: planned runs, verdicts,
 * a report. The workload is a function of the caller; docs/diagnose.md explains the method. */
#ifndef CUZK_DIAGNOSE_H
#define CUZK_DIAGNOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuzk/cuzk.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define CUZK_DIAGNOSE_MAX_SWITCHES 12
#define CUZK_DIAGNOSE_MAX_PHASES   24
#define CUZK_DIAGNOSE_MAX_CURVE    128
#define CUZK_DIAGNOSE_NAME_BYTES   24

/* ---- what is run ---- */

typedef struct {
    char name[CUZK_DIAGNOSE_NAME_BYTES]; /* letters, digits, _ */
    uint64_t ns;
} cuzk_diagnose_phase;

/* One run. The workload fills the first part; the rest is filled by cuzk_diagnose where peak_kb is
 * still 0. */
typedef struct {
    uint64_t total_ns; /* > 0 */
    size_t n_phases;
    cuzk_diagnose_phase phase[CUZK_DIAGNOSE_MAX_PHASES];

    uint64_t peak_kb; /* resident set at most */
    size_t n_curve;   /* resident set over time since the begin of the run */
    uint32_t curve_ms[CUZK_DIAGNOSE_MAX_CURVE], curve_kb[CUZK_DIAGNOSE_MAX_CURVE];
} cuzk_diagnose_run;

/* Adds ns to a phase of the run, which appears if it is new and there is room. */
void cuzk_diagnose_add_phase(cuzk_diagnose_run *run, const char *name, uint64_t ns);

typedef struct {
    uint64_t n_done, n_block; /* runs so far, runs of a block; the warm-up is not counted */
    uint64_t n_blocks;        /* complete ones */
    double seconds;           /* since the start, earlier sessions included */
    double precision;         /* reached; fraction of a run, 0 when not known yet */
} cuzk_diagnose_progress;

typedef struct {
    void *ctx;
    /* Runs it once with switch i on where bit i of on is set, all others off. */
    cuzk_status (*run)(void *ctx, uint32_t on, cuzk_diagnose_run *out, cuzk_err *err);
    void (*progress)(void *ctx, const cuzk_diagnose_progress *p); /* NULL: silent */
} cuzk_diagnose_workload;

/* ---- how ---- */

typedef struct {
    size_t size; /* sizeof(cuzk_diagnose_options) */
    const char *const *switch_name;
    const char *const *switch_about; /* a sentence each; may be NULL */
    unsigned n_switches;             /* 1 to CUZK_DIAGNOSE_MAX_SWITCHES */
    const char *workload;            /* for people, and what a resumed session must agree with */
    const char *clock;               /* "wall" or "cpu": what the workload measures */
    uint64_t seed;                   /* of the order of runs and of resampling */
    double precision;    /* stop when switches are known within this fraction of a run; 0: 0.01 */
    double smallest;     /* effects below this fraction are of no interest; 0: 0.01 */
    double max_seconds;  /* stop after the block that ends later; 0: 600 */
    unsigned min_blocks; /* 0: 4 */
    unsigned max_blocks; /* 0: 64 */
    unsigned n_warmup;   /* runs at first with everything off, not counted; 0: 1 */
    /* NULL: nothing is kept. A file of JSON lines to which each run is added when it ends. If it
     * exists and resume is set, its runs count; if it exists and resume is not set: CUZK_EXISTS. */
    const char *state_path;
    bool resume;
    const cuzk_flag *stop; /* NULL, or looked at between runs: stop now and judge what is there */
} cuzk_diagnose_options;
#define CUZK_DIAGNOSE_OPTIONS_DEFAULTS                                                             \
    {                                                                                              \
        sizeof(cuzk_diagnose_options), NULL, NULL, 0, "", "wall", 1, 0, 0, 0, 0, 0, 0, NULL,       \
            false, NULL                                                                            \
    }

/* ---- verdicts ---- */

typedef enum {
    CUZK_NO_EFFECT_SEEN,
    CUZK_FASTER,    /* on is faster than off; of memory: on takes less */
    CUZK_SLOWER,    /* on is slower; of memory: on takes more */
    CUZK_TOO_NOISY, /* nothing was seen, and what would have been seen is large */
} cuzk_verdict;
const char *cuzk_verdict_text(cuzk_verdict v);        /* "no effect seen", "slower" */
const char *cuzk_verdict_memory_text(cuzk_verdict v); /* "no effect seen", "more memory" */

typedef struct {
    double estimate, low, high; /* on minus off; 95 % for all switches at once */
} cuzk_diagnose_interval;

typedef struct {
    char name[CUZK_DIAGNOSE_NAME_BYTES];
    cuzk_diagnose_interval ms;
} cuzk_diagnose_share;

#define CUZK_DIAGNOSE_MAX_SHARES 6

typedef struct {
    char name[2 * CUZK_DIAGNOSE_NAME_BYTES + 4]; /* "B1"; a pair: "A1 + B1" */
    bool pair;                                   /* what the two do beyond what each does alone */
    cuzk_verdict time, memory;
    cuzk_diagnose_interval ms;      /* whole run */
    cuzk_diagnose_interval peak_kb; /* all 0 where memory was not measured */
    double percent;                 /* of a run with everything off */
    /* Where it is spent, or saved: phases with a difference that counts, largest first. */
    unsigned n_shares;
    cuzk_diagnose_share share[CUZK_DIAGNOSE_MAX_SHARES];
} cuzk_diagnose_verdict;

typedef struct cuzk_diagnosis cuzk_diagnosis;

/* Runs and judges. CUZK_INVAL for options out of range or a state file of another plan; what run
 * failed with; CUZK_CANCELLED when stopped before there are two complete blocks. */
cuzk_status cuzk_diagnose(cuzk_diagnosis **out, const cuzk_diagnose_options *opt,
                          const cuzk_diagnose_workload *workload, cuzk_err *err);
void cuzk_diagnosis_free(cuzk_diagnosis *d);

/* The result in one sentence. */
const char *cuzk_diagnosis_answer(const cuzk_diagnosis *d);
/* All switches in the order given, then pairs that were found; false past the end. */
bool cuzk_diagnosis_verdict(cuzk_diagnose_verdict *out, const cuzk_diagnosis *d, size_t i);
typedef struct {
    uint64_t n_blocks, n_runs;
    double run_ms;       /* median of a run with everything off */
    double noise;        /* deviation of a single run, as a fraction */
    double twin;         /* second baseline against the first, as a fraction: nothing differs */
    double precision;    /* reached */
    bool precise_enough; /* as precise as was asked for */
} cuzk_diagnosis_quality;
void cuzk_diagnosis_quality_of(cuzk_diagnosis_quality *out, const cuzk_diagnosis *d);

/* Everything as JSON, for programs; and one HTML file without anything outside it, for people. Its
 * plots are made by gnuplot; without gnuplot they are left out and the file says so. */
cuzk_status cuzk_diagnosis_write_json(const cuzk_diagnosis *d, const char *path, cuzk_err *err);
cuzk_status cuzk_diagnosis_write_html(const cuzk_diagnosis *d, const char *path, cuzk_err *err);

/* ---- two measurements ---- */

/* How many times b is a: ratio of medians, with a bootstrap interval of 95 %; from 0 to infinity
 * when a side has fewer than 3 values. CUZK_INVAL: a value that is not positive. */
typedef struct {
    double ratio, low, high;
} cuzk_ratio;
cuzk_status cuzk_compare_samples(cuzk_ratio *out, const double a[], size_t n_a, const double b[],
                                 size_t n_b, cuzk_err *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

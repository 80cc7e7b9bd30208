/* Optimisations that can be switched off, or on, while the process runs: one table
 * (docs/switches.md).
 *
 * A switch changes how fast something is done, never what comes out: proofs have the same bytes for
 * every combination, and tests hold that. Whoever acts on a switch reads it at the start of a phase
 * (a sum, a transform, a run of a circuit), never in an inner loop; a change reaches what starts
 * after it. Order of the settings, later ones win: the table's default, the configuration file,
 * CUZK_OPTS, the flag --opts. Public side: cuzk/switches.h.
 */
#ifndef CUZK_BASE_SWITCHES_H
#define CUZK_BASE_SWITCHES_H

#include <stdatomic.h>

#include "base/compiler.h"
#include "base/error.h"
#include "cuzk/switches.h"

/* X(id, name, on by default, what it does and what is done without it, where it acts, where it was
 * measured) */
#define CUZK_SWITCH_MAP(X)                                                                         \
    X(A1, "A1", true,                                                                              \
      "up to four terms of a linear combination are kept in the object; off: all on the heap",     \
      "interpreted synthesis: circuit/cs.h", "docs/switches.md")                                   \
    X(A2, "A2", true,                                                                              \
      "vectors of values and rows are made as long as the parameters say; off: grown by doubling", \
      "interpreted synthesis: groth16/assignment.c", "docs/switches.md")                           \
    X(A4, "A4", true, "the sum in G2 uses all threads; off: one thread", "groth16/query.c",        \
      "docs/switches.md")                                                                          \
    X(B1, "B1", false, "big buffers are locked in memory; off: the system may move and swap them", \
      "base/mem.c: blocks of 256 KiB and more", "docs/switches.md")                                \
    X(D4, "D4", true, "window by the number of points, from a table; off: 12 bits for all sums",   \
      "msm/msm_plan.c", "docs/msm.md")                                                             \
    X(COMPACT_WITNESS, "compact-witness", true,                                                    \
      "circuits are compiled, witnesses are bits and field elements; off: interpreted synthesis",  \
      "engine/prover.c", "docs/compiled.md")                                                       \
    X(C_PRODUCT, "c-product", true,                                                                \
      "c is a times b; off: C is evaluated like A and B (compiled: row by row, slowly)",           \
      "groth16/prove.c", "docs/switches.md")                                                       \
    X(BATCHED_AFFINE, "batched-affine", true,                                                      \
      "points go to buckets by affine additions, 2048 pairs an inversion; off: by Jacobian ones",  \
      "msm/pippenger.inc, msm/sum.inc", "docs/msm.md")                                             \
    X(ONES_APART, "ones-apart", true,                                                              \
      "points whose scalar is 1 are summed without buckets; off: they go with the others",         \
      "groth16/query.c", "docs/switches.md")                                                       \
    X(IFMA, "ifma", true,                                                                          \
      "eight lanes of AVX-512 IFMA where the processor has them; off: one value at a time",        \
      "msm, ntt, curve/codec_run.c, circuit/poseidon_lanes.c", "docs/msm.md, docs/ntt.md")         \
    X(FUSED_NTT, "fused-ntt", true,                                                                \
      "a pass over memory takes up to seven levels of a transform; off: one (the last: ten)",      \
      "ntt/ntt.c", "docs/switches.md")                                                             \
    X(KEPT_PAGES, "kept-pages", true,                                                              \
      "freed big blocks are kept for the next; off: returned to the system at once",               \
      "base/pages.c", "docs/switches.md")                                                          \
    X(HUGE_PAGES, "huge-pages", true, "big blocks ask for pages of 2 MiB; off: pages of 4 KiB",    \
      "base/pages.c", "docs/switches.md")                                                          \
    X(STREAM_ONE, "stream-one", true,                                                              \
      "parameters for one partition are read in chunks; off: loaded as a whole if they fit",       \
      "cuzk prove --srs auto", "docs/groth16.md")

typedef enum {
#define X(id, name, on, what, where, measured) CUZK_SWITCH_##id,
    CUZK_SWITCH_MAP(X)
#undef X
        CUZK_SWITCH_COUNT
} cuzk_switch;

/* Bit i: switch i is on. Written by switches.c alone. */
extern _Atomic uint64_t cuzk_switch_bits;

CUZK_INLINE bool cuzk_switch_on(cuzk_switch s)
{
    return atomic_load_explicit(&cuzk_switch_bits, memory_order_relaxed) >> s & 1;
}

/* Whether cuzk_switches_set would accept the list. */
cuzk_status cuzk_switches_check(const char *list, cuzk_err *err);

/* What reading CUZK_OPTS before main met. */
cuzk_status cuzk_switches_environment_error(cuzk_err *err);

#endif

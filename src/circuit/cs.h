/* Constraint system: what a circuit writes to and what the readings of a circuit read.
 *
 * A circuit is a C function that allocates variables (with their values) and enforces rows
 * <A,z> * <B,z> = <C,z>. A `cs` numbers the variables and hands everything to one sink: a digest, a
 * counter, a witness check, the prover's evaluator, the parameter generator. Variables and rows
 * come in exactly the established order (spec gadgets.md section 1); nothing is stored here, so
 * that a circuit of any size runs in the memory of its sink.
 *
 * Input 0 is the constant ONE; cs_init allocates it. The rows <I_i ; 0 ; 0> that generator and
 * prover append for every input are not sent to the sink by circuits: sinks that need them append
 * them on their own at the end.
 *
 * Errors (a sink that runs out of memory, a row that is not satisfied) are sticky in cs->st, so
 * that gadgets need not test every call; later calls are cheap no-ops. Drivers test cs->st last.
 */
#ifndef CUZK_CIRCUIT_CS_H
#define CUZK_CIRCUIT_CS_H

#include "base/error.h"
#include "base/switches.h"
#include "field/fr.h"

typedef uint32_t cs_var; /* top bit set: input, else aux; the rest is the index */

#define CS_INPUT_FLAG 0x80000000u
#define CS_ONE        CS_INPUT_FLAG /* input 0 */

CUZK_INLINE bool cs_var_is_input(cs_var v)
{
    return (v & CS_INPUT_FLAG) != 0;
}

CUZK_INLINE uint32_t cs_var_index(cs_var v)
{
    return v & ~CS_INPUT_FLAG;
}

typedef struct {
    cs_var var;
    fr coeff;
} cs_term;

/* A linear combination as a growing list of terms. Terms may repeat a variable and may have the
 * coefficient 0: sinks that care call cs_lc_normalize. The first terms live in the struct, unless
 * switch A1 is off: then all are in a heap block. */
#define CS_LC_INLINE 4
typedef struct {
    size_t n, cap;
    cs_term *term; /* inline_term, or a heap block */
    cs_term inline_term[CS_LC_INLINE];
} cs_lc;

CUZK_INLINE void cs_lc_init_room(cs_lc *lc, size_t n_inline)
{
    lc->n = 0;
    lc->cap = n_inline;
    lc->term = lc->inline_term;
}

CUZK_INLINE void cs_lc_init(cs_lc *lc)
{
    cs_lc_init_room(lc, CS_LC_INLINE);
}

void cs_lc_free_block(cs_lc *lc); /* for cs_lc_fini */

CUZK_INLINE void cs_lc_fini(cs_lc *lc)
{
    if (CUZK_UNLIKELY(lc->term != lc->inline_term))
        cs_lc_free_block(lc);
}

void cs_lc_clear(cs_lc *lc); /* keeps the block */
/* For cs_lc_add: grows the list, then adds. Out of memory makes n and cap SIZE_MAX, which
 * cs_enforce reports; until then such a list takes no more terms. */
void cs_lc_add_slow(cs_lc *lc, cs_var v, const fr *coeff);

CUZK_INLINE void cs_lc_add(cs_lc *lc, cs_var v, const fr *coeff)
{
    if (CUZK_UNLIKELY(lc->n >= lc->cap)) {
        cs_lc_add_slow(lc, v, coeff);
        return;
    }
    lc->term[lc->n].var = v;
    lc->term[lc->n++].coeff = *coeff;
}

/* Merges repeated variables, drops zero coefficients, sorts: inputs, then aux, ascending. */
void cs_lc_normalize(cs_lc *lc);

typedef struct {
    /* each returns CUZK_OK or an error that stops the run; err may be filled */
    cuzk_status (*aux)(void *self, const fr *value, cuzk_err *err);
    cuzk_status (*input)(void *self, const fr *value, cuzk_err *err);
    /* The callee may normalize the three in place; they are not used again. */
    cuzk_status (*row)(void *self, cs_lc *a, cs_lc *b, cs_lc *c, cuzk_err *err);
} cs_sink_ops;

struct cs;
struct cs_scope; /* circuit/scope.h */
typedef void (*cs_child_fn)(void *ctx, struct cs *c, size_t i);

/* What the compiled readings (src/compiled) hear beside variables and rows; others have none. */
typedef struct {
    bool no_rows; /* gadgets may leave out rows */
    /* n variables that the circuit fixes to be bits; bit i is bit i % 64 of word i / 64 */
    cuzk_status (*bits)(void *self, const uint64_t word[], unsigned n, cuzk_err *err);
    /* True: the gadget call was taken over and its outputs are set; else it runs, then end. */
    bool (*scope_begin)(struct cs *c, const struct cs_scope *s);
    void (*scope_end)(struct cs *c, const struct cs_scope *s);
    /* fn(ctx, child, i) for each i < n; the children are parts of c in the order of i */
    void (*children)(struct cs *c, size_t n, cs_child_fn fn, void *ctx);
} cs_hooks;

typedef struct cs {
    const cs_sink_ops *ops;
    void *self;
    const cs_hooks *hooks; /* NULL: none */
    uint32_t n_inputs, n_aux;
    uint32_t n_inline; /* terms inside a list of this run: CS_LC_INLINE, or 0 (switch A1) */
    uint64_t n_rows;
    cuzk_status st; /* first error, sticky */
    cuzk_err err;
} cs;

void cs_init(cs *c, const cs_sink_ops *ops, void *self); /* also allocates ONE */
cs_var cs_alloc(cs *c, const fr *value);                 /* aux */
cs_var cs_alloc_input(cs *c, const fr *value);
/* n <= 256 aux variables that are bits by the circuit's structure; returns the first. */
cs_var cs_alloc_bits(cs *c, const uint64_t word[], unsigned n);
cs_var cs_alloc_bit(cs *c, bool value);
void cs_enforce(cs *c, cs_lc *a, cs_lc *b, cs_lc *l);
void cs_fail(cs *c, cuzk_status st, const char *fmt, ...) CUZK_PRINTF(3, 4);

CUZK_INLINE bool cs_wants_rows(const cs *c)
{
    return !c->hooks || !c->hooks->no_rows;
}

/* Parts of a circuit that share only what was allocated before: fn(ctx, child, i) in the order of
 * i, or at once on several threads with a child system each. ctx is shared and read-only. */
void cs_children(cs *c, size_t n, cs_child_fn fn, void *ctx);

/* One row being built: cs_row_begin, cs_lc_add to a, b, c, then cs_row_end. Not to be copied. */
typedef struct {
    cs_lc a, b, c;
} cs_row;

/* An empty list for a row of c. */
CUZK_INLINE void cs_lc_begin(const cs *c, cs_lc *lc)
{
    cs_lc_init_room(lc, c->n_inline);
}

CUZK_INLINE void cs_row_begin(const cs *c, cs_row *r)
{
    cs_lc_begin(c, &r->a);
    cs_lc_begin(c, &r->b);
    cs_lc_begin(c, &r->c);
}

CUZK_INLINE void cs_row_end(cs *c, cs_row *r)
{
    cs_enforce(c, &r->a, &r->b, &r->c);
    cs_lc_fini(&r->a);
    cs_lc_fini(&r->b);
    cs_lc_fini(&r->c);
}

/* A circuit ready to be run, with its assignment or blank (all values zero: same structure). */
typedef struct {
    void (*synthesize)(const void *ctx, cs *c);
    const void *ctx;
} cs_circuit;

#endif

/* What the prover keeps between proofs: parameters, in memory or as open files, and compiled
 * circuits. Each is made once, lent by reference count, and given up when idle.
 *
 *   absent --begin--> being made --finish--> ready --evict, reclaim (nobody has it pinned)-->
 * absent
 *
 * Who wants something pins it. When it is absent, one makes it and the others wait for him. The
 * memory of each is a token of the budget, taken before begin and given back with the thing itself.
 * Thread-safe; nothing here reads files or compiles. The lock is never held across the budget's.
 */
#ifndef CUZK_ENGINE_HOLDINGS_H
#define CUZK_ENGINE_HOLDINGS_H

#include "compiled/compiled.h"
#include "engine/budget.h"
#include "engine/prover.h"
#include "groth16/groth16.h"

typedef enum { HOLDING_SRS, HOLDING_STREAM, HOLDING_CIRCUIT, HOLDING_KINDS } holding_kind;

typedef enum { HOLDING_ABSENT, HOLDING_MAKING, HOLDING_READY, HOLDING_FAILED } holding_state;

/* While pinned: kind, id and bytes are constant; srs or circuit is constant once ready, and the
 * maker's alone until then. */
typedef struct {
    holding_kind kind;
    circuit_id id;
    uint64_t bytes;             /* its token */
    groth16_srs srs;            /* HOLDING_SRS, HOLDING_STREAM */
    compiled_circuit *circuit;  /* HOLDING_CIRCUIT */
    atomic_uint_least64_t done; /* of all_bytes, for those who watch a load */
    atomic_uint_least64_t all_bytes;
    /* under the lock of holdings */
    holding_state state;
    unsigned n_pins;
    uint64_t last_used_ns;
} holding;

typedef struct holdings holdings;

/* min_idle_ns: what was used since is kept from reclaim while any proof has working memory. */
cuzk_status cuzk_holdings_new(holdings **out, cuzk_budget *budget, uint64_t min_idle_ns,
                              cuzk_err *err);
void cuzk_holdings_free(holdings *h); /* accepts NULL; nothing may be pinned */

/* What is ready or being made, pinned; NULL when absent. */
holding *cuzk_holdings_pin(holdings *h, holding_kind kind, circuit_id id);
/* Pinned, being made: by the caller, who must call finish. NULL: no place, try again later. */
holding *cuzk_holdings_begin(holdings *h, holding_kind kind, circuit_id id, uint64_t bytes);
/* made: srs or circuit is set. Otherwise the token is given back; the pin stays for unpin. */
void cuzk_holdings_finish(holdings *h, holding *one, bool made);
/* The token was an estimate and the thing is smaller: gives back the rest. Maker only. */
void cuzk_holdings_shrink(holdings *h, holding *one, uint64_t bytes);
void cuzk_holdings_unpin(holdings *h, holding *one); /* accepts NULL */
/* For a try function of the budget: as unpin, but wakes nobody and does not count as use. */
void cuzk_holdings_undo_pin(holdings *h, holding *one);

/* Waits while it is being made. CUZK_NOT_FOUND: its maker failed. CUZK_CANCELLED. */
cuzk_status cuzk_holdings_await(holdings *h, const holding *one, const atomic_bool *cancel,
                                cuzk_err *err);
bool cuzk_holdings_ready(holdings *h, const holding *one); /* never waits */

/* Budget's callback: gives up idle things, least recently used first, when that frees need bytes;
 * else nothing. */
bool cuzk_holdings_reclaim(void *holdings, uint64_t need);
/* Parameters only: an idle circuit costs nothing to speak of. */
void cuzk_holdings_evict(holdings *h, circuit_id id, cuzk_evict_result *out);

/* Parameters that are ready or being made in memory. Returns how many there are. */
size_t cuzk_holdings_list(holdings *h, cuzk_prover_srs_info out[], size_t max);
/* Of parameters: is it ready in memory? */
bool cuzk_holdings_has(holdings *h, holding_kind kind, circuit_id id);
/* The same for either form of parameters, also when being made. */
bool cuzk_holdings_listed(holdings *h, circuit_id id);
unsigned cuzk_holdings_percent(holdings *h, circuit_id id); /* of a load; 100 when ready */
/* Times that parameters were loaded, in all: more than there are circuits means that they push each
 * other out. */
uint64_t cuzk_holdings_n_loads(holdings *h);

#endif

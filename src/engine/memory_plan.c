#include "engine/memory_plan.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/compiler.h"

/* At most one in so many aux variables of PoRep and updates is a field element: one in 30 of
 * porep-512m, one in 77 of porep-32g. In PoSt nearly all are. */
#define FIELD_SHARE 24u

#define GIB (1024.0 * 1024.0 * 1024.0)

bool cuzk_memory_sizes(prove_sizes *out, circuit_id id, bool compiled)
{
    circuit_counts c;
    if (!cuzk_circuit_counts(&c, id))
        return false;
    bool post = id.kind == CUZK_KIND_WINNING || id.kind == CUZK_KIND_WINDOW;
    *out = (prove_sizes){.n_inputs = c.n_inputs,
                         .n_aux = c.n_aux,
                         .n_rows = c.n_rows,
                         .n_a = c.n_inputs + c.a_aux,
                         .n_b = c.b_inputs + c.b_aux,
                         .n_fields = post ? c.n_aux : c.n_aux / FIELD_SHARE,
                         .compiled = compiled};
    return true;
}

static void describe(memory_answer *out, circuit_id id, const prove_memory *m, uint64_t need,
                     uint64_t available)
{
    char name[24];
    cuzk_circuit_id_format(name, id);
    snprintf(out->sentence, sizeof out->sentence,
             "%s needs %.3f GiB with its parameters %s (parameters %.3f, circuit %.3f, witness "
             "%.3f, then transforms %.3f or sums %.3f); %.3f GiB available",
             name, (double)need / GIB, out->streamed ? "streamed from disk" : "in memory",
             (double)m->srs / GIB, (double)m->circuit / GIB, (double)m->witness / GIB,
             (double)m->rows / GIB, (double)m->sums / GIB, (double)available / GIB);
}

static cuzk_status refuse(circuit_id id, const memory_question *q, uint64_t resident,
                          uint64_t streamed, cuzk_err *err)
{
    char name[24];
    cuzk_circuit_id_format(name, id);
    uint64_t need = q->mode == CUZK_SRS_RESIDENT ? resident : streamed;
    bool never = need > q->total;
    uint64_t have = never ? q->total : q->available;
    const char *remedy =
        q->mode == CUZK_SRS_RESIDENT && streamed <= q->available && streamed <= q->total
            ? "; it would fit with `cuzk prove --srs streamed`"
            : "";
    return cuzk_fail(err, never ? CUZK_MEMORY : CUZK_BUDGET, 0,
                     "not enough memory to prove %s: it needs %.3f GiB (%" PRIu64
                     " bytes; %.3f GiB with the parameters streamed), %.3f GiB (%" PRIu64
                     " bytes) %s%s%s",
                     name, (double)resident / GIB, resident, (double)streamed / GIB,
                     (double)have / GIB, have, never ? "are the memory budget" : "are available",
                     never ? "; raise the budget or add memory" : "; try again later", remedy);
}

cuzk_status cuzk_memory_plan(memory_answer *out, circuit_id id, const memory_question *q,
                             cuzk_err *err)
{
    prove_sizes sizes;
    prove_memory resident, streamed;
    uint64_t limit = q->available < q->total ? q->available : q->total;
    *out = (memory_answer){.streamed = q->mode == CUZK_SRS_STREAMED};
    if (!cuzk_memory_sizes(&sizes, id, q->compiled))
        return CUZK_OK;
    cuzk_prove_memory(&resident, &sizes, q->n_threads, false);
    cuzk_prove_memory(&streamed, &sizes, q->n_threads, true);
    uint64_t need_streamed = memory_of_process(streamed.total);
    uint64_t need_resident = memory_of_process(resident.total) - (q->loaded ? resident.srs : 0);
    if (q->mode == CUZK_SRS_AUTO)
        out->streamed = need_resident > limit;
    uint64_t need = out->streamed ? need_streamed : need_resident;
    if (need > limit)
        return refuse(id, q, need_resident, need_streamed, err);
    const prove_memory *m = out->streamed ? &streamed : &resident;
    out->srs_bytes = m->srs;
    out->circuit_bytes = m->circuit;
    out->partition_bytes = memory_of_process(m->total) - m->srs - m->circuit;
    describe(out, id, m, need, limit);
    return CUZK_OK;
}

#include "rpc/wire_submit.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "cuzk/v1/proving.pb-c.h"
#include "rpc/wire_walk.h"

typedef enum { AS_UINT64, AS_UINT32, AS_INT64, AS_VIEW, AS_ID, AS_VIEWS } how;

/* Number, name and place of each field of SubmitProofRequest (proto/cuzk/v1/proving.proto). */
static const struct {
    uint32_t number;
    const char *name;
    how as;
    size_t at;
} row[] = {
#define AT(x) offsetof(submit_fields, x)
    {1, "request_id", AS_ID, AT(request_id)},
    {2, "proof_kind", AS_INT64, AT(proof_kind)},
    {3, "sector_size", AS_UINT64, AT(msg.sector_size)},
    {4, "registered_proof", AS_UINT64, AT(msg.registered_proof)},
    {5, "priority", AS_INT64, AT(priority)},
    {10, "vanilla_proof", AS_VIEW, AT(msg.vanilla_proof)},
    {11, "vanilla_proofs", AS_VIEWS, 0},
    {20, "sector_number", AS_UINT64, AT(msg.sector_number)},
    {21, "miner_id", AS_UINT64, AT(msg.miner_id)},
    {22, "randomness", AS_VIEW, AT(msg.randomness)},
    {23, "partition_index", AS_UINT32, AT(msg.partition_index)},
    {30, "comm_r_old", AS_VIEW, AT(msg.comm_r_old)},
    {31, "comm_r_new", AS_VIEW, AT(msg.comm_r_new)},
    {32, "comm_d_new", AS_VIEW, AT(msg.comm_d_new)},
    {40, "deadline_unix_ms", AS_UINT64, AT(deadline_unix_ms)},
#undef AT
};

static cuzk_status store_id(submit_fields *out, const wire_field *f, cuzk_err *err)
{
    if (f->n > REQUEST_ID_MAX)
        return cuzk_fail(err, CUZK_INVAL, 0, "request_id: %zu bytes, at most %u are allowed", f->n,
                         REQUEST_ID_MAX);
    if (f->n && memchr(f->data, '\0', f->n))
        return cuzk_fail(err, CUZK_INVAL, 0, "request_id: control character (NUL)");
    if (f->n)
        memcpy(out->request_id, f->data, f->n);
    out->request_id[f->n] = '\0';
    return CUZK_OK;
}

/* Room for a few, then twice as many. */
static cuzk_status add_view(submit_fields *out, const wire_field *f, cuzk_err *err)
{
    size_t n = out->msg.n_vanilla_proofs;
    if (n == SUBMIT_MAX_PROOFS)
        return cuzk_fail(err, CUZK_INVAL, 0, "vanilla_proofs: more than %u", SUBMIT_MAX_PROOFS);
    if (n == 0 || (n >= 16 && (n & (n - 1)) == 0)) {
        byte_view *v = cuzk_realloc(out->view, (n < 16 ? 16 : 2 * n) * sizeof *v);
        if (!v)
            return cuzk_fail(err, CUZK_NOMEM, 0, "%zu vanilla proofs", n);
        out->view = v;
    }
    out->view[n] = (byte_view){f->data, f->n};
    out->msg.n_vanilla_proofs = n + 1;
    return CUZK_OK;
}

static cuzk_status store(submit_fields *out, size_t i, const wire_field *f, cuzk_err *err)
{
    uint8_t *at = (uint8_t *)out + row[i].at;
    wire_type want = row[i].as <= AS_INT64 ? WIRE_VARINT : WIRE_BYTES;
    if (f->type != want)
        return cuzk_fail(err, CUZK_ENCODING, 0, "%s: wire type %d instead of %d", row[i].name,
                         (int)f->type, (int)want);
    switch (row[i].as) {
    case AS_UINT64:
    case AS_INT64:
        memcpy(at, &f->value, sizeof f->value);
        return CUZK_OK;
    case AS_UINT32:
        if (f->value > UINT32_MAX)
            return cuzk_fail(err, CUZK_INVAL, 0, "%s: %" PRIu64 " is beyond 32 bits", row[i].name,
                             f->value);
        memcpy(at, &(uint32_t){(uint32_t)f->value}, sizeof(uint32_t));
        return CUZK_OK;
    case AS_VIEW:
        memcpy(at, &(byte_view){f->data, f->n}, sizeof(byte_view));
        return CUZK_OK;
    case AS_VIEWS:
        return add_view(out, f, err);
    case AS_ID:
        break;
    }
    return store_id(out, f, err);
}

static cuzk_status walk(submit_fields *out, const uint8_t *bytes, size_t n, cuzk_err *err)
{
    wire_cursor c = {bytes, n};
    wire_field f;
    while (cuzk_wire_next(&c, &f)) {
        size_t i = 0;
        while (i < CUZK_ARRAY_LEN(row) && row[i].number != f.number)
            i++;
        cuzk_status st = i < CUZK_ARRAY_LEN(row) ? store(out, i, &f, err) : CUZK_OK;
        if (st != CUZK_OK)
            return st;
    }
    if (c.n)
        return cuzk_fail(err, CUZK_ENCODING, 0,
                         "%zu bytes do not decode to a cuzk.v1.SubmitProofRequest: no field at "
                         "byte %zu",
                         n, n - c.n);
    return CUZK_OK;
}

static const struct {
    Cuzk__V1__ProofKind wire;
    cuzk_kind kind;
} kind_table[] = {
    {CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT, CUZK_KIND_POREP},
    {CUZK__V1__PROOF_KIND__SNAP_DEALS_UPDATE, CUZK_KIND_UPDATE},
    {CUZK__V1__PROOF_KIND__WINDOW_POST_PARTITION, CUZK_KIND_WINDOW},
    {CUZK__V1__PROOF_KIND__WINNING_POST, CUZK_KIND_WINNING},
};

/* What the fields mean together. */
static cuzk_status complete(submit_fields *out, cuzk_err *err)
{
    request_message *msg = &out->msg;
    size_t k = 0;
    while (k < CUZK_ARRAY_LEN(kind_table) && (int64_t)kind_table[k].wire != out->proof_kind)
        k++;
    if (k == CUZK_ARRAY_LEN(kind_table))
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "invalid proof_kind: %" PRId64 ", expected 1 (porep), 2 (update), "
                         "3 (window post) or 4 (winning post)",
                         out->proof_kind);
    /* the engine knows the classes; here only what does not fit its type */
    if (out->priority < INT32_MIN || out->priority > INT32_MAX)
        return cuzk_fail(err, CUZK_INVAL, 0, "priority: %" PRId64 ", expected 0 to 4",
                         out->priority);
    msg->kind = kind_table[k].kind;
    /* proto3 cannot tell 0 from absent; a PoRep's C1 output says what it is */
    msg->has_registered_proof = msg->kind != CUZK_KIND_POREP || msg->registered_proof != 0;
    msg->vanilla_proofs = out->view;
    msg->may_overwrite = true; /* the bytes are the call's, and nobody reads them twice */
    return CUZK_OK;
}

cuzk_status cuzk_wire_submit(submit_fields *out, const uint8_t *bytes, size_t n, cuzk_err *err)
{
    memset(out, 0, sizeof *out);
    cuzk_status st = walk(out, bytes, n, err);
    return st == CUZK_OK ? complete(out, err) : st;
}

cuzk_status cuzk_wire_prove(submit_fields *out, const uint8_t *bytes, size_t n, cuzk_err *err)
{
    wire_cursor c = {bytes, n};
    wire_field f;
    bool found = false;
    memset(out, 0, sizeof *out);
    while (cuzk_wire_next(&c, &f)) { /* several of them count as one, joined */
        if (f.number != 1)
            continue;
        if (f.type != WIRE_BYTES)
            return cuzk_fail(err, CUZK_ENCODING, 0, "submit: wire type %d", (int)f.type);
        cuzk_status st = walk(out, f.data, f.n, err);
        if (st != CUZK_OK)
            return st;
        found = true;
    }
    if (c.n)
        return cuzk_fail(err, CUZK_ENCODING, 0, "%zu bytes do not decode to a cuzk.v1.ProveRequest",
                         n);
    if (!found)
        return cuzk_fail(err, CUZK_INVAL, 0, "missing submit field");
    return complete(out, err);
}

void cuzk_wire_submit_fini(submit_fields *f)
{
    cuzk_free(f->view);
    f->view = NULL;
}

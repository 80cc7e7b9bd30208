#include "rpc/wire.h"

#include <string.h>

#include "base/mem.h"

#define UNPACK_SLACK ((size_t)16 << 20)

/* protobuf-c's own convention: the budget only falls, since its free does not tell sizes. */
static void *limited_alloc(void *ctx, size_t n)
{
    size_t *budget = ctx;
    if (n > *budget)
        return NULL;
    *budget -= n;
    return cuzk_malloc(n);
}

static void limited_free(void *ctx, void *p)
{
    (void)ctx;
    cuzk_free(p);
}

cuzk_status cuzk_wire_unpack(wire_message *w, const ProtobufCMessageDescriptor *type,
                             const uint8_t *bytes, size_t n, cuzk_err *err)
{
    w->budget = 2 * n + UNPACK_SLACK;
    w->allocator = (ProtobufCAllocator){limited_alloc, limited_free, &w->budget};
    w->message = protobuf_c_message_unpack(type, &w->allocator, n, bytes);
    if (!w->message)
        return cuzk_fail(err, CUZK_ENCODING, 0, "%zu bytes do not decode to a %s", n, type->name);
    return CUZK_OK;
}

void cuzk_wire_fini(wire_message *w)
{
    if (w->message)
        protobuf_c_message_free_unpacked(w->message, &w->allocator);
    w->message = NULL;
}

uint8_t *cuzk_wire_pack(const ProtobufCMessage *message, size_t *n)
{
    *n = protobuf_c_message_get_packed_size(message);
    uint8_t *out = cuzk_malloc(*n + 1);
    if (out)
        protobuf_c_message_pack(message, out);
    return out;
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

static byte_view view_of(ProtobufCBinaryData b)
{
    return (byte_view){b.data, b.len};
}

cuzk_status cuzk_wire_request(request_message *msg, byte_view view[],
                              const Cuzk__V1__SubmitProofRequest *p, cuzk_err *err)
{
    size_t k = 0;
    while (k < CUZK_ARRAY_LEN(kind_table) && kind_table[k].wire != p->proof_kind)
        k++;
    if (k == CUZK_ARRAY_LEN(kind_table))
        return cuzk_fail(
            err, CUZK_INVAL, 0,
            "invalid proof_kind: %d, expected 1 (porep), 2 (update), 3 (window post) or "
            "4 (winning post)",
            (int)p->proof_kind);
    memset(msg, 0, sizeof *msg);
    msg->kind = kind_table[k].kind;
    msg->sector_size = p->sector_size;
    msg->registered_proof = p->registered_proof;
    /* proto3 cannot tell 0 from absent; a PoRep's C1 output says what it is */
    msg->has_registered_proof = msg->kind != CUZK_KIND_POREP || p->registered_proof != 0;
    msg->sector_number = p->sector_number;
    msg->miner_id = p->miner_id;
    msg->vanilla_proof = view_of(p->vanilla_proof);
    for (size_t i = 0; i < p->n_vanilla_proofs; i++)
        view[i] = view_of(p->vanilla_proofs[i]);
    msg->vanilla_proofs = view;
    msg->n_vanilla_proofs = p->n_vanilla_proofs;
    msg->randomness = view_of(p->randomness);
    msg->partition_index = p->partition_index;
    msg->comm_r_old = view_of(p->comm_r_old);
    msg->comm_r_new = view_of(p->comm_r_new);
    msg->comm_d_new = view_of(p->comm_d_new);
    return CUZK_OK;
}

void cuzk_wire_ascii(char *out, size_t max, const char *text)
{
    size_t i = 0;
    for (; text[i] && i + 1 < max; i++)
        out[i] = text[i] >= 0x20 && text[i] <= 0x7e ? text[i] : '?';
    out[i] = '\0';
}

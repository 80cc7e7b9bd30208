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

void cuzk_wire_ascii(char *out, size_t max, const char *text)
{
    size_t i = 0;
    for (; text[i] && i + 1 < max; i++)
        out[i] = text[i] >= 0x20 && text[i] <= 0x7e ? text[i] : '?';
    out[i] = '\0';
}

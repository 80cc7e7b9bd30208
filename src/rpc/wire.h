/* Small protobuf messages, with the limits that hostile bytes meet; requests: wire_submit.h. */
#ifndef CUZK_RPC_WIRE_H
#define CUZK_RPC_WIRE_H

#include <protobuf-c/protobuf-c.h>

#include "cuzk/v1/proving.pb-c.h"

#include "base/error.h"

/* An unpacked message and the memory it may take: 2 * n + 16 MiB for n bytes of input, since a byte
 * or two can unpack to tens of bytes (a repeated field of empty elements). */
typedef struct {
    ProtobufCMessage *message;
    ProtobufCAllocator allocator;
    size_t budget;
} wire_message;

/* w must stay where it is until fini. CUZK_ENCODING names the message type. */
cuzk_status cuzk_wire_unpack(wire_message *w, const ProtobufCMessageDescriptor *type,
                             const uint8_t *bytes, size_t n, cuzk_err *err);
void cuzk_wire_fini(wire_message *w);

/* Packs into a new block (cuzk_free); NULL when out of memory. */
uint8_t *cuzk_wire_pack(const ProtobufCMessage *message, size_t *n);

/* Copies text as printable ASCII, so that a protobuf string made of it is valid UTF-8. */
void cuzk_wire_ascii(char *out, size_t max, const char *text);

#endif

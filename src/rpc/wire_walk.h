/* Protobuf fields as they lie in memory: for messages whose bytes must not be copied. */
#ifndef CUZK_RPC_WIRE_WALK_H
#define CUZK_RPC_WIRE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 } wire_type;

typedef struct {
    uint32_t number;
    wire_type type;
    uint64_t value;      /* VARINT */
    const uint8_t *data; /* BYTES: n of them; FIXED: as they lie */
    size_t n;
} wire_field;

typedef struct {
    const uint8_t *p;
    size_t n; /* bytes left; at the end 0, or what does not parse */
} wire_cursor;

/* False at the end (c->n is 0 then) and before what is no field. Groups, which proto3 has not, are
 * no fields. */
bool cuzk_wire_next(wire_cursor *c, wire_field *f);

#endif

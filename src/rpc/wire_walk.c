#include "rpc/wire_walk.h"

static bool take_varint(wire_cursor *c, uint64_t *out)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 10 && i < c->n; i++) {
        uint8_t b = c->p[i];
        if (i == 9 && b > 1) /* beyond 64 bits */
            return false;
        v |= (uint64_t)(b & 0x7f) << (7 * i);
        if (b < 0x80) {
            c->p += i + 1;
            c->n -= i + 1;
            *out = v;
            return true;
        }
    }
    return false;
}

static bool take_bytes(wire_cursor *c, wire_field *f, uint64_t n)
{
    if (n > c->n)
        return false;
    f->data = c->p;
    f->n = (size_t)n;
    c->p += n;
    c->n -= (size_t)n;
    return true;
}

static bool take_field(wire_cursor *c, wire_field *f)
{
    uint64_t key, n;
    if (!take_varint(c, &key) || key >> 3 == 0 || key >> 3 > 0x1fffffff)
        return false;
    *f = (wire_field){.number = (uint32_t)(key >> 3), .type = (wire_type)(key & 7)};
    switch (key & 7) {
    case WIRE_VARINT:
        return take_varint(c, &f->value);
    case WIRE_FIXED64:
        return take_bytes(c, f, 8);
    case WIRE_BYTES:
        return take_varint(c, &n) && take_bytes(c, f, n);
    case WIRE_FIXED32:
        return take_bytes(c, f, 4);
    default:
        return false;
    }
}

bool cuzk_wire_next(wire_cursor *c, wire_field *f)
{
    wire_cursor next = *c;
    if (c->n == 0 || !take_field(&next, f))
        return false;
    *c = next;
    return true;
}

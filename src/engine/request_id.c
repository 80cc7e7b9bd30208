#include "engine/request_id.h"

#include <stdint.h>
#include <string.h>

#include "base/hex.h"
#include "base/rng.h"
#include "base/utf8.h"

cuzk_status cuzk_request_id_check(const char *id, cuzk_err *err)
{
    size_t n = strlen(id);
    if (n > REQUEST_ID_MAX)
        return cuzk_fail(err, CUZK_INVAL, 0, "request_id: %zu bytes, at most %u are allowed", n,
                         REQUEST_ID_MAX);
    const uint8_t *p = (const uint8_t *)id;
    for (size_t i = 0; i < n;) {
        size_t k = utf8_sequence(p + i, p + n);
        if (k == 0)
            return cuzk_fail(err, CUZK_INVAL, 0, "request_id: not UTF-8 at byte %zu", i);
        /* C0, DEL, and C1 (U+0080 to U+009F is c2 80 to c2 9f) */
        if (p[i] < 0x20 || p[i] == 0x7f || (p[i] == 0xc2 && p[i + 1] < 0xa0))
            return cuzk_fail(err, CUZK_INVAL, 0, "request_id: control character at byte %zu", i);
        i += k;
    }
    return CUZK_OK;
}

cuzk_status cuzk_uuid4(char out[UUID_TEXT_BYTES], cuzk_err *err)
{
    static const unsigned group_bytes[] = {4, 2, 2, 2, 6};
    uint8_t r[16];
    cuzk_status st = cuzk_random_bytes(r, sizeof r, err);
    if (st != CUZK_OK)
        return st;
    r[6] = (uint8_t)((r[6] & 0x0f) | 0x40); /* version */
    r[8] = (uint8_t)((r[8] & 0x3f) | 0x80); /* variant */
    char *p = out;
    const uint8_t *q = r;
    for (unsigned i = 0; i < 5; i++) {
        cuzk_hex_encode(p, q, group_bytes[i]);
        p += 2 * group_bytes[i];
        q += group_bytes[i];
        *p++ = i < 4 ? '-' : '\0';
    }
    return CUZK_OK;
}

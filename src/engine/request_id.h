/* Request ids: chosen by clients, echoed in answers and logs. */
#ifndef CUZK_ENGINE_REQUEST_ID_H
#define CUZK_ENGINE_REQUEST_ID_H

#include "base/error.h"

#define REQUEST_ID_MAX 256u /* bytes, without the NUL */

/* At most REQUEST_ID_MAX bytes of well-formed UTF-8 (answers carry it in a protobuf string, which
 * must be that) without control characters. The empty id is fine: it asks for a fresh one. */
cuzk_status cuzk_request_id_check(const char *id, cuzk_err *err);

/* A random UUID, version 4, lower case: "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx" [RFC 9562 5.4]. */
#define UUID_TEXT_BYTES 37u
cuzk_status cuzk_uuid4(char out[UUID_TEXT_BYTES], cuzk_err *err);

#endif

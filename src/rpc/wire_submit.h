/* SubmitProofRequest, read where it lies: 51 MB of payload are not copied. */
#ifndef CUZK_RPC_WIRE_SUBMIT_H
#define CUZK_RPC_WIRE_SUBMIT_H

#include "base/error.h"
#include "engine/request_id.h"
#include "filecoin/request.h"

#define SUBMIT_MAX_PROOFS 65536u /* 2349 is the largest legitimate number */

typedef struct {
    char request_id[REQUEST_ID_MAX + 1];
    int64_t proof_kind, priority; /* as on the wire */
    uint64_t deadline_unix_ms;    /* 0: none */
    request_message msg;          /* its views point into the bytes, its list into view */
    byte_view *view;
} submit_fields;

/* Later occurrences of a field win, those of vanilla_proofs add up, unknown fields are skipped.
 * CUZK_ENCODING: bytes that are no such message. CUZK_INVAL names the field. */
cuzk_status cuzk_wire_submit(submit_fields *out, const uint8_t *bytes, size_t n, cuzk_err *err);
/* The same inside a ProveRequest. */
cuzk_status cuzk_wire_prove(submit_fields *out, const uint8_t *bytes, size_t n, cuzk_err *err);
void cuzk_wire_submit_fini(submit_fields *f); /* also after a failure */

#endif

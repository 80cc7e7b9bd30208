/* The four Filecoin circuits over the shape table (spec circuits.md sections 3, 4, 6, 7). */
#ifndef CUZK_FILECOIN_CIRCUITS_H
#define CUZK_FILECOIN_CIRCUITS_H

#include "circuit/cs.h"
#include "filecoin/circuit_id.h"
#include "filecoin/request.h"

/* What one run of a circuit needs. req == NULL: the blank circuit of `id`, all values zero. */
typedef struct {
    circuit_id id;
    const proof_request *req;
    unsigned partition; /* < req->n_partitions */
} circuit_instance;

/* The cs_circuit borrows *instance. */
cs_circuit cuzk_circuit_of(const circuit_instance *instance);

#endif

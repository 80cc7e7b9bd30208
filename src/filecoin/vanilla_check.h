/* Checks of vanilla proofs before proving (spec circuits.md 5.7, 6.5, 7.5). Internal. */
#ifndef CUZK_FILECOIN_VANILLA_CHECK_H
#define CUZK_FILECOIN_VANILLA_CHECK_H

#include "base/error.h"
#include "filecoin/request.h"

typedef enum { TREE_SHA256, TREE_POSEIDON } tree_hash;

/* The node that the path leads to after n_levels of its levels. */
void cuzk_merkle_climb(fr *out, const merkle_proof *p, unsigned n_levels, tree_hash hash);
void cuzk_tree_d_node(fr *out, const fr *left, const fr *right); /* of tree D */
/* The label that the parents, layer and node of l give (circuits.md 5.4); node != 0. */
void cuzk_porep_label(fr *out, const uint8_t replica_id[32], const labeling_proof *l);

/* The path belongs to node `index` and leads from the stored leaf to `root`, which is stored too.
 * what names the path; root_name the root. */
cuzk_status cuzk_check_path(const merkle_proof *p, tree_hash hash, uint64_t index, const fr *root,
                            const char *what, const char *root_name, cuzk_err *err);
/* comm_r = P2(comm_c, root of tree R). */
cuzk_status cuzk_check_comm_r(const fr *comm_r, const fr *comm_c, const fr *root,
                              const char *comm_r_name, const char *root_name, cuzk_err *err);

/* The parts of a request that can be checked independently: a challenge of a PoRep (counted over
 * all partitions), a sector of a PoSt, a partition of an update. */
cuzk_status cuzk_check_porep_challenge(const proof_request *req, size_t i, cuzk_err *err);
cuzk_status cuzk_check_post_sector(const proof_request *req, size_t i, cuzk_err *err);
cuzk_status cuzk_check_update_partition(const proof_request *req, size_t i, cuzk_err *err);

#endif

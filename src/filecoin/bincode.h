/* Vanilla proofs of PoSt and sector updates in bincode (spec formats.md 6.2, 6.3, 6.6).
 *
 * The sector shape fixes every count, so a reader compares counts and never allocates by them.
 */
#ifndef CUZK_FILECOIN_BINCODE_H
#define CUZK_FILECOIN_BINCODE_H

#include "base/arena.h"
#include "base/error.h"
#include "filecoin/vanilla.h"

/* One FallbackPoStSectorProof with n_challenges inclusion proofs; nothing may follow. */
cuzk_status cuzk_bincode_read_sector(post_sector *out, cuzk_arena *arena, const sector_shape *s,
                                     size_t n_challenges, const uint8_t *data, size_t n,
                                     cuzk_err *err);

/* One update PartitionProof; nothing may follow. */
cuzk_status cuzk_bincode_read_update(update_partition *out, cuzk_arena *arena,
                                     const sector_shape *s, const uint8_t *data, size_t n,
                                     cuzk_err *err);

#endif

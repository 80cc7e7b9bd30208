/* ChaCha key stream with a chosen number of rounds: 8 for the DRG graph, 20 for synthetic
 * challenges. Source: RFC 8439 section 2.3 (block function), with the state words 12-15 left to the
 * caller. */
#ifndef CUZK_FILECOIN_CHACHA_H
#define CUZK_FILECOIN_CHACHA_H

#include <stdint.h>

/* tail: words 12-15, that is counter and nonce (layout differs between users). */
void cuzk_chacha_block(uint8_t out[64], const uint8_t key[32], const uint32_t tail[4],
                       unsigned rounds);

#endif

/* Big blocks: page ranges that are kept when freed and handed out again, since fresh pages have to
 * be cleared by the kernel (a quarter of a small proof's processor time, and much more where the
 * host takes pages back). Under base/mem.h; nothing else calls it. Thread-safe.
 */
#ifndef CUZK_BASE_PAGES_H
#define CUZK_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* bytes > 0, a multiple of PAGES_BYTES. NULL when the system has none. *zero: all bytes are 0. */
#define PAGES_BYTES ((size_t)4096)
void *cuzk_pages_take(size_t bytes, bool *zero);
void cuzk_pages_give(void *p, size_t bytes);

uint64_t cuzk_pages_kept(void); /* bytes that are mapped and free */
void cuzk_pages_trim(void);     /* returns them to the system */

#endif

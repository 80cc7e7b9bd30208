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

/* For a process's first job: maps a range for blocks of so many bytes together, from whose begin
 * they will be cut. NULL: there are pages that were used before, or the system has no more.
 *
 * In small pages: the kernel hands out those that were used a moment ago, while huge ones are as a
 * rule among those that a virtual machine's host has taken back (WindowPoSt 2 KiB after some
 * seconds of rest: 126 to 98 ms). */
void *cuzk_pages_map_ahead(size_t bytes);
/* From now on the system may make huge pages of them, in its own time. */
void cuzk_pages_join(void *p, size_t bytes);
/* Makes pages present, whoever has them by now; contents stay. False: they cannot be. */
bool cuzk_pages_touch(void *p, size_t bytes);

uint64_t cuzk_pages_kept(void); /* bytes that are mapped and free */
void cuzk_pages_trim(void);     /* returns them to the system */

#endif

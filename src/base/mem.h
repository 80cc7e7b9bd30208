/* The only allocator of cuzk: counted, 64-byte aligned, able to fail on demand in tests.
 *
 * Blocks of 256 KiB and more are page ranges with transparent huge pages asked for, since the big
 * arrays (points, vectors) are accessed at random; freed ones are kept for the next (base/pages.h).
 * Thread-safe.
 */
#ifndef CUZK_BASE_MEM_H
#define CUZK_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *cuzk_malloc(size_t bytes);           /* contents arbitrary; NULL when out of memory */
void *cuzk_calloc(size_t n, size_t bytes); /* zeroed; NULL also on overflow of n * bytes */
void *cuzk_realloc(void *p, size_t bytes); /* NULL leaves p valid; p may be NULL */
void cuzk_free(void *p);                   /* accepts NULL */
char *cuzk_strdup(const char *s);

/* n elements of type T, uninitialised, NULL on overflow or when out of memory. */
#define CUZK_NEW_ARRAY(T, n) ((T *)cuzk_malloc_array((n), sizeof(T)))
void *cuzk_malloc_array(size_t n, size_t bytes);

/* Checked size arithmetic: false on overflow, *out unchanged. */
bool cuzk_size_mul(size_t *out, size_t a, size_t b);
bool cuzk_size_add(size_t *out, size_t a, size_t b);

/* Bytes held now and at most so far, through this allocator. */
uint64_t cuzk_mem_used(void);
uint64_t cuzk_mem_peak(void);

/* Freed bytes that are kept for later blocks, and their return to the system. */
uint64_t cuzk_mem_kept(void);
void cuzk_mem_trim(void);

/* Test hook: the n-th allocation from now (1 = next) fails once; 0 disarms. */
void cuzk_mem_fail_nth(uint64_t n);

/* Overwrites n bytes in a way that the compiler may not remove (for r, s and the like). */
void cuzk_wipe(void *p, size_t n);

#endif

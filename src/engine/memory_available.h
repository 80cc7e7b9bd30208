/* How much memory there is for this process: now, and at most. */
#ifndef CUZK_ENGINE_MEMORY_AVAILABLE_H
#define CUZK_ENGINE_MEMORY_AVAILABLE_H

#include <stdint.h>

/* root is "", or for tests a folder that stands for /. */

/* The least of MemAvailable and, for the control group (v2 or v1) of this process and each above
 * it, its limit less what is used and cannot be dropped. UINT64_MAX when nothing is known. */
uint64_t cuzk_memory_available(const char *root);

/* The least of MemTotal, the limit of the control group and of each above it, and the limit of
 * address space (RLIMIT_AS) less what is mapped already. */
typedef struct {
    uint64_t bytes;  /* UINT64_MAX when nothing is known */
    char source[96]; /* what decided: "MemTotal", "control group /a/b", "limit of address space" */
} memory_total;
void cuzk_memory_total(memory_total *out, const char *root);
/* address_space: in place of RLIMIT_AS; UINT64_MAX: no limit. */
void cuzk_memory_total_of(memory_total *out, const char *root, uint64_t address_space);

/* What is left to others and to what the budget does not count, when nothing is configured: a
 * sixteenth of the total, at most 5 GiB. */
uint64_t cuzk_memory_margin(uint64_t total);

#endif

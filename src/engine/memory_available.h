/* How much memory this process may still take. */
#ifndef CUZK_ENGINE_MEMORY_AVAILABLE_H
#define CUZK_ENGINE_MEMORY_AVAILABLE_H

#include <stdint.h>

/* The least of MemAvailable and, for the control group (v2) of this process and each above it,
 * memory.max less what is used and cannot be dropped. UINT64_MAX when nothing is known. root: "",
 * or for tests a folder that stands for /. */
uint64_t cuzk_memory_available(const char *root);

#endif

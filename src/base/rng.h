/* Randomness from the kernel. There is no fallback: without it nothing secret may be made. */
#ifndef CUZK_BASE_RNG_H
#define CUZK_BASE_RNG_H

#include <stddef.h>

#include "base/error.h"

cuzk_status cuzk_random_bytes(void *out, size_t n, cuzk_err *err);

#endif

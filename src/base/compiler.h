/* The only place for compiler extensions: 128-bit integers, attributes, builtins. */
#ifndef CUZK_BASE_COMPILER_H
#define CUZK_BASE_COMPILER_H

#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 cuzk_u128;

#define CUZK_INLINE       static inline __attribute__((always_inline))
#define CUZK_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define CUZK_LIKELY(x)    __builtin_expect(!!(x), 1)
#define CUZK_UNLIKELY(x)  __builtin_expect(!!(x), 0)
#define CUZK_PREFETCH(p)  __builtin_prefetch(p)
#define CUZK_UNUSED       __attribute__((unused))
#define CUZK_CONSTRUCTOR  __attribute__((constructor))
#define CUZK_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

CUZK_INLINE unsigned cuzk_ctz64(uint64_t x)
{
    return (unsigned)__builtin_ctzll(x); /* x != 0 */
}

CUZK_INLINE unsigned cuzk_clz64(uint64_t x)
{
    return (unsigned)__builtin_clzll(x); /* x != 0 */
}

CUZK_INLINE unsigned cuzk_popcount64(uint64_t x)
{
    return (unsigned)__builtin_popcountll(x);
}

/* In a loop that waits for another core. */
CUZK_INLINE void cuzk_spin_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Smallest k with 2^k >= n; 0 for n <= 1. */
CUZK_INLINE unsigned cuzk_lg_ceil(uint64_t n)
{
    return n <= 1 ? 0 : 64 - cuzk_clz64(n - 1);
}

#endif

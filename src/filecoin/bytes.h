/* Integers in byte strings, by stated byte order. */
#ifndef CUZK_FILECOIN_BYTES_H
#define CUZK_FILECOIN_BYTES_H

#include <stdint.h>

static inline uint64_t load_le(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = n; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

static inline uint32_t load_u32_le(const uint8_t *p)
{
    return (uint32_t)load_le(p, 4);
}

static inline uint64_t load_u64_le(const uint8_t *p)
{
    return load_le(p, 8);
}

static inline uint64_t load_u64_be(const uint8_t *p)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++)
        v = v << 8 | p[i];
    return v;
}

static inline void store_u32_le(uint8_t *p, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static inline void store_u64_le(uint8_t *p, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static inline void store_u32_be(uint8_t *p, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static inline void store_u64_be(uint8_t *p, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (56 - 8 * i));
}

#endif

/* Source: spec circuits.md sections 1.1, 1.2, 1.4, 1.5. */
#include "filecoin/shape.h"

#include <string.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

#define H_SMALL {1, 1, 1, 1, 1, 1}, 0
#define H_LARGE {7, 8, 9, 10, 11, 12}, 3

/* name, Rust name, bytes, lg nodes, arities, base levels, layers, registered,
 * PoRep partitions, challenges, NI partitions, Window sectors,
 * update partitions, challenges, apex leaves, h list and which */
const sector_shape cuzk_shapes[] = {
    {"1k", "1KiB", 1 * KIB, 5, {8, 4, 0}, 1, 2, false, 0, 0, 0, 0, 1, 10, 8, H_SMALL},
    {"2k", "2KiB", 2 * KIB, 6, {8, 0, 0}, 2, 2, true, 1, 2, 13, 2, 1, 10, 8, H_SMALL},
    {"4k", "4KiB", 4 * KIB, 7, {8, 2, 0}, 2, 2, false, 1, 2, 13, 2, 1, 10, 8, H_SMALL},
    {"8k", "8KiB", 8 * KIB, 8, {8, 4, 0}, 2, 2, false, 0, 0, 0, 0, 1, 10, 8, H_SMALL},
    {"16k", "16KiB", 16 * KIB, 9, {8, 8, 0}, 2, 2, false, 1, 2, 13, 2, 2, 10, 128, H_SMALL},
    {"32k", "32KiB", 32 * KIB, 10, {8, 8, 2}, 2, 2, false, 1, 2, 13, 2, 2, 10, 128, H_SMALL},
    {"8m", "8MiB", 8 * MIB, 18, {8, 0, 0}, 6, 2, true, 1, 2, 13, 2, 4, 10, 128, H_LARGE},
    {"16m", "16MiB", 16 * MIB, 19, {8, 2, 0}, 6, 2, false, 1, 2, 13, 2, 4, 10, 128, H_LARGE},
    {"512m", "512MiB", 512 * MIB, 24, {8, 0, 0}, 8, 2, true, 1, 2, 13, 2, 16, 86, 128, H_LARGE},
    {"1g", "1GiB", 1 * GIB, 25, {8, 2, 0}, 8, 2, false, 1, 2, 13, 2, 0, 0, 0, H_LARGE},
    {"32g", "32GiB", 32 * GIB, 30, {8, 8, 0}, 9, 11, true, 10, 18, 126, 2349, 16, 86, 128, H_LARGE},
    {"64g", "64GiB", 64 * GIB, 31, {8, 8, 2}, 9, 11, true, 10, 18, 126, 2300, 16, 86, 128, H_LARGE},
};
const size_t cuzk_n_shapes = sizeof cuzk_shapes / sizeof cuzk_shapes[0];

const sector_shape *cuzk_shape_by_bytes(uint64_t sector_bytes)
{
    for (size_t i = 0; i < cuzk_n_shapes; i++) {
        if (cuzk_shapes[i].sector_bytes == sector_bytes)
            return &cuzk_shapes[i];
    }
    return NULL;
}

const sector_shape *cuzk_shape_by_name(const char *name)
{
    for (size_t i = 0; i < cuzk_n_shapes; i++) {
        if (strcmp(cuzk_shapes[i].name, name) == 0)
            return &cuzk_shapes[i];
    }
    return NULL;
}

unsigned cuzk_shape_tree_arities(const sector_shape *s, uint8_t arity[])
{
    unsigned n = 0;
    for (unsigned i = 0; i < s->base_levels; i++)
        arity[n++] = (uint8_t)s->arity[0];
    for (unsigned i = 1; i < 3; i++) {
        if (s->arity[i])
            arity[n++] = (uint8_t)s->arity[i];
    }
    return n;
}

/* Sources: spec circuits.md 1.2-1.5, formats.md 5.4. */
#include "filecoin/registered.h"

#include <string.h>

/* X(row in the shape table, size as in the names, position in each group of five numbers) */
#define REGISTERED_SIZES(X)                                                                        \
    X(1, "2KiB", 0) X(6, "8MiB", 1) X(8, "512MiB", 2) X(10, "32GiB", 3) X(11, "64GiB", 4)

#define SHAPE(row) &cuzk_shapes[row]

#define SEAL_V1(row, size, k)                                                                      \
    {CUZK_KIND_POREP, k, "StackedDrg" size "V1", SHAPE(row), API_1_0_0, POREP_INTERACTIVE},
#define SEAL_V1_1(row, size, k)                                                                    \
    {CUZK_KIND_POREP, 5 + k, "StackedDrg" size "V1_1", SHAPE(row), API_1_1_0, POREP_INTERACTIVE},
#define SEAL_SYNTHETIC(row, size, k)                                                               \
    {CUZK_KIND_POREP, 10 + k,    "StackedDrg" size "V1_1_Feat_SyntheticPoRep",                     \
     SHAPE(row),      API_1_2_0, POREP_SYNTHETIC},
#define SEAL_NI(row, size, k)                                                                      \
    {CUZK_KIND_POREP, 15 + k,    "StackedDrg" size "V1_2_Feat_NonInteractivePoRep",                \
     SHAPE(row),      API_1_2_0, POREP_NON_INTERACTIVE},
#define WINNING(row, size, k)                                                                      \
    {CUZK_KIND_WINNING, k, "StackedDrgWinning" size "V1", SHAPE(row), API_1_0_0, 0},
#define WINDOW_V1(row, size, k)                                                                    \
    {CUZK_KIND_WINDOW, 5 + k, "StackedDrgWindow" size "V1", SHAPE(row), API_1_0_0, 0},
#define WINDOW_V1_2(row, size, k)                                                                  \
    {CUZK_KIND_WINDOW, 10 + k, "StackedDrgWindow" size "V1_2", SHAPE(row), API_1_2_0, 0},
#define UPDATE(row, size, k)                                                                       \
    {CUZK_KIND_UPDATE, k, "StackedDrg" size "V1", SHAPE(row), API_1_2_0, 0},

static const registered_proof table[] = {
    REGISTERED_SIZES(SEAL_V1) REGISTERED_SIZES(SEAL_V1_1) REGISTERED_SIZES(SEAL_SYNTHETIC)
        REGISTERED_SIZES(SEAL_NI) REGISTERED_SIZES(WINNING) REGISTERED_SIZES(WINDOW_V1)
            REGISTERED_SIZES(WINDOW_V1_2) REGISTERED_SIZES(UPDATE)};
static const size_t n_table = sizeof table / sizeof table[0];

const registered_proof *cuzk_registered_at(size_t i)
{
    return i < n_table ? &table[i] : NULL;
}

const registered_proof *cuzk_registered_by_number(cuzk_kind kind, uint64_t number)
{
    for (size_t i = 0; i < n_table; i++) {
        if (table[i].kind == kind && table[i].number == number)
            return &table[i];
    }
    return NULL;
}

/* True when name is p's Rust name with its ending `rust` replaced by `go`. */
static bool is_go_spelling(const registered_proof *p, const char *name, const char *rust,
                           const char *go)
{
    size_t n = strlen(p->name), n_rust = strlen(rust);
    if (n < n_rust || strcmp(p->name + n - n_rust, rust) != 0)
        return false;
    return strncmp(name, p->name, n - n_rust) == 0 && strcmp(name + n - n_rust, go) == 0;
}

const registered_proof *cuzk_registered_by_name(cuzk_kind kind, const char *name)
{
    for (size_t i = 0; i < n_table; i++) {
        const registered_proof *p = &table[i];
        if (p->kind != kind)
            continue;
        if (strcmp(p->name, name) == 0 ||
            is_go_spelling(p, name, "V1_2_Feat_NonInteractivePoRep", "V1_2_Feat_NiPoRep"))
            return p;
        /* go-state-types calls the second Window type V1_1, proofs-api V1_2: one number. */
        if (kind == CUZK_KIND_WINDOW && is_go_spelling(p, name, "V1_2", "V1_1"))
            return p;
    }
    return NULL;
}

unsigned cuzk_registered_partitions(const registered_proof *p)
{
    switch (p->kind) {
    case CUZK_KIND_POREP:
        return p->mode == POREP_NON_INTERACTIVE ? p->shape->porep_ni_partitions
                                                : p->shape->porep_partitions;
    case CUZK_KIND_UPDATE:
        return p->shape->update_partitions;
    default:
        return 1;
    }
}

void cuzk_porep_id(uint8_t out[32], const registered_proof *p)
{
    memset(out, 0, 32);
    for (unsigned i = 0; i < 4; i++)
        out[i] = (uint8_t)(p->number >> (8 * i));
}

const char *cuzk_kind_name(cuzk_kind kind)
{
    static const char *const name[CUZK_KIND_COUNT] = {"porep", "winning", "window", "update"};
    return (unsigned)kind < CUZK_KIND_COUNT ? name[kind] : "unknown";
}

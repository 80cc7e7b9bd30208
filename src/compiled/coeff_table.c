/* Growing arrays and the table of distinct coefficients. */
#include "base/mem.h"
#include "compiled/compiled_internal.h"

bool cuzk_grow(void **array, size_t *cap, size_t used, size_t n, size_t element_bytes)
{
    size_t want, bytes;
    if (!cuzk_size_add(&want, used, n))
        return false;
    if (want <= *cap)
        return true;
    if (want < *cap + *cap / 2)
        want = *cap + *cap / 2;
    if (want < 16)
        want = 16;
    if (!cuzk_size_mul(&bytes, want, element_bytes))
        return false;
    void *p = cuzk_realloc(*array, bytes);
    if (!p)
        return false;
    *array = p;
    *cap = want;
    return true;
}

static size_t hash_of(const fr *x)
{
    uint64_t h = x->l[0] ^ x->l[1] * 0x9e3779b97f4a7c15u ^ x->l[2] * 0xc2b2ae3d27d4eb4fu ^
                 x->l[3] * 0x165667b19e3779f9u;
    return (size_t)(h ^ h >> 29);
}

static void insert_slot(coeff_table *t, uint32_t id)
{
    size_t i = hash_of(&t->value[id]) & (t->n_slots - 1);
    while (t->slot[i])
        i = (i + 1) & (t->n_slots - 1);
    t->slot[i] = id + 1;
}

static bool rehash(coeff_table *t, size_t n_slots)
{
    uint32_t *slot = (uint32_t *)cuzk_calloc(n_slots, sizeof *slot);
    if (!slot)
        return false;
    cuzk_free(t->slot);
    t->slot = slot;
    t->n_slots = n_slots;
    for (uint32_t id = 0; id < t->n; id++)
        insert_slot(t, id);
    return true;
}

bool cuzk_coeff_id(coeff_table *t, uint32_t *id, const fr *value)
{
    for (size_t i = hash_of(value) & (t->n_slots - 1); t->slot[i];
         i = (i + 1) & (t->n_slots - 1)) {
        *id = t->slot[i] - 1;
        if (fr_eq(&t->value[*id], value))
            return true;
    }
    if (t->n == UINT32_MAX / 2 ||
        !cuzk_grow((void **)&t->value, &t->cap, t->n, 1, sizeof *t->value))
        return false;
    *id = t->n;
    t->value[t->n++] = *value;
    if (2 * (size_t)t->n > t->n_slots)
        return rehash(t, 2 * t->n_slots);
    insert_slot(t, *id);
    return true;
}

bool cuzk_coeff_table_init(coeff_table *t)
{
    uint32_t id;
    fr x, y;
    if (!rehash(t, 1024))
        return false;
    for (uint32_t i = 0; i < COEFF_SMALL_IDS; i += 2) {
        cuzk_fr_from_u64(&x, i / 2 + 1);
        fr_neg(&y, &x);
        if (!cuzk_coeff_id(t, &id, &x) || !cuzk_coeff_id(t, &id, &y))
            return false;
    }
    return true;
}

void cuzk_coeff_table_fini(coeff_table *t)
{
    cuzk_free(t->slot);
    cuzk_free(t->value);
}

#include "filecoin/bincode.h"

#include <inttypes.h>
#include <string.h>

#include "filecoin/bytes.h"

typedef struct {
    const uint8_t *data;
    size_t n, at;
    cuzk_arena *arena;
    const sector_shape *shape;
    uint8_t tree_arity[MAX_TREE_LEVELS];
    unsigned n_tree_levels;
    cuzk_err *err;
} cursor;

static cuzk_status no_memory(const cursor *c)
{
    return cuzk_fail(c->err, CUZK_BUDGET, 0, "the proofs need more memory than a request may use");
}

/* n bytes, or NULL with the error set. */
static const uint8_t *take(cursor *c, size_t n, const char *what)
{
    if (c->n - c->at < n) {
        cuzk_fail(c->err, CUZK_ENCODING, 0, "%s: ends at byte %zu of the %zu that it needs", what,
                  c->n, c->at + n);
        return NULL;
    }
    const uint8_t *p = c->data + c->at;
    c->at += n;
    return p;
}

static cuzk_status read_u64(cursor *c, uint64_t *out, const char *what)
{
    const uint8_t *p = take(c, 8, what);
    if (!p)
        return CUZK_ENCODING;
    *out = load_u64_le(p);
    return CUZK_OK;
}

static cuzk_status read_count(cursor *c, size_t wanted, const char *what)
{
    uint64_t n = 0;
    cuzk_status st = read_u64(c, &n, what);
    if (st == CUZK_OK && n != wanted)
        st =
            cuzk_fail(c->err, CUZK_ENCODING, 0, "%s: %" PRIu64 " elements, expected %zu (byte %zu)",
                      what, n, wanted, c->at - 8);
    return st;
}

static cuzk_status read_fr(cursor *c, fr *out, const char *what)
{
    const uint8_t *p = take(c, 32, what);
    if (!p)
        return CUZK_ENCODING;
    if (!cuzk_fr_from_bytes(out, p))
        return cuzk_fail(c->err, CUZK_ENCODING, 0,
                         "%s: not a field element (not below the modulus; byte %zu)", what,
                         c->at - 32);
    return CUZK_OK;
}

static cuzk_status read_tag(cursor *c, unsigned wanted)
{
    static const char *const name[] = {"Single", "Sub", "Top"};
    const uint8_t *p = take(c, 4, "tag");
    if (!p)
        return CUZK_ENCODING;
    if (load_u32_le(p) != wanted)
        return cuzk_fail(c->err, CUZK_ENCODING, 0,
                         "tag: %" PRIu32 " where a %s sector has %u, %s (byte %zu)", load_u32_le(p),
                         c->shape->rust_name, wanted, name[wanted], c->at - 4);
    return CUZK_OK;
}

static cuzk_status read_element(cursor *c, merkle_proof *m, unsigned level, fr *sibling)
{
    cuzk_status st = CUZK_OK;
    uint64_t index = 0;
    CUZK_TRY(read_count(c, m->arity[level] - 1u, "hashes"));
    for (unsigned i = 0; i + 1 < m->arity[level]; i++)
        CUZK_TRY(read_fr(c, &sibling[i], "hashes"));
    CUZK_TRY(read_u64(c, &index, "index"));
    if (index >= m->arity[level])
        st = cuzk_fail(c->err, CUZK_ENCODING, 0,
                       "index: %" PRIu64 " is not below the arity %u (byte %zu)", index,
                       m->arity[level], c->at - 8);
    m->index[level] = (uint8_t)index;
out:
    return st;
}

/* Levels [first, end) of m; sibling points to those of level `first` and is moved on. */
static cuzk_status read_path(cursor *c, merkle_proof *m, unsigned first, unsigned end, fr **sibling)
{
    cuzk_status st = read_count(c, end - first, "path");
    for (unsigned l = first; st == CUZK_OK && l < end; l++) {
        st = read_element(c, m, l, *sibling);
        if (st != CUZK_OK)
            return cuzk_err_prefix(c->err, st, "path element %u", l);
        *sibling += m->arity[l] - 1;
    }
    return st;
}

static cuzk_status read_root_and_leaf(cursor *c, merkle_proof *m)
{
    cuzk_status st = read_fr(c, &m->root, "root");
    return st == CUZK_OK ? read_fr(c, &m->leaf, "leaf") : st;
}

/* n_upper: levels above the base tree, each a path of its own (0 Single, 1 Sub, 2 Top). */
static cuzk_status read_merkle(cursor *c, merkle_proof *m, const uint8_t arity[], unsigned n_levels,
                               unsigned n_upper)
{
    cuzk_status st = CUZK_OK;
    unsigned n_siblings = 0, n_base = n_levels - n_upper;
    for (unsigned i = 0; i < n_levels; i++)
        n_siblings += arity[i] - 1u;
    fr *sibling = CUZK_ARENA_NEW(c->arena, fr, n_siblings);
    if (!sibling)
        return no_memory(c);
    m->n_levels = n_levels;
    m->sibling = sibling;
    memcpy(m->arity, arity, n_levels);
    CUZK_TRY(read_tag(c, n_upper));
    if (n_upper == 0) /* only Single has root and leaf first */
        CUZK_TRY(read_root_and_leaf(c, m));
    CUZK_TRY(read_path(c, m, 0, n_base, &sibling));
    for (unsigned l = n_base; l < n_levels; l++)
        CUZK_TRY(read_path(c, m, l, l + 1, &sibling));
    if (n_upper != 0)
        CUZK_TRY(read_root_and_leaf(c, m));
out:
    return st;
}

static cuzk_status read_tree_r(cursor *c, merkle_proof *m)
{
    unsigned n_upper = (c->shape->arity[1] ? 1u : 0u) + (c->shape->arity[2] ? 1u : 0u);
    return read_merkle(c, m, c->tree_arity, c->n_tree_levels, n_upper);
}

static cuzk_status read_tree_d(cursor *c, merkle_proof *m)
{
    uint8_t arity[MAX_TREE_LEVELS];
    memset(arity, 2, sizeof arity);
    return read_merkle(c, m, arity, c->shape->lg_nodes, 0);
}

static cuzk_status read_end(const cursor *c)
{
    if (c->at == c->n)
        return CUZK_OK;
    return cuzk_fail(c->err, CUZK_ENCODING, 0, "%zu bytes too many (byte %zu)", c->n - c->at,
                     c->at);
}

static cursor cursor_over(cuzk_arena *arena, const sector_shape *s, const uint8_t *data, size_t n,
                          cuzk_err *err)
{
    cursor c = {.data = data, .n = n, .arena = arena, .shape = s, .err = err};
    c.n_tree_levels = cuzk_shape_tree_arities(s, c.tree_arity);
    return c;
}

static cuzk_status read_inclusions(cursor *c, post_sector *out, size_t n_challenges)
{
    cuzk_status st = read_count(c, n_challenges, "inclusion_proofs");
    if (st != CUZK_OK)
        return st;
    out->n_proofs = n_challenges;
    out->proof = CUZK_ARENA_NEW(c->arena, merkle_proof, n_challenges);
    if (!out->proof)
        return no_memory(c);
    for (size_t i = 0; i < n_challenges; i++) {
        st = read_tree_r(c, &out->proof[i]);
        if (st != CUZK_OK)
            return cuzk_err_prefix(c->err, st, "inclusion_proofs[%zu]", i);
    }
    return CUZK_OK;
}

cuzk_status cuzk_bincode_read_sector(post_sector *out, cuzk_arena *arena, const sector_shape *s,
                                     size_t n_challenges, const uint8_t *data, size_t n,
                                     cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    cursor c = cursor_over(arena, s, data, n, err);
    CUZK_TRY(read_u64(&c, &out->sector_id, "sector_id"));
    CUZK_TRY(read_fr(&c, &out->comm_r, "comm_r"));
    CUZK_TRY(read_count(&c, 1, "sectors"));
    CUZK_TRY(read_inclusions(&c, out, n_challenges));
    CUZK_TRY(read_fr(&c, &out->comm_c, "comm_c"));
    CUZK_TRY(read_fr(&c, &out->comm_r_last, "comm_r_last"));
    CUZK_TRY(read_end(&c));
out:
    return st;
}

static cuzk_status read_apex(cursor *c, update_partition *out)
{
    cuzk_status st = read_count(c, out->n_apex_leaves, "apex_leafs");
    if (st != CUZK_OK)
        return st;
    out->apex_leaf = CUZK_ARENA_NEW(c->arena, fr, out->n_apex_leaves);
    if (!out->apex_leaf)
        return no_memory(c);
    for (size_t i = 0; st == CUZK_OK && i < out->n_apex_leaves; i++)
        st = read_fr(c, &out->apex_leaf[i], "apex_leafs");
    return st;
}

static cuzk_status read_update_challenge(cursor *c, update_challenge *out)
{
    cuzk_status st = read_tree_r(c, &out->r_old);
    if (st != CUZK_OK)
        return cuzk_err_prefix(c->err, st, "proof_r_old");
    st = read_tree_d(c, &out->d_new);
    if (st != CUZK_OK)
        return cuzk_err_prefix(c->err, st, "proof_d_new");
    st = read_tree_r(c, &out->r_new);
    if (st != CUZK_OK)
        return cuzk_err_prefix(c->err, st, "proof_r_new");
    return CUZK_OK;
}

static cuzk_status read_update_challenges(cursor *c, update_partition *out)
{
    cuzk_status st = read_count(c, out->n_challenges, "challenge_proofs");
    if (st != CUZK_OK)
        return st;
    out->challenge = CUZK_ARENA_NEW(c->arena, update_challenge, out->n_challenges);
    if (!out->challenge)
        return no_memory(c);
    for (size_t i = 0; i < out->n_challenges; i++) {
        st = read_update_challenge(c, &out->challenge[i]);
        if (st != CUZK_OK)
            return cuzk_err_prefix(c->err, st, "challenge_proofs[%zu]", i);
    }
    return CUZK_OK;
}

cuzk_status cuzk_bincode_read_update(update_partition *out, cuzk_arena *arena,
                                     const sector_shape *s, const uint8_t *data, size_t n,
                                     cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    cursor c = cursor_over(arena, s, data, n, err);
    out->n_apex_leaves = s->update_apex_leaves;
    out->n_challenges = s->update_challenges;
    CUZK_TRY(read_fr(&c, &out->comm_c, "comm_c"));
    CUZK_TRY(read_apex(&c, out));
    CUZK_TRY(read_update_challenges(&c, out));
    CUZK_TRY(read_end(&c));
out:
    return st;
}

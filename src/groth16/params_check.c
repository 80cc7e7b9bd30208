/* Full check of a parameter file: cuzk_srs_read's checks and the subgroup of every point.
 *
 * Testing points one by one costs a 128-bit multiplication each. Instead each of N_ROUNDS rounds
 * throws the points of a section into N_BUCKETS buckets at random, adds them up and tests the sums.
 * Modulo the subgroup every point has a class, nonzero if the point is bad. Fix the places of all
 * points but one bad one: for all sums to vanish, all buckets must have class 0 but the one it
 * falls into, whose class must be the negative of its own. At most one bucket of N_BUCKETS fits, so
 * a round overlooks a bad section with probability <= 2^-12, and five rounds with <= 2^-60. The
 * places come from BLAKE2b of a seed drawn from the kernel, after the file was written.
 */
#include <stdatomic.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "curve/codec.h"
#include "groth16/params_layout.h"

#define LG_BUCKETS   12
#define N_BUCKETS    ((size_t)1 << LG_BUCKETS)
#define N_ROUNDS     5
#define CHUNK_POINTS ((size_t)1 << 16) /* held at a time: 6 MiB of G1, 12 MiB of G2 */
#define GROUP        32u               /* 16-bit places of one 64-byte digest */
/* Below this many points one by one is cheaper than testing all the buckets. */
#define FEW_POINTS (2 * N_ROUNDS * N_BUCKETS)

typedef struct {
    cuzk_pool *pool;
    unsigned n_workers;
    uint8_t seed[32];
    params_section section;
    size_t begin, n; /* the chunk in memory */
    void *points;    /* CHUNK_POINTS of it, g1_affine or g2_affine */
    void *bucket;    /* n_workers * N_ROUNDS * N_BUCKETS, g1_jac or g2_jac */
    atomic_size_t n_bad;
} checker;

/* ---- throwing ---- */

/* Buckets of points [GROUP group, GROUP group + GROUP) of the section. */
static void draw_places(uint16_t place[GROUP], const checker *c, uint64_t group, uint64_t round)
{
    uint8_t digest[64];
    struct {
        uint8_t seed[32];
        uint64_t section, round, group;
    } key = {.section = (uint64_t)c->section, .round = round, .group = group};
    memcpy(key.seed, c->seed, sizeof key.seed);
    cuzk_blake2b512(digest, &key, sizeof key);
    for (unsigned i = 0; i < GROUP; i++)
        place[i] = (uint16_t)((digest[2 * i] | digest[2 * i + 1] << 8) & (N_BUCKETS - 1));
}

static void throw_point(const checker *c, size_t i, size_t bucket)
{
    if (c->section == SECTION_B_G2) {
        g2_jac *b = (g2_jac *)c->bucket + bucket;
        cuzk_g2_add_affine(b, b, (const g2_affine *)c->points + i);
    } else {
        g1_jac *b = (g1_jac *)c->bucket + bucket;
        cuzk_g1_add_affine(b, b, (const g1_affine *)c->points + i);
    }
}

/* Groups of the chunk, counted from its begin (a multiple of GROUP). */
static void throw_groups(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const checker *c = ctx;
    for (size_t round = 0; round < N_ROUNDS; round++) {
        size_t first_bucket = (worker * N_ROUNDS + round) * N_BUCKETS;
        for (size_t group = begin; group < end; group++) {
            uint16_t place[GROUP];
            draw_places(place, c, c->begin / GROUP + group, round);
            for (size_t k = 0; k < GROUP && group * GROUP + k < c->n; k++)
                throw_point(c, group * GROUP + k, first_bucket + place[k]);
        }
    }
}

/* ---- testing ---- */

static bool g1_bucket_is_good(const checker *c, size_t k)
{
    g1_jac *b = c->bucket;
    g1_affine p;
    for (unsigned w = 1; w < c->n_workers; w++)
        cuzk_g1_add(&b[k], &b[k], &b[w * N_ROUNDS * N_BUCKETS + k]);
    cuzk_g1_to_affine(&p, &b[k]);
    return cuzk_g1_affine_in_subgroup(&p);
}

static bool g2_bucket_is_good(const checker *c, size_t k)
{
    g2_jac *b = c->bucket;
    g2_affine p;
    for (unsigned w = 1; w < c->n_workers; w++)
        cuzk_g2_add(&b[k], &b[k], &b[w * N_ROUNDS * N_BUCKETS + k]);
    cuzk_g2_to_affine(&p, &b[k]);
    return cuzk_g2_affine_in_subgroup(&p);
}

/* Buckets of all rounds, the workers' shares joined. */
static void test_buckets(void *ctx, size_t begin, size_t end, unsigned worker)
{
    checker *c = ctx;
    (void)worker;
    for (size_t k = begin; k < end; k++) {
        bool good = c->section == SECTION_B_G2 ? g2_bucket_is_good(c, k) : g1_bucket_is_good(c, k);
        if (!good)
            atomic_fetch_add(&c->n_bad, 1);
    }
}

static void clear_buckets(checker *c)
{
    for (size_t i = 0; i < c->n_workers * N_ROUNDS * N_BUCKETS; i++)
        if (c->section == SECTION_B_G2)
            cuzk_g2_set_identity((g2_jac *)c->bucket + i);
        else
            cuzk_g1_set_identity((g1_jac *)c->bucket + i);
}

/* ---- sections ---- */

/* each: every point by itself, which also names the first bad one. */
static cuzk_status walk_section(checker *c, const params_file *f, bool each, cuzk_err *err)
{
    size_t total = f->section[c->section].n;
    for (c->begin = 0; c->begin < total; c->begin += CHUNK_POINTS) {
        c->n = total - c->begin < CHUNK_POINTS ? total - c->begin : CHUNK_POINTS;
        cuzk_status st =
            cuzk_params_decode(f, c->section, c->begin, c->n, c->points, each, c->pool, err);
        if (st != CUZK_OK)
            return st;
        if (!each)
            cuzk_pool_for(c->pool, (c->n + GROUP - 1) / GROUP, 64, throw_groups, c);
    }
    return CUZK_OK;
}

static cuzk_status check_section(checker *c, const params_file *f, params_section s, cuzk_err *err)
{
    c->section = s;
    if (f->section[s].n < FEW_POINTS)
        return walk_section(c, f, true, err);
    clear_buckets(c);
    cuzk_status st = walk_section(c, f, false, err);
    if (st != CUZK_OK)
        return st;
    cuzk_pool_for(c->pool, N_ROUNDS * N_BUCKETS, 64, test_buckets, c);
    if (atomic_load(&c->n_bad) == 0)
        return CUZK_OK;
    st = walk_section(c, f, true, err);
    if (st != CUZK_OK)
        return st;
    return cuzk_fail(err, CUZK_IO, 0,
                     "%s: section %s is sound when read again; suspect memory or disk", f->path,
                     cuzk_section_name(s));
}

static cuzk_status check_file(checker *c, const params_file *f, cuzk_err *err)
{
    cuzk_status st;
    groth16_vk vk = {0};
    CUZK_TRY(cuzk_random_bytes(c->seed, sizeof c->seed, err));
    c->points = cuzk_malloc_array(CHUNK_POINTS, sizeof(g2_affine));
    c->bucket = cuzk_malloc_array(c->n_workers * N_ROUNDS * N_BUCKETS, sizeof(g2_jac));
    if (!c->points || !c->bucket) {
        st = cuzk_fail(err, CUZK_NOMEM, 0, "%s: no memory to check it", f->path);
        goto out;
    }
    CUZK_TRY(cuzk_params_decode_vk(&vk, f, c->pool, err));
    for (params_section s = SECTION_H; s < SECTION_COUNT; s++)
        CUZK_TRY(check_section(c, f, s, err));
out:
    cuzk_vk_fini(&vk);
    return st;
}

cuzk_status cuzk_params_check(const char *path, cuzk_pool *pool, cuzk_err *err)
{
    params_file f;
    checker c = {.pool = pool, .n_workers = cuzk_pool_size(pool)};
    cuzk_status st = cuzk_params_open(&f, path, SECTION_COUNT, err);
    if (st != CUZK_OK)
        return st;
    st = check_file(&c, &f, err);
    cuzk_free(c.bucket);
    cuzk_free(c.points);
    cuzk_params_close(&f);
    return st;
}

/* Full check of a parameter file: cuzk_srs_read's checks and the subgroup of every point.
 *
 * Testing points one by one costs a 128-bit multiplication each. Instead each round throws the
 * points of a chunk into N_BUCKETS buckets at random, adds them up and tests the sums. Modulo the
 * subgroup every point has a class, nonzero if the point is bad. Fix the places of all points but
 * one bad one: for all sums to vanish, all buckets must have class 0 but the one it falls into,
 * whose class must be the negative of its own. At most one bucket of N_BUCKETS fits, so a round
 * overlooks a bad chunk with probability <= 2^-13, and five rounds with <= 2^-65. The places come
 * from BLAKE2b of a seed drawn from the kernel after the file was written.
 */
#include <stdatomic.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "curve/codec.h"
#include "groth16/params_layout.h"

#define LG_BUCKETS   13
#define N_BUCKETS    ((size_t)1 << LG_BUCKETS)
#define N_ROUNDS     5
#define CHUNK_POINTS ((size_t)1 << 20) /* held at a time: 96 MiB of G1, 192 MiB of G2 */
#define MIN_CHUNK    1024u
#define PLACES       32u /* 16-bit places of one 64-byte digest */

typedef struct {
    params_section section;
    const void *points;
    size_t n;
    uint8_t key[32 + 8 * 2]; /* seed, round, position of the chunk in the file */
    void *bucket;            /* pool size x N_BUCKETS, g1_jac or g2_jac */
    unsigned n_workers;
    atomic_size_t bad; /* number of buckets outside the subgroup */
} bucket_run;

/* Bucket of each of points [32 group, 32 group + 32). */
static void draw_places(uint16_t place[PLACES], const bucket_run *r, size_t group)
{
    uint8_t msg[sizeof r->key + 8], digest[64];
    uint64_t g = group;
    memcpy(msg, r->key, sizeof r->key);
    memcpy(msg + sizeof r->key, &g, sizeof g);
    cuzk_blake2b512(digest, msg, sizeof msg);
    for (unsigned i = 0; i < PLACES; i++)
        place[i] = (uint16_t)((digest[2 * i] | digest[2 * i + 1] << 8) & (N_BUCKETS - 1));
}

static void throw_point(const bucket_run *r, size_t i, size_t bucket)
{
    if (r->section == SECTION_B_G2) {
        g2_jac *b = (g2_jac *)r->bucket + bucket;
        cuzk_g2_add_affine(b, b, (const g2_affine *)r->points + i);
    } else {
        g1_jac *b = (g1_jac *)r->bucket + bucket;
        cuzk_g1_add_affine(b, b, (const g1_affine *)r->points + i);
    }
}

static void throw_groups(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const bucket_run *r = ctx;
    for (size_t group = begin; group < end; group++) {
        uint16_t place[PLACES];
        draw_places(place, r, group);
        for (size_t k = 0; k < PLACES && group * PLACES + k < r->n; k++)
            throw_point(r, group * PLACES + k, worker * N_BUCKETS + place[k]);
    }
}

static bool g1_bucket_is_good(const bucket_run *r, size_t k)
{
    g1_jac *b = r->bucket;
    g1_affine p;
    for (unsigned w = 1; w < r->n_workers; w++)
        cuzk_g1_add(&b[k], &b[k], &b[w * N_BUCKETS + k]);
    cuzk_g1_to_affine(&p, &b[k]);
    return cuzk_g1_affine_in_subgroup(&p);
}

static bool g2_bucket_is_good(const bucket_run *r, size_t k)
{
    g2_jac *b = r->bucket;
    g2_affine p;
    for (unsigned w = 1; w < r->n_workers; w++)
        cuzk_g2_add(&b[k], &b[k], &b[w * N_BUCKETS + k]);
    cuzk_g2_to_affine(&p, &b[k]);
    return cuzk_g2_affine_in_subgroup(&p);
}

static void test_buckets(void *ctx, size_t begin, size_t end, unsigned worker)
{
    bucket_run *r = ctx;
    (void)worker;
    for (size_t k = begin; k < end; k++) {
        bool good = r->section == SECTION_B_G2 ? g2_bucket_is_good(r, k) : g1_bucket_is_good(r, k);
        if (!good)
            atomic_fetch_add(&r->bad, 1);
    }
}

static void clear_buckets(bucket_run *r)
{
    for (size_t i = 0; i < r->n_workers * N_BUCKETS; i++)
        if (r->section == SECTION_B_G2)
            cuzk_g2_set_identity((g2_jac *)r->bucket + i);
        else
            cuzk_g1_set_identity((g1_jac *)r->bucket + i);
}

static bool chunk_is_good(bucket_run *r, cuzk_pool *pool)
{
    for (uint64_t round = 0; round < N_ROUNDS; round++) {
        memcpy(r->key + 32, &round, sizeof round);
        clear_buckets(r);
        cuzk_pool_for(pool, (r->n + PLACES - 1) / PLACES, MIN_CHUNK / PLACES, throw_groups, r);
        cuzk_pool_for(pool, N_BUCKETS, 64, test_buckets, r);
        if (atomic_load(&r->bad))
            return false;
    }
    return true;
}

typedef struct {
    cuzk_pool *pool;
    void *points, *bucket;
    uint8_t seed[32];
} checker;

static bool point_is_good(const void *points, params_section s, size_t i)
{
    return s == SECTION_B_G2 ? cuzk_g2_affine_in_subgroup((const g2_affine *)points + i)
                             : cuzk_g1_affine_in_subgroup((const g1_affine *)points + i);
}

/* Something in the chunk is bad: find the first point, one by one. */
static cuzk_status name_bad_point(const checker *c, const params_file *f, params_section s,
                                  size_t begin, size_t n, cuzk_err *err)
{
    size_t i = 0;
    while (i < n && point_is_good(c->points, s, i))
        i++;
    return cuzk_fail(err, CUZK_PARAMS, 0, "%s: section %s, point %zu of %zu %s", f->path,
                     cuzk_section_name(s), begin + i, f->section[s].n,
                     cuzk_point_status_text(POINT_NOT_IN_SUBGROUP));
}

static cuzk_status check_section(checker *c, const params_file *f, params_section s, cuzk_err *err)
{
    size_t total = f->section[s].n;
    for (size_t begin = 0; begin < total; begin += CHUNK_POINTS) {
        size_t n = total - begin < CHUNK_POINTS ? total - begin : CHUNK_POINTS;
        bool few = n < 4 * N_BUCKETS; /* then one by one is cheaper */
        cuzk_status st = cuzk_params_decode(f, s, begin, n, c->points, few, c->pool, err);
        if (st != CUZK_OK)
            return st;
        if (few)
            continue;
        bucket_run r = {.section = s,
                        .points = c->points,
                        .n = n,
                        .bucket = c->bucket,
                        .n_workers = cuzk_pool_size(c->pool)};
        uint64_t offset = f->section[s].offset + begin;
        memcpy(r.key, c->seed, sizeof c->seed);
        memcpy(r.key + 40, &offset, sizeof offset);
        if (!chunk_is_good(&r, c->pool))
            return name_bad_point(c, f, s, begin, n, err);
    }
    return CUZK_OK;
}

static size_t largest_chunk(const params_file *f)
{
    size_t n = 1;
    for (params_section s = SECTION_H; s < SECTION_COUNT; s++)
        n = f->section[s].n > n ? f->section[s].n : n;
    return n < CHUNK_POINTS ? n : CHUNK_POINTS;
}

static cuzk_status check_file(checker *c, const params_file *f, cuzk_err *err)
{
    cuzk_status st;
    groth16_vk vk = {0};
    CUZK_TRY(cuzk_random_bytes(c->seed, sizeof c->seed, err));
    c->points = cuzk_malloc_array(largest_chunk(f), sizeof(g2_affine));
    c->bucket = cuzk_malloc_array(cuzk_pool_size(c->pool) * N_BUCKETS, sizeof(g2_jac));
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
    checker c = {.pool = pool};
    cuzk_status st = cuzk_params_open(&f, path, SECTION_COUNT, err);
    if (st != CUZK_OK)
        return st;
    st = check_file(&c, &f, err);
    cuzk_free(c.bucket);
    cuzk_free(c.points);
    cuzk_params_close(&f);
    return st;
}

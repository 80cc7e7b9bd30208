/* Winning and Window PoSt: sectors are independent of each other (spec circuits.md 9.4). */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "base/mem.h"
#include "circuit/poseidon.h"
#include "filecoin/challenges.h"
#include "filecoin/synth/synth_job.h"
#include "filecoin/synth/synth_tree.h"

typedef struct {
    fr comm_c, comm_r_last, comm_r;
} sector_commitments;

typedef struct {
    synth_job *job;
    sector_commitments *done; /* one a sector */
    atomic_uint_fast64_t n_bytes;
    atomic_bool failed;
    pthread_mutex_t lock; /* guards st and err */
    cuzk_status st;
    cuzk_err *err;
} post_run;

static unsigned n_challenges(const synth_job *job)
{
    return job->type->kind == CUZK_KIND_WINNING ? WINNING_CHALLENGES : WINDOW_CHALLENGES;
}

static void sector_file_name(char out[48], uint64_t id)
{
    snprintf(out, 48, "sector-%llu.vanilla", (unsigned long long)id);
}

/* The sector's tree R over the challenged leaves. */
static cuzk_status build_sector(synth_sparse_tree *tree, const synth_job *job, uint64_t id,
                                const uint64_t challenge[], cuzk_err *err)
{
    uint64_t leaf_index[WINNING_CHALLENGES];
    fr leaf[WINNING_CHALLENGES];
    synth_node_prf nodes = {job->opt.seed, "post", true, id};
    size_t n = n_challenges(job);
    memcpy(leaf_index, challenge, n * sizeof challenge[0]);
    n = cuzk_synth_sort_unique(leaf_index, n);
    for (size_t i = 0; i < n; i++)
        cuzk_synth_node(&leaf[i], &nodes, 0, leaf_index[i]);
    return cuzk_synth_sparse_build(tree, job->shape, &nodes, leaf_index, leaf, n, NULL, err);
}

static void commit_sector(sector_commitments *c, const synth_job *job, uint64_t id, const fr *root)
{
    fr pair[2];
    cuzk_synth_prf_fr(&c->comm_c, job->opt.seed, "commc", 1, &id);
    c->comm_r_last = *root;
    pair[0] = c->comm_c;
    pair[1] = c->comm_r_last;
    cuzk_poseidon_hash(&c->comm_r, POSEIDON_2, pair);
}

/* FallbackPoStSectorProof of one sector (spec formats.md 6.3). */
static void write_sector(synth_out *o, const synth_job *job, uint64_t id,
                         const sector_commitments *c, const synth_sparse_tree *tree,
                         const uint64_t challenge[])
{
    merkle_proof path;
    fr sibling[SYNTH_MAX_SIBLINGS];
    unsigned n = n_challenges(job);
    cuzk_synth_bin_u64(o, id);
    cuzk_synth_bin_fr(o, &c->comm_r);
    cuzk_synth_bin_u64(o, 1);
    cuzk_synth_bin_u64(o, n);
    for (unsigned i = 0; i < n; i++) {
        cuzk_synth_path(&path, sibling, &tree->tree, challenge[i]);
        cuzk_synth_bin_proof(o, job->shape, &path, false);
    }
    cuzk_synth_bin_fr(o, &c->comm_c);
    cuzk_synth_bin_fr(o, &c->comm_r_last);
}

static cuzk_status make_sector(post_run *run, size_t position, cuzk_err *err)
{
    const synth_job *job = run->job;
    sector_commitments *c = &run->done[position];
    uint64_t id = job->opt.sector_ids ? job->opt.sector_ids[position] : job->opt.sector + position;
    uint64_t challenge[WINNING_CHALLENGES];
    synth_sparse_tree tree;
    synth_out o;
    char name[48];
    for (unsigned i = 0; i < n_challenges(job); i++) {
        uint64_t x = cuzk_post_challenge_index(job->type, position, i);
        challenge[i] = cuzk_post_challenge(job->randomness, id, x, job->shape->lg_nodes);
    }
    cuzk_status st = build_sector(&tree, job, id, challenge, err);
    if (st != CUZK_OK)
        return st;
    commit_sector(c, job, id, &tree.tree.root);
    sector_file_name(name, id);
    cuzk_synth_out_open(&o, job->dir, name, err);
    write_sector(&o, job, id, c, &tree, challenge);
    atomic_fetch_add(&run->n_bytes, o.n_bytes);
    st = cuzk_synth_out_close(&o);
    cuzk_synth_sparse_fini(&tree);
    return st;
}

static void sector_task(void *ctx, size_t position, unsigned worker)
{
    post_run *run = ctx;
    cuzk_err err = {0};
    (void)worker;
    if (atomic_load(&run->failed))
        return;
    cuzk_status st = make_sector(run, position, &err);
    if (st == CUZK_OK)
        return;
    pthread_mutex_lock(&run->lock);
    if (!atomic_exchange(&run->failed, true)) {
        run->st = st;
        if (run->err)
            *run->err = err;
    }
    pthread_mutex_unlock(&run->lock);
}

static cuzk_status write_request(const post_run *run, cuzk_err *err)
{
    synth_job *job = run->job;
    synth_out o;
    uint8_t comm_r[32];
    char hex[65], name[48];
    cuzk_synth_request_begin(&o, job, err);
    cuzk_synth_request_field(&o, "randomness", job->randomness);
    cuzk_synth_out_printf(&o, ",\n  \"sectors\": [");
    for (size_t i = 0; i < job->opt.n_sectors; i++) {
        uint64_t id = job->opt.sector_ids ? job->opt.sector_ids[i] : job->opt.sector + i;
        cuzk_fr_to_bytes(comm_r, &run->done[i].comm_r);
        cuzk_hex_encode(hex, comm_r, 32);
        sector_file_name(name, id);
        cuzk_synth_out_printf(&o,
                              "%s\n    {\n      \"id\": %llu,\n      \"comm_r\": \"%s\",\n"
                              "      \"vanilla\": \"%s\"\n    }",
                              i ? "," : "", (unsigned long long)id, hex, name);
    }
    cuzk_synth_out_printf(&o, "\n  ]");
    return cuzk_synth_request_end(&o, job);
}

cuzk_status cuzk_synth_post(synth_job *job, cuzk_err *err)
{
    size_t n = job->opt.n_sectors;
    post_run run = {.job = job, .err = err, .done = CUZK_NEW_ARRAY(sector_commitments, n)};
    if (!run.done)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for %zu sectors", n);
    pthread_mutex_init(&run.lock, NULL);
    cuzk_span span = cuzk_span_begin(job->opt.trace, "sectors", CUZK_NO_PARTITION);
    cuzk_pool_run(job->pool, n, sector_task, &run);
    cuzk_span_end(&span);
    pthread_mutex_destroy(&run.lock);
    cuzk_status st = run.st;
    if (st == CUZK_OK) {
        cuzk_synth_result *r = &job->result;
        cuzk_fr_to_bytes(r->comm_c, &run.done[0].comm_c);
        cuzk_fr_to_bytes(r->comm_r_last, &run.done[0].comm_r_last);
        cuzk_fr_to_bytes(r->comm_r, &run.done[0].comm_r);
        r->n_sectors = n;
        r->n_files = n;
        r->n_bytes = atomic_load(&run.n_bytes);
        unsigned per = job->type->kind == CUZK_KIND_WINNING ? 1 : job->shape->window_sectors;
        r->n_partitions = (unsigned)((n + per - 1) / per);
        st = write_request(&run, err);
    }
    cuzk_free(run.done);
    return st;
}

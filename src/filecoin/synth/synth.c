/* cuzk_synth_request: options to a definite job, then the kind's own file. */
#include "cuzk/synth.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "filecoin/challenges.h"
#include "filecoin/circuit_id.h"
#include "filecoin/synth/synth_job.h"
#include "filecoin/synth/synth_prf.h"

/* 128 partitions of 32 GiB: far more than a deadline holds, and the files still fit into a
 * folder. */
#define MAX_SECTORS ((size_t)300000)

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

size_t cuzk_synth_sort_unique(uint64_t v[], size_t n)
{
    size_t kept = 0;
    qsort(v, n, sizeof v[0], compare_u64);
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || v[kept - 1] != v[i])
            v[kept++] = v[i];
    }
    return kept;
}

/* The type that new sectors of the circuit use. */
static const registered_proof *current_type(circuit_id id)
{
    api_version api = id.kind == CUZK_KIND_POREP     ? API_1_1_0
                      : id.kind == CUZK_KIND_WINNING ? API_1_0_0
                                                     : API_1_2_0;
    const registered_proof *p;
    for (size_t i = 0; (p = cuzk_registered_at(i)) != NULL; i++) {
        if (p->kind == id.kind && p->shape == id.shape && p->api == api)
            return p;
    }
    return NULL;
}

static cuzk_status find_type(synth_job *job, const char *circuit, cuzk_err *err)
{
    circuit_id id;
    cuzk_status st = cuzk_circuit_id_parse(&id, circuit, err);
    if (st != CUZK_OK)
        return st;
    const char *name = job->opt.registered_proof;
    job->type = name ? cuzk_registered_by_name(id.kind, name) : current_type(id);
    if (!job->type && !name)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "no registered proof uses the circuit %s, so there are no requests for it",
                         circuit);
    if (!job->type || job->type->shape != id.shape)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "\"%s\" is not a registered %s proof of the circuit %s", name,
                         cuzk_kind_name(id.kind), circuit);
    if (job->type->mode != POREP_INTERACTIVE)
        return cuzk_fail(err, CUZK_UNSUPPORTED, 0,
                         "%s draws its challenges from the replica itself, so only a sealed sector "
                         "answers them; the circuit is that of %s, take it instead",
                         job->type->name, current_type(id)->name);
    job->shape = id.shape;
    return CUZK_OK;
}

/* The caller's 32 bytes, or the reference value, or the seed's. */
static void choose_bytes(uint8_t out[32], const uint8_t *given, uint64_t seed, const char *tag,
                         int reference)
{
    if (given)
        memcpy(out, given, 32);
    else if (seed == 0)
        memset(out, reference, 32);
    else
        cuzk_synth_prf(out, seed, tag, 0, NULL);
}

static cuzk_status choose_randomness(synth_job *job, cuzk_err *err)
{
    static const uint8_t zero[32];
    const cuzk_synth_options *o = &job->opt;
    fr ignored;
    choose_bytes(job->ticket, o->ticket, o->seed, "ticket", 1);
    choose_bytes(job->challenge_seed, o->challenge_seed, o->seed, "challenge-seed", 2);
    choose_bytes(job->randomness, o->randomness, o->seed, "randomness", 3);
    if (memcmp(job->challenge_seed, zero, 32) == 0)
        return cuzk_fail(err, CUZK_INVAL, 0, "a challenge seed of zeros is refused by all provers");
    if (!cuzk_fr_from_bytes(&ignored, job->randomness))
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "the randomness is not below the field modulus; clear its two top bits "
                         "(byte 31 & 0x3f)");
    return CUZK_OK;
}

static cuzk_status check_sector_ids(const synth_job *job, cuzk_err *err)
{
    const cuzk_synth_options *o = &job->opt;
    if (!o->sector_ids) {
        if (o->sector > UINT64_MAX - (o->n_sectors - 1))
            return cuzk_fail(err, CUZK_INVAL, 0,
                             "%zu sectors from number %llu on do not fit 64 bits", o->n_sectors,
                             (unsigned long long)o->sector);
        return CUZK_OK;
    }
    for (size_t i = 1; i < o->n_sectors; i++) {
        if (o->sector_ids[i] <= o->sector_ids[i - 1])
            return cuzk_fail(err, CUZK_INVAL, 0, "sector ids must ascend; %llu comes after %llu",
                             (unsigned long long)o->sector_ids[i],
                             (unsigned long long)o->sector_ids[i - 1]);
    }
    return CUZK_OK;
}

/* Sectors and partitions say the same thing for Window; nothing else may choose sectors. */
static cuzk_status choose_sectors(synth_job *job, cuzk_err *err)
{
    cuzk_synth_options *o = &job->opt;
    bool window = job->type->kind == CUZK_KIND_WINDOW;
    if (!window && (o->n_sectors > 1 || o->sector_ids))
        return cuzk_fail(err, CUZK_INVAL, 0, "only Window PoSt requests take several sectors");
    if (window && o->n_sectors && o->n_partitions)
        return cuzk_fail(err, CUZK_INVAL, 0, "give either sectors or partitions, not both");
    if (window && o->sector_ids && !o->n_sectors)
        return cuzk_fail(err, CUZK_INVAL, 0, "sector_ids without their number, n_sectors");
    if (!window)
        o->n_sectors = 1;
    else if (o->n_sectors == 0)
        o->n_sectors = (size_t)(o->n_partitions ? o->n_partitions : 1) * job->shape->window_sectors;
    if (o->n_sectors > MAX_SECTORS)
        return cuzk_fail(err, CUZK_INVAL, 0, "%zu sectors are more than the limit of %zu",
                         o->n_sectors, MAX_SECTORS);
    return check_sector_ids(job, err);
}

static cuzk_status choose_partitions(synth_job *job, cuzk_err *err)
{
    unsigned all = cuzk_registered_partitions(job->type);
    unsigned *n = &job->opt.n_partitions;
    if (job->type->kind == CUZK_KIND_WINDOW)
        return CUZK_OK;
    if (*n > all)
        return cuzk_fail(err, CUZK_INVAL, 0, "%u partitions, but %s has %u", *n, job->type->name,
                         all);
    if (*n == 0)
        *n = all;
    return CUZK_OK;
}

static cuzk_status prepare_folder(const char *dir, cuzk_err *err)
{
    struct stat info;
    cuzk_status st = cuzk_make_dirs(dir, err);
    if (st != CUZK_OK)
        return st;
    char *path = cuzk_path_join(dir, "request.json");
    if (!path)
        return cuzk_fail(err, CUZK_NOMEM, 0, "no memory for a path");
    if (stat(path, &info) == 0)
        st = cuzk_fail(err, CUZK_EXISTS, 0, "%s is there already; take another folder or remove it",
                       path);
    cuzk_free(path);
    return st;
}

static cuzk_status run_kind(synth_job *job, cuzk_err *err)
{
    switch (job->type->kind) {
    case CUZK_KIND_WINNING:
    case CUZK_KIND_WINDOW:
        return cuzk_synth_post(job, err);
    case CUZK_KIND_POREP:
        return cuzk_synth_porep(job, err);
    default:
        return cuzk_synth_update(job, err);
    }
}

cuzk_status cuzk_synth_request(cuzk_synth_result *out, const char *circuit, const char *dir,
                               const cuzk_synth_options *opt, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    synth_job job = {.opt = CUZK_SYNTH_OPTIONS_DEFAULTS, .dir = dir};
    if (opt && opt->size != sizeof job.opt)
        return cuzk_fail(err, CUZK_INVAL, 0, "cuzk_synth_options of %zu bytes, not %zu", opt->size,
                         sizeof job.opt);
    if (opt)
        job.opt = *opt;
    CUZK_TRY(find_type(&job, circuit, err));
    CUZK_TRY(choose_sectors(&job, err));
    CUZK_TRY(choose_partitions(&job, err));
    CUZK_TRY(choose_randomness(&job, err));
    cuzk_prover_id(job.prover_id, job.opt.miner);
    CUZK_TRY(prepare_folder(dir, err));
    CUZK_TRY(cuzk_pool_new(&job.pool, job.opt.n_threads, "synth", err));
    CUZK_TRY(run_kind(&job, err));
    snprintf(job.result.registered_proof, sizeof job.result.registered_proof, "%s", job.type->name);
    if (out)
        *out = job.result;
out:
    cuzk_pool_free(job.pool);
    return st;
}

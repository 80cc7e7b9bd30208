/* The public functions of cuzk/cuzk.h that are not the prover: each a few calls into the modules.
 */
#include "cuzk/cuzk.h"

#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/pool.h"
#include "circuit/readings.h"
#include "engine/insecure.h"
#include "engine/params_dir.h"
#include "engine/params_verdict.h"
#include "filecoin/circuits.h"
#include "filecoin/request.h"
#include "groth16/groth16.h"

const char *cuzk_version(void)
{
    return CUZK_VERSION;
}

const char *cuzk_arithmetic(void)
{
    return cuzk_cpu_path_name(cuzk_cpu_active());
}

/* ---- requests ---- */

cuzk_status cuzk_request_open(cuzk_request **out, const char *path, cuzk_err *err)
{
    return cuzk_request_load(out, path, err);
}

void cuzk_request_close(cuzk_request *req)
{
    cuzk_request_free(req);
}

static circuit_id circuit_of_request(const proof_request *req)
{
    return (circuit_id){req->kind, req->shape};
}

void cuzk_request_describe(cuzk_request_info *out, const cuzk_request *req)
{
    out->kind = cuzk_kind_name(req->kind);
    out->registered_proof = req->type->name;
    cuzk_circuit_id_format(out->circuit, circuit_of_request(req));
    out->sector_bytes = req->shape->sector_bytes;
    out->n_partitions = req->n_partitions;
}

/* ---- verification ---- */

static cuzk_status load_vk(groth16_vk *vk, circuit_id id, const char *params_dir, cuzk_err *err)
{
    char *path = cuzk_params_path(cuzk_params_dir(params_dir), id, "vk");
    if (!path)
        return cuzk_fail(err, CUZK_NOMEM, 0, "verify: no memory");
    cuzk_status st = cuzk_vk_read(vk, path, err);
    if (st == CUZK_NOT_FOUND)
        st = cuzk_fail(err, CUZK_PARAMS, 0,
                       "no verifying key: %s does not exist; name the folder with --params", path);
    if (st == CUZK_OK) {
        st = cuzk_params_check_ic(vk, id, path, err);
        if (st != CUZK_OK)
            cuzk_vk_fini(vk);
    }
    cuzk_free(path);
    return st;
}

static cuzk_status verify_partition(const groth16_vk *vk, const proof_request *req,
                                    unsigned partition, const uint8_t *bytes, fr *inputs,
                                    cuzk_err *err)
{
    cuzk_status st;
    groth16_proof proof;
    CUZK_TRY(cuzk_proof_read(&proof, bytes, err));
    CUZK_TRY(cuzk_request_public_inputs(inputs, req, partition, err));
    CUZK_TRY(cuzk_groth16_verify(vk, &proof, inputs, vk->n_ic - 1, err));
out:
    if (st == CUZK_REJECTED)
        return cuzk_fail(err, st, 0, "partition %u: the proof is not valid for this request",
                         partition);
    return st == CUZK_OK ? st : cuzk_err_prefix(err, st, "partition %u", partition);
}

cuzk_status cuzk_verify(const cuzk_request *req, const uint8_t *proof, size_t n_bytes,
                        int partition, const char *params_dir, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    fr *inputs = NULL;
    groth16_vk vk = {0};
    unsigned first, n;
    CUZK_TRY(cuzk_request_partitions(&first, &n, req, partition, err));
    if (n_bytes != (size_t)n * CUZK_PROOF_BYTES)
        return cuzk_fail(err, CUZK_ENCODING, 0,
                         "the proof has %zu bytes, %u partition%s need exactly %zu", n_bytes, n,
                         n == 1 ? "" : "s", (size_t)n * CUZK_PROOF_BYTES);
    CUZK_TRY(load_vk(&vk, circuit_of_request(req), params_dir, err));
    inputs = CUZK_NEW_ARRAY(fr, vk.n_ic);
    if (!inputs) {
        st = cuzk_fail(err, CUZK_NOMEM, 0, "verify: no memory");
        goto out;
    }
    for (unsigned i = 0; i < n; i++)
        CUZK_TRY(verify_partition(&vk, req, first + i, proof + (size_t)i * CUZK_PROOF_BYTES, inputs,
                                  err));
out:
    cuzk_free(inputs);
    cuzk_vk_fini(&vk);
    return st;
}

/* ---- parameters ---- */

/* "" when the name is not an established one. */
static void circuit_of_path(char out[24], const char *path)
{
    circuit_id id;
    out[0] = '\0';
    if (cuzk_params_circuit_of_path(&id, path))
        cuzk_circuit_id_format(out, id);
}

cuzk_status cuzk_params_describe(cuzk_params_description *out, const char *path, cuzk_err *err)
{
    groth16_params_info info;
    groth16_vk vk;
    cuzk_status st;
    CUZK_TRY(cuzk_params_info(&info, path, err));
    CUZK_TRY(cuzk_params_read_vk(&vk, path, err));
    *out = (cuzk_params_description){.file_bytes = info.file_bytes,
                                     .n_ic = info.n_ic,
                                     .n_h = info.n_h,
                                     .n_l = info.n_l,
                                     .n_a = info.n_a,
                                     .n_b = info.n_b,
                                     .insecure = cuzk_insecure_vk(&vk)};
    circuit_of_path(out->circuit, path);
    cuzk_vk_fini(&vk);
out:
    return st;
}

cuzk_status cuzk_params_verify(const char *path, unsigned n_threads, cuzk_err *err)
{
    cuzk_pool *pool = NULL;
    cuzk_status st;
    CUZK_TRY(cuzk_pool_new(&pool, n_threads, "cuzk-check", err));
    CUZK_TRY(cuzk_params_check(path, pool, err));
out:
    cuzk_pool_free(pool);
    return st;
}

cuzk_status cuzk_params_identify(cuzk_params_origin *out, const char *path, cuzk_err *err)
{
    params_file f;
    circuit_id id;
    cuzk_params_origin o = {.published = false};
    cuzk_status st = cuzk_params_open(&f, path, SECTION_COUNT, err);
    if (st != CUZK_OK)
        return st;
    if (cuzk_params_circuit_of_path(&id, path)) {
        const params_digests *d = cuzk_params_table_find(id);
        cuzk_circuit_id_format(o.circuit, id);
        snprintf(o.expected, sizeof o.expected, "%s", d ? d->params : "");
        o.real = cuzk_params_are_real(id);
    }
    st = cuzk_params_digest(o.digest, &f, err);
    cuzk_params_close(&f);
    o.published = o.expected[0] && strcmp(o.digest, o.expected) == 0;
    if (st == CUZK_OK)
        *out = o;
    return st;
}

/* ---- circuits ---- */

cuzk_status cuzk_circuit_digest(cuzk_circuit_summary *out, const char *circuit, FILE *blocks,
                                cuzk_err *err)
{
    circuit_id id;
    cuzk_status st = cuzk_circuit_id_parse(&id, circuit, err);
    if (st != CUZK_OK)
        return st;
    const circuit_instance blank = {id, NULL, 0};
    const cs_circuit c = cuzk_circuit_of(&blank);
    return cuzk_circuit_summarize(out, &c, blocks, err);
}

cuzk_status cuzk_circuit_witness(cuzk_witness_summary *out, const cuzk_request *req,
                                 unsigned partition, FILE *blocks, cuzk_err *err)
{
    if (partition >= req->n_partitions)
        return cuzk_fail(err, CUZK_INVAL, 0, "partition %u: the request has partitions 0 to %u",
                         partition, req->n_partitions - 1);
    const circuit_instance instance = {circuit_of_request(req), req, partition};
    const cs_circuit c = cuzk_circuit_of(&instance);
    return cuzk_witness_summarize(out, &c, blocks, err);
}

static bool fill_counts(cuzk_circuit_entry *out, circuit_id id)
{
    circuit_counts c;
    if (!cuzk_circuit_counts(&c, id))
        return false;
    out->n_inputs = c.n_inputs;
    out->n_aux = c.n_aux;
    out->n_rows = c.n_rows;
    out->lg_domain = cuzk_lg_ceil(c.n_rows + c.n_inputs);
    out->params_bytes = cuzk_circuit_params_bytes(&c);
    return true;
}

bool cuzk_circuit_at(cuzk_circuit_entry *out, size_t i)
{
    for (int kind = 0; kind < CUZK_KIND_COUNT; kind++) {
        for (size_t k = 0; k < cuzk_n_shapes; k++) {
            if (!cuzk_shapes[k].registered || i-- > 0)
                continue;
            circuit_id id = {(cuzk_kind)kind, &cuzk_shapes[k]};
            cuzk_circuit_id_format(out->name, id);
            cuzk_circuit_stem(out->stem, id);
            return fill_counts(out, id);
        }
    }
    return false;
}

/* Generator: from known secrets to a parameter file (spec gadgets.md 1.5, formats.md 7.3).
 *
 * All points are multiples of the two generators, made CHUNK at a time and written in file order,
 * so that memory is that of the scalars: 96 bytes a variable.
 */
#include "base/file.h"
#include "base/mem.h"
#include "curve/codec.h"
#include "groth16/params_layout.h"
#include "groth16/qap.h"
#include "msm/msm.h"

#define CHUNK ((size_t)1 << 16)
/* Below this many variables the tables (0.6 M additions) cost more than they save. */
#define FEW_VARIABLES 512
#define MIN_CHUNK     4096

/* The scalars of a section: an array (zeros dropped or not), or a geometric sequence. */
typedef struct {
    const fr *values; /* NULL: first, first * ratio, ... */
    fr first, ratio;
    size_t n, at;
    bool drop_zeros;
    size_t n_points; /* zeros that are dropped not counted */
} scalars;

typedef struct {
    cuzk_pool *pool;
    const g1_fixed_base *g1; /* both NULL: few points, multiplied one by one */
    const g2_fixed_base *g2;
    cuzk_file_writer *file;
    fr_canon *k; /* CHUNK of each */
    g1_affine *p1;
    g2_affine *p2;
    uint8_t *bytes;
} emitter;

/* ---- scalars ---- */

static scalars from_array(const fr values[], size_t n, bool drop_zeros)
{
    scalars s = {.values = values, .n = n, .drop_zeros = drop_zeros};
    for (size_t i = 0; i < n; i++)
        s.n_points += !drop_zeros || !fr_is_zero(&values[i]);
    return s;
}

static scalars from_powers(const fr *first, const fr *ratio, size_t n)
{
    return (scalars){.first = *first, .ratio = *ratio, .n = n, .n_points = n};
}

/* Up to CHUNK further scalars; 0 at the end. */
static size_t next_chunk(scalars *s, fr_canon k[])
{
    size_t n = 0;
    for (; s->at < s->n && n < CHUNK; s->at++) {
        if (s->values && s->drop_zeros && fr_is_zero(&s->values[s->at]))
            continue;
        cuzk_fr_to_canon(&k[n++], s->values ? &s->values[s->at] : &s->first);
        if (!s->values)
            fr_mul(&s->first, &s->first, &s->ratio);
    }
    return n;
}

/* ---- points ---- */

static void mul_g1(g1_affine *out, const fr_canon *k)
{
    g1_jac p;
    cuzk_g1_from_affine(&p, &cuzk_g1_generator);
    cuzk_g1_mul(&p, &p, k);
    cuzk_g1_to_affine(out, &p);
}

static void mul_g2(g2_affine *out, const fr_canon *k)
{
    g2_jac p;
    cuzk_g2_from_affine(&p, &cuzk_g2_generator);
    cuzk_g2_mul(&p, &p, k);
    cuzk_g2_to_affine(out, &p);
}

static cuzk_status many_g1(const emitter *e, g1_affine out[], size_t n, cuzk_err *err)
{
    if (e->g1)
        return cuzk_g1_fixed_base_mul(e->g1, e->pool, out, e->k, n, err);
    for (size_t i = 0; i < n; i++)
        mul_g1(&out[i], &e->k[i]);
    return CUZK_OK;
}

static cuzk_status many_g2(const emitter *e, g2_affine out[], size_t n, cuzk_err *err)
{
    if (e->g2)
        return cuzk_g2_fixed_base_mul(e->g2, e->pool, out, e->k, n, err);
    for (size_t i = 0; i < n; i++)
        mul_g2(&out[i], &e->k[i]);
    return CUZK_OK;
}

static void encode_g1(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const emitter *e = ctx;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        cuzk_g1_write(e->bytes + i * G1_FILE_BYTES, &e->p1[i]);
}

static void encode_g2(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const emitter *e = ctx;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        cuzk_g2_write(e->bytes + i * G2_FILE_BYTES, &e->p2[i]);
}

static cuzk_status put_count(const emitter *e, const scalars *s, cuzk_err *err)
{
    uint8_t count[4];
    cuzk_store_be32(count, (uint32_t)s->n_points);
    return cuzk_file_writer_put(e->file, count, sizeof count, err);
}

static cuzk_status emit_g1(emitter *e, scalars s, cuzk_err *err)
{
    cuzk_status st = put_count(e, &s, err);
    for (size_t n; st == CUZK_OK && (n = next_chunk(&s, e->k)) > 0;) {
        CUZK_TRY(many_g1(e, e->p1, n, err));
        cuzk_pool_for(e->pool, n, MIN_CHUNK, encode_g1, e);
        st = cuzk_file_writer_put(e->file, e->bytes, n * G1_FILE_BYTES, err);
    }
out:
    return st;
}

static cuzk_status emit_g2(emitter *e, scalars s, cuzk_err *err)
{
    cuzk_status st = put_count(e, &s, err);
    for (size_t n; st == CUZK_OK && (n = next_chunk(&s, e->k)) > 0;) {
        CUZK_TRY(many_g2(e, e->p2, n, err));
        cuzk_pool_for(e->pool, n, MIN_CHUNK, encode_g2, e);
        st = cuzk_file_writer_put(e->file, e->bytes, n * G2_FILE_BYTES, err);
    }
out:
    return st;
}

static cuzk_status emitter_init(emitter *e, cuzk_pool *pool, cuzk_file_writer *file, cuzk_err *err)
{
    *e = (emitter){.pool = pool, .file = file};
    e->k = CUZK_NEW_ARRAY(fr_canon, CHUNK);
    e->p1 = CUZK_NEW_ARRAY(g1_affine, CHUNK);
    e->p2 = CUZK_NEW_ARRAY(g2_affine, CHUNK);
    e->bytes = cuzk_malloc(CHUNK * G2_FILE_BYTES);
    if (!e->k || !e->p1 || !e->p2 || !e->bytes)
        return cuzk_fail(err, CUZK_NOMEM, 0, "setup: no memory for %zu points", CHUNK);
    return CUZK_OK;
}

static void emitter_fini(emitter *e)
{
    cuzk_free(e->bytes);
    cuzk_free(e->p2);
    cuzk_free(e->p1);
    cuzk_free(e->k);
}

/* ---- setup ---- */

typedef struct {
    const groth16_secrets *secrets;
    fr gamma_inv, delta_inv;
    fr *ext; /* (beta u + alpha v + w) / gamma or delta, in the place of w */
    const qap *q;
} combine_run;

static void combine_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const combine_run *r = ctx;
    (void)worker;
    for (size_t j = begin; j < end; j++) {
        fr t;
        fr_mul(&t, &r->q->u[j], &r->secrets->beta);
        fr_add(&r->ext[j], &r->ext[j], &t);
        fr_mul(&t, &r->q->v[j], &r->secrets->alpha);
        fr_add(&r->ext[j], &r->ext[j], &t);
        fr_mul(&r->ext[j], &r->ext[j], j < r->q->n_inputs ? &r->gamma_inv : &r->delta_inv);
    }
}

static cuzk_status check_secrets(const groth16_secrets *s, cuzk_err *err)
{
    const struct {
        const char *name;
        const fr *value;
    } all[] = {{"alpha", &s->alpha},
               {"beta", &s->beta},
               {"gamma", &s->gamma},
               {"delta", &s->delta},
               {"tau", &s->tau}};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(all); i++)
        if (fr_is_zero(all[i].value))
            return cuzk_fail(err, CUZK_INVAL, 0, "setup: the secret %s is zero", all[i].name);
    return CUZK_OK;
}

static cuzk_status combine(qap *q, const groth16_secrets *secrets, cuzk_pool *pool, cuzk_err *err)
{
    combine_run r = {.secrets = secrets, .ext = q->w, .q = q};
    cuzk_fr_inv_vartime(&r.gamma_inv, &secrets->gamma);
    cuzk_fr_inv_vartime(&r.delta_inv, &secrets->delta);
    cuzk_pool_for(pool, q->n_inputs + q->n_aux, MIN_CHUNK, combine_range, &r);
    for (size_t j = 0; j < q->n_aux; j++)
        if (fr_is_zero(&q->w[q->n_inputs + j]))
            return cuzk_fail(err, CUZK_INVAL, 0,
                             "setup: aux variable %zu of %zu is in no row: unconstrained", j,
                             q->n_aux);
    return CUZK_OK;
}

static void make_key_points(groth16_vk *vk, const groth16_secrets *s)
{
    fr_canon alpha, beta, gamma, delta;
    cuzk_fr_to_canon(&alpha, &s->alpha);
    cuzk_fr_to_canon(&beta, &s->beta);
    cuzk_fr_to_canon(&gamma, &s->gamma);
    cuzk_fr_to_canon(&delta, &s->delta);
    mul_g1(&vk->alpha_g1, &alpha);
    mul_g1(&vk->beta_g1, &beta);
    mul_g1(&vk->delta_g1, &delta);
    mul_g2(&vk->beta_g2, &beta);
    mul_g2(&vk->gamma_g2, &gamma);
    mul_g2(&vk->delta_g2, &delta);
}

static cuzk_status make_vk(groth16_vk *vk, const qap *q, const groth16_secrets *s, const emitter *e,
                           cuzk_err *err)
{
    make_key_points(vk, s);
    vk->n_ic = q->n_inputs;
    vk->ic = CUZK_NEW_ARRAY(g1_affine, vk->n_ic);
    if (!vk->ic)
        return cuzk_fail(err, CUZK_NOMEM, 0, "setup: no memory for %zu ic points", vk->n_ic);
    scalars ic = from_array(q->w, q->n_inputs, false);
    size_t done = 0;
    for (size_t n; (n = next_chunk(&ic, e->k)) > 0; done += n) {
        cuzk_status st = many_g1(e, vk->ic + done, n, err);
        if (st != CUZK_OK)
            return st;
    }
    return CUZK_OK;
}

static cuzk_status put_head(const emitter *e, const groth16_vk *vk, cuzk_err *err)
{
    uint8_t bytes[VK_POINTS_BYTES];
    cuzk_vk_encode_points(bytes, vk);
    return cuzk_file_writer_put(e->file, bytes, sizeof bytes, err);
}

/* tau^i (tau^m - 1) / delta, i < m - 1 */
static scalars h_scalars(const qap *q, const groth16_secrets *s)
{
    fr first, t;
    size_t m = (size_t)1 << q->lg_m;
    cuzk_fr_pow_u64(&first, &s->tau, m);
    fr_sub(&first, &first, &cuzk_fr_one);
    cuzk_fr_inv_vartime(&t, &s->delta);
    fr_mul(&first, &first, &t);
    return from_powers(&first, &s->tau, m - 1);
}

static cuzk_status put_sections(emitter *e, const qap *q, const groth16_secrets *s, cuzk_err *err)
{
    size_t n = q->n_inputs + q->n_aux;
    cuzk_status st;
    CUZK_TRY(emit_g1(e, from_array(q->w, q->n_inputs, false), err));
    CUZK_TRY(emit_g1(e, h_scalars(q, s), err));
    CUZK_TRY(emit_g1(e, from_array(q->w + q->n_inputs, q->n_aux, false), err));
    CUZK_TRY(emit_g1(e, from_array(q->u, n, true), err));
    CUZK_TRY(emit_g1(e, from_array(q->v, n, true), err));
    CUZK_TRY(emit_g2(e, from_array(q->v, n, true), err));
out:
    return st;
}

static cuzk_status write_files(const qap *q, const groth16_secrets *s, const char *params_path,
                               const char *vk_path, cuzk_pool *pool, cuzk_err *err)
{
    cuzk_status st;
    cuzk_file_writer file = {0};
    g1_fixed_base *g1 = NULL;
    g2_fixed_base *g2 = NULL;
    groth16_vk vk = {0};
    emitter e = {0};
    if (q->n_inputs + q->n_aux >= FEW_VARIABLES) {
        CUZK_TRY(cuzk_g1_fixed_base_new(&g1, &cuzk_g1_generator, pool, err));
        CUZK_TRY(cuzk_g2_fixed_base_new(&g2, &cuzk_g2_generator, pool, err));
    }
    CUZK_TRY(emitter_init(&e, pool, &file, err));
    e.g1 = g1;
    e.g2 = g2;
    CUZK_TRY(make_vk(&vk, q, s, &e, err));
    CUZK_TRY(cuzk_file_writer_open(&file, params_path, err));
    CUZK_TRY(put_head(&e, &vk, err));
    CUZK_TRY(put_sections(&e, q, s, err));
    CUZK_TRY(cuzk_file_writer_commit(&file, err));
    CUZK_TRY(cuzk_vk_write(&vk, vk_path, err));
out:
    cuzk_file_writer_abort(&file);
    cuzk_vk_fini(&vk);
    emitter_fini(&e);
    cuzk_g2_fixed_base_free(g2);
    cuzk_g1_fixed_base_free(g1);
    return st;
}

cuzk_status cuzk_groth16_setup(const cs_circuit *circuit, const groth16_secrets *secrets,
                               const char *params_path, const char *vk_path, cuzk_pool *pool,
                               cuzk_trace *trace, cuzk_err *err)
{
    qap q = {0};
    cuzk_span span = {0};
    cuzk_status st;
    CUZK_TRY(check_secrets(secrets, err));
    span = cuzk_span_begin(trace, "setup_qap", CUZK_NO_PARTITION);
    CUZK_TRY(cuzk_qap_at(&q, circuit, &secrets->tau, pool, err));
    CUZK_TRY(combine(&q, secrets, pool, err));
    cuzk_span_end(&span);
    span = cuzk_span_begin(trace, "setup_points", CUZK_NO_PARTITION);
    CUZK_TRY(write_files(&q, secrets, params_path, vk_path, pool, err));
out:
    cuzk_span_end(&span);
    cuzk_qap_fini(&q);
    return st;
}

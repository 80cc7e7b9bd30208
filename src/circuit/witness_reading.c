/* Values of a circuit: digests of the assignment, and whether it satisfies every row. */
#include "circuit/readings.h"

#include "base/hash.h"
#include "base/hex.h"
#include "base/mem.h"

/* Values are kept in chunks, so that growing copies nothing. A chunk of aux values is also a block
 * of the block digests. */
#define CHUNK_LG 16
#define CHUNK    ((uint32_t)1 << CHUNK_LG)

typedef struct {
    fr **chunk;
    size_t n_chunks, cap;
    uint32_t n;
} value_list;

typedef struct {
    witness_summary *sum;
    value_list inputs, aux;
    cuzk_hash *inputs_hash, *aux_hash, *block; /* block: NULL when not wanted */
    FILE *block_out;
} witness_sink;

static bool add_chunk(value_list *v)
{
    if (v->n_chunks == v->cap) {
        size_t cap = v->cap ? 2 * v->cap : 64;
        fr **chunk = (fr **)cuzk_realloc(v->chunk, cap * sizeof *chunk);
        if (!chunk)
            return false;
        v->chunk = chunk;
        v->cap = cap;
    }
    fr *values = CUZK_NEW_ARRAY(fr, CHUNK);
    if (!values)
        return false;
    v->chunk[v->n_chunks++] = values;
    return true;
}

static cuzk_status append(value_list *v, const fr *value, cuzk_err *err)
{
    if (v->n % CHUNK == 0 && !add_chunk(v))
        return cuzk_fail(err, CUZK_NOMEM, 0, "witness: more than %u values", v->n);
    v->chunk[v->n >> CHUNK_LG][v->n % CHUNK] = *value;
    v->n++;
    return CUZK_OK;
}

static void list_fini(value_list *v)
{
    for (size_t i = 0; i < v->n_chunks; i++)
        cuzk_free(v->chunk[i]);
    cuzk_free(v->chunk);
}

/* Little-endian canonical bytes; most values are bits, which need no conversion. */
static void value_bytes(uint8_t out[32], const fr *x)
{
    bool one = fr_is_one(x);
    if (one || fr_is_zero(x)) {
        memset(out, 0, 32);
        out[0] = one;
    } else {
        cuzk_fr_to_bytes(out, x);
    }
}

static void hash_values(cuzk_hash *h, cuzk_hash *h2, const fr *x, size_t n)
{
    uint8_t bytes[128 * 32];
    for (size_t i = 0; i < n;) {
        size_t len = n - i < 128 ? n - i : 128;
        for (size_t k = 0; k < len; k++)
            value_bytes(bytes + 32 * k, &x[i + k]);
        cuzk_hash_update(h, bytes, 32 * len);
        if (h2)
            cuzk_hash_update(h2, bytes, 32 * len);
        i += len;
    }
}

/* The last n values of aux: a full chunk, or what is left. */
static void end_aux_block(witness_sink *s, size_t n)
{
    uint8_t digest[32];
    char text[33];
    hash_values(s->aux_hash, s->block, s->aux.chunk[s->aux.n_chunks - 1], n);
    if (!s->block)
        return;
    cuzk_hash_finish(s->block, digest);
    cuzk_hex_encode(text, digest, 16);
    fprintf(s->block_out, "%s\n", text);
}

static cuzk_status witness_aux(void *self, const fr *value, cuzk_err *err)
{
    witness_sink *s = (witness_sink *)self;
    cuzk_status st = append(&s->aux, value, err);
    if (st != CUZK_OK)
        return st;
    if (fr_is_zero(value) || fr_is_one(value))
        s->sum->zero_or_one++;
    if (s->aux.n % CHUNK == 0)
        end_aux_block(s, CHUNK);
    return CUZK_OK;
}

static cuzk_status witness_input(void *self, const fr *value, cuzk_err *err)
{
    witness_sink *s = (witness_sink *)self;
    hash_values(s->inputs_hash, NULL, value, 1);
    return append(&s->inputs, value, err);
}

static void evaluate(fr *out, const witness_sink *s, const cs_lc *lc)
{
    fr sum = {{0}}, t;
    for (size_t i = 0; i < lc->n; i++) {
        cs_var v = lc->term[i].var;
        uint32_t k = cs_var_index(v);
        const value_list *list = cs_var_is_input(v) ? &s->inputs : &s->aux;
        const fr *x = &list->chunk[k >> CHUNK_LG][k % CHUNK];
        if (fr_is_zero(x))
            continue;
        if (fr_is_one(x)) {
            fr_add(&sum, &sum, &lc->term[i].coeff);
            continue;
        }
        fr_mul(&t, x, &lc->term[i].coeff);
        fr_add(&sum, &sum, &t);
    }
    *out = sum;
}

static cuzk_status witness_row(void *self, cs_lc *a, cs_lc *b, cs_lc *c, cuzk_err *err)
{
    witness_sink *s = (witness_sink *)self;
    fr x, y, z;
    (void)err;
    evaluate(&x, s, a);
    evaluate(&y, s, b);
    evaluate(&z, s, c);
    fr_mul(&x, &x, &y);
    if (!fr_eq(&x, &z) && s->sum->satisfied) {
        s->sum->satisfied = false;
        s->sum->first_bad_row = s->sum->n_rows;
    }
    s->sum->n_rows++;
    return CUZK_OK;
}

static const cs_sink_ops witness_ops = {witness_aux, witness_input, witness_row};

static cuzk_status sink_finish(witness_sink *s, cuzk_err *err)
{
    witness_summary *sum = s->sum;
    if (s->aux.n % CHUNK)
        end_aux_block(s, s->aux.n % CHUNK);
    sum->n_inputs = s->inputs.n;
    sum->n_aux = s->aux.n;
    cuzk_hash_finish(s->inputs_hash, sum->inputs_sha256);
    cuzk_hash_finish(s->aux_hash, sum->aux_sha256);
    if (s->block_out && ferror(s->block_out))
        return cuzk_fail(err, CUZK_IO, 0, "witness summary: writing block digests");
    return CUZK_OK;
}

cuzk_status cuzk_witness_summarize(witness_summary *out, const cs_circuit *circuit, FILE *blocks,
                                   cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    witness_summary sum = {.satisfied = true};
    witness_sink s = {.sum = &sum, .block_out = blocks};
    cs c;

    s.inputs_hash = cuzk_hash_new(CUZK_HASH_SHA256);
    s.aux_hash = cuzk_hash_new(CUZK_HASH_SHA256);
    s.block = blocks ? cuzk_hash_new(CUZK_HASH_SHA256) : NULL;
    if (!s.inputs_hash || !s.aux_hash || (blocks && !s.block)) {
        st = cuzk_fail(err, CUZK_NOMEM, 0, "witness summary: hash states");
        goto out;
    }
    cs_init(&c, &witness_ops, &s);
    circuit->synthesize(circuit->ctx, &c);
    if (c.st != CUZK_OK) {
        st = c.st;
        if (err)
            *err = c.err;
        goto out;
    }
    CUZK_TRY(sink_finish(&s, err));
    *out = sum;
out:
    list_fini(&s.aux);
    list_fini(&s.inputs);
    cuzk_hash_free(s.block);
    cuzk_hash_free(s.aux_hash);
    cuzk_hash_free(s.inputs_hash);
    return st;
}

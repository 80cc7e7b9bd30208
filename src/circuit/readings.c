/* Structure of a circuit: counts, densities and the R1CS digest of gadgets.md section 13.
 *
 * The digest starts with the counts, so the circuit runs twice: once to count, once to hash. Rows
 * are encoded into a buffer and hashed as they come. Nearly all coefficients are from a small set
 * (plus and minus powers of two, Poseidon's matrices), so a direct-mapped cache keeps their bytes.
 */
#include "circuit/readings.h"

#include "base/hash.h"
#include "base/hex.h"
#include "base/mem.h"

#define BLOCK_ROWS   65536u /* of a block digest */
#define BUFFER_BYTES ((size_t)1 << 16)
#define TERM_BYTES   41u /* kind, 8-byte index, 32-byte coefficient */
#define CACHE_LG     13

typedef struct {
    fr coeff;
    uint8_t be[32];
} cache_entry;

typedef struct {
    circuit_summary *sum;
    cuzk_hash *whole, *block; /* block: NULL when no block digests are wanted */
    FILE *block_out;
    uint8_t *buffer;
    size_t used;
    cache_entry *cache;
    uint64_t *a_aux, *b_aux, *b_inputs; /* bitmaps */
    uint64_t n_aux, n_inputs, n_rows;   /* so far */
} structure_sink;

static cuzk_status nothing_variable(void *self, const fr *value, cuzk_err *err)
{
    (void)self, (void)value, (void)err;
    return CUZK_OK;
}

static cuzk_status nothing_row(void *self, cs_lc *a, cs_lc *b, cs_lc *c, cuzk_err *err)
{
    (void)self, (void)a, (void)b, (void)c, (void)err;
    return CUZK_OK;
}

static const cs_sink_ops counting_ops = {nothing_variable, nothing_variable, nothing_row};

/* Passes a circuit's sticky error on. */
static cuzk_status outcome(const cs *c, cuzk_err *err)
{
    if (c->st != CUZK_OK && err)
        *err = c->err;
    return c->st;
}

static cuzk_status count(circuit_summary *out, const cs_circuit *circuit, cuzk_err *err)
{
    cs c;
    cs_init(&c, &counting_ops, NULL);
    circuit->synthesize(circuit->ctx, &c);
    out->n_inputs = c.n_inputs;
    out->n_aux = c.n_aux;
    out->n_rows = c.n_rows;
    return outcome(&c, err);
}

static void flush(structure_sink *s)
{
    cuzk_hash_update(s->whole, s->buffer, s->used);
    if (s->block)
        cuzk_hash_update(s->block, s->buffer, s->used);
    s->used = 0;
}

static void put_be64(uint8_t *out, uint64_t x)
{
    for (int i = 7; i >= 0; i--, x >>= 8)
        out[i] = (uint8_t)x;
}

static void put_count(structure_sink *s, uint64_t n)
{
    if (s->used + 8 > BUFFER_BYTES)
        flush(s);
    put_be64(s->buffer + s->used, n);
    s->used += 8;
}

static const uint8_t *coeff_bytes(structure_sink *s, const fr *k)
{
    uint64_t hash = (k->l[0] ^ k->l[1] ^ k->l[2] ^ k->l[3]) * 0x9e3779b97f4a7c15u;
    cache_entry *e = &s->cache[hash >> (64 - CACHE_LG)]; /* a fresh entry says 0 -> 0: true */
    if (!fr_eq(&e->coeff, k)) {
        fr_canon x;
        cuzk_fr_to_canon(&x, k);
        for (unsigned i = 0; i < 4; i++)
            put_be64(e->be + 8 * i, x.l[3 - i]);
        e->coeff = *k;
    }
    return e->be;
}

static void put_lc(structure_sink *s, const cs_lc *lc)
{
    put_count(s, lc->n);
    for (size_t i = 0; i < lc->n; i++) {
        if (s->used + TERM_BYTES > BUFFER_BYTES)
            flush(s);
        uint8_t *p = s->buffer + s->used;
        p[0] = cs_var_is_input(lc->term[i].var) ? 'I' : 'A';
        put_be64(p + 1, cs_var_index(lc->term[i].var));
        memcpy(p + 9, coeff_bytes(s, &lc->term[i].coeff), 32);
        s->used += TERM_BYTES;
    }
}

static void mark(uint64_t *bitmap, uint32_t i)
{
    bitmap[i / 64] |= (uint64_t)1 << (i % 64);
}

static void mark_densities(structure_sink *s, const cs_lc *a, const cs_lc *b)
{
    for (size_t i = 0; i < a->n; i++) {
        if (!cs_var_is_input(a->term[i].var))
            mark(s->a_aux, a->term[i].var);
    }
    for (size_t i = 0; i < b->n; i++) {
        cs_var v = b->term[i].var;
        mark(cs_var_is_input(v) ? s->b_inputs : s->b_aux, cs_var_index(v));
    }
}

static void count_terms(uint64_t *nnz, uint64_t *longest, const cs_lc *lc)
{
    *nnz += lc->n;
    if (*longest < lc->n)
        *longest = lc->n;
}

static void end_block(structure_sink *s)
{
    uint8_t digest[32];
    char text[33];
    if (!s->block)
        return;
    flush(s);
    cuzk_hash_finish(s->block, digest);
    cuzk_hex_encode(text, digest, 16);
    fprintf(s->block_out, "%s\n", text);
}

static cuzk_status structure_row(void *self, cs_lc *a, cs_lc *b, cs_lc *c, cuzk_err *err)
{
    structure_sink *s = (structure_sink *)self;
    if (s->n_rows == s->sum->n_rows)
        return cuzk_fail(err, CUZK_INTERNAL, 0, "circuit: the second run has more rows");
    cs_lc_normalize(a);
    cs_lc_normalize(b);
    cs_lc_normalize(c);
    mark_densities(s, a, b);
    count_terms(&s->sum->nnz_a, &s->sum->longest_a, a);
    count_terms(&s->sum->nnz_b, &s->sum->longest_b, b);
    count_terms(&s->sum->nnz_c, &s->sum->longest_c, c);
    put_lc(s, a);
    put_lc(s, b);
    put_lc(s, c);
    if (++s->n_rows % BLOCK_ROWS == 0)
        end_block(s);
    return CUZK_OK;
}

static cuzk_status structure_aux(void *self, const fr *value, cuzk_err *err)
{
    structure_sink *s = (structure_sink *)self;
    (void)value;
    if (s->n_aux++ == s->sum->n_aux)
        return cuzk_fail(err, CUZK_INTERNAL, 0, "circuit: the second run has more variables");
    return CUZK_OK;
}

static cuzk_status structure_input(void *self, const fr *value, cuzk_err *err)
{
    structure_sink *s = (structure_sink *)self;
    (void)value;
    if (s->n_inputs++ == s->sum->n_inputs)
        return cuzk_fail(err, CUZK_INTERNAL, 0, "circuit: the second run has more inputs");
    return CUZK_OK;
}

static const cs_sink_ops structure_ops = {structure_aux, structure_input, structure_row};

static uint64_t ones(const uint64_t *bitmap, uint64_t n_bits)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i <= n_bits / 64; i++)
        n += cuzk_popcount64(bitmap[i]);
    return n;
}

static cuzk_status sink_init(structure_sink *s, circuit_summary *sum, FILE *blocks, cuzk_err *err)
{
    memset(s, 0, sizeof *s);
    s->sum = sum;
    s->block_out = blocks;
    s->whole = cuzk_hash_new(CUZK_HASH_BLAKE2S256);
    s->block = blocks ? cuzk_hash_new(CUZK_HASH_BLAKE2S256) : NULL;
    s->buffer = (uint8_t *)cuzk_malloc(BUFFER_BYTES);
    s->cache = (cache_entry *)cuzk_calloc((size_t)1 << CACHE_LG, sizeof *s->cache);
    s->a_aux = (uint64_t *)cuzk_calloc(sum->n_aux / 64 + 1, 8);
    s->b_aux = (uint64_t *)cuzk_calloc(sum->n_aux / 64 + 1, 8);
    s->b_inputs = (uint64_t *)cuzk_calloc(sum->n_inputs / 64 + 1, 8);
    if (!s->whole || (blocks && !s->block) || !s->buffer || !s->cache || !s->a_aux || !s->b_aux ||
        !s->b_inputs)
        return cuzk_fail(err, CUZK_NOMEM, 0, "circuit summary: %llu variables",
                         (unsigned long long)sum->n_aux);
    return CUZK_OK;
}

static void sink_fini(structure_sink *s)
{
    cuzk_free(s->b_inputs);
    cuzk_free(s->b_aux);
    cuzk_free(s->a_aux);
    cuzk_free(s->cache);
    cuzk_free(s->buffer);
    cuzk_hash_free(s->block);
    cuzk_hash_free(s->whole);
}

static void put_header(structure_sink *s)
{
    uint8_t head[24];
    put_be64(head, s->sum->n_inputs);
    put_be64(head + 8, s->sum->n_aux);
    put_be64(head + 16, s->sum->n_rows);
    cuzk_hash_update(s->whole, head, sizeof head); /* not part of the first block */
}

static cuzk_status sink_finish(structure_sink *s, cuzk_err *err)
{
    circuit_summary *sum = s->sum;
    if (s->n_rows != sum->n_rows || s->n_aux != sum->n_aux || s->n_inputs != sum->n_inputs)
        return cuzk_fail(err, CUZK_INTERNAL, 0, "circuit: two runs differ in size");
    if (s->n_rows % BLOCK_ROWS)
        end_block(s);
    flush(s);
    cuzk_hash_finish(s->whole, sum->digest);
    sum->density_a_aux = ones(s->a_aux, sum->n_aux);
    sum->density_b_aux = ones(s->b_aux, sum->n_aux);
    sum->density_b_inputs = ones(s->b_inputs, sum->n_inputs);
    if (s->block_out && ferror(s->block_out))
        return cuzk_fail(err, CUZK_IO, 0, "circuit summary: writing block digests");
    return CUZK_OK;
}

cuzk_status cuzk_circuit_summarize(circuit_summary *out, const cs_circuit *circuit, FILE *blocks,
                                   cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    circuit_summary sum = {0};
    structure_sink s = {0};
    cs c;

    CUZK_TRY(count(&sum, circuit, err));
    CUZK_TRY(sink_init(&s, &sum, blocks, err));
    put_header(&s);
    cs_init(&c, &structure_ops, &s);
    circuit->synthesize(circuit->ctx, &c);
    CUZK_TRY(outcome(&c, err));
    CUZK_TRY(sink_finish(&s, err));
    *out = sum;
out:
    sink_fini(&s);
    return st;
}

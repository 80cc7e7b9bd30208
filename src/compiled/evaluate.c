/* a = A w and b = B w, piece by piece. */
#include "base/mem.h"
#include "compiled/compiled_internal.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Results are written once and not read soon: past the caches where the processor can. */
CUZK_INLINE void store(fr *out, const fr *x)
{
#ifdef __SSE2__
    const __m128i *from = (const __m128i *)(const void *)x;
    __m128i *to = (__m128i *)(void *)out;
    _mm_stream_si128(to, _mm_loadu_si128(from));
    _mm_stream_si128(to + 1, _mm_loadu_si128(from + 1));
#else
    *out = *x;
#endif
}

typedef struct {
    uint8_t *bit; /* value of every slot that is one */
    fr *field;
} scratch;

/* Values -8 to 8 at [8 + value]. */
#define SMALL_VALUES 17
typedef struct {
    const compiled_circuit *k;
    const compiled_witness *w;
    fr *a, *b;
    scratch *worker;
    fr small[SMALL_VALUES];
    uint64_t spread[256]; /* a byte's bits as eight bytes */
} evaluation;

static void fill_tables(evaluation *e)
{
    fr x;
    for (int i = 0; i < SMALL_VALUES; i++) {
        cuzk_fr_from_u64(&x, (uint64_t)(i < 8 ? 8 - i : i - 8));
        if (i < 8)
            fr_neg(&x, &x);
        e->small[i] = x;
    }
    for (unsigned v = 0; v < 256; v++) {
        e->spread[v] = 0;
        for (unsigned i = 0; i < 8; i++)
            e->spread[v] |= (uint64_t)(v >> i & 1) << (8 * i);
    }
}

/* ---- operands and own variables of an instance ---- */

/* out[i] = bit at + i; writes up to 63 bytes more. */
static void expand_bits(const evaluation *e, uint8_t out[], const uint64_t bits[], size_t at,
                        size_t n)
{
    const uint64_t *word = bits + at / 64;
    unsigned s = at % 64;
    for (size_t i = 0; i < n; i += 64, word++) {
        uint64_t x = s ? word[0] >> s | word[1] << (64 - s) : word[0];
        for (unsigned j = 0; j < 8; j++, x >>= 8)
            memcpy(out + i + 8 * j, &e->spread[x & 255], 8);
    }
}

static void load_operands(const evaluation *e, const piece *p, const template_rows *t, scratch *s)
{
    const compiled_circuit *k = e->k;
    size_t n_field = 0;
    s->bit[0] = 1;
    for (uint32_t i = 0; i < t->n_operands; i++) {
        cs_var v = operand_var(k, t, p, i);
        if (!t->operand_is_field[i])
            s->bit[1 + i] = bit_get(e->w->bits, v);
        else if (cs_var_is_input(v))
            s->field[n_field++] = e->w->input[cs_var_index(v)];
        else
            s->field[n_field++] = e->w->field[field_rank(k, v)];
    }
}

static void load_instance(const evaluation *e, const piece *p, const template_rows *t, scratch *s)
{
    load_operands(e, p, t, s);
    expand_bits(e, s->bit + 1 + t->n_operands, e->w->bits, p->base_aux, t->n_aux);
    memcpy(s->field + t->n_operand_fields, e->w->field + p->base_field,
           t->n_fields * sizeof *s->field);
}

/* ---- rows ---- */

static void run_small(const evaluation *e, const small_row *row, size_t n, const uint8_t bit[],
                      fr *a, fr *b)
{
    for (size_t i = 0; i < n; i++, row++) {
        int x = 8, y = 8;
        for (unsigned j = 0; j < 4; j++)
            x += row->a_coeff[j] * bit[row->a[j]];
        for (unsigned j = 0; j < 2; j++)
            y += row->b_coeff[j] * bit[row->b[j]];
        store(a + i, &e->small[x]);
        store(b + i, &e->small[y]);
    }
}

/* sum += coefficient * x */
CUZK_INLINE void add_product(fr *sum, const fr *coeff, uint32_t id, const fr *x)
{
    fr t;
    if (id == COEFF_ID_ONE) {
        fr_add(sum, sum, x);
    } else if (id == COEFF_ID_MINUS_ONE) {
        fr_sub(sum, sum, x);
    } else {
        fr_mul(&t, &coeff[id], x);
        fr_add(sum, sum, &t);
    }
}

static void sum_terms(fr *out, const evaluation *e, const row_term *t, const row_term *end,
                      const scratch *s)
{
    const fr *coeff = e->k->coeff.value;
    fr sum = {{0}};
    if (end - t == 1 && t->coeff == COEFF_ID_ONE && (t->ref & TERM_FIELD)) {
        store(out, &s->field[t->ref & ~TERM_FIELD]);
        return;
    }
    for (; t < end; t++) {
        if (t->ref & TERM_FIELD)
            add_product(&sum, coeff, t->coeff, &s->field[t->ref & ~TERM_FIELD]);
        else if (s->bit[t->ref])
            fr_add(&sum, &sum, &coeff[t->coeff]);
    }
    store(out, &sum);
}

static void run_terms(const evaluation *e, const program *p, const terms_row *row, size_t n,
                      const scratch *s, fr *a, fr *b)
{
    for (size_t i = 0; i < n; i++, row++) {
        sum_terms(a + i, e, p->term + row->a_begin, p->term + row->b_begin, s);
        sum_terms(b + i, e, p->term + row->b_begin, p->term + row->end, s);
    }
}

static void run_instance(const evaluation *e, const piece *p, scratch *s)
{
    const template_rows *t = &e->k->tmpl[p->template_id];
    const program *g = &t->program;
    fr *a = e->a + p->base_row, *b = e->b + p->base_row;
    load_instance(e, p, t, s);
    for (size_t i = 0; i < g->n_runs; i++) {
        const program_run *r = &g->run[i];
        if (r->kind == RUN_SMALL)
            run_small(e, g->small + r->first, r->n_rows, s->bit, a, b);
        else
            run_terms(e, g, g->terms + r->first, r->n_rows, s, a, b);
        a += r->n_rows;
        b += r->n_rows;
    }
}

static void sum_generic(fr *out, const evaluation *e, size_t row, unsigned side)
{
    const compiled_circuit *k = e->k;
    size_t n;
    const row_term *t = row_side(&k->generic, row, side, &n);
    fr sum = {{0}};
    for (size_t i = 0; i < n; i++) {
        cs_var v = t[i].ref;
        if (cs_var_is_input(v))
            add_product(&sum, k->coeff.value, t[i].coeff, &e->w->input[cs_var_index(v)]);
        else if (bit_get(k->is_field, v))
            add_product(&sum, k->coeff.value, t[i].coeff, &e->w->field[field_rank(k, v)]);
        else if (bit_get(e->w->bits, v))
            fr_add(&sum, &sum, &k->coeff.value[t[i].coeff]);
    }
    store(out, &sum);
}

static void run_generic(const evaluation *e, const piece *p)
{
    for (size_t i = 0; i < p->n_rows; i++) {
        sum_generic(e->a + p->base_row + i, e, p->at + i, 0);
        sum_generic(e->b + p->base_row + i, e, p->at + i, 1);
    }
}

static void run_pieces(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const evaluation *e = (const evaluation *)ctx;
    for (size_t i = begin; i < end; i++) {
        const piece *p = &e->k->piece[i];
        if (p->template_id == PIECE_GENERIC)
            run_generic(e, p);
        else
            run_instance(e, p, &e->worker[worker]);
    }
#ifdef __SSE2__
    _mm_sfence();
#endif
}

static void input_rows(const evaluation *e)
{
    const fr zero = {{0}};
    for (size_t i = 0; i < e->k->n_inputs; i++) {
        e->a[e->k->n_rows + i] = e->w->input[i];
        e->b[e->k->n_rows + i] = zero;
    }
}

cuzk_status cuzk_compiled_evaluate(fr a[], fr b[], const compiled_circuit *k,
                                   const compiled_witness *w, cuzk_pool *pool, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    unsigned n_workers = cuzk_pool_size(pool);
    evaluation e = {.k = k, .w = w, .a = a, .b = b};
    e.worker = (scratch *)cuzk_calloc(n_workers, sizeof *e.worker);
    if (!e.worker)
        return cuzk_fail(err, CUZK_NOMEM, 0, "evaluate: no memory");
    for (unsigned i = 0; i < n_workers; i++) {
        e.worker[i].bit = (uint8_t *)cuzk_malloc(k->max_slots + 64);
        e.worker[i].field = CUZK_NEW_ARRAY(fr, k->max_fields + 1);
        if (!e.worker[i].bit || !e.worker[i].field) {
            st = cuzk_fail(err, CUZK_NOMEM, 0, "evaluate: no memory for an instance");
            goto out;
        }
    }
    fill_tables(&e);
    if (!cuzk_pool_try_for(pool, k->n_pieces, 1, run_pieces, &e)) {
        st = cuzk_fail(err, CUZK_CANCELLED, 0, "cancelled while rows were evaluated");
        goto out;
    }
    input_rows(&e);
out:
    for (unsigned i = 0; i < n_workers; i++) {
        cuzk_free(e.worker[i].field);
        cuzk_free(e.worker[i].bit);
    }
    cuzk_free(e.worker);
    return st;
}

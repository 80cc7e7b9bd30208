/* Filling a witness: the circuit's own functions run over a sink that writes bits and field
 * elements where they belong; SHA-256 compressions are taken over as a whole. */
#include "base/mem.h"
#include "compiled/compiled_internal.h"

cuzk_status cuzk_compiled_witness_new(compiled_witness *out, const compiled_circuit *k,
                                      cuzk_err *err)
{
    compiled_witness w = {k->n_inputs, k->n_aux, k->n_fields, NULL, NULL, NULL};
    w.input = CUZK_NEW_ARRAY(fr, (size_t)k->n_inputs + 1);
    w.bits = (uint64_t *)cuzk_calloc((size_t)k->n_aux / 64 + 2, sizeof *w.bits);
    w.field = CUZK_NEW_ARRAY(fr, (size_t)k->n_fields + 1);
    if (!w.input || !w.bits || !w.field) {
        cuzk_compiled_witness_fini(&w);
        return cuzk_fail(err, CUZK_NOMEM, 0, "witness: no memory for %u bits and %u field elements",
                         k->n_aux, k->n_fields);
    }
    *out = w;
    return CUZK_OK;
}

void cuzk_compiled_witness_fini(compiled_witness *w)
{
    cuzk_free(w->field);
    cuzk_free(w->bits);
    cuzk_free(w->input);
    *w = (compiled_witness){0};
}

void cuzk_compiled_aux(fr *out, const compiled_circuit *k, const compiled_witness *w, uint32_t aux)
{
    if (bit_get(k->is_field, aux))
        *out = w->field[field_rank(k, aux)];
    else
        *out = cuzk_fr_bit[bit_get(w->bits, aux)];
}

/* One run over the whole circuit or over one child. */
typedef struct {
    compiled_witness *w;
    const compiled_circuit *k;
    cuzk_pool *pool;
    bit_writer bits;
    fr *field, *field_end;
    uint32_t aux, input; /* next ones */
} filler;

static cuzk_status other_structure(cuzk_err *err)
{
    return cuzk_fail(err, CUZK_INTERNAL, 0,
                     "witness: the circuit has another structure than the compiled one");
}

static cuzk_status fill_aux(void *self, const fr *value, cuzk_err *err)
{
    filler *f = (filler *)self;
    if (CUZK_UNLIKELY(f->field == f->field_end || f->aux >= f->k->n_aux))
        return other_structure(err);
    *f->field++ = *value;
    f->aux++;
    put_bits(&f->bits, 0, 1);
    return CUZK_OK;
}

static cuzk_status fill_input(void *self, const fr *value, cuzk_err *err)
{
    filler *f = (filler *)self;
    if (f->input >= f->k->n_inputs)
        return other_structure(err);
    f->w->input[f->input++] = *value;
    return CUZK_OK;
}

static cuzk_status fill_row(void *self, cs_lc *a, cs_lc *b, cs_lc *c, cuzk_err *err)
{
    (void)self, (void)a, (void)b, (void)c, (void)err;
    return CUZK_OK;
}

static cuzk_status fill_bits(void *self, const uint64_t word[], unsigned n, cuzk_err *err)
{
    filler *f = (filler *)self;
    if (CUZK_UNLIKELY(n > f->k->n_aux - f->aux))
        return other_structure(err);
    f->aux += n;
    for (; n > 64; n -= 64)
        put_bits(&f->bits, *word++, 64);
    if (n)
        put_bits(&f->bits, *word & UINT64_MAX >> (64 - n), n);
    return CUZK_OK;
}

static const sha_shape *find_shape(const compiled_circuit *k, const sha_key *key)
{
    for (size_t i = 0; i < k->n_shapes; i++) {
        if (cuzk_sha_key_equal(&k->shape[i].key, key))
            return &k->shape[i];
    }
    return NULL;
}

/* One compression at once; false: its form is not known, let the gadget run. */
static bool fill_scope(cs *c, const cs_scope *s)
{
    filler *f = (filler *)c->self;
    sha_key key;
    uint32_t value[24];
    if (s->kind != SCOPE_SHA256)
        return false;
    cuzk_sha_operands(&key, value, s->in[0].bit, s->in[1].bit, s->in[2].bit);
    const sha_shape *shape = find_shape(f->k, &key);
    if (!shape)
        return false;
    if (shape->n_aux > f->k->n_aux - f->aux) {
        cs_fail(c, CUZK_INTERNAL, "witness: the circuit has more variables than the compiled one");
        return true;
    }
    cuzk_sha_fill(&f->bits, shape, value);
    boolean *out = s->out[0].bit;
    for (unsigned i = 0; i < 256; i++)
        out[i] = (boolean){c->n_aux + shape->out_at[i / 32] + i % 32, BOOL_IS,
                           value[16 + i / 32] >> (i % 32) & 1};
    f->aux += shape->n_aux;
    c->n_aux += shape->n_aux;
    return true;
}

/* ---- children ---- */

typedef struct {
    const cs *parent;
    cs_child_fn fn;
    void *ctx;
    atomic_size_t failed; /* lowest child that failed, SIZE_MAX: none */
    cs *child;            /* of each child: what it ended with */
} child_runs;

static const cs_sink_ops fill_ops = {fill_aux, fill_input, fill_row};
static void fill_children(cs *c, size_t n, cs_child_fn fn, void *ctx);
static const cs_hooks fill_hooks = {true, fill_bits, fill_scope, NULL, fill_children};

static void place_filler(filler *f, uint32_t aux, uint32_t input)
{
    f->aux = aux;
    f->input = input;
    bit_writer_init(&f->bits, f->w->bits, aux);
    f->field = f->w->field + field_rank(f->k, aux);
}

/* A child runs between two recorded places, and must end at the second. */
static void run_child(void *ctx, size_t i, unsigned worker)
{
    child_runs *runs = (child_runs *)ctx;
    const filler *parent = (const filler *)runs->parent->self;
    const compiled_circuit *k = parent->k;
    const child_start *at = &k->child[i], *end = at + 1;
    cs *c = &runs->child[i];
    filler f = *parent;
    (void)worker;
    *c = (cs){.ops = &fill_ops, .hooks = &fill_hooks, .self = &f};
    c->n_aux = at->n_aux;
    c->n_inputs = at->n_inputs;
    place_filler(&f, at->n_aux, at->n_inputs);
    f.field_end = f.w->field + field_rank(k, end->n_aux);
    runs->fn(runs->ctx, c, i);
    bit_writer_end(&f.bits);
    if (c->st == CUZK_OK && (c->n_aux != end->n_aux || c->n_inputs != end->n_inputs ||
                             f.field != f.field_end))
        cs_fail(c, CUZK_INTERNAL, "witness: part %zu has another structure", i);
    c->self = NULL;
}

static void adopt(cs *c, filler *f, const child_runs *runs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (runs->child[i].st == CUZK_OK)
            continue;
        c->st = runs->child[i].st;
        c->err = runs->child[i].err;
        return;
    }
    const child_start *end = &f->k->child[n];
    bit_writer_end(&f->bits);
    place_filler(f, end->n_aux, end->n_inputs);
    c->n_aux = end->n_aux;
    c->n_inputs = end->n_inputs;
}

static void fill_children(cs *c, size_t n, cs_child_fn fn, void *ctx)
{
    filler *f = (filler *)c->self;
    const compiled_circuit *k = f->k;
    if (k->n_child != n + 1 || k->child[0].n_aux != c->n_aux) {
        for (size_t i = 0; i < n && c->st == CUZK_OK; i++) /* nested or later: one by one */
            fn(ctx, c, i);
        return;
    }
    child_runs runs = {.parent = c, .fn = fn, .ctx = ctx};
    runs.child = (cs *)cuzk_calloc(n, sizeof *runs.child);
    if (!runs.child) {
        cs_fail(c, CUZK_NOMEM, "witness: no memory for %zu parts", n);
        return;
    }
    if (cuzk_pool_try(f->pool, n, run_child, &runs))
        adopt(c, f, &runs, n);
    else
        cs_fail(c, CUZK_CANCELLED, "cancelled while the witness was made");
    cuzk_free(runs.child);
}

cuzk_status cuzk_compiled_fill(compiled_witness *w, const compiled_circuit *k,
                               const cs_circuit *circuit, cuzk_pool *pool, cuzk_err *err)
{
    cs c;
    filler f = {.w = w, .k = k, .pool = pool};
    memset(w->bits, 0, (k->n_aux / 64 + 2) * sizeof *w->bits);
    place_filler(&f, 0, 0);
    f.field_end = w->field + k->n_fields;
    cs_init(&c, &fill_ops, &f);
    c.hooks = &fill_hooks;
    circuit->synthesize(circuit->ctx, &c);
    bit_writer_end(&f.bits);
    if (c.st != CUZK_OK) {
        if (err)
            *err = c.err;
        return c.st;
    }
    if (c.n_aux != k->n_aux || c.n_inputs != k->n_inputs || f.field != f.field_end)
        return other_structure(err);
    return CUZK_OK;
}

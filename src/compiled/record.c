/* Compiling: the sink and the scopes of one run of the blank circuit. */
#include "base/mem.h"
#include "compiled/compiled_internal.h"

#define MAX_OPERANDS 1024
#define MAP_SLOTS    4096 /* power of two, more than twice MAX_OPERANDS */

/* Operands of the gadget call at hand: distinct variables in order of appearance. */
typedef struct {
    cs_var var[MAX_OPERANDS];
    uint32_t group[MAX_OPERANDS];
    uint32_t n, n_groups;
    cs_var base[MAX_OPERANDS];
    uint32_t slot[MAP_SLOTS]; /* operand + 1 */
    uint32_t touched[MAX_OPERANDS];
    uint32_t signature[2 + 3 * MAX_OPERANDS];
    size_t n_signature;
} operands;

typedef struct {
    compiled_circuit *k;
    unsigned depth;      /* scopes inside the one being recorded, itself included; 0: none */
    template_rows *open; /* being recorded */
    uint32_t base_aux;
    uint64_t base_row;
    operands op;
} recorder;

/* ---- row store ---- */

bool cuzk_row_store_add(row_store *r, coeff_table *coeff, const cs_lc *side[3])
{
    size_t n = side[0]->n + side[1]->n + side[2]->n;
    if (r->n_terms + n > UINT32_MAX ||
        !cuzk_grow((void **)&r->end, &r->cap_end, 3 * r->n_rows, 3, sizeof *r->end) ||
        !cuzk_grow((void **)&r->term, &r->cap_terms, r->n_terms, n, sizeof *r->term))
        return false;
    for (unsigned s = 0; s < 3; s++) {
        for (size_t i = 0; i < side[s]->n; i++) {
            row_term *t = &r->term[r->n_terms++];
            t->ref = side[s]->term[i].var;
            if (!cuzk_coeff_id(coeff, &t->coeff, &side[s]->term[i].coeff))
                return false;
        }
        r->end[3 * r->n_rows + s] = (uint32_t)r->n_terms;
    }
    r->n_rows++;
    return true;
}

void cuzk_row_store_fini(row_store *r)
{
    cuzk_free(r->term);
    cuzk_free(r->end);
}

/* ---- bitmaps over all variables ---- */

static bool grow_map(uint64_t **map, size_t old_bits, size_t bits)
{
    uint64_t *p = (uint64_t *)cuzk_realloc(*map, bits / 8);
    if (!p)
        return false;
    memset(p + old_bits / 64, 0, (bits - old_bits) / 8);
    *map = p;
    return true;
}

static bool reserve_aux(compiled_circuit *k, size_t n)
{
    if (n + 64 <= k->map_bits)
        return true;
    size_t bits = (n + 64 + n / 2 + 65535) & ~(size_t)65535;
    if (!grow_map(&k->is_field, k->map_bits, bits) || !grow_map(&k->a_aux, k->map_bits, bits) ||
        !grow_map(&k->b_aux, k->map_bits, bits))
        return false;
    k->map_bits = bits;
    return true;
}

static bool reserve_input(compiled_circuit *k, size_t n)
{
    if (n < k->input_bits)
        return true;
    size_t bits = (2 * n + 1024) & ~(size_t)63;
    if (!grow_map(&k->b_input, k->input_bits, bits))
        return false;
    k->input_bits = bits;
    return true;
}

static void or_shifted(uint64_t dst[], size_t at, const uint64_t src[], size_t n)
{
    unsigned s = at % 64;
    dst += at / 64;
    for (size_t i = 0; i < (n + 63) / 64; i++) {
        dst[i] |= src[i] << s;
        if (s)
            dst[i + 1] |= src[i] >> (64 - s);
    }
}

static void mark_a(compiled_circuit *k, cs_var v)
{
    if (!cs_var_is_input(v))
        bit_set(k->a_aux, v);
}

static void mark_b(compiled_circuit *k, cs_var v)
{
    bit_set(cs_var_is_input(v) ? k->b_input : k->b_aux, cs_var_index(v));
}

/* ---- operands ---- */

static uint32_t map_index(const operands *o, cs_var v)
{
    uint32_t i = (v * 2654435761u) >> 20;
    while (o->slot[i & (MAP_SLOTS - 1)] && o->var[o->slot[i & (MAP_SLOTS - 1)] - 1] != v)
        i++;
    return i & (MAP_SLOTS - 1);
}

/* Operand number of v, MAX_OPERANDS when it is none. */
static uint32_t find_operand(const operands *o, cs_var v)
{
    uint32_t i = o->slot[map_index(o, v)];
    return i ? i - 1 : MAX_OPERANDS;
}

static void clear_operands(operands *o)
{
    for (uint32_t i = 0; i < o->n; i++)
        o->slot[o->touched[i]] = 0;
    o->n = o->n_groups = 0;
    o->n_signature = 0;
}

static bool is_field_var(const compiled_circuit *k, cs_var v)
{
    return cs_var_is_input(v) || bit_get(k->is_field, v);
}

#define SIGN(o, x) ((o)->signature[(o)->n_signature++] = (uint32_t)(x))

/* Adds a variable of the current group (its first one opens the group) and signs how it relates to
 * those before. */
static bool add_operand(recorder *r, cs_var v, bool *group_open, uint32_t kind)
{
    operands *o = &r->op;
    uint32_t at = map_index(o, v);
    SIGN(o, kind | (uint32_t)is_field_var(r->k, v) << 4 | (uint32_t)cs_var_is_input(v) << 5);
    if (o->slot[at]) {
        SIGN(o, 0x80000000u | (o->slot[at] - 1));
        return true;
    }
    if (o->n == MAX_OPERANDS)
        return false;
    if (!*group_open) {
        o->base[o->n_groups++] = v;
        *group_open = true;
    }
    SIGN(o, (v - o->base[o->n_groups - 1]) & 0x7fffffffu);
    o->group[o->n] = o->n_groups - 1;
    o->var[o->n] = v;
    o->touched[o->n] = at;
    o->slot[at] = ++o->n;
    return true;
}

static bool add_bits(recorder *r, const boolean bit[], unsigned n)
{
    bool open = false;
    for (unsigned i = 0; i < n; i++) {
        if (bit[i].kind == BOOL_CONST)
            SIGN(&r->op, bit[i].value);
        else if (!add_operand(r, bit[i].var, &open, 2u + bit[i].kind))
            return false;
    }
    return true;
}

static bool add_numbers(recorder *r, const num x[], unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        bool open = false;
        if (!add_operand(r, x[i].var, &open, 6))
            return false;
    }
    return true;
}

/* False when the call has more operands than a template may. */
static bool read_operands(recorder *r, const cs_scope *s)
{
    size_t total = 0;
    clear_operands(&r->op);
    for (unsigned i = 0; i < SCOPE_MAX_IN; i++)
        total += s->in[i].n;
    if (total > MAX_OPERANDS)
        return false;
    SIGN(&r->op, s->kind);
    SIGN(&r->op, s->parameter);
    for (unsigned i = 0; i < SCOPE_MAX_IN; i++) {
        const scope_in *in = &s->in[i];
        if (!(in->bit ? add_bits(r, in->bit, in->n) : add_numbers(r, in->number, in->n)))
            return false;
    }
    return true;
}

static uint64_t signature_hash(const operands *o)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < o->n_signature; i++)
        h = (h ^ o->signature[i]) * 0x100000001b3u;
    return h;
}

static template_rows *find_template(const recorder *r, uint64_t hash)
{
    const operands *o = &r->op;
    for (size_t i = 0; i < r->k->n_tmpl; i++) {
        template_rows *t = &r->k->tmpl[i];
        if (t->hash == hash && t->n_signature == o->n_signature &&
            memcmp(t->signature, o->signature, o->n_signature * sizeof *o->signature) == 0)
            return t;
    }
    return NULL;
}

/* ---- pieces ---- */

static bool add_piece(compiled_circuit *k, const piece *p)
{
    if (!cuzk_grow((void **)&k->piece, &k->cap_pieces, k->n_pieces, 1, sizeof *k->piece))
        return false;
    k->piece[k->n_pieces++] = *p;
    return true;
}

static bool add_generic(recorder *r, uint64_t row, const cs_lc *side[3])
{
    compiled_circuit *k = r->k;
    piece *last = k->n_pieces ? &k->piece[k->n_pieces - 1] : NULL;
    if (last && last->template_id == PIECE_GENERIC) {
        last->n_rows++;
    } else {
        const piece p = {PIECE_GENERIC, (uint32_t)row, 1, 0, 0, (uint32_t)k->generic.n_rows};
        if (!add_piece(k, &p))
            return false;
    }
    for (size_t i = 0; i < side[0]->n; i++)
        mark_a(k, side[0]->term[i].var);
    for (size_t i = 0; i < side[1]->n; i++)
        mark_b(k, side[1]->term[i].var);
    return cuzk_row_store_add(&k->generic, &k->coeff, side);
}

/* One more instance of t at the given place, with the operands read last. */
static bool add_instance(recorder *r, template_rows *t, uint32_t base_aux, uint64_t base_row)
{
    compiled_circuit *k = r->k;
    const operands *o = &r->op;
    piece p = {(uint32_t)(t - k->tmpl), (uint32_t)base_row, (uint32_t)t->rows.n_rows, base_aux, 0,
               (uint32_t)k->n_base};
    if (!reserve_aux(k, (size_t)base_aux + t->n_aux) ||
        !cuzk_grow((void **)&k->base, &k->cap_base, k->n_base, o->n_groups, sizeof *k->base) ||
        !add_piece(k, &p))
        return false;
    for (uint32_t i = 0; i < o->n_groups; i++) /* none for constants alone: base may be NULL */
        k->base[k->n_base++] = o->base[i];
    or_shifted(k->is_field, base_aux, t->is_field, t->n_aux);
    or_shifted(k->a_aux, base_aux, t->a_aux, t->n_aux);
    or_shifted(k->b_aux, base_aux, t->b_aux, t->n_aux);
    for (uint32_t i = 0; i < o->n; i++) {
        if (t->operand_in_a[i])
            mark_a(k, o->var[i]);
        if (t->operand_in_b[i])
            mark_b(k, o->var[i]);
    }
    if (t->one_in_b)
        mark_b(k, CS_ONE);
    t->n_instances++;
    return true;
}

static cs_var out_var(const recorder *r, const out_ref *ref, uint32_t base_aux)
{
    return ref->is_local ? base_aux + ref->ref : r->op.var[ref->ref];
}

static void set_outputs(const recorder *r, const template_rows *t, const cs_scope *s,
                        uint32_t base_aux)
{
    const out_ref *ref = t->out;
    for (unsigned i = 0; i < SCOPE_MAX_OUT; i++) {
        const scope_out *out = &s->out[i];
        for (unsigned j = 0; j < out->n; j++, ref++) {
            if (out->bit)
                out->bit[j] = (boolean){ref->kind ? out_var(r, ref, base_aux) : 0, ref->kind,
                                        ref->value};
            else
                out->number[j] = (num){{{0}}, out_var(r, ref, base_aux)};
        }
    }
}

/* ---- recording a template ---- */

static bool new_template(recorder *r, const cs_scope *s, uint64_t hash)
{
    compiled_circuit *k = r->k;
    const operands *o = &r->op;
    if (!cuzk_grow((void **)&k->tmpl, &k->cap_tmpl, k->n_tmpl, 1, sizeof *k->tmpl))
        return false;
    template_rows *t = &k->tmpl[k->n_tmpl++];
    *t = (template_rows){.kind = s->kind,
                         .parameter = s->parameter,
                         .hash = hash,
                         .n_operands = o->n,
                         .n_groups = o->n_groups,
                         .n_signature = o->n_signature};
    t->signature = CUZK_NEW_ARRAY(uint32_t, o->n_signature);
    t->group = CUZK_NEW_ARRAY(uint32_t, o->n + 1);
    t->offset = CUZK_NEW_ARRAY(int32_t, o->n + 1);
    t->operand_is_field = (uint8_t *)cuzk_calloc(o->n + 1, 1);
    t->operand_in_a = (uint8_t *)cuzk_calloc(o->n + 1, 1);
    t->operand_in_b = (uint8_t *)cuzk_calloc(o->n + 1, 1);
    if (!t->signature || !t->group || !t->offset || !t->operand_is_field || !t->operand_in_a ||
        !t->operand_in_b)
        return false;
    memcpy(t->signature, o->signature, o->n_signature * sizeof *o->signature);
    memcpy(t->group, o->group, o->n * sizeof *o->group);
    for (uint32_t i = 0; i < o->n; i++) {
        t->offset[i] = (int32_t)(o->var[i] - o->base[o->group[i]]);
        t->operand_is_field[i] = is_field_var(k, o->var[i]);
        t->n_operand_fields += t->operand_is_field[i];
    }
    r->open = t;
    return true;
}

/* Slot of a variable in the template being recorded; UINT32_MAX: not an operand. */
static uint32_t slot_of(const recorder *r, cs_var v)
{
    if (v == CS_ONE)
        return 0;
    if (!cs_var_is_input(v) && v >= r->base_aux)
        return 1 + r->op.n + (v - r->base_aux);
    uint32_t i = find_operand(&r->op, v);
    return i == MAX_OPERANDS ? UINT32_MAX : 1 + i;
}

static bool rename_terms(const recorder *r, cs_lc *lc)
{
    for (size_t i = 0; i < lc->n; i++) {
        uint32_t slot = slot_of(r, lc->term[i].var);
        if (slot == UINT32_MAX)
            return false;
        lc->term[i].var = slot;
    }
    return true;
}

static bool take_outputs(recorder *r, template_rows *t, const cs_scope *s)
{
    for (unsigned i = 0; i < SCOPE_MAX_OUT; i++)
        t->n_out += s->out[i].n;
    out_ref *ref = t->out = CUZK_NEW_ARRAY(out_ref, t->n_out + 1);
    if (!ref)
        return false;
    for (unsigned i = 0; i < SCOPE_MAX_OUT; i++) {
        const scope_out *out = &s->out[i];
        for (unsigned j = 0; j < out->n; j++, ref++) {
            cs_var v = out->bit ? out->bit[j].var : out->number[j].var;
            *ref = (out_ref){.kind = BOOL_IS};
            if (out->bit)
                *ref = (out_ref){.kind = out->bit[j].kind, .value = out->bit[j].value};
            if (ref->kind == BOOL_CONST)
                continue;
            uint32_t slot = slot_of(r, v);
            if (slot == UINT32_MAX || slot == 0)
                return false;
            ref->is_local = slot > t->n_operands;
            ref->ref = slot - 1 - (ref->is_local ? t->n_operands : 0);
            if (out->bit)
                ref->value = ref->kind == BOOL_NOT;
        }
    }
    return true;
}

static void mark_slot(template_rows *t, uint32_t slot, uint64_t local[], uint8_t operand[])
{
    if (slot > t->n_operands)
        bit_set(local, slot - 1 - t->n_operands);
    else if (slot)
        operand[slot - 1] = 1;
}

/* Kinds and densities of the variables. */
static bool describe_variables(recorder *r, template_rows *t)
{
    size_t words = t->n_aux / 64 + 1;
    t->is_field = (uint64_t *)cuzk_calloc(words, 8);
    t->a_aux = (uint64_t *)cuzk_calloc(words, 8);
    t->b_aux = (uint64_t *)cuzk_calloc(words, 8);
    if (!t->is_field || !t->a_aux || !t->b_aux)
        return false;
    for (uint32_t i = 0; i < t->n_aux; i++) {
        if (bit_get(r->k->is_field, r->base_aux + i)) {
            bit_set(t->is_field, i);
            t->n_fields++;
        }
    }
    for (size_t row = 0; row < t->rows.n_rows; row++) {
        for (unsigned side = 0; side < 2; side++) {
            size_t n;
            const row_term *term = row_side(&t->rows, row, side, &n);
            for (size_t i = 0; i < n; i++)
                mark_slot(t, term[i].ref, side ? t->b_aux : t->a_aux,
                          side ? t->operand_in_b : t->operand_in_a);
            t->one_in_b |= side && n && term[0].ref == 0; /* sorted: ONE is first */
        }
    }
    return true;
}

static bool add_sha_shape(compiled_circuit *k, const cs_scope *s)
{
    sha_key key;
    uint32_t value[24];
    cuzk_sha_operands(&key, value, s->in[0].bit, s->in[1].bit, s->in[2].bit);
    for (size_t i = 0; i < k->n_shapes; i++) {
        if (cuzk_sha_key_equal(&k->shape[i].key, &key))
            return true;
    }
    if (!cuzk_grow((void **)&k->shape, &k->cap_shapes, k->n_shapes, 1, sizeof *k->shape))
        return false;
    if (cuzk_sha_shape_make(&k->shape[k->n_shapes], s->in[0].bit, s->in[1].bit, s->in[2].bit))
        k->n_shapes++; /* else the filler lets the gadget run, bit by bit */
    return true;
}

/* ---- hooks ---- */

typedef struct {
    recorder r; /* first: self of the hooks */
    cs c;
} compile_run;

static bool scope_begin(cs *c, const cs_scope *s)
{
    recorder *r = (recorder *)c->self;
    if (s->kind == SCOPE_SHA256 && !add_sha_shape(r->k, s)) {
        cs_fail(c, CUZK_NOMEM, "compile: no memory for a form of SHA-256");
        return true;
    }
    if (r->depth) {
        r->depth++;
        return false;
    }
    if (!read_operands(r, s)) {
        cs_fail(c, CUZK_INTERNAL, "compile: a gadget call with more than %d operands",
                MAX_OPERANDS);
        return true;
    }
    uint64_t hash = signature_hash(&r->op);
    template_rows *t = find_template(r, hash);
    if (t) {
        uint32_t base_aux = c->n_aux;
        if (!add_instance(r, t, base_aux, c->n_rows))
            cs_fail(c, CUZK_NOMEM, "compile: no memory for instances");
        set_outputs(r, t, s, base_aux);
        c->n_aux += t->n_aux;
        c->n_rows += t->rows.n_rows;
        return true;
    }
    r->depth = 1;
    r->base_aux = c->n_aux;
    r->base_row = c->n_rows;
    if (new_template(r, s, hash))
        return false;
    cs_fail(c, CUZK_NOMEM, "compile: no memory for templates");
    return true;
}

static void scope_end(cs *c, const cs_scope *s)
{
    recorder *r = (recorder *)c->self;
    template_rows *t = r->open;
    if (c->st != CUZK_OK || r->depth == 0 || --r->depth)
        return;
    r->open = NULL;
    t->n_aux = c->n_aux - r->base_aux;
    if (!take_outputs(r, t, s) || !describe_variables(r, t) ||
        !cuzk_template_program(t, &r->k->coeff) ||
        !add_instance(r, t, r->base_aux, r->base_row))
        cs_fail(c, CUZK_NOMEM, "compile: no memory for a template");
}

static bool add_child(compiled_circuit *k, const cs *c)
{
    if (!cuzk_grow((void **)&k->child, &k->cap_child, k->n_child, 1, sizeof *k->child))
        return false;
    k->child[k->n_child++] = (child_start){c->n_aux, c->n_inputs};
    return true;
}

static void record_children(cs *c, size_t n, cs_child_fn fn, void *ctx)
{
    recorder *r = (recorder *)c->self;
    bool first = r->k->n_child == 0 && r->depth == 0;
    for (size_t i = 0; i < n && c->st == CUZK_OK; i++) {
        if (first && !add_child(r->k, c))
            cs_fail(c, CUZK_NOMEM, "compile: no memory for %zu parts", n);
        fn(ctx, c, i);
    }
    if (first && c->st == CUZK_OK && !add_child(r->k, c))
        cs_fail(c, CUZK_NOMEM, "compile: no memory for %zu parts", n);
}

static cuzk_status record_bits(void *self, const uint64_t word[], unsigned n, cuzk_err *err)
{
    const compile_run *run = (const compile_run *)self;
    (void)word;
    if (!reserve_aux(run->r.k, (size_t)run->c.n_aux + n))
        return cuzk_fail(err, CUZK_NOMEM, 0, "compile: no memory for %u variables", run->c.n_aux);
    return CUZK_OK;
}

/* ---- sink ---- */

static cuzk_status record_aux(void *self, const fr *value, cuzk_err *err)
{
    compile_run *run = (compile_run *)self;
    (void)value;
    if (!reserve_aux(run->r.k, (size_t)run->c.n_aux + 1))
        return cuzk_fail(err, CUZK_NOMEM, 0, "compile: no memory for %u variables", run->c.n_aux);
    bit_set(run->r.k->is_field, run->c.n_aux);
    return CUZK_OK;
}

static cuzk_status record_input(void *self, const fr *value, cuzk_err *err)
{
    compile_run *run = (compile_run *)self;
    (void)value;
    if (run->r.open)
        return cuzk_fail(err, CUZK_INTERNAL, 0, "compile: an input inside a gadget call");
    if (!reserve_input(run->r.k, (size_t)run->c.n_inputs + 1))
        return cuzk_fail(err, CUZK_NOMEM, 0, "compile: no memory for inputs");
    return CUZK_OK;
}

static cuzk_status record_row(void *self, cs_lc *a, cs_lc *b, cs_lc *c, cuzk_err *err)
{
    compile_run *run = (compile_run *)self;
    recorder *r = &run->r;
    const cs_lc *side[3] = {a, b, c};
    bool ok;
    cs_lc_normalize(a);
    cs_lc_normalize(b);
    cs_lc_normalize(c);
    if (r->open) {
        if (!rename_terms(r, a) || !rename_terms(r, b) || !rename_terms(r, c))
            return cuzk_fail(err, CUZK_INTERNAL, 0,
                             "compile: a gadget uses a variable that is not an operand");
        ok = cuzk_row_store_add(&r->open->rows, &r->k->coeff, side);
    } else {
        ok = add_generic(r, run->c.n_rows, side);
    }
    return ok ? CUZK_OK : cuzk_fail(err, CUZK_NOMEM, 0, "compile: no memory for rows");
}

/* ---- end ---- */

static uint64_t count_bits(const uint64_t map[], size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < (n + 63) / 64; i++)
        sum += cuzk_popcount64(map[i]);
    return sum;
}

static bool make_rank(compiled_circuit *k)
{
    size_t n = k->n_aux / 512 + 2;
    uint32_t sum = 0;
    k->rank = CUZK_NEW_ARRAY(uint32_t, n);
    if (!k->rank || !reserve_aux(k, n * 512))
        return false;
    for (size_t i = 0; i < n; i++) {
        k->rank[i] = sum;
        for (size_t w = 8 * i; w < 8 * i + 8; w++)
            sum += cuzk_popcount64(k->is_field[w]);
    }
    k->n_fields = sum;
    return true;
}

static void measure_templates(compiled_circuit *k)
{
    for (size_t i = 0; i < k->n_tmpl; i++) {
        size_t slots = 1 + (size_t)k->tmpl[i].n_operands + k->tmpl[i].n_aux;
        size_t fields = (size_t)k->tmpl[i].n_operand_fields + k->tmpl[i].n_fields;
        k->max_slots = slots > k->max_slots ? slots : k->max_slots;
        k->max_fields = fields > k->max_fields ? fields : k->max_fields;
    }
}

static void shrink_map(uint64_t **map, size_t bits)
{
    uint64_t *p = (uint64_t *)cuzk_realloc(*map, bits / 8);
    if (p) /* else it stays larger */
        *map = p;
}

/* Growing left up to half as much again. */
static void shrink_maps(compiled_circuit *k)
{
    size_t bits = ((size_t)k->n_aux / 512 + 2) * 512;
    shrink_map(&k->is_field, bits);
    shrink_map(&k->a_aux, bits);
    shrink_map(&k->b_aux, bits);
    k->map_bits = bits;
}

static cuzk_status finish(compiled_circuit *k, const cs *c, cuzk_err *err)
{
    if (c->n_rows > UINT32_MAX)
        return cuzk_fail(err, CUZK_INTERNAL, 0, "compile: more than 2^32 rows");
    k->n_aux = c->n_aux;
    k->n_inputs = c->n_inputs;
    k->n_rows = c->n_rows;
    if (!reserve_aux(k, k->n_aux) || !make_rank(k))
        return cuzk_fail(err, CUZK_NOMEM, 0, "compile: no memory for %u variables", k->n_aux);
    for (size_t i = 0; i < k->n_pieces; i++)
        k->piece[i].base_field = field_rank(k, k->piece[i].base_aux);
    k->n_a_aux = count_bits(k->a_aux, k->n_aux);
    k->n_b_aux = count_bits(k->b_aux, k->n_aux);
    k->n_b_input = count_bits(k->b_input, k->n_inputs);
    measure_templates(k);
    shrink_maps(k);
    return CUZK_OK;
}

cuzk_status cuzk_compile(compiled_circuit **out, const cs_circuit *blank, cuzk_err *err)
{
    static const cs_sink_ops ops = {record_aux, record_input, record_row};
    static const cs_hooks hooks = {false, record_bits, scope_begin, scope_end, record_children};
    cuzk_status st = CUZK_OK;
    compiled_circuit *k = (compiled_circuit *)cuzk_calloc(1, sizeof *k);
    compile_run *run = (compile_run *)cuzk_calloc(1, sizeof *run);
    if (!k || !run || !cuzk_coeff_table_init(&k->coeff) || !reserve_input(k, 1)) {
        st = cuzk_fail(err, CUZK_NOMEM, 0, "compile: no memory");
        goto out;
    }
    run->r.k = k;
    cs_init(&run->c, &ops, run);
    run->c.hooks = &hooks;
    blank->synthesize(blank->ctx, &run->c);
    st = run->c.st;
    if (st != CUZK_OK) {
        if (err)
            *err = run->c.err;
        goto out;
    }
    CUZK_TRY(finish(k, &run->c, err));
    *out = k;
    k = NULL;
out:
    cuzk_free(run);
    cuzk_compiled_free(k);
    return st;
}

#include "circuit/cs.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"
#include "circuit/coeff.h"

void cs_lc_free_block(cs_lc *lc)
{
    cuzk_free(lc->term);
    cs_lc_init(lc);
}

void cs_lc_clear(cs_lc *lc)
{
    if (lc->cap == SIZE_MAX) { /* a failed list starts anew */
        cs_lc_fini(lc);
        cs_lc_init(lc);
    }
    lc->n = 0;
}

static bool lc_grow(cs_lc *lc)
{
    size_t cap = lc->cap ? lc->cap * 4 : CS_LC_INLINE, bytes;
    if (!cuzk_size_mul(&bytes, cap, sizeof(cs_term)))
        return false;
    bool is_inline = lc->term == lc->inline_term;
    cs_term *t = (cs_term *)cuzk_realloc(is_inline ? NULL : lc->term, bytes);
    if (!t)
        return false;
    if (is_inline)
        memcpy(t, lc->inline_term, lc->n * sizeof *t);
    lc->term = t;
    lc->cap = cap;
    return true;
}

void cs_lc_add_slow(cs_lc *lc, cs_var v, const fr *coeff)
{
    if (lc->cap == SIZE_MAX)
        return;
    if (!lc_grow(lc)) {
        lc->n = lc->cap = SIZE_MAX;
        return;
    }
    cs_lc_add(lc, v, coeff);
}

/* Inputs before aux, each ascending. */
static uint32_t sort_key(cs_var v)
{
    return v ^ CS_INPUT_FLAG;
}

static bool lc_is_normal(const cs_lc *lc)
{
    for (size_t i = 0; i < lc->n; i++) {
        if (fr_is_zero(&lc->term[i].coeff))
            return false;
        if (i && sort_key(lc->term[i - 1].var) >= sort_key(lc->term[i].var))
            return false;
    }
    return true;
}

static void insertion_sort(cs_term *t, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        cs_term x = t[i];
        size_t j = i;
        for (; j && sort_key(t[j - 1].var) > sort_key(x.var); j--)
            t[j] = t[j - 1];
        t[j] = x;
    }
}

/* Sorts n words by their upper half, least significant byte first; the result is in word. */
static void radix_sort(uint64_t *word, uint64_t *scratch, size_t n)
{
    for (unsigned shift = 32; shift < 64; shift += 8) {
        uint32_t start[256] = {0}, sum = 0;
        for (size_t i = 0; i < n; i++)
            start[word[i] >> shift & 255]++;
        if (start[word[0] >> shift & 255] == n)
            continue; /* all alike in this byte */
        for (unsigned d = 0; d < 256; d++) {
            uint32_t count = start[d];
            start[d] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            scratch[start[word[i] >> shift & 255]++] = word[i];
        memcpy(word, scratch, n * sizeof *word);
    }
}

/* Long lists are sorted by (key, position) words: a term has 40 bytes. False: out of memory. */
static bool long_sort(cs_lc *lc)
{
    bool ok = false;
    uint64_t *word = CUZK_NEW_ARRAY(uint64_t, 2 * lc->n);
    cs_term *sorted = CUZK_NEW_ARRAY(cs_term, lc->n);
    if (!word || !sorted)
        goto out;
    for (size_t i = 0; i < lc->n; i++)
        word[i] = (uint64_t)sort_key(lc->term[i].var) << 32 | i;
    radix_sort(word, word + lc->n, lc->n);
    for (size_t i = 0; i < lc->n; i++)
        sorted[i] = lc->term[(uint32_t)word[i]];
    memcpy(lc->term, sorted, lc->n * sizeof *sorted);
    ok = true;
out:
    cuzk_free(sorted);
    cuzk_free(word);
    return ok;
}

#define INSERTION_SORT_MAX 24

static void lc_merge_sorted(cs_lc *lc)
{
    size_t out = 0;
    for (size_t i = 0; i < lc->n;) {
        cs_term x = lc->term[i++];
        for (; i < lc->n && lc->term[i].var == x.var; i++)
            fr_add(&x.coeff, &x.coeff, &lc->term[i].coeff);
        if (!fr_is_zero(&x.coeff))
            lc->term[out++] = x;
    }
    lc->n = out;
}

void cs_lc_normalize(cs_lc *lc)
{
    if (lc->cap == SIZE_MAX || lc_is_normal(lc))
        return;
    if (lc->n <= INSERTION_SORT_MAX || !long_sort(lc))
        insertion_sort(lc->term, lc->n); /* without memory: slow but right */
    lc_merge_sorted(lc);
}

void cs_init(cs *c, const cs_sink_ops *ops, void *self)
{
    memset(c, 0, sizeof *c);
    c->ops = ops;
    c->self = self;
    c->n_inline = cuzk_switch_on(CUZK_SWITCH_A1) ? CS_LC_INLINE : 0;
    cs_alloc_input(c, &cuzk_fr_one);
}

static void note(cs *c, cuzk_status st)
{
    if (CUZK_UNLIKELY(st != CUZK_OK) && c->st == CUZK_OK) {
        c->st = st;
        if (c->err.status == CUZK_OK)
            cuzk_fail(&c->err, st, 0, "circuit sink");
    }
}

cs_var cs_alloc(cs *c, const fr *value)
{
    if (CUZK_UNLIKELY(c->st != CUZK_OK))
        return 0;
    if (CUZK_UNLIKELY(c->n_aux == CS_INPUT_FLAG)) {
        cs_fail(c, CUZK_INTERNAL, "circuit: more than 2^31 aux variables");
        return 0;
    }
    note(c, c->ops->aux(c->self, value, &c->err));
    return c->n_aux++;
}

cs_var cs_alloc_bits(cs *c, const uint64_t word[], unsigned n)
{
    cs_var first = c->n_aux;
    if (CUZK_LIKELY(!c->hooks)) {
        for (unsigned i = 0; i < n; i++)
            cs_alloc(c, &cuzk_fr_bit[word[i / 64] >> (i % 64) & 1]);
        return first;
    }
    if (CUZK_UNLIKELY(c->st != CUZK_OK))
        return 0;
    if (CUZK_UNLIKELY(c->n_aux > CS_INPUT_FLAG - n)) {
        cs_fail(c, CUZK_INTERNAL, "circuit: more than 2^31 aux variables");
        return 0;
    }
    note(c, c->hooks->bits(c->self, word, n, &c->err));
    c->n_aux += n;
    return first;
}

cs_var cs_alloc_bit(cs *c, bool value)
{
    uint64_t word = value;
    if (CUZK_LIKELY(!c->hooks))
        return cs_alloc(c, &cuzk_fr_bit[value]);
    return cs_alloc_bits(c, &word, 1);
}

void cs_children(cs *c, size_t n, cs_child_fn fn, void *ctx)
{
    if (c->hooks && c->hooks->children) {
        c->hooks->children(c, n, fn, ctx);
        return;
    }
    for (size_t i = 0; i < n && c->st == CUZK_OK; i++)
        fn(ctx, c, i);
}

cs_var cs_alloc_input(cs *c, const fr *value)
{
    if (CUZK_UNLIKELY(c->st != CUZK_OK))
        return CS_ONE;
    if (CUZK_UNLIKELY(c->n_inputs == CS_INPUT_FLAG)) {
        cs_fail(c, CUZK_INTERNAL, "circuit: more than 2^31 inputs");
        return CS_ONE;
    }
    note(c, c->ops->input(c->self, value, &c->err));
    return CS_INPUT_FLAG | c->n_inputs++;
}

void cs_enforce(cs *c, cs_lc *a, cs_lc *b, cs_lc *l)
{
    if (CUZK_UNLIKELY(c->st != CUZK_OK))
        return;
    if (CUZK_UNLIKELY(a->cap == SIZE_MAX || b->cap == SIZE_MAX || l->cap == SIZE_MAX)) {
        cs_fail(c, CUZK_NOMEM, "circuit: terms of row %llu", (unsigned long long)c->n_rows);
        return;
    }
    note(c, c->ops->row(c->self, a, b, l, &c->err));
    c->n_rows++;
}

void cs_fail(cs *c, cuzk_status st, const char *fmt, ...)
{
    if (c->st != CUZK_OK)
        return;
    char msg[128];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    c->st = cuzk_fail(&c->err, st, 0, "%s", msg);
}

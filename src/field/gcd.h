/* Modular inversion by division steps [BY19], in batches of 62, variable time.
 *
 * The half-delta variant: with f odd and theta = delta - 1/2 (0 at the start) one step is
 *     g odd and theta >= 0:  (theta, f, g) <- (-theta, g, (g - f) / 2)
 *     otherwise:             (theta, f, g) <- (theta + 1, f, (g + (g mod 2) f) / 2)
 * and f = m, g = a end in f = +-gcd(m, a), g = 0. The steps of a batch depend on the 62 low bits of
 * f and g alone, so they run on two machine words and are collected in a matrix, which is then
 * applied to f, g and to d, e, where d a = f s and e a = g s mod m throughout. s is the start value
 * of e: R^2 (the Montgomery constant) makes the result the Montgomery form of the inverse at once.
 *
 * Numbers are n limbs of 62 bits, the top limb signed; n is a constant at each call.
 */
#ifndef CUZK_FIELD_GCD_H
#define CUZK_FIELD_GCD_H

#include "field/limb.h"

#define GCD_MAX  7
#define GCD_MASK (~(uint64_t)0 >> 2)

__extension__ typedef __int128 gcd_i128;

typedef struct {
    int64_t u, v, q, r; /* 2^62 (f', g') = (u f + v g, q f + r g); |u| + |v| <= 2^62, same q, r */
} gcd_matrix;

typedef struct {
    int64_t m[GCD_MAX];
    uint64_t m_inv; /* 1 / m mod 2^62 */
} gcd_modulus;

/* n limbs of 62 bits from n64 words of 64. */
CUZK_INLINE void gcd_from_words(int64_t *r, const uint64_t *a, int n, int n64)
{
    for (int i = 0; i < n; i++) {
        int word = 62 * i / 64, shift = 62 * i % 64;
        uint64_t x = word < n64 ? a[word] >> shift : 0;
        if (shift > 2 && word + 1 < n64)
            x |= a[word + 1] << (64 - shift);
        r[i] = (int64_t)(x & GCD_MASK);
    }
}

/* The way back; a is not negative and below 2^(64 n64). */
CUZK_INLINE void gcd_to_words(uint64_t *r, const int64_t *a, int n, int n64)
{
    for (int i = 0; i < n64; i++) {
        int limb = 64 * i / 62, shift = 64 * i % 62;
        r[i] = (uint64_t)a[limb] >> shift;
        if (limb + 1 < n)
            r[i] |= (uint64_t)a[limb + 1] << (62 - shift);
    }
}

/* 62 steps on the low words; returns theta. Runs of halvings are taken at once, and up to six odd
 * steps that cannot swap (theta < 0) too, by adding the multiple of f that clears as many bits. */
CUZK_INLINE int64_t gcd_steps(gcd_matrix *t, int64_t theta, uint64_t f, uint64_t g)
{
    uint64_t u = 1, v = 0, q = 0, r = 1, x;
    for (unsigned left = 62;;) {
        unsigned zeros = cuzk_ctz64(g | ~(uint64_t)0 << left);
        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        theta += zeros;
        left -= zeros;
        if (!left)
            break;
        if (theta >= 0) { /* (f, g) <- (g, -f): with g + f below that is the swapping step */
            x = f, f = g, g = 0 - x;
            x = u, u = q, q = 0 - x;
            x = v, v = r, r = 0 - x;
            theta = -theta - 1;
        }
        uint64_t k = theta < -6 ? 6 : (uint64_t)-theta;
        /* f (2 - f^2) is 1/f mod 64 for odd f; bits beyond `left` do no harm: they are not read */
        uint64_t w = (0 - g * f * (2 - f * f)) & (((uint64_t)1 << k) - 1);
        if (k > left)
            w &= ((uint64_t)1 << left) - 1;
        g += w * f;
        q += w * u;
        r += w * v;
    }
    *t = (gcd_matrix){(int64_t)u, (int64_t)v, (int64_t)q, (int64_t)r};
    return theta;
}

/* (f, g) <- t (f, g) / 2^62, exactly. Each sum is below 2^125 in absolute value. */
CUZK_INLINE void gcd_apply(int64_t *f, int64_t *g, const gcd_matrix *t, int n)
{
    gcd_i128 cf = (gcd_i128)t->u * f[0] + (gcd_i128)t->v * g[0];
    gcd_i128 cg = (gcd_i128)t->q * f[0] + (gcd_i128)t->r * g[0];
    cf >>= 62; /* the low bits are zero */
    cg >>= 62;
    for (int i = 1; i < n; i++) {
        cf += (gcd_i128)t->u * f[i] + (gcd_i128)t->v * g[i];
        cg += (gcd_i128)t->q * f[i] + (gcd_i128)t->r * g[i];
        f[i - 1] = (int64_t)((uint64_t)cf & GCD_MASK);
        g[i - 1] = (int64_t)((uint64_t)cg & GCD_MASK);
        cf >>= 62;
        cg >>= 62;
    }
    f[n - 1] = (int64_t)cf;
    g[n - 1] = (int64_t)cg;
}

/* (d, e) <- t (d, e) / 2^62 mod m, both kept in (-2m, m): a negative operand first gets one m
 * (within km, ke), so the products lie in (-2^62 m, 2^62 m); then a multiple of m in (-2^62 m, 0]
 * makes the low 62 bits vanish. */
CUZK_INLINE void gcd_apply_mod(int64_t *d, int64_t *e, const gcd_matrix *t, const gcd_modulus *m,
                               int n)
{
    int64_t sd = d[n - 1] >> 63, se = e[n - 1] >> 63;
    int64_t kd = (t->u & sd) + (t->v & se), ke = (t->q & sd) + (t->r & se);
    gcd_i128 cd = (gcd_i128)t->u * d[0] + (gcd_i128)t->v * e[0];
    gcd_i128 ce = (gcd_i128)t->q * d[0] + (gcd_i128)t->r * e[0];
    kd -= (int64_t)((m->m_inv * (uint64_t)cd + (uint64_t)kd) & GCD_MASK);
    ke -= (int64_t)((m->m_inv * (uint64_t)ce + (uint64_t)ke) & GCD_MASK);
    cd += (gcd_i128)m->m[0] * kd;
    ce += (gcd_i128)m->m[0] * ke;
    cd >>= 62;
    ce >>= 62;
    for (int i = 1; i < n; i++) {
        cd += (gcd_i128)t->u * d[i] + (gcd_i128)t->v * e[i] + (gcd_i128)m->m[i] * kd;
        ce += (gcd_i128)t->q * d[i] + (gcd_i128)t->r * e[i] + (gcd_i128)m->m[i] * ke;
        d[i - 1] = (int64_t)((uint64_t)cd & GCD_MASK);
        e[i - 1] = (int64_t)((uint64_t)ce & GCD_MASK);
        cd >>= 62;
        ce >>= 62;
    }
    d[n - 1] = (int64_t)cd;
    e[n - 1] = (int64_t)ce;
}

/* d += k m for k = 1 or -1; shifts of negative numbers are arithmetic in the compilers we use. */
CUZK_INLINE void gcd_add_modulus(int64_t *d, int64_t k, const gcd_modulus *m, int n)
{
    int64_t carry = 0;
    for (int i = 0; i < n; i++) {
        carry += d[i] + k * m->m[i];
        d[i] = i + 1 < n ? (int64_t)((uint64_t)carry & GCD_MASK) : carry;
        carry >>= 62;
    }
}

CUZK_INLINE void gcd_negate(int64_t *d, int n)
{
    int64_t carry = 0;
    for (int i = 0; i < n; i++) {
        carry -= d[i];
        d[i] = i + 1 < n ? (int64_t)((uint64_t)carry & GCD_MASK) : carry;
        carry >>= 62;
    }
}

CUZK_INLINE bool gcd_is_zero(const int64_t *a, int n)
{
    int64_t t = 0;
    for (int i = 0; i < n; i++)
        t |= a[i];
    return t == 0;
}

/* r = s / a mod m for a < m, s < m; 0 gives 0. Words are 64-bit, n64 of them. */
CUZK_INLINE void gcd_invert(uint64_t *r, const uint64_t *a, const uint64_t *s, const gcd_modulus *m,
                            int n, int n64)
{
    int64_t f[GCD_MAX], g[GCD_MAX], d[GCD_MAX] = {0}, e[GCD_MAX], theta = 0;
    gcd_matrix t;
    memcpy(f, m->m, sizeof f);
    gcd_from_words(g, a, n, n64);
    gcd_from_words(e, s, n, n64);
    while (!gcd_is_zero(g, n)) {
        theta = gcd_steps(&t, theta, (uint64_t)f[0], (uint64_t)g[0]);
        gcd_apply_mod(d, e, &t, m, n);
        gcd_apply(f, g, &t, n);
    }
    if (f[n - 1] < 0) /* f = -1 */
        gcd_negate(d, n);
    while (d[n - 1] < 0) /* d in (-2m, 2m) */
        gcd_add_modulus(d, 1, m, n);
    for (;;) {
        int64_t x[GCD_MAX];
        memcpy(x, d, sizeof x);
        gcd_add_modulus(x, -1, m, n);
        if (x[n - 1] < 0)
            break;
        memcpy(d, x, sizeof d);
    }
    gcd_to_words(r, d, n, n64);
}

#endif

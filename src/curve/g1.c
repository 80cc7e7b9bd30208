/* G1: constants and subgroup test; the arithmetic is in point.inc. */
#include "curve/g1.h"

#include "curve/scalar.h"

const g1_affine cuzk_g1_generator = {
    {{0x5cb38790fd530c16u, 0x7817fc679976fff5u, 0x154f95c7143ba1c1u, 0xf0ae6acdf3d0e747u,
      0xedce6ecc21dbf440u, 0x120177419e0bfb75u}},
    {{0xbaac93d50ce72271u, 0x8c22631a7918fd8eu, 0xdd595f13570725ceu, 0x51ac582950405194u,
      0x0e1c8c3fad0059c0u, 0x0bbc3efc5008a26au}}};

static const fp curve_b = {{0xaa270000000cfff3u, 0x53cc0032fc34000au, 0x478fe97a6b0a807fu,
                            0xb1d37ebee6ba24d7u, 0x8ec9733bbf78ab2fu, 0x09d645513d83de7eu}};

/* The cube root of one for which (x, y) -> (beta x, y) multiplies the subgroup by -z^2. */
static const fp beta = {{0x30f1361b798a64e8u, 0xf3b8ddab7ece5a2au, 0x16a8ca3ac61577f7u,
                         0xc26a2ff874fd029bu, 0x3636b76660701c6eu, 0x051ba4ab241b6160u}};

#define FIELD          fp
#define FOP(op)        fp_##op
#define FEXT(op)       cuzk_fp_##op
#define FIELD_ONE      cuzk_fp_one
#define AFFINE         g1_affine
#define JAC            g1_jac
#define POP(op)        cuzk_g1_##op
#define POP_INLINE(op) g1_##op
#include "curve/point.inc"

/* phi(p) = -z^2 p, phi(x, y) = (beta x, y). As phi^2 + phi + 1 = 0 on the whole curve, equality
 * gives (z^4 - z^2 + 1) p = r p = 0; the converse is how beta was chosen. [Scott21] section 4. */
bool cuzk_g1_affine_in_subgroup(const g1_affine *p)
{
    g1_jac t, phi;
    cuzk_g1_from_affine(&phi, p);
    mul_by_abs_z(&t, &phi);
    mul_by_abs_z(&t, &t);
    cuzk_g1_neg(&t, &t);
    fp_mul(&phi.x, &phi.x, &beta);
    return cuzk_g1_eq(&t, &phi);
}

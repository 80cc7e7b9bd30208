/* G2: constants and subgroup test; the arithmetic is in point.inc. */
#include "curve/g2.h"

#include "curve/scalar.h"

const g2_affine cuzk_g2_generator = {
    {{{0xf5f28fa202940a10u, 0xb3f5fb2687b4961au, 0xa1a893b53e2ae580u, 0x9894999d1a3caee9u,
       0x6f67b7631863366bu, 0x058191924350bcd7u}},
     {{0xa5a9c0759e23f606u, 0xaaa0c59dbccd60c3u, 0x3bb17e18e2867806u, 0x1b1ab6cc8541b367u,
       0xc2b6ed0ef2158547u, 0x11922a097360edf3u}}},
    {{{0x4c730af860494c4au, 0x597cfa1f5e369c5au, 0xe7e6856caa0a635au, 0xbbefb5e96e0d495fu,
       0x07d3a975f0ef25a2u, 0x0083fd8e7e80dae5u}},
     {{0xadc0fc92df64b05du, 0x18aa270a2b1461dcu, 0x86adac6a3be4eba0u, 0x79495c4ec93da33au,
       0xe7175850a43ccaedu, 0x0b2bc2a163de1bf2u}}}};

/* 4 (1 + u) */
static const fp2 curve_b = {{{0xaa270000000cfff3u, 0x53cc0032fc34000au, 0x478fe97a6b0a807fu,
                              0xb1d37ebee6ba24d7u, 0x8ec9733bbf78ab2fu, 0x09d645513d83de7eu}},
                            {{0xaa270000000cfff3u, 0x53cc0032fc34000au, 0x478fe97a6b0a807fu,
                              0xb1d37ebee6ba24d7u, 0x8ec9733bbf78ab2fu, 0x09d645513d83de7eu}}};

/* psi(x, y) = (psi_x conj(x), psi_y conj(y)): Frobenius seen through the twist, with
 * psi_x = (1+u)^-((p-1)/3), whose c0 is 0, and psi_y = (1+u)^-((p-1)/2). */
static const fp2 psi_x = {{{0}},
                          {{0x890dc9e4867545c3u, 0x2af322533285a5d5u, 0x50880866309b7e2cu,
                            0xa20d1b8c7e881024u, 0x14e4f04fe2db9068u, 0x14e56d3f1564853au}}};
static const fp2 psi_y = {{{0x3e2f585da55c9ad1u, 0x4294213d86c18183u, 0x382844c88b623732u,
                            0x92ad2afd19103e18u, 0x1d794e4fac7cf0b9u, 0x0bd592fc7d825ec8u}},
                          {{0x7bcfa7a25aa30fdau, 0xdc17dec12a927e7cu, 0x2f088dd86b4ebef1u,
                            0xd1ca2087da74d4a7u, 0x2da2596696cebc1du, 0x0e2b7eedbbfd87d2u}}};

#define FIELD          fp2
#define FOP(op)        fp2_##op
#define FEXT(op)       cuzk_fp2_##op
#define FIELD_ONE      cuzk_fp2_one
#define AFFINE         g2_affine
#define JAC            g2_jac
#define POP(op)        cuzk_g2_##op
#define POP_INLINE(op) g2_##op
#include "curve/point.inc"

/* psi(p) = z p: necessary because psi acts on the subgroup as p = z mod r, sufficient by
 * [Scott21] section 4. */
bool cuzk_g2_affine_in_subgroup(const g2_affine *p)
{
    g2_jac t, psi;
    cuzk_g2_from_affine(&psi, p);
    mul_by_abs_z(&t, &psi);
    cuzk_g2_neg(&t, &t);
    fp2_conj(&psi.x, &psi.x);
    fp2_conj(&psi.y, &psi.y);
    fp2_mul(&psi.x, &psi.x, &psi_x);
    fp2_mul(&psi.y, &psi.y, &psi_y);
    return cuzk_g2_eq(&t, &psi);
}

#include "engine/insecure.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

void cuzk_insecure_scalar(fr *out, const char *name)
{
    uint8_t digest[32];
    cuzk_sha256(digest, name, strlen(name));
    digest[31] &= 0x3f;
    bool canonical = cuzk_fr_from_bytes(out, digest); /* 254 bits are below r */
    CUZK_DASSERT(canonical);
    (void)canonical;
}

void cuzk_insecure_secrets(groth16_secrets *out)
{
    cuzk_insecure_scalar(&out->alpha, "cuzk-insecure-setup/v1/alpha");
    cuzk_insecure_scalar(&out->beta, "cuzk-insecure-setup/v1/beta");
    cuzk_insecure_scalar(&out->gamma, "cuzk-insecure-setup/v1/gamma");
    cuzk_insecure_scalar(&out->delta, "cuzk-insecure-setup/v1/delta");
    cuzk_insecure_scalar(&out->tau, "cuzk-insecure-setup/v1/tau");
}

void cuzk_insecure_proof_rs(fr *r, fr *s, unsigned partition)
{
    char name[48];
    snprintf(name, sizeof name, "cuzk-test-proof/v1/r/%u", partition);
    cuzk_insecure_scalar(r, name);
    snprintf(name, sizeof name, "cuzk-test-proof/v1/s/%u", partition);
    cuzk_insecure_scalar(s, name);
}

static bool is_g1_multiple(const g1_affine *p, const fr *k)
{
    g1_jac g, kg, q;
    fr_canon c;
    cuzk_fr_to_canon(&c, k);
    cuzk_g1_from_affine(&g, &cuzk_g1_generator);
    cuzk_g1_mul(&kg, &g, &c);
    cuzk_g1_from_affine(&q, p);
    return cuzk_g1_eq(&kg, &q);
}

static bool is_g2_multiple(const g2_affine *p, const fr *k)
{
    g2_jac g, kg, q;
    fr_canon c;
    cuzk_fr_to_canon(&c, k);
    cuzk_g2_from_affine(&g, &cuzk_g2_generator);
    cuzk_g2_mul(&kg, &g, &c);
    cuzk_g2_from_affine(&q, p);
    return cuzk_g2_eq(&kg, &q);
}

bool cuzk_insecure_vk(const groth16_vk *vk)
{
    groth16_secrets s;
    cuzk_insecure_secrets(&s);
    return is_g1_multiple(&vk->alpha_g1, &s.alpha) && is_g1_multiple(&vk->beta_g1, &s.beta) &&
           is_g2_multiple(&vk->gamma_g2, &s.gamma) && is_g1_multiple(&vk->delta_g1, &s.delta);
}
